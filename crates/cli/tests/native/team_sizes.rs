//! Generated parallel regions with loops, singles and sections, and leagues with distributed loops,
//! judged by one run: does it find the races of every size of the team and of every assignment of
//! work to threads, and nothing else?
//!
//! `RACEPROOF_CASES` regions (320 unless set), from seed `RACEPROOF_SEED` on (0 unless set).

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use common::seeds::seeds;
use native::generate::Random;
use native::toolchain::{compile, tool};
use native::worksharing::{CELLS, Region};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Regions of one program, and leagues beside them.
const REGIONS: u64 = 80;
const LEAGUES: u64 = 12;

/// A program that executes the region whose number it is given, and the lines of each one's sites.
fn program(regions: &[Region]) -> (String, Vec<Vec<u32>>) {
    let mut text = format!(
        "#include <stdlib.h>\nstatic int a[{CELLS}];\n\
         static __attribute__((noinline)) void sink(int seen) {{ __asm__ volatile(\"\" :: \"r\"(seen) : \"memory\"); }}\n"
    );
    let lines = regions
        .iter()
        .enumerate()
        .map(|(number, region)| region.c(&format!("region{number}"), &mut text))
        .collect();
    text.push_str("int main(int argc, char **argv) {\n  switch (atoi(argv[argc - 1])) {\n");
    for number in 0..regions.len() {
        text.push_str(&format!("  case {number}: region{number}(); break;\n"));
    }
    text.push_str("  }\n}\n");
    (text, lines)
}

/// The pairs of lines that one run reports.
fn reported(program: &Path, number: usize, threads: u64, report: &Path) -> BTreeSet<(u32, u32)> {
    let mut command = tool();
    command
        .args(["run", "--format", "json", "-o"])
        .arg(report)
        .arg("--")
        .arg(program)
        .arg(number.to_string());
    command.env("OMP_NUM_THREADS", threads.to_string());
    let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs");
    let text = fs::read_to_string(report).unwrap_or_default();
    let report: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {}", done.stderr));
    assert_eq!(report["scope"], "all-schedules", "{text}");
    let line = |access: &serde_json::Value| access["line"].as_u64().expect("a line") as u32;
    let pair = |race: &serde_json::Value| {
        let (first, second) = (line(&race["first"]), line(&race["second"]));
        (first.min(second), first.max(second))
    };
    report["races"].as_array().expect("races").iter().map(pair).collect()
}

#[test]
fn one_run_decides_every_team_size_and_assignment() {
    let folder = Folder::new("team-sizes");
    let seeds = seeds(320);
    let (first, cases) = (seeds.start, seeds.end - seeds.start);
    let (mut judged, mut racy, mut pairs, mut missing) = (0, 0, 0, 0);
    let mut racy_leagues = 0;
    for seed in first..first + cases.div_ceil(REGIONS) {
        let mut random = Random(seed);
        let mut regions: Vec<Region> = (0..REGIONS).map(|_| Region::new(&mut random)).collect();
        regions.extend((0..LEAGUES).map(|_| Region::league(&mut random)));
        let (text, lines) = program(&regions);
        let (source, program) =
            (folder.write(&format!("regions{seed}.c"), text), folder.path(&format!("regions{seed}")));
        let level = ["-O2", "-O0", "-O1", "-O3"][seed as usize % 4];
        compile(&source, level, &["-Wno-all".to_owned()], &program)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        for (number, region) in regions.iter().enumerate() {
            let threads = 2 + number as u64 % 3;
            let found = reported(&program, number, threads, &folder.path("report.json"));
            let line = |site: usize| lines[number][site];
            let expected: BTreeSet<(u32, u32)> = region
                .races()
                .into_iter()
                .map(|(a, b)| (line(a).min(line(b)), line(a).max(line(b))))
                .collect();
            let shown = || {
                let mut text = String::new();
                region.c("region", &mut text);
                format!(
                    "seed {seed}, {level}, region {number}, {threads} threads\n{text}expected {expected:?}, found {found:?}"
                )
            };
            assert!(found.is_subset(&expected), "a false alarm: {}", shown());
            assert_eq!(found.is_empty(), expected.is_empty(), "a missed race: {}", shown());
            judged += 1;
            racy += u64::from(!expected.is_empty());
            racy_leagues += u64::from(number as u64 >= REGIONS && !expected.is_empty());
            pairs += expected.len();
            missing += expected.difference(&found).count();
        }
    }
    assert!(
        racy > judged / 10 && racy < judged * 9 / 10 && racy_leagues > 0,
        "{racy} of {judged}, {racy_leagues} leagues, are racy: a test of one answer only"
    );
    // What repeats an earlier access in a loop that is left without any check has no name.
    assert!(missing * 50 <= pairs, "{missing} of {pairs} pairs are not named");
}
