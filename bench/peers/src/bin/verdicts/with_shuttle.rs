//! The programs for shuttle, which runs every schedule of them.

use crate::begin;
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;
use std::cell::UnsafeCell;
use std::panic::catch_unwind;

struct Cell(UnsafeCell<i32>);

// SAFETY: shuttle runs one thread at a time.
unsafe impl Sync for Cell {}
// SAFETY: as for `Sync`.
unsafe impl Send for Cell {}

impl Cell {
    fn new() -> Arc<Cell> {
        Arc::new(Cell(UnsafeCell::new(0)))
    }

    fn set(&self, value: i32) {
        // SAFETY: shuttle runs one thread at a time.
        unsafe { *self.0.get() = value }
    }

    fn get(&self) -> i32 {
        // SAFETY: shuttle runs one thread at a time.
        unsafe { *self.0.get() }
    }
}

/// Whether shuttle finds anything.
fn judge(program: fn()) -> bool {
    catch_unwind(|| shuttle::check_dfs(program, None)).is_err()
}

include!("programs.rs");
