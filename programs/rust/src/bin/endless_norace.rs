// expect: race-free
//! Iterators that could be split for ever, or so unevenly that every item is a level: splitting ends, and what is left stays together.

use rayon::iter::{repeat, split, walk_tree};
use rayon::prelude::*;
use std::ops::Range;

/// One item and the rest.
fn first(range: Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    match range.len() {
        0 | 1 => (range, None),
        _ => (range.start..range.start + 1, Some(range.start + 1..range.end)),
    }
}

/// The rest and one item.
fn last(range: Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    match range.len() {
        0 | 1 => (range, None),
        _ => (range.start..range.end - 1, Some(range.end - 1..range.end)),
    }
}

fn main() {
    assert_eq!(repeat(7).find_any(|number| *number == 7), Some(7));
    assert_eq!(repeat(()).take_any(5).count(), 5);
    assert_eq!((0..100).par_bridge().sum::<u32>(), 4950);
    let children = |node: &u32| if *node < 64 { vec![2 * node, 2 * node + 1] } else { Vec::new() };
    assert_eq!(walk_tree(1, children).count(), 127);
    for how in [first, last] {
        assert_eq!(split(0..6_000, how).map(|range| range.len()).sum::<usize>(), 6_000);
    }
}
