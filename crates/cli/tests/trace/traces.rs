//! `trace` and `analyze` as their users meet them: recording, looking after traces, races, damaged
//! files.

use crate::common;

use common::command::{Folder, corpus, raceproof, root, run, run_with_input};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn record(folder: &Folder, program: &str) -> PathBuf {
    let trace = folder.path("run.rpt");
    run(raceproof().arg("trace").arg(root().join(corpus(program))).arg("-o").arg(&trace)).expect_status(0);
    trace
}

fn json(trace: &Path, options: &[&str]) -> (Option<i32>, Value) {
    let done = run(raceproof().arg("analyze").arg(trace).args(["--format", "json"]).args(options));
    (done.status, serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}")))
}

/// Location names and lines of both sides of every race.
fn pairs(report: &Value) -> Vec<(u64, u64)> {
    let races = report["races"].as_array().expect("races");
    let line = |side: &Value| side["line"].as_u64().expect("a line");
    let mut pairs: Vec<(u64, u64)> = races
        .iter()
        .map(|race| {
            let (a, b) = (line(&race["first"]), line(&race["second"]));
            (a.min(b), a.max(b))
        })
        .collect();
    pairs.sort();
    pairs
}

#[test]
fn a_run_is_recorded_and_analysed() {
    let folder = Folder::new("trace-analyse");
    let trace = record(&folder, "examples/bank_locks_racy.tp");
    let (status, report) = json(&trace, &["--order", "dc"]);
    assert_eq!((status, &report["verdict"]), (Some(1), &Value::from("race")));
    assert_eq!(report["scope"], "observed-schedule");
    assert!(
        report["races"][0]["first"]["file"].as_str().is_some_and(|file| file.ends_with("bank_locks_racy.tp"))
    );
    let text = run(raceproof().arg("analyze").arg(&trace)).expect_status(1).says("racing pair");
    assert!(text.stderr.is_empty(), "{text:?}");
    let clean = record(&folder, "examples/bank_locks.tp");
    run(raceproof().arg("analyze").arg(&clean)).expect_status(0).says("no races by HB");
}

#[test]
fn witnesses_of_a_trace() {
    let folder = Folder::new("trace-witness");
    let racy = record(&folder, "examples/fork_join_sum_racy.tp");
    let (_, report) = json(&racy, &["--witness"]);
    let races = report["races"].as_array().expect("races");
    assert!(!races.is_empty() && races.iter().all(|race| race["grade"] == "feasible"), "{report}");
    assert!(races.iter().all(|race| !race["witness"]["schedule"].as_array().expect("a schedule").is_empty()));
}

/// The formats say the same, whichever way they were come by.
#[test]
fn conversion_keeps_the_races() {
    let folder = Folder::new("trace-convert");
    for program in ["examples/producer_consumer_racy.tp", "examples/future_children_racy.tp"] {
        let ours = record(&folder, program);
        let (text, back) = (folder.path("run.std"), folder.path("back.rpt"));
        let convert = |from: &Path, to: &Path| {
            run(raceproof().args(["trace", "--convert"]).arg(from).arg("-o").arg(to)).expect_status(0);
        };
        convert(&ours, &text);
        convert(&text, &back);
        for order in ["hb", "shb", "wcp", "dc"] {
            let told = [&ours, &text, &back].map(|trace| pairs(&json(trace, &["--order", order]).1));
            assert!(
                !told[0].is_empty() && told[0] == told[1] && told[1] == told[2],
                "{program} {order}: {told:?}"
            );
        }
        let direct = folder.path("direct.std");
        run(raceproof().arg("trace").arg(root().join(corpus(program))).arg("-o").arg(&direct))
            .expect_status(0);
        assert_eq!(fs::read(&direct).unwrap(), fs::read(&text).unwrap(), "{program}");
    }
}

#[test]
fn what_is_in_a_trace() {
    let folder = Folder::new("trace-stat");
    let trace = folder.write("t.std", b"A|acq(m)|1\nA|w(x)|2\nA|rel(m)|3\nB|r(x)|4\n");
    let stat = run(raceproof().args(["trace", "--stat"]).arg(&trace)).expect_status(0);
    for row in
        ["format std", "tasks 3", "reads 1", "writes 1", "locks 1", "sections entered 1", "locations 1"]
    {
        assert!(stat.said().contains(row), "{row}: {}", stat.stdout);
    }
    run(raceproof().args(["trace", "--check"]).arg(&trace)).expect_status(0).says("well-formed: std");
    let (status, report) = json(&trace, &[]);
    assert_eq!((status, pairs(&report)), (Some(1), vec![(2, 4)]));
}

#[test]
fn offences_are_told_with_their_place() {
    let folder = Folder::new("trace-offence");
    let cases: [(&[u8], &str); 8] = [
        (b"", "offset 0: the file is empty"),
        (b"A|w(x)|1\nA|rel(m)|2\n", "line 2, offset 9: leaves a lock that it does not hold"),
        (b"A|acq(m)|1\nB|acq(m)|2\n", "line 2, offset 11: enters a lock that another thread holds"),
        (b"A|w(x)|1\nA|join(A)|2\n", "line 2, offset 9: a thread joins itself"),
        (b"A|w(x)|1\nA|fork(A)|2\n", "line 2, offset 9: a thread forks itself"),
        (b"A|w(x)|1\nnonsense\n", "line 2, offset 9: expected `thread|op(operand)|location`"),
        (b"\0\x01\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x02", "offset 18: the trace ends here"),
        (b"\x89RPT\r\n\x1a\n\x02\0\0\0____", "offset 8: version 2 of the format, expected 1"),
    ];
    for (bytes, message) in cases {
        let trace = folder.write("bad.trace", bytes);
        for command in [&["trace", "--check"][..], &["trace", "--stat"], &["analyze"]] {
            let done = run(raceproof().args(command).arg(&trace)).expect_status(2).says(message);
            assert!(done.stdout.is_empty(), "{done:?}");
        }
    }
    run(raceproof().arg("analyze").arg(folder.path("none"))).expect_status(2).says("cannot read");
}

#[test]
fn what_comes_before_damage_can_be_used() {
    let folder = Folder::new("trace-recover");
    let trace = folder.write("t.std", b"A|w(x)|1\nB|r(x)|2\nrubbish\nB|w(y)|3\n");
    run(raceproof().arg("analyze").arg(&trace)).expect_status(2).says("--recover makes do");
    run(raceproof().args(["analyze", "--recover"]).arg(&trace)).expect_status(1).says("racing pair");
    let mended = folder.path("mended.rpt");
    let convert = |recover: &[&str]| {
        run(raceproof().args(["trace", "--convert"]).args(recover).arg(&trace).arg("-o").arg(&mended))
    };
    convert(&[]).expect_status(2).says("offset 18");
    assert!(!mended.exists(), "half a trace would look like a whole one");
    convert(&["--recover"]).expect_status(0).says("what comes before is used");
    run(raceproof().args(["trace", "--check"]).arg(&mended)).expect_status(0);
    // Cut within its last block, a trace of ours keeps the blocks before; cut between blocks, it is
    // unfinished.
    let whole = record(&folder, "examples/fork_join_sum_racy.tp");
    let bytes = fs::read(&whole).unwrap();
    let cut = folder.write("cut.rpt", &bytes[..bytes.len() - 5]);
    run(raceproof().arg("analyze").arg(&cut)).expect_status(2).says("the trace ends within a block");
    run(raceproof().args(["analyze", "--recover"]).arg(&cut)).expect_status(1);
    // Only what reads a trace can make do with a part of it.
    run(raceproof().args(["trace", "--recover"]).arg(&cut).arg("-o").arg(&mended))
        .expect_status(2)
        .says("--convert|--stat");
    let end = bytes.len() - 28;
    let open = folder.write("open.rpt", &bytes[..end]);
    run(raceproof().arg("analyze").arg(&open)).expect_status(1).says("no end mark");
}

#[test]
fn a_trace_can_come_through_a_pipe() {
    let folder = Folder::new("trace-pipe");
    let trace = folder.write("t.std", b"A|w(x)|1\nB|r(x)|2\n");
    let input = || fs::File::open(&trace).unwrap();
    run(raceproof().args(["analyze", "-"]).stdin(input())).expect_status(1).says("one racing pair");
    run(raceproof().args(["trace", "--check", "-"]).stdin(input())).expect_status(0).says("well-formed");
    let out = folder.path("out.std");
    let mut command = raceproof();
    command.args(["trace", "--convert", "-", "-o"]).arg(&out).stdin(input());
    // It is read twice: the names may come last.
    run(&mut command).expect_status(0);
    assert_eq!(fs::read(&out).unwrap(), fs::read(&trace).unwrap());
}

/// A part of a run without races says nothing of the rest.
#[test]
fn a_part_of_a_trace_without_races_is_inconclusive() {
    let folder = Folder::new("trace-part");
    let damaged = folder.write("t.std", b"A|w(x)|1\nrubbish\nB|r(x)|2\n");
    let (status, report) = json(&damaged, &["--recover"]);
    assert_eq!((status, &report["verdict"]), (Some(3), &Value::from("inconclusive")));
    assert!(report["limits"][0].as_str().is_some_and(|limit| limit.contains("offset 9")), "{report}");
    let whole = record(&folder, "examples/netzer_shpath.tp");
    let bytes = fs::read(&whole).unwrap();
    let open = folder.write("open.rpt", &bytes[..16]);
    run(raceproof().arg("analyze").arg(&open)).expect_status(3).says("no races so far").says("no end mark");
}

#[test]
fn a_trace_is_not_overwritten_while_it_is_read() {
    let folder = Folder::new("trace-itself");
    let text = b"A|w(x)|1\nB|r(x)|2\n";
    let trace = folder.write("t.std", text);
    for other in ["std", "raceproof"] {
        let mut command = raceproof();
        command.args(["trace", "--convert", "--to", other]).arg(&trace).arg("-o").arg(&trace);
        run(&mut command).expect_status(2).says("would be overwritten");
        assert_eq!(fs::read(&trace).unwrap(), text);
    }
}

#[test]
fn races_to_fix_first() {
    let folder = Folder::new("trace-validate");
    let trace = record(&folder, "examples/netzer_fig2_1.tp");
    let (_, report) = json(&trace, &["--validate", "--grain", "access"]);
    let races = report["races"].as_array().expect("races");
    let (first, later): (Vec<&Value>, Vec<&Value>) = races.iter().partition(|race| race["partition"] == 1);
    // The left child's write of `head` and the right child's read of it.
    assert!(first.len() == 1 && pairs(&report).contains(&(35, 43)), "{report}");
    assert_eq!(
        (&first[0]["location"], &first[0]["second"]["line"]),
        (&Value::from("head"), &Value::from(43))
    );
    assert!(!later.is_empty());
    for race in later {
        let causes = race["artifact_of"].as_array().expect("causes");
        assert!(!causes.is_empty(), "{race}");
        assert!(causes.iter().all(|at| races[at.as_u64().unwrap() as usize]["partition"] == 1));
    }
    let validation = &report["validation"];
    assert_eq!(validation["tangles"], 0, "the complete order has none");
    assert!(validation["first_partitions"].as_u64() >= Some(1));
    let text = run(raceproof().args(["analyze", "--validate"]).arg(&trace)).expect_status(1);
    assert!(text.said().contains("fix this first") && text.said().contains("apparent race"), "{text:?}");
    run(raceproof().args(["analyze", "--level", "complete"]).arg(&trace)).expect_status(2).says("--validate");
}

/// Values that decide nothing make no artifacts; without the record of that they would.
#[test]
fn which_reads_decide_is_recorded() {
    let folder = Folder::new("trace-uses");
    let source =
        b"var x; var y; proc main() { finish { async { x = 1; y = 1; } async { let t = x; y = t; } } }";
    let program = folder.write("p.tp", source);
    let trace = folder.path("run.rpt");
    run(raceproof().arg("trace").arg(&program).arg("-o").arg(&trace)).expect_status(0);
    let ranks = |options: &[&str]| {
        let options = [&["--validate", "--grain", "access"], options].concat();
        let (_, report) = json(&trace, &options);
        let races = report["races"].as_array().expect("races").clone();
        races.iter().map(|race| race["partition"].as_u64().unwrap()).max()
    };
    assert_eq!((ranks(&[]), ranks(&["--coarse"])), (Some(1), Some(2)));
}

#[test]
fn general_races_of_posts() {
    let folder = Folder::new("trace-general");
    // Which post lets the wait pass is the schedule's choice; HB takes the last one.
    let source = b"event e; var x; proc main() { finish { async { x = 1; post(e); } async { post(e); } \
        async { wait(e); let t = x; } } }";
    let program = folder.write("p.tp", source);
    let trace = folder.path("run.rpt");
    run(raceproof().arg("trace").arg(&program).arg("-o").arg(&trace)).expect_status(0);
    let (_, report) = json(&trace, &["--general"]);
    let general = report["general_races"].as_array().expect("general races");
    assert_eq!(general.len(), 1, "{report}");
    assert_eq!((&general[0]["location"], &general[0]["kind"]), (&Value::from("x"), &Value::from("accesses")));
    run(raceproof().args(["analyze", "--general"]).arg(&trace))
        .says("accesses that conflict on x come in either order");
    // The trace is looked at twice, a pipe has it once.
    let bytes = fs::read(&trace).unwrap();
    run_with_input(raceproof().args(["analyze", "--general", "-"]), &bytes)
        .says("accesses that conflict on x come in either order");
    let text = folder.path("run.std");
    run_with_input(raceproof().args(["trace", "--convert", "-", "-o"]).arg(&text), &bytes).expect_status(0);
    assert_eq!(
        json(&text, &[]).1["races"].as_array().map(Vec::len),
        json(&trace, &[]).1["races"].as_array().map(Vec::len)
    );
}
