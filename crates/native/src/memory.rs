//! The blocks of memory the program has allocated, for reports: how large each is and where it was allocated.

use raceproof_core::ids::TaskId;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) size: usize,
    /// The site that allocated it, and the task.
    pub(crate) site: u32,
    pub(crate) task: TaskId,
}

#[derive(Default)]
pub(crate) struct Blocks {
    live: BTreeMap<usize, Block>,
}

impl Blocks {
    pub(crate) fn add(&mut self, address: usize, size: usize, site: u32, task: TaskId) {
        self.live.insert(address, Block { size, site, task });
    }

    pub(crate) fn remove(&mut self, address: usize) -> Option<Block> {
        self.live.remove(&address)
    }

    /// The block an address is in.
    pub(crate) fn find(&self, address: usize) -> Option<(usize, Block)> {
        let (&at, block) = self.live.range(..=address).next_back()?;
        (address < at + block.size.max(1)).then_some((at, *block))
    }
}
