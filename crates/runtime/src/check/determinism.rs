//! Programs that do not do the same under the same schedule.

use crate::program::{Bounds, Execution, Program, run_once};
use crate::strategy::DepthFirst;
use raceproof_core::event::{AccessKind, Event};
use raceproof_core::finding::{Place, ProgramError};
use raceproof_core::ids::{SiteId, TaskId};

/// How far two runs are compared event by event.
const COMPARED: u64 = 1 << 20;

/// The kind of the error for a program that does not do the same again.
pub const NOT_DETERMINISTIC: &str = "not-deterministic";

/// The error for a program whose runs were found to differ: with where, if two further runs differ
/// as well.
pub(super) fn error<'a, P: Program<'a>>(program: &P, bounds: Bounds<'a>) -> ProgramError {
    let bounds = Bounds { actions: bounds.actions.min(COMPARED), ..bounds };
    let [one, other] = [(), ()].map(|()| run_once(program, &mut DepthFirst, Vec::<Event>::new(), bounds));
    let (events, others) = (&one.run.kernel.observer, &other.run.kernel.observer);
    let differs = (0..events.len().max(others.len())).find(|&at| describe(&one, at) != describe(&other, at));
    let (detail, at) = match differs {
        Some(at) => (
            format!(
                "; after {at} events that are the same, one run {} and the next {}",
                describe(&one, at),
                describe(&other, at)
            ),
            place(&one, events.get(at)).or_else(|| place(&other, others.get(at))),
        ),
        None => (String::new(), None),
    };
    let message = format!(
        "the closure is not deterministic: it does not do the same when it is run again under the same schedule{detail}; \
         it must not depend on time, chance, addresses, or anything kept from run to run"
    );
    let main = one.task_name(TaskId::MAIN);
    ProgramError {
        id: String::new(),
        kind: NOT_DETERMINISTIC.into(),
        message,
        task: main,
        at: at.unwrap_or_else(|| one.place(SiteId(0))),
        stack: Vec::new(),
        spawned: Vec::new(),
        witness: None,
        related: Vec::new(),
    }
}

type Recorded<'a, P> = Execution<'a, P, Vec<Event>>;

/// What an execution did as its event number `at`.
fn describe<'a, P: Program<'a>>(execution: &Recorded<'a, P>, at: usize) -> String {
    let Some(event) = execution.run.kernel.observer.get(at) else { return "ends".into() };
    let site = place(execution, Some(event))
        .map(|Place { file, line, column }| format!(" at {file}:{line}:{column}"))
        .unwrap_or_default();
    let (task, what) = match *event {
        Event::Access { task, kind, location, .. } | Event::Atomic { task, kind, location, .. } => {
            let verb = if kind == AccessKind::Read { "reads" } else { "writes" };
            (task, format!("{verb} {}", execution.location(location)))
        }
        Event::Spawn { parent, .. } => (parent, "spawns a task".into()),
        Event::End { task } => (task, "ends".into()),
        Event::FinishBegin { task, .. } => (task, "begins a finish".into()),
        Event::FinishEnd { task, .. } => (task, "ends a finish".into()),
        Event::Signal { task, kind, .. } => (task, format!("signals through a {}", name(kind))),
        Event::Join { task, kind, .. } => (task, format!("passes a {}", name(kind))),
    };
    format!("has {} that {what}{site}", execution.task_name(task))
}

fn name(kind: raceproof_core::event::SyncKind) -> String {
    format!("{kind:?}").to_lowercase()
}

fn place<'a, P: Program<'a>>(execution: &Recorded<'a, P>, event: Option<&Event>) -> Option<Place> {
    match event? {
        Event::Access { site, .. } | Event::Atomic { site, .. } | Event::Spawn { site, .. } => {
            Some(execution.place(*site))
        }
        _ => None,
    }
}
