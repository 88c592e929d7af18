//! The entry points of plain accesses: one template in assembly, for every size and kind.
//!
//! | step | decides | goes on with |
//! | --- | --- | --- |
//! | `aligned` | an address that is no multiple of four | `slow` |
//! | `cell`, `alike` | loads the shadow cell; all cells of the access must be alike | `slow` |
//! | `is_read`, `is_written` | *same-epoch hit*: the running step is the last reader or the writer; a write also needs that nobody has read since | return, or `first` |
//! | `watermark` | every access that the cell names is below the happens-before watermark: the cell becomes what the last access from this program counter has made of such a cell (`last_ids.rs`) | return, or `watermark_miss` |
//! | `transition` | this cell was seen at this program counter in this step: per-PC cache of shadow transitions (`transitions.rs`) | return, or `transition_miss` |
//! | `readers` | reads only: the cell names a set of readers that the step has made, or one whose representative may subsume this reader | return, `transition`, or `read_nearly` |
//!
//! A miss jumps to a function of [`super`] with the cell as the second argument and the return
//! address as the third.
//!
//! Registers: `rdi` address, `rcx + 2·rax` address of the first cell, `r10` the cell, `edx` scratch
//! and then `rdx` the return address, `r8` and `r9` place in a cache, `rsi` the cell that is
//! stored. All are the caller's to save, so nothing is spilled. The budget of each path is in
//! `native_budget.rs`; `SameEpoch.cpp` of the pass has the same-epoch test inline, in loops.

use super::{
    read_below_watermark, read_nearly, read_part, read_slow, read_words, write_below_watermark, write_part,
    write_slow, write_words,
};
use crate::detect::detector::last_ids::{self, LAST_IDS};
use crate::detect::detector::transitions::{self, TRANSITIONS};
use crate::detect::now::{FIRST_SET, NOW, SKIPS, WATERMARK};
use crate::detect::shadow::{self, Cell};
use std::arch::naked_asm;
use std::mem::offset_of;

/// The template compares both halves of a cell, and loads it whole.
const READERS: usize = offset_of!(Cell, readers);
const _: () = assert!(offset_of!(Cell, writer) == 0 && READERS == 4 && size_of::<Cell>() == 8);

/// The labels of the template: `at!` is where one stands, `to!` a jump forward to it, `back!` one
/// back. They are numbers to the assembler, which looks for the nearest: a name would have to be
/// another one in every entry point.
macro_rules! label {
    (done) => {
        "2"
    };
    (first) => {
        "3"
    };
    (slow) => {
        "4"
    };
    (readers) => {
        "5"
    };
    (transition_miss) => {
        "7"
    };
    (transition) => {
        "8"
    };
    (watermark_miss) => {
        "9"
    };
}
macro_rules! at {
    ($name:ident) => {
        concat!(label!($name), ":\n")
    };
}
macro_rules! to {
    ($name:ident) => {
        concat!(label!($name), "f\n")
    };
}
macro_rules! back {
    ($name:ident) => {
        concat!(label!($name), "b\n")
    };
}

/// Sends an address that is no multiple of four to the slow path.
macro_rules! aligned {
    (always) => {
        ""
    };
    (perhaps) => {
        concat!("test dil, 3\n jnz ", to!(slow))
    };
}

/// Loads the first cell, whose address is computed as in `shadow::cell`.
macro_rules! cell {
    () => {
        "movabs rax, {mask}\n and rax, rdi\n movabs rcx, {base}\n mov r10, [rcx + rax*2]\n"
    };
}

/// Compares further cells with the first.
macro_rules! alike {
    (1) => {
        ""
    };
    (2) => {
        concat!("cmp r10, [rcx + rax*2 + 8]\n jne ", to!(slow))
    };
    (4) => {
        concat!(
            alike!(2),
            "cmp r10, [rcx + rax*2 + 16]\n jne ",
            to!(slow),
            "cmp r10, [rcx + rax*2 + 24]\n jne ",
            to!(slow),
        )
    };
}

/// Same-epoch test of a read. Of one cell without a branch on which of the two it is: in the loops
/// of a sort nobody can predict that. Of several that would be an instruction more.
macro_rules! is_read {
    (1) => {
        concat!(
            "mov edx, [rcx + rax*2 + {readers}]\n cmp edx, r10d\n cmovl edx, r10d\n",
            "cmp edx, [rip + {now}]\n jl ",
            to!(first),
        )
    };
    ($several:tt) => {
        concat!(
            "mov edx, [rip + {now}]\n cmp [rcx + rax*2 + {readers}], edx\n jge ",
            to!(done),
            "cmp r10d, edx\n jl ",
            to!(first),
        )
    };
}

/// Same-epoch test of a write.
macro_rules! is_written {
    () => {
        concat!(
            "cmp r10d, [rip + {now}]\n jl ",
            to!(first),
            "cmp dword ptr [rcx + rax*2 + {readers}], 0\n jne ",
            to!(first),
            "ret\n",
            at!(first),
        )
    };
}

/// Same-epoch test of a read of a part of a word, also by the last of a set of readers.
macro_rules! is_part_read {
    () => {
        concat!(
            is_read!(1),
            at!(done),
            "ret\n",
            at!(first),
            "mov edx, [rip + {now} + {first_set}]\n cmp [rcx + rax*2 + {readers}], edx\n jae ",
            back!(done),
        )
    };
}

/// Stores `rsi` into the cells.
macro_rules! store {
    (1) => {
        "mov [rcx + rax*2], rsi\n"
    };
    (2) => {
        concat!(store!(1), "mov [rcx + rax*2 + 8], rsi\n")
    };
    (4) => {
        concat!(store!(2), "mov [rcx + rax*2 + 16], rsi\n mov [rcx + rax*2 + 24], rsi\n")
    };
}

/// What becomes of a cell whose accesses are below the watermark: a read keeps the writer.
macro_rules! after_watermark {
    (read) => {
        "mov esi, r10d\n or rsi, [r9 + r8 + {last_ids_after}]\n"
    };
    (write) => {
        "mov rsi, [r9 + r8 + {last_ids_after}]\n"
    };
}

/// The cell's accesses are compared with the watermark; readers beyond it are looked at `beyond`.
macro_rules! watermark {
    ($kind:ident $cells:tt $beyond:ident) => {
        concat!(
            "mov esi, [rip + {now} + {watermark}]\n cmp [rcx + rax*2 + {readers}], esi\n ja ",
            to!($beyond),
            "cmp r10d, esi\n ja ",
            to!(transition),
            "test r10, r10\n jz ",
            to!(transition),
            "lea r8, [rdx*8]\n and r8d, {last_ids_mask}\n lea r9, [rip + {last_ids}]\n",
            "cmp [r9 + r8], rdx\n jne ",
            to!(watermark_miss),
            "mov rsi, [rip + {now}]\n cmp [r9 + r8 + {last_ids_when}], rsi\n jne ",
            to!(watermark_miss),
            after_watermark!($kind),
            store!($cells),
            "ret\n",
            at!(watermark_miss),
            "mov rsi, r10\n jmp {after_watermark}\n",
        )
    };
}

/// The cell is looked up in the per-PC cache of transitions.
macro_rules! transition {
    ($cells:tt) => {
        concat!(
            at!(transition),
            "movabs r8, {mix}\n imul r8, r10\n shr r8, {shift}\n lea r8, [r8 + rdx*8]\n and r8d, {transitions_mask}\n",
            "lea r9, [rip + {transitions}]\n",
            "cmp [r9 + r8], rdx\n jne ", to!(transition_miss),
            "cmp [r9 + r8 + {before}], r10\n jne ", to!(transition_miss),
            "mov rsi, [rip + {now}]\n cmp [r9 + r8 + {when}], rsi\n jne ", to!(transition_miss),
            "mov rsi, [r9 + r8 + {after}]\n", store!($cells), "ret\n",
            at!(transition_miss), "mov rsi, r10\n jmp {words}\n",
        )
    };
}

/// What is no aligned word, or has cells that differ.
macro_rules! slow {
    ($size:literal) => {
        concat!(at!(slow), "mov esi, ", $size, "\n mov rdx, [rsp]\n jmp {slow}\n")
    };
}

/// Readers beyond the watermark. If they are a set, this step may be the last of them; if not, one
/// of them may subsume it.
macro_rules! readers {
    () => {
        concat!(
            at!(readers),
            "test r10, r10\n jns ",
            back!(transition),
            "mov edx, [rip + {now} + {first_set}]\n cmp [rcx + rax*2 + {readers}], edx\n jae ",
            back!(done),
            "cmp dword ptr [rip + {now} + {left}], 0\n mov rdx, [rsp]\n je ",
            back!(transition),
            "mov rsi, r10\n jmp {nearly}\n",
        )
    };
}

/// An entry point of whole words: `same_epoch` returns if they are done, and `behind` the rest is
/// what only some have, with its operands.
macro_rules! whole_words {
    (
        $name:ident $kind:ident $alignment:ident $cells:tt $size:literal $words:ident $after_watermark:ident $slow:ident
        [$($same_epoch:expr),*] $beyond:ident [$($behind:expr),*] $($operands:tt)*
    ) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                aligned!($alignment),
                cell!(),
                alike!($cells),
                $($same_epoch,)*
                "mov rdx, [rsp]",
                watermark!($kind $cells $beyond),
                transition!($cells),
                slow!($size),
                $($behind,)*
                mask = const shadow::ADDRESS_MASK,
                base = const shadow::BASE,
                readers = const READERS,
                now = sym NOW,
                watermark = const WATERMARK,
                last_ids = sym LAST_IDS,
                last_ids_mask = const last_ids::MASK,
                last_ids_when = const last_ids::WHEN,
                last_ids_after = const last_ids::AFTER,
                transitions = sym TRANSITIONS,
                transitions_mask = const transitions::MASK,
                mix = const transitions::MIX,
                shift = const transitions::SHIFT,
                before = const transitions::BEFORE,
                when = const transitions::WHEN,
                after = const transitions::AFTER,
                words = sym $words::<$cells>,
                after_watermark = sym $after_watermark::<$cells>,
                slow = sym $slow,
                $($operands)*
            )
        }
    };
}

macro_rules! reads {
    ($($name:ident $alignment:ident $cells:tt $size:literal;)*) => { $(
        whole_words! {
            $name read $alignment $cells $size read_words read_below_watermark read_slow
            [is_read!($cells), at!(done), "ret", at!(first)] readers [readers!()]
            first_set = const FIRST_SET,
            left = const SKIPS,
            nearly = sym read_nearly::<$cells>,
        }
    )* };
}

macro_rules! writes {
    ($($name:ident $alignment:ident $cells:tt $size:literal;)*) => { $(
        whole_words! {
            $name write $alignment $cells $size write_words write_below_watermark write_slow [is_written!()] transition []
        }
    )* };
}

/// Parts of a word have a fast path where the whole word is done.
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
                mask = const shadow::ADDRESS_MASK,
                base = const shadow::BASE,
                readers = const READERS,
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
    __tsan_read1 is_part_read 1 read_part FIRST_SET;
    __tsan_read2 is_part_read 2 read_part FIRST_SET;
    __tsan_volatile_read1 is_part_read 1 read_part FIRST_SET;
    __tsan_volatile_read2 is_part_read 2 read_part FIRST_SET;
    __tsan_write1 is_written 1 write_part;
    __tsan_write2 is_written 2 write_part;
    __tsan_volatile_write1 is_written 1 write_part;
    __tsan_volatile_write2 is_written 2 write_part;
    __tsan_read_write1 is_written 1 write_part;
    __tsan_read_write2 is_written 2 write_part;
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
