//! The entry points of `parallel` and `teams` ([`regions`]), which pass the body of a region with
//! its arguments one by one.

use super::{CALLER, Loc, caller, entry};
use crate::tasks::omp::{Team, thread};
use crate::tasks::regions;
use std::arch::naked_asm;
use std::ffi::c_void;
use std::rc::Rc;

/// The compiler's function for the body of a region.
type Microtask = *const c_void;

/// `__kmpc_fork_call(loc, argc, microtask, …)` has variable arguments: the first three are in
/// registers, the others on the stack. Both are handed on by address.
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
    let (number, bound) = (thread().virtual_thread as i32, 0);
    // SAFETY: the compiler has made the function for these arguments, which it passed to
    // `__kmpc_fork_…` with it.
    unsafe { invoke(microtask, &number, &bound, arguments.len(), arguments.as_ptr()) };
}

unsafe extern "C" fn fork_call(
    _: Loc,
    count: i32,
    microtask: Microtask,
    registers: *const *mut c_void,
    stack: *const *mut c_void,
) {
    // SAFETY: only `variadic!` calls this.
    let arguments = unsafe { gather(count, registers, stack) };
    regions::fork(true, caller(), Rc::new(move |_| run(microtask, &arguments)));
}

extern "C" fn fork_call_if(_: Loc, count: i32, microtask: Microtask, condition: i32, argument: *mut c_void) {
    let arguments = if count > 0 { vec![argument] } else { Vec::new() };
    regions::fork(condition != 0, caller(), Rc::new(move |_| run(microtask, &arguments)));
}

unsafe extern "C" fn fork_teams(
    _: Loc,
    count: i32,
    microtask: Microtask,
    registers: *const *mut c_void,
    stack: *const *mut c_void,
) {
    // SAFETY: only `variadic!` calls this.
    let arguments = unsafe { gather(count, registers, stack) };
    regions::fork_league(caller(), move || run(microtask, &arguments));
}

extern "C" fn serialized_parallel(_: Loc, _: i32) {
    regions::enter_alone();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_serialized_parallel(_: Loc, _: i32) {
    Team::leave_alone();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_threads(_: Loc, _: i32, threads: i32) {
    regions::push_threads(threads);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_pop_num_threads(_: Loc, _: i32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_proc_bind(_: Loc, _: i32, _: i32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_teams(_: Loc, _: i32, teams: i32, limit: i32) {
    regions::push_teams(teams, teams, limit);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_teams_51(_: Loc, _: i32, least: i32, most: i32, limit: i32) {
    regions::push_teams(least, most, limit);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_set_thread_limit(_: Loc, _: i32, limit: i32) {
    if limit > 0 {
        regions::limit_threads(limit as u32, true);
    }
}
