//! `parallel` and `teams`: regions run by a team of threads.

use super::{CALLER, Loc, caller, entry};
use crate::report;
use crate::search;
use crate::tasks;
use crate::tasks::icvs::{self, icvs};
use crate::tasks::omp::{Team, team};
use crate::tasks::sched;
use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;

/// The compiler's function for the body of a region.
type Microtask = *const c_void;

/// `__kmpc_fork_call(loc, argc, microtask, …)` has variable arguments: the first three are in registers, the others on the stack.
/// Both are handed on by address.
macro_rules! variadic {
    ($($name:ident => $target:ident;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                "mov rax, [rsp]",
                "mov [rip + {caller}], rax",
                "push rbp",
                "mov rbp, rsp",
                "sub rsp, 32",
                "mov [rsp], rcx",
                "mov [rsp + 8], r8",
                "mov [rsp + 16], r9",
                "mov rcx, rsp",
                "lea r8, [rbp + 16]",
                "call {target}",
                "leave",
                "ret",
                caller = sym CALLER,
                target = sym $target,
            )
        }
    )* };
}

variadic! {
    __kmpc_fork_call => fork_call;
    __kmpc_fork_teams => fork_teams;
}
entry! {
    __kmpc_fork_call_if => fork_call_if;
    __kmpc_serialized_parallel => serialized_parallel;
}

/// Calls `microtask(&thread, &bound, arguments…)`, any number of them.
#[unsafe(naked)]
unsafe extern "C" fn invoke(
    microtask: Microtask,
    thread: *const i32,
    bound: *const i32,
    count: usize,
    arguments: *const *mut c_void,
) {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "mov rbx, rdi", // the function
        "mov rax, rcx", // the count
        "mov r10, r8",  // the arguments
        "mov rdi, rsi",
        "mov rsi, rdx",
        // Those beyond four go on the stack, the last first, at an aligned end.
        "cmp rax, 4",
        "jbe 3f",
        "mov r11, rax",
        "sub r11, 4",
        "test r11, 1",
        "jz 2f",
        "sub rsp, 8",
        "2:",
        "mov r12, [r10 + rax*8 - 8]",
        "push r12",
        "dec rax",
        "cmp rax, 4",
        "ja 2b",
        "3:",
        "cmp rax, 1",
        "jb 4f",
        "mov rdx, [r10]",
        "cmp rax, 2",
        "jb 4f",
        "mov rcx, [r10 + 8]",
        "cmp rax, 3",
        "jb 4f",
        "mov r8, [r10 + 16]",
        "cmp rax, 4",
        "jb 4f",
        "mov r9, [r10 + 24]",
        "4:",
        "call rbx",
        "lea rsp, [rbp - 16]",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Gathers variable arguments.
///
/// # Safety
/// `registers` and `stack` are what `variadic!` hands on for a call with `count` arguments.
unsafe fn gather(count: i32, registers: *const *mut c_void, stack: *const *mut c_void) -> Vec<*mut c_void> {
    let count = count.max(0) as usize;
    // SAFETY: the first three arguments are saved at `registers`, the others lie at `stack`.
    let argument = |at: usize| unsafe { if at < 3 { *registers.add(at) } else { *stack.add(at - 3) } };
    (0..count).map(argument).collect()
}

fn run(microtask: Microtask, arguments: &[*mut c_void]) {
    let (number, bound) = (crate::tasks::omp::thread().virtual_thread as i32, 0);
    // SAFETY: the compiler made the function to be called like this.
    unsafe { invoke(microtask, &number, &bound, arguments.len(), arguments.as_ptr()) };
}

/// How many threads the next region gets.
fn size() -> u32 {
    let asked = tasks::state().omp.next_threads.take();
    let icvs = icvs();
    if team().active_level >= icvs.max_active_levels {
        return 1;
    }
    let wanted = asked.unwrap_or(icvs.threads);
    let free = icvs.thread_limit.saturating_sub(team().in_use.get());
    if wanted > free.saturating_add(1) {
        limited(wanted, free + 1);
    }
    wanted.min(free.saturating_add(1))
}

/// A team is smaller than asked for.
#[cold]
fn limited(wanted: u32, size: u32) {
    let omp = &mut tasks::state().omp;
    if !std::mem::replace(&mut omp.said_limit, true) {
        crate::say(&format!("a team of {wanted} threads was asked for; the thread limit leaves {size}"));
    }
    if team().active_level > 0 {
        search::unexplored(
            "which of several nested teams gets threads under a thread limit is the schedule's choice",
        );
    }
}

unsafe extern "C" fn fork_call(
    _: Loc,
    count: i32,
    microtask: Microtask,
    registers: *const *mut c_void,
    stack: *const *mut c_void,
) {
    // SAFETY: called by `variadic!` only.
    let arguments = unsafe { gather(count, registers, stack) };
    fork(size(), microtask, arguments, None);
}

fn fork(size: u32, microtask: Microtask, arguments: Vec<*mut c_void>, league: Option<(u32, u32)>) {
    report::state().teams.ran(if sched::job().is_some() { size } else { 1 });
    Team::fork(size, caller(), league, Rc::new(move |_| run(microtask, &arguments)));
}

extern "C" fn fork_call_if(_: Loc, count: i32, microtask: Microtask, condition: i32, argument: *mut c_void) {
    let arguments = if count > 0 { vec![argument] } else { Vec::new() };
    let size = size();
    fork(if condition != 0 { size } else { 1 }, microtask, arguments, None);
}

/// `teams`: a league of teams of one thread each, which run in parallel and are never waited for by each other.
unsafe extern "C" fn fork_teams(
    _: Loc,
    count: i32,
    microtask: Microtask,
    registers: *const *mut c_void,
    stack: *const *mut c_void,
) {
    // SAFETY: called by `variadic!` only.
    let arguments = Rc::new(unsafe { gather(count, registers, stack) });
    let (teams, limit) = tasks::state().omp.next_teams.take().unwrap_or((0, 0));
    let default = if tasks::state().omp.teams > 0 { tasks::state().omp.teams } else { 2 };
    let teams = if teams == 0 { default } else { teams };
    // A clause sets the limit of the team's contention group, OMP_TEAMS_THREAD_LIMIT the size of its teams.
    let (limited, limit) =
        if limit > 0 { (true, limit) } else { (false, tasks::state().omp.teams_thread_limit) };
    let pc = caller();
    Team::fork(
        teams,
        pc,
        None,
        Rc::new(move |number| {
            // Each thread of the league is the initial thread of a team of its own.
            Team::enter_alone();
            let team = team();
            team.league = (number, teams);
            team.level = 0;
            team.active_level = 0;
            team.in_use = Rc::new(Cell::new(1));
            if limit > 0 {
                limit_threads(limit, limited);
            }
            run(microtask, &arguments);
            Team::leave_alone();
        }),
    );
}

/// The threads of teams that the running task forms are no more than this; whether as a limit of their contention group.
fn limit_threads(limit: u32, of_group: bool) {
    icvs::set(|icvs| {
        icvs.threads = icvs.threads.min(limit);
        if of_group {
            icvs.thread_limit = limit;
        }
    });
}

extern "C" fn serialized_parallel(_: Loc, _: i32) {
    tasks::state().omp.next_threads = None;
    report::state().teams.ran(1);
    Team::enter_alone();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_serialized_parallel(_: Loc, _: i32) {
    Team::leave_alone();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_threads(_: Loc, _: i32, threads: i32) {
    tasks::state().omp.next_threads = u32::try_from(threads).ok().filter(|&threads| threads > 0);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_pop_num_threads(_: Loc, _: i32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_proc_bind(_: Loc, _: i32, _: i32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_teams(_: Loc, _: i32, teams: i32, limit: i32) {
    tasks::state().omp.next_teams = Some((teams.max(0) as u32, limit.max(0) as u32));
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_teams_51(_: Loc, _: i32, _least: i32, most: i32, limit: i32) {
    tasks::state().omp.next_teams = Some((most.max(0) as u32, limit.max(0) as u32));
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_set_thread_limit(_: Loc, _: i32, limit: i32) {
    if limit > 0 {
        limit_threads(limit as u32, true);
    }
}
