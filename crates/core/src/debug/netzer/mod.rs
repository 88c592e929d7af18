//! Which apparent races can happen, and which only happened because of others.
//!
//! Netzer, *Race condition detection for debugging shared-memory parallel programs* (thesis, 1991),
//! chapters 6 to 8. A race is between two *steps* (the thesis says computation events): runs of
//! accesses of one task without synchronisation in between. Two steps that conflict and that
//! synchronisation does not order are an *apparent* race. What the run did to data may order them
//! all the same, so the graph of the run, two nodes a step, is augmented:
//!
//! - *G_D*: with an edge from the start of a to the finish of b where b may depend on data of a. A
//!   race whose steps G_D leaves unordered is *nontangled* and feasible (Theorem 7.1); the others
//!   are in *tangles*, strongly connected components, and of each tangle at least one race is
//!   feasible (Theorem 7.2).
//! - *G_E*: only with those dependences by which a can decide what b does: b reads what a writes,
//!   and uses it in a branch or an index. A tangled race is feasible if the finishes of its steps
//!   do not reach each other (Theorem 7.3).
//! - *Order*: a race may be an artifact of another if both steps of that one can decide what one of
//!   its steps does (Definition 8.1). Races that may be artifacts of each other are one
//!   *partition*; each partition that comes after no other holds a race that is feasible and no
//!   artifact (Theorem 8.2). These are the races to fix first.
//!
//! Two levels of information. *Approximate*: only synchronisation and the sets of what each step
//! read and wrote are used, as a cheap recorder would have them, and a dependence between unordered
//! steps may go either way. *Complete*: the trace tells which access came first, so that a
//! dependence goes one way; there are no tangles then.
//!
//! Departures. The thesis stores a vector for every event and looks at every pair of unordered
//! events, O(n²p). Here steps lie on *chains* (slots of the vector clocks), the steps of a chain
//! that are unordered with a given one are an interval, races are found location by location, and
//! the augmented graphs are built over racing steps only, with the clocks standing for all others:
//! with k steps in r races on p chains, O(n) for the clocks, O(accesses × p) for the races, O((k +
//! r)p) for the graphs. Algorithm 7.3 misses dependences; `dependences.rs` says which. Reachability
//! in the cyclic graphs is kept as the *first* position reached on each chain (7.5 keeps the last
//! one that reaches). Partitions are the components of a graph of races and steps instead of 8.1's
//! comparison of all pairs.
//!
//! The grain. The theorems speak of steps as wholes that can overlap: a nontangled race of two
//! steps with several conflicts is feasible for one of them, not for all, and if a step gets to its
//! racing access only by what it read before in the same step, from what comes after the other
//! access, it is feasible for none. With single accesses for steps ([`Grain::Access`]) there is no
//! inside to be wrong about; an access that saw a write cannot end before it, so that the edges
//! then go from finish to finish.
//!
//! What it can miss, and false alarms: `crates/cli/tests/oracle/netzer_oracle.rs` holds the claims
//! to the oracle, and has a program where the theorem for whole steps does not reach. A grade of
//! `feasible` is given for a witness only.

mod dependences;
mod partitions;
pub mod posts;
mod reach;
mod steps;

use crate::detect::Access;
use crate::event::{AccessKind, Event};
use crate::ids::Location;
use dependences::Dependences;
use partitions::Partitions;
use reach::{EdgeKind, Reach};
use steps::Steps;

/// How much of the temporal order is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    Approximate,
    Complete,
}

/// What can be decided by a value that was read.
#[derive(Clone, Copy, Debug)]
pub enum Uses<'a> {
    /// Everything that the step does: READ and WRITE sets are all there is.
    Unknown,
    /// By event: whether the value that was read reached a branch or an index.
    Exact(&'a [bool]),
}

/// From which reads decided something, by their number among the reads, to the same by event, as
/// [`Uses::Exact`] takes it. A read beyond those recorded counts as one that did.
pub fn by_event(events: &[Event], reads: &[bool]) -> Vec<bool> {
    let mut told = reads.iter().copied();
    let used = |event: &Event| match event {
        Event::Access { kind: AccessKind::Read, .. } => told.next().unwrap_or(true),
        _ => false,
    };
    events.iter().map(used).collect()
}

/// What is known of the feasibility of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feasibility {
    /// G_D leaves its steps unordered.
    ByData,
    /// G_E does.
    ByControl,
    Unknown,
}

/// Two accesses that make two steps conflict: which events of the run, and what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    pub location: Location,
    pub first: Access,
    pub second: Access,
    pub first_event: u32,
    pub second_event: u32,
}

/// An apparent race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepRace {
    /// By the number of their first access's event; the lower first.
    pub steps: [u32; 2],
    /// Each pair of sites and kinds once for each location, up to a number.
    pub conflicts: Vec<Conflict>,
    /// Which tangle it belongs to.
    pub tangle: Option<u32>,
    pub feasibility: Feasibility,
    /// Which partition it belongs to.
    pub partition: u32,
}

/// Races that may be artifacts of each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// 1 for a first partition, else one more than that of the latest before it.
    pub rank: u32,
    pub races: Vec<u32>,
    /// First partitions that it comes after, the first few of them.
    pub causes: Vec<u32>,
}

/// What the analysis gives.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Analysis {
    pub steps: u32,
    pub races: Vec<StepRace>,
    pub tangles: u32,
    /// First partitions first.
    pub partitions: Vec<Partition>,
}

/// Too much to be analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany;

/// Apparent races that are taken unless the caller says otherwise.
pub const MAX_RACES: usize = 1 << 18;

/// How large the tables of reachability may be: racing steps times chains.
const MAX_TABLE: usize = 1 << 26;

/// What a race is between.
#[derive(Clone, Copy)]
pub enum Grain<'a> {
    /// Steps: accesses of one task between two synchronisations.
    Step,
    /// Steps that also begin at some accesses, named by their events.
    Cut(&'a dyn Fn(u32) -> bool),
    /// Single accesses.
    Access,
}

/// How to analyse.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub level: Level,
    pub uses: Uses<'a>,
    pub grain: Grain<'a>,
    /// Apparent races that are taken.
    pub limit: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { level: Level::Complete, uses: Uses::Unknown, grain: Grain::Step, limit: MAX_RACES }
    }
}

/// Analyses a run.
pub fn analyse(events: &[Event], options: Options<'_>) -> Result<Analysis, TooMany> {
    let steps = match options.grain {
        Grain::Step => Steps::new(events, options.uses, |_| false),
        Grain::Cut(cut) => Steps::new(events, options.uses, cut),
        Grain::Access => Steps::new(events, options.uses, |_| true),
    }?;
    let edges = match options.grain {
        Grain::Access => EdgeKind::FinishToFinish,
        _ => EdgeKind::StartToFinish,
    };
    let apparent = steps.races(options.level, options.limit)?;
    let dependences = Dependences::new(&steps, &apparent);
    if dependences.racing.len().saturating_mul(dependences.chains()) > MAX_TABLE {
        return Err(TooMany);
    }
    let by_data = Reach::new(&steps, &dependences, &dependences.data, edges);
    let by_control = Reach::new(&steps, &dependences, &dependences.control, edges);
    let ordering = Reach::new(&steps, &dependences, &dependences.control_direct, EdgeKind::StartToStart);
    let partitions = Partitions::new(&dependences, &ordering);

    let mut tangles: Vec<u32> = Vec::new();
    let mut races = Vec::with_capacity(apparent.len());
    for (at, race) in apparent.iter().enumerate() {
        let [a, b] = dependences.sides[at];
        let tangle = by_data.component(a, b).map(|component| {
            let known = tangles.iter().position(|&tangle| tangle == component);
            known.unwrap_or_else(|| {
                tangles.push(component);
                tangles.len() - 1
            }) as u32
        });
        let feasibility = if !by_data.orders(a, b) {
            Feasibility::ByData
        } else if !by_control.finishes_meet(a, b) {
            Feasibility::ByControl
        } else {
            Feasibility::Unknown
        };
        races.push(StepRace {
            steps: race.steps.map(|step| steps.begins(step)),
            conflicts: steps.conflicts(race.steps),
            tangle,
            feasibility,
            partition: partitions.of_race[at],
        });
    }
    Ok(Analysis { steps: steps.len(), races, tangles: tangles.len() as u32, partitions: partitions.all })
}
