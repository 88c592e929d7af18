//! Plain and atomic accesses of the same variables from several places, by generated tasks, judged
//! by an oracle that knows every pair: the native runtime finds a race on exactly the variables
//! that have one, and reports only pairs of accesses that race.
//!
//! `RACEPROOF_CASES` programs (100 unless set), from seed `RACEPROOF_SEED` on (0 unless set).
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Folder, finish_within, root};
use common::seeds::seeds;
use native::generate::Random;
use native::toolchain::{compile, tool};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

const KINDS: [char; 16] = ['a', 'a', 'a', 'a', 'a', 'a', 'r', 'r', 'r', 'u', 'u', 's', 'w', 'a', 'r', 'u'];
const PLACES: [char; 3] = ['p', 'q', 'z'];
/// As long as `chain` of the program is.
const CHAIN: u32 = 12;

/// A task that reads, late, what its creator wrote when it had begun, while a reader stands for it
/// that comes after the write.
const LATE: &str = "t{ya1pa0p}t{a1p}t{a1p}w0pt{a0pa1p}t{a0pa1p}j";

/// What the program does, in the words that it reads.
fn body(random: &mut Random, depth: u32, budget: &mut u32, is_chained: bool) -> String {
    let mut words = String::new();
    for _ in 0..=random.below(6) {
        if *budget == 0 {
            break;
        }
        *budget -= 1;
        match random.below(22) {
            0..=9 => {
                // Without too many plain writes: nearly everything races with those.
                let kind = KINDS[random.below(16) as usize];
                let kind = if kind == 'w' && random.below(3) > 0 { 'a' } else { kind };
                let place = PLACES[random.below(3) as usize];
                words.push_str(&format!("{kind}{}{place}", random.below(3)));
            }
            10 | 11 => words.push('j'),
            // Of those that go first some begin, and some are half done.
            20.. => words.push('y'),
            12 if !is_chained && depth < 3 => {
                words.push_str(&format!("d{{{}}}", body(random, depth + 1, budget, true)));
            }
            choice if depth < 5 => {
                let letter = if choice < 17 { 't' } else { ['f', 'g', 't'][choice as usize - 17] };
                words.push_str(&format!("{letter}{{{}}}", body(random, depth + 1, budget, is_chained)));
            }
            _ => {}
        }
    }
    words
}

/// Accesses, by number: a bit each.
#[derive(Clone, Default)]
struct Set(Vec<u64>);

impl Set {
    fn add(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    fn join(&mut self, other: &Set) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(to, from)| *to |= from);
    }
}

/// An access: what the program calls it, and what precedes it.
struct Access<'a> {
    name: &'a str,
    past: Set,
}

/// The program, done in the order of its words.
#[derive(Default)]
struct Oracle<'a> {
    accesses: Vec<Access<'a>>,
    /// For each group, what its tasks have done.
    groups: Vec<Set>,
}

/// A task region.
#[derive(Clone, Default)]
struct Region {
    past: Set,
    /// What the children have done that were not waited for.
    children: Set,
    groups: Vec<usize>,
}

fn block(words: &str) -> (&str, &str) {
    let mut depth = 0;
    let end = words.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    let end = end.expect("blocks are closed");
    (&words[1..end], &words[end + 1..])
}

impl<'a> Oracle<'a> {
    fn run(&mut self, mut words: &'a str, region: &mut Region) {
        while let Some(letter) = words.chars().next() {
            if "rwasu".contains(letter) {
                let number = self.accesses.len();
                self.accesses.push(Access { name: &words[..3], past: region.past.clone() });
                region.past.add(number);
                words = &words[3..];
                continue;
            }
            words = &words[1..];
            if letter == 'y' {
                continue;
            }
            if letter == 'j' {
                let Region { past, children, .. } = region;
                past.join(children);
                continue;
            }
            let inner;
            (inner, words) = block(words);
            match letter {
                't' => self.spawn(region, |oracle, own| oracle.run(inner, own)),
                'f' => {
                    let mut own = Region { children: Set::default(), ..region.clone() };
                    self.run(inner, &mut own);
                    region.past = own.past;
                }
                'g' => {
                    region.groups.push(self.groups.len());
                    self.groups.push(Set::default());
                    self.run(inner, region);
                    let group = region.groups.pop().expect("it was put there");
                    region.past.join(&self.groups[group]);
                }
                'd' => self.chain(CHAIN, inner, region),
                other => panic!("{other} is no word"),
            }
        }
    }

    fn spawn(&mut self, region: &mut Region, work: impl FnOnce(&mut Self, &mut Region)) {
        let mut own = Region { children: Set::default(), ..region.clone() };
        work(self, &mut own);
        region.children.join(&own.past);
        for &group in &region.groups {
            self.groups[group].join(&own.past);
        }
    }

    fn chain(&mut self, length: u32, words: &'a str, region: &mut Region) {
        self.run(words, region);
        if length > 1 {
            self.spawn(region, |oracle, own| oracle.chain(length - 1, words, own));
            let Region { past, children, .. } = region;
            past.join(children);
        }
        self.run(words, region);
    }

    /// The pairs of accesses that race, by their names, the earlier first.
    fn races(&self) -> BTreeSet<(&'a str, &'a str)> {
        let is_atomic = |name: &str| name.starts_with(['a', 's', 'u']);
        let writes = |name: &str| !name.starts_with(['a', 'r']);
        let mut races = BTreeSet::new();
        for (at, later) in self.accesses.iter().enumerate() {
            for (before, earlier) in self.accesses[..at].iter().enumerate() {
                let (one, other) = (earlier.name, later.name);
                if one[1..2] == other[1..2]
                    && (writes(one) || writes(other))
                    && !(is_atomic(one) && is_atomic(other))
                    && !later.past.has(before)
                {
                    races.insert((one, other));
                }
            }
        }
        races
    }
}

/// The pairs that a report tells of.
fn reported(report: &str) -> BTreeSet<(String, String)> {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|error| panic!("{error}: {report}"));
    let function = |access: &Value| access["stack"][0]["function"].as_str().expect("it is known").to_owned();
    let races = report["races"].as_array().expect("a list");
    races.iter().map(|race| (function(&race["first"]), function(&race["second"]))).collect()
}

#[test]
fn plain_and_atomic_accesses_are_told_apart() {
    let folder = Folder::new("native-atomics");
    let program = folder.path("atomics");
    compile(&root().join("crates/cli/tests/support/native/atomics.c"), "-O1", &[], &program)
        .expect("it compiles");
    let report = folder.path("report.json");
    let seeds = seeds(100);
    let (mut racy, mut clean, cases) = (0, 0, seeds.end - seeds.start);
    for seed in seeds {
        let words = if seed == 0 { LATE.to_owned() } else { body(&mut Random(seed), 0, &mut 40, false) };
        let mut oracle = Oracle::default();
        oracle.run(&words, &mut Region::default());
        let expected = oracle.races();
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&report).arg("--").arg(&program).arg(&words);
        if seed % 2 == 1 {
            command.env("RACEPROOF_OPTIONS", "collect=always");
        }
        let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs");
        let found = reported(&fs::read_to_string(&report).unwrap_or_default());
        for (one, other) in &found {
            let is_true = [(one, other), (other, one)]
                .iter()
                .any(|(a, b)| expected.contains(&(a.as_str(), b.as_str())));
            assert!(is_true, "seed {seed}: {words}: {one} and {other} do not race: {}", done.stderr);
        }
        for variable in ["0", "1", "2"] {
            let has = expected.iter().any(|(name, _)| &name[1..2] == variable);
            let is_found = found.iter().any(|(name, _)| &name[1..2] == variable);
            assert_eq!(is_found, has, "seed {seed}: v{variable}: {words}: {}", done.stderr);
            let used = oracle.accesses.iter().filter(|access| &access.name[1..2] == variable).count() > 1;
            racy += u64::from(has);
            clean += u64::from(used && !has);
        }
    }
    println!("{racy} variables race, {clean} do not");
    assert!(
        cases < 100 || (racy > cases / 2 && clean > cases / 2),
        "{racy} race, {clean} do not: a test of one answer only"
    );
}
