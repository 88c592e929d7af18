//! Access ids: which accesses the running step made, and which happen before it.
//!
//! Ids grow as accesses are recorded, so two comparisons answer most questions. An id from
//! [`now::first`] on belongs to the running step. An id below the happens-before watermark, or in
//! another of the ranges that the order knows ([`GraphOrder::is_below_watermark`]), happens before
//! it. Only the rest costs a query of the order, and the [cache](super::order_cache) of those
//! queries answers most of them.

use super::*;
use crate::detect::now;

impl Detector {
    pub(super) fn first(&self) -> AccessId {
        now::first()
    }

    /// Begins a new range of access ids for the running step: its accesses so far count as those of
    /// another step of the task.
    #[inline]
    pub(crate) fn renumber(&mut self) {
        self.begin_ids(self.accesses.next(), self.sets.count());
    }

    #[inline(always)]
    fn begin_ids(&mut self, first: AccessId, first_set: u32) {
        self.units.spans.forget_ids();
        now::set_first(first);
        now::set_epoch(first, self.fast_path_enabled);
        now::set_first_set(ReaderRef::first_of_sets(first_set));
    }

    /// Makes the next access miss the same-epoch check even if the running step has made it before,
    /// and the one after it as well: the id that the next one gets counts as that of another step
    /// of the task.
    pub(crate) fn see_each(&mut self) {
        self.begin_ids(AccessId::at(self.accesses.len() + 1), self.sets.count() + 1);
    }

    pub(crate) fn is_reducing(&self) -> bool {
        self.reducing
    }

    /// A new step of the current task has begun.
    pub(super) fn begin_step(&mut self) {
        self.counts.begin_step();
        self.representatives.spawned = None;
        self.caches.begin_step();
        self.reset_skips();
        self.renumber();
        self.locks.begin_step(self.current, self.order.step());
    }

    /// The number of the site of an access.
    pub(crate) fn site_of(&self, id: AccessId) -> SiteId {
        self.accesses[id].site.site()
    }

    pub(crate) fn is_of_running_step(&self, id: AccessId) -> bool {
        id >= self.first()
    }

    pub(crate) fn site(&self, number: SiteId) -> Site {
        self.sites.get(number)
    }

    pub(crate) fn site_number(&mut self, site: Site) -> SiteId {
        self.sites.number(site)
    }

    /// The site of a construct whose call returns to `pc`, in the present context.
    pub(crate) fn here(&mut self, pc: usize) -> SiteId {
        self.site_number(Site { pc, context: self.contexts.now().context })
    }

    /// The id of an access by the running step.
    #[inline(always)]
    pub(super) fn number(&mut self, pc: usize, flags: Flags) -> AccessId {
        self.recent_from(pc, flags).unwrap_or_else(|| self.number_anew(pc, flags))
    }

    /// The id of such an access that the running step has made already.
    #[inline(always)]
    pub(super) fn recent_from(&self, pc: usize, flags: Flags) -> Option<AccessId> {
        let context = self.contexts.now().context.0;
        let recent = self.caches.peek(pc, context);
        let is_it = recent.is_of(pc, context, flags) && recent.id >= self.first();
        is_it.then_some(recent.id)
    }

    #[inline(never)]
    pub(super) fn number_anew(&mut self, pc: usize, flags: Flags) -> AccessId {
        if let Some(id) = self.units.spans.id() {
            return id;
        }
        let context = self.contexts.now().context;
        let recent = *self.caches.peek(pc, context.0);
        let site = if recent.is_of(pc, context.0, flags) {
            recent.site
        } else {
            self.site_number(Site { pc, context })
        };
        self.frees.note(site);
        let (step, iteration) = (self.order.step(), self.units.iteration);
        let record = AccessRecord { step, site: FlaggedSite::new(site, flags), iteration };
        let Some(id) = self.accesses.add(record) else {
            crate::fatal(
                "more than 2^31 different accesses that memory still knows of: more than this version can count",
            )
        };
        *self.caches.recent(pc, context.0) = Recent::new(pc, context.0, flags, id, site);
        self.units.spans.set_id(id);
        id
    }

    pub(super) fn task_of(&self, id: AccessId) -> TaskId {
        self.order.task_of(self.accesses[id].step)
    }

    /// Access ids are the order's time.
    #[inline(always)]
    pub(super) fn set_time(&mut self) {
        self.order.set_time(self.accesses.time());
    }

    /// Whether an access evidently happens before the running step, or there is none. A "no" means
    /// nothing.
    #[inline(always)]
    pub(super) fn is_below_watermark(&self, id: AccessId) -> bool {
        self.order.is_below_watermark(id.raw()) && id < self.units.from
    }

    #[inline(always)]
    pub(super) fn precedes(&mut self, id: AccessId) -> bool {
        self.is_below_watermark(id) || self.caches.is_ordered(id) || self.precedes_by_the_order(id)
    }

    #[inline(never)]
    pub(super) fn precedes_by_the_order(&mut self, id: AccessId) -> bool {
        let precedes = self.order.precedes_now(self.accesses[id].step);
        // Of the accesses of a share it depends on the iteration.
        if precedes && id < self.units.from {
            self.caches.add_ordered(id);
        }
        precedes
    }

    /// Whether an earlier access cannot conflict with the running step at this address: it happens
    /// before the step, or the memory was another task's stack then.
    #[inline(always)]
    pub(super) fn is_ordered_at(&mut self, id: AccessId, address: usize) -> bool {
        self.is_below_watermark(id)
            || self.caches.is_ordered(id)
            || self.is_ordered_by_address(id, address)
            || self.is_on_own_stack(id, address)
            || self.precedes_at(id, address)
    }

    #[inline(never)]
    pub(super) fn precedes_at(&mut self, id: AccessId, address: usize) -> bool {
        if id >= self.units.from && self.task_of(id) == self.current {
            return !self.is_other_iteration(id, address);
        }
        self.precedes_by_the_order(id)
    }

    #[inline]
    pub(super) fn is_ordered_by_address(&mut self, id: AccessId, address: usize) -> bool {
        let is_ordered_at = self.is_of_earlier_stack(id, address);
        self.met += u64::from(is_ordered_at);
        is_ordered_at
    }

    /// Whether the memory is a task's stack, and was another task's when the access was made.
    #[inline]
    pub(super) fn is_of_earlier_stack(&self, id: AccessId, address: usize) -> bool {
        self.stacks.born(address).is_some_and(|born| id.is_before(born))
    }
}
