//! Promises of the program: where each was created and set, for reports.
//!
//! The kernel has the promises themselves, and the order their signals. This table adds what a
//! finding says about one: of a race, that the one task has set a promise before its access, for
//! which the other has waited, so that the promise does not order the access.
//!
//! Memory: 32 bytes a promise, until the program frees it.

use super::*;
use crate::detect::detector::syncs::of_kernel;

/// A promise, by the sync of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promise {
    /// Where the program has it; 0 if it is the runtime's own.
    pub(crate) address: usize,
    /// Where it was created and where it was set, as sites; 0 if it was not.
    pub(crate) created: SiteId,
    pub(crate) set: SiteId,
    /// The task whose end sets it, by [`Detector::identity`]; [`NOBODY_IN_PARTICULAR`] if the
    /// program decides.
    pub(crate) setter: u64,
    is_live: bool,
}

/// Any task may set the promise.
pub(crate) const NOBODY_IN_PARTICULAR: u64 = u64::MAX;

const NONE: Promise =
    Promise { address: 0, created: NOWHERE, set: NOWHERE, setter: NOBODY_IN_PARTICULAR, is_live: false };

/// By the ids of the kernel's syncs, which are dense and used again.
#[derive(Default)]
pub(crate) struct Promises(Vec<Promise>);

impl Promises {
    pub(crate) fn create(&mut self, sync: SyncId, address: usize, created: SiteId) {
        if self.0.len() <= sync.index() {
            self.0.resize(sync.index() + 1, NONE);
        }
        self.0[sync.index()] = Promise { address, created, is_live: true, ..NONE };
    }

    pub(crate) fn get(&self, sync: SyncId) -> Option<Promise> {
        self.0.get(sync.index()).copied().filter(|promise| promise.is_live)
    }

    pub(crate) fn set(&mut self, sync: SyncId, site: SiteId) {
        if let Some(promise) = self.0.get_mut(sync.index()) {
            promise.set = site;
        }
    }

    pub(crate) fn set_setter(&mut self, sync: SyncId, task: u64) {
        if let Some(promise) = self.0.get_mut(sync.index()) {
            promise.setter = task;
        }
    }

    pub(crate) fn free(&mut self, sync: SyncId) {
        if let Some(promise) = self.0.get_mut(sync.index()) {
            *promise = NONE;
        }
    }

    /// Those that are set.
    fn fulfilled(&self) -> impl Iterator<Item = (SyncId, Promise)> + '_ {
        let all = self.0.iter().enumerate().map(|(at, promise)| (SyncId::at(at), *promise));
        all.filter(|(_, promise)| promise.is_live && promise.set != NOWHERE)
    }
}

/// A promise that comes close to ordering the accesses of a race, and does not: the task of one
/// access has set it before that access, and the other task has waited for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetBefore {
    pub(crate) created: SiteId,
    pub(crate) set: SiteId,
    /// Whether the task of the first access has set it; otherwise that of the second.
    pub(crate) by_first: bool,
}

impl Detector {
    /// Whether what the running task does comes after the set of a promise.
    pub(crate) fn comes_after_set(&mut self, promise: SyncId) -> bool {
        self.comes_after(of_kernel(promise))
    }

    /// Whether what the running task does comes after what a sync of the order has signalled.
    pub(crate) fn comes_after(&mut self, sync: SyncId) -> bool {
        let step = self.order.signalled_at(sync);
        step.is_some_and(|step| self.order.precedes_now(step))
    }

    /// The last promise that one of the tasks has set before its access, and the other has waited
    /// for: the first access is of the step `first`, the second of the running one.
    pub(super) fn set_before(&mut self, first: StepId) -> Option<SetBefore> {
        if self.promises.0.is_empty() {
            return None;
        }
        let (task, now) = (self.order.task_of(first), self.current);
        let mut found: Option<(StepId, SetBefore)> = None;
        let fulfilled: Vec<(SyncId, Promise)> = self.promises.fulfilled().collect();
        for (sync, promise) in fulfilled {
            let Some(step) = self.order.signalled_at(of_kernel(sync)) else { continue };
            if found.is_some_and(|(newest, _)| newest >= step) {
                continue;
            }
            let setter = self.order.task_of(step);
            let by_first = setter == task && step < first && self.order.precedes_now(step);
            let by_second = setter == now && setter != task && self.order.is_known_to(step, first);
            if by_first || by_second {
                let Promise { created, set, .. } = promise;
                found = Some((step, SetBefore { created, set, by_first }));
            }
        }
        found.map(|(_, promise)| promise)
    }
}
