//! Release sequences by address: what loads that acquire come after.

use raceproof_core::ids::SyncId;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Addresses of one word share a bit.
const WORD: usize = 4;

#[derive(Default)]
pub(crate) struct Released {
    chains: FxHashMap<usize, Vec<SyncId>>,
    /// A bit for each address with a chain, and of others.
    pub(crate) bits: u64,
}

/// The bit of an address: neighbouring words have different ones.
#[inline(always)]
fn bit(address: usize) -> u64 {
    1 << ((address >> 2) % 64)
}

/// Marks its caller's branch as unlikely. Otherwise the compiler computes both sides of it, which
/// takes an atomic update from 39 instructions to 47 (`native_budget.rs`).
#[cold]
fn rarely() {}

impl Released {
    /// Whether there may be anything; most programs have nothing.
    #[inline(always)]
    pub(crate) fn may_be_at(&self, address: usize) -> bool {
        if self.bits == 0 {
            return false;
        }
        rarely();
        self.bits & bit(address) != 0
    }

    #[inline(always)]
    pub(crate) fn at(&self, address: usize) -> Option<&[SyncId]> {
        if self.may_be_at(address) { self.chains.get(&address).map(Vec::as_slice) } else { None }
    }

    /// Of all addresses.
    pub(crate) fn syncs(&self) -> impl Iterator<Item = &SyncId> {
        self.chains.values().flatten()
    }

    /// What was there, and is no more.
    pub(crate) fn take(&mut self, address: usize) -> Vec<SyncId> {
        if !self.may_be_at(address) {
            return Vec::new();
        }
        let taken = self.chains.remove(&address);
        if self.chains.is_empty() {
            self.bits = 0;
        }
        taken.unwrap_or_default()
    }

    /// Nobody acquires there any more what was released.
    pub(crate) fn forget(&mut self, memory: Range<usize>) {
        if self.bits == 0 {
            return;
        }
        if memory.len() / WORD >= self.chains.len() {
            self.chains.retain(|address, _| !memory.contains(address));
        } else {
            for word in memory.step_by(WORD).filter(|&word| self.bits & bit(word) != 0) {
                (word..word + WORD).for_each(|address| drop(self.chains.remove(&address)));
            }
        }
        if self.chains.is_empty() {
            self.bits = 0;
        }
    }

    pub(crate) fn put(&mut self, address: usize, chain: Vec<SyncId>) {
        self.bits |= bit(address);
        self.chains.insert(address, chain);
    }
}
