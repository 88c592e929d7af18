//! Which races to fix first, and what they may have caused: [`raceproof_core::debug::netzer`] over
//! one more run.
//!
//! The run is taken access by access with its complete order; if that gives too many races, step by
//! step. Races that this run does not show, since they come from another schedule or after a
//! million actions, keep to the first.

use crate::program::{Bounds, Program, run_once};
use crate::strategy::DepthFirst;
use raceproof_core::debug::netzer::{self, Analysis, Grain, Options, Uses, analyse};
use raceproof_core::detect::Access;
use raceproof_core::event::{AccessKind, Event};
use raceproof_core::finding::{Place, Race, RaceAccess};
use raceproof_core::ids::{Location, TaskId};
use std::collections::HashMap;

/// Actions of the run that are looked at: about 25 MB of events.
const MAX_ACTIONS: u64 = 1 << 20;

/// Races access by access, beyond which they are taken step by step.
const MANY: usize = 1 << 13;

/// Causes listed for one race.
const LISTED: usize = 8;

/// Fills in `partition` and `artifact_of`.
pub(crate) fn arrange<'a, P: Program<'a>>(program: &P, bounds: Bounds<'a>, races: &mut [Race]) {
    // One race is the first; the fields say so already.
    if races.len() < 2 {
        return;
    }
    let bounds = Bounds { actions: bounds.actions.min(MAX_ACTIONS), keep_uses: true, ..bounds };
    let execution = run_once(program, &mut DepthFirst, Vec::new(), bounds);
    let events: &Vec<Event> = &execution.run.kernel.observer;
    let used = execution.program.uses::<Vec<Event>>(&execution.run.machine);
    let used = used.map(|used| netzer::by_event(events, &used));
    let uses = used.as_deref().map_or(Uses::Unknown, Uses::Exact);
    let fine = analyse(events, Options { uses, grain: Grain::Access, limit: MANY, ..Options::default() });
    let coarse = || analyse(events, Options { uses, ..Options::default() });
    let Ok(analysis) = fine.or_else(|_| coarse()) else { return };
    let mut known: HashMap<Key, u32> = HashMap::new();
    let side = |access: Access| (execution.place(access.site), access.kind);
    for (ids, partition) in by_site(&analysis) {
        let (location, first, second) = ids;
        let key = key(execution.location(location), side(first), side(second));
        let earliest = known.entry(key).or_insert(partition);
        *earliest = (*earliest).min(partition);
    }
    let told = |side: &RaceAccess| (side.at.clone(), side.access);
    let of: Vec<Option<u32>> = races
        .iter()
        .map(|race| known.get(&key(race.location.clone(), told(&race.first), told(&race.second))).copied())
        .collect();
    let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
    for (partition, at) in of.iter().zip(0..) {
        let Some(partition) = partition else { continue };
        let members = members.entry(*partition).or_default();
        if members.len() < LISTED {
            members.push(at);
        }
    }
    for (race, partition) in races.iter_mut().zip(&of) {
        let Some(partition) = partition.map(|at| &analysis.partitions[at as usize]) else { continue };
        race.partition = partition.rank;
        let causes = partition.causes.iter().filter_map(|cause| members.get(cause)).flatten();
        race.artifact_of = causes.copied().take(LISTED).collect();
        race.artifact_of.sort_unstable();
    }
}

type Key = (String, (Place, AccessKind), (Place, AccessKind));

fn key(location: String, a: (Place, AccessKind), b: (Place, AccessKind)) -> Key {
    if a <= b { (location, a, b) } else { (location, b, a) }
}

/// Each location and pair of sites once, with the earliest of its partitions: they are numbered by
/// rank.
fn by_site(analysis: &Analysis) -> HashMap<(Location, Access, Access), u32> {
    let mut earliest = HashMap::new();
    for race in &analysis.races {
        for conflict in &race.conflicts {
            // Which task it was is no matter.
            let plain = |access: Access| Access { task: TaskId::MAIN, ..access };
            let ids = (conflict.location, plain(conflict.first), plain(conflict.second));
            let partition = earliest.entry(ids).or_insert(race.partition);
            *partition = race.partition.min(*partition);
        }
    }
    earliest
}
