//! Golden error messages: every `errors/NAME.tp` is wrong in some way, `errors/NAME.txt` is what is
//! said about it. `BLESS=1 cargo test -p raceproof-cli --test tp parser_errors::` writes the `.txt`
//! files anew.

use raceproof_tp::{self as tp, limits::MAX_SHOWN, source::Source};
use std::{fs, path::PathBuf};

fn bad_programs() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/errors");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "tp"));
    paths.sort();
    paths
}

fn load(path: &PathBuf) -> Source {
    Source::new(path.file_name().unwrap().to_str().unwrap(), fs::read_to_string(path).unwrap())
}

#[test]
fn messages() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in bad_programs() {
        let source = load(&path);
        let errors = tp::parse(&source.text).expect_err(&source.name);
        let said = tp::render(&source.name, &source.text, &errors, false);
        let golden = path.with_extension("txt");
        if bless {
            fs::write(&golden, &said).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != said {
            wrong.push(format!("--- {} now says\n{said}", source.name));
        }
    }
    assert!(wrong.is_empty(), "{}\nif that is right, bless it", wrong.join("\n"));
}

#[test]
fn the_places_shown_are_those_of_the_source() {
    for path in bad_programs() {
        let source = load(&path);
        let errors = tp::parse(&source.text).unwrap_err();
        let said = tp::render(&source.name, &source.text, &errors, false);
        let shown: Vec<&str> =
            said.lines().filter_map(|line| line.trim_start().strip_prefix("--> ")).collect();
        let expected: Vec<String> = errors
            .iter()
            .take(MAX_SHOWN)
            .map(|error| source.place(error.span.start))
            .map(|(line, column)| format!("{}:{line}:{column}", source.name))
            .collect();
        assert_eq!(shown, expected);
    }
}

#[test]
fn errors_are_in_the_order_of_the_source_and_one_a_place() {
    for path in bad_programs() {
        let source = load(&path);
        let errors = tp::parse(&source.text).unwrap_err();
        for pair in errors.windows(2) {
            assert!(pair[0].span.start <= pair[1].span.start, "{}: {pair:?}", source.name);
            assert_ne!(pair[0], pair[1], "{}", source.name);
        }
    }
}

#[test]
fn colour_changes_the_looks_only() {
    let source = "proc main() { x = 1; }";
    let errors = tp::parse(source).unwrap_err();
    let colored = tp::render("f.tp", source, &errors, true);
    assert!(colored.contains('\u{1b}'));
    let mut plain = String::new();
    let mut rest = colored.as_str();
    while let Some((text, escape)) = rest.split_once('\u{1b}') {
        plain.push_str(text);
        rest = escape.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    assert_eq!(plain, tp::render("f.tp", source, &errors, false));
}

#[test]
fn a_file_of_nonsense_is_given_up() {
    let nonsense = "@&".repeat(100_000);
    let errors = tp::parse(&nonsense).unwrap_err();
    assert!(errors.len() <= tp::limits::MAX_ERRORS + 1, "{}", errors.len());
    let said = tp::render("f.tp", &nonsense, &errors, false);
    assert!(said.ends_with("and at least 980 more errors in f.tp\n"), "{}", &said[said.len() - 200..]);
}
