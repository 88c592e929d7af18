//! Every pair of sites on locations that are known to race: for a second run, when the first has
//! found where the races are.
//!
//! For a watched location the detector stores each site and each kind of access, not only the last
//! write and the reads since, as [`pairs`](raceproof_core::detect::pairs) does for other programs:
//! of each group the accesses that happen before no later one of it. It compares a new access with
//! those of all groups. The cell of such a location stays empty, so that every access comes here;
//! all other locations are checked as in the first run, one access at a time.

use super::*;
use raceproof_symbols::raw::Spot;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// How many accesses of a group are kept; with more, a pair of sites could be missed.
const GROUP: usize = 1 << 12;

/// Bytes that are watched together: those of a cell.
const GRANULE: usize = 4;

/// The locations of races, by the names that another run knows them by.
#[derive(Default)]
pub(crate) struct Racing {
    granules: FxHashSet<usize>,
    pub(crate) spots: Vec<Spot>,
    /// Where the last one was.
    last: usize,
}

/// So many are remembered.
const RACING: usize = 1 << 14;

impl Racing {
    /// Whether a location is the first of its granule, and there is room for it.
    fn is_new(&mut self, address: usize) -> bool {
        self.spots.len() < RACING && self.granules.insert(address & !(GRANULE - 1))
    }
}

/// The accesses of one kind from one program counter, oldest first.
struct Group {
    pc: usize,
    kind: AccessKind,
    manner: Manner,
    accesses: Vec<Watched>,
}

/// An access id, and the bytes of the granule that the access touched.
#[derive(Clone, Copy)]
struct Watched {
    id: AccessId,
    bytes: u8,
}

/// The granules that are watched.
pub(crate) struct Watching {
    granules: BTreeMap<usize, Vec<Group>>,
    /// Those of blocks that have not been allocated yet: by the ordinal of the block, the offsets.
    blocks: FxHashMap<u32, Vec<usize>>,
}

impl Watching {
    /// `address` resolves the spots whose memory is known from the beginning; blocks follow when
    /// they are allocated.
    pub(crate) fn new(spots: Vec<Spot>, address: impl Fn(&Spot) -> Option<usize>) -> Watching {
        let mut watching = Watching { granules: BTreeMap::new(), blocks: FxHashMap::default() };
        for spot in spots {
            if let Spot::Block { ordinal, offset } = spot {
                watching.blocks.entry(ordinal).or_default().push(offset);
            } else if let Some(address) = address(&spot) {
                watching.watch(address);
            }
        }
        watching
    }

    fn watch(&mut self, address: usize) {
        self.granules.entry(address & !(GRANULE - 1)).or_default();
    }

    /// A block was allocated.
    pub(super) fn allocated(&mut self, ordinal: u32, address: usize, size: usize) {
        for offset in self.blocks.remove(&ordinal).unwrap_or_default() {
            if offset < size {
                self.watch(address + offset);
            }
        }
    }

    /// The memory is reused.
    pub(super) fn forget(&mut self, address: usize, size: usize) {
        for (_, groups) in self.granules.range_mut(address & !(GRANULE - 1)..address + size) {
            groups.clear();
        }
    }

    /// Accesses to this memory before the id `born` are unrelated to its present user.
    pub(super) fn forget_before(&mut self, memory: std::ops::Range<usize>, born: i32) {
        for (_, groups) in self.granules.range_mut(memory) {
            groups.iter_mut().for_each(|group| group.accesses.retain(|access| !access.id.is_before(born)));
        }
    }

    /// Visits the access ids.
    pub(super) fn each(&mut self, mut visit: impl FnMut(&mut AccessId)) {
        let groups = self.granules.values_mut().flatten();
        groups.flat_map(|group| &mut group.accesses).for_each(|access| visit(&mut access.id));
    }
}

impl Detector {
    /// Two accesses that are not ordered have met there.
    pub(super) fn note_racing(&mut self, address: usize) {
        self.racing.last = address;
        if self.racing.is_new(address) {
            let block = self.memory.find(address);
            self.racing.spots.extend(crate::detect::spots::name(address, block));
        }
    }

    /// Checks the access at an address with `work`; whether it has met another there. Of cells that
    /// are alike this is done for the first one only, and the others are
    /// [racing](Self::note_racing) as well.
    #[inline(always)]
    pub(super) fn races_there<T>(&mut self, address: usize, work: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        self.racing.last = usize::MAX;
        let done = work(self);
        (done, self.racing.last == address)
    }

    /// Watches these places from the beginning on. Repeated accesses of a step must be seen as
    /// well, so the fast path is off.
    pub(crate) fn watch(&mut self, watching: Watching) {
        self.watched = Some(Box::new(watching));
        crate::detect::now::watch();
        self.update_fast_path_enabled();
    }

    /// An access to bytes from `from` to `to` of one granule; whether that is watched.
    #[cold]
    pub(super) fn is_watched(
        &mut self,
        from: usize,
        to: usize,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) -> bool {
        let granule = from & !(GRANULE - 1);
        let Some(groups) = self.watched.as_mut().and_then(|watched| watched.granules.get_mut(&granule))
        else {
            return false;
        };
        let mut groups = std::mem::take(groups);
        self.exclusive |= manner == Manner::Atomic && !self.reducing;
        let bytes = (from..to).fold(0, |bytes, at| bytes | 1 << (at - granule));
        self.meet(&groups, from, bytes, kind, manner, pc);
        self.join_group(&mut groups, from, bytes, kind, manner, pc);
        if let Some(watched) = &mut self.watched {
            watched.granules.insert(granule, groups);
        }
        true
    }

    /// Compares an access with those before it.
    fn meet(
        &mut self,
        groups: &[Group],
        address: usize,
        bytes: u8,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) {
        let conflicting = || {
            let groups = groups.iter().filter(|group| group.kind.conflicts(kind));
            let each = groups.flat_map(|group| group.accesses.iter().map(move |access| (group, access)));
            each.filter(|(_, access)| access.bytes & bytes != 0)
        };
        // At first what sections of a common lock order, also of atomic accesses: what precedes
        // such a section comes before this one as well.
        if self.locks.is_held_by(self.current) {
            for (_, access) in conflicting() {
                if !self.precedes(access.id) {
                    self.exclude(access.id);
                }
            }
        }
        for (group, access) in conflicting() {
            let both_atomic = group.manner == Manner::Atomic && manner == Manner::Atomic;
            if !both_atomic && !self.is_ordered_at(access.id, address) {
                self.conflict(access.id, group.kind, kind, manner, address, pc);
            }
        }
    }

    /// Stores an access instead of those of its group that happen before it.
    fn join_group(
        &mut self,
        groups: &mut Vec<Group>,
        address: usize,
        bytes: u8,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) {
        let flags = if manner == Manner::Atomic { Flags::ATOMIC } else { Flags::PLAIN };
        let id = self.number(pc, flags);
        let same = |group: &&mut Group| (group.pc, group.kind, group.manner) == (pc, kind, manner);
        let Some(group) = groups.iter_mut().find(same) else {
            groups.push(Group { pc, kind, manner, accesses: vec![Watched { id, bytes }] });
            return;
        };
        if group.accesses.iter().any(|access| access.id == id && access.bytes & bytes == bytes) {
            return;
        }
        group.accesses.retain(|access| access.bytes & !bytes != 0 || !self.precedes_at(access.id, address));
        if group.accesses.len() == GROUP {
            group.accesses.remove(0);
        }
        group.accesses.push(Watched { id, bytes });
    }
}
