//! Representative readers: a reader that the cell holds subsumes later readers, which the detector
//! then does not store.
//!
//! [`raceproof_core::order::representative`] has the argument: of a reader whose task has ended,
//! later steps can learn only by the end of its finish, and with it they learn of every later
//! reader inside the finish. So a million tasks that read one table leave one reader for each site.
//! Beyond the order, the detector must judge a conflict with either of the two readers alike
//! ([`excuse`](Detector::excuse), [`exclude`](Detector::exclude)): neither holds a lock, the memory
//! belongs to no thread or task, and neither task has queried its thread number. And the pair of
//! sites that is reported must be the same: a reader subsumes only readers from the same site.
//!
//! One fact comes too late: that a program leaves a finish, and waits for its tasks one by one
//! while theirs continue. If that happens to a finish in which a reader subsumed others, races may
//! have been missed, and the report says so ([`Detector::is_uncertain`]); `raceproof run` then runs
//! the program again and stores all readers.
//!
//! A subsumed reader gets no same-epoch hit when it reads again, which then costs more than storing
//! it would. So the detector skips only a few readers in each step ([`FEW`]).

use super::*;
use crate::detect::now;

const SLOTS: usize = 1 << 10;
/// Capacity of the set of finishes that the running task is known to be inside of.
const INSIDE: usize = 1 << 4;
/// Readers that one step may skip.
const FEW: u32 = 64;
/// A failed search for a representative costs as many skips as this.
const VAIN: u32 = 16;
/// How many of a cell's readers, the newest first, are tried as representatives.
const NEWEST: usize = 4;

const NO_SCOPE: ScopeId = ScopeId(u32::MAX);

/// One of these readers subsumes a reader from `pc` inside the finish. That holds until the finish
/// ends.
#[derive(Clone, Copy)]
struct Found {
    readers: ReaderRef,
    scope: ScopeId,
    pc: usize,
}

const NOTHING: Found = Found { readers: ReaderRef::NONE, scope: NO_SCOPE, pc: 0 };

/// Its slot in the table.
#[inline(always)]
fn place(readers: ReaderRef, pc: usize) -> usize {
    (readers.hash() ^ pc) % SLOTS
}

/// Finishes that the running task is inside of, each with its owner, and all bits set if it is
/// nested, as arrays so that the compiler vectorises the scan. Only its owner ends or leaves a
/// finish, and runs then, so no entry outlives its finish.
struct Inside {
    scopes: [u32; INSIDE],
    owners: [u32; INSIDE],
    nested: [u32; INSIDE],
}

impl Inside {
    const NOTHING: Inside = Inside { scopes: [NO_SCOPE.0; INSIDE], owners: [0; INSIDE], nested: [0; INSIDE] };

    #[inline(always)]
    fn has(&self, scope: ScopeId) -> bool {
        self.scopes[scope.index() % INSIDE] == scope.0
    }

    fn add(&mut self, scope: ScopeId, owner: TaskId, is_nested: bool) {
        let at = scope.index() % INSIDE;
        (self.scopes[at], self.owners[at], self.nested[at]) = (scope.0, owner.0, mask(is_nested));
    }

    #[inline(always)]
    fn remove(&mut self, scope: ScopeId) {
        let at = &mut self.scopes[scope.index() % INSIDE];
        *at = if *at == scope.0 { NO_SCOPE.0 } else { *at };
    }

    /// A child begins, a member of the finish `own` of its parent: it is not inside the parent's
    /// others, but for those that `own` is nested in.
    #[inline(always)]
    fn go_into(&mut self, own: ScopeId, parent: TaskId, is_nested: bool) {
        // Apart, since units of work are children as well: a comparison more costs them 30
        // instructions.
        if !is_nested {
            for (scope, owner) in self.scopes.iter_mut().zip(&self.owners) {
                *scope |= mask((*owner == parent.0) & (*scope != own.0));
            }
            return;
        }
        for ((scope, owner), nested) in self.scopes.iter_mut().zip(&self.owners).zip(&self.nested) {
            let is_other = mask((*owner == parent.0) & (*scope != own.0));
            *scope |= is_other & !(*nested & mask(*scope < own.0));
        }
    }
}

/// All bits of a word.
#[inline(always)]
fn mask(is_so: bool) -> u32 {
    0u32.wrapping_sub(u32::from(is_so))
}

pub(super) struct Representatives {
    found: Box<[Found; SLOTS]>,
    inside: Inside,
    /// The child that the running task has created, if it has done nothing since.
    pub(super) spawned: Option<TaskId>,
    /// The finishes in which a reader has subsumed others.
    pub(super) relied_on: rustc_hash::FxHashSet<ScopeId>,
    pub(super) uncertain: bool,
    /// All readers are stored.
    pub(super) off: bool,
}

impl Representatives {
    pub(super) fn new() -> Self {
        Representatives {
            found: Box::new([NOTHING; SLOTS]),
            inside: Inside::NOTHING,
            spawned: None,
            relied_on: Default::default(),
            uncertain: false,
            off: false,
        }
    }

    /// The collector has renumbered everything.
    pub(super) fn renumber(&mut self, new: impl Fn(ScopeId) -> Option<ScopeId>) {
        self.found.fill(NOTHING);
        self.inside = Inside::NOTHING;
        self.spawned = None;
        self.relied_on = self.relied_on.drain().filter_map(new).collect();
    }

    /// The finish has ended.
    #[inline]
    pub(super) fn close(&mut self, scope: ScopeId) {
        self.inside.remove(scope);
        if !self.relied_on.is_empty() {
            self.relied_on.remove(&scope);
        }
    }

    /// The finish is left.
    pub(super) fn leave(&mut self, scope: ScopeId) {
        self.inside.remove(scope);
    }

    /// The program waits for tasks of the finish one by one, and not for theirs.
    pub(super) fn part(&mut self, scope: ScopeId) {
        if self.relied_on.remove(&scope) {
            self.uncertain = true;
            self.found.fill(NOTHING);
        }
    }
}

impl Detector {
    pub(crate) fn remember_all_readers(&mut self) {
        self.representatives.off = true;
    }

    /// The scheduler has switched from the task `left` to the current one. A task that begins right
    /// after its creation is inside whatever its parent is inside of, except for the other finishes
    /// of the parent itself. And when a task has ended, with all finishes of its own, its parent is
    /// inside of whatever it was inside of.
    #[inline(always)]
    pub(super) fn switch_representatives(&mut self, left: TaskId) {
        if self.representatives.spawned.take() == Some(self.current) {
            let own = self.tasks[self.current.index()].scope;
            self.representatives.inside.go_into(own, left, self.order.is_nested(own));
        } else if self.tasks[left.index()].parent != self.current || !self.order.has_ended(left) {
            self.representatives.inside = Inside::NOTHING;
        }
    }

    /// A step begins: it may skip readers only if no locks are held, no memory belongs to the chunk
    /// of a loop, and representatives are on.
    #[inline(always)]
    pub(super) fn reset_skips(&mut self) {
        let may = !self.locks.is_any_held() && !self.units.is_in_loop() && !self.representatives.off;
        now::set_skips(if may { FEW } else { 0 });
    }

    /// Whether races may have been missed.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.representatives.uncertain
    }

    /// Whether one of the readers, of which there is at least one, subsumes the running step, which
    /// makes the same access from `pc`.
    #[inline(always)]
    pub(super) fn is_subsumed(&mut self, readers: ReaderRef, address: usize, pc: usize) -> bool {
        if now::skips() == 0 {
            return false;
        }
        let stands = (self.knows_representative(readers, pc) || self.finds_representative(readers, pc))
            && !self.is_somebodys(address);
        if stands {
            now::set_skips(now::skips() - 1);
        }
        stands
    }

    /// The same from the cache alone.
    #[inline(always)]
    pub(super) fn is_subsumed_by_known(&mut self, readers: ReaderRef, address: usize, pc: usize) -> bool {
        if now::skips() == 0
            || !self.knows_representative(readers, pc)
            || self.stacks.may_hold(address)
            || self.privates.may_hold(address)
        {
            return false;
        }
        now::set_skips(now::skips() - 1);
        true
    }

    #[inline(always)]
    fn knows_representative(&self, readers: ReaderRef, pc: usize) -> bool {
        let found = self.representatives.found[place(readers, pc)];
        (found.readers, found.pc) == (readers, pc) && self.representatives.inside.has(found.scope)
    }

    #[inline(never)]
    fn finds_representative(&mut self, readers: ReaderRef, pc: usize) -> bool {
        let at = place(readers, pc);
        let found = self.representatives.found[at];
        let is_known = (found.readers, found.pc) == (readers, pc) && self.order.is_open(found.scope);
        let scope = if is_known && self.order.is_inside(found.scope) {
            found.scope
        } else {
            let Some(scope) = self.find_representative(readers, pc) else {
                now::set_skips(now::skips().saturating_sub(VAIN));
                return false;
            };
            self.representatives.relied_on.insert(scope);
            self.representatives.found[at] = Found { readers, scope, pc };
            scope
        };
        self.representatives.inside.add(scope, self.order.owner(scope), self.order.is_nested(scope));
        true
    }

    /// Whether the memory belongs to one thread or task.
    #[inline]
    fn is_somebodys(&self, address: usize) -> bool {
        self.stacks.holds(address) || self.is_thread_local(address)
    }

    /// The finish whose end alone makes one of the readers, from `pc`, known.
    fn find_representative(&mut self, readers: ReaderRef, pc: usize) -> Option<ScopeId> {
        let mut rest = readers.readers();
        (0..NEWEST).find_map(|_| {
            let reader;
            (reader, rest) = self.sets.split(rest?);
            let AccessRecord { step, site, .. } = self.accesses[AccessId::of_element(reader)];
            if self.sites.get(site.site()).pc != pc {
                return None;
            }
            let may_stand = |task: &Task| !task.awaited && !task.asked;
            let own = &self.tasks[self.order.task_of(step).index()];
            let representatives = may_stand(own).then(|| self.order.representative(step)).flatten()?;
            let stands = may_stand(&self.tasks[representatives.task.index()])
                && !self.finishes.has_detached(representatives.scope);
            stands.then_some(representatives.scope)
        })
    }
}
