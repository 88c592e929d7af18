//! What each task waits for when none can go on.

use crate::detect::detector;
use crate::report::{self, Left};
use crate::tasks::observer::KernelObserver;
use crate::tasks::sched::{Coroutines, K};
use crate::tasks::{busy, locks, monitors, standard, threads};
use raceproof::run::Run;
use raceproof::task::State;
use raceproof_core::event::SyncKind;
use raceproof_core::ids::{SyncId, TaskId};

/// No task can go on, and main has not ended. `about` says of a task that is ready what it would
/// have to wait for.
pub(crate) fn deadlock(run: &Run<Coroutines, KernelObserver>, about: impl Fn(TaskId) -> Option<SyncId>) {
    let kernel = &run.kernel;
    let mut waiting = Vec::new();
    for task in kernel.tasks().ids() {
        let Some(job) = kernel.body(task).and_then(|body| body.0.as_deref()) else { continue };
        let sync = match kernel.tasks().get(task).state {
            State::Waiting(sync) => Some(sync),
            State::Ready => about(task),
            // Whoever waits for tasks that wait themselves is not the cause.
            _ => None,
        };
        let Some(sync) = sync else { continue };
        // In a search it is an event of the explorer's, which has no name.
        if let Some(address) = busy::looks_at(task) {
            report::state().locks.insert(sync, address);
            report::state().waited.insert(sync, "change");
        } else if let Some(awaited) = job.awaits {
            report::state().locks.insert(sync, awaited.address);
            report::state().waited.insert(sync, awaited.what.word());
        }
        let kind = kernel.sync_kind(sync);
        let detector = detector();
        let holder = match (kernel.holder(sync), locks::left(sync)) {
            (Some(holder), _) => {
                let taken = locks::taken(sync).filter(|_| is_detached(kernel, holder));
                let holder = detector.holder(sync, holder);
                match taken {
                    Some(taken) => report::Holder::Ended(Left { task: report::name(holder), taken }),
                    None => report::Holder::Task(holder),
                }
            }
            (None, Some(left)) => report::Holder::Ended(left),
            (None, None) if held_up_by(sync).is_some() => {
                held_up_by(sync).map_or(report::Holder::Unknown, report::Holder::Task)
            }
            (None, None) => {
                let ends = |&other: &TaskId| {
                    let job = kernel.body(other).and_then(|body| body.0.as_deref());
                    job.is_some_and(|job| job.future == Some(sync))
                };
                let awaited = kernel.tasks().ids().find(ends).filter(|_| kind == SyncKind::Future);
                let awaited = awaited.or_else(|| setter(kernel, sync));
                awaited.map_or(report::Holder::Unknown, |task| report::Holder::Task(detector.runs_as(task)))
            }
        };
        let on = match kind {
            _ if report::state().waited.contains_key(&sync) => report::state().waited[&sync].to_owned(),
            SyncKind::Future if threads::is_end(sync) => "thread".to_owned(),
            SyncKind::Future => "task".to_owned(),
            SyncKind::Promise if detector.promises.get(sync).is_none() => "detach event".to_owned(),
            SyncKind::Promise if matches!(holder, report::Holder::Task(_)) => "future".to_owned(),
            _ => format!("{kind:?}").to_lowercase(),
        };
        waiting.push((detector.runs_as(task), on, sync, holder, job.site()));
    }
    // A task that has failed keeps a finish open, of which the error says enough.
    if !waiting.is_empty() {
        report::deadlock(waiting);
    }
}

/// The task whose end sets a promise, if it has not ended.
fn setter(kernel: &K, sync: SyncId) -> Option<TaskId> {
    let detector = detector();
    let promise = detector.promises.get(sync)?;
    let is_it = |&task: &TaskId| {
        let is_live = kernel.body(task).is_some_and(|body| body.0.is_some());
        is_live && detector.tasks[detector.runs_as(task).index()].serial == promise.setter
    };
    kernel.tasks().ids().find(is_it)
}

/// The task that holds what the kernel knows only as something to wait at.
fn held_up_by(sync: SyncId) -> Option<TaskId> {
    let address = *report::state().locks.get(&sync)?;
    let serial = monitors::holder(address).or_else(|| standard::holder(address))?;
    detector().live(serial)
}

/// Whether the code of a task has come to its end, and only its event is missing (`detach`). What
/// it holds it will not release.
fn is_detached(kernel: &K, task: TaskId) -> bool {
    matches!(kernel.tasks().get(task).state, State::Waiting(sync) if kernel.sync_kind(sync) == SyncKind::Promise)
}
