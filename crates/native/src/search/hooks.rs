//! The search as the modules below know it: what the detector and the tasks ask of it.

use super::access::{self, Operation};
use super::{Explored, Mode, bells, explored, label};
use crate::detect::search::{Earlier, Search};
use crate::tasks::explorer::{Bell, Explorer};
use crate::tasks::sched;
use raceproof_core::event::{AccessKind, Observer};
use raceproof_core::explore::trace::Trace;
use raceproof_core::ids::{SyncId, TaskId};
use std::ops::Range;

/// The execution that this process is. Set in [`begin`](super::begin), when the state is there.
pub(super) struct Execution;

fn state() -> &'static mut Explored {
    explored().expect("the hooks are set when the state is")
}

impl Search for Execution {
    fn allocated(&self, address: usize, size: usize) {
        access::allocated(address, size);
    }

    fn is_shown_better(&self, known: Option<usize>, takers: (TaskId, TaskId)) -> bool {
        access::is_shown_better(known, takers)
    }

    fn raced(&self, known: Option<usize>, earlier: Earlier, address: usize, pc: usize) {
        access::raced(known, earlier, address, pc);
    }
}

impl Explorer for Execution {
    fn observer(&self) -> &'static mut dyn Observer {
        state()
    }

    fn hides(&self, sync: SyncId) -> bool {
        state().hides(sync)
    }

    fn trace(&self) -> &'static Trace {
        state().trace()
    }

    fn label(&self, sync: SyncId) -> SyncId {
        state().label(sync)
    }

    fn detects(&self) -> bool {
        state().mode == Mode::Explore
    }

    fn name_lock(&self, sync: SyncId, address: usize) {
        let label = label(state().names.of(address));
        state().labels.insert(sync, label);
    }

    fn name_thread(&self, from: usize, to: usize, thread: u32) {
        state().names.thread(from, to, thread);
    }

    fn name_stack(&self, memory: Range<usize>) {
        access::stack(memory);
    }

    fn name(&self, address: usize) -> u64 {
        state().names.of(address)
    }

    fn access(&self, address: usize, size: usize, kind: AccessKind, pc: usize) {
        access::access(address, size, kind, Operation::Plain, pc);
    }

    fn listen(&self, bell: Bell) {
        bells::listen(bell);
    }

    fn heard(&self, bell: Bell) {
        bells::heard(bell);
    }

    fn ring(&self, bell: Bell) {
        bells::ring(bell);
    }

    /// The others go on: they could all have gone before it.
    fn failed(&self) {
        if sched::job().is_some() {
            state().failed = true;
            sched::fail();
        }
    }
}
