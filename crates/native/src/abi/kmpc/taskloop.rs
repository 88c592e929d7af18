//! The entry points of `taskloop` ([`taskloop`]).

use super::{Loc, caller, entry};
use crate::tasks::explicit::KmpTask;
use crate::tasks::taskloop::{self, Duplicate, Taskloop};

entry! {
    __kmpc_taskloop => taskloop_4;
    __kmpc_taskloop_5 => taskloop_5;
}

/// What the compiler passes for `strict:`.
const STRICT: i32 = 1;

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn taskloop_4(
    _: Loc,
    _: i32,
    task: *mut KmpTask,
    condition: i32,
    lower: *mut u64,
    upper: *mut u64,
    stride: i64,
    no_group: i32,
    schedule: i32,
    grain: u64,
    duplicate: Option<Duplicate>,
) {
    let (condition, no_group) = (condition != 0, no_group != 0);
    let construct = Taskloop {
        task,
        condition,
        lower,
        upper,
        stride,
        no_group,
        schedule,
        grain,
        is_strict: false,
        duplicate,
    };
    // SAFETY: the compiler passes a task of `__kmpc_omp_task_alloc` and its bounds.
    unsafe { taskloop::run(construct, caller()) };
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn taskloop_5(
    _: Loc,
    _: i32,
    task: *mut KmpTask,
    condition: i32,
    lower: *mut u64,
    upper: *mut u64,
    stride: i64,
    no_group: i32,
    schedule: i32,
    grain: u64,
    modifier: i32,
    duplicate: Option<Duplicate>,
) {
    let (condition, no_group) = (condition != 0, no_group != 0);
    let construct = Taskloop {
        task,
        condition,
        lower,
        upper,
        stride,
        no_group,
        schedule,
        grain,
        is_strict: modifier == STRICT,
        duplicate,
    };
    // SAFETY: the compiler passes a task of `__kmpc_omp_task_alloc` and its bounds.
    unsafe { taskloop::run(construct, caller()) };
}
