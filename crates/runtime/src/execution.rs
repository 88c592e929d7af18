//! An execution that has ended, and the names of what is in it.

use crate::limits::Limits;
use crate::program::{Execution, LISTED, OUTERMOST, Program};
use crate::sections::Sections;
use crate::spawn_path::Paths;
use crate::task::State;
use raceproof_core::event::{Observer, SyncKind};
use raceproof_core::finding::{EnteredSection, Frame, Place, Segment, Spawned, Waiting, Witness};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHashMap;

/// Waiting tasks listed for one deadlock.
const WAITING: usize = 1000;

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
                "the limit of {actions} accesses and synchronisations was reached before the program ended; \
                 raise {}, or give the program a smaller input",
                P::RAISE.actions
            ));
        }
        if let Some(error) = &self.ending.stopped {
            let failure = self.program.failure(error);
            limits.push(failure.at.as_ref().map(position).unwrap_or_default() + &failure.message);
        }
        limits
    }

    pub fn place(&self, site: SiteId) -> Place {
        self.program.place(site)
    }

    /// `f.tp:4:5: `, to begin a message with.
    pub fn position(&self, site: SiteId) -> String {
        position(&self.place(site))
    }

    /// Whether a limit that would not be reached at the same point again cut it short.
    pub fn is_cut_by_chance(&self) -> bool {
        self.ending.stopped.as_ref().is_some_and(|error| self.program.failure(error).by_chance)
    }

    /// The limits of a repetition: it ends where this run ended, however long that takes.
    pub fn limits_again(&self) -> Limits<'static> {
        // Limits that do not come by chance come again by themselves.
        let looks = self.is_cut_by_chance().then(|| self.program.looks::<O>(&self.run.machine));
        Limits { looks, ..Limits::default() }
    }

    /// The most actions of a repetition, of which one run was allowed `most`. A program that does
    /// the same again needs no more than this run; one that does not might go on for ever.
    pub fn actions_again(&self, most: u64) -> u64 {
        let tasks = self.run.kernel.tasks();
        let taken: u64 = tasks.ids().map(|task| tasks.get(task).taken()).sum();
        most.min(taken.saturating_add(1))
    }

    /// The name of a cell.
    pub fn location(&self, location: Location) -> String {
        self.program.location::<O>(&self.run.machine, location)
    }

    /// A hash of all events, if the program may not be deterministic.
    pub fn fingerprint(&self) -> Option<u64> {
        self.program.fingerprint::<O>(&self.run.machine)
    }

    /// The name of a task: its spawn path.
    pub fn task_name(&self, task: TaskId) -> String {
        self.paths().name(task)
    }

    fn paths(&self) -> &Paths {
        self.paths.get_or_init(|| Paths::new(self.run.kernel.tasks()))
    }

    /// The spawns that led to a task, outermost first; of very many, those in the middle are left
    /// out.
    pub fn spawned(&self, task: TaskId) -> Vec<Spawned> {
        let tasks = self.run.kernel.tasks();
        let mut way: Vec<TaskId> = tasks.ancestry(task).filter(|&at| at != TaskId::MAIN).collect();
        way.reverse();
        if way.len() > LISTED {
            way.drain(OUTERMOST..way.len() - (LISTED - OUTERMOST));
        }
        way.into_iter()
            .map(|at| Spawned {
                task: self.task_name(at),
                at: self.place(tasks.get(at).site),
                construct: None,
                thread: None,
                name: None,
            })
            .collect()
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

    /// The schedule so far; none if a task of it is too deep to be named.
    pub fn witness(&self) -> Option<Witness> {
        let turns = self.run.turns().iter();
        let segments =
            turns.map(|&(task, actions)| Some(Segment { task: self.paths().path(task)?, actions }));
        Some(Witness { schedule: segments.collect::<Option<_>>()?, ..Witness::default() })
    }

    /// The sections that were entered, by name.
    pub(crate) fn named_sections(&self, sections: &Sections) -> Vec<EnteredSection> {
        let name = |&(task, sync, site): &(TaskId, SyncId, Option<SiteId>)| EnteredSection {
            task: self.task_name(task),
            lock: self.sync_name(sync),
            at: site.map(|site| self.place(site)),
        };
        sections.entered.iter().map(name).collect()
    }

    /// Who waits for what, if the run has ended before some tasks: the first of them, and how many
    /// there are.
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
            let site = kernel.body(task).and_then(|body| self.program.waits_at(body));
            Some(Waiting {
                task: self.task_name(task),
                on: on.into(),
                what,
                held_by: held_by.map(|holder| self.task_name(holder)),
                holder_ended: None,
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
    fn of<'a, P: Program<'a>, O: Observer>(execution: &Execution<'a, P, O>) -> Self {
        let kernel = &execution.run.kernel;
        let tasks = kernel.tasks();
        let mut holders = Holders::default();
        for task in tasks.ids().filter(|&task| tasks.get(task).state != State::Ended) {
            if let Some(sync) = kernel.body(task).and_then(|body| execution.program.future(body)) {
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

fn position(Place { file, line, column }: &Place) -> String {
    format!("{file}:{line}:{column}: ")
}
