//! Syncs that the detector adds to the kernel's, for the order alone.

use raceproof_core::ids::SyncId;

/// The kernel's syncs have even ids in the order, the detector's own odd ones.
#[inline]
pub(super) fn of_kernel(sync: SyncId) -> SyncId {
    SyncId(sync.0 * 2)
}

#[derive(Default, Debug)]
pub(super) struct Syncs {
    /// How many were made.
    made: u32,
    /// Invariant: the order has forgotten these, and none is here twice.
    spare: Vec<SyncId>,
}

impl Syncs {
    /// One that nobody has signalled.
    pub(super) fn take(&mut self) -> SyncId {
        self.spare.pop().unwrap_or_else(|| {
            self.made += 1;
            SyncId(self.made * 2 + 1)
        })
    }

    /// Nobody will join the sync again, and the order has forgotten it.
    pub(super) fn give_back(&mut self, sync: SyncId) {
        self.spare.push(sync);
    }
}
