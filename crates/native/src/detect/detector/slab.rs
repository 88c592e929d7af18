//! A table of equal entries that cells refer to by index, with a list of the free ones.

use raceproof_core::marks::Marks;
use std::ops::{Index, IndexMut};

pub(super) struct Slab<T> {
    entries: Vec<T>,
    /// Invariant: no cell refers to these, and none is here twice.
    free: Vec<u32>,
}

impl<T: Copy + Default> Slab<T> {
    pub(super) fn new() -> Self {
        Slab { entries: Vec::new(), free: Vec::new() }
    }

    pub(super) fn add(&mut self, entry: T) -> u32 {
        let at = self.free.pop().unwrap_or(self.entries.len() as u32);
        match self.entries.get_mut(at as usize) {
            Some(free) => *free = entry,
            None => self.entries.push(entry),
        }
        at
    }

    /// No cell refers to the entry any more.
    pub(super) fn free(&mut self, at: u32) {
        self.free.push(at);
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut()
    }

    /// Visits the marked entries, and frees the others.
    pub(super) fn sift(&mut self, marked: &Marks, mut visit: impl FnMut(&T)) {
        self.free.clear();
        for (at, entry) in self.entries.iter_mut().enumerate() {
            if marked.has(at) {
                visit(entry);
            } else {
                *entry = T::default();
                self.free.push(at as u32);
            }
        }
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, at: u32) -> &T {
        &self.entries[at as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline(always)]
    fn index_mut(&mut self, at: u32) -> &mut T {
        &mut self.entries[at as usize]
    }
}
