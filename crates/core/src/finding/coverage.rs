//! Which code, and how much of its parallelism, a verdict about a native program rests on.
//!
//! The runtime inside the program fills a [`Coverage`] at the end of a run; runs are joined;
//! [`Report::bound`] takes back what the coverage does not carry. What is known when a unit is
//! compiled or linked travels to the runtime as a [`Note`].

use super::{Place, Report, Scope, Verdict};
use serde::{Deserialize, Serialize};

/// Whose words a report uses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FrontEnd {
    /// Teams of threads.
    #[default]
    Openmp,
    /// Pools of threads.
    Rayon,
    /// Workers that run tasks.
    Hclib,
}

/// What a part of a program is that was not instrumented.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PartKind {
    Object,
    /// A static library; `parts` names its objects.
    Archive,
    /// A shared library.
    Library,
    /// The code of Rust's standard library that is compiled once for all programs.
    StandardLibrary,
    /// The shared libraries of the system, in `parts`.
    System,
}

impl PartKind {
    /// Whether it comes with the system or the compiler, so that its user cannot have it
    /// instrumented.
    pub fn is_provided(self) -> bool {
        matches!(self, PartKind::System | PartKind::StandardLibrary)
    }
}

/// A part of the program whose accesses are not seen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Uninstrumented {
    pub kind: PartKind,
    /// The file, as the linker was given it.
    pub name: String,
    /// What of it, where that is not all: objects of an archive, files of the system.
    pub parts: Vec<String>,
}

/// What a unit or a link says of itself; kept in the program, one ELF note each.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    Uninstrumented(Uninstrumented),
    /// A `#pragma omp` that was compiled without `-fopenmp`.
    IgnoredPragma(Place),
}

impl Note {
    /// The owner and the type of the ELF note.
    pub const OWNER: &str = "raceproof";
    pub const TYPE: u32 = 1;
    pub const SECTION: &str = ".note.raceproof";
}

/// What the runs of a report observed of the program.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coverage {
    pub front_end: FrontEnd,
    /// Whether the program came to its end by itself in every run.
    pub complete: bool,
    /// Whether a task, or a team of more than one thread, existed beside `main` in some run; none
    /// if that is not known.
    pub parallel: Option<bool>,
    /// The sizes that teams (pools, for rayon) had, ascending.
    pub teams: Vec<u32>,
    /// Whether a verdict about all schedules holds for every size that the program lets its teams
    /// have, and not only for those that they had.
    #[serde(default)]
    pub all_sizes: bool,
    /// Why it does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes_bound_by: Vec<String>,
    pub uninstrumented: Vec<Uninstrumented>,
    /// Each `#pragma omp` that was compiled without `-fopenmp`.
    pub ignored_pragmas: Vec<Place>,
    /// Parallel iterators that could be split without end, and taskloops of very many iterations:
    /// what was left of each stayed together in one task, and was not compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsplit: Vec<Place>,
    /// Options that kept the detector from looking.
    pub blinded_by: Vec<String>,
    /// Of a search: threads took several chunks of a loop, in all executions the same ones. Another
    /// deal may have other orders of sections. Of a run: nothing marks the iterations of a loop that
    /// the implementation may deal out as it likes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_deal: bool,
    /// Of a search: threads waited at condition variables, and no such wait ended by itself, as the
    /// standards allow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_spurious_wakeups: bool,
    /// By number, the assignments of work to threads that were judged, where the verdict may depend
    /// on them: tasks of one thread that had asked for its number accessed the same memory, and
    /// were not compared. Empty: it holds for every assignment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignments: Vec<u32>,
}

/// How the limits begin that follow from the coverage.
const NOTHING_PARALLEL: &str = "nothing ran in parallel";
const BLINDED: &str = "the detector was switched off";
const STRICT: &str = "--strict:";

/// Things that are named before "and N more".
const NAMED: usize = 3;

impl Coverage {
    /// Adds what the program says of itself.
    pub fn note(&mut self, note: Note) {
        match note {
            Note::Uninstrumented(part) => self.add_part(part),
            Note::IgnoredPragma(place) => add(&mut self.ignored_pragmas, [place]),
        }
        self.uninstrumented.sort();
        self.ignored_pragmas.sort();
    }

    /// The libraries of the system are one entry, whoever names them.
    fn add_part(&mut self, part: Uninstrumented) {
        match self.uninstrumented.iter_mut().find(|known| known.kind == part.kind && known.name == part.name)
        {
            Some(known) => {
                add(&mut known.parts, part.parts);
                known.parts.sort();
            }
            None => self.uninstrumented.push(part),
        }
    }

    /// What this run and another observed.
    pub fn join(&mut self, other: Coverage) {
        self.complete &= other.complete;
        self.parallel = match (self.parallel, other.parallel) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
        self.one_deal |= other.one_deal;
        self.no_spurious_wakeups |= other.no_spurious_wakeups;
        add(&mut self.assignments, other.assignments);
        self.assignments.sort_unstable();
        add(&mut self.teams, other.teams);
        self.all_sizes &= other.all_sizes;
        add(&mut self.sizes_bound_by, other.sizes_bound_by);
        other.uninstrumented.into_iter().for_each(|part| self.add_part(part));
        add(&mut self.ignored_pragmas, other.ignored_pragmas);
        add(&mut self.unsplit, other.unsplit);
        self.unsplit.sort();
        add(&mut self.blinded_by, other.blinded_by);
        self.teams.sort_unstable();
        self.uninstrumented.sort();
        self.ignored_pragmas.sort();
    }

    /// Parts that could have been instrumented, or compiled with OpenMP, and were not.
    fn omitted(&self) -> Vec<String> {
        let parts = self.uninstrumented.iter().filter(|part| !part.kind.is_provided());
        let parts = parts.map(|part| format!("{} is not instrumented", part.name));
        let pragmas = self.ignored_pragmas.iter();
        let pragmas = pragmas
            .map(|at| format!("{} at {}:{} was compiled without -fopenmp", at.sentinel(), at.file, at.line));
        let unsplit = self.unsplit.iter();
        let unsplit =
            unsplit.map(|at| format!("items of the loop at {}:{} were not compared", at.file, at.line));
        parts.chain(pragmas).chain(unsplit).collect()
    }

    /// Why nothing ran in parallel, as far as is known, and what to do.
    fn why_sequential(&self) -> String {
        if let Some(at) = self.ignored_pragmas.first() {
            return format!(
                "{} at {}:{} was compiled without -fopenmp; compile with it, and link with it",
                at.sentinel(),
                at.file,
                at.line
            );
        }
        match self.front_end {
            FrontEnd::Rayon => "the program did not reach rayon with this input; run a part of it that does (other \
                                arguments, another test)"
                .to_owned(),
            FrontEnd::Hclib => "the program created no task of HClib with this input; choose an input with which it does"
                .to_owned(),
            FrontEnd::Openmp if !self.teams.is_empty() => {
                "every parallel region had a team of one thread; ask for more with --threads or OMP_NUM_THREADS, or look at \
                 the region's `if` and `num_threads` clauses"
                    .to_owned()
            }
            FrontEnd::Openmp => "the program came to no parallel region with this input; compile with -fopenmp, or choose \
                                 an input that comes to one"
                .to_owned(),
        }
    }

    fn limits(&self, strict: bool, found: bool) -> Vec<String> {
        let mut limits = Vec::new();
        if !self.blinded_by.is_empty() {
            let options = self.blinded_by.join(", ");
            limits.push(format!("{BLINDED} by {options} in RACEPROOF_OPTIONS; leave it out"));
        }
        // What stopped the program says more.
        if self.parallel == Some(false) && !found {
            limits.push(format!("{NOTHING_PARALLEL}: {}", self.why_sequential()));
        }
        let omitted = self.omitted();
        if strict && !omitted.is_empty() {
            let more = match omitted.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            let named: Vec<String> = omitted.into_iter().take(NAMED).collect();
            limits.push(format!("{STRICT} {}{more}", named.join(", ")));
        }
        limits
    }
}

fn add<T: PartialEq>(all: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    for item in more {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}

impl Report {
    /// Takes back what the coverage does not carry: a run in which nothing ran in parallel, or that
    /// nobody watched, is no evidence; with `strict`, nor is one with parts that were left out. To
    /// be called again whenever the coverage has changed.
    pub fn bound(&mut self, strict: bool) {
        let Some(coverage) = &self.coverage else { return };
        let found = !self.races.is_empty() || !self.errors.is_empty() || !self.deadlocks.is_empty();
        let own = [NOTHING_PARALLEL, BLINDED, STRICT];
        self.limits.retain(|limit| !own.iter().any(|begin| limit.starts_with(begin)));
        self.limits.extend(coverage.limits(strict, found));
        match self.verdict {
            Verdict::RaceFree if !self.limits.is_empty() => self.verdict = Verdict::Inconclusive,
            Verdict::Inconclusive if self.limits.is_empty() && !found => self.verdict = Verdict::RaceFree,
            _ => {}
        }
        let is_sampled = !coverage.assignments.is_empty();
        if coverage.parallel == Some(false) || !coverage.blinded_by.is_empty() {
            self.about_one_schedule();
        } else if is_sampled {
            // What the number of a thread leads to may be another result.
            self.determinate = self.determinate.filter(|determinate| !determinate);
        }
    }

    /// Makes the report one about what was run and nothing else.
    pub fn about_one_schedule(&mut self) {
        self.scope = Scope::ObservedSchedule;
        self.determinate = self.determinate.filter(|determinate| !determinate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(coverage: Coverage) -> Report {
        Report {
            scope: Scope::AllSchedules,
            determinate: Some(true),
            coverage: Some(coverage),
            ..Report::new("default")
        }
    }

    fn whole() -> Coverage {
        Coverage { complete: true, parallel: Some(true), teams: vec![4], ..Coverage::default() }
    }

    fn part(kind: PartKind, name: &str) -> Uninstrumented {
        Uninstrumented { kind, name: name.into(), parts: Vec::new() }
    }

    #[test]
    fn a_sequential_run_is_no_evidence() {
        let mut bounded = report(Coverage { parallel: Some(false), teams: vec![1], ..whole() });
        bounded.bound(false);
        assert_eq!((bounded.verdict, bounded.scope), (Verdict::Inconclusive, Scope::ObservedSchedule));
        assert_eq!(bounded.determinate, None);
        assert!(bounded.limits[0].contains("--threads"), "{:?}", bounded.limits);
    }

    #[test]
    fn a_parallel_run_makes_up_for_a_sequential_one() {
        let mut bounded = report(Coverage { parallel: Some(false), teams: vec![1], ..whole() });
        bounded.bound(false);
        if let Some(coverage) = &mut bounded.coverage {
            coverage.join(whole());
        }
        bounded.bound(false);
        assert_eq!((bounded.verdict, bounded.limits.len()), (Verdict::RaceFree, 0));
        assert_eq!(bounded.coverage.map(|coverage| coverage.teams), Some(vec![1, 4]));
    }

    #[test]
    fn strict_is_about_what_could_have_been_instrumented() {
        let parts = vec![part(PartKind::System, "system"), part(PartKind::StandardLibrary, "std")];
        let mut provided = report(Coverage { uninstrumented: parts, ..whole() });
        provided.bound(true);
        assert_eq!(provided.verdict, Verdict::RaceFree);
        let mut own = report(Coverage { uninstrumented: vec![part(PartKind::Object, "b.o")], ..whole() });
        own.bound(false);
        assert_eq!(own.verdict, Verdict::RaceFree);
        own.bound(true);
        assert_eq!(own.verdict, Verdict::Inconclusive);
        assert!(own.limits[0].contains("b.o is not instrumented"), "{:?}", own.limits);
    }

    #[test]
    fn a_verdict_for_some_assignments_does_not_say_that_all_end_alike() {
        let mut bounded = report(Coverage { assignments: vec![0], ..whole() });
        if let Some(coverage) = &mut bounded.coverage {
            coverage.join(Coverage { assignments: vec![2, 0], ..whole() });
            assert_eq!(coverage.assignments, [0, 2]);
        }
        bounded.bound(false);
        assert_eq!((bounded.verdict, bounded.scope), (Verdict::RaceFree, Scope::AllSchedules));
        assert_eq!(bounded.determinate, None);
    }

    #[test]
    fn a_switch_that_blinds_the_detector_is_named() {
        let mut blind = report(Coverage { blinded_by: vec!["detect=off".into()], ..whole() });
        blind.bound(false);
        blind.bound(false);
        assert_eq!((blind.verdict, blind.limits.len()), (Verdict::Inconclusive, 1));
        assert!(blind.limits[0].contains("detect=off"));
    }
}
