//! Taskgroups, and the reductions of the tasks in them.
//!
//! A task that takes part in a reduction gets a copy of its own, made when it first asks; at the end of the group all
//! copies are combined into the original, in the order in which they were made.

use super::{Loc, entry};
use crate::abi::interpose;
use crate::tasks::omp::scope;
use crate::tasks::sched::{self, wait};
use crate::world;
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

struct Reduction {
    item: Item,
    /// Whose, and where.
    copies: Vec<(u64, usize)>,
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_taskgroup(_: Loc, _: i32) {
    scope().groups.push(Rc::default());
    if sched::job().is_some() {
        wait(|kernel| kernel.finish_begin().map(drop));
        scope().begin_group();
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_taskgroup(_: Loc, _: i32) {
    if sched::job().is_some() {
        wait(|kernel| kernel.finish_end());
        scope().end_group();
    }
    combine();
}

/// Combines what the tasks of the innermost group have, and leaves it.
fn combine() {
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
            interpose::plain_free(copy);
        }
    }
}

fn add(count: i32, items: *const Item) -> *mut c_void {
    // SAFETY: the compiler passes an array of that length.
    let items = unsafe { std::slice::from_raw_parts(items, count.max(0) as usize) };
    let Some(group) = scope().groups.last() else { return std::ptr::null_mut() };
    let reductions = items.iter().map(|&item| Reduction { item, copies: Vec::new() });
    group.reductions.borrow_mut().extend(reductions);
    Rc::as_ptr(group).cast_mut().cast()
}

entry! { __kmpc_task_reduction_get_th_data => th_data; }

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_taskred_init(_: i32, count: i32, items: *const Item) -> *mut c_void {
    add(count, items)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_reduction_init(_: i32, count: i32, items: *const Item) -> *mut c_void {
    add(count, items)
}

/// `reduction(task, …)` on a parallel or worksharing construct: what the tasks that a thread creates there have, it adds to its
/// own part. There may be barriers inside, so this is no group that is waited for, but ends with a barrier.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_taskred_modifier_init(
    _: Loc,
    _: i32,
    _worksharing: i32,
    count: i32,
    items: *const Item,
) -> *mut c_void {
    scope().groups.push(Rc::default());
    add(count, items)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_reduction_modifier_init(
    loc: Loc,
    thread: i32,
    worksharing: i32,
    count: i32,
    items: *const Item,
) -> *mut c_void {
    __kmpc_taskred_modifier_init(loc, thread, worksharing, count, items)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_reduction_modifier_fini(_: Loc, _: i32, _worksharing: i32) {
    crate::tasks::omp::barrier();
    combine();
}

/// The running task's copy of a variable that its group reduces.
extern "C" fn th_data(_: i32, group: *mut c_void, data: *mut c_void) -> *mut c_void {
    let task = world().detector.identity();
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
            let copy = interpose::plain_malloc(item.size.max(1));
            world().detector.allocated(copy as usize, item.size);
            // SAFETY: just allocated with that size.
            unsafe { std::ptr::write_bytes(copy.cast::<u8>(), 0, item.size) };
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
