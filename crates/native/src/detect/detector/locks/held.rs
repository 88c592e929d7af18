//! The lock sections that each step is in.
//!
//! A program whose tasks have a critical section each has as many such steps as sections. So this
//! is a table indexed by step: most lists have one section, and cost 24 bytes and no search, less
//! than an entry of a hash table.

use raceproof_core::ids::StepId;
use std::ops::Range;

/// A section of a lock that a step is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hold {
    pub(crate) lock: usize,
    pub(crate) section: u32,
}

/// Which of `Held::holds` are those of a step; none if it is in no section.
#[derive(Clone, Copy, Default)]
struct List {
    from: u32,
    count: u32,
}

impl List {
    fn range(self) -> Range<usize> {
        self.from as usize..(self.from + self.count) as usize
    }
}

#[derive(Default)]
pub(super) struct Held {
    /// Indexed by step; the last steps may have no entry.
    lists: Vec<List>,
    /// The lists, one behind the other. Those that were replaced stay until the collector renumbers
    /// the steps.
    holds: Vec<Hold>,
}

impl Held {
    /// The sections that a step is in.
    #[inline]
    pub(super) fn of(&self, step: StepId) -> &[Hold] {
        self.lists.get(step.index()).map_or(&[], |list| &self.holds[list.range()])
    }

    #[inline]
    pub(super) fn is_any(&self, step: StepId) -> bool {
        self.lists.get(step.index()).is_some_and(|list| list.count > 0)
    }

    /// The step is in these sections.
    pub(super) fn set(&mut self, step: StepId, holds: &[Hold]) {
        if self.lists.len() <= step.index() {
            self.lists.resize(step.index() + 1, List::default());
        }
        let list = &mut self.lists[step.index()];
        if list.count as usize == holds.len() {
            self.holds[list.range()].copy_from_slice(holds);
            return;
        }
        *list = List { from: self.holds.len() as u32, count: holds.len() as u32 };
        self.holds.extend_from_slice(holds);
    }

    /// The collector has renumbered the steps, and dropped those for which `new` has none.
    pub(super) fn renumber(&mut self, new: impl Fn(StepId) -> Option<StepId>) {
        let old = std::mem::take(self);
        for (at, list) in old.lists.iter().enumerate().filter(|(_, list)| list.count > 0) {
            if let Some(step) = new(StepId::at(at)) {
                self.set(step, &old.holds[list.range()]);
            }
        }
    }

    /// The sections of all steps, right after the collector has renumbered these.
    pub(super) fn all(&self) -> &[Hold] {
        &self.holds
    }

    pub(super) fn all_mut(&mut self) -> &mut [Hold] {
        &mut self.holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(section: u32) -> Hold {
        Hold { lock: 8, section }
    }

    #[test]
    fn lists_are_replaced_and_renumbered() {
        let mut held = Held::default();
        held.set(StepId(5), &[hold(1)]);
        held.set(StepId(2), &[hold(2), hold(3)]);
        held.set(StepId(5), &[hold(4)]);
        held.set(StepId(5), &[hold(4), hold(5)]);
        assert_eq!(held.of(StepId(5)), [hold(4), hold(5)]);
        assert!(held.of(StepId(4)).is_empty() && !held.is_any(StepId(4)) && !held.is_any(StepId(9)));
        held.renumber(|step| (step == StepId(5)).then_some(StepId(0)));
        assert_eq!(held.of(StepId(0)), [hold(4), hold(5)]);
        assert_eq!(held.all(), [hold(4), hold(5)]);
    }
}
