//! Why nothing orders the two accesses of a race, and what would.
//!
//! The reason is read off the finding: the task in which the ways to the accesses part, the spawns
//! on the way to each, and the locks each holds. The fix needs the source as well: what the two
//! statements do, and which constructs stand around them. The words are those of the program: TP's,
//! OpenMP's, rayon's, or HClib's.

mod edit;
mod fix;
pub(crate) mod fortran;
mod hclib;
mod openmp;
mod promises;
mod rayon;
mod threads;
mod tp;

pub use edit::{Edit, apply};
pub use fix::{Fix, Language, Template};

use super::snippet::place_name;
use super::sources::Sources;
use super::style::safe;
use super::view::UserRace;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Construct, Operation, Place, Race, RaceAccess, Spawned};

/// How the ways to the two accesses part in the task `fork`.
enum Parting<'a> {
    /// One access is by the task that spawned `child`, the other by `child` or a descendant.
    Spawner { child: &'a Spawned, below: &'a RaceAccess, own: &'a RaceAccess },
    /// The accesses are by, or below, two children of one task, in the order of their spawns.
    Siblings { older: &'a Spawned, younger: &'a Spawned, accesses: [&'a RaceAccess; 2] },
    /// One thread of a team made both, in units of work of which each might have been another
    /// thread's.
    Thread { thread: &'a Spawned },
    /// The spawns are not known.
    Unknown,
}

pub(super) struct Advice<'a> {
    race: &'a Race,
    parting: Parting<'a>,
    lines: Lines<'a>,
    sources: &'a Sources,
    /// Whether a library makes each access, below the line that is named.
    in_library: [bool; 2],
}

/// What would mend a race, the best first.
pub fn fixes(race: &Race, sources: &Sources) -> Vec<Fix> {
    Advice::of(race, sources).fixes()
}

impl<'a> Advice<'a> {
    pub(super) fn of(race: &'a Race, sources: &'a Sources) -> Advice<'a> {
        let parting = part(race);
        // The places the prose names; the access without a lock is named when the other side has
        // one.
        let mut places = match &parting {
            Parting::Spawner { child, own, .. } => vec![&child.at, &own.at],
            Parting::Siblings { older, younger, .. } => vec![&older.at, &younger.at],
            Parting::Thread { thread } => vec![&thread.at],
            Parting::Unknown => vec![],
        };
        places.extend(one_sided(race).map(|(_, bare)| &bare.at));
        let lines = Lines::among(&race.first.at.file, &places, sources);
        Advice { race, lines, parting, sources, in_library: [false; 2] }
    }

    /// As [`Advice::of`], about a race at the user's lines.
    pub(super) fn of_shown(shown: &'a UserRace, sources: &'a Sources) -> Advice<'a> {
        Advice {
            in_library: shown.inside.each_ref().map(Option::is_some),
            ..Advice::of(&shown.race, sources)
        }
    }

    pub(super) fn why(&self) -> String {
        match words(self.race) {
            Words::Tp => tp::why(self),
            Words::OpenMp => fortran::words(openmp::why(self), self.race),
            Words::Rayon => rayon::why(self),
            Words::Hclib => hclib::why(self),
            Words::Threads => threads::why(self),
        }
    }

    pub(super) fn fixes(&self) -> Vec<Fix> {
        match words(self.race) {
            Words::Tp => tp::fixes(self),
            Words::OpenMp => openmp::fixes(self)
                .into_iter()
                // An edit is of a source in C or C++, whoever calls it.
                .map(|fix| match fix.edits.is_empty() {
                    true => Fix { text: fortran::words(fix.text, self.race), ..fix },
                    false => fix,
                })
                .collect(),
            Words::Rayon => rayon::fixes(self),
            Words::Hclib => hclib::fixes(self),
            Words::Threads => threads::fixes(self),
        }
    }

    /// The advice as a report shows it: each text with its label.
    pub(super) fn labelled(&self) -> Vec<(&'static str, String)> {
        let (hints, fixes): (Vec<Fix>, Vec<Fix>) = self.fixes().into_iter().partition(Fix::is_hint);
        let joined = |fixes: &[Fix]| {
            let texts: Vec<String> = fixes.iter().map(Fix::sentence).collect();
            texts.join("; or ") + "."
        };
        let mut all = vec![("why:", self.why())];
        for (label, list) in [("fix:", fixes), ("hint:", hints)] {
            if !list.is_empty() {
                all.push((label, joined(&list)));
            }
        }
        all
    }

    fn at(&self, place: &Place) -> String {
        self.lines.name(place)
    }
}

enum Words {
    Tp,
    OpenMp,
    Rayon,
    Hclib,
    Threads,
}

/// The words of the program: only in native ones do findings say which construct made a task.
fn words(race: &Race) -> Words {
    let spawned = race.first.spawned.iter().chain(&race.second.spawned);
    let constructs: Vec<_> = spawned.filter_map(|spawn| spawn.construct).collect();
    match constructs.as_slice() {
        _ if race.first.operation == Operation::Lane => Words::OpenMp,
        [] => Words::Tp,
        all if threads::are_all(all) => Words::Threads,
        all if all.contains(&Construct::Rayon) => Words::Rayon,
        all if all.contains(&Construct::Async) => Words::Hclib,
        _ => Words::OpenMp,
    }
}

/// The access that holds a lock and the one that does not.
fn one_sided(race: &Race) -> Option<(&RaceAccess, &RaceAccess)> {
    match (race.first.locks.is_empty(), race.second.locks.is_empty()) {
        (false, true) => Some((&race.first, &race.second)),
        (true, false) => Some((&race.second, &race.first)),
        _ => None,
    }
}

/// What the locks do not do, if there are any; `so` ends the sentence about two that differ.
fn locks(advice: &Advice<'_>, so: &str) -> Option<String> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    let held = |a: &RaceAccess| format!("{} {}", safe(&a.task), holding(&a.locks));
    if let Some((guarded, bare)) = one_sided(advice.race) {
        let bare = safe(&bare.task);
        Some(format!("{}; that does not keep out {bare}, which holds no lock.", held(guarded)))
    } else if first.locks.is_empty() {
        None
    } else {
        Some(format!("{} and {}: no lock in common{so}.", held(first), held(second)))
    }
}

/// `holds l`, `is in isolated`, `holds a and b`.
pub(super) fn holding(locks: &[String]) -> String {
    match locks {
        [only] if only == "isolated" => "is in an isolated section".to_owned(),
        locks => format!("holds {}", locks.iter().map(|l| safe(l)).collect::<Vec<_>>().join(" and ")),
    }
}

fn alternatives<'a>(locks: impl Iterator<Item = &'a String>) -> String {
    locks.map(|lock| format!("`{}`", safe(lock))).collect::<Vec<_>>().join(" or ")
}

pub(super) fn noun(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
    }
}

/// The child, and the descendant of it that made the access.
fn lineage(child: &Spawned, access: &RaceAccess) -> String {
    if child.task == access.task {
        safe(&child.task)
    } else {
        format!("{}, from which {} came,", safe(&child.task), safe(&access.task))
    }
}

fn part(race: &Race) -> Parting<'_> {
    let (first, second) = (&race.first, &race.second);
    match (branch(first, &race.fork), branch(second, &race.fork)) {
        (Some(child), None) if second.task == race.fork => {
            Parting::Spawner { child, below: first, own: second }
        }
        (None, Some(child)) if first.task == race.fork => {
            Parting::Spawner { child, below: second, own: first }
        }
        (Some(a), Some(b)) if number(&a.task) <= number(&b.task) => {
            Parting::Siblings { older: a, younger: b, accesses: [first, second] }
        }
        (Some(a), Some(b)) => Parting::Siblings { older: b, younger: a, accesses: [second, first] },
        _ => match (first.spawned.last(), second.spawned.last()) {
            (Some(thread), Some(other))
                if thread.task == other.task && thread.construct.is_some_and(Construct::makes_team) =>
            {
                Parting::Thread { thread }
            }
            _ => Parting::Unknown,
        },
    }
}

/// The spawn by which `fork` started the way to this access; none if `fork` made the access itself.
fn branch<'a>(access: &'a RaceAccess, fork: &str) -> Option<&'a Spawned> {
    if access.task == fork {
        return None;
    }
    match access.spawned.iter().position(|spawn| spawn.task == fork) {
        Some(at) => access.spawned.get(at + 1),
        // The root is nobody's child. Any other task may be among those left out of a long list.
        None => access
            .spawned
            .first()
            .filter(|first| first.task.rsplit_once('/').is_some_and(|(parent, _)| parent == fork)),
    }
}

/// Which child of its parent a task is: 12 for `main/3/12`, 1 for `main/1*500`.
fn number(task: &str) -> Option<u64> {
    task.rsplit('/').next()?.split('*').next()?.parse().ok()
}

/// Names places inside prose, as short as stays clear: `line 8` in the file of the first access.
struct Lines<'a> {
    home: &'a str,
    sources: &'a Sources,
    /// Two different places share a line, so lines alone would not tell them apart.
    columns: bool,
}

impl<'a> Lines<'a> {
    fn among(home: &'a str, places: &[&Place], sources: &'a Sources) -> Lines<'a> {
        let shared = |a: &&Place, b: &&Place| a.file == b.file && a.line == b.line && a.column != b.column;
        let columns = places.iter().any(|a| places.iter().any(|b| shared(a, b)));
        Lines { home, sources, columns }
    }

    /// A line of a file, by its name among the sources.
    fn line(&self, file: &str, line: u32) -> String {
        if self.sources.file(self.home).is_some_and(|(home, _)| home == file) {
            format!("line {line}")
        } else {
            format!("{}:{line}", safe(&self.sources.project.shown(file)))
        }
    }

    fn name(&self, place: &Place) -> String {
        if place.file != self.home || place.line == 0 {
            place_name(place)
        } else if self.columns {
            format!("{}:{}", place.line, place.column)
        } else {
            format!("line {}", place.line)
        }
    }
}
