//! The expectations in the header of a TP program, and where the programs are.
//!
//! `programs/tp/README.md` documents the format for those who write programs; this is its reader. A
//! header that cannot be read is an error of the test that reads it, never an absent expectation.
#![allow(dead_code)] // each test crate uses its own part

use raceproof_core::event::AccessKind;
use raceproof_core::finding;
use raceproof_tp::{self as tp, code::Code, compile::compile, source::Source};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A TP program with what it is expected to show.
pub(crate) struct Program {
    /// The path below `programs/tp`, without `.tp`, or the heading in a document.
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) expected: Expected,
}

impl Program {
    pub(crate) fn compiled(&self) -> Code {
        let tree = tp::parse(&self.source).expect("corpus.rs and docs.rs parse every program");
        compile(&tree, &Source::new(&self.name, &self.source))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    RaceFree,
    Race,
    Deadlock,
    ProgramError,
}

impl Verdict {
    /// A reported verdict; none for `inconclusive`, which no header expects.
    pub(crate) fn of(verdict: finding::Verdict) -> Option<Verdict> {
        match verdict {
            finding::Verdict::RaceFree => Some(Verdict::RaceFree),
            finding::Verdict::Deadlock => Some(Verdict::Deadlock),
            finding::Verdict::ProgramError => Some(Verdict::ProgramError),
            finding::Verdict::Race => Some(Verdict::Race),
            finding::Verdict::Inconclusive => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    AllSchedules,
    ObservedSchedule,
}

impl From<finding::Scope> for Scope {
    fn from(scope: finding::Scope) -> Self {
        match scope {
            finding::Scope::AllSchedules => Scope::AllSchedules,
            finding::Scope::ObservedSchedule => Scope::ObservedSchedule,
        }
    }
}

/// A line and a column, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct At {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl From<&finding::Place> for At {
    fn from(place: &finding::Place) -> Self {
        At { line: place.line, column: place.column }
    }
}

/// One access of a race: where it is, and whether it is a write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Access {
    pub(crate) at: At,
    pub(crate) write: bool,
}

impl From<&finding::RaceAccess> for Access {
    fn from(access: &finding::RaceAccess) -> Self {
        Access { at: At::from(&access.at), write: access.access == AccessKind::Write }
    }
}

/// A racy cell with one pair of sites, the smaller first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Race {
    pub(crate) location: String,
    pub(crate) first: Access,
    pub(crate) second: Access,
}

impl Race {
    pub(crate) fn new(location: impl Into<String>, a: Access, b: Access) -> Self {
        Race { location: location.into(), first: a.min(b), second: a.max(b) }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Error {
    pub(crate) kind: String,
    pub(crate) at: At,
}

impl From<&finding::Race> for Race {
    fn from(race: &finding::Race) -> Self {
        Race::new(&race.location, (&race.first).into(), (&race.second).into())
    }
}

impl From<&finding::ProgramError> for Error {
    fn from(error: &finding::ProgramError) -> Self {
        Error { kind: error.kind.clone(), at: At::from(&error.at) }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expected {
    /// Over all schedules.
    pub(crate) verdict: Verdict,
    /// Of one depth-first run.
    pub(crate) check: Verdict,
    /// Of that run's verdict; documents need not say it.
    pub(crate) scope: Option<Scope>,
    pub(crate) nodes: Option<u64>,
    /// Over all schedules; ranges are spread out, a race for each cell.
    pub(crate) races: BTreeSet<Race>,
    /// Over all schedules.
    pub(crate) errors: BTreeSet<Error>,
}

const ERROR_KINDS: [&str; 11] = [
    "assertion",
    "second-set",
    "bounds",
    "division",
    "forbidden-in-isolated",
    "lock-held",
    "not-a-promise",
    "set-on-future",
    "not-an-array",
    "reference-arithmetic",
    "negative-size",
];

impl Expected {
    /// Reads the comment lines at the top of `source`.
    pub(crate) fn read(source: &str) -> Result<Self, String> {
        let (mut verdict, mut check, mut scope, mut nodes) = (None, None, None, None);
        let (mut races, mut errors) = (BTreeSet::new(), BTreeSet::new());
        for line in source.lines().map_while(|line| line.strip_prefix("//")) {
            let Some((key, value)) = line.trim().split_once(": ") else { continue };
            match key {
                "expect" => once(&mut verdict, value)?,
                "check" => once(&mut check, value)?,
                "scope" => once(&mut scope, value)?,
                "nodes" => once(&mut nodes, value)?,
                "race" => read_race(value, &mut races)?,
                "error" => read_error(value, &mut errors)?,
                _ => {}
            }
        }
        let verdict = verdict.ok_or("no `// expect:` line")?;
        if check == Some(verdict) {
            return Err("`// check:` says what `// expect:` says already".into());
        }
        let gravest = match (races.is_empty(), errors.is_empty()) {
            (false, _) => Some(Verdict::Race),
            (true, false) => Some(Verdict::ProgramError),
            (true, true) => None,
        };
        let told = matches!(verdict, Verdict::Race | Verdict::ProgramError).then_some(verdict);
        if gravest != told {
            return Err(format!("expected {verdict:?}, but the races and errors listed say {gravest:?}"));
        }
        Ok(Expected { verdict, check: check.unwrap_or(verdict), scope, nodes, races, errors })
    }
}

fn once<T: FromStr<Err: fmt::Display>>(slot: &mut Option<T>, value: &str) -> Result<(), String> {
    let value = value.parse().map_err(|error| format!("`{value}`: {error}"))?;
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err("a line of the header stands twice".into()),
    }
}

fn read_race(value: &str, races: &mut BTreeSet<Race>) -> Result<(), String> {
    let bad = || format!("`{value}` is not LOCATION LINE:COL(r|w) LINE:COL(r|w)");
    let [location, a, b] = value.split_whitespace().collect::<Vec<_>>()[..] else { return Err(bad()) };
    let (a, b): (Access, Access) = (a.parse()?, b.parse()?);
    if a > b || !(a.write || b.write) {
        return Err(format!("`{value}`: the smaller site comes first, and one must be a write"));
    }
    for cell in cells(location).ok_or_else(bad)? {
        if !races.insert(Race::new(cell, a, b)) {
            return Err(format!("race `{value}` stands twice"));
        }
    }
    Ok(())
}

/// `a[1..4]` is `a[1]`, `a[2]` and `a[3]`; anything else is itself.
fn cells(location: &str) -> Option<Vec<String>> {
    let Some((from, to)) = location.split_once("..") else { return Some(vec![location.into()]) };
    let (name, from) = from.split_once('[')?;
    let (from, to): (u64, u64) = (from.parse().ok()?, to.strip_suffix(']')?.parse().ok()?);
    (from < to).then(|| (from..to).map(|i| format!("{name}[{i}]")).collect())
}

fn read_error(value: &str, errors: &mut BTreeSet<Error>) -> Result<(), String> {
    let (kind, at) = value.split_once(' ').ok_or_else(|| format!("`{value}` is not KIND LINE:COL"))?;
    if !ERROR_KINDS.contains(&kind) {
        return Err(format!("`{kind}` is no kind of program error"));
    }
    if !errors.insert(Error { kind: kind.into(), at: at.parse()? }) {
        return Err(format!("error `{value}` stands twice"));
    }
    Ok(())
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not LINE:COL");
        let (line, column) = text.split_once(':').ok_or_else(bad)?;
        Ok(At { line: line.parse().map_err(|_| bad())?, column: column.parse().map_err(|_| bad())? })
    }
}

impl FromStr for Access {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text.strip_suffix('r'), text.strip_suffix('w')) {
            (Some(at), _) => Ok(Access { at: at.parse()?, write: false }),
            (_, Some(at)) => Ok(Access { at: at.parse()?, write: true }),
            _ => Err(format!("`{text}` does not end in r or w")),
        }
    }
}

impl FromStr for Verdict {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "race-free" => Ok(Verdict::RaceFree),
            "race" => Ok(Verdict::Race),
            "deadlock" => Ok(Verdict::Deadlock),
            "program-error" => Ok(Verdict::ProgramError),
            _ => Err("no verdict".into()),
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all-schedules" => Ok(Scope::AllSchedules),
            "observed-schedule" => Ok(Scope::ObservedSchedule),
            _ => Err("no scope".into()),
        }
    }
}

/// The programs whose headers say what `check` and `verify` report.
pub(crate) fn corpus() -> impl Iterator<Item = Program> {
    ["zipper", "examples"].into_iter().flat_map(programs)
}

/// The programs in a folder of `programs/tp`, by name.
pub(crate) fn programs(folder: &str) -> Vec<Program> {
    let folder_path = repository().join("programs/tp").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder_path)
        .unwrap_or_else(|error| panic!("{}: {error}", folder_path.display()))
        .map(|entry| entry.expect("a folder of the corpus can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tp"))
        .collect();
    files.sort();
    files.iter().map(|file| program(folder, file)).collect()
}

fn program(folder: &str, file: &Path) -> Program {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{folder}/{stem}");
    let source = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = Expected::read(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
    Program { name, source, expected }
}

/// The whole TP programs in a document: its blocks fenced as `tp`, named by the heading above and a
/// number.
pub(crate) fn programs_in(document: &str) -> Vec<Program> {
    let path = repository().join(document);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found: Vec<Program> = Vec::new();
    let mut heading = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix('#') {
            heading = title.trim_start_matches('#').trim().to_string();
        } else if line == "```tp" {
            let source: String =
                lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            let name = format!("{document}, {heading}, {}", found.len() + 1);
            let expected =
                Expected::read(&source).unwrap_or_else(|error| panic!("{name}: {error}\n{source}"));
            found.push(Program { name, source, expected });
        }
    }
    found
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
