//! Sets the runtime up. Only this file knows all modules; it gives each what that needs of those
//! above it.

use crate::abi::interpose::{self, reserve};
use crate::abi::{self, AbiState, start};
use crate::detect::detector::Detector;
use crate::detect::policy::Premises;
use crate::detect::{self, detector, shadow, spots};
use crate::process::options::Options;
use crate::process::stacks::{BATCH, Stacks};
use crate::process::{self, channel};
use crate::report::record::TraceRecorder;
use crate::report::{self, exceptions, faults, signals};
use crate::tasks::sched;
use crate::{search, tasks};
use std::path::Path;

/// The least size of the stack of `main`, and what it is if the system sets no limit.
const MAIN_STACK: usize = 64 << 20;

/// As much as the system would give it.
fn main_bytes() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: writes the limit it is asked for.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) } == 0;
    match limit.rlim_cur {
        libc::RLIM_INFINITY => 16 * MAIN_STACK,
        bytes if known => MAIN_STACK.max(bytes as usize),
        _ => MAIN_STACK,
    }
}

/// Sets everything up; called by the first instrumented module that is initialised.
pub(crate) fn begin() {
    if abi::is_up() {
        return;
    }
    set_up();
    if process::state().options.explore.is_some() {
        // The search goes by the kernel's numbers.
        detector().keep_everything();
        search::serve(interpose::real_fork);
        search::begin();
    }
}

/// Sets all up but the search. A function of its own since it takes pages of stack: a page that an
/// execution writes is one for the system to copy.
#[inline(never)]
fn set_up() {
    std::panic::set_hook(Box::new(|panic| {
        crate::fatal(&format!("an error of its own, please report it: {panic}"))
    }));
    reserve::set_aside();
    process::look();
    exceptions::look();
    let options = Options::from_environment();
    open_channel(options.findings.as_deref().or(options.explore.as_deref()));
    if let Err(error) = shadow::reserve() {
        crate::fatal(&format!(
            "no address space for shadow memory ({error}): lift the limit on virtual memory (ulimit -v unlimited)"
        ));
    }
    let stacks = Stacks::new(options.stack_bytes, BATCH, sched::run);
    let is_library = process::is_shared();
    // Rust's standard library stores without us, and it matters which job handed memory on.
    let premises = Premises { sees_all_stores: !is_library, distinguishes_ended_tasks: is_library };
    detect::begin(Detector::new(stacks, Stacks::new(main_bytes(), 1, sched::run), premises));
    process::begin(options);
    tasks::begin();
    abi::STATE.set(AbiState::default());
    report::begin(sched::is_cut_short);
    let options = &process::state().options;
    // Programs that load us as a library have no OpenMP in them.
    if !process::is_shared() {
        options.openmp.print();
    }
    record();
    let Options { all_readers, trace, explore, .. } = options;
    if *all_readers || trace.is_some() || explore.is_some() {
        detector().remember_all_readers();
    }
    if options.all_pairs {
        spots::watch();
    }
    let (from, to) = process::state().threads.storage(0);
    detector().private(from, to, 0);
    start::begun();
    faults::install();
    signals::install();
}

/// Opens the channel to the process that runs this one, if there is one, and sees to it that this
/// one does not outlive it.
fn open_channel(path: Option<&Path>) {
    let Some(path) = path else { return };
    if let Err(error) = channel::open(path) {
        crate::fatal(&format!("cannot tell raceproof what is found, by way of {}: {error}", path.display()));
    }
    let owner = path.components().find_map(|part| part.as_os_str().to_str()?.parse::<u32>().ok());
    // A program that a script has started is the script's to end.
    if owner == Some(std::os::unix::process::parent_id()) {
        // SAFETY: a documented use.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        if owner != Some(std::os::unix::process::parent_id()) {
            crate::fatal("raceproof is gone");
        }
    }
}

/// Begins the trace, if one is wanted.
fn record() {
    let Some(path) = &process::state().options.trace else { return };
    match TraceRecorder::create(path) {
        Ok(recorder) => detector().start_recording(Box::new(recorder)),
        Err(error) => crate::fatal(&format!("cannot write the trace to {}: {error}", path.display())),
    }
}
