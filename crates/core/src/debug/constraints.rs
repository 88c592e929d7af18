//! The witness order: what has to come before what among the causal events of a race.
//!
//! Definition 5 of Ogles et al. orders causal events as DC does, keeps sections in their observed
//! order, and puts the section that stays open last. For several locks that is too much and too
//! little: sections of different locks can force each other into another order than the observed
//! one. So the order is built from what is certain, and what follows is added until nothing new
//! follows, as in the closures of Roemer, Genç and Bond (*Vindicator*, PLDI 2018) and Pavlogiannis
//! (*Fast, sound and effectively complete dynamic race prediction*, POPL 2020):
//!
//! - certain are the hard order, that a read comes after the write it saw, and that a section that
//!   stays open comes after all others of its lock;
//! - if a section's beginning is before the end of another of the same lock, so is its end before
//!   the other's beginning;
//! - if a write is before a read that saw another write, it is before that write, too; and if it is
//!   after the write that was seen, it is after the read.
//!
//! Nodes are blocks. Cost: each round computes for each block which block of each task it is after,
//! O(blocks · tasks), and a look at every section and read for each task. Rounds are few, since
//! every round adds all that follows from the one before.

use super::cut::Cut;
use super::trace::{NONE, Section, Trace};
use crate::event::{AccessKind, Event};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The largest table of blocks and tasks.
const CELLS: usize = 1 << 26;

/// Why there is no order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Contradiction {
    Circular,
    /// The table would be.
    TooLarge,
    /// A section that would stay open has to be left; the event that does.
    Leave(u32),
}

/// What each task accesses of one location, by task.
#[derive(Debug, Default)]
struct Accesses {
    reads: Vec<u32>,
    /// Of each task that writes: its writes in order.
    writes: Vec<(usize, Vec<u32>)>,
}

#[derive(Debug)]
pub(super) struct Constraints<'t, 'a> {
    trace: &'t Trace<'a>,
    /// The blocks of the cut, in the order of the run.
    pub(super) blocks: Vec<u32>,
    /// By block: which of `blocks` it is; `NONE` for what is not in the cut.
    node: Vec<u32>,
    /// By node: the nodes that have to come after it.
    pub(super) after: Vec<Vec<u32>>,
    /// By lock, the sections of each task in order.
    sections: Vec<Vec<(usize, Vec<Section>)>>,
    accesses: Vec<Accesses>,
    tasks: usize,
    /// By node and task: how many of the task's events come before or are it.
    known: Vec<u32>,
    new: bool,
}

impl<'t, 'a> Constraints<'t, 'a> {
    fn new(trace: &'t Trace<'a>, cut: &Cut) -> Self {
        let mut blocks: Vec<u32> = cut.blocks(trace).collect();
        blocks.sort_unstable();
        let mut node = vec![NONE; trace.events.len()];
        for (number, &block) in (0..).zip(&blocks) {
            node[block as usize] = number;
        }
        let mut constraints = Constraints {
            trace,
            after: vec![Vec::new(); blocks.len()],
            blocks,
            node,
            sections: Vec::new(),
            accesses: Vec::new(),
            tasks: trace.tasks.len(),
            known: Vec::new(),
            new: false,
        };
        constraints.add_certain();
        constraints.gather_sections(cut);
        constraints
    }

    /// Only what is certain: what follows from it is left to chance.
    pub(super) fn certain(trace: &'t Trace<'a>, cut: &Cut) -> Self {
        let mut constraints = Self::new(trace, cut);
        constraints.put_open_sections_last(cut);
        constraints
    }

    /// All that follows.
    pub(super) fn saturated(trace: &'t Trace<'a>, cut: &Cut) -> Result<Self, Contradiction> {
        let mut constraints = Self::new(trace, cut);
        if constraints.blocks.len().saturating_mul(constraints.tasks) > CELLS {
            return Err(Contradiction::TooLarge);
        }
        constraints.gather_accesses();
        // Open sections only then: before, they are found out if they are ordered before others.
        constraints.saturate(cut)?;
        constraints.put_open_sections_last(cut);
        constraints.saturate(cut)?;
        Ok(constraints)
    }

    fn saturate(&mut self, cut: &Cut) -> Result<(), Contradiction> {
        loop {
            self.propagate()?;
            self.new = false;
            self.follow_sections(cut)?;
            self.follow_writes()?;
            if !self.new {
                return Ok(());
            }
        }
    }

    pub(super) fn node(&self, block: u32) -> usize {
        self.node[block as usize] as usize
    }

    /// Orders the block of one event before the block of another.
    fn order(&mut self, before: u32, after: u32) {
        let (before, after) = (self.trace.block(before), self.trace.block(after));
        if before == NONE || before == after {
            return;
        }
        let (before, after) = (self.node(before), self.node(after));
        self.after[before].push(after as u32);
        self.new = true;
    }

    fn add_certain(&mut self) {
        let trace = self.trace;
        for at in self.blocks.clone() {
            let position = trace.position(at);
            if position > 0 {
                self.order(trace.tasks[trace.task(at)][position as usize - 1], at);
            } else if trace.spawns[trace.task(at)] != NONE {
                self.order(trace.spawns[trace.task(at)], at);
            }
            let source = trace.source[at as usize];
            if source != NONE {
                self.order(source, at);
            }
            if let Event::FinishEnd { scope, .. } = *trace.event(at) {
                for task in trace.members.get(&scope).into_iter().flatten() {
                    match trace.tasks[task.index()].last() {
                        Some(&last) => self.order(last, at),
                        None => self.order(trace.spawns[task.index()], at),
                    }
                }
            }
        }
    }

    fn gather_sections(&mut self, cut: &Cut) {
        let trace = self.trace;
        let mut locks: Vec<_> = trace.sections.keys().copied().collect();
        locks.sort_unstable();
        for lock in locks {
            let mut by_task: Vec<(usize, Vec<Section>)> = Vec::new();
            for section in cut.sections(trace, &trace.sections[&lock]) {
                push(&mut by_task, trace.task(section.enter), section);
            }
            self.sections.push(by_task);
        }
    }

    fn put_open_sections_last(&mut self, cut: &Cut) {
        for by_task in std::mem::take(&mut self.sections) {
            let mut all = by_task.iter().flat_map(|(_, sections)| sections);
            if let Some(open) = all.clone().find(|section| !cut.is_left(self.trace, section)) {
                all.by_ref()
                    .filter(|section| section.enter != open.enter)
                    .for_each(|section| self.order(section.leave, open.enter));
            }
            self.sections.push(by_task);
        }
    }

    fn gather_accesses(&mut self) {
        let mut accesses: FxHashMap<_, usize> = FxHashMap::default();
        for &at in &self.blocks {
            let Event::Access { task, kind, location, .. } = *self.trace.event(at) else { continue };
            let index = *accesses.entry(location).or_insert_with(|| {
                self.accesses.push(Accesses::default());
                self.accesses.len() - 1
            });
            match kind {
                AccessKind::Read => self.accesses[index].reads.push(at),
                AccessKind::Write => push(&mut self.accesses[index].writes, task.index(), at),
            }
        }
        self.accesses.retain(|accesses| !accesses.reads.is_empty() && !accesses.writes.is_empty());
    }

    /// Computes `known`.
    fn propagate(&mut self) -> Result<(), Contradiction> {
        self.known.clear();
        self.known.resize(self.blocks.len() * self.tasks, 0);
        let mut waits = self.waits();
        // In the order of the run as far as possible, which is also kind to the cache.
        let mut ready: BinaryHeap<Reverse<u32>> =
            (0..).zip(&waits).filter(|&(_, &waits)| waits == 0).map(|(node, _)| Reverse(node)).collect();
        let mut done = 0;
        let mut row = vec![0; self.tasks];
        while let Some(Reverse(node)) = ready.pop() {
            done += 1;
            let node = node as usize;
            let block = self.blocks[node];
            let start = node * self.tasks;
            self.known[start + self.trace.task(block)] = self.trace.position(block) + 1;
            row.copy_from_slice(&self.known[start..start + self.tasks]);
            for &next in &self.after[node] {
                let next = next as usize;
                let theirs = &mut self.known[next * self.tasks..][..self.tasks];
                theirs.iter_mut().zip(&row).for_each(|(theirs, &mine)| *theirs = (*theirs).max(mine));
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.push(Reverse(next as u32));
                }
            }
        }
        if done == self.blocks.len() { Ok(()) } else { Err(Contradiction::Circular) }
    }

    /// By node: how many constraints say that something comes before it.
    pub(super) fn waits(&self) -> Vec<u32> {
        let mut waits = vec![0; self.blocks.len()];
        for &next in self.after.iter().flatten() {
            waits[next as usize] += 1;
        }
        waits
    }

    /// How many events of `task` are before or in the block of an event.
    fn known(&self, at: u32, task: usize) -> u32 {
        match self.trace.block(at) {
            NONE => 0,
            block => self.known[self.node(block) * self.tasks + task],
        }
    }

    /// Whether one event's block is before or the same as another's.
    fn is_before(&self, before: u32, after: u32) -> bool {
        match self.trace.block(before) {
            NONE => true,
            block => self.trace.position(block) < self.known(after, self.trace.task(block)),
        }
    }

    fn follow_sections(&mut self, cut: &Cut) -> Result<(), Contradiction> {
        for by_task in std::mem::take(&mut self.sections) {
            for (task, sections) in &by_task {
                for section in sections {
                    let end = if cut.is_left(self.trace, section) { section.leave } else { section.enter };
                    for (_, others) in by_task.iter().filter(|(other, _)| other != task) {
                        let begun = others.partition_point(|other| self.is_before(other.enter, end));
                        let Some(other) = begun.checked_sub(1).map(|last| others[last]) else { continue };
                        if !cut.is_left(self.trace, &other) {
                            return Err(match other.leave {
                                NONE => Contradiction::Circular,
                                leave => Contradiction::Leave(leave),
                            });
                        }
                        if !self.is_before(other.leave, section.enter) {
                            self.order(other.leave, section.enter);
                        }
                    }
                }
            }
            self.sections.push(by_task);
        }
        Ok(())
    }

    fn follow_writes(&mut self) -> Result<(), Contradiction> {
        for accesses in std::mem::take(&mut self.accesses) {
            for &read in &accesses.reads {
                let seen = self.trace.source[read as usize];
                for (_, writes) in &accesses.writes {
                    let begun = writes.partition_point(|&write| self.is_before(write, read));
                    if let Some(write) = begun.checked_sub(1).map(|last| writes[last])
                        && write != seen
                    {
                        if seen == NONE {
                            return Err(Contradiction::Circular);
                        }
                        if !self.is_before(write, seen) {
                            self.order(write, seen);
                        }
                    }
                    let later = match seen {
                        NONE => 0,
                        seen => {
                            writes.partition_point(|&write| write == seen || !self.is_before(seen, write))
                        }
                    };
                    if let Some(&write) = writes.get(later)
                        && !self.is_before(read, write)
                    {
                        self.order(read, write);
                    }
                }
            }
            self.accesses.push(accesses);
        }
        Ok(())
    }
}

/// Adds to the list of `task`.
fn push<T>(by_task: &mut Vec<(usize, Vec<T>)>, task: usize, entry: T) {
    match by_task.iter_mut().find(|(other, _)| *other == task) {
        Some((_, list)) => list.push(entry),
        None => by_task.push((task, vec![entry])),
    }
}
