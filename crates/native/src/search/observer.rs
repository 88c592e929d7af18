//! The observer of an execution: records the kernel's events in the trace that the search gets, and
//! the actions of a replay.

use super::played::{Done, What};
use super::{ExecutionState, Mode, TaskNote};
use crate::detect::detector;
use crate::detect::detector::Site;
use crate::process::call_site::caller;
use crate::report;
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};

/// Sections that are remembered for a witness; of more, the last ones are not.
const SECTIONS: usize = 1 << 16;

impl ExecutionState {
    /// Whether a sync is ours: the program knows nothing of it.
    pub(crate) fn hides(&self, sync: SyncId) -> bool {
        !self.hidden.is_empty() && self.hidden.contains(&sync)
    }

    pub(crate) fn trace(&self) -> &raceproof_core::explore::trace::Trace {
        &self.trace
    }

    pub(crate) fn label(&self, sync: SyncId) -> SyncId {
        self.labels.get(&sync).copied().unwrap_or(sync)
    }

    /// The running turn has one action more.
    pub(super) fn acted(&mut self) {
        if let Some((_, actions)) = self.segments.last_mut() {
            *actions += 1;
        }
        if let Some(played) = &mut self.played {
            played.count();
        }
    }

    /// The running task has done something that is no access.
    fn did(&mut self, what: What) {
        if let Some(played) = &mut self.played {
            let detector = detector();
            let site = Site { pc: caller(), context: detector.contexts.now().context };
            played.add(Done { task: detector.current(), site, what });
        }
    }

    /// An action that is no access.
    fn synchronised(&mut self, task: TaskId, what: What) {
        self.acted();
        self.did(what);
        self.tasks[task.index()].taken += 1;
        self.note(task);
    }

    /// Remembers where in its actions a task is as the step begins that it is in now.
    fn note(&mut self, task: TaskId) {
        if self.mode == Mode::Explore {
            let step = detector().order.step().0;
            let note = &mut self.tasks[task.index()];
            note.steps.push((step, note.taken, self.trace.position()));
        }
    }
}

impl Observer for ExecutionState {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.trace.spawn(parent, child, scope, site);
        self.tasks.push(TaskNote::default());
        let of_order = detector().runs_as(child).index();
        self.of_kernel.resize(of_order + 1, child);
        self.synchronised(parent, What::Spawn(child));
    }
    fn end(&mut self, task: TaskId) {
        self.did(What::End);
        self.trace.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, _: ScopeId) {
        self.note(task);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.trace.finish_end(task, scope);
        self.synchronised(task, What::FinishEnd);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if kind.is_section() {
            self.trace.signal(task, self.label(sync), kind);
            if self.hides(sync) {
                self.own_steps += 1;
            } else {
                self.did(What::Leave(sync));
            }
            return self.note(task);
        }
        self.trace.signal(task, sync, kind);
        if kind.signal_is_action() {
            self.synchronised(task, What::Signal);
        }
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if kind.is_section() {
            report::state().one_deal |= detector().enters_after_another_unit();
            self.trace.join(task, self.label(sync), kind);
            if self.hides(sync) {
                // An atomic operation; it is the access that a point is at, which comes before or
                // in it.
                self.own_steps += 1;
                self.acted();
                return self.note(task);
            }
            if matches!(self.mode, Mode::Count(_)) && self.entered.len() < SECTIONS {
                let site = Site { pc: caller(), context: detector().contexts.now().context };
                self.entered.push((task, sync, site));
            }
            return self.synchronised(task, What::Enter(sync));
        }
        self.trace.join(task, sync, kind);
        self.synchronised(task, What::Join(kind));
    }
    fn access(&mut self, _: TaskId, _: AccessKind, _: Location, _: SiteId) {
        self.acted();
    }
    fn turn(&mut self, task: TaskId) {
        self.trace.turn(task);
        if self.segments.last().is_none_or(|&(last, _)| last != task) {
            self.segments.push((task, 0));
        }
        self.note(task);
    }
}
