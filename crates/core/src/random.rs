//! Numbers at random, the same from the same seed: one generator for random search and all tests.
//!
//! Tests of crates that do not depend on this one include this file by its path.
#![allow(dead_code, unreachable_pub, reason = "each crate that includes the file uses a part of it")]

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): any seed is good, and the same seed gives the
/// same numbers for ever.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    #[allow(clippy::should_implement_trait, reason = "an endless supply is no iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number below `bound`, each as likely but for `bound` parts in 2⁶⁴.
    pub fn evenly_below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

/// Gives numbers below its argument.
pub fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut random = Random(seed);
    move |bound| random.below(bound)
}
