//! Findings: what is reported, as data. Renderers see these and nothing else of the analysis.
//!
//! The serialised form of [`Report`] is the JSON report, schema 1; DESIGN and the user's guide
//! document it.

mod coverage;
mod measured;
mod native;
pub mod witness;

pub use coverage::{Coverage, FrontEnd, Note, PartKind, Uninstrumented};
pub use measured::Measured;
pub use native::{Construct, Object, Operation, Region, Related, SetBefore, place_and_calls};

use crate::event::AccessKind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::SystemTime;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    RaceFree,
    Inconclusive,
    Deadlock,
    ProgramError,
    Race,
}

/// What the verdict covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Every schedule of the program on this input.
    AllSchedules,
    /// The schedule that was run, and what its order of synchronisation allows.
    ObservedSchedule,
}

/// How sure a race is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    Infeasible,
    Apparent,
    Feasible,
    Actual,
}

/// A place in a source file; lines and columns count from 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Place {
    /// Whether it is in a Fortran source, by the name of the file.
    pub fn is_fortran(&self) -> bool {
        const EXTENSIONS: [&str; 8] = ["f", "for", "f77", "f90", "f95", "f03", "f08", "f18"];
        let extension = self.file.rsplit_once('.').map_or("", |(_, extension)| extension);
        EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
    }

    /// What a directive of OpenMP begins with there.
    pub fn sentinel(&self) -> &'static str {
        if self.is_fortran() { "!$omp" } else { "#pragma omp" }
    }
}

/// A call that had not returned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Frame {
    /// The function that was called.
    pub function: String,
    /// Where it was called.
    #[serde(flatten)]
    pub call: Place,
}

/// One spawn on the way from `main` to a task, outermost first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spawned {
    /// The task that was spawned.
    pub task: String,
    #[serde(flatten)]
    pub at: Place,
    /// What spawned it, in a native program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub construct: Option<Construct>,
    /// Its number in the team, if the construct makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// The name that the program has given to it, if it is a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RaceAccess {
    pub access: AccessKind,
    /// The task by its spawn path: `main/2/1` is the first child of main's second child.
    pub task: String,
    #[serde(flatten)]
    pub at: Place,
    /// The calls that led to the access, innermost first; empty in the body of the task itself.
    pub stack: Vec<Frame>,
    /// The spawns that led to the task, outermost first; empty for `main`.
    pub spawned: Vec<Spawned>,
    /// The locks held, by name (`isolated` for an isolated section).
    pub locks: Vec<String>,
    #[serde(default, skip_serializing_if = "Operation::is_plain")]
    pub operation: Operation,
    /// The function of the C library that makes the access for the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// How many bytes are accessed, in a native program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The worksharing construct it stands in, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Race {
    /// The name of its cause in later runs; empty until the report is about to be written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The name of the cell: `x`, `a[3]`, `new@7[0]`.
    pub location: String,
    pub grade: Grade,
    /// Which group of races it belongs to, 1 being the races to fix first.
    pub partition: u32,
    /// Indices into `races` of those it may be a mere consequence of.
    pub artifact_of: Vec<u32>,
    pub first: RaceAccess,
    pub second: RaceAccess,
    /// The task in which the ways to the two accesses part.
    pub fork: String,
    /// How many times a later access met an earlier one of this pair in the run.
    pub count: u64,
    /// A schedule after which both accesses are next, for `replay`; absent if none is known.
    pub witness: Option<Witness>,
    /// What the location is a part of, in a native program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Object>,
    /// A promise that the task of one access has set before it, and the other has waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<SetBefore>,
}

impl Race {
    /// A race of which only its two sides are known: it was met once, and no schedule that shows it
    /// is known. `fork` is the task in which the ways to the two accesses part.
    pub fn new(location: String, grade: Grade, fork: String, [first, second]: [RaceAccess; 2]) -> Race {
        Race {
            id: String::new(),
            location,
            grade,
            partition: 1,
            artifact_of: Vec::new(),
            first,
            second,
            fork,
            count: 1,
            witness: None,
            object: None,
            promise: None,
        }
    }
}

/// A schedule: runs of actions of one task each. An action is one access or one synchronisation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Witness {
    /// Which program it belongs to: a fingerprint of the source, where the front end has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Of an OpenMP program: the team that it needs, where that is not the one of the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<WitnessTeam>,
    pub schedule: Vec<Segment>,
    /// After `verify`: the sections that its tasks enter, in this order, of the locks that several
    /// tasks take; the last ones of many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<EnteredSection>,
}

/// The size of the teams of an execution, and which thread executes what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WitnessTeam {
    pub size: u32,
    /// The number of the assignment of work to threads: 0 is the runtime's usual one.
    pub assignment: u32,
}

/// A task enters a section of a lock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnteredSection {
    pub task: String,
    /// The lock by name, `isolated` for an isolated section.
    pub lock: String,
    /// Where: of a TP program, its first access inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Place>,
}

impl Witness {
    /// Sections kept in a witness.
    pub const SECTIONS: usize = 64;

    /// Keeps of all sections that were entered, in this order, those that say something: of locks
    /// that several tasks take.
    pub fn keep_sections(&mut self, all: Vec<EnteredSection>) {
        let is_shared = |section: &EnteredSection| {
            all.iter().any(|other| other.lock == section.lock && other.task != section.task)
        };
        let shared: Vec<EnteredSection> = all.iter().filter(|section| is_shared(section)).cloned().collect();
        self.sections = shared[shared.len().saturating_sub(Self::SECTIONS)..].to_vec();
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Segment {
    /// The task, by its spawn path.
    pub task: String,
    pub actions: u64,
}

/// A task that cannot go on, and what it waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiting {
    pub task: String,
    /// `promise`, `future`, `finish`, `lock`, `semaphore`, `event`, `isolated`; in a native program
    /// also `task`, `detach event`, `thread`, `threads`, `mutex`, `reader-writer lock`, `condition
    /// variable`, `barrier`, `initialisation`, `futex`, `unpark`, `system call`, and `change` of a
    /// task that looks at a variable again and again (a livelock).
    pub on: String,
    /// What it is called, where it has a name: the lock `l`, the promise made at line 4.
    pub what: String,
    /// The task that holds it or that has to end, where one is known.
    pub held_by: Option<String>,
    /// If that task has ended without releasing it: where it took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder_ended: Option<Place>,
    #[serde(flatten)]
    pub at: Place,
    pub stack: Vec<Frame>,
    pub spawned: Vec<Spawned>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deadlock {
    /// The name of its cause in later runs; empty until the report is about to be written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    pub waiting: Vec<Waiting>,
    pub witness: Option<Witness>,
}

/// A failed assertion, an index out of bounds, a second set, …
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramError {
    /// The name of its cause in later runs; empty until the report is about to be written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// A short stable name of the kind: `assertion`, `bounds`, `division`, `second-set`, …
    pub kind: String,
    pub message: String,
    pub task: String,
    #[serde(flatten)]
    pub at: Place,
    pub stack: Vec<Frame>,
    pub spawned: Vec<Spawned>,
    pub witness: Option<Witness>,
    /// Other places that have to do with it, in a native program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

/// Nondeterminism that is no data race: two sections, sets or the like whose order the schedule
/// chooses, and that do not commute as far as can be seen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GeneralRace {
    /// The name of its cause in later runs; empty until the report is about to be written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// `sections`, `sets`, `posts`, `takes` (P), `gives` (V).
    pub kind: String,
    /// What they pass through: `isolated`, the lock `l`, the promise made at line 4.
    pub on: String,
    /// The cell that both sections access and one of them writes.
    pub location: Option<String>,
    pub first: GeneralSide,
    pub second: GeneralSide,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GeneralSide {
    pub task: String,
    /// What is done to the cell, and where, if there is one.
    pub access: Option<AccessKind>,
    pub at: Option<Place>,
}

/// A report beside a baseline, by the ids of causes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Baseline {
    /// Found, and not in the baseline.
    pub new: Vec<String>,
    /// Found, and in the baseline.
    pub known: Vec<String>,
    /// In the baseline, and not found.
    pub gone: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stats {
    pub executions: u64,
    /// About how many more it would take to see all schedules, where a search has ended before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executions_left: Option<u64>,
    /// If chance has picked the schedules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<RandomSearch>,
    pub tasks: u64,
    pub steps: u64,
    pub reads: u64,
    pub writes: u64,
    /// Wall-clock time; not a number where it is written elsewhere. See [`measured`].
    #[serde(skip)]
    pub seconds: f64,
}

/// What a random search was given and has met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RandomSearch {
    /// The same seed and number of executions give the same report.
    pub seed: u64,
    /// How many of the executions differ by more than the order of what is independent.
    pub distinct: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    pub tool: Cow<'static, str>,
    pub version: Cow<'static, str>,
    pub schema: u32,
    pub verdict: Verdict,
    pub scope: Scope,
    /// Whether every schedule ends in the same state; absent where that is not known.
    pub determinate: Option<bool>,
    /// The name of the detector that was used.
    pub detector: String,
    pub races: Vec<Race>,
    pub deadlocks: Vec<Deadlock>,
    pub errors: Vec<ProgramError>,
    /// Filled only if asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub general_races: Vec<GeneralRace>,
    /// The tests that the report is about, each of which was judged by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestCase>,
    /// Why the verdict is no more certain than it is: a limit that was reached, and what to do.
    pub limits: Vec<String>,
    /// Sizes that the teams (pools, for rayon) of a native program had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<u32>,
    /// How many races, deadlocks and program errors the user's suppressions kept out of the report.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub suppressed: u64,
    /// What of it the user's baseline knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// What the verdict rests on, of a native program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// The command that decides what the verdict leaves open, where the scope is the observed
    /// schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_command: Option<String>,
    /// When a native program was built, where that is known: its sources may be newer.
    #[serde(skip)]
    pub built: Option<SystemTime>,
    /// Files that are newer and have the text it was built from nevertheless, as a place names
    /// them.
    #[serde(skip)]
    pub unchanged: BTreeSet<String>,
    /// Last, since what was measured goes with it.
    #[serde(flatten, with = "measured")]
    #[cfg_attr(feature = "schema", schemars(with = "measured::Written<'static>"))]
    pub stats: Stats,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// A test of Rust's harness, which was judged by itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestCase {
    /// The program that it belongs to.
    pub program: String,
    pub name: String,
    /// Where the test begins; no file and line 0 if the harness does not say.
    #[serde(flatten)]
    pub at: Place,
    pub verdict: Verdict,
    /// The ids of its findings.
    pub findings: Vec<String>,
}

impl Report {
    pub const TOOL: &'static str = "raceproof";
    pub const SCHEMA: u32 = 1;

    /// A report of one execution in which nothing was found, and which says nothing of other
    /// schedules. What is known beyond that is filled in: `Report { races, ..Report::new(detector)
    /// }.judged()`.
    pub fn new(detector: impl Into<String>) -> Self {
        Report {
            tool: Self::TOOL.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            schema: Self::SCHEMA,
            verdict: Verdict::RaceFree,
            scope: Scope::ObservedSchedule,
            determinate: None,
            detector: detector.into(),
            races: Vec::new(),
            deadlocks: Vec::new(),
            errors: Vec::new(),
            general_races: Vec::new(),
            tests: Vec::new(),
            limits: Vec::new(),
            threads: Vec::new(),
            suppressed: 0,
            baseline: None,
            coverage: None,
            next_command: None,
            built: None,
            unchanged: BTreeSet::new(),
            stats: Stats { executions: 1, ..Stats::default() },
        }
    }

    /// With the verdict that its findings and limits amount to.
    #[must_use]
    pub fn judged(mut self) -> Self {
        self.verdict = Report::judge(&self.races, &self.errors, &self.deadlocks, &self.limits);
        self
    }

    /// Says in every witness which program it belongs to.
    pub fn stamp(&mut self, program: &str) {
        let races = self.races.iter_mut().map(|race| &mut race.witness);
        let deadlocks = self.deadlocks.iter_mut().map(|deadlock| &mut deadlock.witness);
        let errors = self.errors.iter_mut().map(|error| &mut error.witness);
        for witness in races.chain(deadlocks).chain(errors).flatten() {
            witness.program = Some(program.to_owned());
        }
    }

    /// The gravest of what was found: race, program error, deadlock, inconclusive, race-free.
    pub fn judge(
        races: &[Race],
        errors: &[ProgramError],
        deadlocks: &[Deadlock],
        limits: &[String],
    ) -> Verdict {
        if !races.is_empty() {
            Verdict::Race
        } else if !errors.is_empty() {
            Verdict::ProgramError
        } else if !deadlocks.is_empty() {
            Verdict::Deadlock
        } else if !limits.is_empty() {
            Verdict::Inconclusive
        } else {
            Verdict::RaceFree
        }
    }
}
