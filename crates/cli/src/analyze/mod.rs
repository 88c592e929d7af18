//! `analyze`: the races of a recorded trace, by pair of source locations.

pub(crate) mod command;
mod validate;

use crate::args::AnalyzeArgs;
use crate::shared::budget::{Budget, CHUNK, Watchdog, spoken};
use crate::trace::{Trace, keep_input, open, place, recovered, warning};
use raceproof::limits::{Limits, Reached};
use raceproof_core::debug::netzer::Conflict;
use raceproof_core::debug::netzer::posts::Posts;
use raceproof_core::debug::witness::Witnesses;
use raceproof_core::detect::Access;
use raceproof_core::detect::epochs::{Atomic, Epochs, SiteRaces};
use raceproof_core::detect::predict::{Predicted, Predictor};
use raceproof_core::event::{AccessKind, Event};
use raceproof_core::finding::{
    GeneralRace, GeneralSide, Grade, Measured, Operation, Race, RaceAccess, Report, Segment, Spawned, Stats,
    Verdict, Witness,
};
use raceproof_core::ids::{SiteId, TaskId};
use raceproof_core::order::{Order, OrderName, WithOrder};
use raceproof_core::trace::parallel::{self, Workers};
use raceproof_core::trace::sections::atomics_as_sections;
use raceproof_core::trace::{Batch, Named, Names, Source, TraceError};
pub use raceproof_report::trace::{Analyzed, Validation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time for building witnesses, beyond which races stay `apparent`.
const GRADING: Duration = Duration::from_secs(10);

/// How many races are listed, as `check` has it.
const LISTED: usize = 100_000;

/// How much of names the listed ones may have, in bytes.
const LISTED_NAMES: usize = 64 << 20;

/// A witness can be as long as the trace, and there is one for each race: of the memory this part
/// is for them.
const WITNESSES: u64 = 3;

/// An analysis under way.
struct Work<'a> {
    args: &'a AnalyzeArgs,
    budget: Budget,
    watchdog: &'a Watchdog<Analyzed>,
    warnings: Vec<String>,
}

impl Work<'_> {
    fn workers(&self) -> Workers<'static> {
        // To share a trace out costs more than most traces take (docs/BENCHMARKS.md).
        Workers { count: self.args.workers.map_or(1, NonZeroUsize::get), ended: None }
    }
}

/// Does what was asked for; an error is for the user. `watchdog` gets what is known before an
/// analysis that may not come to its end within the limits.
pub(crate) fn run(
    args: &AnalyzeArgs,
    limits: Limits<'static>,
    watchdog: &Watchdog<Analyzed>,
) -> Result<Analyzed, String> {
    let start = Instant::now();
    let mut work = Work { args, budget: Budget::new(limits), watchdog, warnings: Vec::new() };
    if args.general {
        // The trace is read once more.
        keep_input(&args.file, &mut work.budget)?;
    }
    let mut analyzed =
        if args.validate { validate::validate(&mut work)? } else { plain(args.order.with(&mut work)?) };
    analyzed.warnings = std::mem::take(&mut work.warnings);
    if args.general {
        watchdog.keep(analyzed.clone());
        let (general_races, limits) = general(&mut work)?;
        let report = &mut analyzed.report;
        report.general_races = general_races;
        for limit in limits {
            if !report.limits.contains(&limit) {
                report.limits.push(limit);
            }
        }
        report.verdict = verdict(report);
    }
    analyzed.measured.seconds = start.elapsed().as_secs_f64();
    Ok(analyzed)
}

fn plain(report: Report) -> Analyzed {
    Analyzed { report, validation: None, warnings: Vec::new(), measured: Measured::default() }
}

/// What is left to say of an analysis that did not stop by itself: what was known before, and why
/// there is no more.
pub(crate) fn given_up(args: &AnalyzeArgs, known: Option<Analyzed>, reached: Reached) -> Analyzed {
    let nothing = || plain(report(args.order, Vec::new(), Counts::default(), Vec::new()));
    let mut analyzed = known.unwrap_or_else(nothing);
    analyzed.report.limits.push(spoken(reached));
    analyzed.report.verdict = verdict(&analyzed.report);
    analyzed
}

impl WithOrder for &mut Work<'_> {
    type Output = Result<Report, String>;

    fn with<O: Order + Default>(self) -> Self::Output {
        if self.args.witness { witnessed::<O>(self) } else { stream::<O>(self) }
    }
}

/// The most steps times events that are simulated for general races: some ten seconds.
const MAX_SIMULATED: usize = 4_000_000_000;

/// Conflicting accesses whose order nothing guarantees (Netzer's Algorithm 5.1), and why there may
/// be more.
fn general(work: &mut Work<'_>) -> Result<(Vec<GeneralRace>, Vec<String>), String> {
    let args = work.args;
    let mut events = Vec::new();
    let Whole { source, mut limits, .. } = read(work, |some| events.extend_from_slice(some))?;
    let events = atomics_as_sections(events).events;
    let posts = Posts::of_runtime(&events);
    if posts.effort() > MAX_SIMULATED {
        return Err("--general takes time by steps times events, and these are too many".into());
    }
    let names = source.names();
    let side = |access: Access| GeneralSide {
        task: called(names, Named::Task(access.task)),
        access: Some(access.kind),
        at: Some(place(&called(names, Named::Site(access.site)), &args.file)),
    };
    let race = |found: &Conflict| GeneralRace {
        id: String::new(),
        kind: "accesses".into(),
        on: String::new(),
        location: Some(called(names, Named::Location(found.location))),
        first: side(found.first),
        second: side(found.second),
    };
    let Some(mut found) = posts.general_races(&mut || work.budget.reached().is_some()) else {
        limits.extend(work.budget.reached().map(spoken));
        return Ok((Vec::new(), limits));
    };
    if found.len() > LISTED {
        limits.push(format!("{LISTED} of {} general races are listed", found.len()));
        found.truncate(LISTED);
    }
    Ok((found.iter().map(race).collect(), limits))
}

/// How many there were of what.
#[derive(Clone, Copy, Default)]
struct Counts {
    tasks: u64,
    reads: u64,
    writes: u64,
    syncs: u64,
}

impl Counts {
    #[inline]
    fn add(&mut self, event: &Event) {
        match event {
            Event::Access { kind, .. } | Event::Atomic { kind, .. } => match kind {
                AccessKind::Read => self.reads += 1,
                AccessKind::Write => self.writes += 1,
            },
            Event::Spawn { .. } => self.tasks += 1,
            Event::End { .. } => {}
            _ => self.syncs += 1,
        }
    }
}

/// Who spawned each task of a trace, and where.
#[derive(Default)]
struct Spawns(FxHashMap<TaskId, (TaskId, SiteId)>);

/// Spawns named on the way to a task.
const WAY: usize = 64;

impl Spawns {
    #[inline]
    fn add(&mut self, event: &Event) {
        if let Event::Spawn { parent, child, site, .. } = *event {
            self.0.insert(child, (parent, site));
        }
    }

    /// The tasks from a task up to the first one.
    fn way(&self, task: TaskId) -> impl Iterator<Item = TaskId> {
        std::iter::successors(Some(task), |at| self.0.get(at).map(|&(parent, _)| parent))
            .take(self.0.len() + 1)
    }

    /// The spawns that led to a task, outermost first.
    fn spawned(&self, names: &Names, trace: &Path, task: TaskId) -> Vec<Spawned> {
        let spawned = |at: TaskId| {
            let &(_, site) = self.0.get(&at)?;
            let at_site = place(&called(names, Named::Site(site)), trace);
            Some(Spawned {
                task: called(names, Named::Task(at)),
                at: at_site,
                construct: None,
                thread: None,
                name: None,
            })
        };
        let mut all: Vec<Spawned> = self.way(task).take(WAY).filter_map(spawned).collect();
        // A place that has no line says nothing.
        all.retain(|spawned| spawned.at.line > 0 && spawned.at.column > 0);
        all.reverse();
        all
    }

    /// The task in which the ways to two tasks part.
    fn fork(&self, names: &Names, tasks: [TaskId; 2]) -> String {
        let above: FxHashSet<TaskId> = self.way(tasks[0]).collect();
        let fork = self.way(tasks[1]).find(|task| above.contains(task));
        fork.map_or_else(String::new, |fork| called(names, Named::Task(fork)))
    }
}

/// A trace that has been read.
struct Whole {
    source: Trace,
    spawns: Spawns,
    counts: Counts,
    /// Why it is not the whole run.
    limits: Vec<String>,
}

/// Gives all events to `each`, some at a time, until there are no more or a limit is reached.
fn read(work: &mut Work<'_>, mut each: impl FnMut(&[Event])) -> Result<Whole, String> {
    let mut source = open(&work.args.file)?;
    let mut counts = Counts { tasks: 1, ..Counts::default() };
    let mut spawns = Spawns::default();
    let workers = work.workers();
    let budget = &mut work.budget;
    budget.reached_now();
    let mut take = |events: &[Event]| {
        for some in events.chunks(CHUNK) {
            if budget.reached().is_some() {
                return false;
            }
            for event in some {
                counts.add(event);
                spawns.add(event);
            }
            each(some);
        }
        budget.reached().is_none()
    };
    let ended = match workers.count {
        1 => alone(&mut source, &mut take),
        _ => parallel::read(&mut source, workers, &mut take),
    };
    whole(work, source, (spawns, counts), ended)
}

/// As [`parallel::read`], without a thread of its own.
fn alone(source: &mut Trace, take: &mut impl FnMut(&[Event]) -> bool) -> Result<(), TraceError> {
    let mut batch = Batch::default();
    loop {
        let more = source.next(&mut batch);
        let goes_on = take(&batch.events);
        if !more? || !goes_on {
            return Ok(());
        }
    }
}

/// A trace that was read up to its end, to an offence or to a limit.
fn whole(
    work: &mut Work<'_>,
    source: Trace,
    (spawns, counts): (Spawns, Counts),
    ended: Result<(), TraceError>,
) -> Result<Whole, String> {
    let args = work.args;
    let error = ended.err().map(|error| error.to_string());
    let damage = error.as_ref().map(|error| format!("{error}; only what comes before was analysed"));
    if !args.recover {
        recovered(&args.file, false, error)?;
    }
    let reached = work.budget.reached().map(spoken);
    let unfinished = source.note().map(str::to_owned);
    work.warnings = source.tolerated().iter().map(warning).collect();
    Ok(Whole {
        source,
        spawns,
        counts,
        limits: damage.into_iter().chain(unfinished).chain(reached).collect(),
    })
}

/// The races by pair of sites, from one pass in memory that does not grow with the events.
fn found<O: Order + Default>(work: &mut Work<'_>) -> Result<(Whole, Vec<SiteRaces>), String> {
    if work.workers().count > 1 {
        let mut source = open(&work.args.file)?;
        let mut counts = Counts { tasks: 1, ..Counts::default() };
        let mut spawns = Spawns::default();
        work.budget.reached_now();
        let other = |event: &Event| {
            counts.add(event);
            spawns.add(event);
        };
        let workers = work.workers();
        let goes_on = || work.budget.reached().is_none();
        if let Some((found, ended)) = parallel::analyse::<O, _>(&mut source, workers, other, goes_on) {
            (counts.reads, counts.writes) = (found.reads, found.writes);
            return Ok((whole(work, source, (spawns, counts), ended)?, found.races));
        }
    }
    // An order whose clocks depend on accesses.
    let mut detector = Epochs::<O>::default();
    let whole = read(work, |events| detector.observe(events))?;
    Ok((whole, detector.races().to_vec()))
}

/// What [`found`] has found, as a report.
fn stream<O: Order + Default>(work: &mut Work<'_>) -> Result<Report, String> {
    let (Whole { source, spawns, counts, mut limits }, found) = found::<O>(work)?;
    let (names, file) = (source.names(), &work.args.file);
    let race = |found: &SiteRaces| {
        let location = called(names, Named::Location(found.location));
        let fork = spawns.fork(names, [found.first, found.second].map(|access| access.task));
        let sides = [
            side(names, file, &spawns, found.first, found.atomic == Atomic::First),
            side(names, file, &spawns, found.second, found.atomic == Atomic::Second),
        ];
        Race { count: found.count, ..Race::new(location, Grade::Apparent, fork, sides) }
    };
    let races = listed(found.iter().map(race));
    if found.len() > races.len() {
        limits.push(format!("{} of {} racing pairs of sites are listed", races.len(), found.len()));
    }
    Ok(report(work.args.order, races, counts, limits))
}

/// The whole trace in memory, every pair of sites, and a witness where one can be built.
fn witnessed<O: Order + Default>(work: &mut Work<'_>) -> Result<Report, String> {
    let mut events = Vec::new();
    let Whole { source, spawns, counts, mut limits } = read(work, |some| events.extend_from_slice(some))?;
    let sectioned = atomics_as_sections(events);
    let events = &sectioned.events;
    if u32::try_from(events.len()).is_err() {
        return Err("--witness takes traces of at most 4,294,967,295 events".into());
    }
    let mut predictor = Predictor::<O>::limited(LISTED);
    work.watchdog.keep(plain(report(work.args.order, Vec::new(), counts, limits.clone())));
    // An access is compared with all that it may race with, so that a few take long.
    for some in events.chunks(CHUNK / 4) {
        some.iter().for_each(|event| event.deliver(&mut predictor));
        if predictor.is_full() || work.budget.reached().is_some() {
            break;
        }
    }
    if predictor.is_full() {
        limits.push(format!("only the first {LISTED} races are listed; there may be more"));
    }
    if let Some(limit) = work.budget.reached_now().map(spoken).filter(|limit| !limits.contains(limit)) {
        limits.push(limit);
    }
    let (names, file) = (source.names(), &work.args.file);
    let race = |found: &Predicted| {
        let location = called(names, Named::Location(found.pair.location));
        let fork = spawns.fork(names, [found.pair.first, found.pair.second].map(|access| access.task));
        let sides = [
            side(names, file, &spawns, found.pair.first, sectioned.is_atomic(found.first_event)),
            side(names, file, &spawns, found.pair.second, sectioned.is_atomic(found.second_event)),
        ];
        Race::new(location, Grade::Apparent, fork, sides)
    };
    let predictions = predictor.predictions();
    let races = listed(predictions.iter().map(race));
    if predictions.len() > races.len() {
        limits.push(format!("{} of {} races are listed", races.len(), predictions.len()));
    }
    let mut report = report(work.args.order, races, counts, limits);
    work.watchdog.keep(Analyzed { warnings: work.warnings.clone(), ..plain(report.clone()) });
    let mut grader = Grader::new(events, work);
    for (found, race) in predictions.iter().zip(&mut report.races) {
        grader.grade(found, race, names);
    }
    report.limits.extend(grader.limit());
    Ok(report)
}

/// As many races as a report can hold.
fn listed(races: impl Iterator<Item = Race>) -> Vec<Race> {
    let mut bytes = 0;
    let fits = |race: &Race| {
        let side = |side: &RaceAccess| side.task.len() + side.at.file.len();
        bytes += race.location.len() + side(&race.first) + side(&race.second);
        bytes < LISTED_NAMES
    };
    races.take(LISTED).take_while(fits).collect()
}

/// Builds witnesses as long as there is time and memory.
struct Grader<'e> {
    witnesses: Option<Witnesses<'e>>,
    budget: Budget,
    deadline: Instant,
    untried: u64,
}

impl<'e> Grader<'e> {
    fn new(events: &'e [Event], work: &Work<'_>) -> Self {
        let mut budget = work.budget.part(WITNESSES);
        // To index the trace takes several times its events.
        let witnesses = budget.reached_now().is_none().then(|| Witnesses::new(events));
        Grader { witnesses, budget, deadline: Instant::now() + GRADING, untried: 0 }
    }

    fn grade(&mut self, found: &Predicted, race: &mut Race, names: &Names) {
        let out_of_time = Instant::now() >= self.deadline || self.budget.reached().is_some();
        match &self.witnesses {
            Some(witnesses) if !out_of_time => {
                if let Some(order) = witnesses.confirm(found) {
                    let schedule = segments(&witnesses.schedule(&order), names);
                    race.witness = Some(Witness { schedule, ..Witness::default() });
                    race.grade = Grade::Feasible;
                }
            }
            _ => self.untried += 1,
        }
    }

    fn limit(&self) -> Option<String> {
        (self.untried > 0).then(|| {
            let untried = self.untried;
            format!("there was no time or memory for a witness of every race: {untried} were not tried")
        })
    }
}

/// A name as a report has it. In a trace it can be a megabyte long, and be that of every race.
fn called(names: &Names, named: Named) -> String {
    let name = names.of(named);
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// As long as a path can be.
const LONGEST_NAME: usize = 4096;

fn segments(turns: &[(TaskId, u64)], names: &Names) -> Vec<Segment> {
    turns.iter().map(|&(task, actions)| Segment { task: called(names, Named::Task(task)), actions }).collect()
}

fn side(names: &Names, trace: &Path, spawns: &Spawns, access: Access, is_atomic: bool) -> RaceAccess {
    RaceAccess {
        access: access.kind,
        task: called(names, Named::Task(access.task)),
        at: place(&called(names, Named::Site(access.site)), trace),
        stack: Vec::new(),
        spawned: spawns.spawned(names, trace, access.task),
        locks: Vec::new(),
        operation: if is_atomic { Operation::Atomic } else { Operation::Plain },
        library: None,
        bytes: None,
        region: None,
    }
}

fn report(order: OrderName, races: Vec<Race>, counts: Counts, limits: Vec<String>) -> Report {
    let mut report = Report {
        races,
        limits,
        stats: Stats {
            executions: 1,
            executions_left: None,
            random: None,
            tasks: counts.tasks,
            steps: counts.tasks + counts.syncs,
            reads: counts.reads,
            writes: counts.writes,
            // Written by `Analyzed`, after what it adds.
            seconds: f64::NAN,
        },
        ..Report::new(order.detector())
    };
    report.verdict = verdict(&report);
    report
}

/// Of a part of a run nothing is known but the races in it.
fn verdict(report: &Report) -> Verdict {
    match (report.races.is_empty(), report.limits.is_empty()) {
        (true, true) => Verdict::RaceFree,
        (true, false) => Verdict::Inconclusive,
        (false, _) => Verdict::Race,
    }
}
