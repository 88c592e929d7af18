//! Checks that are made after their loops, where the data decides how often these run: scans, merges, partitions.
//!
//! Before such a loop nobody knows what it will access. After it one does: an address that is the same or an element further each time
//! round has passed every element from where it started to where it is, and one call tells of the *span* between. So a check may leave a loop that cannot
//! end the step, and is told of where the loop is left, on each way out of it, if
//!
//! - it is made every time round, of an address that stays or moves by `s` bytes (up or down, always the same): then of the elements from the first
//!   address to the last one, with it if the check was made before the way out, and without it if the check would have come after; or
//! - it is made exactly in those times in which the address moves (`if (…) *to++ = x`): then of the elements that were passed.
//!
//! A span that begins, each time round the loop around, where the one before has ended, leaves that loop too: the two scans of a partition
//! become one span each for the whole of it.
//!
//! Why it is sound. The step is the same before, in and after the loop (`quiet`), and no memory is given or taken back in it, so that the
//! detector compares the accesses with the same ones as it would have, and keeps the same of them. Of a read and a write of one cell, the write is what it keeps,
//! whichever is told first: a read by the step that has written a cell is dropped (`Detector::read`), and whatever races with the
//! read races with the write. In a section of a lock an access may order the rest of the section after another one that it conflicts with
//! (`detector/conflicts.rs`), and what is told later is then ordered as well. Both are in the section, so that the races that are not seen for that are
//! those that only another order of the two sections shows, which one run does not promise to find. And the loop has to end, or its accesses would never be told, nor would a task be made to let the others go first
//! (`interrupts`): it is one that counts, or it has a check of an address that moves every time round, so that
//! it does not wait for another task to change what it looks at. A crash in the loop loses what it had accessed until then.
//!
//! Cost: a number of instructions a word of what was accessed, fewer than a call takes (`spans` in the runtime). It is told at least as quickly as by
//! the calls from two elements on, and a loop that is left the first time round pays some ten instructions.

use super::counts::{Count, invariant};
use super::flow::{Flow, Loop};
use super::ir::{Check, Function, What};
use super::poly::{Atom, Poly};
use super::quiet::Quiet;
use super::values::{Taken, Values, Width};

/// A value may be one of so many, found by so many steps.
const CHOICES: usize = 16;

/// A check that has left its loop, or is about to.
pub(super) struct Span<'a> {
    pub(super) check: Check<'a>,
    pub(super) line: usize,
    /// From one element to the next, upwards.
    pub(super) stride: i64,
    pub(super) told: Vec<Told>,
    /// The block after which it is told, inside of the loops that it has not left.
    block: usize,
    /// As seen from there; of a check that has left no loop, its address.
    low: Poly,
    high: Poly,
}

/// Elements lie from one address on up to another. They are told of on the way from a block of a loop to one that is not.
#[derive(Clone)]
pub(super) struct Told {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) low: Poly,
    pub(super) high: Poly,
}

/// What becomes of a check or a span that leaves a loop.
struct Left {
    stride: i64,
    told: Vec<Told>,
    /// Its address moves every time round.
    moves: bool,
    /// It may leave the loop around as well: there is one way out, and something to tell of on it.
    goes_on: bool,
}

/// Where the elements of a loop end, as seen from a way out.
enum End {
    /// With the last address.
    With,
    /// Before it.
    Before,
}

pub(super) fn find<'a>(
    function: &Function<'a>,
    flow: &Flow,
    values: &mut Values<'a, '_>,
    quiet: &Quiet<'a>,
    gone: &[usize],
) -> Vec<Span<'a>> {
    let mut open = Vec::new();
    for &block in flow.order.iter().filter(|block| flow.loops.iter().any(|found| found.has[**block])) {
        for (line, check) in function.movable(block, gone) {
            let low = values.address(check.address);
            let high = low.clone();
            open.push(Span { check, line, stride: 0, told: Vec::new(), block, low, high });
        }
    }
    let mut done = Vec::new();
    for found in &flow.loops {
        let (inside, outside): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|span: &Span| found.has[span.block]);
        open = outside;
        let mut around = Around { function, flow, found, values };
        let left: Vec<Option<Left>> = match around.may_be_left(quiet) {
            true => inside.iter().map(|span| around.leave(span)).collect(),
            false => inside.iter().map(|_| None).collect(),
        };
        let ends = left.iter().flatten().any(|left| left.moves)
            || Count::of(function, found, around.values).is_some();
        for (mut span, left) in inside.into_iter().zip(left) {
            let Some(left) = left.filter(|_| ends) else {
                // What has not left an inner loop does not leave one around it.
                done.push(span);
                continue;
            };
            let [last, ..] = &left.told[..] else { continue };
            (span.block, span.low, span.high) = (last.from, last.low.clone(), last.high.clone());
            (span.stride, span.told) = (left.stride, left.told);
            if left.goes_on { open.push(span) } else { done.push(span) }
        }
    }
    done.extend(open);
    done.retain(|span| !span.told.is_empty());
    done.sort_unstable_by_key(|span| span.line);
    done
}

/// A loop, in its function.
struct Around<'a, 'f, 'v, 'o> {
    function: &'f Function<'a>,
    flow: &'f Flow,
    found: &'f Loop,
    values: &'v mut Values<'a, 'o>,
}

impl<'a> Around<'a, '_, '_, '_> {
    /// Whether nothing in it ends the step, and every way out is one of two labels of a branch.
    fn may_be_left(&self, quiet: &Quiet<'a>) -> bool {
        let blocks = self.function.blocks.iter().zip(&self.found.has).filter(|(_, has)| **has);
        let is_quiet = blocks
            .flat_map(|(block, _)| &block.instructions)
            .all(|instruction| quiet.keeps(&instruction.what));
        let is_branch = |exit: &usize| {
            let block = &self.function.blocks[*exit];
            let last = block.instructions.last();
            block.successors.len() == 2 && last.is_some_and(|last| matches!(last.what, What::Branch { .. }))
        };
        is_quiet && !self.found.exits.is_empty() && self.found.exits.iter().all(is_branch)
    }

    fn leave(&mut self, span: &Span) -> Option<Left> {
        let polys = [&span.low, &span.high];
        let is_known = |atom: Atom| !matches!(self.values.opaque(atom).text, "undef" | "poison");
        if !polys.iter().all(|poly| poly.atoms().all(is_known)) {
            return None;
        }
        let every = self.flow.dominates(span.block, self.found.latch);
        match (span.stride, every) {
            (0, true) => self.check(span),
            (0, false) => self.check_if_it_moves(span),
            (_, true) => self.span(span),
            (_, false) => None,
        }
    }

    /// A check that is made every time.
    fn check(&mut self, span: &Span) -> Option<Left> {
        let next = self.next(&span.low)?;
        let (by, stays) = self.moves(&span.low, &next, span)?;
        let first = self.start(&span.low)?;
        let ends = self.exits(|this, exit| {
            if this.flow.dominates(span.block, exit) {
                Some(End::With)
            } else {
                // Whether the last time round was the first at its address is not known if it may have stayed.
                (!stays && !this.reaches(span.block, exit)).then_some(End::Before)
            }
        })?;
        let goes_on = matches!(ends[..], [(_, End::With)]);
        let told = ends.iter().map(|(exit, end)| {
            let after = match end {
                End::With => span.low.plus(&constant(by))?,
                End::Before => span.low.clone(),
            };
            self.told(*exit, &first, &after, by)
        });
        Some(Left { stride: by.abs(), told: told.collect::<Option<_>>()?, moves: !stays, goes_on })
    }

    /// A check that is made in those times in which its address moves.
    fn check_if_it_moves(&mut self, span: &Span) -> Option<Left> {
        if self.reaches(span.block, span.block) {
            return None;
        }
        // The one value that changes, and the phi that says what it will be.
        let mut moving = span.low.atoms().filter(|atom| self.is_inside(*atom));
        let atom = moving.next().filter(|_| moving.next().is_none())?;
        let (_, _, next) = self.values.turn(atom, self.found.head, self.found.latch)?;
        let (place, What::Phi { from, .. }) = self.values.definition(next)? else { return None };
        if !self.found.has[place.block]
            || place.block == self.found.head
            || self.reaches(place.block, place.block)
        {
            return None;
        }
        let mut by = None;
        for &(value, block) in from {
            let block = self.function.blocks.iter().position(|other| other.name == block)?;
            let value = self.values.like(atom, value);
            let value = self.choices(span.low.with(&[(atom, value)])?)?;
            if value.iter().all(|value| *value == span.low) {
                if span.block == block || self.reaches(span.block, block) {
                    return None;
                }
                continue;
            }
            let (this, stays) = self.moves(&span.low, &value, span)?;
            if stays || by.is_some_and(|by| by != this) || !self.flow.dominates(span.block, block) {
                return None;
            }
            by = Some(this);
        }
        let by = by?;
        let first = self.start(&span.low)?;
        let next = self.values.like(atom, next);
        let next = span.low.with(&[(atom, next)])?;
        let ends = self.exits(|this, exit| {
            if this.flow.dominates(place.block, exit) {
                Some(End::With)
            } else {
                (span.block != exit && !this.reaches(span.block, exit)).then_some(End::Before)
            }
        })?;
        let told = ends.iter().map(|(exit, end)| {
            let after = if matches!(end, End::With) { &next } else { &span.low };
            self.told(*exit, &first, after, by)
        });
        Some(Left { stride: by.abs(), told: told.collect::<Option<_>>()?, moves: false, goes_on: false })
    }

    /// A span that each time begins where it ended the time before.
    fn span(&mut self, span: &Span) -> Option<Left> {
        // It is told once each time round, and what it was told by is still the same at the end.
        let [Told { to, .. }] = span.told[..] else { return None };
        let mut is_after = vec![false; self.function.blocks.len()];
        if to != self.found.head {
            is_after = self.reached_from(to);
            is_after[to] = true;
        }
        let polys = [&span.low, &span.high];
        let computed = polys.iter().flat_map(|poly| poly.atoms()).filter(|atom| self.is_inside(*atom));
        let places: Vec<usize> =
            computed.filter_map(|atom| self.values.place(atom)).map(|at| at.block).collect();
        if is_after[span.block] || places.iter().any(|block| is_after[*block]) {
            return None;
        }
        let is =
            |all: Option<Vec<Poly>>, one: &Poly| all.is_some_and(|all| all.iter().all(|poly| poly == one));
        let next = self.next(&span.low);
        let upwards = is(next, &span.high);
        if !upwards {
            let next = self.next(&span.high);
            if !is(next, &span.low) {
                return None;
            }
        }
        let (from, after) = if upwards { (&span.low, &span.high) } else { (&span.high, &span.low) };
        let first = self.start(from)?;
        let ends = self.exits(|this, exit| {
            if this.flow.dominates(span.block, exit) {
                Some(End::With)
            } else {
                (!this.reaches(span.block, exit)).then_some(End::Before)
            }
        })?;
        let goes_on = matches!(ends[..], [(_, End::With)]);
        let told = ends.iter().map(|(exit, end)| {
            let last = if matches!(end, End::With) { after } else { from };
            let (low, high) = if upwards { (&first, last) } else { (last, &first) };
            self.told_of(*exit, low.clone(), high.clone())
        });
        Some(Left { stride: span.stride, told: told.collect::<Option<_>>()?, moves: true, goes_on })
    }

    /// For each way out, where the elements end.
    fn exits(&self, end: impl Fn(&Self, usize) -> Option<End>) -> Option<Vec<(usize, End)>> {
        self.found.exits.iter().map(|exit| Some((*exit, end(self, *exit)?))).collect()
    }

    /// The elements from the first address to the one after the last, which moves by `by`.
    fn told(&self, exit: usize, first: &Poly, after: &Poly, by: i64) -> Option<Told> {
        if by > 0 {
            return self.told_of(exit, first.clone(), after.clone());
        }
        let stride = constant(-by);
        self.told_of(exit, after.plus(&stride)?, first.plus(&stride)?)
    }

    fn told_of(&self, exit: usize, low: Poly, high: Poly) -> Option<Told> {
        let leaves = |next: &&usize| !self.found.has[**next];
        let to = *self.function.blocks[exit].successors.iter().find(leaves)?;
        let is_there =
            |atom: Atom| self.values.place(atom).is_none_or(|place| self.flow.dominates(place.block, exit));
        (low.atoms().all(is_there) && high.atoms().all(is_there)).then_some(Told {
            from: exit,
            to,
            low,
            high,
        })
    }

    fn is_inside(&self, atom: Atom) -> bool {
        self.values.place(atom).is_some_and(|place| self.found.has[place.block])
    }

    /// By how many bytes an address moves, whole elements, and whether it may also stay.
    fn moves(&self, now: &Poly, next: &[Poly], span: &Span) -> Option<(i64, bool)> {
        let (mut by, mut stays) = (None, false);
        for next in next {
            match next.minus(now)?.as_constant()? {
                0 => stays = true,
                this if by.is_none_or(|by| by == this) => by = Some(this),
                _ => return None,
            }
        }
        let by = by.filter(|by| by % i64::from(span.check.size) == 0 && *by != i64::MIN)?;
        Some((by, stays))
    }

    /// What a value was the first time.
    fn start(&mut self, poly: &Poly) -> Option<Poly> {
        let start = self.turned(poly, |(_, start, _)| start)?;
        invariant(&start, self.found, self.values).then_some(start)
    }

    /// What a value may be the next time.
    fn next(&mut self, poly: &Poly) -> Option<Vec<Poly>> {
        let next = self.turned(poly, |(_, _, next)| next)?;
        self.choices(next)
    }

    /// With the phis of the head replaced by one of what they are made of; nothing else may be computed in the loop.
    fn turned(&mut self, poly: &Poly, which: impl Fn((Width, &'a str, &'a str)) -> &'a str) -> Option<Poly> {
        let mut replaced: Vec<(Atom, Poly)> = Vec::new();
        for atom in poly.atoms() {
            if self.is_inside(atom) && replaced.iter().all(|(known, _)| *known != atom) {
                let text = which(self.values.turn(atom, self.found.head, self.found.latch)?);
                replaced.push((atom, self.values.like(atom, text)));
            }
        }
        poly.with(&replaced)
    }

    /// All that a value may be, with what was chosen in the loop replaced by what it was chosen from.
    fn choices(&mut self, poly: Poly) -> Option<Vec<Poly>> {
        let (mut open, mut found) = (vec![poly], Vec::new());
        for _ in 0..CHOICES {
            let Some(poly) = open.pop() else { return Some(found) };
            let chosen: Vec<Atom> = poly.atoms().collect();
            let chosen = chosen.into_iter().find_map(|atom| Some((atom, self.chosen_from(atom)?)));
            let Some((atom, values)) = chosen else {
                found.push(poly);
                continue;
            };
            for value in values {
                open.push(poly.with(&[(atom, value)])?);
            }
        }
        None
    }

    fn chosen_from(&mut self, atom: Atom) -> Option<Vec<Poly>> {
        let (width, taken) = (self.values.opaque(atom).width, self.values.opaque(atom).taken);
        let bits = if taken == Taken::Whole { width.bits() } else { 64 };
        let bit = || Some(vec![Poly::constant(bits, 0), Poly::constant(bits, 1)]);
        if (width, taken) == (Width::Bits(1), Taken::Unsigned) {
            return bit();
        }
        let place = self.values.place(atom).filter(|place| self.found.has[place.block])?;
        match &self.function.blocks[place.block].instructions[place.at].what {
            What::Bit => bit(),
            What::Select { left, right } => {
                Some(vec![self.values.like(atom, left), self.values.like(atom, right)])
            }
            // One that is met once each time round.
            What::Phi { from, .. }
                if place.block != self.found.head && !self.reaches(place.block, place.block) =>
            {
                Some(from.iter().map(|(value, _)| self.values.like(atom, value)).collect())
            }
            _ => None,
        }
    }

    /// Whether a block can come after another in the same time round.
    fn reaches(&self, from: usize, to: usize) -> bool {
        self.reached_from(from)[to]
    }

    fn reached_from(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.function.blocks.len()];
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            for &next in &self.function.blocks[block].successors {
                let goes_on = self.found.has[next] && next != self.found.head;
                if goes_on && !std::mem::replace(&mut reached[next], true) {
                    open.push(next);
                }
            }
        }
        reached
    }
}

fn constant(value: i64) -> Poly {
    Poly::constant(64, value)
}
