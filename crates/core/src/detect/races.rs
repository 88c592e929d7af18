//! The races a detector has found, each pair of (site, kind) once a location.
//!
//! One bug in a loop can be met millions of times; the list grows with the distinct races only.

use super::{Access, Pair};
use crate::event::AccessKind;
use crate::ids::{Location, SiteId};
use rustc_hash::FxHashSet;

type Side = (SiteId, AccessKind);

/// A list of races without repetitions, in the order of discovery.
#[derive(Clone, Debug, Default)]
pub struct Races {
    seen: FxHashSet<(Location, Side, Side)>,
    pairs: Vec<Pair>,
}

impl Races {
    /// Notes that `first` and, later in the run, `second` race on `location`; whether that is news.
    pub fn add(&mut self, location: Location, first: Access, second: Access) -> bool {
        let (a, b) = ((first.site, first.kind), (second.site, second.kind));
        let new = self.seen.insert((location, a.min(b), a.max(b)));
        if new {
            self.pairs.push(Pair { location, first, second });
        }
        new
    }

    /// The races so far, in the order of discovery.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub fn into_vec(self) -> Vec<Pair> {
        self.pairs
    }
}
