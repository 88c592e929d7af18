//! Rust's test harness (libtest): which programs have it, which tests they hold, and how one of
//! them is run alone.
//!
//! The harness runs a test in a thread that it creates for it and waits for. So a program that runs
//! one test has two tasks, and nothing is parallel in it unless the test itself makes it so.

use crate::shared::channel::OPTIONS;
use raceproof_core::finding::Place;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The variable that the harness reads; its name is in every program that has it, stripped or not.
const MARK: &[u8] = b"RUST_TEST_THREADS";

/// The harness's options that take a value in a word of their own.
const WITH_VALUE: [&str; 7] =
    ["--skip", "--test-threads", "--logfile", "--color", "--format", "-Z", "--shuffle-seed"];

/// Those that choose tests, or make no difference to one alone.
const DROPPED: [&str; 6] =
    ["--exact", "--skip", "--test-threads", "--logfile", "--shuffle", "--shuffle-seed"];

/// A test of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Test {
    pub(crate) name: String,
    /// Where it begins; none if the harness does not say.
    pub(crate) at: Option<Place>,
}

/// Whether a program runs one test of its harness with these arguments.
pub(crate) fn runs_one_test(program: &Path, arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| argument == "--exact") && has_harness(program)
}

fn has_harness(program: &Path) -> bool {
    fs::read(program).is_ok_and(|bytes| bytes.windows(MARK.len()).any(|part| part == MARK))
}

/// The tests that a program would run with these arguments; none if its harness is another, or
/// something else is asked of it.
pub(crate) fn tests(program: &Path, arguments: &[OsString]) -> Option<Vec<Test>> {
    let is_other = |word: &OsString| {
        ["--list", "--bench", "--help", "-h"].iter().any(|other| word == other)
            || word.to_string_lossy().starts_with("--format")
    };
    if arguments.iter().any(is_other) || !has_harness(program) {
        return None;
    }
    let names = parse(&listed(program, arguments, &["--format", "terse"])?)?;
    let places = listed(program, arguments, &["--format", "json", "-Z", "unstable-options"]);
    let mut places = places.map(|text| parse_places(&text)).unwrap_or_default();
    Some(names.into_iter().map(|name| Test { at: places.remove(&name), name }).collect())
}

/// What the harness prints as its list, in one of its formats.
fn listed(program: &Path, arguments: &[OsString], format: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).arg("--list").args(format);
    command.env(OPTIONS, "detect=off:report=/dev/null").stdin(Stdio::null()).stderr(Stdio::null());
    // The harness of a stable toolchain has the list with places, but asks for this.
    command.env("RUSTC_BOOTSTRAP", "1");
    String::from_utf8(command.output().ok()?.stdout).ok()
}

/// Where each test begins, by the harness's list in JSON. It is not read as JSON: the harness does
/// not escape the reasons for which tests are ignored.
fn parse_places(text: &str) -> HashMap<String, Place> {
    text.lines().filter_map(parse_place).collect()
}

fn parse_place(line: &str) -> Option<(String, Place)> {
    let (_, rest) = line.split_once("\"name\": \"")?;
    let (name, rest) = rest.split_once("\", \"ignore\": ")?;
    let (_, rest) = rest.rsplit_once("\"source_path\": \"")?;
    let (file, rest) = rest.split_once("\", \"start_line\": ")?;
    let number =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
    let line = number(rest)?;
    let column = rest.split_once("\"start_col\": ").and_then(|(_, rest)| number(rest)).unwrap_or(0);
    Some((name.to_owned(), Place { file: file.to_owned(), line, column }))
}

/// The list as the harness prints it, with one test in each line.
fn parse(text: &str) -> Option<Vec<String>> {
    let mut tests = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.rsplit_once(": ")? {
            (name, "test") => tests.push(name.to_owned()),
            (_, "benchmark") => {}
            _ => return None,
        }
    }
    Some(tests)
}

/// The arguments that run one test alone, with the options that the user gave for all.
pub(crate) fn only(test: &str, arguments: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let name = text.split_once('=').map_or(&*text, |(name, _)| name);
        let value = (WITH_VALUE.contains(&name) && name == text).then(|| arguments.next()).flatten();
        if !text.starts_with('-') || DROPPED.contains(&name) {
            continue;
        }
        kept.push(argument.clone());
        kept.extend(value.cloned());
    }
    kept.extend(["--exact", test].map(OsString::from));
    kept
}

/// Whether the harness is to pass on what tests print, whatever comes of them.
pub(crate) fn shows_output(arguments: &[OsString]) -> bool {
    let shows = ["--nocapture", "--no-capture", "--show-output"];
    arguments.iter().any(|argument| shows.iter().any(|name| OsStr::new(name) == argument))
}

/// What a test that was run alone has printed, of all that the harness has: without its head and
/// its summary.
pub(crate) fn what_tests_printed(text: &str) -> &str {
    let rest = text.trim_start().strip_prefix("running 1 test\n").unwrap_or(text);
    let rest = rest.split_once("\nfailures:\n\n").map_or(rest, |(_, rest)| rest);
    let rest = rest.rsplit_once("\ntest result: ").map_or(rest, |(rest, _)| rest);
    rest.split_once("\nfailures:\n").map_or(rest, |(rest, _)| rest).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn lists_are_read_and_other_text_is_refused() {
        assert_eq!(parse("a::b: test\nc: benchmark\nd - should panic: test\n\n").unwrap().len(), 2);
        assert_eq!(parse(""), Some(Vec::new()));
        assert_eq!(parse("running 3 checks\n"), None);
        assert_eq!(parse("a: b\n"), None);
    }

    #[test]
    fn places_are_read_beside_text_that_is_not_escaped() {
        let text = r#"{ "type": "suite", "event": "discovery" }
{ "type": "test", "event": "discovered", "name": "t::a", "ignore": true, "ignore_message": "a "b", "source_path": "x", "source_path": "src/lib.rs", "start_line": 7, "start_col": 8, "end_line": 7, "end_col": 9 }
{ "type": "test", "event": "discovered", "name": "old", "ignore": false }
"#;
        let places = parse_places(text);
        assert_eq!(places.len(), 1);
        assert_eq!(places["t::a"], Place { file: "src/lib.rs".to_owned(), line: 7, column: 8 });
        assert!(parse_places("error: the option `Z` is only accepted on the nightly compiler\n").is_empty());
    }

    #[test]
    fn what_the_harness_says_goes() {
        let failed = "\nrunning 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\nhello\n\n\nfailures:\n    a\n\n\
                      test result: FAILED. 0 passed; 1 failed\n\n";
        assert_eq!(what_tests_printed(failed), "---- a stdout ----\nhello");
        let shown = "\nrunning 1 test\nhello\ntest a ... ok\n\ntest result: ok. 1 passed\n\n";
        assert_eq!(what_tests_printed(shown), "hello\ntest a ... ok");
    }

    #[test]
    fn filters_go_and_options_stay() {
        let given = words("fast --skip slow --nocapture --test-threads=3 --color always --exact other -q");
        let expected = words("--nocapture --color always -q --exact a::b");
        assert_eq!(only("a::b", &given), expected);
    }
}
