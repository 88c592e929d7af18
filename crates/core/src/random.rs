//! Numbers at random for tests, the same in every run.

/// Gives numbers below its argument, from a seed that is not 0 (Marsaglia's xorshift).
pub(crate) fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below
    }
}
