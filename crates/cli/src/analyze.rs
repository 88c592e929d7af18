//! `analyze`: the races of a recorded trace, by pair of source locations.

use crate::args::{self, AnalyzeArgs, TemporalLevel, TraceOrder};
use crate::traces::{Trace, open, recovered};
use raceproof_core::debug::netzer::posts::Posts;
use raceproof_core::debug::netzer::{
    self, Analysis, Conflict, Grain, Level, MAX_RACES, Options, Uses, analyse,
};
use raceproof_core::debug::witness::Witnesses;
use raceproof_core::detect::epochs::{Atomic, Epochs, SiteRaces};
use raceproof_core::detect::predict::{Predicted, Predictor};
use raceproof_core::detect::{Access, Pair};
use raceproof_core::event::{AccessKind, Event};
use raceproof_core::finding::{
    GeneralRace, GeneralSide, Grade, Operation, Place, Race, RaceAccess, Report, Scope, Segment, Stats,
    Verdict, Witness,
};
use raceproof_core::ids::TaskId;
use raceproof_core::order::{Order, dc::Dc, hb::Hb, shb::Shb, wcp::Wcp};
use raceproof_core::trace::sections::atomics_as_sections;
use raceproof_core::trace::{Batch, Named, Names, Source};
pub use raceproof_report::trace::{Analyzed, Validation};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time for building witnesses, beyond which races stay `apparent`.
const GRADING: Duration = Duration::from_secs(10);

/// Does what was asked for; an error is for the user.
pub fn run(args: &AnalyzeArgs) -> Result<Analyzed, String> {
    let start = Instant::now();
    let mut analyzed = if args.validate {
        validate(args)?
    } else {
        Analyzed { report: under_order(args)?, validation: None }
    };
    if args.general {
        analyzed.report.general_races = general(args)?;
    }
    analyzed.report.stats.seconds = start.elapsed().as_secs_f64();
    Ok(analyzed)
}

fn under_order(args: &AnalyzeArgs) -> Result<Report, String> {
    let report = match (args.order, args.witness) {
        (TraceOrder::Hb, false) => stream::<Hb>(args)?,
        (TraceOrder::Shb, false) => stream::<Shb>(args)?,
        (TraceOrder::Wcp, false) => stream::<Wcp>(args)?,
        (TraceOrder::Dc, false) => stream::<Dc>(args)?,
        (TraceOrder::Hb, true) => witnessed::<Hb>(args)?,
        (TraceOrder::Shb, true) => witnessed::<Shb>(args)?,
        (TraceOrder::Wcp, true) => witnessed::<Wcp>(args)?,
        (TraceOrder::Dc, true) => witnessed::<Dc>(args)?,
    };
    Ok(report)
}

/// The most steps times events that are simulated for general races: some ten seconds.
const MAX_SIMULATED: usize = 4_000_000_000;

/// Conflicting accesses whose order nothing guarantees (Netzer's Algorithm 5.1).
fn general(args: &AnalyzeArgs) -> Result<Vec<GeneralRace>, String> {
    let mut events = Vec::new();
    let Whole { source, .. } = read(args, |some| events.extend_from_slice(some))?;
    let events = atomics_as_sections(events).events;
    let posts = Posts::of_runtime(&events);
    if posts.effort() > MAX_SIMULATED {
        return Err("--general takes time by steps times events, and these are too many".into());
    }
    let names = source.names();
    let side = |access: Access| GeneralSide {
        task: names.of(Named::Task(access.task)),
        access: Some(access.kind),
        at: Some(place(&names.of(Named::Site(access.site)), &args.file)),
    };
    let race = |found: &Conflict| GeneralRace {
        kind: "accesses".into(),
        on: String::new(),
        location: Some(names.of(Named::Location(found.location))),
        first: side(found.first),
        second: side(found.second),
    };
    Ok(posts.general_races().iter().map(race).collect())
}

/// How many there were of what.
#[derive(Default)]
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

/// A trace that has been read.
struct Whole {
    source: Trace,
    counts: Counts,
    /// Why it is not the whole run.
    limits: Vec<String>,
}

/// Gives all events to `each`, some at a time.
fn read(args: &AnalyzeArgs, mut each: impl FnMut(&[Event])) -> Result<Whole, String> {
    let mut source = open(&args.file)?;
    let mut batch = Batch::default();
    let mut counts = Counts { tasks: 1, ..Counts::default() };
    let error = loop {
        let more = source.next(&mut batch);
        batch.events.iter().for_each(|event| counts.add(event));
        each(&batch.events);
        match more {
            Ok(true) => {}
            Ok(false) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    let damage = error.as_ref().map(|error| format!("{error}; only what comes before was analysed"));
    if !args.recover {
        recovered(&args.file, false, error)?;
    }
    let unfinished = source.note().map(str::to_owned);
    Ok(Whole { source, counts, limits: damage.into_iter().chain(unfinished).collect() })
}

/// One pass, in memory that does not grow with the events.
fn stream<O: Order + Default>(args: &AnalyzeArgs) -> Result<Report, String> {
    let mut detector = Epochs::<O>::default();
    let Whole { source, counts, limits } = read(args, |events| detector.observe(events))?;
    let names = source.names();
    let race = |found: &SiteRaces| Race {
        location: names.of(Named::Location(found.location)),
        grade: Grade::Apparent,
        partition: 1,
        artifact_of: Vec::new(),
        first: side(names, &args.file, found.first, found.atomic == Atomic::First),
        second: side(names, &args.file, found.second, found.atomic == Atomic::Second),
        fork: String::new(),
        count: found.count,
        witness: None,
        object: None,
    };
    let races = detector.races().iter().map(race).collect();
    Ok(report(args.order, races, counts, limits))
}

/// The whole trace in memory, every pair of sites, and a witness where one can be built.
fn witnessed<O: Order + Default>(args: &AnalyzeArgs) -> Result<Report, String> {
    let mut events = Vec::new();
    let Whole { source, counts, mut limits } = read(args, |some| events.extend_from_slice(some))?;
    let sectioned = atomics_as_sections(events);
    let events = &sectioned.events;
    if u32::try_from(events.len()).is_err() {
        return Err("--witness takes traces of at most 4,294,967,295 events".into());
    }
    let mut predictor = Predictor::<O>::default();
    events.iter().for_each(|event| event.deliver(&mut predictor));
    let names = source.names();
    let witnesses = Witnesses::new(events);
    let deadline = Instant::now() + GRADING;
    let mut untried = 0;
    let race = |found: &Predicted| {
        let order = if Instant::now() < deadline {
            witnesses.confirm(found)
        } else {
            untried += 1;
            None
        };
        let witness = order
            .map(|order| Witness { program: None, schedule: segments(&witnesses.schedule(&order), names) });
        Race {
            location: names.of(Named::Location(found.pair.location)),
            grade: if witness.is_some() { Grade::Feasible } else { Grade::Apparent },
            partition: 1,
            artifact_of: Vec::new(),
            first: side(names, &args.file, found.pair.first, sectioned.is_atomic(found.first_event)),
            second: side(names, &args.file, found.pair.second, sectioned.is_atomic(found.second_event)),
            fork: String::new(),
            count: 1,
            witness,
            object: None,
        }
    };
    let races = predictor.predictions().iter().map(race).collect();
    if untried > 0 {
        limits.push(format!("there was no time for a witness of every race: {untried} were not tried"));
    }
    Ok(report(args.order, races, counts, limits))
}

/// Netzer's analysis, its races by pair of sites.
fn validate(args: &AnalyzeArgs) -> Result<Analyzed, String> {
    let mut events = Vec::new();
    let Whole { source, counts, limits } = read(args, |some| events.extend_from_slice(some))?;
    let sectioned = atomics_as_sections(events);
    let events = &sectioned.events;
    let names = source.names();
    let level = match args.level {
        TemporalLevel::Complete => Level::Complete,
        TemporalLevel::Approximate => Level::Approximate,
    };
    let grain = match args.grain {
        args::Grain::Step => Grain::Step,
        args::Grain::Access => Grain::Access,
    };
    let used = source.uses().filter(|_| !args.coarse).map(|used| netzer::by_event(events, used));
    let uses = used.as_deref().map_or(Uses::Unknown, Uses::Exact);
    let analysis = analyse(events, Options { level, uses, grain, ..Options::default() }).map_err(|_| {
        format!("more than {MAX_RACES} apparent races, or of too many tasks, to be validated")
    })?;
    let witnesses = args.witness.then(|| Witnesses::new(events));
    let deadline = Instant::now() + GRADING;
    let pairs = by_sites(&analysis);
    let races = pairs
        .iter()
        .map(|pair| {
            let conflict = pair.conflict;
            let partition = &analysis.partitions[pair.partition as usize];
            let found = Predicted {
                pair: Pair { location: conflict.location, first: conflict.first, second: conflict.second },
                first_event: conflict.first_event.min(conflict.second_event),
                second_event: conflict.first_event.max(conflict.second_event),
            };
            let order = witnesses
                .as_ref()
                .filter(|_| partition.rank == 1 && Instant::now() < deadline)
                .and_then(|all| all.confirm(&found).map(|order| all.schedule(&order)));
            let witness = order.map(|turns| Witness { program: None, schedule: segments(&turns, names) });
            let causes =
                pairs.iter().zip(0..).filter(|(other, _)| partition.causes.contains(&other.partition));
            Race {
                location: names.of(Named::Location(conflict.location)),
                grade: if witness.is_some() { Grade::Feasible } else { Grade::Apparent },
                partition: partition.rank,
                artifact_of: causes.map(|(_, at)| at).take(CAUSES).collect(),
                first: side(names, &args.file, conflict.first, sectioned.is_atomic(conflict.first_event)),
                second: side(names, &args.file, conflict.second, sectioned.is_atomic(conflict.second_event)),
                fork: String::new(),
                count: pair.count,
                witness,
                object: None,
            }
        })
        .collect();
    let mut report = report(args.order, races, counts, limits);
    report.detector = format!("netzer {}", if level == Level::Complete { "complete" } else { "approximate" });
    report.stats.steps = analysis.steps.into();
    Ok(Analyzed { report, validation: Some(Validation::new(&analysis)) })
}

/// Causes listed for one race.
const CAUSES: usize = 8;

/// The races of two sites.
struct SitePair {
    /// Of the earliest of them.
    conflict: Conflict,
    partition: u32,
    count: u64,
}

fn by_sites(analysis: &Analysis) -> Vec<SitePair> {
    let mut pairs: Vec<SitePair> = Vec::new();
    let mut numbers: FxHashMap<[(u32, AccessKind); 2], usize> = FxHashMap::default();
    for race in &analysis.races {
        for conflict in &race.conflicts {
            let mut key = [conflict.first, conflict.second].map(|access| (access.site.0, access.kind));
            key.sort();
            let at = *numbers.entry(key).or_insert(pairs.len());
            if at == pairs.len() {
                pairs.push(SitePair { conflict: *conflict, partition: race.partition, count: 0 });
            }
            pairs[at].count += 1;
            // Partitions are numbered by rank.
            if race.partition < pairs[at].partition {
                (pairs[at].partition, pairs[at].conflict) = (race.partition, *conflict);
            }
        }
    }
    pairs
}

fn segments(turns: &[(TaskId, u64)], names: &Names) -> Vec<Segment> {
    turns.iter().map(|&(task, actions)| Segment { task: names.of(Named::Task(task)), actions }).collect()
}

fn side(names: &Names, trace: &Path, access: Access, is_atomic: bool) -> RaceAccess {
    RaceAccess {
        access: access.kind,
        task: names.of(Named::Task(access.task)),
        at: place(&names.of(Named::Site(access.site)), trace),
        stack: Vec::new(),
        spawned: Vec::new(),
        locks: Vec::new(),
        operation: if is_atomic { Operation::Atomic } else { Operation::Plain },
        bytes: None,
        region: None,
    }
}

/// `file:line:column` as a place; a number alone is a line; anything else stands for the file.
fn place(site: &str, trace: &Path) -> Place {
    let mut parts = site.rsplitn(3, ':');
    let (last, middle, first) = (parts.next(), parts.next(), parts.next());
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok());
    match (first, number(middle), number(last)) {
        (Some(file), Some(line), Some(column)) => Place { file: file.to_owned(), line, column },
        (None, None, Some(line)) if middle.is_none() => {
            Place { file: trace.display().to_string(), line, column: 0 }
        }
        _ => Place { file: site.to_owned(), line: 0, column: 0 },
    }
}

fn report(order: TraceOrder, races: Vec<Race>, counts: Counts, limits: Vec<String>) -> Report {
    let detector = match order {
        TraceOrder::Hb => "order hb",
        TraceOrder::Shb => "order shb",
        TraceOrder::Wcp => "order wcp",
        TraceOrder::Dc => "order dc",
    };
    // Of a part of a run nothing is known but the races in it.
    let verdict = match (races.is_empty(), limits.is_empty()) {
        (true, true) => Verdict::RaceFree,
        (true, false) => Verdict::Inconclusive,
        (false, _) => Verdict::Race,
    };
    Report {
        tool: "raceproof".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        schema: 1,
        verdict,
        scope: Scope::ObservedSchedule,
        determinate: None,
        detector: detector.into(),
        races,
        deadlocks: Vec::new(),
        errors: Vec::new(),
        general_races: Vec::new(),
        limits,
        threads: Vec::new(),
        suppressed: 0,
        stats: Stats {
            executions: 1,
            executions_left: None,
            tasks: counts.tasks,
            steps: counts.tasks + counts.syncs,
            reads: counts.reads,
            writes: counts.writes,
            seconds: 0.0,
        },
    }
}
