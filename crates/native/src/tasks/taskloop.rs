//! `taskloop`: a loop cut into tasks.
//!
//! Without `grainsize` or `num_tasks` the specification leaves the cut open; here each iteration is
//! a task, up to a bound, so that a dependence between any two of them shows. Beyond the bound
//! several iterations share a task, and the report says where.

use crate::report;
use crate::tasks::explicit::{self, KmpTask, create, header};
use crate::tasks::groups;
use crate::tasks::loops::part;
use std::ffi::c_void;

/// The compiler's function that copies what a task has of its own, and sets whether it is the last.
pub(crate) type Duplicate = extern "C" fn(*mut KmpTask, *mut KmpTask, i32);

/// The most tasks a loop is cut into where that is left open.
const MOST: u64 = 1024;

/// A taskloop, as the compiler describes it.
pub(crate) struct Taskloop {
    pub(crate) task: *mut KmpTask,
    /// The `if` clause.
    pub(crate) condition: bool,
    /// The bounds are fields of the task.
    pub(crate) lower: *mut u64,
    pub(crate) upper: *mut u64,
    pub(crate) stride: i64,
    pub(crate) no_group: bool,
    /// 1 for `grainsize`, 2 for `num_tasks`, and its value.
    pub(crate) schedule: i32,
    pub(crate) grain: u64,
    /// Whether `grainsize` is strict: all tasks but the last have so many iterations.
    pub(crate) is_strict: bool,
    pub(crate) duplicate: Option<Duplicate>,
}

/// Creates the tasks of a loop, and waits for them unless it has `nogroup`.
///
/// # Safety
/// The task is one of [`allocate`](explicit::allocate) that has not run, laid out as the compiler
/// does for taskloops.
pub(crate) unsafe fn run(construct: Taskloop, pc: usize) {
    let Taskloop { task, condition, lower, upper, stride, no_group, schedule, grain, is_strict, duplicate } =
        construct;
    // SAFETY: the caller's promise: the bounds are fields of the task.
    let (first, last) = unsafe { (*lower, *upper) };
    let offsets = (lower as usize - task as usize, upper as usize - task as usize);
    // Bounds are 64 bits of an integer of either sign; differences are right for both.
    let span = if stride > 0 { last.wrapping_sub(first) } else { first.wrapping_sub(last) };
    let count = if (span as i64) < 0 && stride.unsigned_abs() == 1 && span > 1 << 62 {
        0
    } else {
        span / stride.unsigned_abs().max(1) + 1
    };
    if !no_group {
        groups::begin();
    }
    let tasks = match schedule {
        _ if !condition => 1,
        1 => count.div_ceil(grain.max(1)),
        2 => grain.clamp(1, count.max(1)),
        _ => count.min(MOST),
    };
    if condition && !matches!(schedule, 1 | 2) && tasks < count {
        report::together(pc);
    }
    let grain = grain.max(1);
    let is_strict = is_strict && schedule == 1 && condition;
    // A grain is a least size, unless it is strict: what does not fill a task of its own goes to
    // the others.
    let tasks = if schedule == 1 && !is_strict { (count / grain).max(1).min(tasks.max(1)) } else { tasks };
    for number in 0..tasks {
        let (from, to) = match is_strict {
            true => (number * grain, (number + 1).saturating_mul(grain).min(count)),
            false => part(count, number, tasks),
        };
        let is_last = number + 1 == tasks;
        let copy = duplicate_task(task);
        let at = |iteration: u64| first.wrapping_add(iteration.wrapping_mul(stride as u64));
        // SAFETY: the copy has the same layout as the task.
        unsafe {
            *((copy as usize + offsets.0) as *mut u64) = at(from);
            *((copy as usize + offsets.1) as *mut u64) = at(to.wrapping_sub(1));
        }
        if let Some(duplicate) = duplicate {
            duplicate(copy, task, i32::from(is_last));
        } else {
            // The flag that says "last" follows the stride, which follows the upper bound.
            // SAFETY: part of the task, as the compiler lays it out: lower, upper, stride, last.
            unsafe { *((copy as usize + offsets.1 + 16) as *mut i32) = i32::from(is_last) };
        }
        if !condition {
            explicit::run_here(copy);
        } else {
            create(copy, &[], pc);
        }
    }
    explicit::discard(task);
    if !no_group {
        groups::end();
    }
}

/// A copy of a task and of its shared pointers.
fn duplicate_task(task: *mut KmpTask) -> *mut KmpTask {
    let (flags, size, shareds) = {
        let header = header(task);
        (header.flags, header.size, header.shareds)
    };
    let copy = explicit::allocate(flags, shareds, size - shareds);
    // SAFETY: both have `size` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(task.cast::<u8>(), copy.cast::<u8>(), size);
        if size > shareds {
            (*copy).shareds = (copy as usize + shareds) as *mut c_void;
        }
    }
    copy
}
