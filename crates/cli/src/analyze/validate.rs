//! `analyze --validate`: Netzer's analysis of a trace, its races by pair of sites.

use super::{Analyzed, Grader, LISTED, Validation, Whole, Work, called, listed, plain, read, report, side};
use crate::args::{self, TemporalLevel};
use raceproof_core::debug::netzer::{
    self, Analysis, Conflict, Grain, Level, MAX_RACES, Options, Uses, analyse,
};
use raceproof_core::detect::Pair;
use raceproof_core::detect::predict::Predicted;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Grade, Race};
use raceproof_core::trace::sections::atomics_as_sections;
use raceproof_core::trace::{Named, Source};
use rustc_hash::FxHashMap;

/// See the module.
pub(super) fn validate(work: &mut Work<'_>) -> Result<Analyzed, String> {
    let args = work.args;
    let mut events = Vec::new();
    let Whole { source, spawns, counts, limits } = read(work, |some| events.extend_from_slice(some))?;
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
    work.watchdog.keep(plain(report(args.order, Vec::new(), counts, limits.clone())));
    let used = source.uses().filter(|_| !args.coarse).map(|used| netzer::by_event(events, used));
    let uses = used.as_deref().map_or(Uses::Unknown, Uses::Exact);
    let analysis = analyse(events, Options { level, uses, grain, ..Options::default() }).map_err(|_| {
        format!("more than {MAX_RACES} apparent races, or of too many tasks, to be validated")
    })?;
    let mut grader = args.witness.then(|| Grader::new(events, work));
    let pairs = by_sites(&analysis);
    let examples = by_partition(&pairs);
    let mut races = listed(pairs.iter().map(|pair| {
        let conflict = pair.conflict;
        let partition = &analysis.partitions[pair.partition as usize];
        let found = Predicted {
            pair: Pair { location: conflict.location, first: conflict.first, second: conflict.second },
            first_event: conflict.first_event.min(conflict.second_event),
            second_event: conflict.first_event.max(conflict.second_event),
        };
        let causes = partition.causes.iter().filter_map(|cause| examples.get(cause));
        let mut artifact_of: Vec<u32> = causes.flatten().copied().collect();
        artifact_of.sort_unstable();
        artifact_of.truncate(CAUSES);
        let sides = [(conflict.first, conflict.first_event), (conflict.second, conflict.second_event)]
            .map(|(access, event)| side(names, &args.file, &spawns, access, sectioned.is_atomic(event)));
        let location = called(names, Named::Location(conflict.location));
        let fork = spawns.fork(names, [conflict.first.task, conflict.second.task]);
        let mut race = Race {
            partition: partition.rank,
            artifact_of,
            count: pair.count,
            ..Race::new(location, Grade::Apparent, fork, sides)
        };
        if let Some(grader) = grader.as_mut().filter(|_| partition.rank == 1) {
            grader.grade(&found, &mut race, names);
        }
        race
    }));
    let shown = races.len() as u32;
    races.iter_mut().for_each(|race| race.artifact_of.retain(|&at| at < shown));
    let mut limits = limits;
    if pairs.len() > races.len() {
        limits.push(format!("{} of {} racing pairs of sites are listed", races.len(), pairs.len()));
    }
    limits.extend(grader.and_then(|grader| grader.limit()));
    let mut report = report(args.order, races, counts, limits);
    report.detector = format!("netzer {}", if level == Level::Complete { "complete" } else { "approximate" });
    report.stats.steps = analysis.steps.into();
    Ok(Analyzed { validation: Some(Validation::new(&analysis)), ..plain(report) })
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

/// By partition: the first few pairs of it.
fn by_partition(pairs: &[SitePair]) -> FxHashMap<u32, Vec<u32>> {
    let mut all: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (pair, at) in pairs.iter().take(LISTED).zip(0..) {
        let some = all.entry(pair.partition).or_default();
        if some.len() < CAUSES {
            some.push(at);
        }
    }
    all
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
