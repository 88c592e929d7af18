//! Races that differ only in the cell they are on, folded into one block of the report.

use super::style::{grouped, safe};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Place, Race, RaceAccess};
use std::collections::BTreeMap;

/// Cells named before "and N more".
const NAMED: usize = 3;

/// Races by the same pair of accesses in the program, on one or many cells.
pub(super) struct Block<'a> {
    /// Never empty; the first one stands for all and is of the surest grade.
    races: Vec<&'a Race>,
}

/// The blocks, those to fix first at the head, and for every race the index of its block.
pub(super) fn fold(races: &[Race]) -> (Vec<Block<'_>>, Vec<usize>) {
    let mut by_key: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut owner = Vec::with_capacity(races.len());
    for race in races {
        let index = *by_key.entry(Key::of(race)).or_insert(blocks.len());
        if index == blocks.len() {
            blocks.push(Block { races: Vec::new() });
        }
        blocks[index].races.push(race);
        owner.push(index);
    }
    for block in &mut blocks {
        block.races.sort_by_key(|race| std::cmp::Reverse(race.grade));
    }
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|&i| blocks[i].shown().partition);
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let mut sorted: Vec<(usize, Block<'_>)> =
        blocks.into_iter().enumerate().map(|(i, b)| (place[i], b)).collect();
    sorted.sort_by_key(|(new, _)| *new);
    (sorted.into_iter().map(|(_, b)| b).collect(), owner.into_iter().map(|i| place[i]).collect())
}

impl<'a> Block<'a> {
    pub(super) fn shown(&self) -> &'a Race {
        self.races[0]
    }

    pub(super) fn len(&self) -> usize {
        self.races.len()
    }

    pub(super) fn races(&self) -> impl Iterator<Item = &'a Race> {
        self.races.iter().copied()
    }

    pub(super) fn seen(&self) -> u64 {
        self.races.iter().fold(0, |sum, race| sum.saturating_add(race.count))
    }

    /// How many of the races are less sure than the one shown.
    pub(super) fn less_sure(&self) -> usize {
        self.races.iter().filter(|race| race.grade < self.shown().grade).count()
    }

    /// `x`, or `a[1], a[2], a[3] … and 995 more cells`.
    pub(super) fn locations(&self) -> String {
        // "and 1 more cell" would be longer than the cell.
        let named = if self.len() <= NAMED + 1 { self.len() } else { NAMED };
        let names: Vec<String> = self.races[..named].iter().map(|race| safe(&race.location)).collect();
        let mut text = names.join(", ");
        if self.len() > named {
            text += &format!(" … and {} more cells", grouped((self.len() - named) as u64));
        }
        text
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    /// Sorted: which of the two came first may differ from cell to cell.
    sides: [Side<'a>; 2],
    partition: u32,
    artifact: bool,
}

type Side<'a> = (&'a Place, AccessKind, &'a [String]);

impl<'a> Key<'a> {
    fn of(race: &'a Race) -> Key<'a> {
        let side = |a: &'a RaceAccess| (&a.at, a.access, a.locks.as_slice());
        let (a, b) = (side(&race.first), side(&race.second));
        Key {
            sides: if a <= b { [a, b] } else { [b, a] },
            partition: race.partition,
            artifact: !race.artifact_of.is_empty(),
        }
    }
}
