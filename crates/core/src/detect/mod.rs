//! Race detectors: each keeps shadow memory (or access sets) and asks an order, one algorithm a
//! file.
//!
//! To add one: a type that implements [`Detector`] in a file of its own with a theory header (what
//! it computes, the paper, its cost, the departures from the paper, what it can miss), and a name
//! in the command line's list.

mod cells;
pub mod closure;
pub mod drdp;
pub mod epochs;
pub mod esp_bags;
pub mod freed_blocks;
pub mod lanes;
pub mod last_access;
mod last_of_each;
pub mod pairs;
pub mod predict;
mod races;
pub mod racing_nodes;
pub mod readers;
pub(crate) mod shards;
pub mod spans;
pub mod zipper;

pub use races::Races;

use crate::event::{AccessKind, Observer};
use crate::ids::{Location, SiteId, TaskId};

/// One side of a race.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Access {
    pub task: TaskId,
    pub kind: AccessKind,
    pub site: SiteId,
}

/// Two conflicting accesses of one location that nothing orders; `first` came first in this run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    pub location: Location,
    pub first: Access,
    pub second: Access,
}

/// An observer that finds races.
pub trait Detector: Observer {
    /// Ends the run and gives the races found: at least one pair for every location it holds racy,
    /// not more than one for each location and pair of (site, kind), in the order of discovery.
    ///
    /// Means nothing if there is a [`refusal`](Detector::refusal).
    fn finish(self) -> Vec<Pair>;

    /// Why this detector cannot judge the run, for the person who chose it; asked at the end of the
    /// run.
    fn refusal(&self) -> Option<String> {
        None
    }
}
