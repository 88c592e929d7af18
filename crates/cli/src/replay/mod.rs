//! `replay`: a program under the schedule of a witness, action by action.
//!
//! The schedule is followed to the letter: a segment that cannot be taken as it stands means that
//! the witness is not of this program, or is not what was reported. At its end two tasks stand
//! before the two accesses of a race, or nobody can go on, or a task has failed; anything else is
//! no witness.

pub(crate) mod command;
pub(crate) mod native;
pub(crate) mod playbacks;

use raceproof::kernel::{Action, Kernel};
use raceproof::limits::Limits;
use raceproof::run::Run;
use raceproof::spawn_path::Paths;
use raceproof::strategy::{Last, Strategy, Turn};
use raceproof::task::State;
use raceproof::witness::path_numbers;
use raceproof_core::event::{AccessKind, Event, Observer, SyncKind};
use raceproof_core::finding::{Deadlock, Place, ProgramError, Race, Witness};
use raceproof_core::ids::{Location, SiteId, SyncId, TaskId};
use raceproof_report::playback::{Action as Played, Of, Op as PlayedOp, Playback, Recorder};
use raceproof_report::replay::count;
pub use raceproof_report::replay::{End, Replayed, Standing};
use raceproof_tp::code::{Code, Op};
use raceproof_tp::fault::What;
use raceproof_tp::source::Source;
use raceproof_tp::value::Value;
use raceproof_tp::vm::{TpTask, Vm};
use std::collections::HashMap;

/// The most races reported at the end of one replay.
const MAX_ENDS: usize = 1000;

/// Gives one task one turn.
struct Once(Option<Turn>);

impl<B, O: Observer> Strategy<B, O> for Once {
    fn eager(&self) -> bool {
        false
    }

    fn next(&mut self, _: &Kernel<B, O>, _: Last) -> Option<Turn> {
        self.0.take()
    }
}

/// Follows the schedule of a witness; an error says where it does not fit the program.
pub fn replay(
    code: &Code,
    source: &Source,
    witness: &Witness,
    limits: Limits<'_>,
) -> Result<Replayed, String> {
    let mut replay = Replay::new(code, source, limits, usize::MAX);
    let ends = replay.follow(witness)?;
    let of = match ends.first() {
        Some(End::Deadlock(_)) => Of::Deadlock(0),
        Some(End::Error { .. }) => Of::Error(0),
        Some(End::Race { .. }) | None => Of::Race(0),
    };
    Ok(Replayed { playback: replay.recorder.finish(of), ends })
}

/// A finding that has a witness.
#[derive(Clone, Copy, Debug)]
pub enum Finding<'a> {
    Race(&'a Race),
    Deadlock(&'a Deadlock),
    Error(&'a ProgramError),
}

impl<'a> Finding<'a> {
    pub(crate) fn witness(self) -> Option<&'a Witness> {
        match self {
            Finding::Race(race) => race.witness.as_ref(),
            Finding::Deadlock(deadlock) => deadlock.witness.as_ref(),
            Finding::Error(error) => error.witness.as_ref(),
        }
    }

    /// Adds what the witness leads to.
    fn end(self, recorder: &mut Recorder) {
        match self {
            Finding::Race(race) => recorder.end_in_race(race),
            Finding::Deadlock(deadlock) => recorder.end_in_deadlock(deadlock),
            Finding::Error(error) => recorder.end_in_error(error),
        }
    }
}

/// Plays a finding back: the last `most` actions of its witness, and what comes next. An error if
/// the witness does not fit.
pub fn play(
    code: &Code,
    source: &Source,
    (of, finding): (Of, Finding<'_>),
    limits: Limits<'_>,
    most: usize,
) -> Result<Playback, String> {
    let mut replay = Replay::new(code, source, limits, most);
    replay.follow(finding.witness().ok_or("the finding has no witness")?)?;
    let played = match finding {
        Finding::Race(race) => replay.race(race).is_some(),
        _ => false,
    };
    if !played {
        finding.end(&mut replay.recorder);
    }
    Ok(replay.recorder.finish(of))
}

struct Replay<'a> {
    code: &'a Code,
    file: &'a str,
    run: Run<Vm<'a>, Vec<Event>>,
    /// Tasks that have been brought up to their first action.
    begun: usize,
    paths: Paths,
    /// Tasks by who spawned them and as which child.
    children: HashMap<(TaskId, u32), TaskId>,
    /// Tasks that the schedule has named.
    by_path: HashMap<String, TaskId>,
    /// What each task that has used up its turn is about to do.
    about: HashMap<TaskId, Action>,
    failed: Vec<(TaskId, &'static str, String, SiteId)>,
    recorder: Recorder,
}

impl<'a> Replay<'a> {
    /// At the beginning of the program, to keep so many actions.
    fn new(code: &'a Code, source: &'a Source, limits: Limits<'a>, most: usize) -> Self {
        let vm = Vm::new(code, limits);
        let main = vm.main();
        let mut run = Run::new(vm, Vec::new(), main);
        run.machine.declare(&mut run.kernel);
        Replay {
            code,
            file: &source.name,
            run,
            begun: 0,
            paths: Paths::default(),
            children: HashMap::new(),
            by_path: HashMap::new(),
            about: HashMap::new(),
            failed: Vec::new(),
            recorder: Recorder::new(most),
        }
    }

    /// Follows a schedule; what it leads to.
    fn follow(&mut self, witness: &Witness) -> Result<Vec<End>, String> {
        self.begin()?;
        for (number, segment) in witness.schedule.iter().enumerate() {
            self.segment(&segment.task, segment.actions).map_err(|wrong| {
                format!(
                    "segment {} of the schedule ({} of {}): {wrong}",
                    number + 1,
                    count(segment.actions),
                    segment.task
                )
            })?;
        }
        self.misuses()?;
        self.ends()
    }

    /// Makes the two accesses of a race, which the tasks are about to make; none if they are not.
    fn race(&mut self, race: &Race) -> Option<()> {
        let mut tasks = Vec::new();
        for side in [&race.first, &race.second] {
            let task = self.task(&side.task).ok()?;
            let Some(&Action::Access { kind, site, .. }) = self.about.get(&task) else { return None };
            (kind == side.access && self.place(site) == side.at).then_some(())?;
            tasks.push(task);
        }
        for task in tasks {
            let from = self.recorder.count();
            self.turn(task, 1).ok()?;
            let is_access = |action: &Played| matches!(action.op, PlayedOp::Read | PlayedOp::Write);
            let (made, ..) = self.recorder.since(from).find(|(_, _, action)| is_access(action))?;
            self.recorder.races(made);
        }
        Some(())
    }

    /// Gives a task a turn of so many actions; how many it took.
    fn turn(&mut self, task: TaskId, actions: u64) -> Result<u64, String> {
        let before = self.run.kernel.tasks().get(task).taken();
        let site = self.run.kernel.body(task).and_then(|body| op_site(self.code, body));
        self.about.remove(&task);
        let ending = self.run.drive(&mut Once(Some(Turn::actions(task, actions))));
        if let Some(fault) = ending.stopped {
            return Err(fault.message);
        }
        for (task, fault) in ending.failed {
            if let (What::Error(kind), Some(site)) = (fault.what, fault.site) {
                self.failed.push((task, kind.name(), fault.message, site));
            }
        }
        if let (State::Ready, Some(action)) =
            (self.run.kernel.tasks().get(task).state, self.run.kernel.refused())
        {
            self.about.insert(task, action);
        }
        self.paths.extend(self.run.kernel.tasks());
        self.tell(site);
        Ok(self.run.kernel.tasks().get(task).taken() - before)
    }

    /// Brings tasks that have been spawned up to their first action; those without any are over
    /// then.
    fn begin(&mut self) -> Result<(), String> {
        while self.begun < self.run.kernel.tasks().len() {
            let task = TaskId::at(self.begun);
            self.begun += 1;
            let entry = self.run.kernel.tasks().get(task);
            if let Some(parent) = entry.parent() {
                self.children.insert((parent, entry.ordinal), task);
            }
            self.turn(task, 0)?;
        }
        Ok(())
    }

    /// The task with a spawn path, if it has been spawned.
    fn task(&mut self, path: &str) -> Result<TaskId, String> {
        if let Some(&task) = self.by_path.get(path) {
            return Ok(task);
        }
        let mut task = TaskId::MAIN;
        for (ordinal, times) in path_numbers(path).map_err(|bad| bad.message)? {
            for _ in 0..times {
                let child = self.children.get(&(task, ordinal));
                task = *child.ok_or("there is no such task yet")?;
            }
        }
        self.by_path.insert(path.to_owned(), task);
        Ok(task)
    }

    fn segment(&mut self, path: &str, actions: u64) -> Result<(), String> {
        for done in 0..actions {
            self.begin()?;
            let task = self.task(path)?;
            let taken = match self.run.kernel.tasks().get(task).state {
                State::Ready => self.turn(task, 1)?,
                _ => 0,
            };
            self.begin()?;
            // It may have found out that it has to wait for tasks that were over at once.
            let taken = if taken == 0 && self.run.kernel.tasks().get(task).state == State::Ready {
                self.turn(task, 1)?
            } else {
                taken
            };
            if taken == 0 {
                return Err(format!("after {} it {}", count(done), self.why_not(task)));
            }
        }
        Ok(())
    }

    /// Lets tasks fail that are about to set a promise again or to enter a lock they hold: that is
    /// no action, so no schedule has it.
    fn misuses(&mut self) -> Result<(), String> {
        let kernel = &self.run.kernel;
        let fails = |task: &TaskId| match self.about.get(task) {
            Some(&Action::Signal(sync)) => {
                kernel.sync_kind(sync) == SyncKind::Promise && kernel.is_enabled(Action::Join(sync))
            }
            Some(&Action::Join(sync)) => kernel.locks_held(*task).any(|lock| lock == sync),
            _ => false,
        };
        let failing: Vec<TaskId> = kernel.tasks().ready().filter(fails).collect();
        failing.into_iter().try_for_each(|task| self.turn(task, 1).map(drop))
    }

    fn why_not(&self, task: TaskId) -> String {
        match self.run.kernel.tasks().get(task).state {
            State::Ended => "has ended".into(),
            State::Failed => "has failed".into(),
            State::Finishing(_) => "waits for the tasks of a finish".into(),
            State::Waiting(sync) => format!("waits for {}", self.sync(sync)),
            State::Ready | State::Running => "does not go on".into(),
        }
    }

    /// Records the events since the last time.
    fn tell(&mut self, site: Option<SiteId>) {
        for event in std::mem::take(&mut self.run.kernel.observer) {
            let mut accessed = (None, None);
            let (task, op, text, site) = match event {
                Event::Access { task, kind, location, site }
                | Event::Atomic { task, kind, location, site } => {
                    let (verb, op) = match kind {
                        AccessKind::Read => ("reads", PlayedOp::Read),
                        AccessKind::Write => ("writes", PlayedOp::Write),
                    };
                    let (name, value) = (self.name(location), self.value(location));
                    self.recorder.holds(&name, || initial(self.code, location));
                    let text = format!("{verb} {name}: {value}");
                    accessed = (Some(name), Some(value));
                    (task, op, text, Some(site))
                }
                Event::Spawn { parent, child, site, .. } => {
                    (parent, PlayedOp::Spawn, format!("spawns {}", self.paths.name(child)), Some(site))
                }
                Event::FinishEnd { task, .. } => (task, PlayedOp::Join, "ends a finish".into(), site),
                Event::Signal { task, sync, kind } => match kind {
                    SyncKind::Promise => (task, PlayedOp::Set, format!("sets {}", self.sync(sync)), site),
                    SyncKind::Event => (task, PlayedOp::Post, format!("posts {}", self.sync(sync)), site),
                    SyncKind::Semaphore => (task, PlayedOp::Give, "gives a semaphore back".into(), site),
                    SyncKind::Isolated | SyncKind::Lock => {
                        (task, PlayedOp::Release, format!("leaves {}", self.sync(sync)), None)
                    }
                    SyncKind::Future => (task, PlayedOp::Set, "gives the value of its future".into(), None),
                },
                Event::Join { task, sync, kind } => match kind {
                    SyncKind::Isolated | SyncKind::Lock => {
                        (task, PlayedOp::Acquire, format!("enters {}", self.sync(sync)), site)
                    }
                    SyncKind::Semaphore => (task, PlayedOp::Take, "takes a semaphore".into(), site),
                    SyncKind::Event => {
                        (task, PlayedOp::Wait, format!("has waited for {}", self.sync(sync)), site)
                    }
                    SyncKind::Promise | SyncKind::Future => {
                        (task, PlayedOp::Get, format!("has waited for {}", self.sync(sync)), site)
                    }
                },
                Event::End { task } => (task, PlayedOp::End, "ends".into(), None),
                Event::FinishBegin { .. } => continue,
            };
            let at = site.map(|site| self.place(site));
            let (location, value) = accessed;
            let counted = event.is_action();
            let action = Played { location, value, counted, ..Played::new(op, text, at) };
            self.recorder.push(self.paths.name(task), action);
        }
    }

    fn ends(&self) -> Result<Vec<End>, String> {
        let mut ends = Vec::new();
        let kernel = &self.run.kernel;
        let tasks = kernel.tasks();
        let accesses: Vec<(TaskId, AccessKind, Location, SiteId)> = tasks
            .ready()
            .filter_map(|task| match self.about.get(&task) {
                Some(&Action::Access { kind, location, site }) => Some((task, kind, location, site)),
                _ => None,
            })
            .collect();
        for (at, one) in accesses.iter().enumerate() {
            for other in &accesses[at + 1..] {
                if one.2 == other.2 && one.1.conflicts(other.1) && ends.len() < MAX_ENDS {
                    let [mut first, mut second] = [one, other].map(|&(task, kind, _, site)| Standing {
                        task: self.paths.name(task),
                        what: if kind == AccessKind::Read { "reads" } else { "writes" }.into(),
                        at: Some(self.place(site)),
                    });
                    if (&second.at, &second.task) < (&first.at, &first.task) {
                        std::mem::swap(&mut first, &mut second);
                    }
                    ends.push(End::Race { location: self.name(one.2), first, second });
                }
            }
        }
        for &(task, kind, ref message, site) in &self.failed {
            let (task, message) = (self.paths.name(task), message.clone());
            ends.push(End::Error { kind, message, task, at: self.place(site) });
        }
        let can_go = |task: TaskId| self.about.get(&task).is_none_or(|&action| kernel.is_enabled(action));
        if ends.is_empty() && tasks.live() > 0 && !tasks.ready().any(can_go) {
            let stuck = tasks.ids().filter(|&task| {
                matches!(tasks.get(task).state, State::Waiting(_) | State::Finishing(_) | State::Ready)
            });
            let standing = |task: TaskId| Standing {
                task: self.paths.name(task),
                what: match self.about.get(&task) {
                    Some(&Action::Join(sync)) => format!("waits for {}", self.sync(sync)),
                    Some(Action::FinishEnd(_)) => "waits for the tasks of a finish".into(),
                    _ => self.why_not(task),
                },
                at: kernel.body(task).and_then(|body| op_site(self.code, body)).map(|site| self.place(site)),
            };
            ends.push(End::Deadlock(stuck.map(standing).collect()));
        }
        if !ends.is_empty() {
            return Ok(ends);
        }
        Err("at the end of the schedule no two tasks are about to race, all could go on and none has failed: the witness is of another program, or was changed".into())
    }

    fn name(&self, location: Location) -> String {
        self.run.machine.memory.name(self.code, location)
    }

    fn value(&self, location: Location) -> String {
        match self.run.machine.memory.get(location.0 as u32) {
            Value::Int(value) => value.to_string(),
            reference => reference.kind().into(),
        }
    }

    fn sync(&self, sync: SyncId) -> String {
        let kernel = &self.run.kernel;
        if sync == kernel.isolated_lock() {
            return "an isolated section".into();
        }
        if let Some(name) = self.run.machine.sync_name(sync) {
            return match kernel.sync_kind(sync) {
                SyncKind::Lock => format!("the lock {name}"),
                SyncKind::Event => format!("the event {name}"),
                _ => format!("the semaphore {name}"),
            };
        }
        let kind = if kernel.sync_kind(sync) == SyncKind::Future { "future" } else { "promise" };
        match self.run.machine.made(sync) {
            Some(site) => {
                let at = self.place(site);
                format!("the {kind} made at {}:{}", at.line, at.column)
            }
            None => format!("a {kind}"),
        }
    }

    fn place(&self, site: SiteId) -> Place {
        let info = self.code.sites[site.index()];
        Place { file: self.file.to_owned(), line: info.line, column: info.column }
    }
}

/// What a declared variable holds when the program begins.
fn initial(code: &Code, location: Location) -> Option<String> {
    let mut regions = code.regions.iter();
    let has = |base: u32, len: Option<u32>| (base..base + len.unwrap_or(1)).contains(&(location.0 as u32));
    regions.find(|region| has(region.base, region.len)).map(|region| region.init.to_string())
}

/// Where the instruction a suspended task is at stands in the source.
fn op_site(code: &Code, body: &TpTask) -> Option<SiteId> {
    match code.ops[body.pc() as usize] {
        Op::Set(site) | Op::V { site, .. } | Op::Post { site, .. } => Some(site),
        _ => body.site(code),
    }
}
