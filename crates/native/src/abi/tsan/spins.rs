//! Waiting by looking: a task that loads the same location again and again waits for somebody, who has to go first.
//!
//! All tasks run on one OS thread, so that nobody else runs meanwhile. To let others go first is never wrong, but where nobody is waited for it leaves
//! tasks half done for others, whose accesses then have to be remembered beside theirs. A loop that waits looks
//! from one place; a recursion that looks once a level, as a search looks at its bound, does so in as many calling contexts. (A loop
//! that waits may look in two of them in turn: it is found out later.)
//!
//! A loop may also wait for one of several locations to change, and look at them in turn (the workers of the crate `spindle`): it comes back to one of
//! them with nothing stored meanwhile.

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

/// A round of looks has no more of them than this.
const ROUND: u32 = 16;
/// So many rounds in a row look like waiting. More than of one location: a loop that compares with a bound looks at that in every round.
const ROUNDS: u32 = 16;
/// Rounds are looked for after so many looks: most loads are no part of one and have a budget (`native_budget.rs`), and a loop that only reads a few
/// variables, which looks the same, is to be left seldom.
const UNTIL_ROUNDS: u32 = 1 << 14;

/// Nobody has come so far.
pub(super) const NO_STEPS: u64 = u64::MAX;

/// The last look, as it is kept: context and count are one word, so that a look at something else sets both at once.
pub(super) struct Last {
    pub(super) address: usize,
    pub(super) steps: u64,
    task: TaskId,
    /// The calling context, and above it how often this was looked at.
    looked: u64,
}

impl Last {
    fn context(&self) -> u32 {
        self.looked as u32
    }
}

pub(crate) struct Spins {
    pub(super) last: Last,
    /// Looks until rounds are looked for; 1 while they are.
    pub(super) until: u32,
    /// The look with which they begin, how many there were since, and how many rounds.
    begin: Look,
    since: u32,
    rounds: u32,
}

impl Default for Spins {
    fn default() -> Self {
        // Nobody has looked: there is nothing at this address.
        let begin = Look { task: TaskId::MAIN, address: 0, steps: 0, context: 0 };
        let last = Last { address: 0, steps: 0, task: TaskId::MAIN, looked: 0 };
        Spins { last, until: UNTIL_ROUNDS, begin, since: 0, rounds: 0 }
    }
}

impl Spins {
    /// Notes a load of another location than the last, if rounds are not looked for; whether it was such.
    #[inline(always)]
    pub(crate) fn glance(&mut self, address: usize) -> bool {
        if self.last.address == address || self.until == 1 {
            return false;
        }
        // Who looks there once more has it noted in full then.
        (self.last.address, self.last.steps) = (address, NO_STEPS);
        self.until -= 1;
        true
    }

    /// Notes a load; whether the task may wait: [`Spins::waits`] knows. Without calls, for the fast path of loads.
    #[inline(always)]
    pub(crate) fn look(&mut self, now: Look) -> bool {
        let last = &mut self.last;
        if (last.address, last.steps, last.task) != (now.address, now.steps, now.task) {
            let Look { task, address, steps, context } = now;
            *last = Last { address, steps, task, looked: u64::from(context) };
            self.until -= 1;
            return self.until == 0;
        }
        let spun = (last.looked >> 32) as u32 + if last.context() == now.context { ELSEWHERE } else { 1 };
        let is_enough = spun >= PATIENCE * ELSEWHERE;
        last.looked = u64::from(now.context) | if is_enough { 0 } else { u64::from(spun) << 32 };
        is_enough
    }

    /// Whether the task waits, after a look by which it may.
    #[cold]
    pub(crate) fn waits(&mut self) -> bool {
        self.until > 0 || self.look_for_rounds(self.last())
    }

    fn look_for_rounds(&mut self, now: Look) -> bool {
        self.until = 1;
        if now == self.begin {
            (self.since, self.rounds) = (0, self.rounds + 1);
            if self.rounds < ROUNDS {
                return false;
            }
            self.forget_rounds();
            return true;
        }
        let is_first = (self.since, self.rounds) == (0, 0);
        self.since += 1;
        if is_first {
            self.begin = now;
        } else if self.since > ROUND || self.begin.address == 0 {
            // No round, or something was stored.
            self.forget_rounds();
        }
        false
    }

    fn forget_rounds(&mut self) {
        (self.until, self.begin.address, self.since, self.rounds) = (UNTIL_ROUNDS, 0, 0, 0);
    }

    /// The last load.
    pub(crate) fn last(&self) -> Look {
        let Last { address, steps, task, .. } = self.last;
        Look { task, address, steps, context: self.last.context() }
    }

    /// Something was stored since the last load.
    #[inline(always)]
    pub(crate) fn forget(&mut self) {
        self.last.address = 0;
        self.begin.address = 0;
    }

    /// This counts as the last load all the same, and those before it count.
    pub(crate) fn set_last(&mut self, last: Look) {
        let Look { task, address, steps, context } = last;
        let counted = self.last.looked >> 32 << 32;
        self.last = Last { address, steps, task, looked: counted | u64::from(context) };
    }
}
