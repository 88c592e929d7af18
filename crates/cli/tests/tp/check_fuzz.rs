//! Random damage to good programs, run through the whole of `check` and `graph`: no panic, JSON
//! that reads back, sites inside the source, detectors that agree where they must.
//!
//! `FUZZ_ITERS=1000000 FUZZ_SEED=7 cargo test -p raceproof-cli --test tp check_fuzz::` runs longer
//! or elsewhere. Every input follows from the seed and its number; a failure prints both and the
//! input. Keep the input (shortened) in `fuzz-corpus/`.

use crate::common;

use common::mutate::{Random, input, programs};
use common::rearrange::rearrange;
use common::seeds::setting;
use raceproof_cli::check::{Checked, DetectorName, Options, check};
use raceproof_core::finding::{Grade, Place, Report, Verdict};
use raceproof_report::{Sources, Style, json, text};
use raceproof_tp::code::Code;
use raceproof_tp::compile::compile;
use raceproof_tp::{self as tp, print::print, source::Source};
use serde_json::Value;
use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};

/// Small programs that loop for ever are common among the inputs.
const MAX_EVENTS: u64 = 2000;
const MAX_SECONDS: f64 = 0.02;
/// A mutation makes programs of thousands of lines now and then; they test the parser, not what
/// runs.
const MAX_SOURCE: usize = 6000;

fn in_range(source: &Source, place: &Place) {
    let line = source.text.split('\n').nth(place.line as usize - 1);
    let line = line.unwrap_or_else(|| panic!("{place:?} is below the end"));
    assert!(
        place.column >= 1 && place.column as usize <= line.chars().count(),
        "{place:?} is outside {line:?}"
    );
    assert_eq!(place.file, source.name);
}

/// Every place a report names is in the source, and each of its parts makes sense beside the
/// others.
fn makes_sense(source: &Source, report: &Report) {
    for race in &report.races {
        for side in [&race.first, &race.second] {
            in_range(source, &side.at);
            side.spawned.iter().for_each(|spawned| in_range(source, &spawned.at));
            side.stack.iter().for_each(|frame| in_range(source, &frame.call));
        }
        assert!(race.first.access.conflicts(race.second.access), "{race:?}");
        assert!(race.first.task != race.second.task, "{race:?}");
        assert_eq!(race.grade == Grade::Feasible, race.witness.is_some(), "{race:?}");
        assert!(race.count >= 1);
    }
    let waiting = report.deadlocks.iter().flat_map(|deadlock| &deadlock.waiting);
    waiting.for_each(|waiting| in_range(source, &waiting.at));
    report.errors.iter().for_each(|error| in_range(source, &error.at));
    let witnesses = report.races.iter().map(|race| &race.witness);
    let witnesses = witnesses.chain(report.errors.iter().map(|error| &error.witness));
    for segment in witnesses.flatten().flat_map(|witness| &witness.schedule) {
        assert!(segment.task.starts_with("main") && segment.actions > 0, "{segment:?}");
    }
    let quiet = report.races.is_empty() && report.errors.is_empty() && report.deadlocks.is_empty();
    assert_eq!(report.verdict == Verdict::RaceFree, quiet && report.limits.is_empty());
}

fn renders(source: &Source, report: &Report) {
    let value: Value = serde_json::from_str(&json::render(report)).expect("the JSON report reads back");
    assert_eq!(value["races"].as_array().map(Vec::len), Some(report.races.len()));
    assert_eq!(value, serde_json::to_value(report).expect("a report serialises"));
    let mut sources = Sources::new();
    sources.insert(source.name.clone(), &source.text);
    let plain = text::render(report, &sources, Style::plain());
    let colored = text::render(report, &sources, Style::colored());
    assert!(plain.ends_with('\n') && !plain.contains('\x1b') && !plain.contains('\0'));
    assert!(colored.contains('\x1b'));
}

fn racy(report: &Report) -> BTreeSet<&str> {
    report.races.iter().map(|race| race.location.as_str()).collect()
}

/// Whether a limit other than the number of actions cut a run: where, differs from run to run.
fn by_chance(report: &Report) -> bool {
    report.limits.iter().any(|limit| limit.contains("time"))
}

/// Checks a program that parses with every detector; whether it came to its end.
fn every_detector(source: &Source, code: &Code) -> bool {
    let options = Options {
        max_events: Some(MAX_EVENTS),
        max_seconds: Some(MAX_SECONDS),
        keep_output: true,
        ..Options::default()
    };
    let run = |detector| check(code, &source.name, &Options { detector, ..options });
    let Ok(Checked { report, output }) = run(DetectorName::Default) else {
        panic!("the default detector judges every program")
    };
    makes_sense(source, &report);
    renders(source, &report);
    for detector in DetectorName::ALL.into_iter().chain([DetectorName::None]) {
        match run(detector) {
            Ok(other) => {
                makes_sense(source, &other.report);
                renders(source, &other.report);
                if by_chance(&report) || by_chance(&other.report) {
                    continue;
                }
                assert_eq!(other.output, output, "{}", detector.name());
                assert_eq!(other.report.errors, report.errors, "{}", detector.name());
                assert_eq!(other.report.deadlocks, report.deadlocks, "{}", detector.name());
                // ESP-bags raises false alarms with isolated sections.
                if !matches!(detector, DetectorName::None | DetectorName::EspBags) {
                    assert_eq!(racy(&other.report), racy(&report), "{}", detector.name());
                }
            }
            Err(refusal) => assert!(refusal.starts_with("--detector "), "{refusal}"),
        }
    }
    report.limits.is_empty()
}

/// What became of an input.
enum Outcome {
    NoProgram,
    /// A program that was checked, to its end or not.
    Checked {
        printed: String,
        ended: bool,
    },
}

fn try_input(text: &str) -> Outcome {
    let source = Source::new("fuzz.tp", text);
    let Ok(program) = tp::parse(&source.text) else { return Outcome::NoProgram };
    let code = compile(&program, &source);
    // Memory would be all that large arrays test here.
    if code.cells() > 1_000_000 {
        return Outcome::NoProgram;
    }
    Outcome::Checked { printed: print(&program), ended: every_detector(&source, &code) }
}

/// Good programs, as the printer writes them: most of the text of the corpus is comments.
fn corpus() -> Vec<String> {
    let texts = programs(&["tests/fuzz-corpus", "../../programs/tp/examples"]);
    texts.iter().filter_map(|text| tp::parse(text).ok()).map(|program| print(&program)).collect()
}

#[test]
fn the_corpus_itself() {
    let ended = |text: &String| matches!(try_input(text), Outcome::Checked { ended: true, .. });
    let ended = corpus().iter().filter(|&text| ended(text)).count();
    assert!(ended > 80, "{ended} programs came to their end");
}

/// One input in eight is damaged at random; the others stay close to a program.
fn damaged(corpus: &[String], random: &mut Random) -> String {
    if random.below(8) == 0 {
        return input(corpus, corpus, random);
    }
    let mut text = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        text = rearrange(&text, random);
    }
    text
}

#[test]
fn damaged_programs() {
    let iterations = setting("FUZZ_ITERS", 2000);
    let seed = setting("FUZZ_SEED", 1);
    let corpus = corpus();
    let known: BTreeSet<&String> = corpus.iter().collect();
    // Programs that differ from each other and from the corpus: to check the same one again tests
    // nothing.
    let mut new = BTreeSet::new();
    let mut cut = 0;
    for number in 0..iterations {
        let text = damaged(&corpus, &mut Random::new(seed, number));
        if text.len() > MAX_SOURCE {
            continue;
        }
        match panic::catch_unwind(AssertUnwindSafe(|| try_input(&text))) {
            Ok(Outcome::NoProgram) => {}
            Ok(Outcome::Checked { printed, ended }) => {
                if !known.contains(&printed) && new.insert(printed) && !ended {
                    cut += 1;
                }
            }
            Err(_) => panic!("FUZZ_SEED={seed}, input {number}:\n{text}\n({text:?})"),
        }
    }
    let new = new.len() as u64;
    println!("{iterations} inputs: {new} new programs were checked, {cut} of them up to a limit");
    assert!(iterations < 1000 || new > iterations / 8, "{new} new programs: the mutations change too little");
    assert!(iterations < 1000 || (cut > 0 && cut < new / 2), "{cut} of {new} new programs met a limit");
}
