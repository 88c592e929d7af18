//! The oracle: what a tiny TP program can do, by trying all its interleavings.
//!
//! Detectors and the explorer are judged by it, so it is written from LANGUAGE.md alone, shares
//! nothing with the interpreter but the syntax tree, and prefers the obvious to the fast.
//! `oracle_self.rs` holds it to results worked out by hand, `oracle_generate.rs` to properties that
//! every program must have.
//!
//! ```ignore
//! mod oracle;                       // in a file of crates/cli/tests
//! use oracle::{Limits, Profile, explore, generate, shrink};
//!
//! for seed in 0..2_000 {
//!     let source = generate(Profile::Promises, seed);
//!     let program = raceproof_tp::parse(&source).expect("generated programs are valid");
//!     let truth = explore(&program, &source, Limits::default());
//!     if truth.complete && truth.races != mine(&source) {
//!         let small = shrink(&source, |text| disagrees(text));
//!         panic!("seed {seed}:\n{small}");
//!     }
//! }
//! ```
//!
//! Reading order: `state.rs` (what a state is), `local.rs` (what a task does by itself),
//! `action.rs` (what it does to others), `explore.rs` (all orders of that), `outcome.rs` (what is
//! reported), `classes.rs` (how many orders differ); then `generate/`, `choices.rs` and
//! `shrink.rs`.
//!
//! Where LANGUAGE.md leaves a choice, the oracle takes this one:
//! - An error stands where its statement starts (`assert`, `set`, `async`, …) or where its
//!   expression starts (an element, a `get`, a division); a reference used as a number, condition,
//!   bound or `await` operand stands where that operand starts, except under an arithmetic operator
//!   and in an index, where it is the start of the whole expression.
//! - Errors of an operation come after its operands are evaluated; a `finish`, `forall`, `forasync`
//!   or `with` inside `isolated` fails before its bounds or its body, an `async await` after its
//!   operands.
//! - `==` between a reference and a number is false.

// Every test binary uses another part of this.
#![allow(dead_code, unreachable_pub, unused_imports)]

mod action;
mod choices;
mod classes;
mod explore;
mod generate;
mod local;
mod names;
mod outcome;
mod rng;
mod shrink;
mod state;

pub use choices::{additions, branches, choices};
pub use classes::{Sections, classes};
pub use explore::{Limits, explore, schedules};
pub use generate::{Profile, generate};
pub use outcome::{Access, Blocked, Memory, Outcome, ProgramError, Race, Side};
pub use rng::Rng;
pub use shrink::{TRIES, shrink};
