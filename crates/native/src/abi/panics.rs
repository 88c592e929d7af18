//! Panics of a Rust program. The drop-in tells of each (`crates/rayon/src/panics.rs`); the one that ends the program is a program error, with its
//! message and where it was.

use crate::abi::world;
use crate::abi::world::is_up;
use crate::detect::detector;
use crate::report::{self, calls, raw};
use std::slice;

/// The status of a Rust program that ends by a panic.
const PANICKED: i32 = 101;

/// A panic begins, which somebody may catch.
///
/// # Safety
/// A text of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_rayon_panics(text: *const u8, length: usize) {
    if !is_up() {
        return;
    }
    // SAFETY: the caller's promise.
    let text = String::from_utf8_lossy(unsafe { slice::from_raw_parts(text, length) });
    let message = format!("the program panicked: {text}");
    world::state().panic = Some(raw::error("panic", &message, detector().current(), calls::here()));
}

/// The program ends with a status: if that is a panic's, by the last one.
pub(crate) fn ends(status: i32) {
    if status == PANICKED {
        reported();
    }
}

/// Reports the last panic as what ends the program; whether there was one.
pub(crate) fn reported() -> bool {
    let panic = world::state().panic.take();
    let known = panic.is_some();
    panic.into_iter().for_each(report::failed);
    known
}
