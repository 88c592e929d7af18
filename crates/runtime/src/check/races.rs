//! From racy locations to races: both accesses of every pair, graded by trying to bring them
//! together.

use super::Found;
use crate::kernel::Action;
use crate::limits::Limits;
use crate::program::{Bounds, Execution, Program, run_once};
use crate::sections::Sections;
use crate::strategy::{Hold, Script, Turns};
use raceproof_core::detect::pairs::{Example, Gathered, Pairs, Side, SitePair};
use raceproof_core::detect::{Access, Pair};
use raceproof_core::event::Observer;
use raceproof_core::finding::{Grade, Operation, Race, RaceAccess, Witness};
use raceproof_core::ids::{Location, SiteId, TaskId};
use std::cell::Cell;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Actions for bringing pairs together, beyond which they stay `apparent`: so many, or so many times
/// those of the first run. Counting actions, not time, makes reports the same on a busy machine.
const GRADING: u64 = 20_000_000;
const GRADING_RUNS: u32 = 20;

/// The most time for it, on the slowest of machines; or so many times the first run's.
const GRADING_TIME: Duration = Duration::from_secs(60);

/// By how much looking for witnesses may overrun a time limit of the user's.
const OVERRUN: Duration = Duration::from_secs(2);

/// Turns that the witnesses of one report have in all: about 100 MB of it.
const MAX_TURNS: usize = 1 << 20;

/// Races of one report.
pub(crate) const MAX_RACES: usize = 100_000;

/// All races on the given locations, in source order: those of the graph, and those of the pairs a
/// detector has `claimed` on locations where the graph has none. `observed` is a repetition of the
/// run in which it found them, which took `first_run`.
pub(super) fn explain<'a, P: Program<'a>>(
    mut observed: Execution<'a, P, Pairs>,
    bounds: Bounds<'a>,
    found: &Found,
    first_run: Duration,
    notes: &mut Vec<String>,
) -> Vec<Race> {
    let gathered = observed.run.kernel.observer.gather();
    let actions = GRADING.max(observed.run.actions_taken().saturating_mul(GRADING_RUNS.into()));
    let effort = Effort { actions, time: GRADING_TIME.max(first_run.saturating_mul(GRADING_RUNS)) };
    let explainer = Explainer::new(observed, bounds, &gathered, effort);
    let mut races = explainer.races(&gathered.pairs, notes);
    let explained: HashSet<Location> = gathered.pairs.iter().map(|pair| pair.location).collect();
    let only_claimed = found.claimed.iter().filter(|pair| !explained.contains(&pair.location));
    races.extend(only_claimed.map(|pair| explainer.claim(pair)));
    races.sort_by(|a, b| key(a).cmp(&key(b)));
    races
}

/// When to stop looking for witnesses: after so many actions, so much time, or at the limit of the
/// user's if that comes first.
pub struct Effort {
    actions: u64,
    time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { actions: GRADING, time: GRADING_TIME }
    }
}

impl Effort {
    pub fn of_actions(actions: u64) -> Self {
        Effort { actions, ..Effort::default() }
    }

    fn deadline(&self, bounds: &Bounds<'_>) -> Instant {
        let now = Instant::now();
        let deadline = now + self.time;
        bounds.limits.deadline.map_or(deadline, |limit| deadline.min(limit.max(now + OVERRUN)))
    }
}

/// Turns the pairs gathered in an execution into races.
pub struct Explainer<'a, P: Program<'a>, O: Observer> {
    observed: Execution<'a, P, O>,
    bounds: Bounds<'a>,
    schedule: Turns,
    deadline: Instant,
    /// Actions that further attempts may take.
    actions: Cell<u64>,
    /// Turns that further witnesses may have.
    room: Cell<usize>,
    /// Races for which no witness was looked for.
    untried: Cell<usize>,
    /// Whether witnesses tell the order of sections.
    tells_sections: bool,
}

/// A pair brought together: both tasks stand before their accesses.
struct Shown {
    witness: Witness,
    first: RaceAccess,
    second: RaceAccess,
}

/// How a race turned out: its grade, its witness if it has one, and its two sides.
type Graded = (Grade, Option<Witness>, RaceAccess, RaceAccess);

impl<'a, P: Program<'a>, O: Observer> Explainer<'a, P, O> {
    /// `observed` is the execution, `bounds` what bounds the whole of the check; what is left of
    /// its memory is not looked at any more.
    pub fn new(
        observed: Execution<'a, P, O>,
        bounds: Bounds<'a>,
        gathered: &Gathered,
        effort: Effort,
    ) -> Self {
        let deadline = effort.deadline(&bounds);
        let schedule = Turns { spawned: gathered.spawned.clone(), turns: gathered.turns.clone() };
        let limits = Limits { deadline: Some(deadline), memory: None, looks: None, ..bounds.limits };
        let bounds = Bounds { actions: bounds.actions, limits, keep_schedule: true, ..Bounds::default() };
        Explainer {
            observed,
            bounds,
            schedule,
            deadline,
            actions: Cell::new(effort.actions),
            room: Cell::new(MAX_TURNS),
            untried: Cell::new(0),
            tells_sections: false,
        }
    }

    /// Has witnesses tell in which order tasks enter sections.
    #[must_use]
    pub fn telling_sections(self) -> Self {
        Explainer { tells_sections: true, ..self }
    }

    /// The races that the pairs are examples of, in source order.
    pub fn races(&self, pairs: &[SitePair], notes: &mut Vec<String>) -> Vec<Race> {
        // One pair of every two sites before the others: if time runs out, each still has had its
        // chance.
        let mut seen = HashSet::new();
        let (mut order, rest): (Vec<usize>, Vec<usize>) =
            (0..pairs.len()).partition(|&at| seen.insert(sites(&pairs[at])));
        order.extend(rest);
        truncate(&mut order, notes);
        let mut races: Vec<Race> = order.into_iter().map(|at| self.race(&pairs[at])).collect();
        races.sort_by(|a, b| key(a).cmp(&key(b)));
        self.note_untried(races.len(), notes);
        races
    }

    /// Says for how many of so many races no witness was looked for, and why.
    pub(super) fn note_untried(&self, races: usize, notes: &mut Vec<String>) {
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
                "{reason} a witness of every race: {untried} of {races} were not tried and stay apparent"
            )),
        }
    }

    /// Whether there is time and room to try another race.
    pub fn has_budget(&self) -> bool {
        self.room.get() > 0
            && self.actions.get() > 0
            && Instant::now() < self.deadline
            && !self.bounds.limits.interrupted()
    }

    fn race(&self, pair: &SitePair) -> Race {
        let location = self.observed.location(pair.location);
        let shown = pair
            .examples
            .iter()
            .take_while(|_| self.has_budget())
            .find_map(|example| self.bring_together(example, &location));
        let example = &pair.examples[0];
        let fork = self.fork(example.first.access.task, example.second.access.task);
        let (grade, witness, first, second) = match shown {
            Some(shown) => self.feasible(shown),
            None if self.has_budget() => (
                Grade::Apparent,
                None,
                self.side(&example.first, example.turns),
                self.side(&example.second, example.turns),
            ),
            None => self.untried([example.first.access, example.second.access]),
        };
        let sides = in_source_order(first, second);
        Race { count: pair.count, witness, ..Race::new(location, grade, fork, sides.into()) }
    }

    /// A race that only the detector sees.
    fn claim(&self, pair: &Pair) -> Race {
        self.predicted(pair, None::<fn() -> Option<Turns>>)
    }

    fn feasible(&self, Shown { witness, first, second }: Shown) -> Graded {
        self.room.set(self.room.get().saturating_sub(witness.schedule.len()));
        (Grade::Feasible, Some(witness), first, second)
    }

    fn apparent(&self, sides: [Access; 2]) -> Graded {
        let [first, second] = sides.map(|access| self.outline(access));
        (Grade::Apparent, None, first, second)
    }

    fn untried(&self, sides: [Access; 2]) -> Graded {
        self.untried.set(self.untried.get() + 1);
        self.apparent(sides)
    }

    /// A race that an order predicts: `schedule` gives one that should lead to it, if there is any.
    pub(super) fn predict(&self, pair: &Pair, schedule: impl FnOnce() -> Option<Turns>) -> Race {
        self.predicted(pair, Some(schedule))
    }

    /// A race of which only the pair is known, and perhaps how to come by a schedule that should
    /// lead to it.
    fn predicted(&self, pair: &Pair, schedule: Option<impl FnOnce() -> Option<Turns>>) -> Race {
        let location = self.observed.location(pair.location);
        let sides = [pair.first, pair.second];
        let (grade, witness, first, second) = match schedule {
            None => self.apparent(sides),
            Some(_) if !self.has_budget() => self.untried(sides),
            Some(schedule) => {
                let shown = schedule().and_then(|turns| {
                    self.stand(Script::new(&turns, turns.turns.len(), Vec::new()), sides, &location)
                });
                match shown {
                    Some(shown) => self.feasible(shown),
                    None => self.apparent(sides),
                }
            }
        };
        let sides = in_source_order(first, second);
        let fork = self.fork(pair.first.task, pair.second.task);
        Race { witness, ..Race::new(location, grade, fork, sides.into()) }
    }

    /// Follows the observed schedule with both tasks held at their accesses; if sections keep them
    /// apart, with tasks held outside the section their access is in, to go in once the rest is
    /// done.
    fn bring_together(&self, example: &Example, location: &str) -> Option<Shown> {
        let Example { first, second, .. } = example;
        // At its access first, then outside each section it is in, the innermost first.
        let points = |side: &Side| -> Vec<Hold> {
            let hold = |&actions: &u64| Hold { task: side.access.task, actions, then: side.actions };
            std::iter::once(&side.actions).chain(side.entered.points()).map(hold).collect()
        };
        let mut ways = Vec::new();
        for one in points(first) {
            for other in points(second) {
                ways.push([one, other]);
                if one.actions < one.then || other.actions < other.then {
                    ways.push([other, one]);
                }
            }
        }
        ways.into_iter().find_map(|held| self.follow(example, location, held.to_vec()))
    }

    fn follow(&self, example: &Example, location: &str, held: Vec<Hold>) -> Option<Shown> {
        let sides = [example.first.access, example.second.access];
        self.stand(Script::new(&self.schedule, example.turns, held), sides, location)
    }

    /// Runs the program by a script, as far as the effort left allows.
    fn attempt<S: Observer>(&self, script: &mut Script<'_>, observer: S) -> Execution<'a, P, S> {
        let bounds = Bounds { actions: self.bounds.actions.min(self.actions.get()), ..self.bounds };
        let run = run_once(&self.observed.program, script, observer, bounds);
        self.spend(run.run.actions_taken());
        run
    }

    /// Takes actions from those that are left for witnesses.
    pub(super) fn spend(&self, actions: u64) {
        self.actions.set(self.actions.get().saturating_sub(actions));
    }

    /// Follows a script; whether both accesses are next at its end.
    fn stand(&self, mut script: Script<'_>, sides: [Access; 2], location: &str) -> Option<Shown> {
        let run = self.attempt(&mut script, Sections::default());
        let stands_before = |access: Access| {
            let task = script.here(access.task)?;
            match script.pending(task)? {
                Action::Access { kind, location, site } if (kind, site) == (access.kind, access.site) => {
                    Some((task, location))
                }
                _ => None,
            }
        };
        let (first, at) = stands_before(sides[0])?;
        let (second, also_at) = stands_before(sides[1])?;
        if at != also_at || run.location(at) != location {
            return None;
        }
        let mut witness = run.witness()?;
        if self.tells_sections {
            witness.keep_sections(run.named_sections(&run.run.kernel.observer));
        }
        Some(Shown {
            witness,
            first: describe(&run, Access { task: first, ..sides[0] }),
            second: describe(&run, Access { task: second, ..sides[1] }),
        })
    }

    /// One side of a pair that could not be brought together, as it was in the observed run.
    fn side(&self, side: &Side, turns: usize) -> RaceAccess {
        let held = vec![Hold { task: side.access.task, actions: side.actions, then: side.actions }];
        let mut script = Script::new(&self.schedule, turns, held);
        let run = self.attempt(&mut script, ());
        match script.here(side.access.task) {
            Some(task) => describe(&run, Access { task, ..side.access }),
            None => self.outline(side.access),
        }
    }

    /// An access without its calls and locks, which are known only of a task that stands before it.
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
pub(crate) fn describe<'a, P: Program<'a>, O: Observer>(
    execution: &Execution<'a, P, O>,
    access: Access,
) -> RaceAccess {
    RaceAccess {
        access: access.kind,
        task: execution.task_name(access.task),
        at: execution.place(access.site),
        stack: execution.stack(access.task),
        spawned: execution.spawned(access.task),
        locks: execution.locks(access.task),
        operation: Operation::Plain,
        library: None,
        bytes: None,
        region: None,
    }
}

/// Keeps the list of races of a report within bounds.
pub(super) fn truncate<T>(races: &mut Vec<T>, notes: &mut Vec<String>) {
    if races.len() > MAX_RACES {
        notes.push(format!("{MAX_RACES} of {} races are listed", races.len()));
        races.truncate(MAX_RACES);
    }
}

pub(crate) fn in_source_order(first: RaceAccess, second: RaceAccess) -> (RaceAccess, RaceAccess) {
    if (&first.at, &first.task) <= (&second.at, &second.task) { (first, second) } else { (second, first) }
}

fn sites(pair: &SitePair) -> (SiteId, SiteId) {
    let Example { first, second, .. } = &pair.examples[0];
    let (a, b) = (first.access.site, second.access.site);
    (a.min(b), a.max(b))
}

/// Source order; cells of one array by their index.
pub(crate) fn key(
    race: &Race,
) -> (&raceproof_core::finding::Place, &raceproof_core::finding::Place, usize, &str) {
    (&race.first.at, &race.second.at, race.location.len(), &race.location)
}
