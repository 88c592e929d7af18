//! What was found out about accesses: that they precede the running task. That stays so as long as the task runs, and neighbouring cells
//! mostly name the same accesses, so that most questions are asked again and again.

const SLOTS: usize = 1 << 8;

/// A small table with one place for each number. An entry is the number and the turn in which it was found out.
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
            // Once in four thousand million turns: entries of the first might be taken for some of these.
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
