//! The freed-memory table: large blocks that were freed, each with the access that freed it.
//!
//! To the other tasks a free is a write to all of the block. For a small block its shadow cells
//! record that write; for a large one the shadow memory is reclaimed, as the memory itself may have
//! been, and the block stays in this table until its memory is used again.

use std::collections::BTreeMap;
use std::ops::Range;

/// A block is large from this size on.
pub const LARGE: usize = 1 << 16;

/// `A` names an access.
#[derive(Debug)]
pub struct FreedBlocks<A> {
    /// By its start: its end, and the number of the access that freed it. No two overlap.
    blocks: BTreeMap<usize, (usize, A)>,
    /// From the first of them to the last.
    all: Range<usize>,
}

impl<A> Default for FreedBlocks<A> {
    fn default() -> Self {
        FreedBlocks { blocks: BTreeMap::new(), all: 0..0 }
    }
}

impl<A: Copy> FreedBlocks<A> {
    pub fn add(&mut self, block: Range<usize>, access: A) {
        self.use_again(block.clone());
        let all = &mut self.all;
        *all = match self.blocks.is_empty() {
            true => block.clone(),
            false => all.start.min(block.start)..all.end.max(block.end),
        };
        self.blocks.insert(block.start, (block.end, access));
    }

    /// Memory is used for something else.
    #[inline]
    pub fn use_again(&mut self, memory: Range<usize>) {
        if memory.start < self.all.end && self.all.start < memory.end {
            self.cut_out(memory);
        }
    }

    fn cut_out(&mut self, memory: Range<usize>) {
        while let Some((&start, &(end, access))) = self.blocks.range(..memory.end).next_back()
            && end > memory.start
        {
            self.blocks.remove(&start);
            if memory.end < end {
                self.blocks.insert(memory.end, (end, access));
            }
            if start < memory.start {
                self.blocks.insert(start, (memory.start, access));
            }
        }
        if self.blocks.is_empty() {
            self.all = 0..0;
        }
    }

    /// Whether the memory at an address may be freed.
    #[inline]
    pub fn may_hold(&self, address: usize) -> bool {
        self.all.contains(&address)
    }

    /// The access that freed the memory at an address, if it is in none of the blocks in use.
    #[inline]
    pub fn freed_by(&self, address: usize) -> Option<A> {
        if self.may_hold(address) { self.find(address) } else { None }
    }

    fn find(&self, address: usize) -> Option<A> {
        let (_, &(end, access)) = self.blocks.range(..=address).next_back()?;
        (address < end).then_some(access)
    }

    /// The accesses that freed them.
    pub fn each(&mut self, work: impl FnMut(&mut A)) {
        self.blocks.values_mut().map(|(_, access)| access).for_each(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

    /// Against a list of bytes.
    #[test]
    fn every_byte_is_as_it_was_left() {
        let mut random = random(0x9e37_79b9_7f4a_7c15u64);
        for _ in 0..500 {
            let (mut gone, mut bytes) = (FreedBlocks::default(), [None; 64]);
            for made in 1..30 {
                let from = random(60);
                let memory = from..from + 1 + random(64 - from);
                let freed = random(2) == 0;
                bytes[memory.clone()].fill(freed.then_some(made));
                if freed {
                    gone.add(memory, made)
                } else {
                    gone.use_again(memory)
                }
                for (at, byte) in bytes.iter().enumerate() {
                    assert_eq!(gone.freed_by(at), *byte, "{gone:?} at {at}", gone = gone.blocks);
                }
            }
        }
    }
}
