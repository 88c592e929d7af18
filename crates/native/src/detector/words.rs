//! Accesses of whole words, aligned: most of a program's. These are the first of their step to a cell; repeated ones have not got here.
//!
//! Two ways. The short one is for the most common case: a plain access in a run that is only watched, to a cell whose accesses evidently come
//! before it, by their numbers or since they are the task's own or its parent's. All else goes the long one.

use super::changes::{CHANGES, For};
use super::*;
use crate::explored;

impl Detector {
    /// Whether accesses may go the short way: nobody is told of each, and no memory is a thread's own.
    pub(super) fn look_whether_simple(&mut self) {
        self.is_simple = !self.wants_each() && self.own.size == 0 && !explored::is_on();
    }

    /// An access of words whose cells are mostly alike.
    #[inline(always)]
    pub(crate) fn words<const N: usize>(&mut self, address: usize, kind: AccessKind, pc: usize) {
        // SAFETY: as in `access`; the cells of neighbouring words are neighbours, and these are for this access alone.
        let cells = unsafe { &mut *shadow::cell(address).cast::<[Cell; N]>() };
        let mut before = cells[0];
        if self.is_simple && before.writer >= 0 && cells[1..].iter().all(|cell| *cell == before) {
            // What earlier tasks have done on the stack of this one has nothing to do with it.
            let born = self.stacks.mine_born(address).unwrap_or(0);
            if before.writer < born && (0..born).contains(&before.readers) {
                before = Cell::default();
            }
            let is_fresh = before == Cell::default() && self.gone.freed_by(address).is_none();
            if is_fresh {
                self.pages.touch(&cells[0]);
                self.pages.touch(&cells[N - 1]);
            }
            if is_fresh || before.writer > 0 && self.is_near(before.writer) {
                if before.readers == 0 || before.readers > 0 && self.is_near(before.readers) {
                    *cells = [self.next_cell(before, kind, pc); N];
                    return;
                }
                if kind == AccessKind::Read && self.is_known_to_be_stood_for(before.readers, address, pc) {
                    return;
                }
            }
        }
        self.words_otherwise(cells, address, kind, pc);
    }

    /// Whether an access precedes the running step, as far as one can see from here.
    #[inline(always)]
    fn is_near(&self, made: i32) -> bool {
        self.order.is_near(StepId(self.made[made as usize].step))
    }

    /// A cell whose accesses all precede, after an access.
    #[inline(always)]
    fn next_cell(&mut self, before: Cell, kind: AccessKind, pc: usize) -> Cell {
        let context = self.contexts.now().context.0;
        let recent = &mut self.recent[Recent::slot(pc, context)];
        let (made, is_repeated) = if (recent.pc, recent.context, recent.flags) != (pc, context, 0) {
            (self.number_anew(pc, 0), false)
        } else if recent.made >= FIRST.load(Ordering::Relaxed) {
            (recent.made, true)
        } else if self.made.len() < self.made.capacity() {
            let (made, site) = (self.made.len() as i32, recent.site);
            recent.made = made;
            self.made.push(Made { step: self.order.step().0, site });
            (made, false)
        } else {
            (self.number_anew(pc, 0), false)
        };
        let after = match kind {
            AccessKind::Read => Cell { readers: made, ..before },
            AccessKind::Write => Cell { writer: made, readers: 0 },
        };
        // Not at the first access of a step from here: most have no second. And not where the address has a say.
        if is_repeated && before != Cell::default() {
            CHANGES.set(pc, For::Any, before, after);
        }
        after
    }

    #[inline(never)]
    fn words_otherwise<const N: usize>(
        &mut self,
        cells: &mut [Cell; N],
        address: usize,
        kind: AccessKind,
        pc: usize,
    ) {
        let before = cells[0];
        if before == Cell::default() {
            self.pages.touch(&cells[0]);
            self.pages.touch(&cells[N - 1]);
        }
        if before.writer < 0 || !self.on || self.reducing || cells[1..].iter().any(|cell| *cell != before) {
            return self.access(address, 4 * N, kind, Manner::Plain, pc);
        }
        let flags = self.owned(address);
        // Where the address has no say the entry point has looked.
        let good_for = match before == Cell::default() || self.own.size > 0 {
            true => For::Flags(flags),
            false => For::Any,
        };
        if let For::Flags(_) = good_for
            && let Some(after) = CHANGES.find(pc, good_for, before)
            && self.gone.freed_by(address).is_none()
        {
            *cells = [after; N];
            return;
        }
        let is_repeated = self.recent_from(pc, flags).is_some();
        self.tell_access(address, 4 * N, kind, Manner::Plain, pc);
        let met = self.met;
        if before == Cell::default() {
            self.check_gone(address, kind, Manner::Plain, pc);
        }
        let after = match kind {
            AccessKind::Read => self.read(before, address, pc),
            AccessKind::Write => self.write(before, address, pc),
        };
        *cells = [after; N];
        // Not if it is left out, which depends on the address.
        if is_repeated && met == self.met && after != before && self.record.is_none() && !explored::is_on() {
            CHANGES.set(pc, good_for, before, after);
        }
    }
}
