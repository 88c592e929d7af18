//! The library routines of OpenMP: what a program can ask and set.

use crate::abi::interpose;
use crate::process;
use crate::process::openmp::Schedule;
use crate::tasks;
use crate::tasks::icvs::{self, icvs};
use crate::tasks::omp::{scope, team, thread};
use crate::tasks::units;
use std::ffi::{c_char, c_void};
use std::time::Instant;

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_thread_num() -> i32 {
    units::asks_thread("omp_get_thread_num") as i32
}

macro_rules! answers {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $answer:expr })*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> $result {
            $answer
        }
    )* };
}

answers! {
    omp_get_num_threads() -> i32 { units::query("omp_get_num_threads", team().size) }
    omp_get_max_threads() -> i32 { units::query("omp_get_max_threads", icvs().threads) }
    omp_get_num_procs() -> i32 {
        units::query("omp_get_num_procs", std::thread::available_parallelism().map_or(1, |count| count.get() as u32))
    }
    omp_in_parallel() -> i32 { i32::from(team().active_level > 0) }
    omp_get_dynamic() -> i32 { i32::from(icvs().dynamic) }
    omp_get_nested() -> i32 { i32::from(icvs().max_active_levels > 1) }
    omp_get_max_active_levels() -> i32 { icvs().max_active_levels as i32 }
    omp_get_supported_active_levels() -> i32 { i32::MAX }
    omp_get_level() -> i32 { team().level as i32 }
    omp_get_active_level() -> i32 { team().active_level as i32 }
    omp_get_cancellation() -> i32 { i32::from(tasks::state().omp.cancellation) }
    omp_get_thread_limit() -> i32 { units::query("omp_get_thread_limit", icvs().thread_limit) }
    omp_get_num_teams() -> i32 { units::query("omp_get_num_teams", team().league.1) }
    omp_get_team_num() -> i32 { units::query("omp_get_team_num", team().league.0) }
    omp_get_max_teams() -> i32 { units::query("omp_get_max_teams", tasks::state().omp.teams) }
    omp_get_teams_thread_limit() -> i32 {
        units::query("omp_get_teams_thread_limit", tasks::state().omp.teams_thread_limit)
    }
    omp_in_final() -> i32 { i32::from(scope().is_final) }
    omp_in_explicit_task() -> i32 { i32::from(scope().is_explicit) }
    omp_get_proc_bind() -> i32 { 0 }
    omp_get_num_places() -> i32 { 0 }
    omp_get_place_num_procs(_place: i32) -> i32 { 0 }
    omp_get_place_num() -> i32 { -1 }
    omp_get_partition_num_places() -> i32 { 0 }
    omp_get_default_device() -> i32 { tasks::state().omp.environment.default_device as i32 }
    omp_get_num_devices() -> i32 { 0 }
    omp_get_device_num() -> i32 { 0 }
    omp_get_initial_device() -> i32 { 0 }
    omp_is_initial_device() -> i32 { 1 }
    omp_get_max_task_priority() -> i32 { tasks::state().omp.environment.max_task_priority as i32 }
    omp_get_wtick() -> f64 { 1e-9 }
    omp_pause_resource(_kind: i32, _device: i32) -> i32 { 0 }
    omp_pause_resource_all(_kind: i32) -> i32 { 0 }
    omp_control_tool(_command: i32, _modifier: i32, _argument: *mut c_void) -> i32 { -2 }
    omp_get_default_allocator() -> usize { 1 }
    omp_init_allocator(_space: usize, _count: i32, _traits: *const c_void) -> usize { 1 }
    __kmpc_init_allocator(_thread: i32, _space: usize, _count: i32, _traits: *const c_void) -> usize { 1 }
    __kmpc_get_default_allocator(_thread: i32) -> usize { 1 }
    __kmpc_get_target_offload() -> i32 { 0 }
    omp_alloc(size: usize, _allocator: usize) -> *mut c_void { interpose::malloc_noted(size) }
    omp_calloc(count: usize, size: usize, _allocator: usize) -> *mut c_void { interpose::calloc_noted(count, size) }
    omp_aligned_alloc(align: usize, size: usize, _allocator: usize) -> *mut c_void { interpose::memalign_noted(align, size) }
    omp_realloc(memory: *mut c_void, size: usize, _allocator: usize, _freed: usize) -> *mut c_void {
        interpose::realloc_noted(memory, size)
    }
    __kmpc_alloc(_thread: i32, size: usize, _allocator: usize) -> *mut c_void { interpose::malloc_noted(size) }
    __kmpc_calloc(_thread: i32, count: usize, size: usize, _allocator: usize) -> *mut c_void {
        interpose::calloc_noted(count, size)
    }
    __kmpc_aligned_alloc(_thread: i32, align: usize, size: usize, _allocator: usize) -> *mut c_void {
        interpose::memalign_noted(align, size)
    }
    __kmpc_realloc(_thread: i32, memory: *mut c_void, size: usize, _allocator: usize, _freed: usize) -> *mut c_void {
        interpose::realloc_noted(memory, size)
    }
}

macro_rules! settings {
    ($($name:ident($($argument:ident: $type:ty),*) { $setting:expr })*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) {
            $setting
        }
    )* };
}

settings! {
    omp_set_dynamic(value: i32) { icvs::set(|icvs| icvs.dynamic = value != 0) }
    omp_set_nested(value: i32) { icvs::set(|icvs| icvs.max_active_levels = if value != 0 { tasks::state().omp.environment.nested_levels } else { 1 }) }
    omp_set_num_teams(teams: i32) {
        (tasks::state().omp.teams, tasks::state().omp.sets_teams) = (teams.max(1) as u32, true)
    }
    omp_set_teams_thread_limit(limit: i32) { tasks::state().omp.teams_thread_limit = limit.max(1) as u32 }
    omp_set_default_device(device: i32) { tasks::state().omp.environment.default_device = device.max(0) as u32 }
    omp_set_default_allocator(_allocator: usize) { () }
    omp_destroy_allocator(_allocator: usize) { () }
    omp_set_affinity_format(_format: *const c_char) { () }
    omp_display_affinity(_format: *const c_char) { () }
    omp_display_env(verbose: i32) { tasks::state().omp.environment.show(verbose != 0) }
    omp_get_place_proc_ids(_place: i32, _ids: *mut i32) { () }
    omp_get_partition_place_nums(_numbers: *mut i32) { () }
    __kmpc_destroy_allocator(_thread: i32, _allocator: usize) { () }
    __kmpc_set_default_allocator(_thread: i32, _allocator: usize) { () }
    omp_free(memory: *mut c_void, _allocator: usize) { interpose::free_noted(memory) }
    __kmpc_free(_thread: i32, memory: *mut c_void, _allocator: usize) { interpose::free_noted(memory) }
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_set_num_threads(threads: i32) {
    // As libomp: less than one is one.
    icvs::set(|icvs| {
        icvs.threads = threads.max(1) as u32;
        icvs.sets_threads = true;
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_set_max_active_levels(levels: i32) {
    match u32::try_from(levels) {
        Ok(levels) => icvs::set(|icvs| icvs.max_active_levels = levels),
        Err(_) => crate::say(&format!("omp_set_max_active_levels({levels}): less than 0 levels; ignored")),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_wtime() -> f64 {
    Instant::now().duration_since(process::state().started).as_secs_f64()
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_set_schedule(kind: i32, chunk: i32) {
    let schedule = Schedule::of(kind, chunk).unwrap_or_else(|| {
        crate::say(&format!("omp_set_schedule({kind}, {chunk}): no such kind; static is used"));
        Schedule::STATIC
    });
    icvs::set(|icvs| {
        icvs.schedule = schedule;
        icvs.sets_schedule = true;
    });
}

/// # Safety
/// The pointers are to variables of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_schedule(kind: *mut i32, chunk: *mut i32) {
    // SAFETY: the program passes two variables, to be written.
    unsafe { (*kind, *chunk) = icvs().schedule.said() };
}

/// The team at a nesting level, and the thread through which it leads here.
fn at_level(level: i32) -> Option<(&'static crate::tasks::omp::Team, u32)> {
    let (mut at, mut number) = (&*team(), thread().number);
    let level = u32::try_from(level).ok().filter(|&level| level <= at.level)?;
    while at.level > level {
        // SAFETY: a thread that has opened a region waits for its end, and so does its team.
        let parent = unsafe { at.parent.as_ref()? };
        number = parent.number;
        // SAFETY: the team of a thread that waits for the end of a region lives until then.
        at = unsafe { &*parent.team };
    }
    Some((at, number))
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_ancestor_thread_num(level: i32) -> i32 {
    // At level 0 every thread gets the same answer.
    if level != 0 {
        units::asks_thread("omp_get_ancestor_thread_num");
    }
    at_level(level).map_or(-1, |(_, number)| number as i32)
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_team_size(level: i32) -> i32 {
    at_level(level).map_or(-1, |(team, _)| match level {
        0 => 1,
        _ => units::query("omp_get_team_size", team.size),
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_get_affinity_format(_buffer: *mut c_char, _size: usize) -> usize {
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn omp_capture_affinity(_buffer: *mut c_char, _size: usize, _format: *const c_char) -> usize {
    0
}
