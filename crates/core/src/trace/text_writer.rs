//! Writes a run in RAPID's text format STD, which has threads, locks, fork and join only.
//!
//! These express the rest: the end of a finish joins the tasks of it; a signal that is no lock's
//! forks a helper thread that does nothing, and whoever joins the sync joins the latest helper: the
//! same order, and nothing else. Two things are lost: which promise or event it was, and that a
//! task has ended before it is joined (`end` says it where no task does). What a reader of ours is
//! to know beyond that stands in a `begin` of a transaction without events, which other readers
//! pass over: that reads may see what was there before, and that this is a part of a run. A name
//! that the format cannot hold is written with `_` for what is in the way.

use super::text::{INITIAL_VALUES, PART};
use super::{Named, Names, START};
use crate::event::{AccessKind, Event, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{self, Write};

/// See the module.
#[derive(Debug)]
pub struct StdWriter<W> {
    out: W,
    /// By finish that is open: its tasks.
    members: FxHashMap<ScopeId, Vec<TaskId>>,
    /// By sync that is no lock: the helper that its latest signal forked, or the task it is the end
    /// of.
    signals: FxHashMap<SyncId, Signal>,
    helpers: u32,
    words: Words,
    written: FxHashSet<Location>,
    /// Whether a read has come that nobody wrote, and the file says so.
    has_initial_values: bool,
    /// Who did something last.
    last: Option<TaskId>,
}

#[derive(Clone, Copy, Debug)]
enum Signal {
    Helper(u32),
    EndOf(TaskId),
}

impl<W: Write> StdWriter<W> {
    pub fn new(out: W) -> Self {
        StdWriter {
            out,
            members: FxHashMap::default(),
            signals: FxHashMap::default(),
            helpers: 0,
            words: Words::default(),
            written: FxHashSet::default(),
            has_initial_values: false,
            last: None,
        }
    }

    pub fn event(&mut self, event: &Event, names: &Names) -> io::Result<()> {
        self.last = Some(event.task());
        if let Event::Access { task, kind, location, .. } | Event::Atomic { task, kind, location, .. } =
            *event
            && !self.has_initial_values
        {
            if kind == AccessKind::Write {
                self.written.insert(location);
            } else if !self.written.contains(&location) {
                self.has_initial_values = true;
                self.written = FxHashSet::default();
                self.mark(task, INITIAL_VALUES, names)?;
            }
        }
        let StdWriter { out, words, .. } = self;
        match *event {
            // The start of a trace of threads does nothing but begin them.
            Event::Spawn { parent: TaskId::MAIN, .. }
                if names.given(Named::Task(TaskId::MAIN)) == Some(START) => {}
            Event::Spawn { parent, child, scope, site } => {
                if let Some(members) = self.members.get_mut(&scope) {
                    members.push(child);
                }
                line(out, words, names, parent, "fork", Named::Task(child), Some(site))?;
            }
            Event::Access { task, kind, location, site } => {
                let op = if kind == AccessKind::Read { "r" } else { "w" };
                line(out, words, names, task, op, Named::Location(location), Some(site))?;
            }
            // The format knows no atomic accesses. One lock a location keeps them apart, and orders
            // them.
            Event::Atomic { task, kind, location, site } => {
                let op = if kind == AccessKind::Read { "r" } else { "w" };
                let thread = words.word(Named::Task(task), names).to_owned();
                writeln!(out, "{thread}|acq(atomic-{})|0", location.0)?;
                line(out, words, names, task, op, Named::Location(location), Some(site))?;
                writeln!(out, "{thread}|rel(atomic-{})|0", location.0)?;
            }
            Event::Join { task, sync, kind } if kind.is_section() => {
                line(out, words, names, task, "acq", Named::Sync(sync), None)?;
            }
            Event::Signal { task, sync, kind } if kind.is_section() => {
                line(out, words, names, task, "rel", Named::Sync(sync), None)?;
            }
            Event::Signal { task, sync, kind: SyncKind::Future } => {
                self.signals.insert(sync, Signal::EndOf(task));
            }
            Event::Signal { task, sync, .. } => {
                let helper = self.helpers;
                self.helpers += 1;
                writeln!(out, "{}|fork(signal-{helper})|0", words.word(Named::Task(task), names))?;
                self.signals.insert(sync, Signal::Helper(helper));
            }
            Event::Join { task, sync, .. } => match self.signals.get(&sync) {
                Some(Signal::Helper(helper)) => {
                    writeln!(out, "{}|join(signal-{helper})|0", words.word(Named::Task(task), names))?;
                }
                Some(&Signal::EndOf(other)) => {
                    line(out, words, names, task, "join", Named::Task(other), None)?
                }
                None => {}
            },
            Event::FinishBegin { scope, .. } => {
                self.members.insert(scope, Vec::new());
            }
            Event::FinishEnd { task, scope } => {
                for member in self.members.remove(&scope).unwrap_or_default() {
                    line(out, words, names, task, "join", Named::Task(member), None)?;
                }
            }
            // RAPID has no word for it: its `end` is that of a transaction.
            Event::End { .. } => {}
        }
        Ok(())
    }

    fn mark(&mut self, task: TaskId, what: &str, names: &Names) -> io::Result<()> {
        writeln!(self.out, "{}|begin({what})|0", self.words.word(Named::Task(task), names))
    }

    /// As [`finish`](StdWriter::finish), after the mark of what is a part of a run only.
    pub fn finish_part(mut self, names: &Names) -> io::Result<W> {
        self.mark(self.last.unwrap_or(TaskId::MAIN), PART, names)?;
        self.finish()
    }

    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

fn line(
    out: &mut impl Write,
    words: &mut Words,
    names: &Names,
    task: TaskId,
    op: &str,
    operand: Named,
    site: Option<SiteId>,
) -> io::Result<()> {
    write!(out, "{}|{op}(", words.word(Named::Task(task), names))?;
    write!(out, "{})|", words.word(operand, names))?;
    match site {
        Some(site) => writeln!(out, "{}", words.word(Named::Site(site), names)),
        None => writeln!(out, "0"),
    }
}

/// Names as they are written: without what would end them, and each its own.
#[derive(Debug, Default)]
struct Words {
    words: FxHashMap<Named, Box<str>>,
    taken: FxHashSet<(u8, Box<str>)>,
}

impl Words {
    fn word(&mut self, named: Named, names: &Names) -> &str {
        self.words.entry(named).or_insert_with(|| {
            let (kind, number) = match named {
                Named::Task(id) => (0, u64::from(id.0)),
                Named::Sync(id) => (1, u64::from(id.0)),
                Named::Location(id) => (2, id.0),
                // Two sites of one name are one place.
                Named::Site(_) => (3, 0),
            };
            let mut word: Box<str> = names.of(named).replace(['|', '\n', '\r', '(', ')'], "_").into();
            while !self.taken.insert((kind, word.clone())) && kind != 3 {
                word = format!("{word}#{number}").into();
            }
            word
        })
    }
}
