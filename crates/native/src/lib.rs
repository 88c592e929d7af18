//! What an instrumented program is linked with, in place of the runtimes of thread sanitizer and libomp.
//!
//! `raceproof cc` compiles with clang's `-fsanitize=thread -fopenmp`: every access and every construct is a call. Here are
//! the functions that are called. They run the program's tasks and threads, as coroutines on one OS thread, on the
//! scheduler of the [`raceproof`] crate, and tell the detector what each does. When the program ends, however it
//! does, what was found is reported.
//!
//! | module | what |
//! | --- | --- |
//! | `abi` | the entry points: `tsan` accesses and atomic operations, `kmpc` the constructs of OpenMP, `rayon` and `panics` what the drop-in for rayon calls, `interpose` and `library` functions of the C library, `jumps` `setjmp` and `longjmp`, `start` how a program begins and ends |
//! | `search` | one execution of a search over all schedules |
//! | `tasks` | `sched`, `jobs`, `fibers`, `stacks`: tasks as coroutines; `omp`, `icvs`, `workers`: teams, threads and pools; `threads`: thread-local storage of virtual threads; `interrupts`: preemption, and signals that end the program |
//! | `report` | findings as they are found (`raw`, `channel`) and at the end (`delivery`), what the verdict rests on (`coverage`), crashes and exceptions (`faults`, `exceptions`, `calls`), the run as a trace (`record`) |
//! | `detect` | `detector`, `shadow`, `now`: who accessed what last; `contexts`, `frames`, `memory`, `spots`: names of code and memory |
//!
//! `world` and `options` hold what all of them share.

// The entry points are public by nature: C programs link with them.
#![allow(unreachable_pub)]

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("raceproof runs native programs on x86-64 Linux only");

mod abi;
mod detect;
mod options;
mod report;
mod search;
mod tasks;
mod world;

// The detector's files and a few others name these modules from the root.
use abi::{interpose, kmpc, start, tsan};
use detect::{contexts, detector, frames, memory, now, shadow, spots};
use report::{channel, delivery, record};
use search as explored;
use tasks::{fibers, interrupts, jobs, omp, sched, stacks, workers};

use contexts::Place;
use kmpc::locks::Left;
use raceproof::run::Run;
use raceproof::task::State;
use raceproof_core::event::SyncKind;
use raceproof_core::ids::{SyncId, TaskId};
pub(crate) use raceproof_symbols as symbols;
use sched::{Body, Coroutines, Job, K, NewestFirst, Work};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::io::Write;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use world::{Told, world};

/// Says something to the user, about us.
pub(crate) fn say(text: &str) {
    // Nobody can be told if standard error is closed.
    let _ = delivery::quietly(|| writeln!(std::io::stderr(), "raceproof: {text}"));
}

/// Ends the process: it cannot be checked.
pub(crate) fn fatal(text: &str) -> ! {
    say(text);
    channel::write(raceproof::channel::Kind::Limit, text.as_bytes());
    interpose::futex::end(2)
}

type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

// The program's own `main`, if it was linked with `--wrap=main`. Weak: as a shared library we are told otherwise.
std::arch::global_asm!(".weak __real_main");

/// Whether the program has entered its `main`.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// What the executable starts instead of the program's `main` (linked with `--wrap=main`): runs it as the main task.
///
/// # Safety
/// Called as `main` is: by the C library, and by the program if that calls its `main` again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_main(
    count: c_int,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> c_int {
    let main: *const c_void;
    // SAFETY: reads an address that the linker has put there.
    unsafe { std::arch::asm!("mov {}, [rip + __real_main@GOTPCREL]", out(reg) main) };
    if main.is_null() {
        fatal("the program was linked without --wrap=main");
    }
    // SAFETY: that address is the program's `main`; the rest is the caller's promise.
    unsafe {
        let main = std::mem::transmute::<*const c_void, Main>(main);
        // Another unit of the program calls `main`, and the linker has made this of it.
        if ENTERED.swap(true, Ordering::Relaxed) {
            return main(count, arguments, environment);
        }
        run_main(main, count, arguments, environment)
    }
}

/// Runs the program's `main` as the main task.
///
/// # Safety
/// Called once, with what the C library passes to `main`.
pub(crate) unsafe fn run_main(
    main: Main,
    count: c_int,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> c_int {
    world::begin();
    world().detector.turn_on(world().options.detect && search::detects());
    if world().options.collect && !world().detector.is_recorded() {
        world().detector.collect_always();
    }
    let status = Rc::new(Cell::new(None));
    let ending = status.clone();
    let main = move || {
        start::outermost(|| {
            // SAFETY: the program's constructors and its main, with what the system passed.
            let status = unsafe {
                start::construct(count, arguments, environment);
                frames::call_main(main, count, arguments, environment)
            };
            // What it does at the exit may wait as well: only a return ends it.
            start::leave(status);
            ending.set(Some(status));
        });
    };
    let job = Job::main(world().omp.initial, Place::START, Work::Other(Box::new(main)));
    let mut run = Run::new(Coroutines, Told, Body(Some(job)));
    if search::is_on() {
        return search::drive(run, &status);
    }
    if !world().detector.is_recorded() {
        run.kernel.recycle();
    }
    run.drive(&mut NewestFirst);
    world().threads.switch(0);
    if let Some(status) = status.get() {
        return status;
    }
    deadlock(&run, |_| None);
    report::finish_and_fail()
}

/// No task can go on, and main has not ended. `about` says of a task that is ready what it would have to wait for.
fn deadlock(run: &Run<Coroutines, Told>, about: impl Fn(TaskId) -> Option<SyncId>) {
    let kernel = &run.kernel;
    let mut waiting = Vec::new();
    for task in kernel.tasks().ids() {
        let Some(job) = kernel.body(task).and_then(|body| body.0.as_deref()) else { continue };
        let sync = match kernel.tasks().get(task).state {
            State::Waiting(sync) => Some(sync),
            State::Ready => about(task),
            // Whoever waits for tasks that wait themselves is not the cause.
            _ => None,
        };
        let Some(sync) = sync else { continue };
        let kind = kernel.sync_kind(sync);
        let detector = &world().detector;
        let holder = match (kernel.holder(sync), kmpc::locks::left(sync)) {
            (Some(holder), _) => {
                let taken = kmpc::locks::taken(sync).filter(|_| is_detached(kernel, holder));
                let holder = detector.holder(sync, holder);
                match taken {
                    Some(taken) => report::Holder::Ended(Left { task: report::name(holder), taken }),
                    None => report::Holder::Task(holder),
                }
            }
            (None, Some(left)) => report::Holder::Ended(left),
            (None, None) => {
                let ends = |&other: &TaskId| {
                    let job = kernel.body(other).and_then(|body| body.0.as_deref());
                    job.is_some_and(|job| job.future == Some(sync))
                };
                let awaited = kernel.tasks().ids().find(ends).filter(|_| kind == SyncKind::Future);
                awaited.map_or(report::Holder::Unknown, |task| report::Holder::Task(detector.runs_as(task)))
            }
        };
        let on = match kind {
            SyncKind::Future => "task".to_owned(),
            SyncKind::Promise => "detach event".to_owned(),
            _ => format!("{kind:?}").to_lowercase(),
        };
        waiting.push((detector.runs_as(task), on, sync, holder, job.site()));
    }
    report::deadlock(waiting);
}

/// Whether the code of a task has come to its end, and only its event is missing (`detach`). What it holds it will not release.
fn is_detached(kernel: &K, task: TaskId) -> bool {
    matches!(kernel.tasks().get(task).state, State::Waiting(sync) if kernel.sync_kind(sync) == SyncKind::Promise)
}
