//! Per-PC cache of access ids: the last access of the running step from each program counter.
//!
//! Most cells hold only ids below the happens-before watermark ([`now::watermark`]). Whatever those
//! ids are, a write becomes the writer of such a cell and a read its only reader, so the access id
//! is all that the new cell depends on. This is the second check of the entry points, in assembly,
//! after the same-epoch check.

use super::*;
use crate::detect::now::{self, Now};
use std::cell::UnsafeCell;

/// As the entry points read it.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
struct Access {
    /// The return address.
    pc: usize,
    when: Now,
    /// Its id, as writer or as reader.
    after: Cell,
    /// The site, and the period ([`Spans`](super::units::Spans)) in which the same access of
    /// another iteration may follow; 0 if none may.
    site: SiteId,
    period: u32,
}

/// A power of two; few, so that they stay in the nearest cache.
const SLOTS: usize = 1 << 8;
/// The bits of the return address, which are some bytes apart, times 8 that are the bytes before an
/// access.
pub(crate) const MASK: usize = (SLOTS - 1) * size_of::<Access>();

pub(crate) const WHEN: usize = std::mem::offset_of!(Access, when);
pub(crate) const AFTER: usize = std::mem::offset_of!(Access, after);

pub(crate) struct LastIds(UnsafeCell<[Access; SLOTS]>);

// SAFETY: all code of the program, and of this, runs on one OS thread.
unsafe impl Sync for LastIds {}

const NONE: Access = Access {
    pc: 0,
    when: Now { first: AccessId::NONE, context: 0 },
    after: Cell::IMPOSSIBLE,
    site: NOWHERE,
    period: 0,
};

pub(crate) static LAST_IDS: LastIds = LastIds(UnsafeCell::new([NONE; SLOTS]));

/// What becomes of an empty cell.
#[inline(always)]
fn after(kind: AccessKind, id: AccessId) -> Cell {
    match kind {
        AccessKind::Read => Cell { readers: id.into(), ..Cell::default() },
        AccessKind::Write => Cell::written_by(id),
    }
}

impl LastIds {
    #[inline(always)]
    pub(super) fn set(&self, pc: usize, kind: AccessKind, id: AccessId, site: SiteId, period: u32) {
        let access = Access { pc, when: now::now(), after: after(kind, id), site, period };
        // SAFETY: inside the array, and nobody else looks at it now.
        unsafe { *self.slot(pc) = access };
    }

    #[inline(always)]
    fn slot(&self, pc: usize) -> *mut Access {
        // SAFETY: inside the array.
        unsafe { self.0.get().byte_add((pc * 8) & MASK).cast() }
    }

    /// The site of an access that an earlier iteration has made in this period.
    #[inline(always)]
    pub(super) fn site_in_period(&self, pc: usize, period: u32) -> Option<SiteId> {
        // SAFETY: nobody else looks at it now.
        let access = unsafe { &*self.slot(pc) };
        let is_it = access.pc == pc && access.period == period && access.when.context == now::context();
        is_it.then_some(access.site)
    }

    /// The access has a new id in the iteration that runs.
    #[inline(always)]
    pub(super) fn renew(&self, pc: usize, kind: AccessKind, id: AccessId) {
        // SAFETY: the one OS thread runs this, and no function of this type passes a reference out.
        let access = unsafe { &mut *self.slot(pc) };
        (access.when.first, access.after) = (now::first(), after(kind, id));
    }

    pub(super) fn forget(&self) {
        // SAFETY: the one OS thread runs this, and no function of this type passes a reference out.
        unsafe { *self.0.get() = [NONE; SLOTS] };
    }
}
