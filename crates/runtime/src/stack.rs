//! Stacks for coroutines: mapped once, lent to one task at a time.
//!
//! A stack is reserved address space with a guard page; memory is committed as it is touched. A
//! task takes one when it first runs and returns it when it ends, so a million tasks that never
//! wait share a handful. Idle stacks are kept for the next task, up to a bound, and survive from
//! one run of a program to the next.

use corosensei::stack::DefaultStack;
use std::cell::{Cell, RefCell};
use std::io;

/// The size of a task's stack unless asked for otherwise.
pub(crate) const STACK_BYTES: usize = 256 << 10;

/// Idle stacks that are kept. What a stack has touched stays committed, so this also bounds that
/// memory.
const MAX_IDLE: usize = 1024;

#[derive(Default)]
pub(crate) struct Stacks {
    bytes: usize,
    idle: RefCell<Vec<DefaultStack>>,
    /// How many were ever mapped.
    mapped: Cell<u64>,
}

impl Stacks {
    pub(crate) fn new(bytes: usize) -> Self {
        Stacks { bytes, ..Stacks::default() }
    }

    /// An idle stack, or a new one. Fails when the system has no more memory or mappings to give.
    pub(crate) fn take(&self) -> io::Result<DefaultStack> {
        if let Some(stack) = self.idle.borrow_mut().pop() {
            return Ok(stack);
        }
        let stack = DefaultStack::new(self.bytes)?;
        self.mapped.set(self.mapped.get() + 1);
        Ok(stack)
    }

    pub(crate) fn give_back(&self, stack: DefaultStack) {
        let mut idle = self.idle.borrow_mut();
        if idle.len() < MAX_IDLE {
            idle.push(stack);
        }
    }

    pub(crate) fn mapped(&self) -> u64 {
        self.mapped.get()
    }
}
