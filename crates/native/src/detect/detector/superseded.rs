//! Readers that another reader has superseded: dropped at a collection.
//!
//! A set of readers is asked about all of its steps when it has doubled only, and by a reader that
//! has most of the others still to come after it. Where tasks wait for each other by `depend`, row
//! after row, each comes after a few tasks of the row before, and so every task that has read a
//! variable would stay among its readers.
//!
//! At a collection a reader is dropped if a newer reader of the same set comes after it. *Why
//! nothing is missed*: a write that comes after the newer one comes after the older one as well. So
//! a write that races with the older one races with the newer one, and the pair of sites that is
//! reported is the same. As for [representatives](super::representatives), a conflict with either
//! must be judged alike: both are made at the same site, by explicit tasks that have not queried
//! their thread, outside of sections, and the memory belongs to no thread or task.
//!
//! Whether one comes after the other is looked up in the direct joins alone
//! ([`Successors`](raceproof_core::order::successors)): rows of tasks need no more, and the
//! superseded one may itself have superseded others.
//!
//! Cost: a lookup for each reader of each large set that a cell refers to, up to [`AGAIN`] times the
//! number of nodes that the sets have. Beyond that nothing is dropped.

use super::units::Iteration;
use super::*;
use raceproof_core::detect::readers::SetId;
use raceproof_core::marks::Marks;
use rustc_hash::FxHashSet;

/// Sets smaller than this are left as they are.
const LEAST: u32 = 64;
/// Sets share their tails, and are looked through one by one.
const AGAIN: usize = 4;

/// What sets have become that cells refer to.
pub(super) type Superseded = FxHashMap<SetId, Readers>;

impl Detector {
    /// Drops superseded readers from the sets marked, which cells refer to.
    pub(super) fn drop_superseded(&mut self, heads: &Marks, is_eager: bool) -> Superseded {
        let mut became = Superseded::default();
        let least = if is_eager { 2 } else { LEAST };
        let mut large = Vec::new();
        heads.each(|at| {
            let set = SetId(at as u32);
            if self.sets.size(set) >= least {
                large.push(set);
            }
        });
        if large.is_empty() || self.representatives.off || self.premises.distinguishes_ended_tasks {
            return became;
        }
        let successors = self.order.successors();
        if successors.is_empty() {
            return became;
        }
        let owned = self.sets_of_owned_memory();
        let mut budget = AGAIN * self.sets.count() as usize;
        let (accesses, order, tasks, locks) = (&self.accesses, &self.order, &self.tasks, &self.locks);
        let mut newer = FxHashSet::default();
        // The newest first, which most cells refer to.
        for &set in large.iter().rev().filter(|&set| !owned.contains(set)) {
            let size = self.sets.size(set) as usize;
            if size > budget {
                break;
            }
            budget -= size;
            newer.clear();
            let kept = self.sets.without(set, |element| {
                let AccessRecord { step, site, iteration } = accesses[AccessId::of_element(element)];
                let task = order.task_of(step);
                let Task { role, asked, .. } = tasks[task.index()];
                let is_plain_task = matches!(role, Role::Explicit(_) | Role::Async(_));
                if asked || !is_plain_task || iteration != Iteration::NONE || locks.is_in_section(step) {
                    return false;
                }
                let site = site.without(Merged::FOLDED).without(Merged::ALIKE);
                let is_superseded = successors.of(task, step).any(|after| newer.contains(&(after, site)));
                newer.insert((task, site));
                is_superseded
            });
            if kept != Readers::Set(set) {
                became.insert(set, kept);
            }
        }
        became
    }

    /// The sets that cells of stacks and of thread-local storage refer to.
    fn sets_of_owned_memory(&self) -> FxHashSet<SetId> {
        let mut sets = FxHashSet::default();
        let mut list = |readers: ReaderRef| {
            if readers.is_set() {
                sets.insert(readers.set_id());
            }
        };
        for memory in self.stacks.used().chain(self.privates.all()) {
            self.pages.visit(memory, |cell| match cell.reference() {
                None => list(cell.readers),
                Some(Reference::Bytes(group)) => {
                    self.bytes[group].iter().for_each(|byte| match byte.reference() {
                        Some(Reference::Mixed(record)) => self.mixed[record].each(&mut list),
                        _ => list(byte.readers),
                    })
                }
                Some(Reference::Mixed(record)) => self.mixed[record].each(&mut list),
            });
        }
        sets
    }
}
