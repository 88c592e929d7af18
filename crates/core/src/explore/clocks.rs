//! Vector clocks over the tasks of one execution, all in one table: how many transitions of each
//! task precede.
//!
//! *By need.* A row of numbers for each clock would take as much as there are tasks, squared: 62 GB
//! for 125,000 tasks. Here a clock is the root of a radix tree over the numbers of the tasks, and
//! trees share what they have in common: a copy is the same root, a tick copies the nodes on one
//! path, and a join visits only where two trees differ and copies only where neither has it all; so
//! does a meet. With up to 16 tasks a tree is one node, which is a row.
//!
//! Cost: a tick O(log tasks) in time and memory; a join or meet O(nodes in which the two differ),
//! at most O(tasks). Tasks are numbered as they are spawned, so that the tasks of one finish are
//! neighbours and what differs is in few nodes.
//!
//! The idea is that of persistent maps merged by identity (Okasaki and Gill, *Fast mergeable
//! integer maps*, ML Workshop 1998).

use serde::{Deserialize, Serialize};

/// A clock of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Clock(pub(super) u32);

/// How many bits of a task's number one level of the tree decides.
const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

/// On the lowest level the numbers of 16 neighbouring tasks, above it the nodes that have them.
type Node = [u32; FAN];

/// The node of tasks that are all at zero, on every level.
const ZERO: u32 = 0;

/// The table. The first clocks are those of the tasks.
#[derive(Default, Debug, Serialize, Deserialize)]
pub(super) struct Clocks {
    tasks: usize,
    levels: u32,
    /// Never changed once they are there. What a node refers to comes before it.
    nodes: Vec<Node>,
    /// The root of each clock.
    roots: Vec<u32>,
}

fn slot(task: usize, level: u32) -> usize {
    (task >> (BITS * level)) & (FAN - 1)
}

impl Clocks {
    /// The clocks of `tasks` tasks, all at zero, in place of what was there.
    pub(super) fn reset(&mut self, tasks: usize) {
        self.reset_with(tasks, tasks);
    }

    /// The same with another number of clocks to begin with.
    pub(super) fn reset_with(&mut self, tasks: usize, clocks: usize) {
        self.tasks = tasks;
        self.levels = 1;
        while tasks.saturating_sub(1) >> (BITS * self.levels) > 0 {
            self.levels += 1;
        }
        self.nodes.clear();
        self.nodes.push([0; FAN]);
        self.roots.clear();
        self.roots.resize(clocks, ZERO);
    }

    /// The clock of a task.
    pub(super) fn of(task: usize) -> Clock {
        Clock(task as u32)
    }

    /// Whether there is such a clock.
    pub(super) fn has(&self, clock: Clock) -> bool {
        (clock.0 as usize) < self.roots.len() && self.levels * BITS <= usize::BITS
    }

    /// Whether clocks know of such a task.
    pub(super) fn is_task(&self, task: usize) -> bool {
        task < self.tasks
    }

    /// How many transitions of a task precede. (A table that was read from a file may refer to
    /// nodes that it does not have.)
    #[inline]
    pub(super) fn get(&self, clock: Clock, task: usize) -> u32 {
        let mut at = self.roots[clock.0 as usize];
        for level in (0..self.levels).rev() {
            at = self.nodes.get(at as usize).map_or(0, |node| node[slot(task, level)]);
        }
        at
    }

    /// One more transition of a task precedes: how many those are now.
    pub(super) fn tick(&mut self, clock: Clock, task: usize) -> u32 {
        let number = self.get(clock, task) + 1;
        self.put(clock, task, number);
        number
    }

    /// Puts a clock forward to a number of a task.
    pub(super) fn put(&mut self, clock: Clock, task: usize, number: u32) {
        let root = self.roots[clock.0 as usize];
        self.roots[clock.0 as usize] = self.replaced(root, task, number, self.levels - 1);
    }

    fn replaced(&mut self, at: u32, task: usize, number: u32, level: u32) -> u32 {
        let mut node = self.nodes[at as usize];
        let slot = slot(task, level);
        node[slot] = match level {
            0 => number,
            _ => self.replaced(node[slot], task, number, level - 1),
        };
        self.add(node)
    }

    fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// A new clock that stands where another one does.
    pub(super) fn copy(&mut self, from: Clock) -> Clock {
        self.roots.push(self.roots[from.0 as usize]);
        Clock(self.roots.len() as u32 - 1)
    }

    /// Drops the newest clock.
    pub(super) fn drop_newest(&mut self, clock: Clock) {
        debug_assert_eq!(clock.0 as usize + 1, self.roots.len(), "clocks are dropped as they were made");
        self.roots.pop();
    }

    pub(super) fn set(&mut self, clock: Clock, from: Clock) {
        self.roots[clock.0 as usize] = self.roots[from.0 as usize];
    }

    /// Takes a clock on to the later number of each task.
    pub(super) fn join(&mut self, clock: Clock, with: Clock) {
        self.combine::<true>(clock, with);
    }

    /// Puts a clock back to the earlier number of each task.
    pub(super) fn meet(&mut self, clock: Clock, with: Clock) {
        self.combine::<false>(clock, with);
    }

    fn combine<const LATER: bool>(&mut self, clock: Clock, with: Clock) {
        let (one, other) = (self.roots[clock.0 as usize], self.roots[with.0 as usize]);
        self.roots[clock.0 as usize] = self.combined::<LATER>(one, other, self.levels - 1);
    }

    /// The later, or the earlier, number of each task. One of the two nodes themselves if that is
    /// it.
    fn combined<const LATER: bool>(&mut self, one: u32, other: u32, level: u32) -> u32 {
        let pick = |one: u32, other: u32| if LATER { one.max(other) } else { one.min(other) };
        if one == other {
            return one;
        }
        if one == ZERO || other == ZERO {
            // ZERO is also the lowest number of a node.
            return pick(one, other);
        }
        let (mine, theirs) = (self.nodes[one as usize], self.nodes[other as usize]);
        let mut both = mine;
        for (both, theirs) in both.iter_mut().zip(theirs) {
            *both = match level {
                0 => pick(*both, theirs),
                _ => self.combined::<LATER>(*both, theirs, level - 1),
            };
        }
        match both {
            _ if both == mine => one,
            _ if both == theirs => other,
            _ => self.add(both),
        }
    }

    /// Calls `see` with each task of which something precedes, and how much, in the order of their
    /// numbers.
    pub(super) fn for_each(&self, clock: Clock, mut see: impl FnMut(usize, u32)) {
        self.visit(self.roots[clock.0 as usize], 0, self.levels - 1, &mut see);
    }

    fn visit(&self, at: u32, first: usize, level: u32, see: &mut impl FnMut(usize, u32)) {
        if at == ZERO {
            return;
        }
        for (slot, &below) in self.nodes[at as usize].iter().enumerate() {
            let first = first + (slot << (BITS * level));
            match level {
                0 if below > 0 => see(first, below),
                0 => {}
                _ => self.visit(below, first, level - 1, see),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

    /// Against rows of numbers, by operations that a generator chooses.
    #[test]
    fn as_rows_of_numbers() {
        for tasks in [1, 2, 15, 16, 17, 255, 256, 257, 5000] {
            let mut clocks = Clocks::default();
            clocks.reset(tasks);
            let mut rows = vec![vec![0u32; tasks]; tasks];
            let mut any = random(tasks as u64);
            for _ in 0..400 {
                let (one, other, task) = (any(rows.len()), any(rows.len()), any(tasks));
                let (clock, with) = (Clock(one as u32), Clock(other as u32));
                match any(5) {
                    0 => {
                        rows[one][task] += 1;
                        assert_eq!(clocks.tick(clock, task), rows[one][task]);
                    }
                    1 => {
                        rows[one] = rows[other].clone();
                        clocks.set(clock, with);
                    }
                    2 if rows.len() < tasks + 20 => {
                        rows.push(rows[one].clone());
                        assert_eq!(clocks.copy(clock).0 as usize, rows.len() - 1);
                    }
                    3 => {
                        let theirs = rows[other].clone();
                        rows[one].iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = theirs.min(*mine));
                        clocks.meet(clock, with);
                    }
                    _ => {
                        let theirs = rows[other].clone();
                        rows[one].iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = theirs.max(*mine));
                        clocks.join(clock, with);
                    }
                }
                let seen: Vec<u32> = (0..tasks).map(|task| clocks.get(clock, task)).collect();
                assert_eq!(seen, rows[one]);
                let mut met = vec![0; tasks];
                clocks.for_each(clock, |task, number| met[task] = number);
                assert_eq!(met, rows[one]);
            }
        }
    }

    /// A parent spawns tasks that end one after the other, and waits for them: what a verified
    /// program does most.
    #[test]
    fn a_hundred_thousand_tasks_take_megabytes() {
        let tasks = 100_000;
        let mut clocks = Clocks::default();
        clocks.reset(tasks);
        let scope = clocks.copy(Clocks::of(0));
        for child in 1..tasks {
            clocks.set(Clocks::of(child), Clocks::of(0));
            clocks.tick(Clocks::of(child), child);
            clocks.copy(Clocks::of(child));
            clocks.join(scope, Clocks::of(child));
            clocks.tick(Clocks::of(0), 0);
        }
        clocks.join(Clocks::of(0), scope);
        assert!((1..tasks).all(|child| clocks.get(Clocks::of(0), child) == 1));
        let bytes = clocks.nodes.len() * size_of::<Node>();
        assert!(bytes < 200_000_000, "{bytes} bytes where rows would take 40 GB");
    }
}
