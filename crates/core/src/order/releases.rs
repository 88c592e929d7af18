//! Signals that pass on what others have signalled, by somebody who does not know of it.
//!
//! A read-modify-write that releases and does not acquire continues the release sequence that it
//! finds (C++ 20, [intro.races]): whoever acquires its value comes after all that were released
//! into the sequence, and the one who continued it does not. So what is known by a sync is more
//! than its task knew: [`Signalled::more`], a set of sources like any other. One node for each
//! operation, however long the sequence is.

use super::graph::{GraphOrder, Known, KnownId, NONE, Signalled};
use crate::event::SyncKind;
use crate::ids::{StepId, SyncId, TaskId};

impl GraphOrder {
    /// As [`GraphOrder::signal`]: whoever joins `sync` knows as well of what was signalled by
    /// `before`, which the task itself need not.
    pub fn signal_after(&mut self, task: TaskId, sync: SyncId, before: SyncId, kind: SyncKind) {
        self.tell(task);
        self.signal_end(task, sync, kind);
        let before = self.signalled(before);
        self.syncs[sync.index()].more =
            if before.step == NONE || self.precedes_now_evidently(StepId(before.step)) {
                before.more
            } else {
                self.sources_of(before)
            };
        self.begin_step();
    }

    /// Whoever joins `sync` knows of what was signalled by `first` and by `second`. The running
    /// task publishes nothing by that.
    pub fn signal_both(&mut self, sync: SyncId, first: SyncId, second: SyncId) {
        let (first, mut both) = (self.signalled(first), self.signalled(second));
        if both.step == NONE {
            both = first;
        } else if first.step != NONE && first.step != both.step {
            let sources = self.sources_of(first);
            both.more = self.union(sources, both.more);
        } else {
            both.more = self.union(first.more, both.more);
        }
        self.make_room_for(sync);
        self.syncs[sync.index()] = both;
    }

    /// Whether who joins `sync` knows, evidently, of all that was signalled by `other`.
    pub fn signals_also(&self, sync: SyncId, other: SyncId) -> bool {
        let (sync, other) = (self.signalled(sync), self.signalled(other));
        other.step == NONE
            || (sync.step == other.step
                || self.near_by(sync.more).any(|node| node.source == other.step && node.left == other.known))
                && (other.more == NONE || sync.more == other.more || self.has_near_by(sync.more, other.more))
    }

    /// All that is known by a signal, as one set.
    fn sources_of(&mut self, Signalled { step, known, more }: Signalled) -> KnownId {
        let newest = step.max(self.newest(known)).max(self.newest(more));
        self.add(Known { newest, source: step, left: known, right: more })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ScopeId;
    use crate::random::random;
    use std::collections::BTreeSet;

    type Steps = BTreeSet<u32>;

    /// Tasks of main that signal, pass on and join at random, and for each the steps before it, by
    /// the definition.
    #[test]
    fn who_joins_knows_of_the_whole_sequence_and_who_continues_it_does_not() {
        let mut unknown = 0;
        for round in 0..400u64 {
            let mut random = random(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(round + 1));
            let mut order = if round % 2 == 0 { GraphOrder::folding() } else { GraphOrder::default() };
            let mut tasks: Vec<(TaskId, Steps)> = vec![(TaskId::MAIN, Steps::new())];
            for child in 1..5 {
                let before: Steps = tasks[0].1.iter().copied().chain([order.step().0]).collect();
                order.spawn(TaskId::MAIN, TaskId(child), ScopeId::PROGRAM);
                tasks[0].1 = before.clone();
                tasks.push((TaskId(child), before));
            }
            let mut syncs: Vec<Steps> = Vec::new();
            for _ in 0..40 {
                let (task, before) = &mut tasks[random(5)];
                order.enter(*task);
                before.insert(order.step().0);
                let (next, kind) = (SyncId::at(syncs.len()), SyncKind::Event);
                let other = random(syncs.len().max(1));
                match random(4) {
                    0 => {
                        order.signal(*task, next, kind);
                        syncs.push(before.clone());
                    }
                    1 if !syncs.is_empty() => {
                        order.signal_after(*task, next, SyncId::at(other), kind);
                        syncs.push(before.union(&syncs[other]).copied().collect());
                    }
                    2 if !syncs.is_empty() => {
                        let second = random(syncs.len());
                        order.signal_both(next, SyncId::at(other), SyncId::at(second));
                        syncs.push(syncs[other].union(&syncs[second]).copied().collect());
                    }
                    3 if !syncs.is_empty() => {
                        order.join(*task, SyncId::at(other), kind);
                        before.extend(&syncs[other]);
                    }
                    _ => {}
                }
                for (sync, signalled) in syncs.iter().enumerate() {
                    let evident = order.is_known(SyncId::at(sync));
                    assert!(
                        !evident || signalled.is_subset(before),
                        "round {round}: {sync} is known to {task:?}"
                    );
                    for (other, less) in syncs.iter().enumerate() {
                        let evident = order.signals_also(SyncId::at(sync), SyncId::at(other));
                        assert!(!evident || less.is_subset(signalled), "round {round}: {other} in {sync}");
                    }
                }
                let now = order.step().0;
                for step in (0..order.steps() as u32).filter(|&step| step != now) {
                    let should = before.contains(&step);
                    assert_eq!(order.precedes_now(StepId(step)), should, "round {round}: {step} to {task:?}");
                    unknown += usize::from(!should);
                }
            }
        }
        assert!(unknown > 100_000, "only {unknown} steps were unordered");
    }
}
