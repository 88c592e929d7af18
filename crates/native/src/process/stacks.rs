//! Stacks of tasks: slots of reserved address space, each with a guard page and a fiber, lent to
//! one task at a time.
//!
//! Whose stack an address is in is a division. A slot remembers how many accesses had been made
//! when its present user began: what was done to the memory before has nothing to do with it.

use crate::process::fibers::{Fiber, Run, TaskStack};
use std::io;

/// Slots of tasks that are reserved at a time.
pub(crate) const BATCH: usize = 1024;
const PAGE: usize = 4096;

/// In `Batch::born`: nobody has used the stack since that was told; and since it was told a second
/// time.
const IDLE: i32 = -1;
const FORGOTTEN: i32 = -2;

struct Batch {
    base: usize,
    /// For each slot, the accesses made before its user began.
    born: Vec<i32>,
    /// For each slot, the unique number of its user, or of the last one.
    users: Vec<u64>,
    /// Slots that were ever lent.
    used: usize,
}

pub(crate) struct Stacks {
    /// What a fiber on one of them runs.
    run: Run,
    slot: usize,
    /// Slots that are reserved at a time.
    batch: usize,
    batches: Vec<Batch>,
    /// From the first of them to the last.
    all: std::ops::Range<usize>,
    /// Boxed as jobs have them.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<Fiber>>,
    in_use: usize,
    /// The stack of the running task, and the accesses made before the task began.
    mine: (usize, usize),
    mine_born: i32,
}

impl Stacks {
    /// Stacks of at least `bytes`, reserved so many at a time.
    pub(crate) fn new(bytes: usize, batch: usize, run: Run) -> Self {
        let slot = bytes.max(16 * PAGE).next_multiple_of(PAGE) + PAGE;
        Stacks {
            run,
            slot,
            batch,
            batches: Vec::new(),
            all: 0..0,
            idle: Vec::new(),
            in_use: 0,
            mine: (0, 0),
            mine_born: 0,
        }
    }

    #[inline]
    pub(crate) fn take(&mut self, made: i32, user: u64) -> io::Result<Box<Fiber>> {
        let fiber = match self.idle.pop() {
            Some(fiber) => fiber,
            None => Fiber::new(self.fresh()?, self.run),
        };
        let batch = &mut self.batches[fiber.stack.batch as usize];
        batch.born[fiber.stack.index as usize] = made;
        batch.users[fiber.stack.index as usize] = user;
        self.in_use += 1;
        Ok(fiber)
    }

    #[inline]
    pub(crate) fn give_back(&mut self, fiber: Box<Fiber>) {
        self.in_use -= 1;
        self.idle.push(fiber);
    }

    /// Tasks that have a stack.
    #[inline]
    pub(crate) fn in_use(&self) -> usize {
        self.in_use
    }

    /// Has room for so many batches.
    pub(crate) fn reserve(&mut self, batches: usize) -> io::Result<()> {
        while self.batches.len() < batches {
            let size = self.slot * self.batch;
            let base = reserve(size)?;
            self.all = match self.all.is_empty() {
                true => base..base + size,
                false => self.all.start.min(base)..self.all.end.max(base + size),
            };
            let (born, users) = (vec![0; self.batch], vec![0; self.batch]);
            self.batches.push(Batch { base, born, users, used: 0 });
        }
        Ok(())
    }

    #[cold]
    fn fresh(&mut self) -> io::Result<TaskStack> {
        let room = self.batches.iter().position(|batch| batch.used < self.batch);
        let number = room.unwrap_or(self.batches.len());
        self.reserve(number + 1)?;
        let batch = &mut self.batches[number];
        let bottom = batch.base + batch.used * self.slot;
        // SAFETY: a page inside the mapping made by `reserve`, at the low end of a slot nobody uses
        // yet.
        unsafe { guard(bottom as *mut libc::c_void) }?;
        batch.used += 1;
        let (batch, index) = (number as u32, batch.used as u32 - 1);
        Ok(TaskStack { bottom, top: bottom + self.slot, batch, index })
    }

    /// The task of this stack goes on; none of these if it is that of `main`.
    #[inline]
    pub(crate) fn go_on(&mut self, stack: Option<&TaskStack>) {
        let Some(stack) = stack else {
            (self.mine, self.mine_born) = ((0, 0), 0);
            return;
        };
        self.mine = (stack.bottom, stack.top - stack.bottom);
        self.mine_born = self.batches[stack.batch as usize].born[stack.index as usize];
    }

    /// If the address is in the stack of the running task: the accesses made before the task began.
    #[inline(always)]
    pub(crate) fn mine_born(&self, address: usize) -> Option<i32> {
        (address.wrapping_sub(self.mine.0) < self.mine.1).then_some(self.mine_born)
    }

    /// Whether the running task has used half of its stack, or more.
    #[inline]
    pub(crate) fn is_half_used(&self) -> bool {
        let here = 0u8;
        let (bottom, size) = self.mine;
        (&raw const here as usize).wrapping_sub(bottom) < size / 2
    }

    /// Whether the address is in a stack.
    #[inline(always)]
    pub(crate) fn holds(&self, address: usize) -> bool {
        self.may_hold(address) && self.is_in_batch(address)
    }

    /// Whether the address may be in a stack.
    #[inline(always)]
    pub(crate) fn may_hold(&self, address: usize) -> bool {
        self.all.contains(&address)
    }

    fn is_in_batch(&self, address: usize) -> bool {
        let size = self.slot * self.batch;
        self.batches.iter().any(|batch| address.wrapping_sub(batch.base) < size)
    }

    fn find(&self, address: usize) -> Option<(&Batch, usize)> {
        let size = self.slot * self.batch;
        let batch = self.batches.iter().find(|batch| (batch.base..batch.base + size).contains(&address))?;
        Some((batch, (address - batch.base) / self.slot))
    }

    /// If the address is in a stack: the accesses made before the stack's present user began.
    #[inline(always)]
    pub(crate) fn born(&self, address: usize) -> Option<i32> {
        if self.all.contains(&address) { self.born_in_batch(address) } else { None }
    }

    /// The same for one of the stacks reserved first: mostly there are no others.
    #[inline(always)]
    pub(crate) fn born_in_first(&self, address: usize) -> Option<i32> {
        let batch = self.batches.first()?;
        batch.born.get(address.wrapping_sub(batch.base) / self.slot).copied()
    }

    fn born_in_batch(&self, address: usize) -> Option<i32> {
        let (batch, index) = self.find(address)?;
        Some(batch.born[index])
    }

    /// Tells of the memory of stacks that nobody uses, with whether they were used since it was
    /// told last; and of those that are used, with the number of accesses made before; from now on
    /// none counts as made before.
    pub(crate) fn refresh(
        &mut self,
        mut idle: impl FnMut(std::ops::Range<usize>, bool),
        mut used: impl FnMut(std::ops::Range<usize>, i32),
    ) {
        self.mine_born = 0;
        for Fiber { stack, .. } in self.idle.iter().map(|fiber| &**fiber) {
            // Told twice, until it is lent again.
            let born = &mut self.batches[stack.batch as usize].born[stack.index as usize];
            let was_used = *born >= 0;
            if *born != FORGOTTEN {
                *born = if was_used { IDLE } else { FORGOTTEN };
                idle(stack.bottom..stack.top, was_used);
            }
        }
        for batch in &mut self.batches {
            for (index, born) in
                batch.born.iter_mut().enumerate().take(batch.used).filter(|(_, born)| **born > 0)
            {
                let from = batch.base + index * self.slot;
                used(from..from + self.slot, std::mem::replace(born, 0));
            }
        }
    }

    /// The stacks that were ever lent.
    pub(crate) fn used(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let used = self.batches.iter().filter(|batch| batch.used > 0);
        used.map(|batch| batch.base..batch.base + batch.used * self.slot)
    }

    /// Which of the batches an address is in, and how far from its beginning.
    pub(crate) fn place(&self, address: usize) -> Option<(usize, usize)> {
        let size = self.slot * self.batch;
        let batch = self.batches.iter().position(|batch| address.wrapping_sub(batch.base) < size)?;
        Some((batch, address - self.batches[batch].base))
    }

    /// The reverse.
    pub(crate) fn address(&self, batch: usize, offset: usize) -> Option<usize> {
        (offset < self.slot * self.batch).then_some(self.batches.get(batch)?.base + offset)
    }

    /// The stack an address is in.
    pub(crate) fn of(&self, address: usize) -> Option<std::ops::Range<usize>> {
        let (batch, index) = self.find(address)?;
        let from = batch.base + index * self.slot;
        Some(from..from + self.slot)
    }

    /// If the address is in a stack: the unique number of its user, or of the last one.
    pub(crate) fn user(&self, address: usize) -> Option<u64> {
        let (batch, index) = self.find(address)?;
        batch.users.get(index).copied()
    }

    /// Whether the address is in one of the stacks that were given back last.
    pub(crate) fn is_idle(&self, address: usize) -> bool {
        // Not all: there may be many, and whoever asks does so often.
        const LAST: usize = 64;
        self.all.contains(&address)
            && self.idle.iter().rev().take(LAST).any(|fiber| fiber.memory().contains(&address))
    }

    /// Whether the address is in the guard page of a stack, so that touching it means that the
    /// stack has overflowed.
    pub(crate) fn is_guard(&self, address: usize) -> bool {
        self.find(address).is_some_and(|(batch, _)| (address - batch.base) % self.slot < PAGE)
    }
}

/// Makes a page inaccessible.
///
/// # Safety
/// It is a page of a mapping of `reserve` that nobody uses.
unsafe fn guard(page: *mut libc::c_void) -> io::Result<()> {
    /// Linux 6.13 and later: the page stays in its mapping, which `mprotect` would cut in three.
    const MADV_GUARD_INSTALL: libc::c_int = 102;
    // SAFETY: the caller's promise. A system that does not know the advice does nothing.
    let guarded = unsafe {
        libc::madvise(page, PAGE, MADV_GUARD_INSTALL) == 0 || libc::mprotect(page, PAGE, libc::PROT_NONE) == 0
    };
    if guarded { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn reserve(bytes: usize) -> io::Result<usize> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
    // SAFETY: a new mapping wherever the system likes.
    let at =
        unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(at as usize) }
}
