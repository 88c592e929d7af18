//! Access records: the step, the site and the iteration of each access that some cell holds.

use super::units::Iteration;
use crate::detect::cell::AccessId;
use raceproof_core::ids::{SiteId, StepId};
use raceproof_core::marks::give_back;
use std::ops::{BitOr, Index, IndexMut};

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
    /// The record of [`AccessId::NONE`].
    const NONE: AccessRecord =
        AccessRecord { step: StepId(0), site: FlaggedSite(0), iteration: Iteration::NONE };
}

/// The access records by id. Ids grow as accesses are recorded, so that they are the order's time.
/// Invariant: the first record is that of [`AccessId::NONE`].
pub(super) struct AccessRecords(Vec<AccessRecord>);

impl AccessRecords {
    pub(super) fn new() -> Self {
        // Room for what there mostly is until the first collection.
        let mut records = Vec::with_capacity(1 << 15);
        records.push(AccessRecord::NONE);
        AccessRecords(records)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The id of the next access that is recorded.
    #[inline(always)]
    pub(super) fn next(&self) -> AccessId {
        AccessId::at(self.0.len())
    }

    /// The id of the access that was recorded last.
    #[inline(always)]
    pub(super) fn newest(&self) -> AccessId {
        AccessId::at(self.0.len() - 1)
    }

    /// The time of the order: the next id.
    #[inline(always)]
    pub(super) fn time(&self) -> u32 {
        self.0.len() as u32
    }

    /// Records an access if there is room for it; its id. It makes no call: a push would be one, to
    /// make room.
    #[inline(always)]
    pub(super) fn add_in_place(&mut self, record: impl FnOnce() -> AccessRecord) -> Option<AccessId> {
        let id = self.next();
        self.0.spare_capacity_mut().first_mut()?.write(record());
        // SAFETY: the next entry was just written.
        unsafe { self.0.set_len(id.index() + 1) };
        Some(id)
    }

    /// Records an access; its id, unless there are too many.
    pub(super) fn add(&mut self, record: AccessRecord) -> Option<AccessId> {
        let id = AccessId::try_at(self.0.len())?;
        self.0.push(record);
        Some(id)
    }

    /// The collector has moved the records that stay to the front: so many.
    pub(super) fn keep(&mut self, count: usize) {
        let before = self.0.len();
        self.0.truncate(count);
        give_back(&mut self.0, before);
    }
}

impl Index<AccessId> for AccessRecords {
    type Output = AccessRecord;
    #[inline(always)]
    fn index(&self, id: AccessId) -> &AccessRecord {
        &self.0[id.index()]
    }
}

impl IndexMut<AccessId> for AccessRecords {
    #[inline(always)]
    fn index_mut(&mut self, id: AccessId) -> &mut AccessRecord {
        &mut self.0[id.index()]
    }
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
    pub(super) fn new(site: SiteId, flags: Flags) -> Self {
        FlaggedSite(site.0 | flags.0 & Self::ATOMIC)
    }

    #[inline(always)]
    pub(super) fn site(self) -> SiteId {
        SiteId(self.0 & Self::SITE)
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
