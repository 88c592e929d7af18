//! Access records: the step, the site and the iteration of each access that some cell holds.

use super::units::Iteration;
use raceproof_core::ids::StepId;
use std::ops::BitOr;

/// An access: by which step, where in the program, and in which iteration of a loop, if its step
/// has several.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessRecord {
    pub(super) step: StepId,
    pub(super) site: FlaggedSite,
    pub(super) iteration: Iteration,
}

const _: () = assert!(size_of::<AccessRecord>() == 12);

impl AccessRecord {
    /// The record of [`AccessId::NONE`](crate::detect::cell::AccessId::NONE).
    pub(super) const NONE: AccessRecord =
        AccessRecord { step: StepId(0), site: FlaggedSite(0), iteration: Iteration::NONE };
}

/// How the access that is checked now is made, as far as its record depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Flags(u32);

impl Flags {
    pub(super) const PLAIN: Flags = Flags(0);
    pub(super) const ATOMIC: Flags = Flags(FlaggedSite::ATOMIC);

    /// The flags in the highest bit of a word, which no address has.
    #[inline(always)]
    pub(super) fn above_addresses(self) -> usize {
        const { assert!(Flags::ATOMIC.0 == 1 << 31) };
        (self.0 as usize) << 32
    }
}

/// A site, and what is known of the access besides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub(super) struct FlaggedSite(u32);

/// What the collector has merged into a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Merged(u32);

impl Merged {
    pub(super) const NOTHING: Merged = Merged(0);
    /// The access was made by a task that has ended since, and counts as one of the task that has
    /// joined it.
    pub(super) const FOLDED: Merged = Merged(1 << 30);
    /// The access was made by a task that has ended, or by a sibling of it from the same site that
    /// nobody can distinguish from it.
    pub(super) const ALIKE: Merged = Merged(1 << 29);
}

impl Merged {
    pub(super) fn is_folded(self) -> bool {
        self.0 & Merged::FOLDED.0 != 0
    }
}

impl BitOr for Merged {
    type Output = Merged;
    #[inline(always)]
    fn bitor(self, other: Merged) -> Merged {
        Merged(self.0 | other.0)
    }
}

impl FlaggedSite {
    const ATOMIC: u32 = 1 << 31;
    const SITE: u32 = Merged::ALIKE.0 - 1;

    /// The site of an access that was made just now.
    #[inline(always)]
    pub(super) fn new(site: u32, flags: Flags) -> Self {
        FlaggedSite(site | flags.0 & Self::ATOMIC)
    }

    #[inline(always)]
    pub(super) fn site(self) -> u32 {
        self.0 & Self::SITE
    }

    #[inline(always)]
    pub(super) fn is_atomic(self) -> bool {
        self.0 & Self::ATOMIC != 0
    }

    #[inline(always)]
    pub(super) fn has(self, merged: Merged) -> bool {
        self.0 & merged.0 == merged.0
    }

    #[inline(always)]
    pub(super) fn with(self, merged: Merged) -> Self {
        FlaggedSite(self.0 | merged.0)
    }

    #[inline(always)]
    pub(super) fn without(self, merged: Merged) -> Self {
        FlaggedSite(self.0 & !merged.0)
    }
}
