//! Ctrl-C: the first ends the run with what is known, the second ends the process.

use crate::output::note;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// What shells report for a process that SIGINT ended.
const KILLED: i32 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Watches for Ctrl-C from now on; the flag is set by the first.
pub(crate) fn watch() -> &'static AtomicBool {
    // Where no handler can be set, Ctrl-C ends the process at once, as it does for most programs.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            process::exit(KILLED);
        }
        note("raceproof: interrupted, writing what is known; once more to stop at once");
    });
    &INTERRUPTED
}
