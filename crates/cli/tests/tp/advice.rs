//! The advice about races of TP programs, applied: the result is race-free in every schedule, ends,
//! and prints what the race-free version prints.

use crate::advice_support as advice;
use crate::expect;
use crate::oracle;

use advice::{ROUNDS, Wanted, all_fixes, assert_all_tried, mended, next};
use oracle::{Profile, generate};
use raceproof_cli::check::{Checked, Options, check};
use raceproof_cli::verify;
use raceproof_core::finding::{Report, Verdict};
use raceproof_report::advice::{Fix, Language};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const FILE: &str = "f.tp";

fn compiled(source: &str) -> Code {
    match tp::parse(source) {
        Ok(tree) => compile(&tree, &Source::new(FILE, source)),
        Err(errors) => panic!("{source}\n{}", tp::render(FILE, source, &errors, false)),
    }
}

fn checked(source: &str) -> Checked {
    let options = Options { keep_output: true, max_events: Some(1_000_000), ..Options::default() };
    check(&compiled(source), FILE, &options).expect("the default takes all")
}

/// All schedules, or as many as are worth it here.
fn verified(source: &str) -> Report {
    let options = verify::Options {
        max_executions: Some(2000),
        max_events: Some(100_000),
        workers: 1,
        ..verify::Options::default()
    };
    verify::verify(&compiled(source), FILE, &options).report
}

/// Applies one fix, and then those of the races that are left; the last source, and whether all of
/// the fixes were unconditional.
fn mend(source: &str, fix: &Fix) -> (String, bool) {
    let mut source = mended(fix, FILE, source).unwrap_or_else(|wrong| panic!("{wrong}\n{source}"));
    let mut unconditional = true;
    for _ in 0..ROUNDS {
        let report = checked(&source).report;
        let fixes = all_fixes(&report, FILE, &source);
        let Some(following) = next(&fixes) else { break };
        unconditional &= following.condition.is_none();
        source = mended(following, FILE, &source).unwrap_or_else(|wrong| panic!("{wrong}\n{source}"));
    }
    (source, unconditional)
}

#[test]
fn every_fix_is_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/tp/advice");
    let mut tried = BTreeSet::new();
    for file in fs::read_dir(folder).expect("programs/tp/advice is there").map(|entry| entry.unwrap().path())
    {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let source = fs::read_to_string(&file).unwrap();
        let wanted = Wanted::read(&source).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        let fixes = all_fixes(&checked(&source).report, FILE, &source);
        let found: BTreeSet<String> = fixes.iter().map(|fix| fix.template.name()).collect();
        assert_eq!(found, wanted.advice, "{name}");
        let mut seen = BTreeSet::new();
        for fix in fixes.iter().filter(|fix| seen.insert(fix.template)) {
            let (after, unconditional) = mend(&source, fix);
            let report = verified(&after);
            assert_eq!(report.verdict, Verdict::RaceFree, "{name}: {}\n{after}", fix.sentence());
            if wanted.is_right(fix) && unconditional {
                let printed = checked(&after).output;
                assert_eq!(printed.trim(), wanted.prints, "{name}: {}\n{after}", fix.sentence());
                tried.insert(fix.template);
            }
        }
    }
    assert_all_tried(Language::Tp, &tried);
}

/// What is wrong with a program after its mending, if anything: races are left for which there is
/// a fix, or it does not end.
fn wrong_after(source: &str, fix: &Fix) -> Option<String> {
    let (after, _) = mend(source, fix);
    let report = checked(&after).report;
    let is_over = match report.verdict {
        Verdict::RaceFree => true,
        Verdict::Race => all_fixes(&report, FILE, &after).is_empty(),
        _ => false,
    };
    (!is_over).then(|| format!("{:?} after {}:\n{after}", report.verdict, fix.sentence()))
}

#[test]
fn fixes_of_the_corpus_end() {
    let mut wrong = Vec::new();
    for program in expect::corpus().filter(|program| program.expected.check == expect::Verdict::Race) {
        let report = checked(&program.source).report;
        // A program that fails besides fails after it as well.
        if !report.errors.is_empty() || !report.deadlocks.is_empty() {
            continue;
        }
        let mut seen = BTreeSet::new();
        for fix in all_fixes(&report, FILE, &program.source).iter().filter(|fix| seen.insert(fix.template)) {
            wrong.extend(wrong_after(&program.source, fix).map(|what| format!("{}: {what}", program.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs made at random, with promises that are set late and locks that are held long: no fix
/// brings in a deadlock or an error where no schedule had one.
#[test]
fn fixes_of_generated_programs_bring_in_nothing() {
    let seeds = std::env::var("RACEPROOF_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(150);
    let (mut wrong, mut applied) = (Vec::new(), 0);
    for profile in Profile::ALL {
        for seed in 0..seeds {
            let source = generate(profile, seed);
            let report = checked(&source).report;
            // Errors and limits would hide deadlocks that were there before.
            let before = verified_all(&source);
            let is_clean =
                before.deadlocks.is_empty() && before.errors.is_empty() && before.limits.is_empty();
            if report.verdict != Verdict::Race || !is_clean {
                continue;
            }
            let mut seen = BTreeSet::new();
            for fix in all_fixes(&report, FILE, &source).iter().filter(|fix| seen.insert(fix.template)) {
                let after = mended(fix, FILE, &source).unwrap_or_else(|wrong| panic!("{wrong}\n{source}"));
                applied += 1;
                let report = verified_all(&after);
                let new = fails(&report);
                if !new.is_empty() {
                    wrong.push(format!("{profile:?} {seed}: {} brings in {new:?}:\n{after}", fix.sentence()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {applied}\n{}", wrong.len(), wrong.join("\n"));
    assert!(applied > 100, "only {applied} fixes");
}

/// All schedules, also after a race.
fn verified_all(source: &str) -> Report {
    let options = verify::Options {
        max_executions: Some(500),
        max_events: Some(20_000),
        workers: 1,
        all: true,
        ..verify::Options::default()
    };
    verify::verify(&compiled(source), FILE, &options).report
}

/// Deadlocks and errors, by their kinds. Errors that depend on the values are the program's own:
/// what it asserts, or divides by, was random.
fn fails(report: &Report) -> BTreeSet<String> {
    const VALUES: [&str; 3] = ["assertion", "division", "bounds"];
    let deadlocks = report.deadlocks.iter().map(|_| "deadlock".to_owned());
    let errors = report.errors.iter().map(|error| error.kind.clone());
    deadlocks.chain(errors.filter(|kind| !VALUES.contains(&kind.as_str()))).collect()
}
