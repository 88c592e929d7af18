//! What the executions of a search have shown, and the report on it.

use super::outcome::{Explored, Finding};
use super::{Options, Traffic, Verified};
use crate::check::races::{MAX_RACES, key};
use raceproof_core::explore::Statistics;
use raceproof_core::finding::{
    Deadlock, GeneralRace, Grade, ProgramError, Race, RandomSearch, Report, Scope, Stats, Verdict,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Instant;

/// Deadlocks of one report.
const MAX_DEADLOCKS: usize = 1000;

/// Remarks on what its lists leave out: with `all` every execution may have another one.
const MAX_NOTES: usize = 8;

/// How a search came to its end.
pub(super) struct Ended {
    pub(super) explored: Explored,
    pub(super) statistics: Statistics,
    /// About how many executions are left.
    pub(super) left: Option<f64>,
    /// What a random search has met.
    pub(super) sampled: Option<RandomSearch>,
    /// Why it was cut short, if it was.
    pub(super) why: Option<String>,
    /// What the limit on executions is called.
    pub(super) raise: &'static str,
    pub(super) start: Instant,
}

/// What the executions so far have shown, each thing once.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(super) struct Findings {
    races: Vec<Race>,
    deadlocks: Vec<Deadlock>,
    errors: Vec<ProgramError>,
    general: BTreeSet<GeneralRace>,
    /// The first two end states seen, and whether there was one that the program did not know.
    ends: BTreeSet<u64>,
    ends_unknown: bool,
    /// What ends the search.
    pub(super) limit: Option<String>,
    /// How many executions were lost, and why the first one was.
    lost: Option<(u64, String)>,
    /// How many executions left something out that takes more preemptions than are allowed.
    left_out: u64,
    /// What the lists above leave out.
    notes: BTreeSet<String>,
    stats: Stats,
}

impl Findings {
    /// Takes in what one execution showed; whether there was a race that can be shown.
    pub(super) fn take(&mut self, finding: Finding) -> bool {
        let shown = finding.races.iter().any(|race| race.grade >= Grade::Feasible);
        let Finding { races, deadlocks, errors, general, end, limit, lost, left_out, notes, stats } = finding;
        self.add(Findings {
            races,
            deadlocks,
            errors,
            general,
            ends: end.flatten().into_iter().collect(),
            ends_unknown: end == Some(None),
            limit,
            lost: lost.map(|why| (1, why)),
            left_out: left_out.into(),
            notes: notes.into_iter().collect(),
            stats,
        });
        shown
    }

    /// Takes in what other executions have shown, after these.
    pub(super) fn add(&mut self, other: Findings) {
        let Findings {
            races,
            deadlocks,
            errors,
            general,
            ends,
            ends_unknown,
            limit,
            lost,
            left_out,
            notes,
            stats,
        } = other;
        self.left_out += left_out;
        if self.stats.tasks == 0 {
            self.stats = stats;
        }
        // Two say as much as all.
        if self.ends.len() < 2 {
            self.ends.extend(ends);
        }
        self.ends_unknown |= ends_unknown;
        let room = MAX_NOTES.saturating_sub(self.notes.len());
        self.notes.extend(notes.into_iter().take(room));
        self.general.extend(general);
        for error in errors {
            let known = |other: &ProgramError| {
                (&other.kind, &other.at, &other.task) == (&error.kind, &error.at, &error.task)
            };
            if !self.errors.iter().any(known) {
                self.errors.push(error);
            }
        }
        for deadlock in deadlocks {
            let who = |deadlock: &Deadlock| -> Vec<_> {
                deadlock.waiting.iter().map(|waiting| (waiting.task.clone(), waiting.at.clone())).collect()
            };
            if self.deadlocks.iter().any(|other| who(other) == who(&deadlock)) {
                continue;
            }
            match self.deadlocks.len() < MAX_DEADLOCKS {
                true => self.deadlocks.push(deadlock),
                false => self.more_than(MAX_DEADLOCKS, "deadlocks"),
            }
        }
        self.limit = self.limit.take().or(limit);
        if let Some((more, why)) = lost {
            let (count, why) = self.lost.take().unwrap_or((0, why));
            self.lost = Some((count + more, why));
        }
        for race in races {
            let same = |other: &&mut Race| {
                (&other.location, &other.first.at, &other.second.at)
                    == (&race.location, &race.first.at, &race.second.at)
            };
            let full = self.races.len() >= MAX_RACES;
            match self.races.iter_mut().find(same) {
                Some(other) if other.grade >= race.grade => other.count += race.count,
                Some(other) => *other = Race { count: other.count + race.count, ..race },
                None if full => self.more_than(MAX_RACES, "races"),
                None => self.races.push(race),
            }
        }
    }

    fn more_than(&mut self, most: usize, what: &str) {
        self.notes.insert(format!("the first {most} {what} are listed; there are more"));
    }

    pub(super) fn report(&self, ended: Ended, options: &Options<'_>) -> Verified {
        let Ended { explored, statistics, left, sampled, why, raise, start } = ended;
        // A pair that no schedule could bring together, though all were tried, is none.
        let whole = self.limit.is_none() && self.lost.is_none() && self.left_out == 0;
        let complete = explored == Explored::All && whole;
        let shown = self.races.iter().any(|race| race.grade >= Grade::Feasible);
        let mut races = self.races.clone();
        if complete || shown {
            races.retain(|race| race.grade >= Grade::Feasible);
        }
        races.sort_by(|a, b| key(a).cmp(&key(b)));
        // After a race the rest does not matter.
        let left = left.filter(|_| !complete && !shown).map(|left| left.round() as u64);
        let mut limits: Vec<String> = self.limit.iter().cloned().collect();
        if limits.is_empty() && explored != Explored::All && !shown {
            let executions = statistics.executions;
            let left = left.map_or_else(String::new, |left| format!(" with {} left", about(left)));
            limits.push(match explored {
                _ if sampled.is_some() => {
                    let RandomSearch { seed, distinct } = sampled.unwrap_or_default();
                    let why = why.map_or_else(String::new, |why| format!("; it ended early: {why}"));
                    format!(
                        "the search was random: {executions} executions with seed {seed}, of which {distinct} differ; other schedules \
                         were not run{why}"
                    )
                }
                Explored::OutOfExecutions => {
                    format!("the limit of {executions} executions was reached{left}; raise {raise}")
                }
                _ => {
                    let why = why.unwrap_or_else(|| "it was cut short".into());
                    format!("the search ended after {executions} executions{left}: {why}")
                }
            });
        }
        if let Some((count, why)) = &self.lost {
            let executions =
                if *count == 1 { "one execution is" } else { &format!("{count} executions are") };
            limits.push(format!("{executions} not decided, and what would have followed: {why}"));
        }
        if self.left_out > 0 && !shown {
            let most = options.preemptions.unwrap_or_default();
            limits.push(format!(
                "what takes more than {most} preemptions was not run, {} times; raise --preemptions",
                self.left_out
            ));
        }
        // What is left out of a list says nothing where the list is empty.
        if !(races.is_empty() && self.deadlocks.is_empty()) {
            limits.extend(self.notes.iter().cloned());
        }
        let mut verdict = Report::judge(&races, &self.errors, &self.deadlocks, &limits);
        if verdict == Verdict::Race && !shown {
            verdict = Verdict::Inconclusive;
        }
        let scope = if verdict == Verdict::Inconclusive || !(complete || shown) || sampled.is_some() {
            Scope::ObservedSchedule
        } else {
            Scope::AllSchedules
        };
        let determinate = if shown || self.ends.len() > 1 {
            Some(false)
        } else if complete && self.errors.is_empty() && !self.ends_unknown {
            Some(self.ends.len() <= 1)
        } else {
            None
        };
        let report = Report {
            verdict,
            scope,
            determinate,
            races,
            deadlocks: self.deadlocks.clone(),
            errors: self.errors.clone(),
            general_races: self.general.iter().cloned().collect(),
            limits,
            stats: Stats {
                executions: statistics.executions,
                executions_left: left,
                random: sampled,
                seconds: start.elapsed().as_secs_f64(),
                ..self.stats.clone()
            },
            ..Report::new(format!("verify, {}", options.order.name()))
        };
        Verified {
            report,
            pruned: statistics.pruned,
            out_of_time: false,
            dead: Vec::new(),
            traffic: Traffic::default(),
        }
    }
}

/// An estimate in words. One that is beyond all counting says nothing by its digits.
fn about(left: u64) -> String {
    if left < 1_000_000_000_000 { format!("about {left}") } else { "more than 1e12".into() }
}
