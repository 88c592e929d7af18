//! The open finishes, under handles that stay valid while the order renumbers its own scopes.

use raceproof_core::ids::ScopeId;
use rustc_hash::FxHashSet;

/// An open finish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Finish(u32);

const NONE: ScopeId = ScopeId(u32::MAX);

#[derive(Debug)]
pub(super) struct Finishes {
    scopes: Vec<ScopeId>,
    spare: Vec<Finish>,
    /// The next id that the order assigns.
    next: u32,
    /// The finishes that the kernel has opened, by its own ids, which it reuses.
    of_kernel: Vec<Finish>,
    /// The one that was opened last.
    newest: Finish,
    /// Those of which a task has ended detached.
    detached: FxHashSet<ScopeId>,
}

impl Finishes {
    /// That of the whole program.
    const PROGRAM: Finish = Finish(0);

    pub(super) fn new() -> Self {
        Finishes {
            scopes: vec![ScopeId::PROGRAM],
            spare: Vec::new(),
            next: 1,
            of_kernel: vec![Self::PROGRAM],
            newest: Self::PROGRAM,
            detached: FxHashSet::default(),
        }
    }

    /// Opens another; the order numbers finishes consecutively.
    #[inline]
    pub(super) fn begin(&mut self) -> (Finish, ScopeId) {
        let scope = ScopeId(self.next);
        self.next += 1;
        let finish = self.spare.pop().unwrap_or(Finish(self.scopes.len() as u32));
        match self.scopes.get_mut(finish.0 as usize) {
            Some(spare) => *spare = scope,
            None => self.scopes.push(scope),
        }
        self.newest = finish;
        (finish, scope)
    }

    #[inline]
    pub(super) fn scope(&self, finish: Finish) -> ScopeId {
        self.scopes[finish.0 as usize]
    }

    #[inline]
    pub(super) fn newest(&self) -> Finish {
        self.newest
    }

    /// The finish that the kernel calls so.
    #[inline]
    pub(super) fn of_kernel(&self, scope: ScopeId) -> Finish {
        self.of_kernel[scope.index()]
    }

    /// From now on the kernel calls the finish so.
    pub(super) fn set_of_kernel(&mut self, scope: ScopeId, finish: Finish) {
        match self.of_kernel.get_mut(scope.index()) {
            Some(spare) => *spare = finish,
            None => self.of_kernel.push(finish),
        }
    }

    /// The finish has ended: its handle is free.
    #[inline]
    pub(super) fn end(&mut self, finish: Finish) {
        self.scopes[finish.0 as usize] = NONE;
        self.spare.push(finish);
    }

    /// A task of the finish has ended detached.
    pub(super) fn note_detached(&mut self, scope: ScopeId) {
        self.detached.insert(scope);
    }

    pub(super) fn has_detached(&self, scope: ScopeId) -> bool {
        self.detached.contains(&scope)
    }

    /// The same, of a finish that is about to end.
    #[inline]
    pub(super) fn take_detached(&mut self, scope: ScopeId) -> bool {
        self.detached.remove(&scope)
    }

    pub(super) fn open(&self) -> impl Iterator<Item = ScopeId> + '_ {
        self.scopes.iter().copied().filter(|&scope| scope != NONE)
    }

    /// The order, which has `count` finishes now, has renumbered those that it keeps, all open ones
    /// among them.
    pub(super) fn renumber(&mut self, count: usize, new: impl Fn(ScopeId) -> Option<ScopeId>) {
        for scope in self.scopes.iter_mut().filter(|scope| **scope != NONE) {
            *scope = new(*scope).expect("an open finish is kept");
        }
        self.detached = self.detached.drain().filter_map(new).collect();
        self.next = count as u32;
    }
}
