//! Iterations of one loop that may be executed at the same time, as the lanes of a vector, and
//! whether two of them touch the same byte.
//!
//! An access that every iteration makes at a fixed distance from the one before is an arithmetic
//! progression. Whether two of them meet in different iterations that are near enough to each other
//! is arithmetic as well: with equal distances a few iterations decide, else one look for each.

/// So many bytes in each of `count` iterations, at `first` in the first of them and `stride`
/// further in each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progression {
    pub first: usize,
    pub size: usize,
    pub count: u64,
    pub stride: i64,
}

/// The iterations of both in which they touch the same byte, counted from 0, and that byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meeting {
    pub iterations: [u64; 2],
    pub address: usize,
}

/// Of elements that overlap with many others, so many of the nearest are looked at.
const NEAREST: i128 = 64;

impl Progression {
    /// Where it is in an iteration.
    fn at(&self, iteration: u64) -> i128 {
        self.first as i128 + i128::from(self.stride) * i128::from(iteration)
    }

    /// Two different iterations, less than `width` apart, that touch the same byte.
    pub fn meets(&self, other: &Progression, width: u64) -> Option<Meeting> {
        if self.count == 0 || other.count == 0 {
            return None;
        }
        let check = |i: i128, j: i128| {
            let (i, j) = (u64::try_from(i).ok()?, u64::try_from(j).ok()?);
            let (a, b) = (self.at(i), other.at(j));
            let (from, to) = (a.max(b), (a + self.size as i128).min(b + other.size as i128));
            let is_there = i < self.count && j < other.count;
            let is_near = i != j && i.abs_diff(j) < width;
            (is_there && is_near && from < to)
                .then_some(Meeting { iterations: [i, j], address: from as usize })
        };
        if self.stride == other.stride {
            // Only how far apart the iterations are matters: the first two that are as far will do.
            let apart = self.reaches(other, 0);
            return apart.map(|apart| -apart).find_map(|apart| check(apart.max(0), (-apart).max(0)));
        }
        (0..self.count).find_map(|i| self.reaches(other, i).find_map(|j| check(i.into(), j)))
    }

    /// The iterations of another that may touch what this one does in an iteration, as if they went
    /// on in both directions.
    fn reaches(&self, other: &Progression, iteration: u64) -> impl Iterator<Item = i128> + use<> {
        let (here, last) = (i128::from(iteration), i128::from(other.count - 1));
        if other.stride == 0 {
            // All of them are at one place: the nearest.
            return (here - 1).min(last)..=here + 1;
        }
        let stride = i128::from(other.stride);
        let apart = (self.at(iteration) - other.first as i128) / stride;
        let reach = (self.size.max(other.size) as i128 / stride.abs() + 1).min(NEAREST);
        apart - reach..=apart + reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

    /// By looking at all iterations.
    fn oracle(one: &Progression, other: &Progression, width: u64) -> bool {
        (0..one.count).any(|i| {
            (0..other.count).any(|j| {
                let (a, b) = (one.at(i), other.at(j));
                i != j && i.abs_diff(j) < width && a < b + other.size as i128 && b < a + one.size as i128
            })
        })
    }

    #[test]
    fn progressions_meet_where_all_iterations_show_it() {
        let mut random = random(1);
        let mut below = |n: u64| random(n as usize) as u64;
        let mut met = 0;
        for case in 0..200_000 {
            let mut progression = || Progression {
                first: 1000 + below(64) as usize,
                size: [1, 2, 4, 8, 16][below(5) as usize],
                count: below(12),
                stride: below(41) as i64 - 20,
            };
            let (one, mut other) = (progression(), progression());
            if case % 2 == 0 {
                other.stride = one.stride;
            }
            let width = [2, 4, 8, u64::MAX][(case / 2 % 4) as usize];
            let expected = oracle(&one, &other, width);
            met += u64::from(expected);
            let found = one.meets(&other, width);
            assert_eq!(found.is_some(), expected, "{one:?} and {other:?}, width {width}: {found:?}");
        }
        assert!((20_000..180_000).contains(&met), "{met}");
    }
}
