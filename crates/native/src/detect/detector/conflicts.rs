//! The slow end of an access: two accesses that no order known so far separates. Decides whether
//! they can meet, and stores the race if so.

use super::policy::Meeting;
use super::*;
use crate::detect::search::{self, Earlier};

impl Detector {
    /// Two conflicting accesses that no order known so far keeps apart.
    #[cold]
    pub(super) fn conflict(
        &mut self,
        earlier: AccessId,
        was: AccessKind,
        kind: AccessKind,
        manner: Manner,
        address: usize,
        pc: usize,
    ) {
        self.met += 1;
        let AccessRecord { step, site, .. } = self.accesses[earlier];
        let first_site = self.sites.get(site.site());
        let pair = (first_site.pc, pc);
        let known = self.races.number(pair);
        if self.excuse(earlier, address, known.is_none()) || self.exclude(earlier) {
            return;
        }
        if let Some(known) = known {
            sink::raced_again(known, self.races.again(known));
        }
        self.note_racing(address);
        let task = self.order.task_of(step);
        // A search shows a race by two tasks; two units of one thread are a race of which it knows
        // no schedule.
        let takers = (self.taker(task), self.taker(self.current));
        if known.is_some() && !search::is_shown_better(known, takers) {
            return;
        }
        let earlier_id = earlier;
        let earlier = Earlier { task: takers.0, step, pc: first_site.pc };
        search::raced(known, earlier, address, pc);
        let context = self.contexts.now().context;
        let iterations = self.iterations_at(earlier_id, address);
        let first = RacedAccess {
            kind: was,
            atomic: site.is_atomic(),
            freed: self.frees.is_of(site.site()),
            folded: site.has(Merged::FOLDED),
            alike: site.has(Merged::ALIKE),
            lane: None,
            iteration: iterations.map(|[first, _]| first),
            task,
            site: first_site,
            locks: self.locks_of(step),
        };
        let second = RacedAccess {
            kind,
            atomic: manner == Manner::Atomic,
            freed: self.frees.is_under_way,
            folded: false,
            alike: false,
            lane: None,
            iteration: iterations.map(|[_, second]| second),
            task: self.current,
            site: Site { pc, context },
            locks: self.locks_of(self.order.step()),
        };
        let raced = Raced { promise: self.set_before(step), ..self.raced(first, second, address) };
        match known {
            Some(known) => self.races.replace(known, raced),
            None => {
                self.races.add(pair, raced);
                self.notify_sink();
            }
        }
    }

    /// The last race is a new one.
    fn notify_sink(&self) {
        if let Some(race) = self.races.last() {
            sink::raced(race);
        }
    }

    /// Two iterations of a simd loop of the running task conflict.
    #[cold]
    pub(crate) fn lanes_conflict(&mut self, address: usize, sides: [(u64, AccessKind, usize); 2]) {
        if !self.on {
            return;
        }
        let pair = (sides[0].2, sides[1].2);
        if let Some(known) = self.races.number(pair) {
            sink::raced_again(known, self.races.again(known));
            return;
        }
        let locks = self.locks_of(self.order.step());
        let context = self.contexts.now().context;
        let [first, second] = sides.map(|(iteration, kind, pc)| RacedAccess {
            kind,
            atomic: false,
            freed: false,
            folded: false,
            alike: false,
            lane: Some(iteration),
            iteration: None,
            task: self.current,
            site: Site { pc, context },
            locks,
        });
        let raced = self.raced(first, second, address);
        self.races.add(pair, raced);
        self.notify_sink();
    }

    /// Describes a race at the moment it is found: later the memory may belong to another block or
    /// frame.
    fn raced(&mut self, first: RacedAccess, second: RacedAccess, address: usize) -> Raced {
        let block = self.memory.find(address);
        let (stack, code) = (self.stack_of(address), self.races.code());
        let frame = frames::find(address, stack.clone(), second.site.pc, code);
        let ends = if block.is_none() { frames::ends(address, stack, code) } else { Vec::new() };
        Raced { first, second, address, count: 1, block, frame, ends, promise: None }
    }

    fn locks_of(&self, step: StepId) -> [usize; 4] {
        let mut locks = [0; 4];
        for (to, hold) in locks.iter_mut().zip(self.locks.of_step(step)) {
            *to = hold.lock;
        }
        locks
    }

    /// Whether two unordered accesses to an address cannot meet there all the same: the memory is a
    /// task's stack, and was another task's when the earlier access was made; or the front end's
    /// [policy](crate::detect::policy) excuses them. It searches for an excuse that costs much only
    /// if the pair of sites `is_new`.
    fn excuse(&mut self, earlier: AccessId, address: usize, is_new: bool) -> bool {
        if self.is_of_earlier_stack(earlier, address) {
            return true;
        }
        let [before, now] = [self.task_of(earlier), self.current].map(|task| self.tasks[task.index()]);
        let is_folded = self.accesses[earlier].site.has(Merged::FOLDED);
        policy::excuses(&Meeting { earlier, address, before, now, is_folded, is_new }, self)
    }

    /// Whether one access is known to happen before the other by the task that made that.
    pub(crate) fn is_known_to(&mut self, before: AccessId, after: AccessId) -> bool {
        let [before, after] = [before, after].map(|id| self.accesses[id].step);
        self.order.is_known_to(before, after)
    }

    /// Whether both accesses are in sections of one lock: then the later comes after the earlier
    /// one's section.
    pub(super) fn exclude(&mut self, earlier: AccessId) -> bool {
        let step = self.accesses[earlier].step;
        let (then, now) = (self.locks.of_step(step), self.locks.of_task(self.current));
        let common = then.iter().find(|then| now.iter().any(|now| now.lock == then.lock));
        let Some(&Hold { section, .. }) = common else { return false };
        if let Some(end) = self.locks.end_of(section) {
            self.order.join(self.current, end, SyncKind::Lock);
            self.begin_step();
        }
        true
    }
}
