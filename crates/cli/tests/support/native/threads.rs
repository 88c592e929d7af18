//! Programs of threads made at random, judged by `run` and `verify` as the oracle for them does, with every finding replayed.

use super::generate::Random;
use super::interleavings::{Shown, explore, program, words};
use super::toolchain::tool;
use crate::common::command::{Folder, finish_within};
use crate::common::seeds::seeds;
use raceproof_core::finding::{Report, Scope, Verdict};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

fn report(program: &Path, words: &[&str], text: &str) -> Report {
    let mut command = tool();
    command.args(words).args(["--format", "json", "--"]).arg(program).arg(text);
    let done = finish_within(&mut command, Duration::from_secs(120)).expect("it ends");
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{text}: {error}: {}", done.stderr))
}

fn shown(report: &Report) -> Shown {
    // `x0` in C, `threads::X0.0` in Rust.
    let variable = |location: &str| {
        let name = location.rsplit("::").next().unwrap_or_default();
        name.split('.').next().unwrap_or_default().to_lowercase()
    };
    let races = report.races.iter().map(|race| variable(&race.location)).collect();
    Shown { races, deadlock: !report.deadlocks.is_empty() }
}

/// Every witness leads to what it is the witness of.
fn replays(folder: &Folder, binary: &Path, text: &str, report: &Report) {
    let findings = report.races.len() + report.deadlocks.len();
    let file = folder.path("report.json");
    std::fs::write(&file, serde_json::to_string(report).expect("it was read")).expect("it is written");
    for finding in 1..=findings {
        let mut command = tool();
        command.args(["replay", "--witness"]).arg(&file).args(["--finding", &finding.to_string(), "--"]);
        let done = finish_within(command.arg(binary).arg(text), Duration::from_secs(60)).expect("it ends");
        assert_eq!(done.status, Some(1), "{text}: finding {finding}: {done:#?}");
    }
}

/// Runs generated programs of these kinds in the words of `threads.c`, which `binary` understands.
pub fn judge(folder: &Folder, binary: &Path, kinds: &[&str], count: u64) {
    let (mut verdicts, mut cases) = (BTreeMap::<String, u64>::new(), 0);
    for parts in kinds {
        for seed in seeds(count) {
            let program = program(&mut Random(seed * 1000 + 7), parts);
            let Some(expected) = explore(&program) else { continue };
            let text = words(&program);
            let about = |report: &Report| {
                format!("{parts}, seed {seed}: {text}: expected {expected:?}, came {report:?}")
            };
            // One run does not notice that a thread spins for ever.
            if !expected.deadlock || !text.contains('Z') {
                let once = report(binary, &["run"], &text);
                let found = shown(&once);
                assert!(found.races.is_subset(&expected.races), "{}", about(&once));
                assert!(expected.deadlock || !found.deadlock, "{}", about(&once));
                if once.scope == Scope::AllSchedules {
                    assert_eq!(found.races, expected.races, "{}", about(&once));
                }
            }
            let all = report(binary, &["verify", "--all"], &text);
            assert_eq!(shown(&all), expected, "{}", about(&all));
            assert_ne!(all.verdict, Verdict::Inconclusive, "{}", about(&all));
            replays(folder, binary, &text, &all);
            *verdicts.entry(format!("{:?}", all.verdict)).or_default() += 1;
            cases += 1;
        }
    }
    println!("{verdicts:?}");
    let many = |verdict: &str| verdicts.get(verdict).is_some_and(|&count| count > cases / 20);
    assert!(cases < 20 || (many("Race") && many("RaceFree")), "a test of one answer only: {verdicts:?}");
}
