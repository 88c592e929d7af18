//! The blocks of memory the program has allocated, for reports: how large each is and where it was
//! allocated.

use raceproof_core::detect::spans::Spans;
use raceproof_core::ids::{SiteId, TaskId};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) size: usize,
    /// The site that allocated it, and the task, or the one that has waited for it.
    pub(crate) site: SiteId,
    pub(crate) task: TaskId,
    /// How many had been allocated before it: the same in another run that goes the same way.
    pub(crate) ordinal: u32,
    owner: Option<Owner>,
}

/// Who has allocated a block in a parallel region: the virtual thread plus one, times two; the
/// lowest bit says whether it did so in place of all threads of its team.
#[derive(Clone, Copy, Debug)]
struct Owner(NonZeroU32);

impl Block {
    /// `thread`: the virtual thread, if it is in a parallel region, and whether it acts in place of
    /// all threads of its team, in a `single` or a section.
    pub(crate) fn new(size: usize, site: SiteId, task: TaskId, thread: Option<(u32, bool)>) -> Block {
        let owner = |(number, for_all)| NonZeroU32::new((number + 1) << 1 | u32::from(for_all)).map(Owner);
        Block { size, site, task, ordinal: 0, owner: thread.and_then(owner) }
    }

    /// The virtual thread that has allocated it in a parallel region.
    pub(crate) fn thread(&self) -> Option<u32> {
        self.owner.map(|Owner(number)| (number.get() >> 1) - 1)
    }

    /// Whether it did so in place of all threads of its team.
    pub(crate) fn is_for_all(&self) -> bool {
        self.owner.is_some_and(|Owner(number)| number.get() & 1 == 1)
    }
}

/// A block, but for its size.
#[derive(Clone, Copy)]
struct Known {
    site: SiteId,
    task: TaskId,
    ordinal: u32,
    owner: Option<Owner>,
}

impl Known {
    fn of_size(self, size: usize) -> Block {
        let Known { site, task, ordinal, owner } = self;
        Block { size, site, task, ordinal, owner }
    }
}

#[derive(Default)]
pub(crate) struct Blocks {
    live: Spans<Known>,
    /// Some that were freed, as long as their memory is not used again.
    freed: BTreeMap<usize, Block>,
    /// Whether tasks other than `main` may have allocated any.
    by_tasks: bool,
    /// How many were allocated so far.
    allocated: u32,
    /// From the first to the last that was ever allocated by a thread in a parallel region.
    of_threads: (usize, usize),
}

/// Freed blocks that are remembered.
const FREED: usize = 1 << 12;

impl Blocks {
    /// A new block; its ordinal.
    pub(crate) fn add(&mut self, address: usize, block: Block) -> u32 {
        while let Some((&at, _)) = self.freed.range(..address + block.size.max(1)).next_back()
            && let Some(old) = self.freed.get(&at)
            && at + old.size.max(1) > address
        {
            self.freed.remove(&at);
        }
        self.by_tasks |= block.task != TaskId::MAIN;
        if block.owner.is_some() {
            let (from, to) = self.of_threads;
            let end = address + block.size.max(1);
            self.of_threads = if from == to { (address, end) } else { (from.min(address), to.max(end)) };
        }
        let ordinal = self.allocated;
        self.allocated = ordinal.wrapping_add(1);
        let Block { size, site, task, owner, .. } = block;
        self.live.insert(address, size, Known { site, task, ordinal, owner });
        ordinal
    }

    pub(crate) fn remove(&mut self, address: usize) -> Option<Block> {
        let (size, known) = self.live.remove(address)?;
        let block = known.of_size(size);
        if self.freed.len() >= FREED {
            self.freed.clear();
        }
        self.freed.insert(address, block);
        Some(block)
    }

    /// The collector has renumbered the tasks, all but `main`.
    pub(crate) fn rename(&mut self, new: impl Fn(TaskId) -> TaskId) {
        if std::mem::take(&mut self.by_tasks) {
            let live = self.live.values_mut().map(|known| &mut known.task);
            for task in live.chain(self.freed.values_mut().map(|block| &mut block.task)) {
                *task = new(*task);
                self.by_tasks |= *task != TaskId::MAIN;
            }
        }
    }

    /// The memory that the blocks of threads in parallel regions are in, and others.
    pub(crate) fn of_threads(&self) -> Range<usize> {
        self.of_threads.0..self.of_threads.1
    }

    /// The block an address is in.
    pub(crate) fn find_live(&self, address: usize) -> Option<(usize, Block)> {
        let (at, size, known) = self.live.find(address)?;
        Some((at, known.of_size(size)))
    }

    /// Whether an address was in a block that is freed, and is in none now.
    pub(crate) fn was_freed(&self, address: usize) -> bool {
        self.freed_at(address).is_some() && self.find_live(address).is_none()
    }

    /// The freed block that an address was in is of no interest any more.
    pub(crate) fn forget_freed(&mut self, address: usize) {
        if let Some(block) = self.freed_at(address) {
            self.freed.remove(&block);
        }
    }

    fn freed_at(&self, address: usize) -> Option<usize> {
        let (&at, block) = self.freed.range(..=address).next_back()?;
        (address < at + block.size.max(1)).then_some(at)
    }

    /// The block an address is in, or was.
    pub(crate) fn find(&self, address: usize) -> Option<(usize, Block)> {
        self.find_live(address).or_else(|| self.freed_at(address).map(|at| (at, self.freed[&at])))
    }
}
