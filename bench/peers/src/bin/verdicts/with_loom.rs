//! The programs for loom.

use crate::begin;
use loom::cell::UnsafeCell;
use loom::sync::{Arc, Mutex};
use loom::thread;
use std::panic::catch_unwind;

impl Cell {
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
