//! The machine formats of `cargo raceproof test`: one SARIF log, one baseline and one JUnit file of
//! all programs.

use crate::common;
use crate::rayon;

use common::command::Folder;
use common::{golden, logs};
use rayon::cargo_raceproof;
use std::fs;

/// Without what differs from run to run.
fn steady(xml: &str) -> String {
    let mut out = String::new();
    for (number, part) in xml.split("time=\"").enumerate() {
        match (number, part.split_once('"')) {
            (0, _) | (_, None) => out += part,
            (_, Some((_, rest))) => out += &format!("time=\"0\"{rest}"),
        }
    }
    let steady = |line: &str| match line {
        _ if line.contains(" execution") && line.contains(" s") => "(effort)\n".to_owned(),
        // How much the harness does before the test depends on the environment.
        _ if line.starts_with("  witness: ") => "  (witness)\n".to_owned(),
        _ => format!("{line}\n"),
    };
    logs::normalised(&out).lines().map(steady).collect()
}

/// A log without its witnesses: they have a fingerprint of the executable, which has paths in it,
/// and count what the test harness does.
fn without_witnesses(log: &str) -> String {
    let mut end: Option<String> = None;
    let mut kept: Vec<&str> = Vec::new();
    for line in log.lines() {
        match &end {
            Some(last) => {
                if line.trim_end_matches(',') == last {
                    end = None;
                    // Without the last member, the one before it is the last.
                    if !line.ends_with(',')
                        && let Some(before) = kept.last_mut()
                    {
                        *before = before.trim_end_matches(',');
                    }
                }
            }
            None => match line.strip_suffix("\"witness\": {") {
                Some(indent) => end = Some(format!("{indent}}}")),
                None => kept.push(line),
            },
        }
    }
    kept.join("\n") + "\n"
}

#[test]
fn tests_of_a_crate_have_one_file_each() {
    let folder = Folder::new("cargo-formats");
    let name = |file: &str| folder.path(file).to_string_lossy().into_owned();
    let (log, junit, known) = (name("races.sarif"), name("races.xml"), name("known.txt"));
    let words = ["test", "--no-fail-fast", "--test", "racy", "--test", "clean", "--format", "sarif"];
    // One of the tests panics, as it should.
    let all = |more: &[&str]| cargo_raceproof(&[&words[..], more].concat()).status;
    assert_eq!(all(&["-o", &log, "--junit", &junit]), Some(1));
    let text = logs::normalised(&fs::read_to_string(&log).expect("the log"));
    let checked = logs::check(&text, "cargo raceproof test");
    assert!(!checked["runs"][0]["results"].as_array().expect("results").is_empty());
    golden::check("sarif/rayon/tests.sarif", &without_witnesses(&text));
    let xml = fs::read_to_string(&junit).expect("the JUnit file");
    golden::check("junit/tests.xml", &steady(&xml));
    // The baseline is about both programs, and lets them pass.
    assert_eq!(all(&["-o", &log, "--write-baseline", &known]), Some(0));
    let lines = fs::read_to_string(&known).expect("the baseline");
    assert!(lines.lines().any(|line| !line.starts_with('#')), "{lines}");
    assert_eq!(all(&["-o", &log, "--baseline", &known]), Some(0));
    // A crate that does not compile has a file as well.
    let junit = name("none.xml");
    cargo_raceproof(&["test", "--test", "no_such_test", "--junit", &junit]).expect_status(2);
    let xml = fs::read_to_string(&junit).expect("the JUnit file");
    assert!(xml.contains("<testcase name=\"build\"") && xml.contains("<error "), "{xml}");
}
