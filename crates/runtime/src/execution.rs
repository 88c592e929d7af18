//! An execution that is over, and how to say where things are in it.

use crate::program::{Execution, Program};
use crate::task::State;
use raceproof_core::event::{Observer, SyncKind};
use raceproof_core::finding::{Frame, Place, Segment, Spawned, Waiting, Witness};
use raceproof_core::ids::{Location, SiteId, SyncId, TaskId};

impl<'a, P: Program<'a>, O: Observer> Execution<'a, P, O> {
    /// Whether it came to its end: no limit cut it short.
    pub fn is_complete(&self) -> bool {
        self.ending.stopped.is_none() && !self.ending.out_of_actions
    }

    /// The limits that cut it short, and what to do about them; `actions` is what it was allowed.
    pub fn limits(&self, actions: u64) -> Vec<String> {
        let mut limits = Vec::new();
        if self.ending.out_of_actions {
            limits.push(format!(
                "the limit of {actions} accesses and synchronisations was reached before the program ended; raise {}, or give the program a smaller input",
                P::RAISE_ACTIONS
            ));
        }
        if let Some(error) = &self.ending.stopped {
            let failure = self.program.failure(error);
            let place = failure.at.map(|at| format!("{}:{}:{}: ", at.file, at.line, at.column));
            limits.push(place.unwrap_or_default() + &failure.message);
        }
        limits
    }

    pub fn place(&self, site: SiteId) -> Place {
        self.program.place(site)
    }

    /// The name of a cell.
    pub fn location(&self, location: Location) -> String {
        self.program.location::<O>(&self.run.machine, location)
    }

    /// A hash of all events, if the program may not be deterministic.
    pub fn fingerprint(&self) -> Option<u64> {
        self.program.fingerprint::<O>(&self.run.machine)
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
        let body = self.run.kernel.body(task);
        body.map(|body| self.program.calls::<O>(&self.run.machine, body)).unwrap_or_default()
    }

    /// The locks a task holds, by name.
    pub fn locks(&self, task: TaskId) -> Vec<String> {
        let kernel = &self.run.kernel;
        kernel.locks_held(task).map(|lock| self.sync_name(lock)).collect()
    }

    /// What something to synchronise through is called.
    pub fn sync_name(&self, sync: SyncId) -> String {
        if sync == self.run.kernel.isolated_lock() {
            return "isolated".into();
        }
        self.program.sync::<O>(&self.run.machine, sync)
    }

    /// The schedule so far.
    pub fn witness(&self) -> Witness {
        let tasks = self.run.kernel.tasks();
        let schedule = self.run.turns();
        Witness {
            program: None,
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
                        kernel.body(other).is_some_and(|body| self.program.future(body) == Some(sync))
                            && tasks.get(other).state != State::Ended
                    });
                    (on, self.sync_name(sync), kernel.holder(sync).or(ends))
                }
                _ => return None,
            };
            let site = kernel.body(task).and_then(|body| self.program.waits_at(body));
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
