//! Taskgroups, and the reductions of the tasks in them.
//!
//! A task that takes part in a reduction gets a copy of its own, made when it first asks; at the
//! end of the group all copies are combined into the original, in the order in which they were
//! made.

use crate::detect::detector;
use crate::process;
use crate::tasks::omp::scope;
use crate::tasks::sched::{self, wait};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;

#[derive(Default)]
pub(crate) struct Group {
    pub(crate) cancelled: Cell<bool>,
    reductions: RefCell<Vec<Reduction>>,
}

/// `kmp_taskred_input_t`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Item {
    shared: *mut c_void,
    original: *mut c_void,
    size: usize,
    init: Option<extern "C" fn(*mut c_void, *mut c_void)>,
    fini: Option<extern "C" fn(*mut c_void)>,
    combine: Option<extern "C" fn(*mut c_void, *mut c_void)>,
    flags: u32,
}

/// In bytes.
const CACHE_LINE: usize = 64;

struct Reduction {
    item: Item,
    /// Whose, and where.
    copies: Vec<(u64, usize)>,
}

/// The running task begins a group.
pub(crate) fn begin() {
    open();
    if sched::job().is_some() {
        wait(|kernel| kernel.finish_begin().map(drop));
        scope().begin_group();
    }
}

/// The running task is in another group, which is not waited for at its end.
pub(crate) fn open() {
    scope().groups.push(Rc::default());
}

/// The running task ends its innermost group.
pub(crate) fn end() {
    if sched::job().is_some() {
        wait(|kernel| kernel.finish_end());
        scope().end_group();
    }
    combine();
}

/// Combines what the tasks of the innermost group have, and leaves it.
pub(crate) fn combine() {
    let Some(group) = scope().groups.pop() else { return };
    for reduction in group.reductions.take() {
        let Item { shared, combine, fini, .. } = reduction.item;
        for (_, copy) in reduction.copies {
            let copy = copy as *mut c_void;
            if let Some(combine) = combine {
                combine(shared, copy);
            }
            if let Some(fini) = fini {
                fini(copy);
            }
            process::plain_free(copy);
        }
    }
}

/// Adds reductions to the innermost group.
pub(crate) fn add(items: &[Item]) -> *mut c_void {
    let Some(group) = scope().groups.last() else { return std::ptr::null_mut() };
    let reductions = items.iter().map(|&item| Reduction { item, copies: Vec::new() });
    group.reductions.borrow_mut().extend(reductions);
    Rc::as_ptr(group).cast_mut().cast()
}

/// The running task's copy of a variable that its group reduces.
pub(crate) fn copy_of(group: *mut c_void, data: *mut c_void) -> *mut c_void {
    let task = detector().identity();
    let groups = scope().groups.clone();
    let asked = |other: &Rc<Group>| group.is_null() || Rc::as_ptr(other).cast_mut().cast() == group;
    for group in groups.iter().rev().filter(|group| asked(group)).chain(groups.iter().rev()) {
        let mut reductions = group.reductions.borrow_mut();
        for reduction in reductions.iter_mut() {
            let item = reduction.item;
            let is_in = |at: usize| (at..at + item.size.max(1)).contains(&(data as usize));
            let own = is_in(item.shared as usize)
                || (!item.original.is_null() && is_in(item.original as usize))
                || reduction.copies.iter().any(|&(_, copy)| is_in(copy));
            if !own {
                continue;
            }
            if let Some(&(_, copy)) = reduction.copies.iter().rev().find(|&&(of, _)| of == task) {
                return copy as *mut c_void;
            }
            // clang 19 takes an array section of constant length for one element. Cache lines of
            // its own, as each copy has with libomp, hold the sections that work there.
            let size = item.size.max(1).next_multiple_of(CACHE_LINE);
            let copy = process::plain_malloc(size);
            detector().allocated(copy as usize, size);
            // SAFETY: just allocated with that size.
            unsafe { std::ptr::write_bytes(copy.cast::<u8>(), 0, size) };
            reduction.copies.push((task, copy as usize));
            drop(reductions);
            if let Some(init) = item.init {
                let original = if item.original.is_null() { item.shared } else { item.original };
                init(copy, original);
            }
            return copy;
        }
    }
    data
}
