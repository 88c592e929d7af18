//! The advice about races of rayon programs: rewrites, each of which somebody has made. A program
//! with the line `// advice: NAME for PROGRAM` is the other one with this advice applied; it
//! asserts what the race-free version computes.
#![cfg(unix)]

use crate::advice_support as advice;
use crate::common;
use crate::native;
use crate::rayon;

use advice::{assert_all_tried, header};
use common::command::{Folder, finish_within};
use native::toolchain::tool;
use raceproof_core::finding::{Report, Verdict};
use raceproof_report::Sources;
use raceproof_report::advice::{Fix, Language, Template, fixes};
use rayon::{PATIENCE, build, corpus};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Runs a program of the corpus, in its folder: places in reports are relative to it.
fn report(program: &Path, folder: &Folder) -> Report {
    let out = folder.path("report.json");
    let mut command = tool();
    command.current_dir(corpus()).args(["run", "--format", "json", "-o"]).arg(&out).arg("--").arg(program);
    let done = finish_within(&mut command, PATIENCE).unwrap();
    let text = fs::read_to_string(&out).unwrap_or_else(|e| panic!("{}: {e}: {done:?}", program.display()));
    serde_json::from_str(&text).unwrap()
}

/// The fixes of its races, and whether one speaks of what it does not have.
fn advice_for(name: &str, report: &Report) -> Vec<Fix> {
    let file = format!("src/bin/{name}.rs");
    let mut sources = Sources::new();
    sources.insert(file.as_str(), &fs::read_to_string(corpus().join(&file)).unwrap());
    report.races.iter().flat_map(|race| fixes(race, &sources)).collect()
}

#[test]
fn every_rewrite_is_right() {
    let (built, folder) = (build("--bins", "dev"), Folder::new("rayon-advice"));
    let mut tried = BTreeSet::new();
    for file in fs::read_dir(corpus().join("src/bin")).unwrap().map(|entry| entry.unwrap().path()) {
        let source = fs::read_to_string(&file).unwrap();
        let Some(line) = header(&source, "advice") else { continue };
        let (template, racy) = line.split_once(" for ").expect("`// advice: NAME for PROGRAM` expected");
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let given = advice_for(racy, &report(&built.join(racy), &folder));
        let fix = given.iter().find(|fix| fix.template.name() == template);
        let fix = fix.unwrap_or_else(|| panic!("{name}: {racy} is not advised {template}, but {given:#?}"));
        let after = report(&built.join(&name), &folder);
        assert_eq!(after.verdict, Verdict::RaceFree, "{name}");
        tried.insert(fix.template);
    }
    assert_all_tried(Language::Rust, &tried);
}

/// Who writes parallel iterators has no `join` to end.
#[test]
fn iterators_are_advised_in_their_own_words() {
    let (built, folder) = (build("--bins", "dev"), Folder::new("rayon-words"));
    for name in ["sum_racy", "histogram_racy", "stencil_racy"] {
        let given = advice_for(name, &report(&built.join(name), &folder));
        assert!(!given.is_empty());
        for fix in given {
            assert!(!["join", "scope"].iter().any(|word| fix.text.contains(word)), "{name}: {fix:?}");
            assert_ne!(fix.template, Template::Hint, "{name}: {fix:?}");
        }
    }
}
