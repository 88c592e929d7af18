//! Loops of Rust programs that wait by looking at atomic variables, recognised in a search while
//! they run. Of C and C++ the compiler pass marks such loops ([`busy`]); Rust's compiler has no
//! pass of ours.
//!
//! A task that comes to an atomic operation a second time and finds everything as it was does from
//! there on what it did the first time, until a variable that it looks at has another value.
//! *Everything* is
//!
//! - the place of the operation and its arguments, the registers that calls preserve (the compiler
//!   keeps nothing in others across the call), and the stack from there up, compared word by word;
//! - other memory: nothing was written since by the task. An instrumented store outside of its own
//!   stack, an atomic operation that changes a variable, memory got or given back, any function of
//!   the C library that the runtime stands in for, and a look at the clock end the comparison.
//!
//! So a loop that counts its tries is not recognised before its count stays: crossbeam's `Backoff`
//! counts to ten, and is then. What the task has only read plainly needs no comparison: whoever
//! writes it meanwhile races with it, since nothing that the task does in between releases.
//!
//! Limit: what a library without instrumentation remembers beside (a formatted text in memory that
//! it has already) is not noticed. A loop that leaves nothing but that would be taken for one that
//! waits.

use crate::detect::detector;
use crate::process::call_site::{CALLER, NOTES_REGISTERS, PRESERVED};
use crate::process::is_shared;
use crate::tasks::sched::{self, kernel};
use crate::tasks::{busy, explorer, state};
use raceproof_core::ids::TaskId;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Of deeper stacks no copies are kept.
const DEEPEST: usize = 1 << 16;

/// Visits of other places, after which the place that is compared with is no part of a loop.
const MOST: u32 = 16;

/// In `CALLER`: the program has called nothing since.
const NOTHING: usize = 0;

/// The arguments of an operation.
pub(crate) type Arguments = [u128; 3];

/// Where a task was, and all that decides what it does next.
#[derive(Default, PartialEq, Eq)]
struct Visit {
    pc: usize,
    arguments: Arguments,
    registers: [usize; PRESERVED.len()],
    stack: Vec<usize>,
}

#[derive(Default)]
struct Visits {
    last: Visit,
    /// Visits of other places since.
    others: u32,
    /// The task has done something since that others may notice.
    has_acted: bool,
}

#[derive(Default)]
pub(crate) struct Repeats(FxHashMap<TaskId, Visits>);

fn repeats() -> &'static mut FxHashMap<TaskId, Visits> {
    &mut state().repeats.0
}

/// Whether a search recognises loops like this.
fn is_on() -> bool {
    explorer::is_on() && is_shared() && sched::job().is_some()
}

/// The process is an execution of a search.
pub(crate) fn begin() {
    NOTES_REGISTERS.store(is_shared(), Ordering::Relaxed);
}

fn stack_from(pointer: usize) -> Option<Range<usize>> {
    let stack = detector().stack_of(pointer)?;
    (stack.end - pointer <= DEEPEST).then_some(pointer..stack.end)
}

/// The running task has come to an operation by which it may wait, and waits if it has gone round
/// for nothing.
pub(crate) fn arrived(pc: usize, arguments: Arguments) {
    if !is_on() {
        return;
    }
    // Not every operation notes them: without a stack pointer they are another's.
    let registers = PRESERVED.each_ref().map(|register| register.swap(0, Ordering::Relaxed));
    let Some(stack) = stack_from(registers[registers.len() - 1]) else { return };
    let task = kernel().current();
    let visits = repeats().entry(task).or_default();
    visits.has_acted |= CALLER.load(Ordering::Relaxed) != NOTHING;
    if visits.last.pc != pc && !visits.has_acted && visits.others < MOST {
        visits.others += 1;
        return;
    }
    // SAFETY: the task's own stack, from where it is up to where it begins.
    let stack =
        unsafe { std::slice::from_raw_parts(stack.start as *const usize, stack.len() / size_of::<usize>()) };
    let last = &visits.last;
    let is_again =
        (last.pc, last.arguments, last.registers) == (pc, arguments, registers) && last.stack == stack;
    if is_again && !visits.has_acted {
        busy::looked_again();
    } else {
        visits.last = Visit { pc, arguments, registers, stack: stack.to_vec() };
        busy::begin_iteration();
    }
    // Other tasks may have run.
    if let Some(visits) = repeats().get_mut(&task) {
        (visits.others, visits.has_acted) = (0, false);
    }
}

/// The operation is the running task's next: what others have called meanwhile is not its doing.
pub(crate) fn resumed() {
    if is_on() {
        CALLER.store(NOTHING, Ordering::Relaxed);
    }
}

/// The running task has done something that others may notice.
pub(crate) fn acted() {
    if is_on()
        && let Some(visits) = repeats().get_mut(&kernel().current())
    {
        visits.has_acted = true;
    }
}

/// The running task writes plainly.
pub(crate) fn wrote(address: usize) {
    if is_on() {
        let here = &raw const address as usize;
        if !detector().stack_of(here).is_some_and(|own| own.contains(&address)) {
            acted();
        }
    }
}

/// The running task ends.
pub(crate) fn ended() {
    if explorer::is_on() {
        repeats().remove(&kernel().current());
    }
}
