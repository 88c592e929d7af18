//! Random damage to good and bad programs: the front end never panics, its errors lie within the source,
//! and what parses survives the printer.
//!
//! `FUZZ_ITERS=5000000 FUZZ_SEED=7 cargo test -p raceproof-cli --test parser_fuzz` runs longer or elsewhere.
//! Every input follows from the seed and its number; a failure prints both and the input. Keep the input
//! (shortened) in `fuzz-corpus/`.

use raceproof_cli::tp::{self, Diagnostic, erase::without_spans, print::print, source::Source};
use std::{fs, panic};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound.max(1)
    }

    /// A range within `0..len`, more often short than long.
    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let most = if self.below(4) == 0 { len } else { len.min(16) };
        let size = self.below(most + 1);
        let start = self.below(len - size + 1);
        start..start + size
    }
}

const TOKENS: &str = "var lock sem event proc let if else while for in async await finish forall forasync isolated with \
    set P V post wait print assert return skip true false promise future new len get main x a l s e f p \
    0 1 9223372036854775807 9223372036854775808 18446744073709551616 1.5 0x1 \
    || && == != <= >= .. < > = + - * / % ! ( ) [ ] { } , ; . // /* */ \" ' & | @ # é – “ \u{feff} \u{0} \u{200b} 🦀";

fn corpus() -> Vec<String> {
    let folders = ["tests/fuzz-corpus", "tests/errors"];
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tp"))
        .collect();
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    // Long inputs test little that short ones do not, and cost the time of many.
    texts.filter(|text| text.len() < 4000).collect()
}

/// Words, numbers, symbols and blanks, so that a mutation can keep or move them whole.
fn pieces(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        pieces.push(&rest[..len]);
        rest = &rest[len..];
    }
    pieces
}

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    match random.below(13) {
        0 => {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => {
            let mut end = random.below(text.len() + 1);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text[..end].to_owned()
        }
        kind => {
            let (mut ours, theirs) = (pieces(text), pieces(other));
            let ours_range = random.range(ours.len());
            let theirs_range = random.range(theirs.len());
            let mut tokens = TOKENS.split_whitespace();
            let blanks = ["\r", "\r\n", "\n", "\t", "\u{2028}", "\u{85}", "\u{b}", "\u{a0}"];
            let token = tokens.nth(random.below(TOKENS.split_whitespace().count())).unwrap_or(" ");
            match kind {
                2 => drop(ours.drain(ours_range)),
                3 => drop(ours.splice(ours_range, theirs[theirs_range].iter().copied())),
                4 => {
                    let copy = ours[ours_range.clone()].to_vec();
                    ours.splice(ours_range.end..ours_range.end, copy);
                }
                5 => {
                    let copy = ours[ours_range.clone()].to_vec();
                    let times = random.below(300);
                    ours.splice(ours_range.end..ours_range.end, copy.repeat(times));
                }
                6 => ours.insert(ours_range.start, token),
                7 if ours_range.start < ours.len() => ours[ours_range.start] = token,
                8 => ours.insert(ours_range.start, blanks[random.below(blanks.len())]),
                9..12 => like_for_like(&mut ours, &theirs, random),
                _ => {
                    let copy = ours[ours_range].to_vec();
                    let at = random.below(ours.len() + 1);
                    ours.splice(at..at, copy);
                }
            }
            ours.truncate(20_000);
            ours.concat()
        }
    }
}

/// Replaces some pieces by others of their kind: the syntax often survives, with another tree.
fn like_for_like<'a>(ours: &mut [&'a str], theirs: &[&'a str], random: &mut Random) {
    let kind = |piece: &str| match piece.bytes().next() {
        Some(b'0'..=b'9') => 0,
        Some(b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>') => 1,
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => 2,
        _ => 3,
    };
    for _ in 0..=random.below(8) {
        let (at, from) = (random.below(ours.len()), random.below(theirs.len()));
        if let (Some(&old), Some(&new)) = (ours.get(at), theirs.get(from)) {
            if kind(old) != 3 && kind(old) == kind(new) {
                ours[at] = new;
            }
        }
    }
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

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name}={value}")))
}

#[test]
fn damaged_programs() {
    let iterations = setting("FUZZ_ITERS", 15_000);
    let seed = setting("FUZZ_SEED", 1);
    let corpus = corpus();
    let good: Vec<String> = corpus.iter().filter(|text| tp::parse(text).is_ok()).cloned().collect();
    let mut outcomes = [0u64; 3];
    for number in 0..iterations {
        let mut random =
            Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd134_2543_de82_ef95) | 1);
        random.next();
        // The good ones more often: little is left to test behind a third error.
        let seeds = if random.below(4) == 0 { &corpus } else { &good };
        let mut text = seeds[random.below(seeds.len())].clone();
        let rounds = [1, 1, 1, 2, 2, 3, 4][random.below(7)];
        for _ in 0..rounds {
            let other = &corpus[random.below(corpus.len())];
            text = mutate(&text, other, &mut random);
        }
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
