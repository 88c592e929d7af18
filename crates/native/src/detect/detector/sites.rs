//! Sites, numbered in the order in which they are first met.

use crate::detect::contexts::Context;
use rustc_hash::FxHashMap;

/// A site: where in the program an access or a construct is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Site {
    /// The return address of the call that reported it.
    pub(crate) pc: usize,
    pub(crate) context: Context,
}

pub(super) struct Sites {
    /// By number. The first is that of nothing.
    all: Vec<Site>,
    /// Invariant: the inverse of `all`, but for its first.
    numbers: FxHashMap<Site, u32>,
}

impl Sites {
    pub(super) fn new() -> Self {
        let nowhere = Site { pc: 0, context: Context(0) };
        Sites { all: vec![nowhere], numbers: FxHashMap::default() }
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Site {
        self.all[number as usize]
    }

    pub(super) fn number(&mut self, site: Site) -> u32 {
        let all = &mut self.all;
        *self.numbers.entry(site).or_insert_with(|| {
            all.push(site);
            (all.len() - 1) as u32
        })
    }
}
