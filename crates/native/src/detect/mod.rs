//! The detector, shadow memory, and what both use to name memory and code: blocks, calling
//! contexts, stack frames.
//!
//! The detector knows no front end. It reports races to a [`sink`], notifies a running [`search`],
//! and hands events to a [`Recorder`](detector::Recorder); the modules above implement these
//! traits.

pub(crate) mod cell;
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
