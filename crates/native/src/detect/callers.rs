//! Which code of the program has called the runtime, where functions between the two do not tell
//! that they are entered: those of the C++ library and of Rust's standard library.

use super::frames::{LONGEST, WORD, call_before};
use super::modules;
use crate::detect::detector;
use crate::process::call_site::{FRAME, STACK};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The functions of the C++ library that get memory for `new`, zero where there is none; and the
/// code of the executable.
static NEW: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
static EXECUTABLE: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Finds `operator new`.
pub(crate) fn look() {
    for (to, name) in NEW.iter().zip([c"_Znwm", c"_ZnwmSt11align_val_t"]) {
        // SAFETY: looks a name up.
        to.store(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as usize, Ordering::Relaxed);
    }
    let own = modules::module_of(look as *const () as usize);
    EXECUTABLE[0].store(own.start, Ordering::Relaxed);
    EXECUTABLE[1].store(own.end, Ordering::Relaxed);
}

/// Where the program is that has got memory by a call that returns to `pc`: if that is in `operator
/// new`, where this was called.
#[inline(always)]
pub(crate) fn new_at(pc: usize) -> usize {
    /// Within so many bytes from its start the operator calls `malloc`.
    const CALLS_WITHIN: usize = 128;
    let is_new = NEW.iter().any(|new| pc.wrapping_sub(new.load(Ordering::Relaxed)) < CALLS_WITHIN);
    if is_new { above_new(pc) } else { pc }
}

/// The operator, and that for arrays, which calls it, keep a few words on the stack: the first that
/// a call of the program returns to is theirs.
fn above_new(pc: usize) -> usize {
    const THEIRS: usize = 12;
    let returns = STACK.load(Ordering::Relaxed);
    let Some(stack) = detector().stack_of(returns) else {
        return pc;
    };
    // SAFETY: aligned words inside the stack, above what is used of it.
    let word = |at: usize| unsafe { *(at as *const usize) };
    let executable = EXECUTABLE[0].load(Ordering::Relaxed) + LONGEST..EXECUTABLE[1].load(Ordering::Relaxed);
    // SAFETY: the executable is never unloaded.
    let is_called = |at: usize| executable.contains(&at) && unsafe { call_before(at) }.is_some();
    let mut above = (returns..stack.end).step_by(WORD).take(THEIRS).map(word);
    let found = above.find(|&at| is_called(at));
    found.unwrap_or(pc)
}

/// Where the program is that has called the runtime by way of a library, with a call that returns to
/// `pc`: `std::thread::join` waits by `pthread_join`, as `operator new` calls `malloc`.
pub(crate) fn called_by_program(pc: usize) -> usize {
    let executable = EXECUTABLE[0].load(Ordering::Relaxed)..EXECUTABLE[1].load(Ordering::Relaxed);
    if executable.contains(&pc) { pc } else { above_new(pc) }
}

/// Frames that are gone up.
const UP: usize = 8;

/// The address that the innermost function of the program is at, which may have called us by way of
/// functions that do not tell that they are entered, as those of Rust's standard library: by the
/// frame pointers of these, which end at the call of the function itself. `pc`, if that cannot be
/// told.
pub(crate) fn of_program(pc: usize) -> usize {
    let call = detector().contexts.call();
    let here = 0u8;
    let here = &raw const here as usize;
    let Some(stack) = detector().stack_of(here) else {
        return pc;
    };
    // SAFETY: aligned words inside the stack, above what is used of it.
    let word = |at: usize| unsafe { *(at as *const usize) };
    let (mut frame, mut at) = (FRAME.load(Ordering::Relaxed), pc);
    for _ in 0..UP {
        if frame % WORD != 0 || !(here..stack.end - 2 * WORD).contains(&frame) {
            break;
        }
        let returns_to = word(frame + WORD);
        if returns_to == call {
            return at;
        }
        (at, frame) = (returns_to, word(frame));
    }
    pc
}

/// Whether code that is not instrumented has made the call that is under way: the frame is not that
/// of the function whose context the running task is in.
pub(crate) fn is_librarys() -> bool {
    let here = 0u8;
    let (here, frame) = (&raw const here as usize, FRAME.load(Ordering::Relaxed));
    let Some(stack) = detector().stack_of(here) else { return false };
    if frame % WORD != 0 || !(here..stack.end - 2 * WORD).contains(&frame) {
        return true;
    }
    // SAFETY: an aligned word inside the stack, above what is used of it.
    (unsafe { *((frame + WORD) as *const usize) }) != detector().contexts.call()
}
