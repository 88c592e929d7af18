//! The entry points that clang's `-fsanitize=thread` calls, at every access and function.
//!
//! An access by a step that has made the same access before is all that the fast paths know: the cell is loaded and
//! compared with the first number of the running step. Everything else is the detector's.

pub(crate) mod atomic;
mod fortran;
pub(crate) mod lanes;
mod reach;
mod released;
mod runs;
mod spans;
mod spins;
pub(crate) mod unseen;

use crate::abi::world::begin;
use crate::detect;
use crate::detect::detector::changes::{AFTER, BEFORE, CHANGES, MASK, MIX, SHIFT, WHEN};
use crate::detect::detector::last::{self, LAST};
use crate::detect::detector::{Detector, Manner};
use crate::detect::now::{FIRST_SET, LEFT, NOW, OVER};
use crate::detect::shadow::Cell;
use crate::report::signals::PENDING;
use crate::tasks::preemption;
use raceproof_core::event::AccessKind;
use reach::is_memory;
use std::arch::naked_asm;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// The detector, once what is pending is done.
#[inline(always)]
fn detector(address: usize, size: usize, kind: AccessKind, pc: usize) -> &'static mut Detector {
    if PENDING.load(Ordering::Relaxed) {
        preemption::attend(address, size, kind, pc);
    }
    detect::detector()
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

/// The same with a set of readers, of which one may stand for this one.
extern "C" fn read_nearly<const N: usize>(address: usize, cell: Cell, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !detect::detector().is_left_out(cell, address, pc) {
        words_nearly::<N>(address, cell, AccessKind::Read, pc);
    }
}

extern "C" fn write_words<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words::<N>(address, cell, AccessKind::Write, pc);
}

#[inline(always)]
fn words<const N: usize>(address: usize, cell: Cell, kind: AccessKind, pc: usize) {
    let detector = detect::detector();
    if PENDING.load(Ordering::Relaxed) || !detector.is_short(cell) {
        words_nearly::<N>(address, cell, kind, pc);
    } else if !detector.words_shortly::<N>(cell, address, kind, pc) {
        words_slow::<N>(address, kind, pc);
    }
}

// The same if the cell names something, and all of it is over.

extern "C" fn read_over<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words_over::<N>(address, cell, AccessKind::Read, pc);
}

extern "C" fn write_over<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words_over::<N>(address, cell, AccessKind::Write, pc);
}

#[inline(always)]
fn words_over<const N: usize>(address: usize, cell: Cell, kind: AccessKind, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !detect::detector().words_shortly::<N>(cell, address, kind, pc) {
        words_slow::<N>(address, kind, pc);
    }
}

#[inline(never)]
fn words_nearly<const N: usize>(address: usize, cell: Cell, kind: AccessKind, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !detect::detector().words_nearly::<N>(cell, address, kind, pc) {
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

/// The first cell of an access, and its address in `rcx` and twice `rax`.
macro_rules! cell {
    () => {
        "movabs rax, 0x3fffffffffc\n and rax, rdi\n movabs rcx, 0x100000000000\n mov r10, [rcx + rax*2]\n"
    };
}

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
        "mov edx, [rcx + rax*2 + 4]\n cmp edx, r10d\n cmovl edx, r10d\n cmp edx, [rip + {now}]\n jl 3f\n"
    };
    ($several:tt) => {
        "mov edx, [rip + {now}]\n cmp [rcx + rax*2 + 4], edx\n jge 2f\n cmp r10d, edx\n jl 3f\n"
    };
}

/// The same for a part of a word: if not, it goes on.
macro_rules! is_part_read {
    () => {
        "mov edx, [rcx + rax*2 + 4]\n cmp edx, r10d\n cmovl edx, r10d\n cmp edx, [rip + {now}]\n jl 3f\n 2:\n ret\n \
         3:\n mov edx, [rip + {now} + {first_set}]\n cmp [rcx + rax*2 + 4], edx\n jae 2b\n"
    };
}

/// Returns if the running step has written the cell, and nobody has read it since.
macro_rules! is_written {
    () => {
        "cmp r10d, [rip + {now}]\n jl 3f\n cmp dword ptr [rcx + rax*2 + 4], 0\n jne 3f\n ret\n 3:\n"
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

/// Puts `rsi` into the cells.
macro_rules! put {
    (1) => {
        "mov [rcx + rax*2], rsi\n"
    };
    (2) => {
        "mov [rcx + rax*2], rsi\n mov [rcx + rax*2 + 8], rsi\n"
    };
    (4) => {
        "mov [rcx + rax*2], rsi\n mov [rcx + rax*2 + 8], rsi\n \
         mov [rcx + rax*2 + 16], rsi\n mov [rcx + rax*2 + 24], rsi\n"
    };
}

/// What becomes of a cell whose accesses are over, from what is known of this one.
macro_rules! all_over {
    (read) => {
        "mov esi, r10d\n or rsi, [r9 + r8 + {last_after}]\n"
    };
    (write) => {
        "mov rsi, [r9 + r8 + {last_after}]\n"
    };
}

/// The end of an entry point of whole words. They are not done, all have the cell in `r10`, and the return address is in `rdx`: they become what the
/// last access from here has made of a cell whose accesses are over, or of such a cell ([`detector::changes`](crate::detect::detector::changes)). If that is
/// not known, the cell is the second argument of what comes next. Readers that are not over, or a set of them, are looked at `beyond`. At `4` are those
/// that are no such words.
macro_rules! as_before {
    ($kind:ident $cells:tt $size:literal $beyond:literal) => {
        concat!(
            "mov esi, [rip + {now} + {over}]\n cmp [rcx + rax*2 + 4], esi\n ja ",
            $beyond,
            "f\n cmp r10d, esi\n ja 8f\n test r10, r10\n jz 8f\n",
            "lea r8, [rdx*8]\n and r8d, {last_mask}\n lea r9, [rip + {last}]\n cmp [r9 + r8], rdx\n jne 9f\n",
            "mov rsi, [rip + {now}]\n cmp [r9 + r8 + {last_when}], rsi\n jne 9f\n",
            all_over!($kind),
            put!($cells),
            "ret\n",
            "9:\n mov rsi, r10\n jmp {all_over}\n",
            "8:\n",
            "movabs r8, {mix}\n imul r8, r10\n shr r8, {shift}\n lea r8, [r8 + rdx*8]\n and r8d, {mask}\n",
            "lea r9, [rip + {changes}]\n",
            "cmp [r9 + r8], rdx\n jne 7f\n cmp [r9 + r8 + {before}], r10\n jne 7f\n",
            "mov rsi, [rip + {now}]\n cmp [r9 + r8 + {when}], rsi\n jne 7f\n",
            "mov rsi, [r9 + r8 + {after}]\n",
            put!($cells),
            "ret\n",
            "7:\n mov rsi, r10\n jmp {words}\n",
            "4:\n mov esi, ",
            $size,
            "\n mov rdx, [rsp]\n jmp {slow}\n",
        )
    };
}

/// An entry point of whole words: at first what returns if they are done, and behind the rest what only some have, with its operands.
macro_rules! entry_point {
    (
        $name:ident $kind:ident $alignment:ident $cells:tt $size:literal $words:ident $all_over:ident $slow:ident
        [$($first:expr),*] $beyond:literal [$($behind:expr),*] $($operands:tt)*
    ) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                aligned!($alignment),
                cell!(),
                alike!($cells),
                $($first,)*
                "mov rdx, [rsp]",
                as_before!($kind $cells $size $beyond),
                $($behind,)*
                mix = const MIX,
                shift = const SHIFT,
                mask = const MASK,
                changes = sym CHANGES,
                before = const BEFORE,
                when = const WHEN,
                over = const OVER,
                last = sym LAST,
                last_mask = const last::MASK,
                last_when = const last::WHEN,
                last_after = const last::AFTER,
                after = const AFTER,
                now = sym NOW,
                words = sym $words::<$cells>,
                all_over = sym $all_over::<$cells>,
                slow = sym $slow,
                $($operands)*
            )
        }
    };
}

macro_rules! reads {
    ($($name:ident $alignment:ident $cells:tt $size:literal;)*) => { $(
        entry_point! {
            $name read $alignment $cells $size read_words read_over read_slow
            [is_read!($cells), "2:", "ret", "3:"] "5"
            // If it is a set of readers this step may be the last of them; if not, one of them may stand for it.
            [
                "5:",
                "test r10, r10",
                "jns 8b",
                "mov edx, [rip + {now} + {first_set}]",
                "cmp [rcx + rax*2 + 4], edx",
                "jae 2b",
                "cmp dword ptr [rip + {now} + {left}], 0",
                "mov rdx, [rsp]",
                "je 8b",
                "mov rsi, r10",
                "jmp {nearly}"
            ]
            first_set = const FIRST_SET,
            left = const LEFT,
            nearly = sym read_nearly::<$cells>,
        }
    )* };
}

macro_rules! writes {
    ($($name:ident $alignment:ident $cells:tt $size:literal;)*) => { $(
        entry_point! { $name write $alignment $cells $size write_words write_over write_slow [is_written!()] "8" [] }
    )* };
}

/// Parts of a word.
macro_rules! parts {
    ($($name:ident $is_done:ident $size:literal $slow:ident $($set:ident)?;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                cell!(),
                $is_done!(),
                concat!("mov esi, ", $size),
                "mov rdx, [rsp]",
                "jmp {slow}",
                now = sym NOW,
                $(first_set = const $set,)?
                slow = sym $slow,
            )
        }
    )* };
}

reads! {
    __tsan_read4 always 1 4;
    __tsan_read8 always 2 8;
    __tsan_read16 always 4 16;
    __tsan_unaligned_read4 perhaps 1 4;
    __tsan_unaligned_read8 perhaps 2 8;
    __tsan_unaligned_read16 perhaps 4 16;
    __tsan_volatile_read4 always 1 4;
    __tsan_volatile_read8 always 2 8;
    __tsan_volatile_read16 always 4 16;
    __tsan_vptr_read always 2 8;
}

writes! {
    __tsan_write4 always 1 4;
    __tsan_write8 always 2 8;
    __tsan_write16 always 4 16;
    __tsan_unaligned_write4 perhaps 1 4;
    __tsan_unaligned_write8 perhaps 2 8;
    __tsan_unaligned_write16 perhaps 4 16;
    __tsan_volatile_write4 always 1 4;
    __tsan_volatile_write8 always 2 8;
    __tsan_volatile_write16 always 4 16;
    __tsan_read_write4 always 1 4;
    __tsan_read_write8 always 2 8;
    __tsan_read_write16 always 4 16;
    __tsan_unaligned_read_write4 perhaps 1 4;
    __tsan_unaligned_read_write8 perhaps 2 8;
    __tsan_unaligned_read_write16 perhaps 4 16;
}

parts! {
    __tsan_read1 is_part_read 1 read_slow FIRST_SET;
    __tsan_read2 is_part_read 2 read_slow FIRST_SET;
    __tsan_volatile_read1 is_part_read 1 read_slow FIRST_SET;
    __tsan_volatile_read2 is_part_read 2 read_slow FIRST_SET;
    __tsan_write1 is_written 1 write_slow;
    __tsan_write2 is_written 2 write_slow;
    __tsan_volatile_write1 is_written 1 write_slow;
    __tsan_volatile_write2 is_written 2 write_slow;
    __tsan_read_write1 is_written 1 write_slow;
    __tsan_read_write2 is_written 2 write_slow;
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

pub(crate) extern "C" fn read_range(address: usize, size: usize, _: usize, pc: usize) {
    if is_memory(address, size) {
        read_slow(address, size, pc);
    }
}

pub(crate) extern "C" fn write_range(address: usize, size: usize, _: usize, pc: usize) {
    if is_memory(address, size) {
        write_slow(address, size, pc);
    }
}

extern "C" fn memcpy(to: *mut c_void, from: *const c_void, size: usize, pc: usize) -> *mut c_void {
    // The compiler copies structures with it, also onto themselves, so it must be able to move.
    memmove(to, from, size, pc)
}

extern "C" fn memmove(to: *mut c_void, from: *const c_void, size: usize, pc: usize) -> *mut c_void {
    if is_memory(from as usize, size) && is_memory(to as usize, size) {
        read_slow(from as usize, size, pc);
        write_slow(to as usize, size, pc);
    }
    // SAFETY: what the program asked for.
    unsafe { libc::memmove(to, from, size) }
}

extern "C" fn memset(to: *mut c_void, value: i32, size: usize, pc: usize) -> *mut c_void {
    if is_memory(to as usize, size) {
        write_slow(to as usize, size, pc);
    }
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
    detect::detector().contexts.enter(call);
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {
    detect::detector().contexts.leave();
}

/// Called by the constructor of every instrumented module.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    begin();
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_begin() {}
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_end() {}
