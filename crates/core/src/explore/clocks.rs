//! Vector clocks over the tasks of one execution, all in one table: how many transitions of each task precede.

use serde::{Deserialize, Serialize};

/// A clock of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Clock(u32);

/// The table: a row of as many numbers as there are tasks for each clock. The first clocks are those of the tasks.
#[derive(Default, Debug, Serialize, Deserialize)]
pub(super) struct Clocks {
    width: usize,
    rows: Vec<u32>,
}

impl Clocks {
    /// The clocks of `tasks` tasks, all at zero, in place of what was there.
    pub(super) fn reset(&mut self, tasks: usize) {
        self.width = tasks;
        self.rows.clear();
        self.rows.resize(tasks * tasks, 0);
    }

    /// The clock of a task.
    pub(super) fn of(task: usize) -> Clock {
        Clock(task as u32)
    }

    fn start(&self, clock: Clock) -> usize {
        clock.0 as usize * self.width
    }

    /// Whether there is such a clock.
    pub(super) fn has(&self, clock: Clock) -> bool {
        (clock.0 as usize).checked_mul(self.width).is_some_and(|start| start + self.width <= self.rows.len())
    }

    /// Whether clocks know of such a task.
    pub(super) fn is_task(&self, task: usize) -> bool {
        task < self.width
    }

    #[inline]
    pub(super) fn get(&self, clock: Clock, task: usize) -> u32 {
        self.rows[self.start(clock) + task]
    }

    pub(super) fn get_mut(&mut self, clock: Clock, task: usize) -> &mut u32 {
        let start = self.start(clock);
        &mut self.rows[start + task]
    }

    /// A new clock that stands where another one does.
    pub(super) fn copy(&mut self, from: Clock) -> Clock {
        let clock = Clock((self.rows.len() / self.width) as u32);
        let start = self.start(from);
        self.rows.extend_from_within(start..start + self.width);
        clock
    }

    /// Drops the newest clock.
    pub(super) fn drop_newest(&mut self, clock: Clock) {
        debug_assert_eq!(
            self.start(clock) + self.width,
            self.rows.len(),
            "clocks are dropped as they were made"
        );
        self.rows.truncate(self.rows.len() - self.width);
    }

    pub(super) fn set(&mut self, clock: Clock, from: Clock) {
        let (start, to) = (self.start(from), self.start(clock));
        self.rows.copy_within(start..start + self.width, to);
    }

    pub(super) fn join(&mut self, clock: Clock, with: Clock) {
        let (into, from) = (self.start(clock), self.start(with));
        let (into, from) = if into < from {
            let (low, high) = self.rows.split_at_mut(from);
            (&mut low[into..into + self.width], &high[..self.width])
        } else if from < into {
            let (low, high) = self.rows.split_at_mut(into);
            (&mut high[..self.width], &low[from..from + self.width])
        } else {
            return;
        };
        max(into, from);
    }
}

impl Clocks {
    /// As [`Clocks::join`], with a clock of another table.
    pub(super) fn join_from(&mut self, clock: Clock, with: &[u32]) {
        let start = self.start(clock);
        max(&mut self.rows[start..start + self.width], with);
    }
}

fn max(into: &mut [u32], from: &[u32]) {
    for (mine, &theirs) in into.iter_mut().zip(from) {
        *mine = (*mine).max(theirs);
    }
}
