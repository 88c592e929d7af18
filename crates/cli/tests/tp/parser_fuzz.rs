//! Random damage to good and bad programs: the front end never panics, its errors lie within the
//! source, and what parses survives the printer.
//!
//! `FUZZ_ITERS=5000000 FUZZ_SEED=7 cargo test -p raceproof-cli --test tp parser_fuzz::` runs longer
//! or elsewhere. Every input follows from the seed and its number; a failure prints both and the
//! input. Keep the input (shortened) in `fuzz-corpus/`.

use crate::common;

use common::mutate::{Random, input, programs};
use common::seeds::setting;
use raceproof_tp::{self as tp, Diagnostic, erase::without_spans, print::print, source::Source};
use std::panic;

fn corpus() -> Vec<String> {
    programs(&["tests/fuzz-corpus", "tests/errors"])
}

fn errors_make_sense(source: &Source, errors: &[Diagnostic], render: bool) {
    assert!(!errors.is_empty());
    let len = source.text.len() as u32;
    for error in errors {
        let related = error.related.iter().map(|(span, _)| *span);
        for span in related.chain([error.span]) {
            assert!(span.start <= span.end && span.end <= len, "{error:?}");
            assert!(source.text.is_char_boundary(span.start as usize), "{error:?}");
            assert!(source.text.is_char_boundary(span.end as usize), "{error:?}");
        }
        assert!(!error.message.is_empty());
        let (line, column) = source.place(error.span.start);
        assert!(line >= 1 && column >= 1);
    }
    assert!(errors.is_sorted_by_key(|error| error.span.start));
    if render {
        let said = tp::render(&source.name, &source.text, errors, false);
        let shown = said.lines().filter_map(|line| line.trim_start().strip_prefix("--> "));
        for (shown, error) in shown.zip(errors) {
            let (line, column) = source.place(error.span.start);
            assert_eq!(shown, format!("{}:{line}:{column}", source.name), "{error:?}");
        }
        assert!(said.ends_with('\n'));
    }
}

/// What became of an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    BadSyntax,
    BadNames,
    Good,
}

fn check(text: &str, render: bool) -> Outcome {
    let source = Source::new("fuzz.tp", text);
    let program = match tp::syntax(&source.text) {
        Ok(program) => program,
        Err(errors) => {
            errors_make_sense(&source, &errors, render);
            return Outcome::BadSyntax;
        }
    };
    let printed = print(&program);
    let again = match tp::syntax(&printed) {
        Ok(again) => again,
        Err(errors) => panic!("printed as\n{printed}\n{}", tp::render("printed", &printed, &errors, false)),
    };
    assert_eq!(print(&again), printed);
    assert!(without_spans(program) == without_spans(again), "printed as\n{printed}");
    match tp::parse(&source.text) {
        Ok(_) => {
            assert!(tp::parse(&printed).is_ok());
            Outcome::Good
        }
        Err(errors) => {
            errors_make_sense(&source, &errors, render);
            Outcome::BadNames
        }
    }
}

#[test]
fn damaged_programs() {
    let iterations = setting("FUZZ_ITERS", 15_000);
    let seed = setting("FUZZ_SEED", 1);
    let corpus = corpus();
    let good: Vec<String> = corpus.iter().filter(|text| tp::parse(text).is_ok()).cloned().collect();
    let mut outcomes = [0u64; 3];
    for number in 0..iterations {
        let mut random = Random::new(seed, number);
        // The good ones more often: little is left to test behind a third error.
        let seeds = if random.below(4) == 0 { &corpus } else { &good };
        let text = input(seeds, &corpus, &mut random);
        // Rendering takes longer than all the rest.
        let render = number % 16 == 0;
        match panic::catch_unwind(|| check(&text, render)) {
            Ok(outcome) => outcomes[outcome as usize] += 1,
            Err(_) => panic!("FUZZ_SEED={seed}, input {number}:\n{text}\n({text:?})"),
        }
    }
    println!("{iterations} inputs: {outcomes:?} with bad syntax, bad names, good");
    // A mutator that only ever breaks the syntax would test nothing else.
    assert!(iterations < 1000 || outcomes.iter().all(|&count| count > iterations / 200), "{outcomes:?}");
}

#[test]
fn the_corpus_itself() {
    let corpus = corpus();
    assert!(corpus.len() > 30);
    let good = corpus.iter().filter(|text| check(text, true) == Outcome::Good).count();
    assert!(good >= 10, "{good} good programs");
}
