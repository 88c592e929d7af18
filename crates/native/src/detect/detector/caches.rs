//! The fast-path caches: what the detector knows without asking the order or hashing a site.
//!
//! All of them hold access ids, so all of them are stale once the collector has renumbered
//! accesses ([`Caches::invalidate`]). Beyond that each has its own lifetime, which the methods here
//! enforce: recent ids and transitions are checked against the running step when they are used,
//! positive answers of the order live as long as the running task, negative ones as long as its
//! step.

use super::last_ids::LAST_IDS;
use super::order_cache::OrderCache;
use super::records::Flags;
use super::sites::NOWHERE;
use super::transitions::{TRANSITIONS, forget_parts};
use crate::detect::cell::AccessId;
use raceproof_core::ids::SiteId;

/// The last access from a site: a cache of site and access ids by program counter and context.
#[derive(Clone, Copy)]
pub(super) struct Recent {
    /// The return address, and flags.
    place: usize,
    context: u32,
    pub(super) id: AccessId,
    pub(super) site: SiteId,
}

const RECENT: usize = 1 << 10;

impl Recent {
    const NONE: Recent = Recent { place: 0, context: 0, id: AccessId::NONE, site: NOWHERE };

    #[inline(always)]
    pub(super) fn new(pc: usize, context: u32, flags: Flags, id: AccessId, site: SiteId) -> Self {
        Recent { place: Recent::place(pc, flags), context, id, site }
    }

    /// The flags occupy bits that no address has.
    #[inline(always)]
    fn place(pc: usize, flags: Flags) -> usize {
        pc | flags.above_addresses()
    }

    /// Whether this is the entry of such accesses.
    #[inline(always)]
    pub(super) fn is_of(&self, pc: usize, context: u32, flags: Flags) -> bool {
        self.place == Recent::place(pc, flags) && self.context == context
    }
}

pub(super) struct Caches {
    recent: Box<[Recent; RECENT]>,
    /// Accesses that the order found to happen before the running task.
    positive: OrderCache,
    /// Accesses that the order did not find to happen before the running step.
    negative: OrderCache,
}

impl Caches {
    pub(super) fn new() -> Self {
        Caches {
            recent: Box::new([Recent::NONE; RECENT]),
            positive: OrderCache::new(),
            negative: OrderCache::new(),
        }
    }

    /// The entry that accesses from this program counter and context share with others.
    #[inline(always)]
    pub(super) fn recent(&mut self, pc: usize, context: u32) -> &mut Recent {
        &mut self.recent[Self::slot(pc, context)]
    }

    /// The entry, to look at.
    #[inline(always)]
    pub(super) fn peek(&self, pc: usize, context: u32) -> &Recent {
        &self.recent[Self::slot(pc, context)]
    }

    #[inline(always)]
    fn slot(pc: usize, context: u32) -> usize {
        (pc >> 1 ^ (context as usize).wrapping_mul(0x9e37)) % RECENT
    }

    /// Whether the order is known to have found that the access happens before the running task.
    #[inline(always)]
    pub(super) fn is_ordered(&self, id: AccessId) -> bool {
        self.positive.has(id)
    }

    /// The order's last answer for the running step, if there is one.
    #[inline(always)]
    pub(super) fn answer(&self, id: AccessId) -> Option<bool> {
        match (self.positive.has(id), self.negative.has(id)) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    #[inline(always)]
    pub(super) fn add_ordered(&mut self, id: AccessId) {
        self.positive.add(id);
    }

    #[inline(always)]
    pub(super) fn add_unordered(&mut self, id: AccessId) {
        self.negative.add(id);
    }

    /// Another step of the task begins: it may come after more.
    #[inline(always)]
    pub(super) fn begin_step(&mut self) {
        self.negative.forget();
    }

    /// Another task resumes.
    #[inline(always)]
    pub(super) fn resume(&mut self) {
        self.positive.forget();
        self.negative.forget();
    }

    /// The collector has renumbered accesses.
    pub(super) fn invalidate(&mut self) {
        self.recent.iter_mut().for_each(|recent| recent.id = AccessId::NONE);
        TRANSITIONS.forget();
        forget_parts();
        LAST_IDS.forget();
        self.resume();
    }
}
