//! What a replay of a native program led to: whether the tasks followed the schedule, and which of
//! them stand before conflicting accesses at its end.

use super::access::PendingAccess;
use super::execution;
use crate::detect::detector;
use crate::detect::detector::{Raced, RacedAccess};
use crate::detect::frames;
use crate::report;
use crate::symbols::Symbols;
use crate::tasks::deadlock::deadlock;
use crate::tasks::observer::KernelObserver;
use crate::tasks::sched::Coroutines;
use raceproof::kernel::Action;
use raceproof::run::Run;
use raceproof::spawn_path::Paths;
use raceproof::strategy::Script;
use raceproof_core::finding::{Grade, Operation, Race, Witness};
use raceproof_core::ids::TaskId;

/// Notes what the replay led to.
pub(super) fn replayed(run: &Run<Coroutines, KernelObserver>, script: &Script<'_>, wanted: &Witness) {
    let result = followed(run, wanted).map(|()| {
        let symbols = Symbols::load();
        let races = races(&symbols, run, script);
        let kernel = &run.kernel;
        let waits = |task: TaskId| script.pending(task).is_some_and(|action| !kernel.is_enabled(action));
        let failed = execution().is_some_and(|execution| execution.failed);
        let tasks = kernel.tasks();
        if races.is_empty() && !failed && tasks.live() > 0 && tasks.ready().all(waits) {
            deadlock(run, |task| match script.pending(task) {
                Some(Action::Join(sync)) => Some(sync),
                _ => None,
            });
        }
        report::replay(races, wanted)
    });
    report::state().found.replayed = Some(result);
}

/// Whether every task took the actions the schedule gives it, and in that order.
fn followed(run: &Run<Coroutines, KernelObserver>, wanted: &Witness) -> Result<(), String> {
    let paths = Paths::new(run.kernel.tasks());
    let mut expected: Vec<(&str, u64)> = Vec::new();
    for segment in wanted.schedule.iter().filter(|segment| segment.actions > 0) {
        match expected.last_mut() {
            Some((task, actions)) if *task == segment.task => *actions += segment.actions,
            _ => expected.push((&segment.task, segment.actions)),
        }
    }
    for (at, &(task, actions)) in expected.iter().enumerate() {
        let took = run.turns().get(at).filter(|&&(id, _)| paths.path(id).as_deref() == Some(task));
        let took = took.map_or(0, |&(_, took)| took);
        if took != actions {
            return Err(format!(
                "part {} of the schedule: {task} should take {actions} actions and took {took}",
                at + 1
            ));
        }
    }
    Ok(())
}

/// The pairs of tasks that stand before conflicting accesses.
fn races(symbols: &Symbols, run: &Run<Coroutines, KernelObserver>, script: &Script<'_>) -> Vec<Race> {
    let Some(execution) = execution() else { return Vec::new() };
    let standing = |task: TaskId| matches!(script.pending(task), Some(Action::Access { .. }));
    let mut all: Vec<(TaskId, PendingAccess)> = run
        .kernel
        .tasks()
        .ready()
        .filter(|&task| standing(task))
        .filter_map(|task| Some((task, *execution.pending.get(&task)?)))
        .collect();
    all.sort_by_key(|&(task, _)| task);
    let mut races = Vec::new();
    let code = frames::code();
    for (at, &(one, first)) in all.iter().enumerate() {
        for &(other, second) in &all[at + 1..] {
            let overlap =
                first.address < second.address + second.size && second.address < first.address + first.size;
            let both = |operation| first.operation == operation && second.operation == operation;
            if overlap && first.kind.conflicts(second.kind) && !both(Operation::Atomic) {
                let address = first.address.max(second.address);
                let stack = detector().stack_of(address);
                let raced = Raced {
                    first: side(run, one, first),
                    second: side(run, other, second),
                    address,
                    count: 1,
                    block: detector().memory.find(address),
                    frame: frames::find(address, stack.clone(), second.site.pc, &code),
                    ends: frames::ends(address, stack, &code),
                    promise: None,
                };
                races.push(report::race(symbols, &raced, Grade::Actual));
            }
        }
    }
    races
}

fn side(run: &Run<Coroutines, KernelObserver>, task: TaskId, access: PendingAccess) -> RacedAccess {
    let mut locks = [0; 4];
    for (to, lock) in locks.iter_mut().zip(run.kernel.locks_held(task)) {
        *to = lock.index();
    }
    RacedAccess {
        kind: access.kind,
        atomic: access.operation == Operation::Atomic,
        freed: access.operation == Operation::Free,
        folded: false,
        alike: false,
        lane: None,
        iteration: None,
        task,
        site: access.site,
        locks,
    }
}
