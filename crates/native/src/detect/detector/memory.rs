//! Memory whose owner changes: allocated, freed, lent to a task as its stack, given to a thread.

use super::*;
use crate::detect::cell::WriterRef;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Bytes of program memory a cell covers.
const GRANULE: usize = 4;

/// Accesses that free memory.
#[derive(Default, Debug)]
pub(super) struct Frees {
    /// The access that is checked now frees the memory.
    pub(super) is_under_way: bool,
    /// Sites of such accesses.
    sites: FxHashSet<SiteId>,
}

impl Frees {
    /// An access from this site is recorded.
    pub(super) fn note(&mut self, site: SiteId) {
        if self.is_under_way {
            self.sites.insert(site);
        }
    }

    pub(super) fn is_of(&self, site: SiteId) -> bool {
        self.sites.contains(&site)
    }
}

impl Detector {
    /// Checks an access to memory whose cell is empty: it may have been freed.
    #[inline(always)]
    pub(super) fn check_freed(&mut self, address: usize, kind: AccessKind, manner: Manner, pc: usize) {
        if let Some(id) = self.freed_blocks.freed_by(address)
            && self.on
            && !self.precedes_at(id, address)
        {
            self.conflict(id, AccessKind::Write, kind, manner, address, pc);
        }
    }

    /// Memory is allocated: nobody has used it yet.
    pub(crate) fn allocated(&mut self, address: usize, size: usize) {
        // Whole cells, as `freed` marks them.
        self.record_reuse(address & !3..(address + size).next_multiple_of(4));
        self.freed_blocks.use_again(address..address + size);
        self.pages.forget(address, size);
        if let Some(watched) = &mut self.watched {
            watched.forget(address, size);
        }
        crate::detect::search::allocated(address, size);
    }

    /// A block of memory is the current task's.
    pub(crate) fn own_block(&mut self, address: usize, size: usize, site: SiteId) {
        let Task { role, thread, asked, .. } = self.tasks[self.current.index()];
        let for_all = asked
            || matches!(role, Role::Single(_) | Role::Share { is_sections: true, .. })
            || self.units.masters.contains(&self.current);
        let thread = (role != Role::Main).then_some((thread, for_all));
        let ordinal = self.memory.add(address, Block::new(size, site, self.current, thread));
        if let Some(watched) = &mut self.watched {
            watched.allocated(ordinal, address, size);
        }
    }

    /// The current task frees memory: to the others as if it wrote all of it.
    pub(crate) fn freed(&mut self, address: usize, size: usize, pc: usize) {
        self.frees.is_under_way = true;
        let (mut at, end) = (address & !3, (address + size).next_multiple_of(4));
        if size > SMALL {
            // Parts of a large block that nobody has accessed get no mark, which would cost more
            // than it is worth. `looked` is the end of the page examined last: an unused page has
            // only empty cells, and to read them would take longer than all else.
            let mut looked = at;
            while at < end {
                if at >= looked {
                    let cell = shadow::cell(at);
                    looked = at + GRANULE * shadow::on_page(cell);
                    if !self.pages.is_used(cell) {
                        at = looked;
                        continue;
                    }
                }
                let from = at;
                while at < end && self.pages.content(shadow::cell(at)) != Cell::default() {
                    let cell = shadow::cell(at);
                    at += GRANULE * if self.pages.knows(cell) { 1 } else { shadow::on_page(cell) };
                }
                at = at.min(end);
                self.access(from, at - from, AccessKind::Write, Manner::Plain, pc);
                at += 4;
            }
        } else {
            self.access(at, end - at, AccessKind::Write, Manner::Plain, pc);
        }
        if size >= freed_blocks::LARGE {
            let id = self.number(pc, Flags::PLAIN);
            self.pages.forget(address, size);
            self.freed_blocks.add(address..address + size, id);
        }
        self.frees.is_under_way = false;
    }

    /// The parts of a block, as distances from its start, on whose shadow pages anybody has noted
    /// an access: of a small one all.
    pub(crate) fn accessed_parts(&self, address: usize, size: usize) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        if size <= SMALL {
            parts.push(0..size);
            return parts;
        }
        let (mut at, end) = (address, address + size);
        while at < end {
            let cell = shadow::cell(at);
            let next = ((at & !(GRANULE - 1)) + GRANULE * shadow::on_page(cell)).min(end);
            if self.pages.is_used(cell) {
                match parts.last_mut().filter(|last| last.end == at - address) {
                    Some(last) => last.end = next - address,
                    None => parts.push(at - address..next - address),
                }
            }
            at = next;
        }
        parts
    }

    /// A block has grown, shrunk or moved: to the others its owner has written what anybody has
    /// accessed of it before.
    pub(crate) fn moved(&mut self, address: usize, size: usize, parts: &[Range<usize>], pc: usize) {
        for part in parts.iter().filter(|part| part.start < size) {
            let size = part.end.min(size) - part.start;
            self.access(address + part.start, size, AccessKind::Write, Manner::Plain, pc);
        }
    }

    /// Whether the memory belongs to a virtual thread.
    #[inline]
    pub(crate) fn is_thread_local(&self, address: usize) -> bool {
        self.privates.holds(address)
    }

    /// Whether the memory is private to this virtual thread.
    pub(crate) fn is_private_to(&self, address: usize, thread: u32) -> bool {
        self.privates.is_of(address, thread)
    }

    /// The private memory of a virtual thread, its thread-local storage first.
    pub(crate) fn private_memory(&self, thread: u32) -> impl Iterator<Item = Range<usize>> + '_ {
        self.privates.all_of(thread)
    }

    /// The access that has written a word since the memory was allocated; a reference if it is not
    /// one that has written it whole.
    pub(crate) fn last_writer(&self, word: usize) -> WriterRef {
        self.pages.content(shadow::cell(word)).writer
    }

    /// Memory is given to a virtual thread: nobody has used it yet.
    pub(crate) fn private(&mut self, from: usize, to: usize, thread: u32) {
        self.record_reuse(from & !3..to.next_multiple_of(4));
        self.pages.forget(from, to - from);
        if let Some(watched) = &mut self.watched {
            watched.forget(from, to - from);
        }
        self.privates.add(from, to, thread);
    }

    /// The virtual thread is over.
    pub(crate) fn forget_private(&mut self, thread: u32) {
        self.privates.forget(thread);
    }

    /// The stack an address is in, also that of `main`.
    pub(crate) fn stack_of(&self, address: usize) -> Option<Range<usize>> {
        self.stacks.of(address).or_else(|| self.main_stack.of(address))
    }

    /// The stack of `main`.
    pub(crate) fn take_main_stack(&mut self) -> std::io::Result<Box<Fiber>> {
        self.main_stack.take(0, self.identity())
    }

    /// The unique number of the task whose stack an address is in.
    pub(crate) fn stack_user(&self, address: usize) -> Option<u64> {
        self.stacks.user(address).or_else(|| self.main_stack.user(address))
    }

    /// A stack for a task that begins. What was done to its memory so far, the task has nothing to
    /// do with.
    pub(crate) fn take_stack(&mut self) -> std::io::Result<Box<Fiber>> {
        let fiber = self.stacks.take(self.accesses.len() as i32, self.identity())?;
        self.record_reuse(fiber.memory());
        Ok(fiber)
    }
}
