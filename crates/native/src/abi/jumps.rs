//! `setjmp` and `longjmp`: which calling context the program is in after a jump.
//!
//! A jump leaves functions that do not tell so. The context of a frame does not change while its function runs, so that it is enough to note it with the
//! frame when `setjmp` is called, by the stack pointer, which `longjmp` finds in the buffer as the C library has put it there. A copy of a buffer serves like
//! the buffer. Nothing is noted inside of it: some that the C library itself uses are shorter than others.
//!
//! Cost: `setjmp` an insertion into a hash table, `longjmp` a search in it; entries are replaced when a frame at the same address notes its own.

use crate::abi::world;
use crate::abi::world::is_up;
use crate::detect::contexts::Place;
use crate::detect::detector;
use rustc_hash::FxHashMap;
use std::arch::{asm, naked_asm};
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Contexts of frames that can be jumped to.
pub(crate) type Frames = FxHashMap<usize, Place>;

/// The C library's functions, once they were looked for.
static REAL: [AtomicUsize; 7] = [const { AtomicUsize::new(0) }; 7];
const NAMES: [&CStr; 7] =
    [c"setjmp", c"_setjmp", c"__sigsetjmp", c"longjmp", c"_longjmp", c"siglongjmp", c"__longjmp_chk"];

fn real(which: usize) -> usize {
    match REAL[which].load(Ordering::Relaxed) {
        0 => {
            // SAFETY: looks a name up.
            let found = unsafe { libc::dlsym(libc::RTLD_NEXT, NAMES[which].as_ptr()) } as usize;
            if found == 0 {
                crate::fatal("the C library has no setjmp and longjmp as they are known here");
            }
            REAL[which].store(found, Ordering::Relaxed);
            found
        }
        found => found,
    }
}

/// A function that returns twice cannot be called by one of ours: it is jumped to, with all as its caller has left it.
macro_rules! setjmps {
    ($($name:ident = $which:literal;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                "push rdi",
                "push rsi",
                "sub rsp, 8",
                // What the stack pointer is after the call.
                "lea rdi, [rsp + 32]",
                "mov esi, {which}",
                "call {note}",
                "add rsp, 8",
                "pop rsi",
                "pop rdi",
                "jmp rax",
                which = const $which,
                note = sym note,
            )
        }
    )* };
}

setjmps! {
    setjmp = 0;
    _setjmp = 1;
    __sigsetjmp = 2;
}

/// A frame can be jumped to; the function of the C library that does the rest.
extern "C" fn note(stack: usize, which: usize) -> usize {
    if is_up() {
        let place = detector().contexts.now();
        world::state().frames.insert(stack, place);
    }
    real(which)
}

/// Where the C library keeps the stack pointer in a buffer.
const STACK: usize = 6;

/// The stack pointer that a jump leads to.
fn target(buffer: *const usize) -> usize {
    // SAFETY: the program's buffer, which `setjmp` has filled.
    let kept = unsafe { *buffer.add(STACK) };
    let guard: usize;
    // SAFETY: the C library has in every thread's control block the number that it hides such pointers with.
    unsafe { asm!("mov {}, fs:[0x30]", out(reg) guard, options(nostack, readonly, preserves_flags)) };
    kept.rotate_right(17) ^ guard
}

fn jump(which: usize, buffer: *mut c_void, value: c_int) -> ! {
    if is_up()
        && let Some(&place) = world::state().frames.get(&target(buffer.cast()))
    {
        detector().contexts.go_to(place);
    }
    // SAFETY: that is the type of these functions; the rest is the program's promise.
    unsafe {
        let real = std::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void, c_int) -> !>(real(which));
        real(buffer, value)
    }
}

/// # Safety
/// As `longjmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn longjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(3, buffer, value)
}

/// # Safety
/// As `_longjmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _longjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(4, buffer, value)
}

/// # Safety
/// As `siglongjmp`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siglongjmp(buffer: *mut c_void, value: c_int) -> ! {
    jump(5, buffer, value)
}

/// # Safety
/// As `longjmp`, which `_FORTIFY_SOURCE` makes this of.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __longjmp_chk(buffer: *mut c_void, value: c_int) -> ! {
    jump(6, buffer, value)
}
