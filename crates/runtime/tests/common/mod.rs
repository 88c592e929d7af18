//! What the tests of the API share.

use raceproof::kernel::Action;
use raceproof::program::{Bounds, run_once};
use raceproof::strategy::Script;
use raceproof::{Closure, try_check, witness};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Grade, Race, RaceAccess, Report};

/// Checks a program and puts every witness to the test: read back from its text and followed, it
/// must bring both tasks to their accesses.
pub(crate) fn checked(program: fn()) -> Report {
    let report = try_check(program);
    for race in &report.races {
        if race.grade == Grade::Feasible {
            assert_replays(program, race);
        }
    }
    report
}

fn assert_replays(program: fn(), race: &Race) {
    let text = witness::encode(race.witness.as_ref().expect("a feasible race has a witness"));
    let witness = witness::decode(&text).expect("a witness can be read back");
    let turns = witness::turns(&witness).expect("a witness names tasks");
    let mut script = Script::new(&turns, turns.turns.len(), Vec::new());
    let run = run_once(&Closure::new(program), &mut script, (), Bounds::default());
    let stands_before = |access: &RaceAccess| {
        let tasks = run.run.kernel.tasks();
        let task =
            tasks.ids().find(|&task| run.task_name(task) == access.task).expect("the task was spawned");
        match script.pending(task) {
            Some(Action::Access { kind, location, site }) => {
                assert_eq!((kind, &run.place(site)), (access.access, &access.at), "{text}");
                location
            }
            other => panic!("{} is about to do {other:?} after {text}", access.task),
        }
    };
    let (first, second) = (stands_before(&race.first), stands_before(&race.second));
    assert_eq!(first, second, "{text}");
    assert_eq!(run.location(first), race.location);
}

/// The races as `location: access task line - access task line`.
pub(crate) fn races(report: &Report) -> Vec<String> {
    let side = |access: &RaceAccess| {
        let verb = if access.access == AccessKind::Read { "read" } else { "write" };
        format!("{verb} {}", access.task)
    };
    report
        .races
        .iter()
        .map(|race| {
            assert_eq!(race.grade, Grade::Feasible, "{race:?}");
            format!("{}: {} - {}", race.location, side(&race.first), side(&race.second))
        })
        .collect()
}
