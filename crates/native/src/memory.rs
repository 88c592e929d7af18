//! The blocks of memory the program has allocated, for reports: how large each is and where it was allocated.

use raceproof_core::ids::TaskId;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) size: usize,
    /// The site that allocated it, and the task.
    pub(crate) site: u32,
    pub(crate) task: TaskId,
}

#[derive(Default)]
pub(crate) struct Blocks {
    live: FxHashMap<usize, Block>,
}

impl Blocks {
    pub(crate) fn add(&mut self, address: usize, size: usize, site: u32, task: TaskId) {
        self.live.insert(address, Block { size, site, task });
    }

    pub(crate) fn remove(&mut self, address: usize) -> Option<Block> {
        self.live.remove(&address)
    }

    /// The block an address is in. Looks at all of them: only a race asks.
    pub(crate) fn find(&self, address: usize) -> Option<(usize, Block)> {
        let holds = |(&at, block): (&usize, &Block)| {
            (at..at + block.size.max(1)).contains(&address).then_some((at, *block))
        };
        self.live.iter().find_map(holds)
    }
}
