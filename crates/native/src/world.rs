//! The one state of the process. All of the program's code runs on one OS thread, and so does all of this.

use crate::detect::detector::Detector;
use crate::detect::shadow;
use crate::options::Options;
use crate::report::delivery::Delivery;
use crate::report::record::Recorder;
use crate::search::explored;
use crate::tasks::omp::Omp;
use crate::tasks::stacks::{BATCH, Stacks};
use crate::tasks::threads::Threads;
use raceproof::strategy::Traced;
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::explore::trace::Trace;
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Instant;

pub(crate) struct World {
    pub(crate) detector: Detector,
    /// The stack of `main`.
    pub(crate) main_stack: Stacks,
    pub(crate) threads: Threads,
    pub(crate) omp: Omp,
    /// Sizes of teams and pools.
    pub(crate) teams: crate::report::coverage::Teams,
    /// Modules that were loaded when the program closed one.
    pub(crate) closed: crate::report::coverage::Closed,
    pub(crate) jobs: crate::tasks::jobs::Jobs,
    pub(crate) pools: crate::abi::rayon::Pools,
    pub(crate) workers: crate::tasks::workers::Workers,
    pub(crate) atomics: crate::abi::tsan::atomic::Atomics,
    pub(crate) waiters: rustc_hash::FxHashMap<usize, crate::abi::interpose::futex::Waiters>,
    pub(crate) fortran: crate::abi::interpose::fortran::Library,
    pub(crate) options: Options,
    /// The number of this process.
    pub(crate) process: u32,
    /// Where the report goes if nobody reads the channel, and which races it leaves out.
    pub(crate) delivery: crate::report::delivery::Delivery,
    pub(crate) suppressions: Option<String>,
    /// Read before the program makes them unreadable.
    pub(crate) symbols: Option<crate::symbols::Symbols>,
    pub(crate) started: Instant,
    /// The simd loops that are under way, innermost last.
    pub(crate) lanes: Vec<crate::abi::tsan::lanes::Lanes>,
    /// There was one.
    pub(crate) has_lanes: bool,
    /// Turns in a row in which a task looked in vain for what it waits for.
    pub(crate) idle: u64,
    /// Who ran, and how far all had come, when a share of time was last over.
    pub(crate) ran: Option<(u64, u64)>,
    /// What was reported before the end: errors, a deadlock, limits.
    pub(crate) found: crate::report::Found,
    /// The last panic of a Rust program.
    pub(crate) panic: Option<crate::symbols::raw::RawError>,
    /// Frames that a `longjmp` may lead to.
    pub(crate) frames: crate::abi::jumps::Frames,
    /// Calls of the C library, and where its code is.
    pub(crate) library: crate::abi::library::Calls,
    pub(crate) library_code: Option<std::ops::Range<usize>>,
}

pub(crate) static WORLD: AtomicPtr<World> = AtomicPtr::new(ptr::null_mut());

#[inline(always)]
pub(crate) fn world() -> &'static mut World {
    // SAFETY: `begin` puts a leaked box there before any code of the program runs. One OS thread runs all code that gets here
    // (`pthread_create` is refused), and no function keeps the reference across a switch of coroutines.
    unsafe { &mut *WORLD.load(Ordering::Relaxed) }
}

pub(crate) fn is_up() -> bool {
    !WORLD.load(Ordering::Relaxed).is_null()
}

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
    if is_up() {
        return;
    }
    std::panic::set_hook(Box::new(|panic| {
        crate::fatal(&format!("an error of its own, please report it: {panic}"))
    }));
    crate::abi::interpose::reserve::set_aside();
    crate::abi::start::look();
    crate::report::exceptions::look();
    let options = Options::from_environment();
    open_channel(options.findings.as_deref().or(options.explore.as_deref()));
    if let Err(error) = shadow::reserve() {
        crate::fatal(&format!(
            "no address space for shadow memory ({error}): lift the limit on virtual memory (ulimit -v unlimited)"
        ));
    }
    let world = World {
        detector: Detector::new(Stacks::new(options.stack_bytes, BATCH)),
        main_stack: Stacks::new(main_bytes(), 1),
        threads: Threads::new(),
        omp: Omp::new(&options),
        teams: Default::default(),
        closed: Default::default(),
        jobs: Default::default(),
        pools: Default::default(),
        workers: Default::default(),
        atomics: Default::default(),
        waiters: Default::default(),
        fortran: Default::default(),
        options,
        process: std::process::id(),
        delivery: Default::default(),
        suppressions: None,
        symbols: None,
        started: Instant::now(),
        idle: 0,
        lanes: Vec::new(),
        has_lanes: false,
        ran: None,
        found: Default::default(),
        panic: None,
        frames: Default::default(),
        library: Default::default(),
        library_code: None,
    };
    WORLD.store(Box::into_raw(Box::new(world)), Ordering::Relaxed);
    self::world().suppressions = crate::report::suppressions();
    match self::world().options.findings {
        Some(_) => crate::report::channel::begin(self::world().suppressions.clone()),
        None => self::world().delivery = Delivery::new(self::world().options.report.as_deref()),
    }
    // Programs that load us as a library have no OpenMP in them.
    if !crate::abi::start::is_shared() {
        self::world().options.openmp.tell();
    }
    record();
    let Options { all_readers, trace, explore, .. } = &self::world().options;
    if *all_readers || trace.is_some() || explore.is_some() {
        self::world().detector.remember_all_readers();
    }
    if self::world().options.all_pairs {
        crate::detect::spots::watch();
    }
    let (from, to) = self::world().threads.storage(0);
    self::world().detector.private(from, to, 0);
    crate::abi::start::begun();
    crate::report::faults::install();
    crate::tasks::interrupts::install();
    if self::world().options.explore.is_some() {
        // The search goes by the kernel's numbers.
        self::world().detector.keep_everything();
        crate::search::begin();
    }
}

/// Opens the channel to the process that runs this one, if there is one, and sees to it that this one does not outlive it.
fn open_channel(path: Option<&Path>) {
    let Some(path) = path else { return };
    if let Err(error) = crate::report::channel::open(path) {
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
    let Some(path) = &world().options.trace else { return };
    match Recorder::create(path) {
        Ok(recorder) => world().detector.start_recording(recorder),
        Err(error) => crate::fatal(&format!("cannot write the trace to {}: {error}", path.display())),
    }
}

/// The observer the kernel tells: it passes everything on to the detector, and to the search if there is one.
pub(crate) struct Told;

// None of it is `inline`: functions of a trait that are count as reachable from outside, and with them the statics they use,
// which every access then finds by an instruction more.
impl Observer for Told {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        world().detector.spawn(parent, child, scope, site);
        if let Some(explored) = explored() {
            explored.spawn(parent, child, scope, site);
        }
    }
    fn end(&mut self, task: TaskId) {
        world().detector.end(task);
        if let Some(explored) = explored() {
            explored.end(task);
        }
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        world().detector.finish_begin(task, scope);
        if let Some(explored) = explored() {
            explored.finish_begin(task, scope);
        }
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        world().detector.finish_end(task, scope);
        if let Some(explored) = explored() {
            explored.finish_end(task, scope);
        }
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !explored().is_some_and(|explored| explored.hides(sync)) {
            world().detector.signal(task, sync, kind);
        }
        if let Some(explored) = explored() {
            explored.signal(task, sync, kind);
        }
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !explored().is_some_and(|explored| explored.hides(sync)) {
            world().detector.join(task, sync, kind);
        }
        if let Some(explored) = explored() {
            explored.join(task, sync, kind);
        }
    }
    /// Only the accesses of a replay come this way.
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        if let Some(explored) = explored() {
            explored.access(task, kind, location, site);
        }
    }
    fn turn(&mut self, task: TaskId) {
        world().detector.turn(task);
        if let Some(explored) = explored() {
            explored.turn(task);
        }
    }
}

impl Traced for Told {
    fn trace(&self) -> &Trace {
        explored().expect("only searches are guided").trace()
    }
    fn label(&self, sync: SyncId) -> SyncId {
        explored().map_or(sync, |explored| explored.label(sync))
    }
}
