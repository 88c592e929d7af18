//! Atomic operations themselves, by the size of what they access, after [`atomics`](super) has
//! decided what they order. One OS thread runs the program, so a plain access is atomic.

use super::*;
use crate::process::call_site::caller;
use crate::process::is_shared;
use crate::tasks::{repeats, standard};

macro_rules! operations {
    ($($module:ident $type:ident;)*) => { $(
        pub(crate) mod $module {
            use super::*;
            const SIZE: usize = size_of::<$type>();
            /// Parts of words have no fast path, nor has what no lock is made of.
            const HAS_FAST_PATH: bool = SIZE == 4 || SIZE == 8;
            const WORDS: usize = SIZE.div_ceil(4);

            pub(crate) extern "C" fn load_it(at: *const $type, order: MemoryOrder, pc: usize) -> $type {
                if HAS_FAST_PATH && is_loaded_again::<WORDS>(at as usize) {
                    // SAFETY: the program passes a valid pointer, for this.
                    return unsafe { at.read_volatile() };
                }
                load_medium(at, order, pc)
            }
            #[inline(never)]
            fn load_medium(at: *const $type, order: MemoryOrder, pc: usize) -> $type {
                if !HAS_FAST_PATH || !is_plain_load(at as usize) {
                    return load_slow(at, order, pc);
                }
                // No search is on, and so there are no steps of its own.
                if look(at as usize, sched::kernel().steps()) {
                    return load_later(at, order, pc);
                }
                if !detector().atomic_words::<WORDS>(at as usize, AccessKind::Read, pc) {
                    return load_at_last(at, order, pc);
                }
                // SAFETY: the program passes a valid pointer, to be read.
                unsafe { at.read_volatile() }
            }
            #[inline(never)]
            fn load_slow(at: *const $type, order: MemoryOrder, pc: usize) -> $type {
                repeats::arrived(pc, [at as u128, 0, 0]);
                spin(at as usize);
                load_at_last(at, order, pc)
            }
            /// What was found out before is void: others have run.
            #[cold]
            fn load_later(at: *const $type, order: MemoryOrder, pc: usize) -> $type {
                pass_if_waiting();
                load_at_last(at, order, pc)
            }
            fn load_at_last(at: *const $type, order: MemoryOrder, pc: usize) -> $type {
                explorer::atomic(at as usize, SIZE, AccessKind::Read, pc);
                busy::looks(at as usize, SIZE);
                load_now(at as usize, SIZE, order, pc);
                // SAFETY: the program passes a valid pointer, to be read.
                let value = unsafe { at.read_volatile() };
                unobserved::looked(at as usize, SIZE);
                value
            }
            pub(crate) extern "C" fn store_it(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) {
                if !HAS_FAST_PATH || !is_stored_again::<WORDS>(at as usize, order) {
                    return store_medium(at, value, order, pc);
                }
                // SAFETY: the program passes a valid pointer, to be written.
                unsafe { at.write_volatile(value) }
            }
            #[inline(never)]
            fn store_medium(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) {
                let is_slow = !HAS_FAST_PATH || !try_store_medium::<WORDS>(at as usize, order, pc);
                if is_slow {
                    store(at as usize, SIZE, order, pc);
                }
                // SAFETY: the program passes a valid pointer, to be written.
                unsafe { at.write_volatile(value) }
                if is_slow {
                    busy::wrote(at as usize);
                }
            }
            #[inline(always)]
            fn modify(at: *mut $type, order: MemoryOrder, pc: usize, with: impl FnOnce($type) -> $type) -> $type {
                if !HAS_FAST_PATH || !is_stored_again::<WORDS>(at as usize, order) {
                    return modify_medium(at, order, pc, with);
                }
                replace(at, with)
            }
            #[inline(never)]
            fn modify_medium(at: *mut $type, order: MemoryOrder, pc: usize, with: impl FnOnce($type) -> $type) -> $type {
                let is_slow = !HAS_FAST_PATH || !try_store_medium::<WORDS>(at as usize, order, pc);
                if is_slow {
                    update(at as usize, SIZE, order, pc);
                }
                let before = replace(at, with);
                if is_slow {
                    busy::wrote(at as usize);
                }
                before
            }
            /// The read-modify-write itself.
            #[inline(always)]
            fn replace(at: *mut $type, with: impl FnOnce($type) -> $type) -> $type {
                // SAFETY: the program passes a valid pointer, to be read and written; one OS thread
                // runs all tasks, and none runs in between.
                unsafe {
                    let before = at.read_volatile();
                    at.write_volatile(with(before));
                    before
                }
            }
            pub(crate) extern "C" fn exchange_it(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) -> $type {
                repeats::arrived(pc, [at as u128, value.into(), 0]);
                spin(at as usize);
                let look = atomics().spins.last();
                if SIZE == 4 && is_shared() {
                    standard::exchanged(at as usize, value as u64, order.releases());
                }
                let before = modify(at, order, pc, |_| value);
                // A lock that is taken by exchange and is taken already.
                atomics().spins.set_last(look);
                before
            }
            pub(crate) extern "C" fn add_it(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) -> $type {
                modify(at, order, pc, |before| before.wrapping_add(value))
            }
            pub(crate) extern "C" fn sub_it(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) -> $type {
                if SIZE == 4 && is_shared() {
                    standard::released(at as usize);
                }
                modify(at, order, pc, |before| before.wrapping_sub(value))
            }
            pub(crate) extern "C" fn and_it(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) -> $type {
                modify(at, order, pc, |before| before & value)
            }
            pub(crate) extern "C" fn or_it(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) -> $type {
                modify(at, order, pc, |before| before | value)
            }
            pub(crate) extern "C" fn xor_it(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) -> $type {
                modify(at, order, pc, |before| before ^ value)
            }
            pub(crate) extern "C" fn nand_it(at: *mut $type, value: $type, order: MemoryOrder, pc: usize) -> $type {
                modify(at, order, pc, |before| !(before & value))
            }
            pub(crate) extern "C" fn compare_it(
                at: *mut $type, expected: *mut $type, value: $type, order: MemoryOrder, failed: MemoryOrder, pc: usize,
            ) -> i32 {
                // SAFETY: the program passes a valid pointer to the value that it expects.
                let wanted = unsafe { *expected };
                let before = compare(at, wanted, value, order, failed, pc);
                if before != wanted {
                    // SAFETY: the program passes a valid pointer to the value that it expects, to
                    // be written if it was another.
                    unsafe { *expected = before };
                }
                i32::from(before == wanted)
            }
            fn compare(at: *mut $type, wanted: $type, value: $type, order: MemoryOrder, failed: MemoryOrder, pc: usize) -> $type {
                // SAFETY: the program passes a valid pointer, to be read.
                let now = || unsafe { at.read_volatile() };
                detector().collect_within_turn();
                repeats::arrived(pc, [at as u128, wanted.into(), value.into()]);
                if now() != wanted {
                    spin(at as usize);
                }
                explorer::atomic_as(at as usize, SIZE, pc, || writes(now() == wanted));
                busy::looks(at as usize, SIZE);
                // Others may have run.
                let before = now();
                if before == wanted {
                    let is_done = HAS_FAST_PATH
                        && (is_stored_again::<WORDS>(at as usize, order)
                            || try_store_medium::<WORDS>(at as usize, order, pc));
                    if !is_done {
                        update_now(at as usize, SIZE, order, pc);
                    }
                    replace(at, |_| value);
                    if SIZE == 4 && wanted == 0 && is_shared() {
                        standard::taken(at as usize);
                    }
                } else {
                    load_now(at as usize, SIZE, unobserved::order_of_failure(failed), pc);
                }
                unobserved::looked(at as usize, SIZE);
                if before == wanted {
                    busy::wrote(at as usize);
                }
                before
            }
            pub(crate) extern "C" fn compare_val_it(
                at: *mut $type, wanted: $type, value: $type, order: MemoryOrder, failed: MemoryOrder, pc: usize,
            ) -> $type {
                compare(at, wanted, value, order, failed, pc)
            }
        }
    )* };
}
operations! {
    a8 u8;
    a16 u16;
    a32 u32;
    a64 u64;
    a128 u128;
}

pub(crate) extern "C" fn compare_wide(
    at: *mut u128,
    expected: *mut u128,
    value: u128,
    order: MemoryOrder,
    failed: MemoryOrder,
) -> i32 {
    a128::compare_it(at, expected, value, order, failed, caller())
}

pub(crate) extern "C" fn compare_wide_val(
    at: *mut u128,
    wanted: u128,
    value: u128,
    order: MemoryOrder,
    failed: MemoryOrder,
) -> u128 {
    a128::compare_val_it(at, wanted, value, order, failed, caller())
}

// The operations of the compiler's support library, for what has another size.

pub(crate) extern "C" fn generic_load(
    size: usize,
    from: *const u8,
    to: *mut u8,
    order: MemoryOrder,
    pc: usize,
) {
    load(from as usize, size, order, pc);
    // SAFETY: the program passes pointers to `size` bytes each, for this.
    unsafe { std::ptr::copy(from, to, size) };
}

pub(crate) extern "C" fn generic_store(
    size: usize,
    to: *mut u8,
    from: *const u8,
    order: MemoryOrder,
    pc: usize,
) {
    store(to as usize, size, order, pc);
    // SAFETY: the program passes pointers to `size` bytes each, for this.
    unsafe { std::ptr::copy(from, to, size) };
    busy::wrote(to as usize);
}

pub(crate) extern "C" fn generic_exchange(
    size: usize,
    at: *mut u8,
    value: *const u8,
    before: *mut u8,
    order: MemoryOrder,
    pc: usize,
) {
    update(at as usize, size, order, pc);
    // SAFETY: the program passes pointers to `size` bytes each, for this.
    unsafe {
        std::ptr::copy(at, before, size);
        std::ptr::copy(value, at, size);
    }
    busy::wrote(at as usize);
}

pub(crate) extern "C" fn generic_compare(
    size: usize,
    at: *mut u8,
    expected: *mut u8,
    desired: *const u8,
    success: MemoryOrder,
    failure: MemoryOrder,
) -> bool {
    let pc = caller();
    // SAFETY: the program's pointers, to `size` bytes each.
    let is_same =
        || unsafe { std::slice::from_raw_parts(at, size) == std::slice::from_raw_parts(expected, size) };
    if !is_same() {
        spin(at as usize);
    }
    explorer::atomic_as(at as usize, size, pc, || writes(is_same()));
    busy::looks(at as usize, size);
    let same = is_same();
    // SAFETY: the program's pointers, to `size` bytes each, which it passes to be written.
    unsafe {
        if same {
            update_now(at as usize, size, success, pc);
            std::ptr::copy(desired, at, size);
        } else {
            load_now(at as usize, size, failure, pc);
            std::ptr::copy(at, expected, size);
        }
    }
    busy::wrote(at as usize);
    same
}

/// A relaxed read-modify-write: the value before, and after.
pub(crate) fn update_relaxed<T: Copy>(at: *mut T, pc: usize, with: impl FnOnce(T) -> T) -> (T, T) {
    explorer::atomic(at as usize, size_of::<T>(), AccessKind::Write, pc);
    busy::looks(at as usize, size_of::<T>());
    detector().access(at as usize, size_of::<T>(), AccessKind::Write, Manner::Atomic, pc);
    // SAFETY: the program passes a valid pointer, for this.
    unsafe {
        let before = at.read_volatile();
        let after = with(before);
        at.write_volatile(after);
        busy::wrote(at as usize);
        (before, after)
    }
}
