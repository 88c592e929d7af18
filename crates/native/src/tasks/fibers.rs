//! Fibers: coroutines that run one task after the other, each on a stack of its own.
//!
//! Whoever has no task waits at the end of the last one, so that a task that begins finds its coroutine made, as it finds its stack.

use crate::tasks::sched::{self, Pause};
use crate::tasks::stacks::TaskStack;
use corosensei::{Coroutine, CoroutineResult};
use std::ops::Range;

pub(crate) struct Fiber {
    coroutine: Coroutine<(), Pause, (), TaskStack>,
    /// The one the coroutine runs on.
    pub(crate) stack: TaskStack,
}

impl Fiber {
    pub(crate) fn new(stack: TaskStack) -> Box<Self> {
        let coroutine = Coroutine::with_stack(stack, |yielder, ()| {
            loop {
                sched::run(yielder);
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
