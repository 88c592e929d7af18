//! The programs for loom.

use crate::begin;
use loom::cell::UnsafeCell;
use loom::sync::{Arc, Mutex};
use loom::thread;
use std::panic::catch_unwind;

struct Cell(UnsafeCell<i32>);

// SAFETY: loom panics where two threads access the cell at the same time.
unsafe impl Sync for Cell {}
// SAFETY: as for `Sync`.
unsafe impl Send for Cell {}

impl Cell {
    fn new() -> Arc<Cell> {
        Arc::new(Cell(UnsafeCell::new(0)))
    }

    fn set(&self, value: i32) {
        // SAFETY: loom has checked that nobody else is here.
        self.0.with_mut(|cell| unsafe { *cell = value });
    }

    fn get(&self) -> i32 {
        // SAFETY: loom has checked that nobody writes.
        self.0.with(|cell| unsafe { *cell })
    }
}

/// Whether loom finds anything.
fn judge(program: fn()) -> bool {
    catch_unwind(|| loom::model(program)).is_err()
}

include!("programs.rs");
