//! One execution of a compiled program, and how to say where things are in it.

use super::code::Code;
use super::fault::{Fault, Limit, What};
use super::vm::{Body, Vm};
use super::watch::Limits;
use raceproof::path::Paths;
use raceproof::run::{Ending, Run};
use raceproof::strategy::Strategy;
use raceproof::task::State;
use raceproof_core::event::{Observer, SyncKind};
use raceproof_core::finding::{Frame, Place, Segment, Spawned, Waiting, Witness};
use raceproof_core::ids::{ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Spawns listed for one task and calls for one place; of more, the outermost and the innermost.
const LISTED: usize = 128;
const OUTERMOST: usize = 16;

/// Waiting tasks listed for one deadlock.
const WAITING: usize = 1000;

/// What bounds one execution.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    pub actions: u64,
    pub limits: Limits<'a>,
    /// Whether the schedule is kept, for [`Execution::witness`].
    pub keep_schedule: bool,
    /// Whether what the program prints is kept.
    pub keep_output: bool,
}

impl Default for Bounds<'_> {
    fn default() -> Self {
        Bounds { actions: u64::MAX, limits: Limits::default(), keep_schedule: false, keep_output: false }
    }
}

/// An execution that is over.
pub struct Execution<'a, O: Observer> {
    pub code: &'a Code,
    /// The name of the source file, for places.
    pub file: &'a str,
    pub run: Run<Vm<'a>, O>,
    pub ending: Ending<Fault>,
    paths: OnceCell<Paths>,
}

/// Runs the program as `strategy` says and tells `observer` of it.
pub fn execute<'a, O: Observer, S: Strategy<Body, O>>(
    code: &'a Code,
    file: &'a str,
    observer: O,
    strategy: &mut S,
    bounds: Bounds<'a>,
) -> Execution<'a, O> {
    let mut vm = Vm::new(code, bounds.limits);
    if bounds.keep_output {
        vm.output = Some(String::new());
    }
    let main = vm.main();
    let mut run = Run::new(vm, observer, main);
    run.machine.declare(&mut run.kernel);
    run.limit_actions(bounds.actions);
    if bounds.keep_schedule {
        run.keep_turns();
    }
    let ending = run.drive(strategy);
    Execution { code, file, run, ending, paths: OnceCell::new() }
}

impl<O: Observer> Execution<'_, O> {
    /// Whether it came to its end: no limit cut it short.
    pub fn is_complete(&self) -> bool {
        self.ending.stopped.is_none() && !self.ending.out_of_actions
    }

    /// The limits that cut it short, and what to do about them; `actions` is what it was allowed.
    pub fn limits(&self, actions: u64) -> Vec<String> {
        let mut limits = Vec::new();
        if self.ending.out_of_actions {
            limits.push(format!(
                "the limit of {actions} accesses and synchronisations was reached before the program ended; \
                 raise --max-events, or give the program a smaller input"
            ));
        }
        if let Some(fault) = &self.ending.stopped {
            let position = fault.site.map(|site| self.position(site)).unwrap_or_default();
            let advice = match fault.what {
                What::Limit(Limit::Seconds) => "; raise --max-seconds, or give the program a smaller input",
                What::Limit(Limit::Memory) => "; raise --max-memory, or give the program a smaller input",
                _ => "",
            };
            limits.push(format!("{position}{}{advice}", fault.message));
        }
        limits
    }

    /// The name of a task: its spawn path.
    pub fn task_name(&self, task: TaskId) -> String {
        self.paths().name(task)
    }

    fn paths(&self) -> &Paths {
        self.paths.get_or_init(|| Paths::new(self.run.kernel.tasks()))
    }

    pub fn place(&self, site: SiteId) -> Place {
        let info = self.code.sites[site.index()];
        Place { file: self.file.to_owned(), line: info.line, column: info.column }
    }

    /// `f.tp:4:5: `, to begin a message with.
    pub fn position(&self, site: SiteId) -> String {
        let Place { file, line, column } = self.place(site);
        format!("{file}:{line}:{column}: ")
    }

    /// The spawns that led to a task, outermost first; of very many, those in the middle are left out.
    pub fn spawned(&self, task: TaskId) -> Vec<Spawned> {
        let tasks = self.run.kernel.tasks();
        let mut way: Vec<TaskId> = tasks.ancestry(task).filter(|&at| at != TaskId::MAIN).collect();
        way.reverse();
        if way.len() > LISTED {
            way.drain(OUTERMOST..way.len() - (LISTED - OUTERMOST));
        }
        way.into_iter()
            .map(|at| Spawned { task: self.task_name(at), at: self.place(tasks.get(at).site) })
            .collect()
    }

    /// The calls a suspended task is in, innermost first; of very many, those in the middle are left out, and a frame
    /// without a line says how many.
    pub fn stack(&self, task: TaskId) -> Vec<Frame> {
        let Some(body) = self.run.kernel.body(task) else { return Vec::new() };
        let frame = |(function, site): (&str, SiteId)| Frame {
            function: function.to_owned(),
            call: self.place(site),
        };
        let depth = body.calls(self.code).count();
        if depth <= LISTED {
            return body.calls(self.code).map(frame).collect();
        }
        let innermost = LISTED - OUTERMOST;
        let left_out = depth - LISTED;
        let mut frames: Vec<Frame> = body.calls(self.code).take(innermost).map(frame).collect();
        let call = Place { file: self.file.to_owned(), line: 0, column: 0 };
        frames.push(Frame { function: format!("{left_out} further calls"), call });
        frames.extend(body.calls(self.code).skip(innermost + left_out).map(frame));
        frames
    }

    /// The locks a task holds, by name.
    pub fn locks(&self, task: TaskId) -> Vec<String> {
        let kernel = &self.run.kernel;
        kernel.locks_held(task).map(|lock| self.sync_name(lock)).collect()
    }

    fn sync_name(&self, sync: SyncId) -> String {
        if sync == self.run.kernel.isolated_lock() {
            return "isolated".into();
        }
        if let Some(name) = self.run.machine.sync_name(sync) {
            return name;
        }
        match self.run.machine.made(sync) {
            Some(site) => {
                let Place { line, column, .. } = self.place(site);
                format!("made at {line}:{column}")
            }
            None => String::new(),
        }
    }

    /// The schedule so far; none if a task of it is too deep to be named.
    pub fn witness(&self) -> Option<Witness> {
        let turns = self.run.turns().iter();
        let segments =
            turns.map(|&(task, actions)| Some(Segment { task: self.paths().path(task)?, actions }));
        Some(Witness { schedule: segments.collect::<Option<_>>()? })
    }

    /// Who waits for what, if the run is over and some tasks have not ended: the first of them, and how many there are.
    pub fn waiting(&self) -> (Vec<Waiting>, usize) {
        let kernel = &self.run.kernel;
        let tasks = kernel.tasks();
        let holders = Holders::of(self);
        let describe = |task: TaskId| {
            let (on, what, held_by) = match tasks.get(task).state {
                State::Finishing(scope) => ("finish", String::new(), holders.inside(scope, task)),
                State::Waiting(sync) => {
                    let on = match kernel.sync_kind(sync) {
                        SyncKind::Promise => "promise",
                        SyncKind::Future => "future",
                        SyncKind::Isolated => "isolated",
                        SyncKind::Lock => "lock",
                        SyncKind::Semaphore => "semaphore",
                        SyncKind::Event => "event",
                    };
                    let ends = holders.futures.get(&sync).copied();
                    (on, self.sync_name(sync), kernel.holder(sync).or(ends))
                }
                _ => return None,
            };
            let site = kernel.body(task).and_then(|body| body.site(self.code));
            Some(Waiting {
                task: self.task_name(task),
                on: on.into(),
                what,
                held_by: held_by.map(|holder| self.task_name(holder)),
                at: self.place(site.unwrap_or(SiteId(0))),
                stack: self.stack(task),
                spawned: self.spawned(task),
            })
        };
        let listed = self.run.waiting().take(WAITING).filter_map(describe).collect();
        (listed, self.run.waiting().count())
    }
}

/// The tasks that have not ended, by what ends with them.
#[derive(Default)]
struct Holders {
    futures: FxHashMap<SyncId, TaskId>,
    /// The first two tasks in each scope: one may be the task that waits for the end of it.
    scopes: FxHashMap<ScopeId, (TaskId, Option<TaskId>)>,
}

impl Holders {
    fn of<O: Observer>(execution: &Execution<'_, O>) -> Self {
        let kernel = &execution.run.kernel;
        let tasks = kernel.tasks();
        let mut holders = Holders::default();
        for task in tasks.ids().filter(|&task| tasks.get(task).state != State::Ended) {
            if let Some(sync) = kernel.body(task).and_then(Body::future) {
                holders.futures.insert(sync, task);
            }
            let mut scope = Some(tasks.get(task).scope);
            while let Some(at) = scope {
                let known = holders.scopes.entry(at).or_insert((task, None));
                match known.1 {
                    // Both are in the scopes around it as well.
                    Some(_) => break,
                    None if known.0 != task => known.1 = Some(task),
                    None => {}
                }
                scope = kernel.outer(at);
            }
        }
        holders
    }

    fn inside(&self, scope: ScopeId, owner: TaskId) -> Option<TaskId> {
        let &(first, second) = self.scopes.get(&scope)?;
        if first == owner { second } else { Some(first) }
    }
}
