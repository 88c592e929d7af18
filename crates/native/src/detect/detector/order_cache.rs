//! A cache of happens-before queries: access ids for which the order has answered "happens before
//! the running task" (or, in a second cache, "does not").
//!
//! A positive answer holds for as long as the task runs, since its steps only learn more; a
//! negative one for one step. Neighbouring cells mostly hold the same ids, so most queries are
//! repeated.

const SLOTS: usize = 1 << 8;

/// A small table with one place for each number. An entry is the number and the turn in which it
/// was found out.
pub(super) struct OrderCache {
    slots: Box<[u64; SLOTS]>,
    turn: u64,
}

impl OrderCache {
    pub(super) fn new() -> Self {
        OrderCache { slots: Box::new([0; SLOTS]), turn: 1 << 32 }
    }

    /// Another task runs.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.turn += 1 << 32;
        if self.turn == 0 {
            // Once in four thousand million turns: entries of the first might be taken for some of
            // these.
            self.slots.fill(0);
            self.turn = 1 << 32;
        }
    }

    #[inline(always)]
    pub(super) fn has(&self, id: i32) -> bool {
        self.slots[id as usize % SLOTS] == self.turn | id as u64
    }

    #[inline(always)]
    pub(super) fn add(&mut self, id: i32) {
        self.slots[id as usize % SLOTS] = self.turn | id as u64;
    }
}
