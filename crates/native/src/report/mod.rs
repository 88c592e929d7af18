//! What was found, as a report: built when the program ends, however it does.

pub(crate) mod calls;
pub(crate) mod coverage;
pub(crate) mod delivery;
pub(crate) mod exceptions;
pub(crate) mod faults;
pub(crate) mod hidden;
pub(crate) mod raw;
pub(crate) mod record;
pub(crate) mod signals;

use crate::detect::detector;
use crate::detect::detector::{Raced, Role, Site};
use crate::detect::memory::Block;
use crate::detect::sink::{self, Sink};
use crate::process::global::Global;
use crate::process::{self as runtime, call_site, channel};
use crate::symbols::Symbols;
use crate::symbols::raw::{Calls, RawError};
use coverage::{Closed, Teams};
use delivery::Delivery;
use raceproof::channel::{Begin, Exec, Kind};
use raceproof_core::finding::{
    Coverage, Deadlock, Frame, Grade, Place, ProgramError, Race, Report, Scope, Spawned, Stats, Waiting,
    Witness,
};
use raceproof_core::ids::{SyncId, TaskId};
use raceproof_report::listed::identify;
use raceproof_report::{Project, Sources, Suppressions, command};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::CStr;
use std::process;

/// What this module owns.
pub(crate) struct State {
    /// What was reported before the end: errors, a deadlock, limits.
    pub(crate) found: Found,
    /// Sizes of teams and pools.
    pub(crate) teams: Teams,
    /// Modules that were loaded when the program closed one.
    pub(crate) closed: Closed,
    /// HClib was launched.
    pub(crate) uses_hclib: bool,
    /// The last second set that threw an exception: the task, and the places of the promise.
    pub(crate) second_set: Option<(u64, Vec<Related>)>,
    /// A simd loop was run.
    pub(crate) has_lanes: bool,
    /// Other assignments of work to threads would have shown more. In a search, a thread has entered
    /// sections in several units of work, whose order is fixed here; in any run, a loop has no
    /// marks.
    pub(crate) one_deal: bool,
    /// In a search: a task has waited at a condition variable, which ends by a notification only.
    pub(crate) no_spurious_wakeups: bool,
    /// The addresses of the program's locks, also of those that were destroyed.
    pub(crate) locks: FxHashMap<SyncId, usize>,
    /// What syncs are that tasks sleep at, in words.
    pub(crate) waited: FxHashMap<SyncId, &'static str>,
    /// The names that the program has given to threads, by their virtual threads.
    pub(crate) thread_names: FxHashMap<u32, String>,
    /// The functions of the C library that were called, by the addresses that they return to.
    pub(crate) library: FxHashMap<usize, &'static CStr>,
    /// Where the report goes if nobody reads the channel, and which races it leaves out.
    delivery: Delivery,
    suppressions: Option<String>,
    /// Read before the program makes them unreadable.
    symbols: Option<Symbols>,
    /// Whether the task that ends the program leaves others that would have gone on.
    is_cut_short: fn() -> bool,
    search: Option<Search>,
}

/// A search that this process is an execution of.
pub(crate) struct Search {
    /// Writes the answer, in place of a report.
    pub(crate) answer: fn(),
    /// What is found is of no interest: this execution repeats another.
    pub(crate) is_repetition: bool,
}

static STATE: Global<State> = Global::new();

#[inline(always)]
pub(crate) fn state() -> &'static mut State {
    STATE.get()
}

/// Whether the runtime is set up.
pub(crate) fn is_up() -> bool {
    STATE.is_set()
}

/// Sets the module up, and says that this process begins to whoever reads the channel.
pub(crate) fn begin(is_cut_short: fn() -> bool) {
    let options = &runtime::state().options;
    STATE.set(State {
        found: Default::default(),
        teams: Default::default(),
        closed: Default::default(),
        uses_hclib: false,
        second_set: None,
        has_lanes: false,
        one_deal: false,
        no_spurious_wakeups: false,
        locks: Default::default(),
        waited: Default::default(),
        thread_names: Default::default(),
        library: Default::default(),
        delivery: Default::default(),
        suppressions: suppressions(),
        symbols: None,
        is_cut_short,
        search: None,
    });
    sink::set(&Written);
    match options.findings {
        Some(_) => announce(),
        None => state().delivery = Delivery::new(options.report.as_deref()),
    }
}

/// Says that this process begins, and where its code is.
fn announce() {
    let folder = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    let coverage = Coverage { parallel: None, ..coverage::observed(false) };
    channel::json(Kind::Begin, &Begin { folder, coverage, suppressions: state().suppressions.clone() });
    channel::map();
}

/// This process is an execution of a search.
pub(crate) fn answer_to(search: Search) {
    state().search = Some(search);
}

/// Whether this process is an execution of a search.
pub(crate) fn is_search() -> bool {
    state().search.is_some()
}

/// Races are written down as they are found.
struct Written;

impl Sink for Written {
    fn raced(&self, race: &Raced) {
        if channel::is_on() && state().search.is_none() {
            channel::raced(&raw::race(race, Grade::Apparent));
        }
    }

    fn raced_again(&self, number: usize, count: u64) {
        channel::met(number, count);
    }
}

/// What was found before the end, other than races.
#[derive(Default)]
pub(crate) struct Found {
    errors: Vec<RawError>,
    /// Kinds of errors with the sites where they were reported: one of a kind is enough at a site.
    reported_at: FxHashSet<(String, usize)>,
    deadlocks: Vec<Deadlock>,
    limits: Vec<String>,
    /// Calls that were refused to split a parallel iterator any further, and their sites.
    together: Vec<(usize, Place)>,
    /// The report is written, or not wanted.
    done: bool,
    /// What the program's status becomes.
    bad: bool,
    /// What a replay led to.
    pub(crate) replayed: Option<Result<Report, String>>,
}

impl Found {
    /// The parallel iterators that were not split to the end, in source order.
    pub(crate) fn unsplit(&self) -> Vec<Place> {
        let mut places: Vec<Place> = self.together.iter().map(|(_, place)| place.clone()).collect();
        places.sort();
        places.dedup();
        places
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    pub(crate) fn list(&self) -> (Vec<ProgramError>, Vec<Deadlock>, Vec<String>) {
        // To look symbols up takes longer than most executions.
        let errors = if self.errors.is_empty() { Vec::new() } else { self.errors(&Symbols::load()) };
        (errors, self.deadlocks.clone(), self.limits.clone())
    }

    fn errors(&self, symbols: &Symbols) -> Vec<ProgramError> {
        self.errors.iter().map(|error| symbols.error(error)).collect()
    }
}

/// All that the program does at its exit is done: writes the report.
pub(crate) extern "C" fn at_end() {
    signals::end_if_asked();
    if finish()
        && let Some(status) = status()
    {
        // SAFETY: what the program has printed must come out before the process ends without it.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        runtime::end(status);
    }
}

/// What the status of the process becomes if something was found; the program's own stands with
/// `exitcode=0`.
fn status() -> Option<i32> {
    Some(runtime::state().options.status).filter(|&status| status != 0)
}

/// The process goes on unchecked.
pub(crate) fn leave_alone() {
    channel::close();
    signals::uninstall();
    state().found.done = true;
    detector().turn_on(false);
    detector().record = None;
}

pub(crate) fn limit(text: &str) {
    let limits = &mut state().found.limits;
    if !limits.iter().any(|known| known == text) {
        limits.push(text.to_owned());
        channel::write(Kind::Limit, text.as_bytes());
    }
}

/// Places that are remembered of iterators that were not split any further.
const MOST_TOGETHER: usize = 16;

/// The parallel iterator that the running task splits, from a call that returns to `pc`, is not
/// split any further.
#[cold]
pub(crate) fn together(pc: usize) {
    let together = &state().found.together;
    // Each level has a context of its own; the call is the same.
    if together.len() >= MOST_TOGETHER || together.iter().any(|(known, _)| *known == pc) {
        return;
    }
    let (task, site) = (detector().current(), here());
    let (place, ..) = place_for(&Symbols::load(), task, site);
    state().found.together.push((pc, place));
}

/// Where the running task is. To be asked before symbols are loaded, which calls functions that
/// note where they are called.
pub(crate) fn here() -> Site {
    Site { pc: call_site::caller(), context: detector().contexts.now().context }
}

/// An error of the program, by the running task where it is.
pub(crate) fn program_error(kind: &str, message: &str) {
    program_error_at(kind, message, raw::calls(here()).0);
}

/// Another site that has to do with an error, and what it is.
pub(crate) struct Related {
    pub(crate) what: &'static str,
    pub(crate) at: Site,
}

/// An error of the program, by the running task where it is, with other sites.
pub(crate) fn program_error_about(kind: &str, message: &str, related: Vec<Related>) {
    let error = raw::error(kind, message, detector().current(), raw::calls(here()).0);
    failed(RawError { related: raw_related(related), ..error });
}

/// Other sites of an error.
fn raw_related(related: Vec<Related>) -> Vec<(String, Calls)> {
    related.into_iter().map(|Related { what, at }| (what.to_owned(), raw::calls(at))).collect()
}

/// An error of the program, by the running task where these calls have led, innermost first, as
/// return addresses.
pub(crate) fn program_error_at(kind: &str, message: &str, calls: Vec<usize>) {
    failed(raw::error(kind, message, detector().current(), calls));
}

/// An error of the program; the first of its kind at its site.
pub(crate) fn failed(error: RawError) {
    let site = (error.kind.clone(), error.at.0.first().copied().unwrap_or(0));
    let is_repetition = state().search.as_ref().is_some_and(|search| search.is_repetition);
    if is_repetition || !state().found.reported_at.insert(site) {
        return;
    }
    channel::error(&error);
    state().found.errors.push(error);
}

/// All tasks wait, the running one for what the text says.
pub(crate) fn stuck(what: &'static str) -> ! {
    let task = detector().current();
    let site = here();
    let (at, stack, spawned) = place_for(&Symbols::load(), task, site);
    let (task, on) = (name(task), "event".to_owned());
    let waiting = vec![Waiting {
        task,
        on,
        what: what.to_owned(),
        held_by: None,
        holder_ended: None,
        at,
        stack,
        spawned,
    }];
    state().found.deadlocks.push(Deadlock { id: String::new(), waiting, witness: None });
    finish_and_fail()
}

/// A task that has ended without releasing a lock.
pub(crate) struct Left {
    pub(crate) task: String,
    /// Where it took the lock.
    pub(crate) taken: Site,
}

/// Who has to act before a task that waits can go on.
pub(crate) enum Holder {
    Unknown,
    Task(TaskId),
    /// A task that has ended without releasing a lock.
    Ended(Left),
}

/// The tasks that wait when none can go on.
pub(crate) fn deadlock(waiting: Vec<(TaskId, String, SyncId, Holder, Site)>) {
    let symbols = Symbols::load();
    let waiting = waiting.into_iter().map(|(task, on, sync, held_by, site)| {
        let what = match on.as_str() {
            "promise" | "future" => match detector().promises.get(sync) {
                Some(promise) => {
                    let at = symbols.own_place(&raw::calls(detector().site(promise.created)));
                    format!("created at {}:{}", at.file, at.line)
                }
                None => String::new(),
            },
            _ if state().locks.contains_key(&sync) => lock_name(&symbols, sync.index()),
            _ => String::new(),
        };
        let (held_by, holder_ended) = match held_by {
            Holder::Unknown => (None, None),
            Holder::Task(task) => (Some(name(task)), None),
            Holder::Ended(Left { task, taken }) => (Some(task), Some(place(&symbols, taken).0)),
        };
        let (mut at, mut stack) = place(&symbols, site);
        let spawned = symbols.spawned(&raw::spawned(task));
        let own = name(task);
        // Before a task has begun, or when its code has ended, there is no call in which it waits:
        // it is its construct that does.
        if let Some(created) = spawned.iter().find(|spawned| spawned.task == own)
            && (site.pc == 0 || on == "detach event")
        {
            (at, stack) = (created.at.clone(), Vec::new());
        }
        Waiting { task: own, on, what, held_by, holder_ended, at, stack, spawned }
    });
    state().found.deadlocks.push(Deadlock { id: String::new(), waiting: waiting.collect(), witness: None });
}

/// The program does something whose outcome depends on the schedule in a way that is not explored.
pub(crate) fn unexplored(what: &str) {
    if is_search() {
        limit(&format!("{what}: schedules that differ in this are not explored"));
    }
}

/// Ends a program that cannot go on. The status is no doing of the program's: who reads what was
/// found is not to take it for that.
pub(crate) fn finish_and_fail() -> ! {
    finish_and_exit(if channel::is_on() { 0 } else { runtime::state().options.status })
}

pub(crate) fn finish_and_exit(status: i32) -> ! {
    finish();
    // SAFETY: without a stream `fflush` writes all of them; no task runs meanwhile.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    runtime::end(finish_with(status))
}

/// Writes the report and gives the status the process has to end with instead of `status`.
pub(crate) fn finish_with(status: i32) -> i32 {
    signals::end_if_asked();
    if finish() { self::status().unwrap_or(status) } else { status }
}

/// Whether this is the process that began, and not a child that has its memory (`vfork`) or a copy
/// of it.
fn is_own_process() -> bool {
    runtime::state().id == process::id()
}

/// Delivers the report, once; whether anything was found.
pub(crate) fn finish() -> bool {
    if !is_own_process() {
        return false;
    }
    let found = &mut state().found;
    if found.done {
        return found.bad;
    }
    found.done = true;
    if let Some(search) = &state().search {
        (search.answer)();
        return false;
    }
    // A task that ends the program leaves open what the others would have done.
    let cut_short = (state().is_cut_short)();
    if cut_short {
        detector().exclusive = true;
    }
    let recorded = end_trace();
    if detector().is_uncertain() {
        limit(raceproof::remote::FEW_READERS);
    }
    let mut report = build(cut_short);
    detector().turn_on(false);
    if !detector().racing.spots.is_empty() {
        channel::json(Kind::Spots, &detector().racing.spots);
    }
    if channel::json(Kind::Report, &report) {
        return false;
    }
    let bad = is_bad(&report);
    state().found.bad = bad;
    if report.coverage.as_ref().is_some_and(|coverage| coverage.parallel == Some(true)) {
        report.next_command = next_command();
    }
    let is_of_interest = !report.limits.is_empty() && !is_sequential(&report);
    state().delivery.deliver(&report, bad || is_of_interest);
    if let Err(error) = recorded {
        crate::say(&error);
    }
    bad
}

/// Whether nothing ran in parallel, and nothing could: the compiler driver has left a symbol in a
/// program that has no OpenMP. Such a program is run by `configure` or a Makefile, and is to behave
/// as always.
fn is_sequential(report: &Report) -> bool {
    let was = report.coverage.as_ref().is_some_and(|coverage| coverage.parallel == Some(false));
    // SAFETY: looks a name up.
    let marked = || unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__raceproof_sequential".as_ptr()) };
    was && report.limits.len() == 1 && !marked().is_null()
}

fn is_bad(report: &Report) -> bool {
    !report.races.is_empty() || !report.errors.is_empty() || !report.deadlocks.is_empty()
}

/// The process is about to become another program. If that works, nobody can report afterwards; if
/// it does not, the program goes on, and is reported on at its end as if nothing had been.
pub(crate) fn before_exec(program: &str) {
    if !is_own_process() || state().found.done || state().search.is_some() {
        return;
    }
    let mut report = build(true);
    if channel::is_on() {
        channel::json(Kind::Exec, &Exec { program: program.to_owned(), report });
    } else if is_bad(&report) {
        let what = format!("the program became another ({program}): what comes after that is not known");
        report.limits.push(what);
        (report.scope, report.determinate) = (Scope::ObservedSchedule, None);
        state().delivery.deliver(&report, true);
    }
}

/// The process has not become another program.
pub(crate) fn after_exec() {
    channel::write(Kind::GoesOn, &[]);
}

/// The program is about to take files or memory from itself: reads now what a report by itself
/// would need.
pub(crate) fn prepare() {
    if !is_up() || channel::is_on() || state().symbols.is_some() || !is_own_process() {
        return;
    }
    let symbols = Symbols::load();
    symbols.read_all();
    state().symbols = Some(symbols);
}

/// The rules of the suppressions, which are read before the program can make them unreadable.
fn suppressions() -> Option<String> {
    let path = runtime::state().options.suppressions.as_ref()?;
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    match text.and_then(|text| Suppressions::parse(&text).map(|_| text)) {
        Ok(text) => Some(text),
        Err(error) => {
            crate::say(&format!("cannot use the suppressions in {}: {error}", path.display()));
            None
        }
    }
}

/// Ends the trace, if the run is recorded. That it could not be written is a limit in the report,
/// which `raceproof run` reads.
fn end_trace() -> Result<(), String> {
    let (Some(recorder), Some(path)) = (detector().record.take(), &runtime::state().options.trace) else {
        return Ok(());
    };
    let whole = state().found.limits.is_empty() && state().found.errors.is_empty();
    recorder.finish(whole).map_err(|error| {
        let text = format!("cannot write the trace to {}: {error}", path.display());
        limit(&text);
        text
    })
}

/// The command that decides what this run leaves open.
fn next_command() -> Option<String> {
    let line = std::fs::read("/proc/self/cmdline").ok()?;
    let words = line.strip_suffix(b"\0")?.split(|&byte| byte == 0);
    let settings = command::settings(std::env::vars_os(), false, raceproof::env_options::for_another_run);
    Some(command::verify(&settings, &[], words) + &command::input())
}

/// `cut_short`: the program has more to do.
fn build(cut_short: bool) -> Report {
    let loaded;
    let symbols = match &state().symbols {
        Some(symbols) => symbols,
        None => {
            loaded = Symbols::load();
            &loaded
        }
    };
    let detector = detector();
    let scope = if detector.exclusive { Scope::ObservedSchedule } else { Scope::AllSchedules };
    let determinate = (!detector.exclusive && detector.races.is_empty()).then_some(true);
    let mut report =
        Report { scope, determinate, detector: "default".to_owned(), ..plain(symbols, Vec::new()) };
    let is_ended = cut_short || signals::is_ending();
    let complete = !is_ended && report.errors.is_empty() && report.deadlocks.is_empty();
    report.coverage = Some(crate::report::coverage::observed(complete));
    if channel::is_on() {
        // Whoever reads the channel has them, and bounds the report by its coverage.
        report.errors.clear();
        return report;
    }
    let races: Vec<_> = detector.races.iter().map(|raced| raw::race(raced, Grade::Apparent)).collect();
    report.races = symbols.races(&races);
    report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
    let mut sources = Sources::of(Project::here());
    sources.load_for(&report);
    identify(&mut report, &sources);
    if let Some(rules) = state().suppressions.as_deref().and_then(|text| Suppressions::parse(text).ok()) {
        rules.apply(&mut report);
    }
    if !complete || !report.limits.is_empty() {
        report.about_one_schedule();
    }
    report.bound(false);
    report
}

/// What a replay led to: these races, and what else was found.
pub(crate) fn replay(races: Vec<Race>, witness: &Witness) -> Report {
    let coverage = Some(crate::report::coverage::observed(false));
    let mut report = Report { detector: "replay".to_owned(), coverage, ..plain(&Symbols::load(), races) };
    let witnesses = report.races.iter_mut().map(|race| &mut race.witness);
    let witnesses = witnesses.chain(report.errors.iter_mut().map(|error| &mut error.witness));
    for to in witnesses.chain(report.deadlocks.iter_mut().map(|deadlock| &mut deadlock.witness)) {
        *to = Some(witness.clone());
    }
    report
}

/// A report of races and what else was found, about one schedule.
fn plain(symbols: &Symbols, races: Vec<Race>) -> Report {
    let detector = detector();
    let found = &state().found;
    Report {
        races,
        deadlocks: found.deadlocks.clone(),
        errors: found.errors(symbols),
        limits: found.limits.clone(),
        threads: state().teams.sizes().to_vec(),
        built: std::fs::metadata("/proc/self/exe").and_then(|metadata| metadata.modified()).ok(),
        stats: Stats {
            executions: 1,
            tasks: detector.statistics().0,
            steps: detector.statistics().1,
            seconds: runtime::state().started.elapsed().as_secs_f64(),
            ..Stats::default()
        },
        ..Report::new("")
    }
    .judged()
}

/// The name of a task: the way from `main`, `t2` for thread 2 of a team, `3` for a third child. A
/// unit of work has the name of the thread that executed it.
pub(crate) fn name(task: TaskId) -> String {
    let mut parts = Vec::new();
    let mut at = task;
    loop {
        let entry = &detector().tasks[at.index()];
        match entry.role {
            Role::Main => break,
            Role::Thread(number) => parts.push(format!("t{number}")),
            Role::Explicit(ordinal) | Role::Async(ordinal) | Role::Started(ordinal) => {
                parts.push(ordinal.to_string())
            }
            Role::Single(_) | Role::Chunk(_) | Role::Share { .. } => {}
        }
        at = entry.parent;
    }
    parts.push("main".to_owned());
    parts.reverse();
    parts.join("/")
}

pub(crate) fn place(symbols: &Symbols, site: Site) -> (Place, Vec<Frame>) {
    symbols.place(&raw::calls(site))
}

/// The place of something that a task did, and the tasks on the way there.
fn place_for(symbols: &Symbols, task: TaskId, site: Site) -> (Place, Vec<Frame>, Vec<Spawned>) {
    let spawned = symbols.spawned(&raw::spawned(task));
    let (at, stack) = symbols.place_for(&raw::calls(site), &spawned);
    (at, stack, spawned)
}

pub(crate) fn race(symbols: &Symbols, raced: &Raced, grade: Grade) -> Race {
    symbols.race(&raw::race(raced, grade))
}

/// A task, its creator, and so on up to `main`.
fn line(task: TaskId) -> impl Iterator<Item = TaskId> {
    std::iter::successors(Some(task), |at: &TaskId| {
        let entry = &detector().tasks[at.index()];
        (entry.role != Role::Main).then_some(entry.parent)
    })
}

/// The closest task both come from.
pub(crate) fn common(a: TaskId, b: TaskId) -> TaskId {
    let of_a: Vec<TaskId> = line(a).collect();
    line(b).find(|task| of_a.contains(task)).unwrap_or(TaskId::MAIN)
}

/// Whose stack the memory of a race is on: the task that runs there, if it is still known by the
/// number with which it began. A thread that has passed a barrier has another one, and a task that
/// has ended has none; then it is the closest task whose stack the two may use.
pub(crate) fn owner(raced: &Raced) -> TaskId {
    let (a, b) = (raced.first.task, raced.second.task);
    let user = |user| {
        let mut above = line(common(a, b));
        above.find(|task| detector().tasks[task.index()].serial == user).or_else(|| detector().live(user))
    };
    detector().stack_user(raced.address).and_then(user).unwrap_or_else(|| common_owner(a, b))
}

/// The closest task whose stack two tasks may use: where they come from. Two units of work of one
/// thread come from where its team does.
fn common_owner(a: TaskId, b: TaskId) -> TaskId {
    let common = detector().taker(common(a, b));
    let is_unit =
        |task: TaskId| detector().tasks[task.index()].role.is_unit() && detector().taker(task) == common;
    if is_unit(a) || is_unit(b) { detector().tasks[common.index()].parent } else { common }
}

pub(crate) fn lock_name(symbols: &Symbols, lock: usize) -> String {
    symbols.lock(&raw::lock(lock))
}

/// What an address is called, in a block of memory that began at an address, or in none.
pub(crate) fn location_name(symbols: &Symbols, address: usize, block: Option<(usize, Block)>) -> String {
    symbols.location_name(address, &raw::memory(address, block))
}
