//! What the programs share.

/// The first argument, or the default.
pub fn size(default: usize) -> usize {
    let given = std::env::args().nth(1);
    given.map_or(default, |word| word.parse().expect("the argument is a number"))
}

/// A linear congruential generator.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}
