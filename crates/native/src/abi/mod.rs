//! The entry points: functions that an instrumented program calls, and those of the C library that
//! it reaches through the runtime.

pub(crate) mod entry;
pub(crate) mod futures;
pub(crate) mod hclib;
pub(crate) mod interpose;
pub(crate) mod jumps;
pub(crate) mod kmpc;
pub(crate) mod library;
pub(crate) mod panics;
pub(crate) mod rayon;
mod setup;
mod standard;
pub(crate) mod start;
pub(crate) mod tsan;

use crate::process::global::Global;
use crate::symbols::raw::RawError;
use interpose::fortran;
use setup::begin;
use std::ops::Range;
use tsan::lanes;

/// What the entry points own.
#[derive(Default)]
pub(crate) struct AbiState {
    pub(crate) fortran: fortran::Library,
    /// The simd loops that are under way, innermost last.
    pub(crate) lanes: Vec<lanes::Lanes>,
    /// The last panic of a Rust program.
    pub(crate) panic: Option<RawError>,
    /// Frames that a `longjmp` may lead to.
    pub(crate) frames: jumps::Frames,
    /// Where the code of the C library is.
    pub(crate) library_code: Option<Range<usize>>,
}

static STATE: Global<AbiState> = Global::new();

#[inline(always)]
pub(crate) fn state() -> &'static mut AbiState {
    STATE.get()
}

/// Whether the runtime is set up: constructors of uninstrumented modules call entry points before.
pub(crate) fn is_up() -> bool {
    STATE.is_set()
}
