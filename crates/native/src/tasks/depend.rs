//! `depend`: the order between sibling tasks that name the same address.
//!
//! Of every address a region remembers two generations of tasks. Tasks of one generation do not
//! wait for each other: readers, or the members of a `mutexinoutset` or `inoutset`. A task that
//! fits into the present generation joins it and waits for the one before; any other waits for the
//! present one and begins the next.

use crate::tasks::explorer::new_lock;
use raceproof_core::ids::SyncId;
use rustc_hash::{FxHashMap, FxHashSet};

/// `kmp_depend_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dependence {
    address: usize,
    length: usize,
    flags: u8,
}

const IN: u8 = 1;
const MUTEX: u8 = 4;
const SET: u8 = 8;
/// `omp_all_memory`
const ALL: u8 = 0x80;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    In,
    Out,
    Mutex,
    Set,
}

impl Dependence {
    fn kind(&self) -> Kind {
        match self.flags & 0xf {
            IN => Kind::In,
            MUTEX => Kind::Mutex,
            SET => Kind::Set,
            _ => Kind::Out,
        }
    }
}

/// Both lists of a construct in one.
///
/// # Safety
/// The lists have these lengths.
pub(crate) unsafe fn gather(
    count: i32,
    list: *const Dependence,
    more: i32,
    more_list: *const Dependence,
) -> Vec<Dependence> {
    let slice = |count: i32, list: *const Dependence| {
        if list.is_null() {
            return &[][..];
        }
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(list, count.max(0) as usize) }
    };
    [slice(count, list), slice(more, more_list)].concat()
}

#[derive(Default)]
struct Generations {
    before: Vec<SyncId>,
    present: Vec<SyncId>,
    kind: Option<Kind>,
    lock: Option<SyncId>,
}

#[derive(Default)]
pub(crate) struct Table {
    addresses: FxHashMap<usize, Generations>,
    /// The last task that depends on all memory.
    all: Option<SyncId>,
}

impl Table {
    /// Whether no task is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.all.is_none()
    }

    /// The tasks that later ones may have to wait for.
    pub(crate) fn awaited(&self) -> FxHashSet<SyncId> {
        let generations = self.addresses.values();
        let named = generations.flat_map(|at| at.present.iter().chain(&at.before));
        named.copied().chain(self.all).collect()
    }

    pub(crate) fn clear(&mut self) {
        if !self.addresses.is_empty() {
            self.addresses.clear();
        }
        self.all = None;
    }

    /// Adds a task: what it has to wait for, and the locks it needs.
    pub(crate) fn add(&mut self, dependences: &[Dependence], task: SyncId) -> (Vec<SyncId>, Vec<SyncId>) {
        let (mut waits, mut locks) = (Vec::new(), Vec::new());
        if dependences.is_empty() {
            return (waits, locks);
        }
        if dependences.iter().any(|dependence| dependence.flags & ALL != 0) {
            for generations in self.addresses.values() {
                waits.extend(generations.present.iter().chain(&generations.before));
            }
            waits.extend(self.all);
            self.clear();
            self.all = Some(task);
            waits.sort_unstable();
            waits.dedup();
            return (waits, locks);
        }
        waits.extend(self.all);
        for dependence in dependences {
            let kind = dependence.kind();
            let generations = self.addresses.entry(dependence.address).or_default();
            let own = generations.present.last() == Some(&task);
            if own && generations.kind == Some(kind) {
                // The same address twice in one construct.
                continue;
            }
            if generations.kind != Some(kind) || kind == Kind::Out {
                generations.before = std::mem::take(&mut generations.present);
                generations.before.retain(|&other| other != task);
                generations.kind = Some(kind);
            }
            waits.extend(&generations.before);
            generations.present.push(task);
            if kind == Kind::Mutex {
                locks.push(*generations.lock.get_or_insert_with(|| new_lock(dependence.address)));
            }
        }
        for list in [&mut waits, &mut locks] {
            list.sort_unstable();
            list.dedup();
        }
        (waits, locks)
    }

    /// What a task with these dependences would wait for.
    pub(crate) fn before(&self, dependences: &[Dependence]) -> Vec<SyncId> {
        let mut waits: Vec<SyncId> = self.all.into_iter().collect();
        for dependence in dependences {
            let Some(generations) = self.addresses.get(&dependence.address) else { continue };
            let kind = dependence.kind();
            let joins = generations.kind == Some(kind) && kind != Kind::Out;
            waits.extend(if joins { &generations.before } else { &generations.present });
        }
        waits.sort_unstable();
        waits.dedup();
        waits
    }
}
