//! Sites, numbered in the order in which they are first met.

use crate::detect::contexts::Context;
use raceproof_core::ids::SiteId;
use rustc_hash::FxHashMap;

/// A site: where in the program an access or a construct is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Site {
    /// The return address of the call that reported it.
    pub(crate) pc: usize,
    pub(crate) context: Context,
}

/// The number of no site.
pub(crate) const NOWHERE: SiteId = SiteId(0);

pub(super) struct Sites {
    /// By number. The first is that of [`NOWHERE`].
    all: Vec<Site>,
    /// Invariant: the inverse of `all`, but for its first.
    numbers: FxHashMap<Site, SiteId>,
}

impl Sites {
    pub(super) fn new() -> Self {
        let nowhere = Site { pc: 0, context: Context(0) };
        Sites { all: vec![nowhere], numbers: FxHashMap::default() }
    }

    #[inline]
    pub(super) fn get(&self, number: SiteId) -> Site {
        self.all[number.index()]
    }

    pub(super) fn number(&mut self, site: Site) -> SiteId {
        let all = &mut self.all;
        *self.numbers.entry(site).or_insert_with(|| {
            all.push(site);
            SiteId::at(all.len() - 1)
        })
    }
}
