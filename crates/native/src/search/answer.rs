//! The answer: what the search has to know of the execution, written when the process ends, however
//! it does.

use super::code;
use super::driver::Driver;
use super::played::Played;
use super::{ExecutionState, Mode, execution};
use crate::detect::detector;
use crate::process::channel;
use crate::report;
use crate::symbols::Symbols;
use crate::tasks::sched;
use crate::tasks::sched::kernel;
use raceproof::channel::Kind;
use raceproof::remote::{Answer, Found, VERSION};
use raceproof::spawn_path::Paths;
use raceproof::strategy::GuidedEnd;
use raceproof::verify::note_choices;
use raceproof_core::finding::{EnteredSection, Grade, Report, Segment, Witness};
use raceproof_core::ids::TaskId;

/// Writes the answer.
pub(super) fn finish() {
    let Some(execution) = execution() else { return };
    let (mut woke, mut stuck, mut end) = (Vec::new(), Vec::new(), None);
    let mut left_out = false;
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
        (end, left_out) = (guided.end, guided.left_out);
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
    let complete = matches!(end, Some(GuidedEnd::Complete | GuidedEnd::Asleep | GuidedEnd::Bounded))
        && found.errors.is_empty()
        && found.deadlocks.is_empty();
    let answer = Answer {
        version: VERSION,
        woke,
        stuck,
        end,
        left_out,
        found,
        tasks: trace.names.len() as u64,
        steps: detector().statistics().1,
        coverage: crate::report::coverage::observed(complete),
        witness: if counted { witness(execution) } else { None },
        replayed: replayed_or_ended(execution),
        played: execution.played.take().map(Played::finish),
        trace,
    };
    let written = channel::write(Kind::Trace, &answer.trace.to_bytes());
    if !written || !channel::json(Kind::Answer, &answer) {
        crate::say("there is no room for the answer");
    }
    code::note();
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
    // SAFETY: a leaked box of `begin`. The strategy, its other user, runs between turns and not
    // now.
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
