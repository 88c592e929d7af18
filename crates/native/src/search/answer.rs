//! The answer: what the search has to know of the execution, written when the process ends, however
//! it does.

use super::access::PendingAccess;
use super::driver::Driver;
use super::played::Played;
use super::{ExecutionState, Mode, execution};
use crate::detect::detector;
use crate::detect::detector::{Raced, RacedAccess};
use crate::detect::frames;
use crate::process::channel;
use crate::report;
use crate::symbols::Symbols;
use crate::tasks::deadlock::deadlock;
use crate::tasks::observer::KernelObserver;
use crate::tasks::sched;
use crate::tasks::sched::{Coroutines, kernel};
use raceproof::channel::Kind;
use raceproof::kernel::Action;
use raceproof::remote::{Answer, Found, VERSION};
use raceproof::run::Run;
use raceproof::spawn_path::Paths;
use raceproof::strategy::{GuidedEnd, Script};
use raceproof::verify::note_choices;
use raceproof_core::finding::{EnteredSection, Grade, Operation, Race, Report, Segment, Witness};
use raceproof_core::ids::TaskId;

/// Writes the answer.
pub(super) fn finish() {
    let Some(execution) = execution() else { return };
    let (mut woke, mut stuck, mut end) = (Vec::new(), Vec::new(), None);
    let mut trace = std::mem::take(&mut execution.trace);
    // SAFETY: a leaked box of `begin`. If the program ends in the middle of a task, the strategy is
    // not being asked.
    if let Driver::Guided(guided) = unsafe { &mut *execution.driver } {
        match guided.mark {
            Some(mark) => trace.truncate(mark),
            None => trace.finish(),
        }
        note_choices(&mut trace, &guided.choices);
        woke.append(&mut guided.woke);
        stuck.append(&mut guided.stuck);
        end = guided.end;
        // If the task that ends the program is the only one, no other schedule is left.
        if end.is_none() && sched::job().is_some() && kernel().tasks().live() == 1 && !execution.failed {
            end = Some(GuidedEnd::Complete);
        }
    }
    let counted = match execution.mode {
        Mode::Count(None) => true,
        Mode::Count(Some(_)) => execution.met.len() == 2,
        _ => false,
    };
    let found = found(execution);
    let complete = matches!(end, Some(GuidedEnd::Complete | GuidedEnd::Asleep))
        && found.errors.is_empty()
        && found.deadlocks.is_empty();
    let answer = Answer {
        version: VERSION,
        woke,
        stuck,
        end,
        found,
        tasks: trace.names.len() as u64,
        steps: detector().statistics().1,
        coverage: crate::report::coverage::observed(complete),
        witness: if counted { witness(execution) } else { None },
        replayed: replayed_or_ended(execution),
        played: execution.played.take().map(Played::finish),
        trace,
    };
    if !channel::json(Kind::Answer, &answer) {
        crate::say("there is no room for the answer");
    }
}

fn found(execution: &ExecutionState) -> Found {
    let (detector, found) = (detector(), &report::state().found);
    let (errors, deadlocks, limits) = found.list();
    let mut races = Vec::new();
    // To look symbols up takes longer than most executions.
    if !detector.races.is_empty() {
        let symbols = Symbols::load();
        for (raced, points) in detector.races.iter().zip(&execution.points) {
            let race = report::race(&symbols, raced, Grade::Apparent);
            races.push((race, *points));
        }
    }
    Found { races, errors, deadlocks, limits }
}

/// What a replay led to; if the program has ended on the way, that.
fn replayed_or_ended(execution: &ExecutionState) -> Option<Result<Report, String>> {
    // SAFETY: as in `finish`.
    let driver = unsafe { &*execution.driver };
    let Driver::Script { witness, .. } = driver else { return None };
    Some(report::state().found.replayed.take().unwrap_or_else(|| Ok(report::replay(Vec::new(), witness))))
}

/// The turns so far; none if a task of them is too deep to be named.
fn witness(execution: &ExecutionState) -> Option<Witness> {
    let paths = Paths::new(kernel().tasks());
    let segments = execution.segments.iter().filter(|(_, actions)| *actions > 0);
    let segment = |&(task, actions): &(TaskId, u64)| Some(Segment { task: paths.path(task)?, actions });
    let mut witness =
        Witness { schedule: segments.map(segment).collect::<Option<_>>()?, ..Witness::default() };
    // To look symbols up takes longer than most executions.
    if execution.entered.len() > 1 {
        let symbols = Symbols::load();
        let from = execution.entered.len().saturating_sub(Witness::SECTIONS);
        let named = execution.entered[from..].iter().map(|&(task, lock, site)| EnteredSection {
            task: report::name(task),
            lock: report::lock_name(&symbols, lock.index()),
            at: Some(report::place(&symbols, site).0).filter(|at| at.line > 0),
        });
        witness.keep_sections(named.collect());
    }
    Some(witness)
}

/// What a replay led to.
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
                let raced = Raced {
                    first: side(run, one, first),
                    second: side(run, other, second),
                    address,
                    count: 1,
                    block: detector().memory.find(address),
                    frame: frames::find(address, second.site.pc, &code),
                    ends: frames::ends(address, &code),
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
