//! How many tasks and steps there were: for reports, and as numbers that no task has twice.

#[derive(Debug)]
pub(super) struct Counts {
    /// Tasks, `main` and units of work among them.
    serials: u64,
    units: u64,
    steps: u64,
}

impl Counts {
    pub(super) fn new() -> Self {
        Counts { serials: 1, units: 0, steps: 1 }
    }

    /// The number of a new task. `main` has 0.
    #[inline]
    pub(super) fn new_serial(&mut self) -> u64 {
        self.serials += 1;
        self.serials - 1
    }

    /// The task that was numbered last is a unit of work.
    pub(super) fn is_unit(&mut self) {
        self.units += 1;
    }

    #[inline(always)]
    pub(super) fn begin_step(&mut self) {
        self.steps += 1;
    }

    /// Tasks but for units of work, and steps.
    pub(super) fn statistics(&self) -> (u64, u64) {
        (self.serials - self.units, self.steps)
    }
}
