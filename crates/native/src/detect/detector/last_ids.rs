//! The last access of the running step from a place of the program: what it makes of every cell whose accesses are over.
//!
//! Most cells name nothing but accesses that evidently precede the running step, by their numbers alone ([`now::watermark`]). Whatever they are,
//! a write becomes the writer, and a read the last reader; all that has to be known is its number. So that is the second thing the entry points ask, in
//! assembly, after "this step again".

use super::*;
use crate::now::{self, Now};
use std::cell::UnsafeCell;

/// As the entry points read it.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
struct Access {
    /// The return address.
    pc: usize,
    when: Now,
    /// Its number, as writer or as reader.
    after: Cell,
}

/// A power of two; few, so that they stay in the nearest cache.
const SLOTS: usize = 1 << 8;
/// The bits of the return address, which are some bytes apart, times 8 that are the bytes before an access.
pub(crate) const MASK: usize = (SLOTS - 1) * size_of::<Access>();

pub(crate) const WHEN: usize = std::mem::offset_of!(Access, when);
pub(crate) const AFTER: usize = std::mem::offset_of!(Access, after);

pub(crate) struct LastIds(UnsafeCell<[Access; SLOTS]>);

// SAFETY: all code of the program, and of this, runs on one OS thread.
unsafe impl Sync for LastIds {}

const NONE: Access = Access { pc: 0, when: Now { first: 0, context: 0 }, after: Cell::IMPOSSIBLE };

pub(crate) static LAST_IDS: LastIds = LastIds(UnsafeCell::new([NONE; SLOTS]));

impl LastIds {
    #[inline(always)]
    pub(super) fn set(&self, pc: usize, kind: AccessKind, id: i32) {
        let after = match kind {
            AccessKind::Read => Cell { writer: 0, readers: id },
            AccessKind::Write => Cell { writer: id, readers: 0 },
        };
        let access = Access { pc, when: now::now(), after };
        // SAFETY: inside the array, and nobody else looks at it now.
        unsafe { *self.0.get().byte_add((pc * 8) & MASK).cast() = access };
    }

    pub(super) fn forget(&self) {
        // SAFETY: as above.
        unsafe { *self.0.get() = [NONE; SLOTS] };
    }
}
