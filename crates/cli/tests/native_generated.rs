//! Generated task programs, run as C with OpenMP and judged as TP: a taskwait is the `get` of all children, a group a
//! `finish`, a dependence a `get` at the start. `check` of TP is held to the oracle; this holds the native runtime to `check`.
//!
//! `RACEPROOF_CASES` programs (300 unless set), from seed `RACEPROOF_SEED` on (0 unless set).

mod common;
mod native;

use common::command::{Folder, finish_within, root};
use native::toolchain::{compile, tool};
use raceproof_cli::check::{Options, check};
use raceproof_cli::tp::compile::compile as compile_tp;
use raceproof_cli::tp::{self, source::Source};
use raceproof_core::finding::Verdict;
use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;
use std::{env, fs};

enum Item {
    Read(u64),
    Write(u64),
    Wait,
    /// A task, group or the like: its letter, its key, its body.
    Block(char, u64, Vec<Item>),
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn body(random: &mut Random, depth: u32, budget: &mut u32) -> Vec<Item> {
    let mut items = Vec::new();
    for _ in 0..=random.below(5) {
        if *budget == 0 {
            break;
        }
        *budget -= 1;
        items.push(match random.below(16) {
            0..=4 => Item::Read(random.below(3)),
            5..=7 => Item::Write(random.below(3)),
            8 | 9 => Item::Wait,
            choice if depth < 4 => {
                let letter = ['t', 't', 'i', 'o', 'g', 'f'][choice as usize - 10];
                Item::Block(letter, random.below(2), body(random, depth + 1, budget))
            }
            _ => continue,
        });
    }
    items
}

/// As the C program reads it.
fn words(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items {
        match item {
            Item::Read(x) => write!(text, "r{x}").unwrap(),
            Item::Write(x) => write!(text, "w{x}").unwrap(),
            Item::Wait => text.push('j'),
            Item::Block(letter @ ('i' | 'o'), key, body) => {
                write!(text, "{letter}{key}{{{}}}", words(body)).unwrap()
            }
            Item::Block(letter, _, body) => write!(text, "{letter}{{{}}}", words(body)).unwrap(),
        }
    }
    text
}

/// A task region: its children that were not waited for, and by key what came last and before that.
#[derive(Default)]
struct Region {
    children: Vec<u32>,
    keys: HashMap<u64, (char, Vec<u32>, Vec<u32>)>,
}

/// As TP.
fn tp_body(items: &[Item], region: &mut Region, next: &mut u32, text: &mut String) {
    for item in items {
        match item {
            Item::Read(x) => {
                *next += 1;
                writeln!(text, "let v{next} = x{x};").unwrap();
            }
            Item::Write(x) => writeln!(text, "x{x} = 1;").unwrap(),
            Item::Wait => {
                for child in region.children.drain(..) {
                    writeln!(text, "f[{child}].get();").unwrap();
                }
            }
            Item::Block('g', _, body) => {
                text.push_str("finish {\n");
                tp_body(body, region, next, text);
                text.push_str("}\n");
            }
            Item::Block('f', _, body) => tp_body(body, &mut Region::default(), next, text),
            Item::Block(letter, key, body) => {
                *next += 1;
                let own = *next;
                let mut waits = Vec::new();
                if *letter != 't' {
                    let (last, before, present) =
                        region.keys.entry(*key).or_insert((' ', Vec::new(), Vec::new()));
                    if !(*letter == 'i' && *last == 'i') {
                        *before = std::mem::take(present);
                    }
                    *last = *letter;
                    present.push(own);
                    waits.clone_from(before);
                }
                writeln!(text, "f[{own}] = future {{").unwrap();
                for before in waits {
                    writeln!(text, "f[{before}].get();").unwrap();
                }
                tp_body(body, &mut Region::default(), next, text);
                text.push_str("};\n");
                region.children.push(own);
            }
        }
    }
}

fn is_racy_as_tp(items: &[Item]) -> bool {
    let (mut text, mut next) = (String::new(), 0);
    tp_body(items, &mut Region::default(), &mut next, &mut text);
    let text = format!("var x0; var x1; var x2; var f[200];\nproc main() {{\nfinish {{\n{text}}}\n}}\n");
    let program = tp::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
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
    compile(&root().join("crates/cli/tests/native/tasks.c"), "-O1", &[], &program).expect("it compiles");
    let report = folder.path("report.json");
    let first = setting("RACEPROOF_SEED", 0);
    let (mut racy, cases) = (0, setting("RACEPROOF_CASES", 300));
    for seed in first..first + cases {
        let items = body(&mut Random(seed), 0, &mut 16);
        let expected = is_racy_as_tp(&items);
        let text = words(&items);
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&report).arg("--").arg(&program).arg(&text);
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
