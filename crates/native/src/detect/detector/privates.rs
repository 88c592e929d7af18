//! Memory that belongs to one virtual thread: its thread-local storage, a threadprivate copy.

use std::ops::Range;

#[derive(Clone, Copy, Debug)]
struct Private {
    from: usize,
    to: usize,
    thread: u32,
}

impl Private {
    #[inline]
    fn holds(&self, address: usize) -> bool {
        (self.from..self.to).contains(&address)
    }
}

pub(super) struct Privates {
    all: Vec<Private>,
    /// Invariant: no less than from the first of them to the last.
    bounds: Range<usize>,
}

impl Privates {
    pub(super) fn new() -> Self {
        Privates { all: Vec::new(), bounds: 0..0 }
    }

    pub(super) fn add(&mut self, from: usize, to: usize, thread: u32) {
        let bounds = &mut self.bounds;
        *bounds = if self.all.is_empty() { from..to } else { bounds.start.min(from)..bounds.end.max(to) };
        self.all.push(Private { from, to, thread });
    }

    /// A thread is over.
    pub(super) fn forget(&mut self, thread: u32) {
        self.all.retain(|private| private.thread != thread);
    }

    /// Whether the memory may belong to a thread: two comparisons.
    #[inline(always)]
    pub(super) fn may_hold(&self, address: usize) -> bool {
        self.bounds.contains(&address)
    }

    #[inline]
    pub(super) fn holds(&self, address: usize) -> bool {
        self.may_hold(address) && self.all.iter().any(|private| private.holds(address))
    }

    /// Whether the memory belongs to this thread.
    pub(super) fn is_of(&self, address: usize, thread: u32) -> bool {
        self.all.iter().any(|private| private.thread == thread && private.holds(address))
    }

    /// All memory of all threads.
    pub(super) fn all(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.all.iter().map(|private| private.from..private.to)
    }

    /// All memory of a thread, in the order in which it was given to it.
    pub(super) fn all_of(&self, thread: u32) -> impl Iterator<Item = Range<usize>> + '_ {
        self.all
            .iter()
            .filter(move |private| private.thread == thread)
            .map(|private| private.from..private.to)
    }
}
