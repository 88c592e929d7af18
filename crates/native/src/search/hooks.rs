//! The search as the modules below know it: what the detector and the tasks ask of it.

use super::access::{self, Operation};
use super::{ExecutionState, Mode, execution, label, wait_events};
use crate::detect::search::{Earlier, Search};
use crate::tasks::explorer::{Explorer, WaitEvent};
use crate::tasks::sched;
use raceproof_core::event::{AccessKind, Observer};
use raceproof_core::explore::trace::Trace;
use raceproof_core::ids::{SyncId, TaskId};
use std::ops::Range;

/// The execution that this process is. Set in [`begin`](super::begin), when the state is there.
pub(super) struct Execution;

fn state() -> &'static mut ExecutionState {
    execution().expect("the hooks are set when the state is")
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

    fn wait(&self, event: WaitEvent) {
        wait_events::wait(event);
    }

    fn join_last(&self, event: WaitEvent) {
        wait_events::join_last(event);
    }

    fn notify(&self, event: WaitEvent) {
        wait_events::notify(event);
    }

    fn notify_all(&self, team: usize) {
        wait_events::notify_all(team);
    }

    fn atomic(&self, address: usize, size: usize, pc: usize, kind: &dyn Fn() -> AccessKind) {
        access::atomic(address, size, pc, kind);
    }

    fn knows_change(&self, address: usize, size: usize) -> bool {
        access::knows_change(address, size)
    }

    fn freed(&self, address: usize, size: usize, pc: usize) {
        access::freed(address, size, pc);
    }

    fn own_steps(&self) -> u64 {
        state().own_steps
    }

    /// The others continue: they could all have run before it.
    fn failed(&self) {
        if sched::job().is_some() {
            state().failed = true;
            sched::fail();
        }
    }
}
