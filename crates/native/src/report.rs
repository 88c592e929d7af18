//! What was found, as a report: built when the program ends, however it does.

use crate::detector::{Raced, RacedAccess, Role, Site};
use crate::memory::Block;
use crate::symbols::Symbols;
use crate::world::World;
use crate::{explored, sched, world};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{
    Construct, Deadlock, Grade, Object, Operation, Place, ProgramError, Race, RaceAccess, Region, Report,
    Scope, Spawned, Stats, Waiting, Witness,
};
use raceproof_core::ids::{SyncId, TaskId};
use raceproof_report::{Sources, Style, Suppressions, json, text};
use std::fs;
use std::io::{IsTerminal, Write};

/// What was found before the end, other than races.
#[derive(Default)]
pub(crate) struct Found {
    errors: Vec<ProgramError>,
    deadlocks: Vec<Deadlock>,
    limits: Vec<String>,
    /// The report is written, or not wanted.
    done: bool,
    /// What the program's status becomes.
    bad: bool,
    /// What a replay led to.
    pub(crate) replayed: Option<Result<Report, String>>,
}

impl Found {
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    pub(crate) fn list(&self) -> (Vec<ProgramError>, Vec<Deadlock>, Vec<String>) {
        (self.errors.clone(), self.deadlocks.clone(), self.limits.clone())
    }
}

/// Has the report written when the program calls `exit` or returns from `main`.
pub(crate) fn at_exit() {
    extern "C" fn handler() {
        // For `raceproof run`, which reads the report, the program's own status stands.
        if finish() && world().options.report.is_none() {
            // SAFETY: what the program has printed must come out before the process ends without it.
            unsafe { libc::fflush(std::ptr::null_mut()) };
            crate::interpose::_exit(world().options.status);
        }
    }
    // SAFETY: registered before anything of the program is, so that it runs last.
    unsafe { libc::atexit(handler) };
}

/// The process goes on unchecked.
pub(crate) fn leave_alone() {
    world().found.done = true;
    world().detector.turn_on(false);
    world().detector.record = None;
}

pub(crate) fn limit(text: &str) {
    let limits = &mut world().found.limits;
    if !limits.iter().any(|known| known == text) {
        limits.push(text.to_owned());
    }
}

/// Where the running task is. To be asked before symbols are loaded, which calls functions that note where they are called.
fn here() -> Site {
    Site { pc: crate::kmpc::caller(), context: world().detector.contexts.now().context }
}

/// An error of the program, by the running task where it is.
pub(crate) fn program_error(kind: &str, message: &str) {
    if explored::is_repetition() {
        return;
    }
    let task = world().detector.current();
    let site = here();
    let error = explored::aside(|| describe(kind, message, task, site));
    world().found.errors.push(error);
}

fn describe(kind: &str, message: &str, task: TaskId, site: Site) -> ProgramError {
    let symbols = Symbols::load();
    let spawned = spawned(&symbols, task);
    let (at, stack) = place_for(&symbols, site, &spawned);
    ProgramError {
        kind: kind.to_owned(),
        message: message.to_owned(),
        task: name(task),
        at,
        stack,
        spawned,
        witness: None,
    }
}

/// All tasks wait, the running one for what the text says.
pub(crate) fn stuck(what: &'static str) -> ! {
    let task = world().detector.current();
    let site = here();
    let symbols = Symbols::load();
    let spawned = spawned(&symbols, task);
    let (at, stack) = place_for(&symbols, site, &spawned);
    let (task, on) = (name(task), "event".to_owned());
    let waiting = vec![Waiting { task, on, what: what.to_owned(), held_by: None, at, stack, spawned }];
    world().found.deadlocks.push(Deadlock { waiting, witness: None });
    finish_and_exit(world().options.status)
}

/// The tasks that wait when none can go on.
pub(crate) fn deadlock(waiting: Vec<(TaskId, String, SyncId, Option<TaskId>, Site)>) {
    let symbols = Symbols::load();
    let waiting = waiting.into_iter().map(|(task, on, sync, held_by, site)| {
        let what = match held_by {
            Some(_) => lock_name(&symbols, sync.index()),
            None if on == "future" => "a task".to_owned(),
            None => "an event that nobody fulfills".to_owned(),
        };
        let (at, stack) = place(&symbols, site);
        let spawned = spawned(&symbols, task);
        Waiting { task: name(task), on, what, held_by: held_by.map(name), at, stack, spawned }
    });
    world().found.deadlocks.push(Deadlock { waiting: waiting.collect(), witness: None });
}

pub(crate) fn finish_and_exit(status: i32) -> ! {
    finish();
    // SAFETY: as at the end of any program.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    crate::interpose::_exit(status)
}

/// Writes the report and gives the status the process has to end with instead of `status`.
pub(crate) fn finish_with(status: i32) -> i32 {
    if finish() && world().options.report.is_none() { world().options.status } else { status }
}

/// Writes the report, once; whether anything was found.
pub(crate) fn finish() -> bool {
    let found = &mut world().found;
    if found.done {
        return found.bad;
    }
    found.done = true;
    if explored::finish() {
        return false;
    }
    // A task that ends the program leaves open what the others would have done.
    if sched::job().is_some() && sched::kernel().tasks().live() > 1 {
        world().detector.exclusive = true;
    }
    let recorded = end_trace();
    if world().detector.is_uncertain() {
        limit(raceproof::remote::FEW_READERS);
    }
    let mut report = build();
    world().detector.turn_on(false);
    if let Some(path) = &world().options.suppressions {
        let text = fs::read_to_string(path).map_err(|error| error.to_string());
        match text.and_then(|text| Suppressions::parse(&text)) {
            Ok(suppressions) => suppressions.apply(&mut report),
            Err(error) => crate::say(&format!("cannot use the suppressions in {}: {error}", path.display())),
        }
    }
    let bad = !report.races.is_empty() || !report.errors.is_empty() || !report.deadlocks.is_empty();
    world().found.bad = bad;
    match world().options.report.clone() {
        Some(path) => {
            if let Err(error) = fs::write(&path, json::render(&report)) {
                crate::say(&format!("cannot write the report to {}: {error}", path.display()));
            }
        }
        None if bad || !report.limits.is_empty() => {
            let style = match world().options.color.as_deref() {
                Some("always") => Style::colored(),
                Some("never") => Style::plain(),
                _ => Style::for_stream(std::io::stderr().is_terminal()),
            };
            let mut sources = Sources::new();
            sources.load_for(&report);
            let text = text::render(&report, &sources, style);
            // Nobody can be told if standard error is closed.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
        None => {}
    }
    if let Err(error) = recorded
        && world().options.report.is_none()
    {
        crate::fatal(&error);
    }
    bad
}

/// Ends the trace, if the run is recorded. That it could not be written is a limit in the report, which `raceproof run` reads.
fn end_trace() -> Result<(), String> {
    let (Some(recorder), Some(path)) = (world().detector.record.take(), &world().options.trace) else {
        return Ok(());
    };
    recorder.finish(&Symbols::load()).map_err(|error| {
        let text = format!("cannot write the trace to {}: {error}", path.display());
        limit(&text);
        text
    })
}

fn build() -> Report {
    let symbols = Symbols::load();
    let world = world();
    let detector = &world.detector;
    let scope = if detector.exclusive { Scope::ObservedSchedule } else { Scope::AllSchedules };
    let grade = if detector.exclusive { Grade::Apparent } else { Grade::Feasible };
    let mut races: Vec<Race> = Vec::new();
    for raced in &detector.races {
        let race = in_source_order(race(&symbols, raced, grade));
        let same = |other: &&mut Race| {
            other.location == race.location
                && side(&other.first) == side(&race.first)
                && side(&other.second) == side(&race.second)
        };
        match races.iter_mut().find(same) {
            Some(known) => known.count += race.count,
            None => races.push(race),
        }
    }
    races.sort_by(|a, b| {
        (&a.location, &a.first.at, &a.second.at).cmp(&(&b.location, &b.first.at, &b.second.at))
    });
    let determinate = (!detector.exclusive && races.is_empty()).then_some(true);
    Report { scope, determinate, detector: "default".to_owned(), ..plain(races) }
}

/// What a replay led to: these races, and what else was found.
pub(crate) fn replay(races: Vec<Race>, witness: &Witness) -> Report {
    let mut report = Report { detector: "replay".to_owned(), ..plain(races) };
    let witnesses = report.races.iter_mut().map(|race| &mut race.witness);
    let witnesses = witnesses.chain(report.errors.iter_mut().map(|error| &mut error.witness));
    for to in witnesses.chain(report.deadlocks.iter_mut().map(|deadlock| &mut deadlock.witness)) {
        *to = Some(witness.clone());
    }
    report
}

/// In source order, as everywhere.
pub(crate) fn in_source_order(mut race: Race) -> Race {
    if side(&race.second) < side(&race.first) {
        std::mem::swap(&mut race.first, &mut race.second);
    }
    race
}

fn side(access: &RaceAccess) -> (&Place, AccessKind) {
    (&access.at, access.access)
}

/// A report of races and what else was found, about one schedule.
fn plain(races: Vec<Race>) -> Report {
    let world = world();
    let detector = &world.detector;
    let found = &world.found;
    let verdict = Report::judge(&races, &found.errors, &found.deadlocks, &found.limits);
    Report {
        tool: "raceproof".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        schema: 1,
        verdict,
        scope: Scope::ObservedSchedule,
        determinate: None,
        detector: String::new(),
        races,
        deadlocks: found.deadlocks.clone(),
        errors: found.errors.clone(),
        general_races: Vec::new(),
        limits: found.limits.clone(),
        threads: vec![world.options.threads],
        suppressed: 0,
        stats: Stats {
            executions: 1,
            executions_left: None,
            tasks: detector.statistics().0,
            steps: detector.statistics().1,
            reads: 0,
            writes: 0,
            seconds: world.started.elapsed().as_secs_f64(),
        },
    }
}

/// The name of a task: the way from `main`, `t2` for thread 2 of a team, `3` for a third child, `c3` for the third chunk it took of a
/// loop.
pub(crate) fn name(task: TaskId) -> String {
    let mut parts = Vec::new();
    let mut at = task;
    loop {
        let entry = &world().detector.tasks[at.index()];
        match entry.role {
            Role::Main => break,
            Role::Thread(number) => parts.push(format!("t{number}")),
            Role::Explicit(ordinal) => parts.push(ordinal.to_string()),
            Role::Chunk(ordinal) => parts.push(format!("c{ordinal}")),
        }
        at = entry.parent;
    }
    parts.push("main".to_owned());
    parts.reverse();
    parts.join("/")
}

fn spawned(symbols: &Symbols, task: TaskId) -> Vec<Spawned> {
    let mut list = Vec::new();
    let mut at = task;
    loop {
        let entry = world().detector.tasks[at.index()];
        let (construct, thread) = match entry.role {
            Role::Main => break,
            Role::Thread(number) => (Construct::Parallel, Some(number)),
            Role::Explicit(_) if crate::start::is_shared() => (Construct::Rayon, None),
            Role::Explicit(_) => (Construct::Task, None),
            Role::Chunk(_) => (Construct::For, None),
        };
        let site = world().detector.site(entry.created);
        let (place, _) = place(symbols, site);
        list.push((
            Spawned { task: name(at), at: place, construct: Some(construct), thread },
            is_own(symbols, site),
        ));
        at = entry.parent;
    }
    list.reverse();
    // A library that creates a task which creates another does so for the program, where the program called it.
    for at in 1..list.len() {
        if !list[at].1 {
            (list[at].0.at, list[at].1) = (list[at - 1].0.at.clone(), list[at - 1].1);
        }
    }
    list.into_iter().map(|(spawned, _)| spawned).collect()
}

/// Whether the program itself, and not only a library of it, is on the way to a site.
fn is_own(symbols: &Symbols, site: Site) -> bool {
    let calls = world().detector.contexts.calls(site.context);
    symbols.is_own(std::iter::once(site.pc).chain(calls))
}

/// The loop that a task is a chunk of.
fn region(symbols: &Symbols, task: TaskId) -> Option<Region> {
    let entry = world().detector.tasks[task.index()];
    matches!(entry.role, Role::Chunk(_)).then(|| {
        let (at, _) = place(symbols, world().detector.site(entry.created));
        Region { construct: Construct::For, at }
    })
}

pub(crate) fn place(symbols: &Symbols, site: Site) -> (Place, Vec<raceproof_core::finding::Frame>) {
    let calls = world().detector.contexts.calls(site.context);
    symbols.site(std::iter::once(site.pc).chain(calls))
}

/// The place of something that a task did; if a library did it and nothing of the program is on the way there, where the program had the
/// library create the task.
fn place_for(
    symbols: &Symbols,
    site: Site,
    spawned: &[Spawned],
) -> (Place, Vec<raceproof_core::finding::Frame>) {
    match spawned.last() {
        Some(last) if !is_own(symbols, site) => (last.at.clone(), Vec::new()),
        _ => place(symbols, site),
    }
}

pub(crate) fn race(symbols: &Symbols, raced: &Raced, grade: Grade) -> Race {
    let (location, object) = location(symbols, raced);
    Race {
        location,
        grade,
        partition: 1,
        artifact_of: Vec::new(),
        first: access(symbols, &raced.first),
        second: access(symbols, &raced.second),
        fork: name(common(raced.first.task, raced.second.task)),
        count: raced.count,
        witness: None,
        object,
    }
}

/// The closest task both come from.
fn common(a: TaskId, b: TaskId) -> TaskId {
    let line = |task| {
        std::iter::successors(Some(task), |at: &TaskId| {
            let entry = &world().detector.tasks[at.index()];
            (entry.role != Role::Main).then_some(entry.parent)
        })
    };
    let of_a: Vec<TaskId> = line(a).collect();
    line(b).find(|task| of_a.contains(task)).unwrap_or(TaskId::MAIN)
}

fn access(symbols: &Symbols, access: &RacedAccess) -> RaceAccess {
    let spawned = spawned(symbols, access.task);
    let (at, stack) = place_for(symbols, access.site, &spawned);
    let locks = access.locks.iter().filter(|&&lock| lock != 0).map(|&lock| lock_name(symbols, lock));
    let mut task = name(access.task);
    if access.folded {
        task.push_str("/…");
    }
    RaceAccess {
        access: access.kind,
        task,
        at,
        stack,
        spawned,
        locks: locks.collect(),
        operation: if access.freed {
            Operation::Free
        } else if access.atomic {
            Operation::Atomic
        } else {
            Operation::Plain
        },
        bytes: None,
        region: region(symbols, access.task),
    }
}

pub(crate) fn lock_name(symbols: &Symbols, lock: usize) -> String {
    let Some(address) = crate::kmpc::locks::address(lock) else { return "reduction".to_owned() };
    let Some(variable) = symbols.variable(address) else { return "lock".to_owned() };
    // The compiler's names for critical sections: `.gomp_critical_user_NAME.var`.
    match variable.name.strip_prefix(".gomp_critical_user_").and_then(|name| name.strip_suffix(".var")) {
        Some("") => "critical".to_owned(),
        Some(name) => format!("critical({name})"),
        None => variable.name,
    }
}

/// What an address is called, in a block of memory that began at an address, or in none.
pub(crate) fn location_name(symbols: &Symbols, address: usize, block: Option<(usize, Block)>) -> String {
    if let Some(variable) = symbols.variable(address) {
        return match (variable.offset, variable.size) {
            (0, 0..=8) => variable.name,
            (offset, _) => format!("{}+{offset}", variable.name),
        };
    }
    let Some((base, block)) = block else {
        let World { detector, main_stack, .. } = world();
        let on_a_stack = detector.stacks.of(address).or_else(|| main_stack.of(address)).is_some();
        let what = match (detector.is_thread_local(address), on_a_stack) {
            (true, _) => "a thread-local variable",
            (_, true) => "a local variable",
            _ => "memory",
        };
        return what.to_owned();
    };
    let (at, _) = place(symbols, world().detector.site(block.site));
    format!("heap@{}:{}+{}", at.file, at.line, address - base)
}

fn location(symbols: &Symbols, raced: &Raced) -> (String, Option<Object>) {
    let address = raced.address;
    let location = location_name(symbols, address, raced.block);
    if let Some(variable) = symbols.variable(address) {
        let object = Object::Global { name: variable.name, offset: variable.offset, size: variable.size };
        return (location, Some(object));
    }
    if let Some((base, block)) = raced.block {
        let (at, stack) = place(symbols, world().detector.site(block.site));
        let offset = (address - base) as u64;
        let (size, task) = (block.size as u64, name(block.task));
        return (location, Some(Object::Heap { offset, size, task, at, stack }));
    }
    let task = name(common(raced.first.task, raced.second.task));
    if world().detector.is_thread_local(address) {
        return (location, Some(Object::ThreadLocal { task, name: None }));
    }
    if location == "memory" {
        return (location, None);
    }
    let frame = raced.frame.and_then(|frame| symbols.local(frame.pc - 1, address as i64 - frame.base as i64));
    let Some((name, offset)) = frame else { return (location, Some(Object::Stack { task, name: None })) };
    let location = if offset == 0 { name.clone() } else { format!("{name}+{offset}") };
    (location, Some(Object::Stack { task, name: Some(name) }))
}
