//! The detector, shadow memory, and what both name memory and code by: blocks, calling contexts, stack frames.
//!
//! The detector knows no front end. What it finds goes to a [`sink`], what a search has to know to [`search`], and what is recorded to a
//! [`Recorder`](detector::Recorder); the modules above implement these.

pub(crate) mod contexts;
pub(crate) mod detector;
pub(crate) mod frames;
pub(crate) mod memory;
pub(crate) mod modules;
pub(crate) mod now;
pub(crate) mod search;
pub(crate) mod shadow;
pub(crate) mod sink;
pub(crate) mod spots;

use crate::process::global::InPlace;
use detector::Detector;

static DETECTOR: InPlace<Detector> = InPlace::new();

/// The detector of the process.
#[inline(always)]
pub(crate) fn detector() -> &'static mut Detector {
    DETECTOR.get()
}

/// Sets the detector up.
pub(crate) fn begin(detector: Detector) {
    DETECTOR.set(detector);
}
