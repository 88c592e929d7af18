//! The deterministic task runtime of raceproof.
