//! Records the run as a trace, for `raceproof analyze`.
//!
//! What is written are the tasks of the order, and what orders them as the kernel tells it: a
//! taskwait joins each child, where the detector ends a finish. Every byte of memory is a location
//! of its own, so that accesses of any size meet where they overlap; memory that is allocated anew,
//! or becomes the stack of another task, gets new ones. What a step has done to a location before
//! is not written again: it adds nothing.
//!
//! Blocks go to the file as they fill up, and names at the end. A program that is killed leaves a
//! trace without names.

use crate::detect::contexts::Context;
use crate::detect::detector;
use crate::detect::detector::{Accessed, Recorder, Site};
use crate::detect::memory::Block;
use crate::process::files::Quiet;
use crate::process::is_shared;
use crate::report;
use crate::symbols::Symbols;
use raceproof_core::event::{AccessKind, Event, Observer, SyncKind};
use raceproof_core::finding::Place;
use raceproof_core::ids::{Location, SiteId, SyncId, TaskId};
use raceproof_core::trace::Named;
use raceproof_core::trace::writer::TraceWriter;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes whose locations are kept together.
const PAGE: usize = 1 << 8;

/// What is known of a location.
struct Known {
    address: usize,
    /// The block it was in, and where that began.
    block: Option<(usize, Block)>,
    /// Where it was accessed first.
    site: SiteId,
    /// The step that accessed it last, and how: a bit for each of [`bit`].
    step: u32,
    done: u8,
}

/// Records the run as a trace.
pub(crate) struct TraceRecorder {
    writer: TraceWriter<Quiet>,
    /// By page: the number of each byte's location plus one, 0 for none.
    pages: BTreeMap<usize, Box<[u32; PAGE]>>,
    locations: Vec<Known>,
    sites: FxHashMap<Site, SiteId>,
    /// By number.
    places: Vec<Site>,
    /// The locks each task holds by what was written, and all locks.
    holds: FxHashMap<TaskId, Vec<SyncId>>,
    locks: FxHashSet<SyncId>,
    /// By task. What is done in the name of one that has ended, at the end of the process, is
    /// nobody's.
    ended: Vec<bool>,
    /// Whose value or end was written last: what comes after a value is the end.
    given: Option<TaskId>,
}

/// Whether the trace is being written. What the compressor allocates then, by the C library's
/// functions, is ours and not the program's: to take note of it would come back here, in the middle
/// of things.
static WRITING: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_writing() -> bool {
    WRITING.load(Ordering::Relaxed)
}

struct Writing;

impl Writing {
    fn begin() -> Self {
        WRITING.store(true, Ordering::Relaxed);
        Writing
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.store(false, Ordering::Relaxed);
    }
}

fn bit(kind: AccessKind, atomic: bool) -> u8 {
    1 << (kind as u8 + 2 * u8::from(atomic))
}

impl TraceRecorder {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(TraceRecorder {
            writer: TraceWriter::new(Quiet::create(path)?),
            pages: BTreeMap::new(),
            locations: Vec::new(),
            sites: FxHashMap::default(),
            places: Vec::new(),
            holds: FxHashMap::default(),
            locks: FxHashSet::default(),
            ended: vec![false],
            given: None,
        })
    }

    fn has_ended(&self, task: TaskId) -> bool {
        self.ended.get(task.index()) != Some(&false)
    }
}

impl Recorder for TraceRecorder {
    /// The number of a site. A trace has no stacks: only in a Rust program, where much is done by
    /// libraries, does it matter by which calls the program came there.
    fn site(&mut self, site: Site) -> SiteId {
        let site = if is_shared() { site } else { Site { context: Context(0), ..site } };
        let next = SiteId(self.places.len() as u32);
        let number = *self.sites.entry(site).or_insert(next);
        if number == next {
            self.places.push(site);
        }
        number
    }

    /// Whose value or end was written last.
    fn given(&self) -> Option<TaskId> {
        self.given
    }

    /// Anything but an access.
    fn event(&mut self, event: Event) {
        if self.has_ended(event.task()) {
            return;
        }
        let _writing = Writing::begin();
        match event {
            Event::Spawn { .. } => self.ended.push(false),
            // It goes on with what is done at exit.
            Event::End { task: TaskId::MAIN } => return,
            Event::Join { task, sync, kind } if kind.is_section() => {
                self.locks.insert(sync);
                self.holds.entry(task).or_default().push(sync);
            }
            Event::Signal { task, sync, kind } if kind.is_section() => {
                let Some(held) = self.holds.get_mut(&task) else { return };
                let Some(at) = held.iter().rposition(|&lock| lock == sync) else { return };
                held.remove(at);
            }
            // A thread may hold a lock at a barrier, where its task ends and it goes on as another.
            Event::Signal { task, kind: SyncKind::Future, .. } | Event::End { task } => {
                if self.given != Some(task) {
                    for &sync in self.holds.get(&task).into_iter().flatten() {
                        self.writer.signal(task, sync, SyncKind::Lock);
                    }
                }
                self.given = Some(task);
                self.ended[task.index()] = matches!(event, Event::End { .. });
            }
            _ => {}
        }
        event.deliver(&mut self.writer);
    }

    /// What `from`, which has ended or lets the other go on in its place, holds is `to`'s.
    fn hand_over(&mut self, from: TaskId, to: TaskId, has_ended: bool) {
        let Some(held) = self.holds.remove(&from) else { return };
        let _writing = Writing::begin();
        for &sync in &held {
            if !has_ended {
                self.writer.signal(from, sync, SyncKind::Lock);
            }
            self.writer.join(to, sync, SyncKind::Lock);
        }
        self.holds.insert(to, held);
    }

    /// `block` finds the block of memory an address is in.
    fn access(
        &mut self,
        bytes: Range<usize>,
        accessed: Accessed,
        block: &dyn Fn(usize) -> Option<(usize, Block)>,
    ) {
        let Accessed { task, step, kind, atomic, site } = accessed;
        if self.has_ended(task) {
            return;
        }
        let site = self.site(site);
        let _writing = Writing::begin();
        // Whoever has written need not read.
        let covered = bit(kind, atomic) | bit(AccessKind::Write, atomic);
        for address in bytes {
            let entry =
                &mut self.pages.entry(address / PAGE).or_insert_with(|| Box::new([0; PAGE]))[address % PAGE];
            if *entry == 0 {
                self.locations.push(Known { address, block: block(address), site, step, done: 0 });
                *entry = self.locations.len() as u32;
            }
            let number = *entry - 1;
            let known = &mut self.locations[number as usize];
            if known.step != step {
                (known.step, known.done) = (step, 0);
            }
            if known.done & covered != 0 {
                continue;
            }
            known.done |= bit(kind, atomic);
            let location = Location(number.into());
            if atomic {
                self.writer.atomic(task, kind, location, site);
            } else {
                self.writer.access(task, kind, location, site);
            }
        }
    }

    /// The memory is used for something else from now on.
    fn forget(&mut self, memory: Range<usize>) {
        let pages = memory.start / PAGE..memory.end.div_ceil(PAGE);
        let touched: Vec<usize> = self.pages.range(pages).map(|(&page, _)| page).collect();
        for page in touched {
            let first = page * PAGE;
            if memory.start <= first && first + PAGE <= memory.end {
                self.pages.remove(&page);
            } else if let Some(entries) = self.pages.get_mut(&page) {
                let within = |address: usize| address.clamp(first, first + PAGE) - first;
                entries[within(memory.start)..within(memory.end)].fill(0);
            }
        }
    }

    /// Names everything and ends the trace; without its end mark if the run did not come to its own
    /// end.
    fn finish(mut self: Box<Self>, whole: bool) -> io::Result<()> {
        let symbols = &Symbols::load();
        let _writing = Writing::begin();
        for site in self.writer.used_sites() {
            let (Place { file, line, column }, _) = report::place(symbols, self.places[site.index()]);
            self.writer.name(Named::Site(site), &format!("{file}:{line}:{column}"));
        }
        // There may be millions on stacks: the variable is the one that the first access names.
        let mut locals: FxHashMap<SiteId, String> = FxHashMap::default();
        for location in self.writer.used_locations() {
            let Known { address, block, site, .. } = self.locations[location.0 as usize];
            let name = match detector().stack_of(address).is_some() {
                true => {
                    let pc = self.places[site.index()].pc;
                    let named = || symbols.local_at(pc).unwrap_or_else(|| "a local variable".to_owned());
                    locals.entry(site).or_insert_with(named).clone()
                }
                false => report::location_name(symbols, address, block),
            };
            self.writer.name(Named::Location(location), &name);
        }
        for sync in self.writer.used_syncs() {
            if self.locks.contains(&sync) {
                // As the detector numbers the locks of the kernel.
                self.writer.name(Named::Sync(sync), &report::lock_name(symbols, sync.index() / 2));
            }
        }
        for task in (0..detector().tasks.len()).map(TaskId::at) {
            self.writer.name(Named::Task(task), &report::name(task));
        }
        if whole { self.writer.finish().map(drop) } else { self.writer.finish_part().map(drop) }
    }
}
