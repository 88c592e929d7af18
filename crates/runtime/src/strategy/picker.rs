//! Who runs next in an execution of a random search.
//!
//! Two ways, of which a search takes both in turn:
//!
//! - *A random walk*: before each transition one of the tasks that can go on, each as likely.
//! - *Probabilistic concurrency testing* (PCT; Burckhardt, Kothari, Musuvathi and Nagarakatte, *A
//!   randomized scheduler with probabilistic guarantees of finding bugs*, ASPLOS 2010): each task
//!   has a random priority, and the one with the highest runs. At `d - 1` random transitions of the
//!   execution the task that is about to run falls behind all others. An error that shows if `d`
//!   transitions come in a certain order is found with a chance of at least one in
//!   `n * k^(d - 1)`, for `n` tasks and `k` transitions. A random walk may need a chance of one in
//!   `2^k`: where a task has to fall behind by far, or to overtake many.
//!
//! *Departures from the paper.* It schedules before each instruction, this one before each choice:
//! the executions between the choices are judged as a whole. `k` is the length of the longest
//! execution so far, not known beforehand. A task that looks for what another one does, or has used
//! up its quantum, falls behind as at a change point. The paper's programs end under every
//! schedule; here an execution that has taken [`PATIENCE`] times `k` transitions goes on as a
//! random walk, in which a task that others wait for runs in the end.

use raceproof_core::explore::tree::Pick;
use raceproof_core::ids::TaskId;
use raceproof_core::random::Random;

/// See the module.
const PATIENCE: u64 = 4;

/// Whom chance has run next.
#[derive(Debug)]
pub(super) struct Picker {
    random: Random,
    /// The change points, if there are priorities; the next one last.
    changes: Option<Vec<u64>>,
    /// The priority of each task seen; 0 is none yet.
    priorities: Vec<u64>,
    /// The lowest priority given so far.
    lowest: u64,
    /// Transitions so far, and how many of them go by priorities.
    ran: u64,
    patience: u64,
}

/// Priorities at the start are above this one, those of tasks that fell behind below.
const BEHIND: u64 = 1 << 32;

impl Picker {
    pub(super) fn new(pick: &Pick) -> Self {
        let mut random = Random(pick.seed);
        let length = pick.length.max(1);
        let changes = pick.changes.map(|count| {
            let mut points: Vec<u64> = (0..count).map(|_| random.evenly_below(length)).collect();
            points.sort_unstable_by(|a, b| b.cmp(a));
            points
        });
        let patience = length.saturating_mul(PATIENCE).saturating_add(100);
        Picker { random, changes, priorities: Vec::new(), lowest: BEHIND, ran: 0, patience }
    }

    /// One of the tasks that can go on, if there is one.
    pub(super) fn choose(&mut self, tasks: impl Iterator<Item = TaskId>) -> Option<TaskId> {
        let mut tasks: Vec<TaskId> = tasks.collect();
        // Whatever the order in which the kernel has them.
        tasks.sort_unstable();
        let ran = self.ran;
        self.ran += 1;
        let by_priority = self.changes.is_some() && ran < self.patience;
        if !by_priority {
            let at = self.random.evenly_below(tasks.len().max(1) as u64) as usize;
            return tasks.get(at).copied();
        }
        let mut chosen = self.first(&tasks)?;
        while self.changes.as_ref().is_some_and(|points| points.last().is_some_and(|&at| at <= ran)) {
            self.changes.as_mut().and_then(Vec::pop);
            self.fall_behind(chosen);
            chosen = self.first(&tasks)?;
        }
        Some(chosen)
    }

    /// The one with the highest priority.
    fn first(&mut self, tasks: &[TaskId]) -> Option<TaskId> {
        tasks.iter().copied().max_by_key(|&task| (self.priority(task), task))
    }

    fn priority(&mut self, task: TaskId) -> u64 {
        let at = task.index();
        if self.priorities.len() <= at {
            self.priorities.resize(at + 1, 0);
        }
        if self.priorities[at] == 0 {
            self.priorities[at] = BEHIND + 1 + self.random.evenly_below(BEHIND);
        }
        self.priorities[at]
    }

    /// From now on the task runs when no other can.
    pub(super) fn fall_behind(&mut self, task: TaskId) {
        if self.changes.is_some() {
            self.priority(task);
            self.lowest -= 1;
            self.priorities[task.index()] = self.lowest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(count: u32) -> Vec<TaskId> {
        (0..count).map(TaskId).collect()
    }

    /// Who runs first, second and so on, of tasks that take so many transitions each.
    fn run(pick: Pick, count: u32, each: usize) -> Vec<u32> {
        let mut picker = Picker::new(&pick);
        let mut left = vec![each; count as usize];
        std::iter::from_fn(|| {
            let ready = tasks(count).into_iter().filter(|task| left[task.index()] > 0).collect::<Vec<_>>();
            let task = picker.choose(ready.into_iter())?;
            left[task.index()] -= 1;
            Some(task.0)
        })
        .collect()
    }

    #[test]
    fn the_same_seed_is_the_same_execution() {
        for changes in [None, Some(0), Some(3)] {
            let pick = |seed| Pick { seed, changes, length: 12 };
            assert_eq!(run(pick(7), 4, 3), run(pick(7), 4, 3));
            let all: std::collections::BTreeSet<_> = (0..200).map(|seed| run(pick(seed), 4, 3)).collect();
            assert!(all.len() >= 20, "{changes:?}: {} executions of 200 seeds", all.len());
        }
    }

    /// Without change points each task runs to its end; each brings one switch more at most.
    #[test]
    fn priorities_change_as_often_as_asked() {
        for changes in 0..4 {
            let mut most = 0;
            for seed in 0..200 {
                let ran = run(Pick { seed, changes: Some(changes), length: 20 }, 4, 5);
                assert_eq!(ran.len(), 20);
                most = most.max(ran.windows(2).filter(|pair| pair[0] != pair[1]).count());
            }
            // A task that falls behind is left and returned to.
            assert_eq!(most, 3 + changes as usize, "{changes} change points");
        }
    }

    /// Tasks that never end do not keep the others from running for ever.
    #[test]
    fn patience_ends() {
        let mut picker = Picker::new(&Pick { seed: 1, changes: Some(0), length: 10 });
        let seen: std::collections::BTreeSet<TaskId> =
            (0..1000).filter_map(|_| picker.choose(tasks(3).into_iter())).collect();
        assert_eq!(seen.len(), 3);
    }
}
