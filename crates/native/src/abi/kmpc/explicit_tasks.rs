//! The entry points of explicit tasks ([`explicit`]).

use super::{Loc, caller, entry};
use crate::tasks::depend::{Dependence, gather};
use crate::tasks::explicit::{self, Event, KmpTask};
use crate::tasks::sched;
use std::ffi::c_void;

type Routine = extern "C" fn(i32, *mut KmpTask) -> i32;

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_alloc(
    _: Loc,
    _: i32,
    flags: i32,
    size: usize,
    shareds: usize,
    routine: Routine,
) -> *mut KmpTask {
    explicit::allocate_for(flags, size, shareds, routine)
}

/// `target nowait`
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_target_task_alloc(
    _: Loc,
    _: i32,
    flags: i32,
    size: usize,
    shareds: usize,
    routine: Routine,
    _device: i64,
) -> *mut KmpTask {
    let task = explicit::allocate_for(flags, size, shareds, routine);
    explicit::defer(task);
    task
}

entry! {
    __kmpc_omp_task => omp_task;
    __kmpc_omp_task_parts => omp_task;
    __kmpc_omp_task_with_deps => omp_task_with_deps;
    __kmpc_omp_task_begin_if0 => begin_if0;
    __kmpc_omp_taskwait => taskwait;
    __kmpc_omp_taskwait_deps_51 => taskwait_deps_51;
}

extern "C" fn omp_task(_: Loc, _: i32, task: *mut KmpTask) -> i32 {
    explicit::create(task, &[], caller());
    0
}

unsafe extern "C" fn omp_task_with_deps(
    _: Loc,
    _: i32,
    task: *mut KmpTask,
    count: i32,
    list: *const Dependence,
    count_noalias: i32,
    list_noalias: *const Dependence,
) -> i32 {
    let pc = caller();
    // SAFETY: the compiler passes arrays of these lengths.
    let dependences = unsafe { gather(count, list, count_noalias, list_noalias) };
    explicit::create(task, &dependences, pc);
    0
}

extern "C" fn begin_if0(_: Loc, _: i32, task: *mut KmpTask) {
    explicit::begin_here(task);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_task_complete_if0(_: Loc, _: i32, task: *mut KmpTask) {
    explicit::end_here(task);
}

extern "C" fn taskwait(_: Loc, _: i32) -> i32 {
    explicit::taskwait();
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_taskyield(_: Loc, _: i32, _: i32) -> i32 {
    sched::give_way();
    0
}

/// Waits for the tasks that a task with these dependences would wait for.
///
/// # Safety
/// The lists are the compiler's, of the given lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_omp_wait_deps(
    _: Loc,
    _: i32,
    count: i32,
    list: *const Dependence,
    count_noalias: i32,
    list_noalias: *const Dependence,
) {
    // SAFETY: the compiler passes arrays of these lengths.
    explicit::wait_for(&unsafe { gather(count, list, count_noalias, list_noalias) });
}

/// `taskwait depend(…)`, of clang with `-fopenmp-version=51` or later.
///
/// # Safety
/// As `__kmpc_omp_wait_deps`.
unsafe extern "C" fn taskwait_deps_51(
    _: Loc,
    _: i32,
    count: i32,
    list: *const Dependence,
    count_noalias: i32,
    list_noalias: *const Dependence,
    no_wait: i32,
) {
    // SAFETY: the caller's promise.
    let dependences = unsafe { gather(count, list, count_noalias, list_noalias) };
    match no_wait {
        0 => explicit::wait_for(&dependences),
        _ => explicit::create_empty(&dependences, caller()),
    }
}

/// The event of a detached task.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_allow_completion_event(_: Loc, _: i32, task: *mut KmpTask) -> *mut c_void {
    explicit::completion_event(task).cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_fulfill_event(event: usize) {
    // SAFETY: the program passes on what it got from `__kmpc_task_allow_completion_event`; events
    // are never freed.
    if let Some(event) = unsafe { (event as *mut Event).as_mut() } {
        explicit::fulfil(event);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_reg_task_with_affinity(
    _: Loc,
    _: i32,
    _: *mut KmpTask,
    _: i32,
    _: *const c_void,
) -> i32 {
    0
}
