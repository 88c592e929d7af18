//! Where races go. The detector keeps every race; a sink is notified of each at once, since the
//! program may be gone the next moment.

use super::Raced;
use crate::process::global::Global;

/// What is notified of races. `report` has the one implementation; the detector does not know it.
pub(crate) trait Sink {
    /// A race was found; races are numbered consecutively.
    fn raced(&self, race: &Raced);

    /// The race of this number was met again, `count` times in all.
    fn raced_again(&self, number: usize, count: u64);
}

static SINK: Global<&'static dyn Sink> = Global::new();

/// Sets the sink, before the program runs.
pub(crate) fn set(sink: &'static dyn Sink) {
    SINK.set(sink);
}

pub(super) fn raced(race: &Raced) {
    if let Some(sink) = SINK.find() {
        sink.raced(race);
    }
}

pub(super) fn raced_again(number: usize, count: u64) {
    if let Some(sink) = SINK.find() {
        sink.raced_again(number, count);
    }
}
