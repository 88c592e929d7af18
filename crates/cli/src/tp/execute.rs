//! One execution of a compiled program, and how to say where things are in it.

use super::code::Code;
use super::fault::Fault;
use super::vm::{Body, Limits, Vm};
use raceproof::run::{Ending, Run};
use raceproof::strategy::Strategy;
use raceproof::task::State;
use raceproof_core::event::{Observer, SyncKind};
use raceproof_core::finding::{Frame, Place, Segment, Spawned, Waiting, Witness};
use raceproof_core::ids::{SiteId, SyncId, TaskId};

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
    Execution { code, file, run, ending }
}

impl<O: Observer> Execution<'_, O> {
    /// Whether it came to its end: no limit cut it short.
    pub fn is_complete(&self) -> bool {
        self.ending.stopped.is_none() && !self.ending.out_of_actions
    }

    pub fn place(&self, site: SiteId) -> Place {
        let info = self.code.sites[site.index()];
        Place { file: self.file.to_owned(), line: info.line, column: info.column }
    }

    /// The spawns that led to a task, outermost first.
    pub fn spawned(&self, task: TaskId) -> Vec<Spawned> {
        let tasks = self.run.kernel.tasks();
        let mut spawned: Vec<Spawned> = tasks
            .ancestry(task)
            .filter(|&at| at != TaskId::MAIN)
            .map(|at| Spawned { task: tasks.path(at), at: self.place(tasks.get(at).site) })
            .collect();
        spawned.reverse();
        spawned
    }

    /// The calls a suspended task is in, innermost first.
    pub fn stack(&self, task: TaskId) -> Vec<Frame> {
        let Some(body) = self.run.kernel.body(task) else { return Vec::new() };
        self.run
            .machine
            .calls(body)
            .map(|(function, site)| Frame { function: function.to_owned(), call: self.place(site) })
            .collect()
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

    /// The schedule so far.
    pub fn witness(&self) -> Witness {
        let tasks = self.run.kernel.tasks();
        let schedule = self.run.turns();
        Witness {
            schedule: schedule
                .iter()
                .map(|&(task, actions)| Segment { task: tasks.path(task), actions })
                .collect(),
        }
    }

    /// Who waits for what, if the run is over and some tasks have not ended.
    pub fn waiting(&self) -> Vec<Waiting> {
        let kernel = &self.run.kernel;
        let tasks = kernel.tasks();
        let describe = |task: TaskId| {
            let (on, what, held_by) = match tasks.get(task).state {
                State::Finishing(scope) => {
                    let inside = tasks.ids().find(|&other| {
                        other != task
                            && tasks.get(other).scope == scope
                            && tasks.get(other).state != State::Ended
                    });
                    ("finish", "its tasks to end".to_owned(), inside)
                }
                State::Waiting(sync) => {
                    let on = match kernel.sync_kind(sync) {
                        SyncKind::Promise => "promise",
                        SyncKind::Future => "future",
                        SyncKind::Isolated => "isolated",
                        SyncKind::Lock => "lock",
                        SyncKind::Semaphore => "semaphore",
                        SyncKind::Event => "event",
                    };
                    let ends = tasks.ids().find(|&other| {
                        kernel.body(other).is_some_and(|body| body.future() == Some(sync))
                            && tasks.get(other).state != State::Ended
                    });
                    (on, self.sync_name(sync), kernel.holder(sync).or(ends))
                }
                _ => return None,
            };
            let site = kernel.body(task).and_then(|body| body.site(self.code));
            Some(Waiting {
                task: tasks.path(task),
                on: on.into(),
                what,
                held_by: held_by.map(|holder| tasks.path(holder)),
                at: self.place(site.unwrap_or(SiteId(0))),
                stack: self.stack(task),
                spawned: self.spawned(task),
            })
        };
        self.run.waiting().filter_map(describe).collect()
    }
}
