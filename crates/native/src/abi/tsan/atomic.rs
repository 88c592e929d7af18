//! The entry points of atomic operations, `__tsan_atomic…` and `__atomic_…`. The compiler leaves
//! the operation itself to the runtime ([`atomics`](crate::tasks::atomics)).

use crate::process::call_site::{CALLER, NOTES_REGISTERS, PRESERVED};
use crate::tasks::atomics::operations::*;
use crate::tasks::atomics::{ATOMICS, Atomics, fence, spins};
use crate::tasks::busy;
use std::arch::naked_asm;
use std::mem::offset_of;

/// An entry point that adds the return address as the last argument.
macro_rules! stub {
    ($name:ident, $register:literal, $target:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {target}", target = sym $target)
        }
    };
}

/// An entry point that notes the return address, as constructs do.
macro_rules! noted {
    ($name:ident, $target:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!("mov rax, [rsp]", "mov [rip + {caller}], rax", "jmp {target}", caller = sym CALLER, target = sym $target)
        }
    };
}

/// The registers that calls preserve are noted in a search that asks for them: by these a task is
/// recognised that has come back to where it was (`tasks/repeats.rs`).
macro_rules! note_registers {
    () => {
        concat!(
            "cmp byte ptr [rip + {is_noted}], 0\n",
            "je 3f\n",
            "mov [rip + {preserved}], rbx\n",
            "mov [rip + {preserved} + 8], rbp\n",
            "mov [rip + {preserved} + 16], r12\n",
            "mov [rip + {preserved} + 24], r13\n",
            "mov [rip + {preserved} + 32], r14\n",
            "mov [rip + {preserved} + 40], r15\n",
            "mov [rip + {preserved} + 48], rsp\n",
            "3:",
        )
    };
}

/// An entry point by which a task may wait, likewise.
macro_rules! looking_stub {
    ($name:ident, $register:literal, $target:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                concat!("mov ", $register, ", [rsp]"),
                note_registers!(),
                "jmp {target}",
                is_noted = sym NOTES_REGISTERS,
                preserved = sym PRESERVED,
                target = sym $target,
            )
        }
    };
}

/// The fast path of loads of whole words: a same-epoch hit, of another location than the last load,
/// while no task has released anything. As `is_loaded_again`, which also knows where tasks have
/// released; without a call, in half the instructions. Where there are several cells they are
/// equal, as those of a pair are that share an access record.
macro_rules! load_stub {
    ($name:ident, $aligned:literal, [$($alike:literal),*], $result:literal, $target:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                "movabs rax, 0x3fffffffffc",
                "and rax, rdi",
                "movabs rcx, 0x100000000000",
                "mov r8d, [rcx + rax*2 + 4]",
                "cmp r8d, [rip + {now} + {epoch}]",
                "jb 2f",
                "cmp r8d, {last_epoch}",
                "ja 2f",
                $($alike,)*
                concat!("test dil, ", $aligned),
                "jnz 2f",
                "mov rdx, [rip + {atomics}]",
                "cmp qword ptr [rdx + {released}], 0",
                "jne 2f",
                "cmp [rdx + {looked_at}], rdi",
                "je 2f",
                "cmp dword ptr [rdx + {until}], 1",
                "je 2f",
                "mov [rdx + {looked_at}], rdi",
                "mov qword ptr [rdx + {steps}], {no_steps}",
                "dec dword ptr [rdx + {until}]",
                concat!("mov ", $result, ", [rdi]"),
                "ret",
                "2:",
                "mov rdx, [rsp]",
                note_registers!(),
                "jmp {target}",
                is_noted = sym NOTES_REGISTERS,
                preserved = sym PRESERVED,
                now = sym crate::detect::now::NOW,
                epoch = const crate::detect::now::EPOCH,
                last_epoch = const crate::detect::shadow::LAST_EPOCH as i32,
                atomics = sym ATOMICS,
                released = const offset_of!(Atomics, released.bits),
                looked_at = const offset_of!(Atomics, spins.last.address),
                steps = const offset_of!(Atomics, spins.last.steps),
                until = const offset_of!(Atomics, spins.until),
                no_steps = const spins::NO_STEPS as i64,
                target = sym $target,
            )
        }
    };
    ($name:ident a32) => {
        load_stub!($name, "3", [], "eax", a32::load_it);
    };
    ($name:ident a64) => {
        load_stub!(
            $name, "7", ["mov r8, [rcx + rax*2]", "cmp r8, [rcx + rax*2 + 8]", "jne 2f"], "rax", a64::load_it
        );
    };
    ($name:ident $part:ident) => {
        looking_stub!($name, "rdx", $part::load_it);
    };
}

macro_rules! entries {
    ($($module:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident $nand:ident
        $strong:ident $weak:ident $val:ident;)*) => { $(
        load_stub!($load $module);
        stub!($store, "rcx", $module::store_it);
        looking_stub!($exchange, "rcx", $module::exchange_it);
        stub!($add, "rcx", $module::add_it);
        stub!($sub, "rcx", $module::sub_it);
        stub!($and, "rcx", $module::and_it);
        stub!($or, "rcx", $module::or_it);
        stub!($xor, "rcx", $module::xor_it);
        stub!($nand, "rcx", $module::nand_it);
        looking_stub!($strong, "r9", $module::compare_it);
        looking_stub!($weak, "r9", $module::compare_it);
        looking_stub!($val, "r9", $module::compare_val_it);
    )* };
}

entries! {
    a8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub
        __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
        __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val;
    a16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
        __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor
        __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
        __tsan_atomic16_compare_exchange_val;
    a32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
        __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor
        __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
        __tsan_atomic32_compare_exchange_val;
    a64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
        __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor
        __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
        __tsan_atomic64_compare_exchange_val;
}

// Of sixteen bytes: the values take two registers each. There is none left for the return address
// of a compare and exchange, which is noted as for constructs.
stub!(__tsan_atomic128_load, "rdx", a128::load_it);
stub!(__tsan_atomic128_store, "r8", a128::store_it);
stub!(__tsan_atomic128_exchange, "r8", a128::exchange_it);
stub!(__tsan_atomic128_fetch_add, "r8", a128::add_it);
stub!(__tsan_atomic128_fetch_sub, "r8", a128::sub_it);
stub!(__tsan_atomic128_fetch_and, "r8", a128::and_it);
stub!(__tsan_atomic128_fetch_or, "r8", a128::or_it);
stub!(__tsan_atomic128_fetch_xor, "r8", a128::xor_it);
stub!(__tsan_atomic128_fetch_nand, "r8", a128::nand_it);
noted!(__tsan_atomic128_compare_exchange_strong, compare_wide);
noted!(__tsan_atomic128_compare_exchange_weak, compare_wide);
noted!(__tsan_atomic128_compare_exchange_val, compare_wide_val);

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(_: i32) {
    fence();
}

/// An iteration of a marked loop is over: of a function, which is the loop's by this number, and whether
/// it has something to leave to the next one.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_looked() {
    naked_asm!("mov rax, [rsp]", "mov [rip + {caller}], rax", "mov rcx, rsp", "jmp {target}",
        caller = sym CALLER, target = sym looked)
}

extern "C" fn looked(function: usize, number: usize, has: usize, stack: usize) {
    if ATOMICS.is_set() {
        busy::looked(loop_of(function, number), has != 0, stack);
    }
}

/// No function has so many of these loops.
fn loop_of(function: usize, number: usize) -> usize {
    function.wrapping_mul(1 << 12).wrapping_add(number)
}

/// A marked loop begins.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_looks(function: usize, number: usize) {
    if ATOMICS.is_set() {
        busy::begins(loop_of(function, number));
    }
}

/// An iteration of a marked loop leaves a value to the next one.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_look_value(value: u64) {
    if ATOMICS.is_set() {
        busy::leaves(value);
    }
}

/// And a local variable.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_look_at(address: usize, size: usize) {
    if ATOMICS.is_set() {
        busy::leaves_at(address, size);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: i32) {}

/// The generic operations of the compiler's support library, for what has no size of its own: with
/// `size` first.
macro_rules! generic {
    ($($name:ident, $register:literal, $target:ident;)*) => { $( stub!($name, $register, $target); )* };
}
generic! {
    __atomic_load, "r8", generic_load;
    __atomic_store, "r8", generic_store;
    __atomic_exchange, "r9", generic_exchange;
}

// `__atomic_compare_exchange(size, at, expected, desired, success, failure)`
noted!(__atomic_compare_exchange, generic_compare);
