//! The explorer over closures: coroutines taken apart and started again, thousands of times on the
//! same stacks.

use raceproof::program::Raise;
use raceproof::verify::{Executed, Executor, Finding, Options, Search, Verified, verify_by, verify_here};
use raceproof::{Closure, Promise, Shared, SharedArray, Verifier, finish, isolated, spawn};
use raceproof_core::explore::tree::{ExecutionSummary, Job};
use raceproof_core::finding::{Race, Scope, Verdict};
use std::thread;
use std::time::Duration;

fn verified(program: &Closure) -> Verified {
    verify_here(program, &mut Search::default(), &Options { all: true, ..Options::default() })
}

fn indexer(tasks: usize) {
    let table = SharedArray::named("table", 128, 0);
    finish(|| {
        for task in 0..tasks {
            spawn(move || {
                for m in 1..=4 {
                    let word = m * 11 + task;
                    let mut hash = (word * 7) % 128;
                    isolated(|| {
                        while table.get(hash) != 0 {
                            hash = (hash + 1) % 128;
                        }
                        table.set(hash, word);
                    });
                }
            });
        }
    });
}

#[test]
fn indexer_has_as_many_executions_as_inequivalent_orders() {
    for (tasks, executions) in [(4, 1), (11, 1), (12, 8), (13, 64)] {
        let program = Closure::new(move || indexer(tasks));
        let report = verified(&program).report;
        assert_eq!((report.verdict, report.scope), (Verdict::RaceFree, Scope::AllSchedules), "{report:#?}");
        assert_eq!(report.stats.executions, executions, "{tasks} tasks");
        assert!(program.stacks_mapped() <= tasks as u64 + 1);
    }
}

/// The numbers of cells made inside sections depend on the schedule; sections are not dependent by
/// them.
#[test]
fn cells_made_inside_sections_are_their_own() {
    let program = Closure::new(|| {
        let x = Shared::named("x", 0);
        let own = |value: i32| Shared::new(value).set(value + 1);
        spawn(move || {
            isolated(|| own(1));
            isolated(|| x.set(1));
        });
        spawn(move || {
            isolated(|| {
                own(2);
                x.set(2);
            });
        });
    });
    assert_eq!(verified(&program).report.stats.executions, 2);
}

/// DC, figure 1: one run hides the race, the other order of the sections shows it.
#[test]
fn a_race_in_another_order_of_the_sections_is_found() {
    let program = Closure::new(|| {
        let x = Shared::named("x", 0);
        spawn(move || isolated(|| x.set(1)));
        spawn(move || {
            isolated(|| x.set(2));
            x.set(3);
        });
    });
    let report = verified(&program).report;
    assert_eq!(report.verdict, Verdict::Race, "{report:#?}");
    assert_eq!(report.races[0].location, "x");
    assert!(report.races[0].witness.is_some());
}

/// The numbers of sites, stacks and cells are each worker's own.
#[test]
fn several_workers_report_what_one_reports() {
    let racy = || {
        let list = Shared::named("list", 0);
        let x = Shared::named("x", 0);
        finish(|| {
            for i in 0..6 {
                spawn(move || {
                    let before = isolated(|| {
                        let before = list.get();
                        list.set(before * 7 + i + 1);
                        before
                    });
                    // The fourth and the fifth, if tasks 0, 1 and 2 came first.
                    if before == 66 || before / 7 == 66 {
                        x.set(i);
                    }
                });
            }
        });
    };
    let with = |verifier: Verifier, workers: usize| {
        let mut report = verifier.workers(workers.try_into().unwrap()).try_verify_shared(racy);
        report.stats.seconds = 0.0;
        report
    };
    for verifier in [Verifier::new(), Verifier::new().all(), Verifier::new().max_executions(100)] {
        let one = with(verifier, 1);
        assert_eq!(one, with(verifier, 3), "{verifier:?}");
        let mut alone = verifier.try_verify(racy);
        alone.stats.seconds = 0.0;
        assert_eq!((alone.verdict, alone.stats), (one.verdict, one.stats));
    }
    let all = with(Verifier::new().all(), 2);
    assert_eq!((all.verdict, all.stats.executions), (Verdict::Race, 720), "{all:?}");
    let random = |workers| with(Verifier::new().random(600.0, 5).max_executions(300).all(), workers);
    assert_eq!(random(1), random(3));
}

/// The library's limits are called what they are called in the library.
#[test]
fn limits_make_a_search_inconclusive() {
    let report = Verifier::new().max_executions(3).try_verify(|| indexer(12));
    assert_eq!((report.verdict, report.stats.executions_left), (Verdict::Inconclusive, Some(5)));
    assert_eq!(
        report.limits,
        ["the limit of 3 executions was reached with about 5 left; raise `max_executions`"]
    );
    let report = Verifier::new().max_seconds(0.0).try_verify(|| indexer(14));
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.limits[0].ends_with("raise `max_seconds`"), "{:?}", report.limits);
    let spin = || {
        let x = Shared::new(0);
        while x.get() == 0 {}
    };
    let report = Verifier::new().max_events(1000).try_verify(spin);
    assert!(report.limits[0].contains("raise `max_events`"), "{:?}", report.limits);
    let report = Verifier::new().max_seconds(0.05).try_verify(spin);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.limits[0].contains("time limit"), "{:?}", report.limits);
}

#[test]
fn a_list_that_leaves_something_out_says_so() {
    let report = Verifier::new().try_verify(|| {
        let never: Promise<()> = Promise::new();
        for _ in 0..1100 {
            spawn(move || never.get());
        }
    });
    assert_eq!(report.verdict, Verdict::Deadlock);
    assert_eq!(report.deadlocks[0].waiting.len(), 1000);
    assert_eq!(report.limits, ["1000 of the 1100 tasks that wait for ever are listed"]);
}

/// An execution that finds a race, and takes longer than the search may.
struct Late(Race);

impl Executor for Late {
    type Worker = ();

    fn worker(&self) {}

    fn run(&self, (): &mut (), _: &Job) -> Executed<Finding> {
        thread::sleep(Duration::from_millis(20));
        let run = ExecutionSummary {
            transitions: Vec::new(),
            names: Vec::new(),
            woke: Vec::new(),
            reversals: Vec::new(),
            class: None,
            sampled: None,
            complete: true,
        };
        Executed::Ran(run, Finding { races: vec![self.0.clone()], ..Finding::default() })
    }

    fn is_cut_short(&self) -> bool {
        false
    }

    fn cut(&self) -> Option<String> {
        None
    }

    fn raise(&self) -> Raise {
        Raise::OPTIONS
    }
}

/// Whoever searches in slices of time goes on after one that ran out of time. A race ends the
/// search even if the time is up as well.
#[test]
fn a_search_that_a_race_ends_is_not_out_of_time() {
    let racy = || {
        let x = Shared::named("x", 0);
        spawn(move || x.set(1));
        x.set(2);
    };
    let race = Verifier::new().try_verify(racy).races.remove(0);
    let options = Options { max_seconds: Some(0.01), ..Options::default() };
    let verified = verify_by(&Late(race), &mut Search::default(), &options);
    assert_eq!(verified.report.verdict, Verdict::Race, "{:?}", verified.report);
    assert!(!verified.out_of_time);
}
