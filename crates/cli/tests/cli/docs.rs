//! The programs in the documentation are whole programs, and what the text says of them is true.

use crate::common;
use crate::expect;

use common::command::root;
use expect::{Program, programs_in};
use raceproof_tp as tp;
use std::collections::BTreeSet;
use std::fs;

/// Every program of the user's page of TP: its name, its source and what is expected of it.
fn examples() -> Vec<Program> {
    programs_in("docs/TP.md")
}

#[test]
fn programs_of_the_tp_page_parse() {
    for program in examples() {
        assert!(program.source.starts_with("// expect: "), "{}: begins without `// expect:`", program.name);
        if let Err(diagnostics) = tp::parse(&program.source) {
            panic!("{}", tp::diagnostic::render(&program.name, &program.source, &diagnostics, false));
        }
    }
}

/// Each rule of OpenMP has its programs, and each program of `rules` its rule.
#[test]
fn the_page_of_rules_names_every_program_of_them() {
    let corpus = root().join("programs/c");
    let page = fs::read_to_string(root().join("docs/RULES.md")).unwrap();
    let is_program = |word: &&str| word.ends_with("_racy.c") || word.contains("_norace.c");
    // Text between back quotes.
    let named: BTreeSet<&str> = page.split('`').skip(1).step_by(2).filter(is_program).collect();
    for name in &named {
        let path = if name.contains('/') { corpus.join(name) } else { corpus.join("rules").join(name) };
        assert!(path.is_file(), "docs/RULES.md names {name}, which is not there");
    }
    for file in fs::read_dir(corpus.join("rules")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(named.contains(name.as_str()), "docs/RULES.md has no rule for rules/{name}");
    }
}

/// A page about a language has to show all of it: the examples together use every word of TP.
#[test]
fn the_tp_page_shows_every_word_of_the_language() {
    let code: String =
        examples().iter().flat_map(|program| program.source.lines().map(without_comment)).collect();
    let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric()).collect();
    for word in WORDS.split_whitespace() {
        assert!(words.contains(&word), "no example uses `{word}`");
    }
}

const WORDS: &str = "var lock sem event proc let if else while for in async await finish forall forasync \
                     isolated with set P V post wait print assert return skip get true false promise \
                     future new len";

fn without_comment(line: &str) -> String {
    line.split("//").next().unwrap_or_default().to_string() + "\n"
}
