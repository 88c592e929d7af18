//! The blocks of memory the program has allocated, for reports: how large each is and where it was allocated.

use raceproof_core::ids::TaskId;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) size: usize,
    /// The site that allocated it, and the task, or the one that has waited for it.
    pub(crate) site: u32,
    pub(crate) task: TaskId,
    /// The virtual thread, if it was in a parallel region.
    pub(crate) thread: Option<u32>,
}

#[derive(Default)]
pub(crate) struct Blocks {
    live: BTreeMap<usize, Block>,
}

impl Blocks {
    pub(crate) fn add(&mut self, address: usize, block: Block) {
        self.live.insert(address, block);
    }

    pub(crate) fn remove(&mut self, address: usize) -> Option<Block> {
        self.live.remove(&address)
    }

    pub(crate) fn each(&mut self, work: impl FnMut(&mut Block)) {
        self.live.values_mut().for_each(work);
    }

    /// The block an address is in.
    pub(crate) fn find(&self, address: usize) -> Option<(usize, Block)> {
        let (&at, block) = self.live.range(..=address).next_back()?;
        (address < at + block.size.max(1)).then_some((at, *block))
    }
}
