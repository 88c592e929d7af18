//! Preemption: the next access of the running task does what a signal handler has noted
//! (`report/signals.rs`).

use crate::detect::detector;
use crate::report::signals::{self, PENDING, PREEMPT};
use crate::tasks::{self, busy, explorer, sched};
use raceproof_core::event::AccessKind;
use std::sync::atomic::Ordering;

/// Does what is pending. The caller is an access of the running task.
#[cold]
pub(crate) fn attend(address: usize, size: usize, kind: AccessKind, pc: usize) {
    signals::check();
    if explorer::is_on() {
        explorer::access(address, size, kind, pc);
        busy::accesses(address, size);
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

/// Whether the running task has run for a whole time slice without synchronising, while others
/// could run. One that merely runs when the slice ends continues: the schedule must not depend on
/// the clock.
fn has_had_its_share() -> bool {
    let Some(kernel) = sched::job().is_some().then(sched::kernel) else { return false };
    let now = Some((detector().identity(), kernel.steps()));
    let before = std::mem::replace(&mut tasks::state().ran, now);
    before == now && kernel.tasks().newest().is_some() && !detector().is_reducing()
}
