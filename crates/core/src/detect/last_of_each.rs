//! The last access of each slot to one location, for detectors that keep one for each of very many
//! tasks.
//!
//! A list, searched from the front while it is short; beyond, a table says where in it a slot is.
//! Cost: O(1) to add one.

use crate::ids::SiteId;
use crate::order::clock::Epoch;
use rustc_hash::FxHashMap;

/// An access: when and where it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) epoch: Epoch,
    pub(super) site: SiteId,
}

/// So many are searched one by one.
const FEW: usize = 16;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct LastOfEach {
    list: Vec<Seen>,
    /// By slot, where in the list it is; empty while there are few.
    places: FxHashMap<u32, u32>,
}

impl LastOfEach {
    pub(super) fn list(&self) -> &[Seen] {
        &self.list
    }

    /// Adds an access in place of an older one of its slot.
    pub(super) fn add(&mut self, now: Seen) {
        let slot = now.epoch.slot;
        let known = if self.list.len() <= FEW {
            self.list.iter().position(|old| old.epoch.slot == slot)
        } else {
            self.places.get(&slot).map(|&at| at as usize)
        };
        match known {
            Some(at) => self.list[at] = now,
            None => {
                self.list.push(now);
                match self.list.len() {
                    0..=FEW => {}
                    len if len == FEW + 1 => self.find_places(),
                    len => {
                        self.places.insert(slot, len as u32 - 1);
                    }
                }
            }
        }
    }

    /// Keeps those of which `keep` says so.
    pub(super) fn retain(&mut self, keep: impl FnMut(&Seen) -> bool) {
        let before = self.list.len();
        self.list.retain(keep);
        if self.list.len() != before && before > FEW {
            self.find_places();
        }
    }

    fn find_places(&mut self) {
        self.places.clear();
        if self.list.len() > FEW {
            self.places.extend((0..).zip(&self.list).map(|(at, seen)| (seen.epoch.slot, at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slot_has_its_last_however_many_there_are() {
        let mut all = LastOfEach::default();
        let mut expected = std::collections::BTreeMap::new();
        for round in 1..4_000u32 {
            // The slots grow in number, shrink, and grow again.
            let slot = round * 7919 % (1 + round % 1_000);
            all.add(Seen { epoch: Epoch { slot, time: round }, site: SiteId(round) });
            expected.insert(slot, round);
            if round % 1_500 == 0 {
                let keeps = |slot: u32| slot.is_multiple_of(round / 300);
                all.retain(|seen| keeps(seen.epoch.slot));
                expected.retain(|&slot, _| keeps(slot));
            }
            assert_eq!(all.list().len(), expected.len());
        }
        for seen in all.list() {
            assert_eq!(expected.get(&seen.epoch.slot), Some(&seen.epoch.time));
        }
    }
}
