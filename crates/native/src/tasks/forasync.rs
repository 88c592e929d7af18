//! `forasync` of C programs: an iteration space of one to three dimensions, whose tiles are tasks.
//!
//! Recursive: the space is halved until every part is a tile, and the upper half becomes a task,
//! which halves it further. Flat: every tile is a task of the creator's.

use crate::tasks::hclib;
use std::ffi::c_void;

/// One dimension of an iteration space (`hclib_loop_domain_t`).
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Range {
    low: i32,
    high: i32,
    stride: i32,
    tile: i32,
}

impl Range {
    /// The length of a tile: whole strides.
    fn tile(&self) -> i32 {
        let stride = self.stride.max(1);
        (self.tile.max(1) + stride - 1) / stride * stride
    }

    fn indices(&self) -> impl Iterator<Item = i32> + use<> {
        (self.low..self.high).step_by(self.stride.max(1) as usize)
    }
}

/// What is called for each iteration, by the number of dimensions.
#[derive(Clone, Copy)]
pub(crate) enum Iteration {
    One(extern "C" fn(*mut c_void, i32)),
    Two(extern "C" fn(*mut c_void, i32, i32)),
    Three(extern "C" fn(*mut c_void, i32, i32, i32)),
}

/// A loop, or a part of its iteration space. Dimensions that it has not got have one iteration.
#[derive(Clone, Copy)]
pub(crate) struct Loop {
    pub(crate) iteration: Iteration,
    pub(crate) data: *mut c_void,
    pub(crate) space: [Range; 3],
    pub(crate) pc: usize,
}

/// A dimension that a loop has not got.
pub(crate) const ONCE: Range = Range { low: 0, high: 1, stride: 1, tile: 1 };

impl Loop {
    pub(crate) fn run(self, recursive: bool) {
        if recursive { self.halve() } else { self.tiles(0) }
    }

    fn halve(mut self) {
        for at in 0..self.space.len() {
            loop {
                let Range { low, high, .. } = self.space[at];
                let (length, tile) = (high.saturating_sub(low), self.space[at].tile());
                if length <= tile {
                    break;
                }
                let stride = self.space[at].stride.max(1);
                let middle = low + (length + stride - 1) / stride / 2 * stride;
                let mut upper = self;
                upper.space[at].low = middle;
                self.space[at].high = middle;
                hclib::create(move || upper.halve(), Vec::new(), None, self.pc);
            }
        }
        self.iterate();
    }

    /// Creates a task for each tile of the dimensions from `at` on.
    fn tiles(self, at: usize) {
        let Some(&whole) = self.space.get(at) else {
            return hclib::create(move || self.iterate(), Vec::new(), None, self.pc);
        };
        for low in (whole.low..whole.high).step_by(whole.tile() as usize) {
            let mut part = self;
            let high = low.saturating_add(whole.tile()).min(whole.high);
            part.space[at] = Range { low, high, ..whole };
            part.tiles(at + 1);
        }
    }

    fn iterate(&self) {
        let [first, second, third] = &self.space;
        for i in first.indices() {
            for j in second.indices() {
                for k in third.indices() {
                    match self.iteration {
                        Iteration::One(body) => body(self.data, i),
                        Iteration::Two(body) => body(self.data, i, j),
                        Iteration::Three(body) => body(self.data, i, j, k),
                    }
                }
            }
        }
    }
}
