//! The limits of a run, as the command line has them.

use crate::args::LimitArgs;
use raceproof::limits::Limits;
use raceproof_host::interrupt;
use raceproof_tp::execute::Bounds;
use std::time::{Duration, Instant};

/// The moment so many seconds from now; none if it never comes.
pub(crate) fn deadline(seconds: f64) -> Option<Instant> {
    Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

pub(crate) fn limits(max_seconds: Option<f64>, max_memory: u64) -> Limits<'static> {
    Limits {
        deadline: max_seconds.and_then(deadline),
        interrupt: Some(interrupt::watch()),
        memory: Some(max_memory),
        looks: None,
    }
}

pub(crate) fn bounds(args: &LimitArgs) -> Bounds<'static> {
    let LimitArgs { max_seconds, max_events, max_memory } = *args;
    let limits = limits(max_seconds, max_memory);
    Bounds { actions: max_events.unwrap_or(u64::MAX), limits, ..Bounds::default() }
}
