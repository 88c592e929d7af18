//! One execution as the explorer sees it: transitions, and the events that order them whatever the schedule.

use super::{Choice, Content, TaskName, summarise};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};

/// What a task did from one choice to the next.
#[derive(Clone, Debug)]
pub struct Transition {
    pub task: TaskId,
    pub content: Content,
    /// Where each of the accesses of `content` is.
    pub sites: Vec<SiteId>,
}

/// What happened, as far as it orders tasks. Transitions are named by their index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hard {
    Begin(u32),
    Spawn {
        parent: TaskId,
        child: TaskId,
    },
    End {
        task: TaskId,
        scope: ScopeId,
    },
    FinishEnd {
        task: TaskId,
        scope: ScopeId,
    },
    Signal {
        task: TaskId,
        sync: SyncId,
    },
    Join {
        task: TaskId,
        sync: SyncId,
    },
    /// A section is left.
    Leave {
        section: u32,
        task: TaskId,
    },
}

/// Records an execution in which every turn is a transition.
#[derive(Debug)]
pub struct Trace {
    pub transitions: Vec<Transition>,
    pub(super) log: Vec<Hard>,
    /// The names of the tasks.
    pub names: Vec<TaskName>,
    scopes: Vec<ScopeId>,
    children: Vec<u32>,
    /// The accesses of the section that the running transition entered, while it is open.
    accesses: Vec<(Location, AccessKind, SiteId)>,
    /// The sections that are open: the lock, the transition that entered it.
    open: Vec<(SyncId, u32)>,
    /// Whether the running transition waited, or might have, inside the section it entered.
    waited: bool,
    /// The cells from here on were made inside that section. Whoever else accesses them comes after it anyway, by the way in which
    /// the reference was handed on; and in another execution these numbers would be another's cells.
    fresh: Location,
}

impl Default for Trace {
    fn default() -> Self {
        Trace::new()
    }
}

impl Trace {
    /// An empty trace.
    pub fn new() -> Self {
        Trace {
            transitions: Vec::new(),
            log: Vec::new(),
            names: vec![TaskName::MAIN],
            scopes: vec![ScopeId::PROGRAM],
            children: vec![0],
            accesses: Vec::new(),
            open: Vec::new(),
            waited: false,
            fresh: Location(u64::MAX),
        }
    }

    /// Ends the execution.
    pub fn finish(&mut self) {
        self.close_transition();
    }

    /// The accesses of a section that is still open when its transition ends belong to it no less.
    fn close_transition(&mut self) {
        if self.accesses.is_empty() {
            return;
        }
        if let Some(transition) = self.transitions.last_mut() {
            (transition.content.accesses, transition.sites) = summarise(&mut self.accesses);
        }
        self.accesses.clear();
    }

    fn current(&self) -> u32 {
        self.transitions.len() as u32 - 1
    }

    /// How far it has come.
    pub fn mark(&self) -> Mark {
        Mark { transitions: self.transitions.len(), log: self.log.len() }
    }

    /// Forgets what came after a mark.
    pub fn truncate(&mut self, mark: Mark) {
        self.finish();
        self.transitions.truncate(mark.transitions);
        self.log.truncate(mark.log);
    }
}

/// A place in a [`Trace`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    transitions: usize,
    log: usize,
}

impl Observer for Trace {
    fn turn(&mut self, task: TaskId) {
        self.close_transition();
        let content = Content { choice: Choice::None, closed: true, accesses: Vec::new() };
        self.transitions.push(Transition { task, content, sites: Vec::new() });
        self.log.push(Hard::Begin(self.current()));
    }

    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        let ordinal = &mut self.children[parent.index()];
        *ordinal += 1;
        let name = self.names[parent.index()].child(*ordinal);
        self.names.push(name);
        self.scopes.push(scope);
        self.children.push(0);
        self.log.push(Hard::Spawn { parent, child });
    }

    fn end(&mut self, task: TaskId) {
        self.log.push(Hard::End { task, scope: self.scopes[task.index()] });
    }

    fn finish_begin(&mut self, _: TaskId, _: ScopeId) {}

    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.waited = true;
        self.log.push(Hard::FinishEnd { task, scope });
    }

    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !matches!(kind, SyncKind::Lock | SyncKind::Isolated) {
            self.log.push(Hard::Signal { task, sync });
            return;
        }
        let Some(at) = self.open.iter().rposition(|&(lock, _)| lock == sync) else { return };
        let (_, section) = self.open.remove(at);
        if section == self.current() {
            self.transitions[section as usize].content.closed = !self.waited;
            self.close_transition();
        }
        self.log.push(Hard::Leave { section, task });
    }

    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !matches!(kind, SyncKind::Lock | SyncKind::Isolated) {
            self.waited = true;
            self.log.push(Hard::Join { task, sync });
            return;
        }
        self.waited = false;
        self.fresh = Location(u64::MAX);
        let section = self.current();
        self.transitions[section as usize].content.choice = Choice::Section(sync.0);
        self.transitions[section as usize].content.closed = false;
        self.open.push((sync, section));
    }

    #[inline]
    fn access(&mut self, _: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        if let Some(&(_, section)) = self.open.last()
            && section == self.current()
            && location < self.fresh
        {
            self.accesses.push((location, kind, site));
        }
    }

    fn fresh(&mut self, first: Location) {
        self.fresh = self.fresh.min(first);
    }
}
