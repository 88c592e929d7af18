//! From racy locations to races: both accesses of every pair, graded by trying to bring them together.

use crate::tp::code::Code;
use crate::tp::execute::{Bounds, Execution, execute};
use crate::tp::watch::Limits;
use raceproof::kernel::Action;
use raceproof::strategy::{DepthFirst, Script, Turns};
use raceproof_core::detect::pairs::{Example, Pairs, Side, SitePair};
use raceproof_core::detect::{Access, Pair};
use raceproof_core::event::Observer;
use raceproof_core::finding::{Grade, Race, RaceAccess, Witness};
use raceproof_core::ids::{Location, SiteId, TaskId};
use std::cell::Cell;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Time for bringing pairs together, beyond which they stay `apparent`: this, or so many times the first run's. A time
/// limit of the user's is overrun by no more than this.
const GRADING: Duration = Duration::from_secs(2);
const GRADING_RUNS: u32 = 20;

/// Turns that the witnesses of one report have in all: about 100 MB of it.
const MAX_TURNS: usize = 1 << 20;

/// Races of one report.
const MAX_RACES: usize = 100_000;

/// What is to be explained: the run in which a detector found races.
pub(super) struct Question<'a> {
    pub(super) code: &'a Code,
    pub(super) file: &'a str,
    /// What bounds a repetition of it.
    pub(super) bounds: Bounds<'static>,
    /// What bounds the whole check.
    pub(super) limits: Limits<'a>,
    /// How long it took under the detector.
    pub(super) first_run: Duration,
}

/// All races on the given locations, in source order: those of the graph, and those of the pairs a detector has `claimed`
/// on locations where the graph has none.
pub(super) fn explain(
    question: Question<'_>,
    racy: &[Location],
    claimed: &[Pair],
    notes: &mut Vec<String>,
) -> Vec<Race> {
    let Question { code, file, bounds, limits, first_run } = question;
    let mut observed = execute(code, file, Pairs::new(racy), &mut DepthFirst, bounds);
    let gathered = observed.run.kernel.observer.gather();
    let now = Instant::now();
    let mut deadline = now + GRADING.max(first_run.saturating_mul(GRADING_RUNS));
    if let Some(limit) = limits.deadline {
        deadline = deadline.min(limit.max(now + GRADING));
    }
    let explainer = Explainer {
        observed,
        bounds: Bounds {
            keep_schedule: true,
            limits: Limits { deadline: Some(deadline), memory: None, ..limits },
            ..bounds
        },
        schedule: Turns { spawned: gathered.spawned, turns: gathered.turns },
        deadline,
        room: Cell::new(MAX_TURNS),
        untried: Cell::new(0),
    };
    let mut races = explainer.races(&gathered.pairs, notes);
    let explained: HashSet<Location> = gathered.pairs.iter().map(|pair| pair.location).collect();
    races.extend(
        claimed.iter().filter(|pair| !explained.contains(&pair.location)).map(|pair| explainer.claim(pair)),
    );
    races.sort_by(|a, b| key(a).cmp(&key(b)));
    races
}

struct Explainer<'a> {
    observed: Execution<'a, Pairs>,
    bounds: Bounds<'a>,
    schedule: Turns,
    deadline: Instant,
    /// Turns that further witnesses may have.
    room: Cell<usize>,
    /// Races for which no witness was looked for.
    untried: Cell<usize>,
}

/// A pair brought together: both tasks stand before their accesses.
struct Shown {
    witness: Witness,
    first: RaceAccess,
    second: RaceAccess,
}

impl Explainer<'_> {
    fn races(&self, pairs: &[SitePair], notes: &mut Vec<String>) -> Vec<Race> {
        // One pair of every two sites before the others: if time runs out, each still has had its chance.
        let mut seen = HashSet::new();
        let (mut order, rest): (Vec<usize>, Vec<usize>) =
            (0..pairs.len()).partition(|&at| seen.insert(sites(&pairs[at])));
        order.extend(rest);
        if order.len() > MAX_RACES {
            notes.push(format!("{MAX_RACES} of {} races are listed", order.len()));
            order.truncate(MAX_RACES);
        }
        let races: Vec<Race> = order.into_iter().map(|at| self.race(&pairs[at])).collect();
        let reason = if self.bounds.limits.interrupted() {
            "interrupted before there was"
        } else if self.room.get() == 0 {
            "there was no room for"
        } else {
            "there was no time for"
        };
        match self.untried.get() {
            0 => {}
            untried => notes.push(format!(
                "{reason} a witness of every race: {untried} of {} were not tried and stay apparent",
                races.len()
            )),
        }
        races
    }

    /// Whether another race may be tried.
    fn goes_on(&self) -> bool {
        self.room.get() > 0 && Instant::now() < self.deadline && !self.bounds.limits.interrupted()
    }

    fn race(&self, pair: &SitePair) -> Race {
        let location = self.observed.run.machine.memory.name(self.observed.code, pair.location);
        let shown = pair
            .examples
            .iter()
            .take_while(|_| self.goes_on())
            .find_map(|example| self.bring_together(example, &location));
        let example = &pair.examples[0];
        let fork = self.fork(example.first.access.task, example.second.access.task);
        let (grade, witness, first, second) = match shown {
            Some(Shown { witness, first, second }) => {
                self.room.set(self.room.get().saturating_sub(witness.schedule.len()));
                (Grade::Feasible, Some(witness), first, second)
            }
            None if self.goes_on() => (
                Grade::Apparent,
                None,
                self.side(&example.first, example.turns),
                self.side(&example.second, example.turns),
            ),
            None => {
                self.untried.set(self.untried.get() + 1);
                (
                    Grade::Apparent,
                    None,
                    self.outline(example.first.access),
                    self.outline(example.second.access),
                )
            }
        };
        let (first, second) = if (&first.at, &first.task) <= (&second.at, &second.task) {
            (first, second)
        } else {
            (second, first)
        };
        Race {
            location,
            grade,
            partition: 1,
            artifact_of: Vec::new(),
            first,
            second,
            fork,
            count: pair.count,
            witness,
        }
    }

    /// A race that only the detector sees.
    fn claim(&self, pair: &Pair) -> Race {
        let [first, second] = [pair.first, pair.second].map(|access| self.outline(access));
        let location = self.observed.run.machine.memory.name(self.observed.code, pair.location);
        let fork = self.fork(pair.first.task, pair.second.task);
        Race {
            location,
            grade: Grade::Apparent,
            partition: 1,
            artifact_of: Vec::new(),
            first,
            second,
            fork,
            count: 1,
            witness: None,
        }
    }

    /// Follows the observed schedule with both tasks held at their accesses.
    fn bring_together(&self, example: &Example, location: &str) -> Option<Shown> {
        let held = [example.first, example.second].map(|side| (side.access.task, side.actions));
        let mut script = Script::new(&self.schedule, example.turns, held.to_vec());
        let run = execute(self.observed.code, self.observed.file, (), &mut script, self.bounds);
        let stands_before = |side: &Side| {
            let task = script.here(side.access.task)?;
            match script.pending(task)? {
                Action::Access { kind, location, site }
                    if (kind, site) == (side.access.kind, side.access.site) =>
                {
                    Some((task, location))
                }
                _ => None,
            }
        };
        let (first, at) = stands_before(&example.first)?;
        let (second, also_at) = stands_before(&example.second)?;
        if at != also_at || run.run.machine.memory.name(run.code, at) != location {
            return None;
        }
        Some(Shown {
            witness: run.witness()?,
            first: describe(&run, Access { task: first, ..example.first.access }),
            second: describe(&run, Access { task: second, ..example.second.access }),
        })
    }

    /// One side of a pair that could not be brought together, as it was in the observed run.
    fn side(&self, side: &Side, turns: usize) -> RaceAccess {
        let held = vec![(side.access.task, side.actions)];
        let mut script = Script::new(&self.schedule, turns, held);
        let run = execute(self.observed.code, self.observed.file, (), &mut script, self.bounds);
        match script.here(side.access.task) {
            Some(task) => describe(&run, Access { task, ..side.access }),
            None => self.outline(side.access),
        }
    }

    /// An access without its calls and locks, which only a task that stands before it can tell.
    fn outline(&self, access: Access) -> RaceAccess {
        RaceAccess { stack: Vec::new(), locks: Vec::new(), ..describe(&self.observed, access) }
    }

    /// The task in which the ways to two tasks part.
    fn fork(&self, a: TaskId, b: TaskId) -> String {
        let tasks = self.observed.run.kernel.tasks();
        let above: HashSet<TaskId> = tasks.ancestry(a).collect();
        let fork = tasks.ancestry(b).find(|task| above.contains(task)).unwrap_or(TaskId::MAIN);
        self.observed.task_name(fork)
    }
}

/// An access, by a task that stands before it.
fn describe<O: Observer>(execution: &Execution<'_, O>, access: Access) -> RaceAccess {
    RaceAccess {
        access: access.kind,
        task: execution.task_name(access.task),
        at: execution.place(access.site),
        stack: execution.stack(access.task),
        spawned: execution.spawned(access.task),
        locks: execution.locks(access.task),
    }
}

fn sites(pair: &SitePair) -> (SiteId, SiteId) {
    let Example { first, second, .. } = &pair.examples[0];
    let (a, b) = (first.access.site, second.access.site);
    (a.min(b), a.max(b))
}

/// Source order; cells of one array by their index.
fn key(race: &Race) -> (&raceproof_core::finding::Place, &raceproof_core::finding::Place, usize, &str) {
    (&race.first.at, &race.second.at, race.location.len(), &race.location)
}
