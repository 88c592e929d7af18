//! What a predicted race is worth: a witness if there is one, and a checker that does not take its
//! word.

mod constraints;
mod cut;
pub mod netzer;
pub mod reordering;
mod trace;
pub mod witness;
