//! What an execution of a search learns from the detector: memory that is allocated, and where the
//! accesses of a race were made.

use crate::process::global::Global;
use raceproof_core::ids::{StepId, TaskId};

/// The search, as the detector knows it. The module `search` implements it.
pub(crate) trait Search {
    /// The running task has got memory.
    fn allocated(&self, address: usize, size: usize);

    /// Whether a race between these tasks of the order, between sites of which one is known, can be
    /// shown while the known one, between chunks of one thread, cannot.
    fn is_shown_better(&self, known: Option<usize>, takers: (TaskId, TaskId)) -> bool;

    /// The detector has found a race between an earlier access and the running step's. It takes the
    /// place of the `known` one, if there is one.
    fn raced(&self, known: Option<usize>, earlier: Earlier, address: usize, pc: usize);
}

/// The earlier access of a race: the task of the order, its step, and the return address of the
/// call that reported it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earlier {
    pub(crate) task: TaskId,
    pub(crate) step: StepId,
    pub(crate) pc: usize,
}

static SEARCH: Global<&'static dyn Search> = Global::new();

/// Makes this process an execution of a search, before the program runs.
pub(crate) fn set(search: &'static dyn Search) {
    SEARCH.set(search);
}

/// Whether this process is an execution of a search.
#[inline]
pub(crate) fn is_on() -> bool {
    SEARCH.is_set()
}

pub(super) fn allocated(address: usize, size: usize) {
    if let Some(search) = SEARCH.find() {
        search.allocated(address, size);
    }
}

pub(super) fn is_shown_better(known: Option<usize>, takers: (TaskId, TaskId)) -> bool {
    SEARCH.find().is_some_and(|search| search.is_shown_better(known, takers))
}

pub(super) fn raced(known: Option<usize>, earlier: Earlier, address: usize, pc: usize) {
    if let Some(search) = SEARCH.find() {
        search.raced(known, earlier, address, pc);
    }
}
