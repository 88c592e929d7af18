//! Fibers: coroutines that run one task after the other, each on a stack of its own.
//!
//! Whoever has no task waits at the end of the last one, so that a task that begins finds its
//! coroutine made, as it finds its stack.

use corosensei::stack::{Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::num::NonZeroUsize;
use std::ops::Range;

/// The slot of a task's stack, and which one it is of the pool ([`stacks`](super::stacks)).
#[derive(Clone, Copy)]
pub(crate) struct TaskStack {
    pub(super) bottom: usize,
    pub(super) top: usize,
    pub(super) batch: u32,
    pub(super) index: u32,
}

impl TaskStack {
    pub(crate) fn memory(&self) -> Range<usize> {
        self.bottom..self.top
    }
}

// SAFETY: `Stacks::fresh`, which alone makes one, upholds the contract: the slot is mapped, its
// lowest page is inaccessible, it is page-aligned and larger than the minimum; it is never
// unmapped, and one fiber is made with it.
unsafe impl Stack for TaskStack {
    fn base(&self) -> StackPointer {
        NonZeroUsize::new(self.top).expect("no stack ends at address 0")
    }
    fn limit(&self) -> StackPointer {
        NonZeroUsize::new(self.bottom).expect("no stack begins at address 0")
    }
}

/// Why a coroutine was left.
pub(crate) enum Pause {
    /// As the kernel was told.
    Kernel,
    /// The thread is at a barrier of its team.
    Barrier,
    /// The task has failed, and goes no further.
    Failed,
    /// The task is over.
    Ended,
}

/// What a fiber runs: one task, until it is over.
pub(crate) type Run = fn(&Yielder<(), Pause>);

pub(crate) struct Fiber {
    coroutine: Coroutine<(), Pause, (), TaskStack>,
    /// The one the coroutine runs on.
    pub(crate) stack: TaskStack,
}

impl Fiber {
    pub(crate) fn new(stack: TaskStack, run: Run) -> Box<Self> {
        let coroutine = Coroutine::with_stack(stack, move |yielder, ()| {
            loop {
                run(yielder);
                yielder.suspend(Pause::Ended);
            }
        });
        Box::new(Fiber { coroutine, stack })
    }

    pub(crate) fn memory(&self) -> Range<usize> {
        self.stack.memory()
    }

    /// Runs the task of the running job, which it has begun or will now, until that leaves it.
    #[inline]
    pub(crate) fn resume(&mut self) -> Pause {
        match self.coroutine.resume(()) {
            CoroutineResult::Yield(pause) => pause,
            CoroutineResult::Return(()) => unreachable!("a fiber waits for another task"),
        }
    }
}
