//! Choices at random: the same seed makes the same ones for ever.

use crate::common::random;

pub struct Rng(random::Random);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(random::Random(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// From `low` up to, not including, `high`.
    pub fn range(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low) as u64) as usize
    }

    pub fn percent(&mut self, chance: u32) -> bool {
        self.next() % 100 < u64::from(chance)
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.range(0, items.len())]) }
    }

    /// One of the items, each as likely as its weight says.
    pub fn weighted<T: Copy>(&mut self, items: &[(u32, T)]) -> Option<T> {
        let total: u32 = items.iter().map(|(weight, _)| weight).sum();
        if total == 0 {
            return None;
        }
        let mut at = (self.next() % u64::from(total)) as u32;
        for (weight, item) in items {
            if at < *weight {
                return Some(*item);
            }
            at -= weight;
        }
        unreachable!("the weights add up")
    }
}
