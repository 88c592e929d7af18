//! Preemption: what a signal has noted (`report/signals.rs`) is done at the next access of the running task.

use crate::detect::detector;
use crate::report::signals::{self, PENDING, PREEMPT};
use crate::tasks::{self, explorer, sched};
use raceproof_core::event::AccessKind;
use std::sync::atomic::Ordering;

/// Does what is pending. The caller is an access of the running task.
#[cold]
pub(crate) fn attend(address: usize, size: usize, kind: AccessKind, pc: usize) {
    signals::check();
    if explorer::is_on() {
        explorer::access(address, size, kind, pc);
        if !PREEMPT.load(Ordering::Relaxed) {
            return;
        }
    }
    PENDING.store(explorer::is_on(), Ordering::Relaxed);
    detector().renumber();
    if signals::take_preemption() && has_had_its_share() {
        sched::pass();
    }
}

/// Whether the running task has done nothing but run for a whole share, while others could. One that is merely there when the
/// time is over goes on: who runs when must not depend on the clock.
fn has_had_its_share() -> bool {
    let Some(kernel) = sched::job().is_some().then(sched::kernel) else { return false };
    let now = Some((detector().identity(), kernel.steps()));
    let before = std::mem::replace(&mut tasks::state().ran, now);
    before == now && kernel.tasks().newest().is_some() && !detector().is_reducing()
}
