//! Spans of memory, such as blocks of the heap, each with what is known of it.
//!
//! Programs have millions of small ones. A span inside one page of memory stands in a list of that
//! page, in the order of addresses; the others, which are few, in a map. Memory: 4 bytes a small
//! span and what is known of it, and what its list has in reserve.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes of a page.
const PAGE: usize = 1 << 12;

/// A span inside one page.
#[derive(Clone, Copy, Debug)]
struct Small<T> {
    /// Where in the page it begins.
    offset: u16,
    size: u16,
    known: T,
}

/// Spans of which no two overlap. One of no bytes takes one.
#[derive(Debug)]
pub struct Spans<T> {
    /// By the number of the page, sorted. A list that has become empty stays for those to come.
    small: FxHashMap<usize, Vec<Small<T>>>,
    /// By their start, with their size.
    other: BTreeMap<usize, (usize, T)>,
}

impl<T> Default for Spans<T> {
    fn default() -> Self {
        Spans { small: FxHashMap::default(), other: BTreeMap::new() }
    }
}

impl<T: Copy> Spans<T> {
    /// Adds a span, instead of one that begins there.
    pub fn insert(&mut self, start: usize, size: usize, known: T) {
        let (page, offset) = (start / PAGE, (start % PAGE) as u16);
        if start % PAGE + size.max(1) > PAGE {
            self.remove(start);
            self.other.insert(start, (size, known));
            return;
        }
        if !self.other.is_empty() {
            self.other.remove(&start);
        }
        let list = self.small.entry(page).or_default();
        let new = Small { offset, size: size as u16, known };
        // Mostly they come one after the other.
        let at = match list.last() {
            Some(last) if last.offset >= offset => list.partition_point(|small| small.offset < offset),
            _ => list.len(),
        };
        match list.get_mut(at) {
            Some(old) if old.offset == offset => *old = new,
            _ => list.insert(at, new),
        }
    }

    /// Removes the span that begins there; its size, and what was known of it.
    pub fn remove(&mut self, start: usize) -> Option<(usize, T)> {
        let (page, offset) = (start / PAGE, (start % PAGE) as u16);
        if let Some(list) = self.small.get_mut(&page)
            && let Ok(at) = list.binary_search_by_key(&offset, |small| small.offset)
        {
            let Small { size, known, .. } = list.remove(at);
            return Some((usize::from(size), known));
        }
        self.other.remove(&start)
    }

    /// The span an address is in: its start, its size, what is known of it.
    pub fn find(&self, address: usize) -> Option<(usize, usize, T)> {
        let (page, offset) = (address / PAGE, (address % PAGE) as u16);
        if let Some(list) = self.small.get(&page)
            && let Some(before) = list.partition_point(|small| small.offset <= offset).checked_sub(1)
        {
            let Small { offset: from, size, known } = list[before];
            if offset - from < size.max(1) {
                return Some((address - usize::from(offset - from), usize::from(size), known));
            }
        }
        let (&start, &(size, known)) = self.other.range(..=address).next_back()?;
        (address < start + size.max(1)).then_some((start, size, known))
    }

    /// What is known of all of them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let small = self.small.values_mut().flatten().map(|small| &mut small.known);
        small.chain(self.other.values_mut().map(|(_, known)| known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

    /// Against a list.
    #[test]
    fn every_address_is_in_the_span_it_was_added_with() {
        let mut random = random(0x9e37_79b9_7f4a_7c15u64);
        let mut removed = 0;
        for _ in 0..200 {
            let (mut spans, mut all) = (Spans::default(), Vec::<(usize, usize, u32)>::new());
            for number in 0..100 {
                let size = [0, 1, 16, 100, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE][random(8)];
                let start = 16 * random(PAGE / 2) + random(2);
                let is_apart = |&(at, old, _): &(usize, usize, u32)| {
                    at == start || at + old.max(1) <= start || start + size.max(1) <= at
                };
                if all.iter().all(is_apart) {
                    spans.insert(start, size, number);
                    all.retain(|&(at, ..)| at != start);
                    all.push((start, size, number));
                } else if random(2) == 0 {
                    let (at, size, number) = all.swap_remove(random(all.len()));
                    assert_eq!(spans.remove(at), Some((size, number)));
                    assert!(spans.remove(at).is_none());
                    removed += 1;
                }
                for _ in 0..50 {
                    let address = random(11 * PAGE);
                    let has =
                        |&&(at, size, _): &&(usize, usize, u32)| (at..at + size.max(1)).contains(&address);
                    assert_eq!(spans.find(address), all.iter().find(has).copied(), "at {address}");
                }
            }
            assert_eq!(spans.values_mut().count(), all.len());
        }
        assert!(removed > 1000, "only {removed} were removed");
    }
}
