//! The entry points that clang's `-fsanitize=thread` calls, at every access and function.
//!
//! An access by a step that has made the same access before is all that the fast paths know: the cell is loaded and
//! compared with the first number of the running step. Everything else is the detector's.

pub(crate) mod atomic;
mod released;
mod runs;
mod spins;
pub(crate) mod unseen;

use crate::contexts::CONTEXT;
use crate::detector::changes::{AFTER, BEFORE, CHANGES, CONTEXT_OF, FIRST_OF, PLACE_MASK, PLACE_SHIFT};
use crate::detector::{Detector, FIRST, FIRST_SET, Manner};
use crate::interrupts::{self, PENDING};
use crate::shadow::Cell;
use crate::world;
use raceproof_core::event::AccessKind;
use std::arch::naked_asm;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// The detector, once what is pending is done.
#[inline(always)]
fn detector(address: usize, size: usize, kind: AccessKind, pc: usize) -> &'static mut Detector {
    if PENDING.load(Ordering::Relaxed) {
        interrupts::attend(address, size, kind, pc);
    }
    &mut world().detector
}

#[cold]
extern "C" fn read_slow(address: usize, size: usize, pc: usize) {
    detector(address, size, AccessKind::Read, pc).access(address, size, AccessKind::Read, Manner::Plain, pc);
}

#[cold]
extern "C" fn write_slow(address: usize, size: usize, pc: usize) {
    detector(address, size, AccessKind::Write, pc).access(
        address,
        size,
        AccessKind::Write,
        Manner::Plain,
        pc,
    );
}

// Aligned words that have cells like this one.

extern "C" fn read_words<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words::<N>(address, cell, AccessKind::Read, pc);
}

extern "C" fn write_words<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words::<N>(address, cell, AccessKind::Write, pc);
}

#[inline(always)]
fn words<const N: usize>(address: usize, cell: Cell, kind: AccessKind, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !world().detector.words_shortly::<N>(cell, address, kind, pc) {
        words_slow::<N>(address, kind, pc);
    }
}

#[cold]
#[inline(never)]
fn words_slow<const N: usize>(address: usize, kind: AccessKind, pc: usize) {
    detector(address, 4 * N, kind, pc).words::<N>(address, kind, pc);
}

// Words that begin at a multiple of four: one cell, or several that are alike. The address of the cell is computed as in
// `shadow::cell`. Parts of a word have a fast path where the whole word is done.
//
// A read is done if the running step is the last reader or the writer; a write, if it is the writer and nobody has
// read since. If not, what whole words become may be known from the last access from here.

/// Comparisons of further cells with the first, which is in `r10`.
macro_rules! alike {
    (1) => {
        ""
    };
    (2) => {
        "cmp r10, [rcx + rax*2 + 8]\n jne 4f\n"
    };
    (4) => {
        "cmp r10, [rcx + rax*2 + 8]\n jne 4f\n cmp r10, [rcx + rax*2 + 16]\n jne 4f\n \
         cmp r10, [rcx + rax*2 + 24]\n jne 4f\n"
    };
}

/// Whether the running step has written the cell, or was the last to read it; if not, at `3`. For single words without a branch on which
/// of the two it was: in the loops of a sort nobody can predict that. For several that would be an instruction more.
macro_rules! is_read {
    (1) => {
        "mov edx, [rcx + rax*2 + 4]\n cmp edx, r10d\n cmovl edx, r10d\n cmp edx, [rip + {first}]\n jl 3f\n"
    };
    ($several:tt) => {
        "mov edx, [rip + {first}]\n cmp [rcx + rax*2 + 4], edx\n jge 2f\n cmp r10d, edx\n jl 3f\n"
    };
}

/// Sends an address that is no multiple of four to the slow path.
macro_rules! aligned {
    (always) => {
        ""
    };
    (perhaps) => {
        "test dil, 3\n jnz 4f\n"
    };
}

macro_rules! reads {
    ($($name:ident $alignment:ident $cells:tt $size:literal $other:path, $slow:path;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                aligned!($alignment),
                "movabs rax, 0x3fffffffffc",
                "and rax, rdi",
                "movabs rcx, 0x100000000000",
                "mov r10, [rcx + rax*2]",
                alike!($cells),
                is_read!($cells),
                "2:",
                "ret",
                "3:",
                "mov edx, [rip + {first_set}]",
                "cmp [rcx + rax*2 + 4], edx",
                "jae 2b",
                concat!("mov esi, ", $size),
                "mov rdx, [rsp]",
                "jmp {other}",
                "4:",
                concat!("mov esi, ", $size),
                "mov rdx, [rsp]",
                "jmp {slow}",
                first = sym FIRST,
                first_set = sym FIRST_SET,
                other = sym $other,
                slow = sym $slow,
            )
        }
    )* };
}

macro_rules! writes {
    ($($name:ident $alignment:ident $cells:tt $size:literal $other:path, $slow:path;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                aligned!($alignment),
                "movabs rax, 0x3fffffffffc",
                "and rax, rdi",
                "movabs rcx, 0x100000000000",
                "mov r10, [rcx + rax*2]",
                alike!($cells),
                "cmp r10d, [rip + {first}]",
                "jl 3f",
                "cmp dword ptr [rcx + rax*2 + 4], 0",
                "jne 3f",
                "ret",
                "3:",
                concat!("mov esi, ", $size),
                "mov rdx, [rsp]",
                "jmp {other}",
                "4:",
                concat!("mov esi, ", $size),
                "mov rdx, [rsp]",
                "jmp {slow}",
                first = sym FIRST,
                other = sym $other,
                slow = sym $slow,
            )
        }
    )* };
}

/// Puts `r10` into the cells.
macro_rules! put {
    (1) => {
        "mov [rcx + rax*2], r10\n"
    };
    (2) => {
        "mov [rcx + rax*2], r10\n mov [rcx + rax*2 + 8], r10\n"
    };
    (4) => {
        "mov [rcx + rax*2], r10\n mov [rcx + rax*2 + 8], r10\n \
         mov [rcx + rax*2 + 16], r10\n mov [rcx + rax*2 + 24], r10\n"
    };
}

/// Words that are not done, all with the cell in `r10`: they become what the last access from here has made of such a cell
/// ([`detector::changes`](crate::detector::changes)). If that is not known, the cell is the second argument of what comes next.
macro_rules! as_before {
    ($($name:ident $cells:tt $slow:path;)*) => { $(
        #[unsafe(naked)]
        extern "C" fn $name() {
            naked_asm!(
                "mov rsi, r10",
                "mov r8, r10",
                "shr r8, 32",
                "xor r8d, r10d",
                "add r8d, r8d",
                "xor r8d, edx",
                "and r8d, {place_mask}",
                "shl r8d, {place_shift}",
                "lea r9, [rip + {changes}]",
                "add r9, r8",
                "cmp [r9], rdx",
                "jne {slow}",
                "cmp [r9 + {before}], r10",
                "jne {slow}",
                "mov r8d, [rip + {first}]",
                "cmp [r9 + {first_of}], r8d",
                "jne {slow}",
                "mov r8d, [rip + {context}]",
                "cmp [r9 + {context_of}], r8d",
                "jne {slow}",
                "mov r10, [r9 + {after}]",
                put!($cells),
                "ret",
                place_mask = const PLACE_MASK,
                place_shift = const PLACE_SHIFT,
                changes = sym CHANGES,
                before = const BEFORE,
                after = const AFTER,
                first = sym FIRST,
                first_of = const FIRST_OF,
                context = sym CONTEXT,
                context_of = const CONTEXT_OF,
                slow = sym $slow,
            )
        }
    )* };
}
as_before! {
    read_as_before_1 1 read_words::<1>;
    read_as_before_2 2 read_words::<2>;
    read_as_before_4 4 read_words::<4>;
    write_as_before_1 1 write_words::<1>;
    write_as_before_2 2 write_words::<2>;
    write_as_before_4 4 write_words::<4>;
}

reads! {
    __tsan_read1 always 1 1 read_slow, read_slow;
    __tsan_read2 always 1 2 read_slow, read_slow;
    __tsan_read4 always 1 4 read_as_before_1, read_slow;
    __tsan_read8 always 2 8 read_as_before_2, read_slow;
    __tsan_read16 always 4 16 read_as_before_4, read_slow;
    __tsan_unaligned_read4 perhaps 1 4 read_slow, read_slow;
    __tsan_unaligned_read8 perhaps 2 8 read_slow, read_slow;
    __tsan_unaligned_read16 perhaps 4 16 read_slow, read_slow;
    __tsan_volatile_read1 always 1 1 read_slow, read_slow;
    __tsan_volatile_read2 always 1 2 read_slow, read_slow;
    __tsan_volatile_read4 always 1 4 read_as_before_1, read_slow;
    __tsan_volatile_read8 always 2 8 read_as_before_2, read_slow;
    __tsan_volatile_read16 always 4 16 read_as_before_4, read_slow;
    __tsan_vptr_read always 2 8 read_as_before_2, read_slow;
}

writes! {
    __tsan_write1 always 1 1 write_slow, write_slow;
    __tsan_write2 always 1 2 write_slow, write_slow;
    __tsan_write4 always 1 4 write_as_before_1, write_slow;
    __tsan_write8 always 2 8 write_as_before_2, write_slow;
    __tsan_write16 always 4 16 write_as_before_4, write_slow;
    __tsan_unaligned_write4 perhaps 1 4 write_slow, write_slow;
    __tsan_unaligned_write8 perhaps 2 8 write_slow, write_slow;
    __tsan_unaligned_write16 perhaps 4 16 write_slow, write_slow;
    __tsan_volatile_write1 always 1 1 write_slow, write_slow;
    __tsan_volatile_write2 always 1 2 write_slow, write_slow;
    __tsan_volatile_write4 always 1 4 write_as_before_1, write_slow;
    __tsan_volatile_write8 always 2 8 write_as_before_2, write_slow;
    __tsan_volatile_write16 always 4 16 write_as_before_4, write_slow;
    __tsan_read_write1 always 1 1 write_slow, write_slow;
    __tsan_read_write2 always 1 2 write_slow, write_slow;
    __tsan_read_write4 always 1 4 write_as_before_1, write_slow;
    __tsan_read_write8 always 2 8 write_as_before_2, write_slow;
    __tsan_read_write16 always 4 16 write_as_before_4, write_slow;
    __tsan_unaligned_read_write4 perhaps 1 4 write_slow, write_slow;
    __tsan_unaligned_read_write8 perhaps 2 8 write_slow, write_slow;
    __tsan_unaligned_read_write16 perhaps 4 16 write_slow, write_slow;
}

/// Two bytes that may lie in two words.
macro_rules! others {
    ($($name:ident $size:literal $slow:ident;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                concat!("mov esi, ", $size),
                "mov rdx, [rsp]",
                "jmp {slow}",
                slow = sym $slow,
            )
        }
    )* };
}
others! {
    __tsan_unaligned_read2 2 read_slow;
    __tsan_unaligned_write2 2 write_slow;
    __tsan_unaligned_read_write2 2 write_slow;
}

/// A function with its return address as a further argument, the fourth.
macro_rules! with_caller {
    ($($name:ident => $target:ident;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!("mov rcx, [rsp]", "jmp {target}", target = sym $target)
        }
    )* };
}
with_caller! {
    __tsan_memcpy => memcpy;
    __tsan_memmove => memmove;
    __tsan_memset => memset;
    __tsan_vptr_update => vptr_update;
    __tsan_read_range => read_range;
    __tsan_write_range => write_range;
}

extern "C" fn read_range(address: usize, size: usize, _: usize, pc: usize) {
    read_slow(address, size, pc);
}

extern "C" fn write_range(address: usize, size: usize, _: usize, pc: usize) {
    write_slow(address, size, pc);
}

extern "C" fn memcpy(to: *mut c_void, from: *const c_void, size: usize, pc: usize) -> *mut c_void {
    // The compiler copies structures with it, also onto themselves, so it must be able to move.
    memmove(to, from, size, pc)
}

extern "C" fn memmove(to: *mut c_void, from: *const c_void, size: usize, pc: usize) -> *mut c_void {
    read_slow(from as usize, size, pc);
    write_slow(to as usize, size, pc);
    // SAFETY: what the program asked for.
    unsafe { libc::memmove(to, from, size) }
}

extern "C" fn memset(to: *mut c_void, value: i32, size: usize, pc: usize) -> *mut c_void {
    write_slow(to as usize, size, pc);
    // SAFETY: what the program asked for.
    unsafe { libc::memset(to, value, size) }
}

/// An object's table of virtual functions is set; setting it to what it is, as destructors do, is no write.
extern "C" fn vptr_update(address: *const usize, value: usize, _: usize, pc: usize) {
    // SAFETY: the program is about to write there.
    if unsafe { *address } != value {
        write_slow(address as usize, 8, pc);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_entry(call: usize) {
    world().detector.contexts.enter(call);
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {
    world().detector.contexts.leave();
}

/// Called by the constructor of every instrumented module.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    crate::world::begin();
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_begin() {}
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_end() {}
