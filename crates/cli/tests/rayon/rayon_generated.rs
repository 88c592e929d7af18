//! Generated rayon programs, run and recorded: is there a race where the definition of what rayon
//! orders says so, and nowhere else?
//!
//! The definition is a graph of steps, built as the program is written and searched naively; it
//! shares no code with what it judges. `RACEPROOF_CASES` programs (100 unless set), from seed
//! `RACEPROOF_SEED` on (0 unless set).
#![cfg(unix)]

use crate::common;
use crate::native;
use crate::rayon;

use common::command::{Folder, finish_within};
use common::seeds::seeds;
use native::generate::Random;
use native::toolchain::tool;
use rayon::{PATIENCE, build};
use std::fmt::Write;
use std::fs;

enum Item {
    Access {
        cell: u64,
        writes: bool,
    },
    Join([Vec<Item>; 2]),
    Scope(Vec<Item>),
    /// Into the scope of that number.
    Spawn(usize, Vec<Item>),
    Alone(Vec<Item>),
    Items(u64, Vec<Item>),
}

/// Something to do, inside of so many scopes.
fn body(random: &mut Random, depth: u32, scopes: usize, budget: &mut u32) -> Vec<Item> {
    let mut items = Vec::new();
    for _ in 0..=random.below(4) {
        if *budget == 0 {
            break;
        }
        *budget -= 1;
        let kind = if depth > 4 { 0 } else { random.below(14) };
        let mut inner = |random: &mut Random, scopes| body(random, depth + 1, scopes, budget);
        items.push(match kind {
            0..=5 => Item::Access { cell: random.below(3), writes: random.below(3) == 0 },
            6 | 7 => Item::Join([inner(random, scopes), inner(random, scopes)]),
            8..=10 if scopes > 0 => {
                let into = random.below(scopes as u64) as usize;
                Item::Spawn(into, inner(random, into + 1))
            }
            11 => Item::Items(2 + random.below(2), inner(random, scopes)),
            12 => Item::Alone(inner(random, 0)),
            _ => Item::Scope(inner(random, scopes + 1)),
        });
    }
    items
}

/// As `programs/rust/examples/words.rs` reads it.
fn words(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items {
        let _ = match item {
            Item::Access { cell, writes } => write!(text, "{}{cell} ", if *writes { 'w' } else { 'r' }),
            Item::Join([a, b]) => write!(text, "j({}|{}) ", words(a), words(b)),
            Item::Scope(body) => write!(text, "s({}) ", words(body)),
            Item::Spawn(into, body) => write!(text, "p{into}({}) ", words(body)),
            Item::Alone(body) => write!(text, "d({}) ", words(body)),
            Item::Items(count, body) => write!(text, "i{count}({}) ", words(body)),
        };
    }
    text
}

/// The steps of a program, each with those right before it, and what they access.
#[derive(Default)]
struct Steps {
    before: Vec<Vec<usize>>,
    accesses: Vec<(usize, u64, bool)>,
}

impl Steps {
    fn after(&mut self, before: Vec<usize>) -> usize {
        self.before.push(before);
        self.before.len() - 1
    }

    /// Does the items from a step on; the last step. `scopes` gathers the last steps of the jobs of
    /// each.
    fn add(&mut self, items: &[Item], mut now: usize, scopes: &mut Vec<Vec<usize>>) -> usize {
        for item in items {
            match item {
                Item::Access { cell, writes } => self.accesses.push((now, *cell, *writes)),
                Item::Join(sides) => now = self.parallel(&sides.each_ref().map(Vec::as_slice), now, scopes),
                Item::Items(count, body) => {
                    now = self.parallel(&vec![body.as_slice(); *count as usize], now, scopes)
                }
                Item::Scope(body) => {
                    scopes.push(Vec::new());
                    let last = self.add(body, now, scopes);
                    let mut waited = scopes.pop().expect("pushed above");
                    waited.push(last);
                    now = self.after(waited);
                }
                Item::Spawn(into, body) => {
                    let first = self.after(vec![now]);
                    let inner = scopes.split_off(into + 1);
                    let last = self.add(body, first, scopes);
                    scopes.extend(inner);
                    scopes[*into].push(last);
                    now = self.after(vec![now]);
                }
                Item::Alone(body) => {
                    let first = self.after(vec![now]);
                    self.add(body, first, &mut Vec::new());
                    now = self.after(vec![now]);
                }
            }
        }
        now
    }

    fn parallel(&mut self, bodies: &[&[Item]], now: usize, scopes: &mut Vec<Vec<usize>>) -> usize {
        let mut lasts = Vec::new();
        for body in bodies {
            let first = self.after(vec![now]);
            lasts.push(self.add(body, first, scopes));
        }
        self.after(lasts)
    }

    fn precedes(&self, a: usize, b: usize) -> bool {
        a == b || self.before[b].iter().any(|&before| self.precedes(a, before))
    }

    fn is_racy(&self) -> bool {
        let races = |&(a, cell, writes): &(usize, u64, bool)| {
            self.accesses.iter().any(|&(b, other, also)| {
                cell == other && (writes || also) && !self.precedes(a, b) && !self.precedes(b, a)
            })
        };
        self.accesses.iter().any(races)
    }
}

fn is_racy(items: &[Item]) -> bool {
    let mut steps = Steps::default();
    let first = steps.after(Vec::new());
    steps.add(items, first, &mut Vec::new());
    steps.is_racy()
}

#[test]
fn jobs_are_judged_by_what_rayon_orders() {
    let program = build("--examples", "dev").join("words");
    let folder = Folder::new("rayon-generated");
    let [report, trace] = ["report.json", "run.rpt"].map(|name| folder.path(name));
    let seeds = seeds(100);
    let (mut racy, cases) = (0, seeds.end - seeds.start);
    for seed in seeds {
        let items = body(&mut Random(seed), 0, 0, &mut 24);
        let (text, expected) = (words(&items), is_racy(&items));
        // In turns: as it is, with nothing kept that need not be, and recorded.
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&report);
        match seed % 3 {
            0 => {}
            1 => drop(command.env("RACEPROOF_OPTIONS", "collect=always")),
            _ => drop(command.arg("--trace").arg(&trace)),
        }
        command.arg("--").arg(&program).arg(&text);
        let _ = fs::remove_file(&report);
        let done = finish_within(&mut command, PATIENCE).expect("it runs");
        // Accesses and scopes alone have no second job: such a run proves nothing.
        let (status, verdict) = match (expected, text.contains(['j', 'p', 'd', 'i'])) {
            (true, _) => (1, "race"),
            (false, true) => (0, "race-free"),
            (false, false) => (3, "inconclusive"),
        };
        assert_eq!(done.status, Some(status), "seed {seed}: {text}: {}", done.said());
        let found = fs::read_to_string(&report).unwrap_or_default();
        let said = format!("\"verdict\": \"{verdict}\"");
        assert!(found.contains(&said), "seed {seed}: {text}: {verdict} expected, {}{found}", done.stderr);
        assert!(status != 0 || found.contains("all-schedules"), "seed {seed}: {text}: {found}");
        if seed % 3 == 2 {
            let analyzed =
                finish_within(tool().arg("analyze").arg(&trace), PATIENCE).expect("it is analyzed");
            assert_eq!(
                analyzed.status,
                Some(i32::from(expected)),
                "seed {seed}: {text}: {}",
                analyzed.said()
            );
        }
        racy += u64::from(expected);
    }
    assert!(
        cases < 100 || (racy > cases / 10 && racy < cases * 9 / 10),
        "{racy} of {cases} are racy: a test of one answer only"
    );
}
