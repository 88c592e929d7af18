//! The races that were found: each pair of sites once, with the accesses that showed it first.

use super::Raced;
use crate::detect::frames;
use rustc_hash::FxHashMap;
use std::ops::{Index, Range};

#[derive(Default, Debug)]
pub(crate) struct Races {
    all: Vec<Raced>,
    /// By the return addresses of both accesses. Invariant: an index of `all`.
    numbers: FxHashMap<(usize, usize), u32>,
    /// The executable parts of the process, looked up when the first race needs them.
    code: Vec<Range<usize>>,
}

impl Races {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Raced> {
        self.all.iter()
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Raced> {
        self.all.iter_mut()
    }

    /// The number of the race between two sites, if it is known.
    pub(super) fn number(&self, pair: (usize, usize)) -> Option<usize> {
        self.numbers.get(&pair).map(|&number| number as usize)
    }

    /// A race was met again; how often in all.
    pub(super) fn again(&mut self, number: usize) -> u64 {
        let race = &mut self.all[number];
        race.count += 1;
        race.count
    }

    pub(super) fn add(&mut self, pair: (usize, usize), raced: Raced) {
        self.numbers.insert(pair, self.all.len() as u32);
        self.all.push(raced);
    }

    /// Another pair of accesses shows a known race better.
    pub(super) fn replace(&mut self, number: usize, raced: Raced) {
        let race = &mut self.all[number];
        *race = Raced { count: race.count, ..raced };
    }

    pub(super) fn last(&self) -> Option<&Raced> {
        self.all.last()
    }

    pub(super) fn code(&mut self) -> &[Range<usize>] {
        if self.code.is_empty() {
            self.code = frames::code();
        }
        &self.code
    }
}

impl Index<usize> for Races {
    type Output = Raced;
    fn index(&self, number: usize) -> &Raced {
        &self.all[number]
    }
}
