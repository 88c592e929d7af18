//! How many generated cases a test judges, from the environment.

use std::env;
use std::ops::Range;

/// A number from the environment.
pub fn setting(name: &str, default: u64) -> u64 {
    let parse = |value: String| value.parse().unwrap_or_else(|_| panic!("{name}={value} is no number"));
    env::var(name).map_or(default, parse)
}

/// The seeds of a test: `RACEPROOF_CASES` of them (`cases` unless set), from `RACEPROOF_SEED` on (0
/// unless set).
pub fn seeds(cases: u64) -> Range<u64> {
    let first = setting("RACEPROOF_SEED", 0);
    first..first + setting("RACEPROOF_CASES", cases)
}
