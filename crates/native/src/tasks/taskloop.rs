//! `taskloop`: a loop cut into tasks.
//!
//! The specification leaves the cut open, unless a clause is strict: with `num_tasks` any two
//! iterations may be in different tasks, with `grainsize` any two but those of the first and of the
//! last so many. Here each iteration is a task where it can begin one, up to a bound, so that a
//! dependence between any two of them shows. Beyond the bound several iterations share a task, and
//! the report says where. An execution of a search has a cut that the specification allows, another
//! one for each assignment of work to threads.

use crate::report;
use crate::tasks::explicit::{self, KmpTask, create, header};
use crate::tasks::explorer;
use crate::tasks::groups;
use crate::tasks::loops::part;
use crate::tasks::units::{self, Choice};
use std::ffi::c_void;

/// The compiler's function that copies what a task has of its own, and sets whether it is the last.
pub(crate) type Duplicate = extern "C" fn(*mut KmpTask, *mut KmpTask, i32);

/// The most tasks a loop is cut into where that is left open.
const MOST: u64 = 1024;

/// How a loop is cut into tasks: the first and the last one of sizes of their own, if these are not
/// 0, and between them some of about the same size.
struct Cut {
    count: u64,
    head: u64,
    tail: u64,
    parts: u64,
    /// All but the last have so many iterations.
    grain: Option<u64>,
    /// Iterations share a task that another cut would separate.
    joins: bool,
}

impl Cut {
    fn even(count: u64, parts: u64) -> Self {
        Cut { count, head: 0, tail: 0, parts, grain: None, joins: false }
    }

    /// Tasks of at least so many iterations, and less than twice as many.
    fn grains(count: u64, grain: u64) -> Self {
        let Some(open) = count.checked_sub(grain.saturating_mul(2)) else {
            return Cut::even(count, count.min(1));
        };
        if explorer::is_on() {
            let head = grain + Self::turned(count, grain.min(open + 1));
            return Cut { head, ..Cut::even(count, (count - head) / grain) };
        }
        let parts = open.min(MOST);
        Cut { head: grain, tail: grain, joins: parts < open, ..Cut::even(count, parts) }
    }

    /// At most so many tasks, of any sizes.
    fn tasks(count: u64, tasks: u64) -> Self {
        if tasks < 2 || tasks == count && count <= MOST {
            return Cut::even(count, tasks);
        }
        if explorer::is_on() && tasks < count {
            let head = 1 + Self::turned(count, count - tasks + 1);
            return Cut { head, ..Cut::even(count, tasks - 1) };
        }
        let parts = count.min(MOST);
        Cut { joins: parts < count, ..Cut::even(count, parts) }
    }

    /// A number below a bound, another one for each assignment of work to threads.
    fn turned(count: u64, below: u64) -> u64 {
        let below = u32::try_from(below).unwrap_or(u32::MAX);
        units::turn(Choice::Cut(count), below).into()
    }

    fn tasks_at_ends(&self) -> [u64; 2] {
        [self.head, self.tail].map(|size| u64::from(size > 0))
    }

    fn number(&self) -> u64 {
        self.parts + self.tasks_at_ends().iter().sum::<u64>()
    }

    /// The iterations of a task: from and to.
    fn task(&self, number: u64) -> (u64, u64) {
        let &Cut { count, head, tail, parts, grain, .. } = self;
        let [before, _] = self.tasks_at_ends();
        if let Some(grain) = grain {
            (number * grain, (number + 1).saturating_mul(grain).min(count))
        } else if number < before {
            (0, head)
        } else if number == before + parts {
            (count - tail, count)
        } else {
            let (from, to) = part(count - head - tail, number - before, parts);
            (head + from, head + to)
        }
    }
}

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
    let cut = match schedule {
        _ if !condition => Cut::even(count, count.min(1)),
        1 if is_strict => Cut { grain: Some(grain.max(1)), ..Cut::even(count, count.div_ceil(grain.max(1))) },
        1 => Cut::grains(count, grain.max(1)),
        2 if is_strict => Cut::even(count, grain.max(1).min(count)),
        2 => Cut::tasks(count, grain.max(1).min(count)),
        _ => Cut::tasks(count, count),
    };
    if cut.joins {
        report::together(pc);
    }
    let tasks = cut.number();
    for number in 0..tasks {
        let (from, to) = cut.task(number);
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
