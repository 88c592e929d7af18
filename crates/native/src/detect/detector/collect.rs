//! The collector: reclaims access records, reader sets, steps and tasks that no cell refers to any
//! more.
//!
//! Each of these is created once and referred to by any number of cells. There are no reference
//! counts: from time to time the collector visits every cell that was ever used, keeps what they
//! refer to, renumbers it, and writes the new ids back. An access of a task that was joined becomes
//! one of the task that joined it (see [`raceproof_core::order::compact`]), and those from one site
//! become one. Of the tasks that have ended and wait to be joined, perhaps a million, one
//! represents all that the same construct has created, as long as nobody can tell them apart
//! ([`raceproof_core::order::representative`]).
//!
//! It runs between turns, and where a task takes a lock or does something else at which it might
//! have waited.
//!
//! Cost: proportional to the shadow memory in use and to what it keeps. It runs when the tables
//! have grown by half, and by a fraction of the shadow memory: a constant for each access recorded.
//! Memory: no more than that, whatever the number of tasks.

use super::superseded::Superseded;
use super::units::Iteration;
use super::*;
use crate::detect::cell::WriterRef;
use crate::detect::shadow::Used;
use raceproof_core::detect::readers::{Became, SetId};
use raceproof_core::marks::Marks;
use raceproof_core::order::compact::Renumbering;
use raceproof_core::order::representative::{Branches, Sibling, Stretch};

/// Growth of the tables below which a collection is not worth while.
const LEAST: usize = 1 << 14;
/// The same for each page of shadow memory, since visiting one costs as much as recording some
/// accesses; and the most that pages add to it, or, if they are very many, what each adds at least:
/// the tables take memory as well.
const A_PAGE: usize = 128;
const MOST: usize = 450_000;
const A_PAGE_OF_MANY: usize = 7;
/// So many access records take the memory of one other entry. Each iteration of a loop may make
/// some.
const RECORDS: usize = 4;
/// And a lock section, with what the steps in it keep of it, takes that of so many.
const SECTION: usize = 3;
/// And so does a group of cells of bytes.
const GROUP: usize = 3;

/// Turns, or operations at which a task might wait, between checks.
const SELDOM: u32 = 8;

/// When to collect.
pub(super) struct Collector {
    /// So many entries in the tables are enough.
    enough: usize,
    /// What the last collection has left.
    kept: usize,
    /// Turns, or operations at which a task might wait, until the next check; at least 1.
    until_asked: u32,
    /// Collects at every check: for tests.
    is_eager: bool,
}

impl Collector {
    pub(super) fn new() -> Self {
        Collector { enough: 1 << 15, kept: 0, until_asked: SELDOM, is_eager: false }
    }

    /// A turn begins, or something that counts as one here; whether the tables are checked now.
    #[inline]
    fn is_asked(&mut self) -> bool {
        self.until_asked -= 1;
        if self.until_asked > 0 {
            return false;
        }
        self.until_asked = if self.is_eager { 1 } else { SELDOM };
        true
    }

    /// By how much the tables grow at least until the next collection.
    fn growth(pages: usize) -> usize {
        LEAST + (A_PAGE * pages).min(MOST).max(A_PAGE_OF_MANY * pages)
    }

    /// So many entries are left after a collection, and so many pages of shadow memory.
    fn rearm(&mut self, entries: usize, pages: usize) {
        if !self.is_eager {
            self.kept = entries;
            self.enough = entries + (entries / 2).max(Self::growth(pages));
        }
    }
}

/// New ids for those in cells.
struct Numbers {
    /// By the old access id, the new one; 0 for what was dropped.
    accesses: Vec<AccessId>,
    superseded: Superseded,
    sets: Became,
}

impl Numbers {
    #[inline]
    fn list(&self, readers: ReaderRef) -> ReaderRef {
        if !readers.is_set() {
            return self.accesses[readers.id().index()].into();
        }
        let set = readers.set_id();
        let now = if self.superseded.is_empty() { None } else { self.superseded.get(&set) };
        match now.copied().unwrap_or(Readers::Set(set)) {
            Readers::One(reader) => self.accesses[AccessId::of_element(reader).index()].into(),
            Readers::Set(set) => self.sets.of(set).into(),
        }
    }

    #[inline]
    fn cell(&self, cell: Cell) -> Cell {
        if cell.writer.is_reference() {
            // Its epoch has ended.
            return Cell { readers: ReaderRef::NONE, ..cell };
        }
        let writer = self.accesses[cell.writer.id().index()].into();
        Cell { writer, readers: self.list(cell.readers) }
    }
}

/// The key of tasks that nobody can distinguish.
#[derive(PartialEq, Eq, Hash)]
struct Alike {
    sibling: Sibling,
    created: SiteId,
    thread: u32,
}

/// The steps that have got accesses of others: of tasks that were waited for; of siblings and other
/// steps.
struct Into {
    waited: Marks,
    alike: Marks,
}

impl Into {
    /// The flags of those accesses of a step that may equal others of it.
    fn merging(&self, step: usize) -> Option<Merged> {
        match self.alike.has(step) {
            true => Some(Merged::NOTHING),
            false => self.waited.has(step).then_some(Merged::FOLDED),
        }
    }
}

/// What cells refer to.
struct Named {
    accesses: Marks,
    sets: Marks,
    groups: Marks,
    records: Marks,
}

impl Named {
    #[inline]
    fn list(&mut self, readers: ReaderRef) {
        if readers.is_set() {
            self.sets.add(readers.set_id().0 as usize);
        } else {
            self.accesses.add(readers.id().index());
        }
    }

    #[inline]
    fn cell(&mut self, cell: Cell) {
        match cell.reference() {
            None => {
                self.accesses.add(cell.writer.id().index());
                self.list(cell.readers);
            }
            Some(Reference::Bytes(group)) => _ = self.groups.add(group as usize),
            Some(Reference::Mixed(record)) => _ = self.records.add(record as usize),
        }
    }
}

impl Detector {
    fn entries(&self) -> usize {
        self.accesses.len() / RECORDS
            + self.sets.count() as usize
            + self.order.size()
            + SECTION * self.locks.len()
            + GROUP * self.bytes.live()
    }

    /// From now on collects at every opportunity: for tests.
    pub(crate) fn collect_always(&mut self) {
        self.collector = Collector { enough: 0, kept: 0, until_asked: 1, is_eager: true };
    }

    /// From now on nothing is collected.
    pub(crate) fn keep_everything(&mut self) {
        self.collector.enough = usize::MAX;
    }

    /// Collects if the tables have grown enough. No id of a task, step, finish or access that the
    /// caller holds is valid afterwards.
    #[inline]
    pub(crate) fn collect_in_time(&mut self) {
        if self.collector.is_asked() && self.entries() >= self.collector.enough {
            self.collect_now();
        }
    }

    /// The same within a turn, where the running task might as well wait: a thread that finds its
    /// locks free has but one turn, however long it runs.
    #[inline]
    pub(crate) fn collect_within_turn(&mut self) {
        if self.collector.is_asked()
            && self.entries() >= self.collector.enough
            && self.units.is_idle()
            && self.record.is_none()
        {
            self.set_time();
            self.collect_now();
        }
    }

    /// Collects, unless there have come so many pages since the last time that it is too early.
    #[cold]
    fn collect_now(&mut self) {
        let enough = self.collector.kept + Collector::growth(self.pages.count());
        if self.collector.is_eager || self.entries() >= enough {
            self.collect();
        } else {
            self.collector.enough = enough;
        }
    }

    fn collect(&mut self) {
        self.forget_stacks();
        let (pages, named, superseded) = self.mark();
        let (steps, into) = self.fold(&named.accesses);
        self.forget_ends(&steps);
        let new = self.compact_order(steps);
        let (accesses, from) = self.renumber_accesses(&named.accesses, &into, &new);
        let all = &self.accesses;
        let sets = self.sets.retain(
            &named.sets,
            |access| accesses[access.index()].element(),
            // Two sites of one task that was joined: whoever races with one races with the other.
            |a, b| {
                let is_folded =
                    |access: AccessRecord| access.site.has(Merged::FOLDED) && !access.site.has(Merged::ALIKE);
                let [one, other] = [a, b].map(|element| all[AccessId::of_element(element)]);
                a == b || (one.step == other.step && is_folded(other))
            },
        );
        let numbers = Numbers { accesses, superseded, sets };
        pages.replace(from, |cell| numbers.cell(cell));
        self.freed_blocks.each(|id| *id = numbers.accesses[id.index()]);
        if let Some(watched) = &mut self.watched {
            watched.each(|id| *id = numbers.accesses[id.index()]);
        }
        self.bytes.renumber(|cell| numbers.cell(cell));
        for mixed in self.mixed.iter_mut() {
            mixed.plain = numbers.cell(mixed.plain);
            (mixed.writes, mixed.reads) = (numbers.list(mixed.writes), numbers.list(mixed.reads));
        }
        self.caches.invalidate();
        // What the running step has done so far counts as done by another one of its task.
        self.renumber();
        self.publish_watermark();
        let entries = self.entries();
        self.collector.rearm(entries, self.pages.count());
    }

    /// Drops accesses to stacks from before their present users began: they are unrelated to these.
    fn forget_stacks(&mut self) {
        let pages = &self.pages;
        let mut stale = Vec::new();
        let watched = std::cell::RefCell::new(self.watched.as_deref_mut());
        let forget_watched = |range: std::ops::Range<usize>, born| {
            if let Some(watched) = watched.borrow_mut().as_deref_mut() {
                watched.forget_before(range, born);
            }
        };
        self.stacks.refresh(
            |range, was_used| {
                forget_watched(range.clone(), i32::MAX);
                // Those that are used by turns keep their pages: to get new ones each time would
                // cost more than all else here.
                if was_used {
                    // SAFETY: a cell of the region, and nobody else looks at it now.
                    pages.each_in(range, |cell| unsafe { *cell = Cell::default() });
                } else {
                    pages.forget(range.start, range.len());
                }
            },
            |range, born| {
                forget_watched(range.clone(), born);
                pages.each_in(range, |cell| {
                    // SAFETY: a cell of the region, and nobody else looks at it now.
                    let content = unsafe { *cell };
                    if content != Cell::default() {
                        stale.push((cell, content, born));
                    }
                });
            },
        );
        for (cell, content, born) in stale {
            match content.reference() {
                // SAFETY: a cell of the region, to which no reference exists: `stale` has pointers
                // only.
                None => unsafe { *cell = self.since(content, born) },
                Some(Reference::Bytes(group)) => {
                    let bytes = self.bytes[group].map(|byte| self.since(byte, born));
                    // SAFETY: a cell of the region, likewise.
                    unsafe { *cell = self.bytes.replace(content, bytes) };
                }
                Some(Reference::Mixed(number)) => self.since_mixed(number, born),
            }
        }
    }

    /// The cell without the accesses before the id `born`.
    fn since(&mut self, cell: Cell, born: i32) -> Cell {
        if let Some(Reference::Mixed(number)) = cell.reference() {
            self.since_mixed(number, born);
            return cell;
        }
        let is_old = cell.writer.id().is_before(born);
        let writer = if is_old { WriterRef::NONE } else { cell.writer };
        Cell { writer, readers: self.readers_since(cell.readers, born) }
    }

    fn since_mixed(&mut self, number: u32, born: i32) {
        let Mixed { plain, writes, reads, is_pair } = self.mixed[number];
        self.mixed[number] = Mixed {
            is_pair,
            plain: self.since(plain, born),
            writes: self.readers_since(writes, born),
            reads: self.readers_since(reads, born),
        };
    }

    fn readers_since(&mut self, readers: ReaderRef, born: i32) -> ReaderRef {
        let all = self.list(readers);
        if all.iter().all(|&reader| !reader.is_before(born)) {
            return readers;
        }
        let young = all.into_iter().rev().filter(|&reader| !reader.is_before(born));
        young.fold(ReaderRef::NONE, |readers, reader| match readers.readers() {
            None => reader.into(),
            Some(Readers::One(one)) => Readers::Set(self.sets.pair(one, reader.element())).into(),
            Some(Readers::Set(set)) => self.sets.add(set, reader.element(), |_| false).into(),
        })
    }

    /// Marks the accesses and sets that cells refer to, without readers that others have superseded.
    fn mark(&mut self) -> (Used, Named, Superseded) {
        let mut named = Named {
            accesses: Marks::none(self.accesses.len()),
            sets: Marks::none(self.sets.count() as usize),
            groups: Marks::none(self.bytes.len()),
            records: Marks::none(self.mixed.len()),
        };
        // Id 0 is no access, and stays reserved.
        named.accesses.add(0);
        let pages = self.pages.sift(|cell| named.cell(cell));
        self.freed_blocks.each(|id| _ = named.accesses.add(id.index()));
        if let Some(watched) = &mut self.watched {
            watched.each(|id| _ = named.accesses.add(id.index()));
        }
        // Freed memory leaves groups and records that no cell refers to.
        let groups = std::mem::replace(&mut named.groups, Marks::none(0));
        self.bytes.sift(&groups, |cell| named.cell(cell));
        let records = std::mem::replace(&mut named.records, Marks::none(0));
        self.mixed.sift(&records, |record| {
            named.cell(record.plain);
            named.list(record.writes);
            named.list(record.reads);
        });
        let superseded = self.drop_superseded(&named.sets, self.collector.is_eager);
        if !superseded.is_empty() {
            let heads = std::mem::replace(&mut named.sets, Marks::none(self.sets.count() as usize));
            heads.each(|at| {
                let set = SetId(at as u32);
                named.list(superseded.get(&set).copied().unwrap_or(Readers::Set(set)).into());
            });
        }
        let Named { accesses, sets, .. } = &mut named;
        self.sets.follow(sets, |step| _ = accesses.add(step.index()));
        (pages, named, superseded)
    }

    /// Accesses by tasks that were joined become accesses of those that have joined them; those by
    /// tasks, or by steps of one, that nobody can distinguish become accesses of the first of
    /// these. Returns the steps of all accesses, and which of them have taken over any.
    fn fold(&mut self, named: &Marks) -> (Vec<StepId>, Into) {
        let mut steps = Vec::new();
        let count = self.order.steps();
        let mut into = Into { waited: Marks::none(count), alike: Marks::none(count) };
        let mut firsts: FxHashMap<Alike, StepId> = FxHashMap::default();
        let mut stretches: FxHashMap<Stretch, StepId> = FxHashMap::default();
        let live = self.kernel_tasks.live().chain(self.units.tasks()).chain(self.locks.holders());
        let branches = self.order.branches(live);
        // Accesses of one step mostly follow each other.
        let (mut last, mut stands, mut merged) = (StepId(u32::MAX), StepId(u32::MAX), Merged::NOTHING);
        // And so do those of one representative.
        let (mut before, mut first) = (StepId(u32::MAX), StepId(u32::MAX));
        named.each(|at| {
            let AccessRecord { step, site, mut iteration } = self.accesses[AccessId::at(at)];
            if step != last {
                (last, merged) = (step, Merged::NOTHING);
                stands = last;
                // Its thread still matters if it has queried the number.
                if !self.tasks[self.order.task_of(last).index()].asked {
                    stands = self.order.stand_in(last);
                    if stands != last {
                        into.waited.add(stands.index());
                        merged = merged | Merged::FOLDED;
                    }
                    if stands != before {
                        before = stands;
                        first = match self.alike(stands) {
                            Some(alike) => *firsts.entry(alike).or_insert(stands),
                            None => match self.stretch(stands, &branches) {
                                Some(stretch) => *stretches.entry(stretch).or_insert(stands),
                                None => stands,
                            },
                        };
                        steps.push(first);
                    }
                    if first != stands {
                        let is_sibling = self.order.task_of(first) != self.order.task_of(stands);
                        if is_sibling {
                            merged = merged | Merged::ALIKE;
                        }
                        stands = first;
                        into.alike.add(stands.index());
                    }
                } else {
                    steps.push(stands);
                }
            }
            if stands != last {
                // Of a task that was joined, nobody asks for its iterations.
                iteration = if merged.is_folded() { Iteration::NONE } else { iteration };
                self.accesses[AccessId::at(at)] =
                    AccessRecord { step: stands, site: site.with(merged), iteration };
            }
        });
        (steps, into)
    }

    /// If a step belongs to a task that has ended and was not joined: the key that it shares with
    /// all that nobody can distinguish from it. Beyond the order, a conflict with one must be
    /// judged and reported as one with the other would be, as in [`representatives`].
    fn alike(&mut self, step: StepId) -> Option<Alike> {
        if self.representatives.off || self.premises.distinguishes_ended_tasks {
            return None;
        }
        let (task, sibling) = self.order.sibling(step)?;
        let Task { created, thread, asked, awaited, role, .. } = self.tasks[task.index()];
        let is_alike = matches!(role, Role::Explicit(_) | Role::Async(_))
            && !asked
            && !awaited
            && !self.finishes.has_detached(self.order.finish_of(task))
            && !self.locks.is_in_section(step);
        is_alike.then_some(Alike { sibling, created, thread })
    }

    /// The stretch of steps of its task that nobody can distinguish from this one.
    fn stretch(&self, step: StepId, branches: &Branches) -> Option<Stretch> {
        let is_free = !self.representatives.off && !self.locks.is_in_section(step);
        if is_free { self.order.stretch(step, branches) } else { None }
    }

    /// Drops the ends of tasks all but those of `steps`: joining them would order nothing.
    fn forget_ends(&mut self, steps: &[StepId]) {
        if self.representatives.off || self.premises.distinguishes_ended_tasks {
            return;
        }
        let mut named = Marks::none(self.tasks.len());
        for &step in steps {
            named.add(self.order.task_of(step).index());
        }
        let entries = &self.tasks;
        self.order.forget_ends(|task| {
            matches!(entries[task.index()].role, Role::Explicit(_)) && !named.has(task.index())
        });
    }

    /// Renumbers accesses: each site of a step that others were folded `into` gets one id. Returns
    /// the new ids by the old, and the first that differs.
    fn renumber_accesses(&mut self, named: &Marks, into: &Into, new: &Renumbering) -> (Vec<AccessId>, u32) {
        let before = self.accesses.len();
        let (mut numbers, mut from) = (vec![AccessId::NONE; before], 0);
        let mut stay = Marks::none(before);
        let mut known: FxHashMap<(StepId, FlaggedSite, Iteration), AccessId> = FxHashMap::default();
        let (mut last, mut step, mut merges) = (StepId(u32::MAX), StepId(0), None);
        // In place: none moves up.
        let mut kept = 0;
        named.each(|at| {
            let AccessRecord { step: old, site, iteration } = self.accesses[AccessId::at(at)];
            if old != last {
                step = new.step(old).expect("steps of named accesses are kept");
                // Those of other steps were distinguished before.
                (last, merges) = (old, into.merging(old.index()));
            }
            let next = AccessId::at(kept);
            let number = match merges {
                Some(merged) if site.has(merged) => {
                    *known.entry((step, site.without(Merged::ALIKE), iteration)).or_insert(next)
                }
                _ => next,
            };
            numbers[at] = number;
            if number != next && site.has(Merged::ALIKE) {
                let into = &mut self.accesses[number];
                into.site = into.site.with(Merged::ALIKE);
            }
            if number == next {
                stay.add(at);
                self.accesses[next] = AccessRecord { step, site, iteration };
                kept += 1;
                if number.index() == at {
                    from = kept as u32;
                }
            }
        });
        let stay = stay.number();
        // An access merged into an earlier one of the same step is below the watermark when that
        // is.
        self.order.renumber_times(|time| stay.before(time));
        self.units.renumber_accesses(|id| stay.before(id));
        self.accesses.keep(kept);
        (numbers, from)
    }

    /// Compacts the order, and renumbers all that refers to it.
    fn compact_order(&mut self, steps: Vec<StepId>) -> Renumbering {
        let raced = self.races.iter().flat_map(|race| [race.first.task, race.second.task]);
        // A unit's thread is not above it in the order.
        let raced =
            raced.flat_map(|task| std::iter::once(task).chain(self.units_of(task).map(|(_, thread)| thread)));
        let live = self.kernel_tasks.live();
        let keys = self.units.tasks();
        let keys = keys.chain(self.locks.holders()).chain(self.locks.parted());
        let tasks: Vec<TaskId> = raced.chain(live).chain(keys).collect();
        let scopes: Vec<ScopeId> =
            self.finishes.open().chain(tasks.iter().map(|task| self.tasks[task.index()].scope)).collect();
        let held = self.locks.settle_leaks(&mut self.order);
        if self.locks.len() > 0 {
            let running = tasks.iter().map(|&task| self.order.step_of(task)).chain([self.order.step()]);
            let mut named = Marks::none(self.order.steps());
            steps.iter().chain(&held).copied().chain(running).for_each(|step| _ = named.add(step.index()));
            let (syncs, order) = (&mut self.syncs, &mut self.order);
            self.locks.drop_unnamed(
                |step| named.has(step.index()),
                |end| {
                    order.forget(end);
                    syncs.give_back(end);
                },
            );
        }
        let new = self.order.compact(steps.into_iter().chain(held), tasks, scopes);
        let task = |old: TaskId| new.task(old).expect("a task under way is kept");
        // The nearest that is kept: for reports.
        let entries = &self.tasks;
        let known = |mut old: TaskId| loop {
            match new.task(old) {
                Some(task) => break task,
                None => old = entries[old.index()].parent,
            }
        };
        self.memory.rename(known);
        for race in self.races.iter_mut() {
            race.first.task = task(race.first.task);
            race.second.task = task(race.second.task);
            if let Some((_, block)) = &mut race.block {
                block.task = known(block.task);
            }
        }
        // The thread of a unit is beside it in the order, and may be gone.
        let units = entries.iter().filter(|entry| entry.role.is_unit());
        let threads: FxHashMap<TaskId, TaskId> =
            units.map(|unit| (unit.parent, known(unit.parent))).collect();
        new.tasks.gather(&mut self.tasks, |_, entry| Task {
            parent: threads.get(&entry.parent).copied().unwrap_or_else(|| task(entry.parent)),
            scope: new.scope(entry.scope).unwrap_or(ScopeId::PROGRAM),
            ..entry
        });
        self.kernel_tasks.renumber(task);
        self.current = task(self.current);
        self.units.renumber(task);
        let count = self.order.finishes();
        self.finishes.renumber(count, |scope| new.scope(scope));
        self.representatives.renumber(|scope| new.scope(scope));
        self.locks.renumber(task, &new);
        new
    }
}
