//! Names for memory and code that are the same in every execution, wherever the system and the schedule have put things.
//!
//! What the search compares between executions must not depend on which task happened to allocate first, nor on where the
//! process was loaded. So a byte of a variable is named by its module and offset, a byte of the heap by the task that
//! allocated the block and which of its blocks it is, a byte of a stack by the task that runs on it. Two different bytes
//! have different names but for collisions of a 60-bit hash, which would make the search run more, not less.

use crate::detect::modules::modules;
use raceproof_core::explore::TaskName;
use std::collections::BTreeMap;

/// Where something begins, how large it is, and the name of its first byte.
#[derive(Clone, Copy, Debug)]
struct Extent {
    size: usize,
    name: u64,
}

#[derive(Debug)]
pub(super) struct Names {
    /// By address.
    known: BTreeMap<usize, Extent>,
}

/// What kind of memory a name is of: its highest bits.
#[derive(Clone, Copy)]
enum Kind {
    Module = 1,
    Heap = 2,
    Stack = 3,
    Thread = 4,
}

fn name(kind: Kind, of: u64) -> u64 {
    (kind as u64) << 60 | (of & (u64::MAX >> 4))
}

impl Names {
    pub(super) fn new() -> Self {
        let mut names = Names { known: BTreeMap::new() };
        for (number, (start, size)) in modules().into_iter().enumerate() {
            names.add(start, size, name(Kind::Module, (number as u64) << 40));
        }
        names
    }

    /// What was known of this memory is over.
    fn add(&mut self, start: usize, size: usize, name: u64) {
        while let Some((&other, &extent)) = self.known.range(..start + size).next_back()
            && other + extent.size > start
        {
            self.known.remove(&other);
        }
        self.known.insert(start, Extent { size, name });
    }

    /// A block that a task has allocated, its `ordinal`th.
    pub(super) fn block(&mut self, start: usize, size: usize, task: TaskName, ordinal: u32) {
        self.add(start, size.max(1), name(Kind::Heap, task.child(ordinal).0));
    }

    /// A stack that a task begins on. The high end is where it begins.
    pub(super) fn stack(&mut self, start: usize, end: usize, task: TaskName) {
        self.add(start, end - start, name(Kind::Stack, task.0.rotate_left(20)));
    }

    /// Memory that belongs to a virtual thread.
    pub(super) fn thread(&mut self, start: usize, end: usize, thread: u32) {
        self.add(start, end - start, name(Kind::Thread, u64::from(thread) << 32));
    }

    /// The name of a byte. What is not known is named by its address.
    pub(super) fn of(&self, address: usize) -> u64 {
        let found = self.known.range(..=address).next_back();
        match found.filter(|(start, extent)| address - **start < extent.size) {
            Some((start, extent)) => extent.name.wrapping_add((address - start) as u64),
            None => address as u64,
        }
    }
}
