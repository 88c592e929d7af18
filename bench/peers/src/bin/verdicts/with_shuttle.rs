//! The programs for shuttle, which runs every schedule of them.

use crate::begin;
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;
use std::cell::UnsafeCell;
use std::panic::catch_unwind;

impl Cell {
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
