//! Findings as baselines and machine formats list them: one entry for each cause, under its id.
//!
//! [`identify`] fills in the ids, once, when the sources are at hand. Whatever reads a report after
//! that, from memory or from a file, goes by the ids alone: the sources may have changed since.

use crate::cause::{self, Group, Id};
use crate::frames::user_place;
use crate::snippet::place_name;
use crate::sources::Sources;
use crate::style::safe;
use crate::view::{self, UserRace};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{
    Deadlock, GeneralRace, GeneralSide, Grade, Operation, Place, ProgramError, Race, RaceAccess, Report,
    Waiting,
};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Gives every finding the id of its cause.
pub fn identify(report: &mut Report, sources: &Sources) {
    let groups = cause::group(&report.races, sources);
    let mut ids = vec![String::new(); report.races.len()];
    for group in &groups {
        group.members.iter().for_each(|&at| ids[at] = group.id.to_string());
    }
    report.races.iter_mut().zip(ids).for_each(|(race, id)| race.id = id);
    for deadlock in &mut report.deadlocks {
        deadlock.id = cause::deadlock_id(deadlock, sources).to_string();
    }
    for error in &mut report.errors {
        error.id = cause::error_id(error, sources).to_string();
    }
    for general in &mut report.general_races {
        general.id = cause::general_id(general, sources).to_string();
    }
}

/// What a finding is; machine formats call it a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    DataRace,
    Deadlock,
    ProgramError,
    Nondeterminism,
}

impl Rule {
    pub const ALL: [Rule; 4] = [Rule::DataRace, Rule::Deadlock, Rule::ProgramError, Rule::Nondeterminism];

    /// `data-race`.
    pub fn name(self) -> &'static str {
        match self {
            Rule::DataRace => "data-race",
            Rule::Deadlock => "deadlock",
            Rule::ProgramError => "program-error",
            Rule::Nondeterminism => "nondeterminism",
        }
    }

    /// `data race`.
    pub fn spoken(self) -> &'static str {
        match self {
            Rule::DataRace => "data race",
            Rule::Deadlock => "deadlock",
            Rule::ProgramError => "program error",
            Rule::Nondeterminism => "nondeterminism",
        }
    }
}

/// How grave a finding is, in the words of SARIF.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Note,
    Warning,
    Error,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// All that was found of one cause.
pub struct Listed<'a> {
    pub id: &'a str,
    pub what: What<'a>,
}

pub enum What<'a> {
    /// Never empty; the first one represents all.
    Races(Vec<&'a Race>),
    Deadlock(&'a Deadlock),
    Error(&'a ProgramError),
    General(&'a GeneralRace),
}

/// The findings of a report that [`identify`] has seen, a cause once: races first, those to fix
/// first at their head.
pub fn list(report: &Report) -> Vec<Listed<'_>> {
    let mut place: FxHashMap<&str, usize> = FxHashMap::default();
    let mut races: Vec<(&str, Vec<&Race>)> = Vec::new();
    for race in &report.races {
        // A report of an older version has no ids: then every race stands for itself.
        let at = if race.id.is_empty() { races.len() } else { *place.entry(&race.id).or_insert(races.len()) };
        if at == races.len() {
            races.push((&race.id, Vec::new()));
        }
        races[at].1.push(race);
    }
    for (_, of_one) in &mut races {
        // As in the text report: the surest, then the one to fix first, then one that replays.
        let writes = |race: &Race| {
            [&race.first, &race.second].iter().filter(|side| side.access == AccessKind::Write).count()
        };
        of_one.sort_by_key(|race| {
            (Reverse(race.grade), race.partition, race.witness.is_none(), Reverse(writes(race)))
        });
    }
    races.sort_by_key(|(_, races)| races.iter().map(|race| race.partition).min());
    let races = races.into_iter().map(|(id, races)| Listed { id, what: What::Races(races) });
    let deadlocks =
        report.deadlocks.iter().map(|deadlock| Listed { id: &deadlock.id, what: What::Deadlock(deadlock) });
    let errors = report.errors.iter().map(|error| Listed { id: &error.id, what: What::Error(error) });
    let general = report.general_races.iter().map(|race| Listed { id: &race.id, what: What::General(race) });
    let mut all: Vec<Listed<'_>> = races.chain(deadlocks).chain(errors).chain(general).collect();
    // Two deadlocks at the same places are one cause.
    let mut seen = rustc_hash::FxHashSet::default();
    all.retain(|finding| finding.id.is_empty() || seen.insert(finding.id));
    all
}

impl Listed<'_> {
    pub fn rule(&self) -> Rule {
        match self.what {
            What::Races(_) => Rule::DataRace,
            What::Deadlock(_) => Rule::Deadlock,
            What::Error(_) => Rule::ProgramError,
            What::General(_) => Rule::Nondeterminism,
        }
    }

    pub fn level(&self) -> Level {
        match &self.what {
            What::Races(races) => match races[0].grade {
                Grade::Actual | Grade::Feasible => Level::Error,
                Grade::Apparent => Level::Warning,
                Grade::Infeasible => Level::Note,
            },
            What::Deadlock(_) | What::Error(_) => Level::Error,
            What::General(_) => Level::Warning,
        }
    }

    /// Where it is, in the user's own code: of a race, the access that stands first.
    pub fn place(&self) -> Option<&Place> {
        let at = match &self.what {
            What::Races(races) => Some(user_place(&races[0].first)),
            What::Deadlock(deadlock) => deadlock.waiting.first().map(|waiting| &waiting.at),
            What::Error(error) => Some(&error.at),
            What::General(race) => race.first.at.as_ref().or(race.second.at.as_ref()),
        };
        at.filter(|at| !at.file.is_empty())
    }

    /// `data race on x`, `program error (assertion)`.
    pub fn title(&self) -> String {
        match &self.what {
            What::Races(races) => {
                format!("data race on {}", safe(&shown(self.id, races, &Sources::new()).what))
            }
            What::Deadlock(deadlock) => match deadlock.waiting.len() {
                1 => "deadlock of 1 task".to_owned(),
                tasks => format!("deadlock of {tasks} tasks"),
            },
            What::Error(error) => format!("program error ({})", safe(&error.kind)),
            What::General(race) => format!("nondeterminism: {} of {}", safe(&race.kind), on(race)),
        }
    }

    /// One line that names the cause: what it is, and its places as they are called.
    pub fn line(&self, name: &dyn Fn(&str) -> String) -> String {
        let at = |place: &Place| place_name(&Place { file: name(&place.file), ..place.clone() });
        let places: Vec<String> = match &self.what {
            What::Races(races) => {
                [&races[0].first, &races[0].second].map(|side| at(user_place(side))).to_vec()
            }
            What::Deadlock(deadlock) => {
                deadlock.waiting.iter().take(2).map(|waiting| at(&waiting.at)).collect()
            }
            What::Error(error) => vec![at(&error.at)],
            What::General(race) => {
                [&race.first, &race.second].into_iter().filter_map(|side| side.at.as_ref()).map(at).collect()
            }
        };
        let places: Vec<String> = places.into_iter().filter(|place| place != "?").collect();
        match places.len() {
            0 => self.title(),
            _ => format!("{}: {}", self.title(), places.join(" and ")),
        }
    }
}

/// The race that is shown for all of a cause, at the user's own lines.
pub(crate) fn shown(id: &str, races: &[&Race], sources: &Sources) -> UserRace {
    let id = Id::parse(id).unwrap_or_default();
    let members = (0..races.len()).collect();
    view::race(&Group { id, races: races.to_vec(), members }, sources)
}

/// What a general race passes through.
fn on(race: &GeneralRace) -> String {
    match (&race.location, race.on.as_str()) {
        (Some(cell), "") => safe(cell),
        (Some(cell), on) => format!("{} that conflict on {}", safe(on), safe(cell)),
        (None, on) => safe(on),
    }
}

/// The cells of a cause, each once.
pub(crate) fn cells<'a>(races: &[&'a Race]) -> Vec<&'a str> {
    let mut seen = rustc_hash::FxHashSet::default();
    races.iter().map(|race| race.location.as_str()).filter(|cell| seen.insert(*cell)).collect()
}

/// `writes x`, `frees x`, `reads x atomically`.
pub(crate) fn deed(access: &RaceAccess, location: &str) -> String {
    let verb = match access.access {
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
    };
    let location = safe(location);
    match access.operation {
        Operation::Free => format!("frees {location}"),
        Operation::Atomic => format!("{verb} {location} atomically"),
        _ => format!("{verb} {location}"),
    }
}

/// `waits for the lock l`.
pub(crate) fn waits(waiting: &Waiting) -> String {
    let on = match (waiting.on.as_str(), waiting.what.as_str()) {
        ("finish", _) => "the tasks of a finish".to_owned(),
        ("isolated", _) => "the isolated section".to_owned(),
        (on, "") => format!("a {on}"),
        (on, what) => format!("the {on} {}", safe(what)),
    };
    let holder = waiting.held_by.as_ref().map(|holder| match waiting.on.as_str() {
        "lock" | "mutex" | "reader-writer lock" | "isolated" => format!(", which {} holds", safe(holder)),
        _ => format!(", which needs {}", safe(holder)),
    });
    format!("waits for {on}{}", holder.unwrap_or_default())
}

/// `main/1 writes x`, `main/1`.
pub(crate) fn general_side(side: &GeneralSide, location: Option<&str>) -> String {
    let verb = match side.access {
        Some(AccessKind::Read) => " reads",
        Some(AccessKind::Write) => " writes",
        None => return safe(&side.task),
    };
    format!("{}{verb} {}", safe(&side.task), safe(location.unwrap_or("it")))
}
