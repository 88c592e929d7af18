//! A program under the schedule of a witness.
//!
//! The schedule is followed to the letter. At its end two tasks stand before conflicting accesses,
//! or nobody can go on, or a task has failed; that is the report. Anything else means that the
//! witness is of another program, or was changed.

use crate::check::errors;
use crate::check::races::{describe, in_source_order};
use crate::kernel::Action;
use crate::program::{Bounds, Execution, Program, run_once};
use crate::strategy::Script;
use crate::task::State;
use crate::witness;
use raceproof_core::detect::Access;
use raceproof_core::event::Observer;
use raceproof_core::finding::{Deadlock, Grade, Race, Report, Stats, Witness};
use raceproof_core::ids::{Location, TaskId};

/// Runs a program under a witness; what it led to, or why it is no witness of this program.
pub fn replay<'a, P: Program<'a>>(
    program: &P,
    witness: &Witness,
    bounds: Bounds<'a>,
) -> Result<Report, String> {
    let turns = witness::turns(witness).map_err(|bad| bad.to_string())?;
    let mut script = Script::new(&turns, turns.turns.len(), Vec::new());
    let run = run_once(program, &mut script, (), Bounds { keep_schedule: true, ..bounds });
    followed(&run, witness)?;
    let kernel = &run.run.kernel;
    let tasks = kernel.tasks();
    let accesses: Vec<(Access, Location)> = tasks
        .ready()
        .filter_map(|task| match script.pending(task)? {
            Action::Access { kind, location, site } => Some((Access { task, kind, site }, location)),
            _ => None,
        })
        .collect();
    let mut races = Vec::new();
    for (at, &(one, location)) in accesses.iter().enumerate() {
        for &(other, _) in accesses[at + 1..]
            .iter()
            .filter(|&&(other, place)| place == location && other.kind.conflicts(one.kind))
        {
            races.push(race(&run, one, other, location, witness));
        }
    }
    let failed = errors(&run, Some(witness.clone()));
    let waits = |task: TaskId| script.pending(task).is_some_and(|action| !kernel.is_enabled(action));
    let stuck = failed.is_empty() && tasks.live() > 0 && tasks.ready().all(waits);
    let deadlocks = if stuck {
        vec![Deadlock { id: String::new(), waiting: run.waiting().0, witness: Some(witness.clone()) }]
    } else {
        Vec::new()
    };
    if races.is_empty() && failed.is_empty() && deadlocks.is_empty() {
        return Err(
            "at the end of the schedule no two tasks are about to race, some can go on and none has failed: \
                    the witness is of another program, or was changed"
                .into(),
        );
    }
    Ok(Report {
        races,
        deadlocks,
        errors: failed,
        stats: Stats { executions: 1, tasks: tasks.len() as u64, steps: kernel.steps(), ..Stats::default() },
        ..Report::new("replay")
    }
    .judged())
}

/// Whether every task took the actions the schedule gives it, and in that order.
fn followed<'a, P: Program<'a>>(
    run: &Execution<'a, P, impl Observer>,
    witness: &Witness,
) -> Result<(), String> {
    let mut wanted: Vec<(&str, u64)> = Vec::new();
    for segment in witness.schedule.iter().filter(|segment| segment.actions > 0) {
        match wanted.last_mut() {
            Some((task, actions)) if *task == segment.task => *actions += segment.actions,
            _ => wanted.push((&segment.task, segment.actions)),
        }
    }
    let taken = run.witness().map(|witness| witness.schedule).unwrap_or_default();
    for (at, &(task, actions)) in wanted.iter().enumerate() {
        let took = taken.get(at).filter(|segment| segment.task == task).map_or(0, |segment| segment.actions);
        if took != actions {
            let tasks = run.run.kernel.tasks();
            let state = tasks.ids().find(|&id| run.task_name(id) == task).map(|id| tasks.get(id).state);
            let why = match state {
                None => "it was never spawned",
                Some(State::Ended) => "it has ended",
                Some(State::Failed) => "it has failed",
                Some(State::Waiting(_) | State::Finishing(_)) => "it waits",
                Some(State::Ready | State::Running) => "it does not go on",
            };
            return Err(format!(
                "part {} of the schedule: {task} should take {actions} actions and took {took}: {why}; the witness is of another program, or was changed",
                at + 1
            ));
        }
    }
    Ok(())
}

fn race<'a, P: Program<'a>>(
    run: &Execution<'a, P, impl Observer>,
    one: Access,
    other: Access,
    location: Location,
    witness: &Witness,
) -> Race {
    let sides = in_source_order(describe(run, one), describe(run, other));
    let tasks = run.run.kernel.tasks();
    let fork = tasks.ancestry(one.task).find(|&at| tasks.ancestry(other.task).any(|above| above == at));
    let fork = run.task_name(fork.unwrap_or(TaskId::MAIN));
    let race = Race::new(run.location(location), Grade::Actual, fork, sides.into());
    Race { witness: Some(witness.clone()), ..race }
}
