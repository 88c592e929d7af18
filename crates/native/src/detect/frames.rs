//! The frame of a function that an address on a stack is in, found while the stack is still there.
//!
//! Programs are compiled with frame pointers: at the frame's address stands that of the caller's
//! frame, and after it the address that the function returns to. So the first such pair above a
//! local variable is the end of its frame, and a pair below that leads to it tells where the
//! function was when it called another.
//!
//! Functions that the runtime calls have no such chain above them. For a variable whose declaration
//! is known it takes less: the frame of the function that declares it ends at a return address of a
//! call of that function.

use crate::detect::modules;
use crate::process::Main;
use libc::{c_char, c_int};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A frame, and an address in the code of its function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) base: usize,
    pub(crate) pc: usize,
}

/// An address that may be the base of a frame: above it stands one that a call returns to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) base: usize,
    /// The function that was called, if the call names it.
    pub(crate) callee: Option<usize>,
}

/// How many of them are kept.
const ENDS: usize = 64;

/// Frames are aligned so, by the conventions of the machine.
const ALIGNED: usize = 16;

/// The ends of frames that an address may be in, nearest first, if it is on a stack.
pub(crate) fn ends(address: usize, stack: Option<Range<usize>>, code: &[Range<usize>]) -> Vec<End> {
    let Some(stack) = stack else {
        return Vec::new();
    };
    // SAFETY: aligned words inside the stack, above an address of it that the program has accessed.
    let word = |at: usize| unsafe { *(at as *const usize) };
    let highest = stack.end.saturating_sub(2 * WORD).min(address + FAR);
    let end = |base: usize| {
        let returns_to = word(base + WORD);
        let callee = called(returns_to, code)?;
        Some(End { base, callee: callee.or_else(|| main_called(returns_to)) })
    };
    (address.next_multiple_of(ALIGNED)..=highest).step_by(ALIGNED).filter_map(end).take(ENDS).collect()
}

/// The function that the call which returns to an address has called, if it says so; none if no
/// call does.
fn called(returns_to: usize, code: &[Range<usize>]) -> Option<Option<usize>> {
    code.iter().find(|part| (part.start + LONGEST..part.end).contains(&returns_to))?;
    // What is left of a call may be of a module that is gone.
    modules::module_of(returns_to - LONGEST).contains(&returns_to).then_some(())?;
    // SAFETY: code of a module that is there.
    unsafe { call_before(returns_to) }
}

/// The longest call of those that are known, in bytes.
pub(super) const LONGEST: usize = 7;

/// The function that is called right before an address, if the call says so; none if no call is
/// there.
///
/// # Safety
/// So many bytes before it can be read.
pub(super) unsafe fn call_before(returns_to: usize) -> Option<Option<usize>> {
    // SAFETY: the caller's.
    let before = unsafe { *((returns_to - LONGEST) as *const [u8; LONGEST]) };
    if let [_, _, 0xe8, by @ ..] = before {
        return Some(Some(returns_to.wrapping_add_signed(i32::from_le_bytes(by) as isize)));
    }
    // `call *…`: one byte, and one that says from where, with what that takes.
    let indirect = [2, 3, 4, 6, 7].iter().any(|&length| {
        let (opcode, from) = (before[LONGEST - length], before[LONGEST - length + 1]);
        opcode == 0xff && from >> 3 & 7 == 2
    });
    indirect.then_some(None)
}

/// Where `main` begins.
static MAIN: AtomicUsize = AtomicUsize::new(0);

/// Calls the program's `main`, from a place that its frame is known by.
///
/// # Safety
/// As of `main`.
#[inline(never)]
pub(crate) unsafe extern "C" fn call_main(
    main: Main,
    count: c_int,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> c_int {
    MAIN.store(main as usize, Ordering::Relaxed);
    // SAFETY: the caller's. It is no tail call, which would leave no return address of ours.
    std::hint::black_box(unsafe { main(count, arguments, environment) })
}

/// `main`, if an address is the one it returns to.
fn main_called(returns_to: usize) -> Option<usize> {
    const LONGEST: usize = 96;
    let begin = call_main as *const () as usize;
    (begin..begin + LONGEST).contains(&returns_to).then(|| MAIN.load(Ordering::Relaxed))
}

/// How far away the ends of frames are looked for.
const FAR: usize = 1 << 16;
pub(super) const WORD: usize = size_of::<usize>();

/// The executable parts of the process.
pub(crate) fn code() -> Vec<Range<usize>> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let range = |line: &str| {
        let mut words = line.split(' ');
        let (range, rights) = (words.next()?, words.next()?);
        let (from, to) = range.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        rights.contains('x').then_some(number(from)?..number(to)?)
    };
    maps.lines().filter_map(range).collect()
}

/// The frame that an address is in, if it is on a stack; `pc` is where the running task is.
pub(crate) fn find(
    address: usize,
    stack: Option<Range<usize>>,
    pc: usize,
    code: &[Range<usize>],
) -> Option<Frame> {
    let stack = stack?;
    let is_code = |at: usize| code.iter().any(|part| part.contains(&at));
    // SAFETY: aligned words inside the stack, above its guard page, which is mapped for as long as
    // the process lives.
    let word = |at: usize| unsafe { *(at as *const usize) };
    let lowest = (stack.start + GUARD).max(address.saturating_sub(FAR));
    let highest = (stack.end - 2 * WORD).min(address + FAR);
    let first = address.next_multiple_of(WORD);
    let is_end = |&at: &usize| (at + 1..stack.end).contains(&word(at)) && is_code(word(at + WORD));
    let base = (first..=highest).step_by(WORD).find(is_end)?;
    let below = |base: usize| {
        let calls = |&at: &usize| word(at) == base && is_code(word(at + WORD));
        (lowest.next_multiple_of(WORD)..first.saturating_sub(WORD)).step_by(WORD).rev().find(calls)
    };
    // If the function around it has called another from below the address, what was found is a call
    // of it that is over, and the address is in its own frame: in an array that has grown over the
    // place.
    let around = word(base);
    if let Some(call) = below(around) {
        return Some(Frame { base: around, pc: word(call + WORD) });
    }
    let here = 0u8;
    let is_running = stack.contains(&(&raw const here as usize));
    match below(base) {
        Some(call) => Some(Frame { base, pc: word(call + WORD) }),
        None => is_running.then_some(Frame { base, pc }),
    }
}

const GUARD: usize = 4096;
