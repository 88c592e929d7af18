//! A trace that is a part of a run only stays so, however it is converted: nothing is claimed of
//! the rest.

use crate::common;

use common::command::{Folder, corpus, raceproof, root, run};
use std::fs;
use std::path::{Path, PathBuf};

fn convert(from: &Path, to: &Path, options: &[&str]) {
    run(raceproof().args(["trace", "--convert"]).args(options).arg(from).arg("-o").arg(to)).expect_status(0);
}

fn is_inconclusive(trace: &Path) {
    let (text, json) = (["analyze"], ["analyze", "--format=json"]);
    run(raceproof().args(text).arg(trace)).expect_status(3).says("inconclusive: no races so far");
    run(raceproof().args(json).arg(trace)).expect_status(3).says("part of a run");
    for options in [["--witness"], ["--validate"], ["--general"]] {
        run(raceproof().arg("analyze").args(options).arg(trace)).expect_status(3);
    }
}

/// Through the formats and back, twice.
fn stays_a_part(folder: &Folder, part: PathBuf) {
    is_inconclusive(&part);
    let mut from = part;
    for (number, extension) in ["std", "rpt", "rpt", "std", "std", "rpt"].into_iter().enumerate() {
        let to = folder.path(&format!("{number}.{extension}"));
        convert(&from, &to, if number % 2 == 0 { &[] } else { &["--recover"] });
        run(raceproof().args(["trace", "--check"]).arg(&to)).expect_status(0).says("part of a run");
        is_inconclusive(&to);
        from = to;
    }
}

fn recorded(folder: &Folder) -> Vec<u8> {
    let trace = folder.path("whole.rpt");
    let program = root().join(corpus("examples/bank_locks.tp"));
    run(raceproof().arg("trace").arg(program).arg("-o").arg(&trace)).expect_status(0);
    run(raceproof().arg("analyze").arg(&trace)).expect_status(0).says("no races");
    fs::read(trace).unwrap()
}

#[test]
fn what_was_recovered_from_a_damaged_trace() {
    let folder = Folder::new("part-recovered");
    let mut bytes = recorded(&folder);
    let at = bytes.len() - 30;
    bytes[at] ^= 1;
    let damaged = folder.write("damaged.rpt", &bytes);
    for extension in ["rpt", "std"] {
        let good = folder.path(&format!("good.{extension}"));
        let mut without = raceproof();
        without.args(["trace", "--convert"]).arg(&damaged).arg("-o").arg(&good);
        run(&mut without).expect_status(2).says("--recover");
        assert!(!good.exists());
        convert(&damaged, &good, &["--recover"]);
        stays_a_part(&folder, good);
    }
    let text = folder.write("damaged.std", "A|w(x)|1\nrubbish\nB|w(x)|1\n");
    let good = folder.path("good2.std");
    convert(&text, &good, &["--recover"]);
    stays_a_part(&folder, good);
}

#[test]
fn what_has_no_end_mark() {
    let folder = Folder::new("part-open");
    let bytes = recorded(&folder);
    let open = folder.write("open.rpt", &bytes[..bytes.len() - 28]);
    stays_a_part(&folder, open);
    let nothing = folder.write("nothing.rpt", &bytes[..16]);
    stays_a_part(&folder, nothing);
}

/// A limit ends the run: nobody knows what it would have done.
#[test]
fn what_was_recorded_up_to_a_limit() {
    let folder = Folder::new("part-limit");
    let program = folder.write("p.tp", "var x; proc main() { while (true) { x = x + 1; } }");
    for output in ["t.rpt", "t.std"] {
        let trace = folder.path(output);
        let mut command = raceproof();
        command.arg("trace").arg(&program).args(["--max-events", "1000", "-o"]).arg(&trace);
        run(&mut command).expect_status(3);
        stays_a_part(&folder, trace);
    }
}

/// RAPID's readers have no comments: the mark is a transaction without events, which they pass
/// over.
#[test]
fn the_mark_in_text_is_an_event_to_others() {
    let folder = Folder::new("part-mark");
    let text = folder.write("damaged.std", "A|w(x)|1\nrubbish\n");
    let good = folder.path("good.std");
    convert(&text, &good, &["--recover"]);
    let written = fs::read_to_string(&good).unwrap();
    assert_eq!(written, "A|w(x)|1\nA|begin(raceproof:part-of-a-run)|0\n");
}
