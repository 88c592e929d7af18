//! Clocks that are kept, as trees whose parts are shared by all that know the same.
//!
//! An order that remembers what a task knew when it wrote something keeps a clock for many a
//! location. With hundreds of tasks these would be most of its memory, but they differ little:
//! between any two of them a few slots have gone on, and the rest is what every task knows that
//! came by the same lock. So a clock is kept as a tree of nodes with ten entries each, times in the
//! leaves, and a node of the same content is kept once (on traces with 512 threads two leaves of
//! the 52 of a clock are new). Nodes are counted and used again.
//!
//! Which nodes there are is looked up in a table that forgets: an entry that was overwritten costs
//! a second node of the same content, and never an answer.
//!
//! A clock that is a tree itself is kept as it is: it shares its parts with others already.
//!
//! Cost: taking one, O(slots), a hash of every node; joining one is as with a [`Clock`].

use super::clock::{Clock, Time, UNKNOWN};
use super::clock_tree::Tree;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Three levels are enough for a thousand slots.
const FAN: usize = 10;

/// How many nodes of a level are remembered.
const RECENT: usize = 1 << 16;

/// Times in a leaf, numbers of nodes of the level below in others.
type Node = [i32; FAN];

/// In a node that is not full.
const NONE: i32 = -1;

/// What a clock knew when it was taken. Whoever has one has to give it back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snapshot {
    root: u32,
    level: u8,
}

/// All snapshots.
#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    levels: Vec<Level>,
    trees: Trees,
    /// The nodes of the level at hand.
    row: Vec<i32>,
    /// The times of the clock at hand.
    times: Vec<Time>,
}

/// The level of a snapshot that is in `trees`.
const TREE: u8 = u8::MAX;

/// Clocks that are trees themselves, each with how many hold it; 0 for a place that is free.
#[derive(Debug, Default)]
struct Trees {
    kept: Vec<(Tree, u32)>,
    free: Vec<u32>,
}

#[derive(Debug, Default)]
struct Level {
    nodes: Vec<Node>,
    /// By node: how many nodes above and holders of snapshots there are; 0 for one that is free.
    counts: Vec<u32>,
    free: Vec<u32>,
    recent: Vec<u32>,
}

impl Snapshots {
    /// What `clock` knows now.
    pub(crate) fn take(&mut self, clock: &Clock) -> Snapshot {
        if let Some(tree) = clock.tree() {
            return Snapshot { root: self.trees.add(tree), level: TREE };
        }
        let mut row = std::mem::take(&mut self.row);
        let mut times = std::mem::take(&mut self.times);
        row.clear();
        clock.list(&mut times);
        self.add(0, &times, UNKNOWN, &mut row);
        self.times = times;
        let mut level = 0;
        while row.len() > 1 {
            level += 1;
            let below = std::mem::take(&mut row);
            self.add(level, &below, NONE, &mut row);
        }
        let snapshot = Snapshot { root: row[0] as u32, level: level as u8 };
        self.row = row;
        self.keep(snapshot);
        snapshot
    }

    /// Puts entries into nodes, and the numbers of these into `above`.
    fn add(&mut self, level: usize, entries: &[i32], filler: i32, above: &mut Vec<i32>) {
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Level::default);
        }
        for few in entries.chunks(FAN) {
            let mut node = [filler; FAN];
            node[..few.len()].copy_from_slice(few);
            let (number, is_new) = self.levels[level].number(&node);
            if is_new && level > 0 {
                few.iter().for_each(|&below| self.levels[level - 1].counts[below as usize] += 1);
            }
            above.push(number as i32);
        }
        if above.is_empty() {
            above.push(self.levels[level].number(&[filler; FAN]).0 as i32);
        }
    }

    /// One more has the snapshot.
    pub(crate) fn keep(&mut self, Snapshot { root, level }: Snapshot) {
        if level == TREE {
            self.trees.kept[root as usize].1 += 1;
            return;
        }
        self.levels[level as usize].counts[root as usize] += 1;
    }

    pub(crate) fn give_back(&mut self, Snapshot { root, level }: Snapshot) {
        if level == TREE {
            return self.trees.release(root);
        }
        self.release(level as usize, root);
    }

    fn release(&mut self, level: usize, node: u32) {
        let at = &mut self.levels[level];
        let count = &mut at.counts[node as usize];
        *count -= 1;
        if *count > 0 {
            return;
        }
        at.free.push(node);
        if level > 0 {
            let below = at.nodes[node as usize];
            below
                .iter()
                .filter(|&&below| below != NONE)
                .for_each(|&below| self.release(level - 1, below as u32));
        }
    }

    /// Gives `clock` what was known.
    pub(crate) fn join(&self, Snapshot { root, level }: Snapshot, clock: &mut Clock) {
        if level == TREE {
            return clock.widen().join(&self.trees.kept[root as usize].0);
        }
        self.join_node(level as usize, root, 0, clock);
    }

    fn join_node(&self, level: usize, node: u32, first: usize, clock: &mut Clock) {
        let entries = &self.levels[level].nodes[node as usize];
        if level == 0 {
            return clock.join_times(first, entries);
        }
        let width = FAN.pow(level as u32);
        for (at, &below) in entries.iter().enumerate().filter(|&(_, &below)| below != NONE) {
            self.join_node(level - 1, below as u32, first + at * width, clock);
        }
    }
}

impl Trees {
    /// The number of a tree, held once.
    fn add(&mut self, tree: &Tree) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.kept.push(Default::default());
            self.kept.len() as u32 - 1
        });
        self.kept[number as usize] = (tree.clone(), 1);
        number
    }

    fn release(&mut self, number: u32) {
        let (tree, count) = &mut self.kept[number as usize];
        *count -= 1;
        if *count == 0 {
            *tree = Tree::default();
            self.free.push(number);
        }
    }
}

impl Level {
    /// The number of a node, and whether it is new; then nothing counts it yet.
    fn number(&mut self, node: &Node) -> (u32, bool) {
        if self.recent.is_empty() {
            self.recent.resize(RECENT, 0);
        }
        let mut hasher = FxHasher::default();
        for two in node.chunks_exact(2) {
            hasher.write_u64((two[0] as u64) << 32 | u64::from(two[1] as u32));
        }
        let entry = &mut self.recent[hasher.finish() as usize % RECENT];
        let known = *entry as usize;
        if self.counts.get(known).is_some_and(|&count| count > 0) && self.nodes[known] == *node {
            return (*entry, false);
        }
        *entry = self.free.pop().unwrap_or(self.nodes.len() as u32);
        match self.nodes.get_mut(*entry as usize) {
            Some(free) => *free = *node,
            None => {
                self.nodes.push(*node);
                self.counts.push(0);
            }
        }
        (*entry, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Snapshots {
        fn nodes(&self) -> usize {
            let levels: usize = self.levels.iter().map(|level| level.nodes.len() - level.free.len()).sum();
            levels + self.trees.kept.len() - self.trees.free.len()
        }
    }

    #[test]
    fn a_snapshot_gives_back_what_was_known() {
        let mut snapshots = Snapshots::default();
        let mut clock = Clock::default();
        let mut taken = vec![(clock.clone(), snapshots.take(&clock))];
        // Beyond `WIDE` slots the clock is a tree.
        for round in 0..6_000u32 {
            clock.set(round * 37 % (1 + round / 2), round + 1);
            taken.push((clock.clone(), snapshots.take(&clock)));
            // Most are given back in between, so that nodes are used again.
            if round % 3 != 0 {
                let (_, gone) = taken.swap_remove(round as usize * 7 % taken.len());
                snapshots.give_back(gone);
            }
        }
        let mut other = Clock::default();
        other.set(3, 700);
        other.set(2_000, 1);
        for &(ref clock, snapshot) in &taken {
            let (mut expected, mut joined) = (other.clone(), other.clone());
            expected.join(clock);
            snapshots.join(snapshot, &mut joined);
            assert_eq!(joined, expected);
        }
        taken.iter().for_each(|&(_, snapshot)| snapshots.give_back(snapshot));
        assert_eq!(snapshots.nodes(), 0);
    }

    #[test]
    fn what_is_the_same_is_kept_once() {
        let mut snapshots = Snapshots::default();
        let mut clock = Clock::default();
        (0..64).for_each(|slot| clock.set(slot, slot + 1));
        let first = snapshots.take(&clock);
        let alone = snapshots.nodes();
        let second = snapshots.take(&clock);
        assert_eq!(snapshots.nodes(), alone);
        clock.tick(20);
        let third = snapshots.take(&clock);
        assert_eq!(snapshots.nodes(), alone + 2, "a leaf and the root");
        [first, second, third].iter().for_each(|&snapshot| snapshots.give_back(snapshot));
        assert_eq!(snapshots.nodes(), 0);
    }
}
