//! Waiting by looking: a task that loads the same location again and again waits for somebody, who has to go first.
//!
//! All tasks run on one OS thread, so that nobody else runs meanwhile. To let others go first is never wrong, but where nobody is waited for it leaves
//! tasks half done for others, whose accesses then have to be remembered beside theirs. A loop that waits looks
//! from one place; a recursion that looks once a level, as a search looks at its bound, does so in as many calling contexts. (A loop
//! that waits may look in two of them in turn: it is found out later.)

use raceproof_core::ids::TaskId;

/// A load: by whom, of what, how much had happened by then, and in which calling context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Look {
    pub(crate) task: TaskId,
    pub(crate) address: usize,
    pub(crate) steps: u64,
    pub(crate) context: u32,
}

/// Loads of one location in a row, with nothing else happening, that look like waiting.
const PATIENCE: u32 = 8;
/// So many count as one if each is in another context than the one before.
const ELSEWHERE: u32 = 16;

pub(crate) struct Spins {
    last: Look,
    spun: u32,
}

impl Default for Spins {
    fn default() -> Self {
        // Nobody has looked: there is nothing at this address.
        let last = Look { task: TaskId::MAIN, address: 0, steps: 0, context: 0 };
        Spins { last, spun: 0 }
    }
}

impl Spins {
    /// Notes a load; whether the task waits.
    #[inline(always)]
    pub(crate) fn look(&mut self, now: Look) -> bool {
        let last = &mut self.last;
        if (last.address, last.steps, last.task) != (now.address, now.steps, now.task) {
            *last = now;
            self.spun = 0;
            return false;
        }
        self.spun += if last.context == now.context { ELSEWHERE } else { 1 };
        last.context = now.context;
        if self.spun < PATIENCE * ELSEWHERE {
            return false;
        }
        self.spun = 0;
        true
    }

    /// The last load.
    pub(crate) fn last(&self) -> Look {
        self.last
    }

    /// Something was stored since the last load.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        self.last.address = 0;
    }

    /// This counts as the last load all the same.
    pub(crate) fn set_last(&mut self, last: Look) {
        self.last = last;
    }
}
