//! The calls that led to where the program is, also where none of its own functions is the
//! innermost: in a library, or at an instruction that has crashed.
//!
//! The functions of the program tell when they are entered ([`contexts`](crate::detect::contexts));
//! what they have called since is found by unwinding the stack. Where the stack cannot be unwound,
//! what the functions have told has to do.

use crate::detect::detector;
use std::ffi::{CStr, c_int, c_void};

unsafe extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// What the unwinder is told after each frame.
const GO_ON: c_int = 0;
const STOP: c_int = 5;

/// Calls of libraries below the innermost function of the program.
const MOST: usize = 64;

/// The stack as a list that needs no memory of the heap, which may be what is broken.
#[derive(Clone, Copy)]
pub(crate) struct Stack {
    addresses: [usize; MOST],
    count: usize,
    /// What is above this is not of interest.
    after: Option<usize>,
}

extern "C" fn each(context: *mut c_void, data: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes its context, and `data` is the list below.
    let (at, stack) = unsafe { (_Unwind_GetIP(context), &mut *data.cast::<Stack>()) };
    if stack.after.take_if(|after| *after == at).is_some() || stack.after.is_some() {
        return GO_ON;
    }
    if stack.count == MOST || at == 0 {
        return STOP;
    }
    stack.addresses[stack.count] = at;
    stack.count += 1;
    GO_ON
}

/// The return addresses on the stack, innermost first; only those that led to an instruction, if
/// one is given: a signal has come there.
fn unwound(crashed: Option<usize>) -> Stack {
    let mut stack = Stack { addresses: [0; MOST], count: 0, after: crashed };
    // SAFETY: the function has the right type, and the list outlives the call.
    unsafe { _Unwind_Backtrace(each, (&raw mut stack).cast()) };
    stack
}

/// The return addresses on the stack, innermost first.
pub(crate) fn addresses() -> Vec<usize> {
    let stack = unwound(None);
    stack.addresses[..stack.count].to_vec()
}

/// Asks about the return addresses on the stack that are above `pc`, innermost first, until there
/// is an answer.
pub(crate) fn find_above(pc: usize, ask: &mut dyn FnMut(usize) -> Option<usize>) -> Option<usize> {
    struct Search<'a> {
        pc: usize,
        is_above: bool,
        left: usize,
        ask: &'a mut dyn FnMut(usize) -> Option<usize>,
        answer: Option<usize>,
    }
    extern "C" fn each(context: *mut c_void, data: *mut c_void) -> c_int {
        // SAFETY: the unwinder passes its context, and `data` is the value below.
        let (at, search) = unsafe { (_Unwind_GetIP(context), &mut *data.cast::<Search<'_>>()) };
        if search.is_above {
            search.answer = (search.ask)(at);
        }
        search.is_above |= at == search.pc;
        search.left -= 1;
        if search.answer.is_some() || search.left == 0 { STOP } else { GO_ON }
    }
    let mut search = Search { pc, is_above: false, left: MOST, ask, answer: None };
    // SAFETY: the function has the right type, and the value outlives the call.
    unsafe { _Unwind_Backtrace(each, (&raw mut search).cast()) };
    search.answer
}

/// Whether an address is in a library of the system, of which nobody wants to know the line.
fn is_of_system(at: usize) -> bool {
    // SAFETY: asks the linker about an address; it writes the description.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr((at - 1) as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return false;
        }
        let path = CStr::from_ptr(info.dli_fname).to_bytes();
        [&b"/lib"[..], b"/usr/lib"].iter().any(|folder| path.starts_with(folder))
    }
}

/// The innermost call of the program's own code on the way to a call that returns to `pc`: this
/// one, unless a library has made it.
pub(crate) fn own_call(pc: usize) -> usize {
    if !is_of_system(pc) {
        return pc;
    }
    find_above(pc, &mut |at| (!is_of_system(at)).then_some(at)).unwrap_or(pc)
}

/// The calls that led here, innermost first, as return addresses.
pub(crate) fn here() -> Vec<usize> {
    let stack = unwound(None);
    joined(&stack.addresses[..stack.count])
}

/// Notes the stack that led to an instruction, in the handler of the signal that has come there.
pub(crate) fn noted(instruction: usize) -> Stack {
    unwound(Some(instruction))
}

/// The calls that led to an instruction, by the stack that was noted there; the address after it is
/// the first.
pub(crate) fn to(instruction: usize, stack: &Stack) -> Vec<usize> {
    let mut all = vec![instruction + 1];
    all.extend(&stack.addresses[..stack.count]);
    joined(&all)
}

/// The calls that the functions of the program have recorded, the innermost at an address.
pub(crate) fn from(pc: usize) -> Vec<usize> {
    let contexts = &detector().contexts;
    std::iter::once(pc).chain(contexts.calls(contexts.now().context)).collect()
}

/// The stack as far as it was unwound, without the libraries of the system, and from there on the
/// recorded calls.
pub(crate) fn joined(stack: &[usize]) -> Vec<usize> {
    let contexts = &detector().contexts;
    let recorded = contexts.calls(contexts.now().context);
    // The recorded calls are on the stack in this order, with uninstrumented functions between
    // them.
    let (mut known, mut met) = (0, 0);
    for caller in &recorded {
        let Some(at) = stack[known..].iter().position(|at| at == caller) else { break };
        (known, met) = (known + at + 1, met + 1);
    }
    if recorded.is_empty() {
        // The first function of its task. That the runtime has called it is left out by whoever
        // names the calls.
        known = stack.len();
    }
    if known == 0 {
        return stack.first().copied().into_iter().chain(recorded).collect();
    }
    let (own, rest) = (&stack[..known], &recorded[met..]);
    // Never empty: a finding needs a site.
    let last = own.last().copied().into_iter().filter(|_| own.iter().all(|&at| is_of_system(at)));
    own.iter().copied().filter(|&at| !is_of_system(at)).chain(last).chain(rest.iter().copied()).collect()
}
