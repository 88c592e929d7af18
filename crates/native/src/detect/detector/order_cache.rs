//! A cache of happens-before queries: access ids for which the order has answered "happens before
//! the running task" (or, in a second cache, "does not").
//!
//! A positive answer holds for as long as the task runs, since its steps only learn more; a
//! negative one for one step. Neighbouring cells mostly hold the same ids, so most queries are
//! repeated.

use crate::detect::cell::AccessId;

const SLOTS: usize = 1 << 8;

/// A direct-mapped table. An entry is an access id and the generation in which it was added.
pub(super) struct OrderCache {
    slots: Box<[u64; SLOTS]>,
    generation: u64,
}

impl OrderCache {
    pub(super) fn new() -> Self {
        OrderCache { slots: Box::new([0; SLOTS]), generation: 1 << 32 }
    }

    /// Drops all entries: another task runs.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.generation += 1 << 32;
        if self.generation == 0 {
            // The generation wraps once in 2^32: entries of the first might pass for current ones.
            self.slots.fill(0);
            self.generation = 1 << 32;
        }
    }

    #[inline(always)]
    pub(super) fn has(&self, id: AccessId) -> bool {
        self.slots[id.index() % SLOTS] == self.generation | u64::from(id.raw())
    }

    #[inline(always)]
    pub(super) fn add(&mut self, id: AccessId) {
        self.slots[id.index() % SLOTS] = self.generation | u64::from(id.raw());
    }
}
