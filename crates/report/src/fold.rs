//! Races that differ only in the cell they are on, folded into one block of the report; and those
//! by several pairs of accesses on the same two lines, as by `x += 1`, which reads and writes,
//! unless witnesses are to be shown.

use super::style::{grouped, safe};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Place, Race, RaceAccess};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Cells named before "and N more".
const NAMED: usize = 3;

/// Races by the same pair of accesses in the program, or of its lines, on one or many cells.
pub(super) struct Block<'a> {
    /// Never empty; the first one represents all and has the highest grade.
    races: Vec<&'a Race>,
}

/// The blocks, those to fix first at the head, and for every race the index of its block.
pub(super) fn fold(races: &[Race]) -> (Vec<Block<'_>>, Vec<usize>) {
    let mut by_key: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut owner = Vec::with_capacity(races.len());
    // A witness shows one pair of accesses. There may be no room for one of every race: the report
    // as a whole decides, for the others to stay with it.
    let by_access = races.iter().any(|race| race.witness.is_some());
    for race in races {
        let index = *by_key.entry(Key::of(race, by_access)).or_insert(blocks.len());
        if index == blocks.len() {
            blocks.push(Block { races: Vec::new() });
        }
        blocks[index].races.push(race);
        owner.push(index);
    }
    for block in &mut blocks {
        // What orders two writes orders the reads of the same lines as well.
        let writes = |race: &Race| [&race.first, &race.second].map(|side| side.access == AccessKind::Write);
        block.races.sort_by_key(|race| Reverse((race.grade, writes(race).iter().filter(|&&is| is).count())));
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

    /// The cells, each once.
    pub(super) fn cells(&self) -> Vec<&'a str> {
        let mut seen = FxHashSet::default();
        self.races.iter().map(|race| race.location.as_str()).filter(|cell| seen.insert(*cell)).collect()
    }

    /// The other pairs of accesses by which the two lines meet.
    pub(super) fn other_pairs(&self) -> Vec<[(AccessKind, &'a Place); 2]> {
        let pair = |race: &'a Race| [&race.first, &race.second].map(|access| (access.access, &access.at));
        let mut seen = FxHashSet::from_iter([pair(self.shown())]);
        self.races.iter().map(|race| pair(race)).filter(|pair| seen.insert(*pair)).collect()
    }

    pub(super) fn races(&self) -> impl Iterator<Item = &'a Race> {
        self.races.iter().copied()
    }

    /// How often the lines met: by one pair of accesses for each cell, the others come with it.
    pub(super) fn seen(&self) -> u64 {
        let mut most: FxHashMap<&str, u64> = FxHashMap::default();
        for race in &self.races {
            let of_cell = most.entry(&race.location).or_default();
            *of_cell = race.count.max(*of_cell);
        }
        most.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// How many of the races are less sure than the one shown.
    pub(super) fn less_sure(&self) -> usize {
        self.races.iter().filter(|race| race.grade < self.shown().grade).count()
    }

    /// `x`, or `a[1], a[2], a[3] … and 995 more cells`.
    pub(super) fn locations(&self) -> String {
        // "and 1 more cell" would be longer than the cell.
        let cells = self.cells();
        let named = if cells.len() <= NAMED + 1 { cells.len() } else { NAMED };
        let names: Vec<String> = cells[..named].iter().map(|cell| safe(cell)).collect();
        let mut text = names.join(", ");
        if cells.len() > named {
            text += &format!(" … and {} more cells", grouped((cells.len() - named) as u64));
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

/// The line, the column and kind if they tell races apart, and the locks.
type Side<'a> = (&'a str, u32, Option<(u32, AccessKind)>, &'a [String]);

impl<'a> Key<'a> {
    fn of(race: &'a Race, by_access: bool) -> Key<'a> {
        let side = |a: &'a RaceAccess| {
            let one = by_access.then_some((a.at.column, a.access));
            (a.at.file.as_str(), a.at.line, one, a.locks.as_slice())
        };
        let (a, b) = (side(&race.first), side(&race.second));
        Key {
            sides: if a <= b { [a, b] } else { [b, a] },
            partition: race.partition,
            artifact: !race.artifact_of.is_empty(),
        }
    }
}
