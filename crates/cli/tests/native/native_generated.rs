//! Generated task programs, run as C with OpenMP and judged as TP. `check` of TP is held to the oracle; this holds the native
//! runtime to `check`.
//!
//! `RACEPROOF_CASES` programs (300 unless set), from seed `RACEPROOF_SEED` on (0 unless set).

use crate::common;
use crate::native;

use common::command::{Folder, finish_within, root};
use native::generate::{Item, Parts, Random, body, tp, words};
use native::toolchain::{compile, tool};
use raceproof_cli::check::{Options, check};
use raceproof_cli::tp::compile::compile as compile_tp;
use raceproof_cli::tp::{parse, source::Source};
use raceproof_core::finding::Verdict;
use std::time::Duration;
use std::{env, fs};

fn is_racy_as_tp(items: &[Item]) -> bool {
    let text = tp(items);
    let program = parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let code = compile_tp(&program, &Source::new("f.tp", &text));
    let report = check(&code, "f.tp", &Options::default()).expect("it is checked").report;
    assert!(matches!(report.verdict, Verdict::Race | Verdict::RaceFree), "{:?}\n{text}", report.verdict);
    report.verdict == Verdict::Race
}

fn setting(name: &str, default: u64) -> u64 {
    env::var(name)
        .map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name}={value} is no number")))
}

#[test]
fn tasks_are_judged_as_in_tp() {
    let folder = Folder::new("native-generated");
    let program = folder.path("tasks");
    compile(&root().join("crates/cli/tests/support/native/tasks.c"), "-O1", &[], &program)
        .expect("it compiles");
    let report = folder.path("report.json");
    let first = setting("RACEPROOF_SEED", 0);
    let (mut racy, cases) = (0, setting("RACEPROOF_CASES", 300));
    for seed in first..first + cases {
        let items = body(&mut Random(seed), 0, &mut 16, Parts::Tasks);
        let expected = is_racy_as_tp(&items);
        let text = words(&items);
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&report).arg("--").arg(&program).arg(&text);
        if seed % 4 > 0 {
            command.arg("twice");
        }
        if seed % 4 == 3 {
            command.env("RACEPROOF_OPTIONS", "collect=always");
        }
        let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs");
        let found = fs::read_to_string(&report).unwrap_or_default().contains("\"verdict\": \"race\"");
        assert_eq!(found, expected, "seed {seed}: {text}: {}", done.stderr);
        racy += u64::from(expected);
    }
    assert!(
        cases < 100 || (racy > cases / 10 && racy < cases),
        "{racy} of {cases} are racy: a test of one answer only"
    );
}
