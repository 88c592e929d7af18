//! The detector, shadow memory, and what both use to name memory and code: blocks, calling
//! contexts, stack frames.
//!
//! The detector knows no front end. It reports races to a [`sink`], notifies a running [`search`],
//! hands events to a [`Recorder`](detector::Recorder), and asks a [`policy`] what the front end
//! excuses; the modules above implement these traits.

pub(crate) mod callers;
pub(crate) mod cell;
pub(crate) mod contexts;
pub(crate) mod detector;
pub(crate) mod frames;
pub(crate) mod memory;
pub(crate) mod modules;
pub(crate) mod now;
pub(crate) mod search;
pub(crate) mod shadow;

use crate::process::global::InPlace;
use detector::Detector;
pub(crate) use detector::{policy, sink, spots};

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
