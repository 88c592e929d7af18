//! The packed types of the detector.

// Not as a part of the library: that would take over this process, with `malloc` and all.
#[allow(dead_code, unreachable_pub)]
#[path = "../src/detect/cell.rs"]
mod cell;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/detect/detector/locks/held.rs"]
mod held;

/// What the library has under this name.
fn fatal(message: &str) -> ! {
    panic!("{message}")
}
