//! The causal events of a race: what has to have happened for both tasks to stand before their
//! accesses.
//!
//! Ogles et al. take all events that DC puts before one of the two. That is right for DC's first
//! race and more than is needed for others, and it depends on the order that found the race. Here
//! it is the smallest set with the tasks' own events before the two accesses in it, closed under
//! what no reordering can do without: the events before in the hard order, the write that each read
//! saw, and the ends of sections, of which all but the last of each lock have to be left. It is
//! closed under the tasks' own order, so it is a *cut*: a number of events for each task.

use super::trace::{NONE, Section, Trace};
use crate::event::Event;

/// How many of its events each task has done. Always whole blocks.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    done: Vec<u32>,
}

/// What to do with sections that would stay open though neither of the two accesses is in them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Open {
    /// Leave them if the lock has another section in the cut.
    Leave,
    /// Leave them only if another section of the lock would stay open, too.
    Keep,
}

impl Cut {
    pub(super) fn has(&self, trace: &Trace<'_>, at: u32) -> bool {
        trace.position(at) < self.done[trace.task(at)]
    }

    /// The sections of a lock that were entered, in the order in which they were.
    pub(super) fn sections<'t>(
        &'t self,
        trace: &'t Trace<'_>,
        sections: &'t [Section],
    ) -> impl Iterator<Item = Section> + 't {
        sections.iter().copied().filter(|section| self.has(trace, section.enter))
    }

    pub(super) fn is_left(&self, trace: &Trace<'_>, section: &Section) -> bool {
        section.leave != NONE && self.has(trace, section.leave)
    }

    /// The blocks, task by task.
    pub(super) fn blocks<'t>(&'t self, trace: &'t Trace<'_>) -> impl Iterator<Item = u32> + 't {
        let done = trace.tasks.iter().zip(&self.done);
        done.flat_map(|(events, &done)| &events[..done as usize])
            .copied()
            .filter(|&at| trace.event(at).is_action())
    }

    /// The causal events of a race, with `forced` among them; nothing if one of its accesses would
    /// have to be.
    pub(super) fn causal(trace: &Trace<'_>, race: [u32; 2], open: Open, forced: &[u32]) -> Option<Cut> {
        let mut limits = vec![u32::MAX; trace.tasks.len()];
        for at in race {
            limits[trace.task(at)] = trace.position(at);
        }
        let mut growing =
            Growing { trace, limits, cut: Cut { done: vec![0; trace.tasks.len()] }, work: Vec::new() };
        growing.raise(0, 0)?;
        for at in race {
            growing.raise(trace.task(at), trace.position(at))?;
        }
        for &at in forced {
            growing.include(at)?;
        }
        loop {
            growing.close()?;
            if !growing.leave_sections(open)? {
                return Some(growing.cut);
            }
        }
    }
}

struct Growing<'t, 'a> {
    trace: &'t Trace<'a>,
    /// By task: how many events it may do at most.
    limits: Vec<u32>,
    cut: Cut,
    /// Events that were added, whose needs have not been looked at.
    work: Vec<u32>,
}

impl Growing<'_, '_> {
    /// Has `task` do at least so many of its events, and what happens together with them.
    fn raise(&mut self, task: usize, events: u32) -> Option<()> {
        let done = self.cut.done[task];
        let events = events.max(done);
        let events = events + self.trace.tail(task, events).count() as u32;
        if events > self.limits[task] {
            return None;
        }
        self.cut.done[task] = events;
        self.work.extend(&self.trace.tasks[task][done as usize..events as usize]);
        if done == 0 && self.trace.spawns[task] != NONE {
            self.include(self.trace.spawns[task])?;
        }
        Some(())
    }

    fn include(&mut self, at: u32) -> Option<()> {
        if self.cut.has(self.trace, at) {
            return Some(());
        }
        self.raise(self.trace.task(at), self.trace.position(at) + 1)
    }

    /// Adds what the added events need.
    fn close(&mut self) -> Option<()> {
        while let Some(at) = self.work.pop() {
            let source = self.trace.source[at as usize];
            if source != NONE {
                self.include(source)?;
            }
            match *self.trace.event(at) {
                Event::Spawn { child, .. } => self.raise(child.index(), 0)?,
                Event::FinishEnd { scope, .. } => {
                    for task in self.trace.members.get(&scope).into_iter().flatten() {
                        self.raise(task.index(), self.trace.tasks[task.index()].len() as u32)?;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Leaves sections so that at most one of each lock is open; whether something was added.
    fn leave_sections(&mut self, open: Open) -> Option<bool> {
        let mut leave = Vec::new();
        for sections in self.trace.sections.values() {
            let entered = self.cut.sections(self.trace, sections).count();
            let opened: Vec<Section> = self
                .cut
                .sections(self.trace, sections)
                .filter(|section| !self.cut.is_left(self.trace, section))
                .collect();
            let can_be_left = |section: &Section| {
                let task = self.trace.task(section.enter);
                section.leave != NONE && self.trace.position(section.leave) < self.limits[task]
            };
            let stuck = opened.iter().filter(|section| !can_be_left(section)).count();
            if stuck > 1 {
                return None;
            }
            let crowded = if open == Open::Leave { entered > 1 } else { opened.len() > 1 };
            if !crowded {
                continue;
            }
            // One stays open: the one that cannot be left, or the last.
            let keeps_last = stuck == 0 && open == Open::Keep;
            let leaving = opened.len() - usize::from(keeps_last);
            leave.extend(opened[..leaving].iter().filter(|section| can_be_left(section)).map(|s| s.leave));
        }
        // The order of a hash map must not decide.
        leave.sort_unstable();
        for &at in &leave {
            self.include(at)?;
        }
        Some(!leave.is_empty())
    }
}
