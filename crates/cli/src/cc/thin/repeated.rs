//! Checks that repeat another of the same step.
//!
//! A forward analysis of what *must* have been checked: a check has no effect if on every way to it the same bytes were checked in
//! the same step, as written, or as read if it is a read itself. The step may have ended with any call that is not quiet.
//! What was checked is known by the polynomial of its address, and forgotten where one of the values in it is computed anew.

use super::flow::Flow;
use super::ir::{Check, Function, Kind, What};
use super::poly::Poly;
use super::quiet::Quiet;
use super::values::Values;
use rustc_hash::FxHashMap;

/// A check that must have been made, by its number.
#[derive(Clone, PartialEq, Eq)]
struct Facts(Vec<u64>);

impl Facts {
    fn none(count: usize) -> Facts {
        Facts(vec![0; count.div_ceil(64)])
    }

    fn has(&self, fact: usize) -> bool {
        self.0[fact / 64] & 1 << (fact % 64) != 0
    }

    fn add(&mut self, fact: usize) {
        self.0[fact / 64] |= 1 << (fact % 64);
    }

    fn keep(&mut self, others: &Facts) {
        self.0.iter_mut().zip(&others.0).for_each(|(word, other)| *word &= other);
    }

    fn remove(&mut self, others: &Facts) {
        self.0.iter_mut().zip(&others.0).for_each(|(word, other)| *word &= !other);
    }
}

/// What is known of the checks of a function.
struct Known<'a, 'f> {
    function: &'f Function<'a>,
    quiet: &'f Quiet<'a>,
    /// The fact that a check is about, by block and instruction.
    facts: FxHashMap<(usize, usize), usize>,
    /// For each fact, those that it implies, itself among them.
    implied: Vec<Facts>,
    /// Facts about addresses computed from a value.
    about: FxHashMap<&'a str, Facts>,
    count: usize,
}

/// The lines of checks that repeat another.
pub(super) fn lines<'a>(
    function: &Function<'a>,
    flow: &Flow,
    values: &mut Values<'a, '_>,
    quiet: &Quiet<'a>,
) -> Vec<usize> {
    let known = Known::new(function, flow, values, quiet);
    if known.count == 0 {
        return Vec::new();
    }
    // Unknown yet: whatever is true is true there.
    let mut at_end: Vec<Option<Facts>> = vec![None; function.blocks.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &block in &flow.order {
            let mut facts = known.at_start(block, flow, &at_end);
            known.follow(block, &mut facts, |_| {});
            if at_end[block].as_ref() != Some(&facts) {
                at_end[block] = Some(facts);
                changed = true;
            }
        }
    }
    let mut repeated = Vec::new();
    for &block in &flow.order {
        let mut facts = known.at_start(block, flow, &at_end);
        known.follow(block, &mut facts, |line| repeated.push(line));
    }
    repeated
}

impl<'a, 'f> Known<'a, 'f> {
    fn new(
        function: &'f Function<'a>,
        flow: &Flow,
        values: &mut Values<'a, '_>,
        quiet: &'f Quiet<'a>,
    ) -> Self {
        let mut numbers: FxHashMap<(Poly, Kind, u32), usize> = FxHashMap::default();
        let mut facts = FxHashMap::default();
        for &block in &flow.order {
            for (at, instruction) in function.blocks[block].instructions.iter().enumerate() {
                if let What::Check(Check { kind, size, address, .. }) = instruction.what {
                    let next = numbers.len();
                    let fact = *numbers.entry((values.address(address), kind, size)).or_insert(next);
                    facts.insert((block, at), fact);
                }
            }
        }
        let count = numbers.len();
        let mut implied = vec![Facts::none(count); count];
        let mut about: FxHashMap<&str, Facts> = FxHashMap::default();
        let mut near: FxHashMap<Poly, Vec<(i64, Kind, u32, usize)>> = FxHashMap::default();
        for ((address, kind, size), &fact) in &numbers {
            for atom in address.atoms() {
                about.entry(values.opaque(atom).text).or_insert_with(|| Facts::none(count)).add(fact);
            }
            let (base, offset) = address.split();
            near.entry(base).or_default().push((offset, *kind, *size, fact));
        }
        for group in near.values() {
            for &(offset, kind, size, fact) in group {
                for &(inner, weaker, part, other) in group {
                    let from = inner.wrapping_sub(offset);
                    let inside = from >= 0 && from + i64::from(part) <= i64::from(size);
                    if inside && (kind == Kind::Write || weaker == Kind::Read) {
                        implied[fact].add(other);
                    }
                }
            }
        }
        Known { function, quiet, facts, implied, about, count }
    }

    fn at_start(&self, block: usize, flow: &Flow, at_end: &[Option<Facts>]) -> Facts {
        let mut before = flow.predecessors[block].iter().filter_map(|from| at_end[*from].as_ref());
        // Nothing comes before the first block, whatever leads back to it.
        if block == flow.order[0] {
            return Facts::none(self.count);
        }
        let Some(first) = before.next() else { return Facts::none(self.count) };
        let mut facts = first.clone();
        before.for_each(|others| facts.keep(others));
        facts
    }

    fn follow(&self, block: usize, facts: &mut Facts, mut repeats: impl FnMut(usize)) {
        for (at, instruction) in self.function.blocks[block].instructions.iter().enumerate() {
            if let Some(about) = instruction.result.and_then(|result| self.about.get(result)) {
                facts.remove(about);
            }
            if let (What::Check(check), Some(&fact)) = (&instruction.what, self.facts.get(&(block, at))) {
                if facts.has(fact) && !check.fixed {
                    repeats(instruction.line);
                }
                self.implied[fact].0.iter().zip(&mut facts.0).for_each(|(word, known)| *known |= word);
            } else if !self.quiet.keeps(&instruction.what) {
                *facts = Facts::none(self.count);
            }
        }
    }
}
