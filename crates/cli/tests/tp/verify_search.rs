//! What a search holds on to, and what it says is left.

use crate::common;

use common::programs::sized;
use raceproof_cli::verify::checkpoint;
use raceproof_cli::verify::{Options, OrderName, Search, verify_from};
use raceproof_core::finding::{Scope, Verdict};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};

const PROGRAM: &str = "0123";

fn compiled(text: &str) -> Code {
    compile(&tp::parse(text).expect("the program is right"), &Source::new("f.tp", text))
}

/// Goes on with a search up to so many executions; what it says is left, if it is not over.
fn search_to(search: &mut Search, code: &Code, executions: u64, workers: usize) -> Option<u64> {
    let options = Options { max_executions: Some(executions), workers, ..Options::default() };
    let report = verify_from(search, code, "f.tp", &options).report;
    assert_eq!(report.stats.executions, search.executions());
    report.stats.executions_left
}

/// Looks at a search after each execution.
fn each(code: &Code, mut look: impl FnMut(&Search, Option<u64>)) {
    let mut search = Search::default();
    while !search.is_done() {
        let next = search.executions() + 1;
        let left = search_to(&mut search, code, next, 1);
        look(&search, left);
    }
}

/// T tasks of indexer have 3 (T − 11) pairs of sections that conflict, and twice as many executions
/// for each pair. What is kept is at most a sequence for each pair, none longer than an execution:
/// 5 transitions a task, and those of main.
#[test]
fn what_is_kept_does_not_grow_with_the_executions() {
    for tasks in 12..=15 {
        let code = compiled(&sized("examples/indexer", "TASKS", tasks as u32));
        let pairs = 3 * (tasks - 11);
        let transitions = 5 * tasks + 2;
        let (mut sequences, mut steps, mut sleepers, mut executions) = (0, 0, 0, 0);
        each(&code, |search, _| {
            let kept = search.kept();
            sequences = sequences.max(kept.sequences);
            steps = steps.max(kept.transitions);
            sleepers = sleepers.max(kept.sleepers);
            executions = search.executions();
        });
        assert_eq!(executions, 1 << pairs);
        assert_eq!(sequences, pairs, "{tasks} tasks");
        assert!(steps <= pairs * transitions, "{tasks} tasks: {steps} transitions in sequences");
        // At most one of each pair sleeps at each state of an execution, and the one that is
        // explored there.
        assert!(sleepers <= (pairs + 1) * transitions, "{tasks} tasks: {sleepers} sleepers");
    }
}

/// Sections that all conflict: at each depth of an execution one task after the other is explored.
#[test]
fn what_is_kept_where_everything_conflicts() {
    let mut peaks = Vec::new();
    for tasks in 4..=6 {
        let text = format!(
            "var c;\nproc main() {{ finish {{ for i in 0..{tasks} {{ async {{ isolated {{ c = c * 2 + i; }} }} }} }} }}\n"
        );
        let mut peak = 0;
        each(&compiled(&text), |search, _| peak = peak.max(search.kept().sequences));
        assert!(peak <= tasks * tasks, "{tasks} tasks: {peak} sequences");
        peaks.push(peak);
    }
    assert!(peaks.is_sorted(), "{peaks:?}");
}

/// Every pair of indexer doubles what is below it, so that the estimate is exact at any time: with
/// any number of workers, and resumed from a checkpoint.
#[test]
fn what_is_left_of_a_search() {
    let code = compiled(&sized("examples/indexer", "TASKS", 13));
    each(&code, |search, left| {
        let truth = 64 - search.executions();
        assert_eq!(left, Some(truth).filter(|&truth| truth > 0), "after {}", search.executions());
    });
    let mut search = Search::default();
    assert_eq!(search_to(&mut search, &code, 20, 3), Some(44));
    let text = checkpoint::text(&search, PROGRAM, OrderName::Dc).expect("written");
    let mut search = checkpoint::read("c", &text, PROGRAM, OrderName::Dc).expect("read back");
    assert_eq!(search_to(&mut search, &code, 21, 2), Some(43));
    assert_eq!(search_to(&mut search, &code, u64::MAX, 2), None);
    assert_eq!(search.executions(), 64);
}

/// Where executions bring more, the estimate is none at first; it must find its way, and end at
/// nothing.
#[test]
fn what_is_left_where_there_turns_out_to_be_more() {
    let text = "var c;\nproc main() { finish { for i in 0..6 { async { isolated { c = c * 2 + i; } } } } }\n";
    let mut said = Vec::new();
    each(&compiled(text), |search, left| said.push((search.executions(), left.unwrap_or_default())));
    assert_eq!(said.last(), Some(&(720, 0)));
    for &(executions, left) in &said[360..] {
        let (all, guessed) = (720.0, (executions + left) as f64);
        assert!((all / 2.0..=all * 2.0).contains(&guessed), "after {executions} of 720: {left} left");
    }
}

/// An execution of sections that all conflict leaves a sequence for each of them. A checkpoint has
/// what they share once: written with each it would take four times as much for twice the sections.
#[test]
fn a_checkpoint_grows_with_the_sections() {
    let size = |tasks: u32| {
        let text = format!(
            "var c;\nproc main() {{ finish {{ for i in 0..{tasks} {{ async {{ isolated {{ c = c * 2 + i; }} }} }} }} }}\n"
        );
        let mut search = Search::default();
        let left = search_to(&mut search, &compiled(&text), 1, 1);
        assert!(left.is_some_and(|left| left >= u64::from(tasks) - 1), "{tasks} tasks: {left:?} left");
        checkpoint::text(&search, PROGRAM, OrderName::Dc).expect("written").len()
    };
    let (one, twice) = (size(200), size(400));
    assert!(twice < 3 * one, "{one} bytes for 200 sections, {twice} for 400");
}

/// The race takes switches away from tasks that could go on: one would do, but the reduction runs a
/// schedule with two (GUARANTEES.md, bounded search). Without them the search says what it left out;
/// a bound that nothing exceeds is none.
#[test]
fn a_race_that_takes_a_preemption() {
    let text = "
var a; var z;
proc main() {
  finish {
    async { isolated { a = 1; } isolated { a = 0; } z = 1; }
    async { let seen = 0; isolated { seen = a; } if (seen == 1) { z = 2; } }
  }
}";
    let code = compiled(text);
    let verdict = |preemptions| {
        let options = Options { preemptions, ..Options::default() };
        let report = verify_from(&mut Search::default(), &code, "f.tp", &options).report;
        (report.verdict, report.scope, report.limits.concat())
    };
    let (verdict_0, scope, limits) = verdict(Some(0));
    assert_eq!((verdict_0, scope), (Verdict::Inconclusive, Scope::ObservedSchedule), "{limits}");
    assert!(limits.contains("takes more than 0 preemptions was not run"), "{limits}");
    for preemptions in [Some(2), Some(3), None] {
        assert_eq!(verdict(preemptions).0, Verdict::Race, "{preemptions:?}");
    }
    let code = compiled(&text.replace("z = 2", "skip"));
    let options = |preemptions| Options { preemptions, ..Options::default() };
    let bounded = verify_from(&mut Search::default(), &code, "f.tp", &options(Some(9))).report;
    let whole = verify_from(&mut Search::default(), &code, "f.tp", &options(None)).report;
    assert_eq!((bounded.verdict, bounded.scope), (Verdict::RaceFree, Scope::AllSchedules));
    assert_eq!(bounded.stats.executions, whole.stats.executions);
}
