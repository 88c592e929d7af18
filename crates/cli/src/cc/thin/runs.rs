//! Checks that leave their loops.
//!
//! In a loop that cannot end the step, a check that is made every time it runs can be made before it, for all times at once: if
//! its address does not change, as it is, and if it changes by the same number of bytes each time and the loop says how often it
//! runs, as a *run*, one call for all elements. Loops have been rotated by the optimiser: whoever comes to their head runs
//! them at least once. A run, in turn, can leave the loop around, as a run of runs. (DRDP's second optimisation, done by hand there.)
//!
//! The accesses themselves stay where they are, and in the same step. The accesses of a step are the same, and only their order in it is not.

use super::counts::{Count, in_iterations, invariant};
use super::flow::{Flow, Loop};
use super::ir::{Check, Function, What};
use super::poly::Poly;
use super::quiet::Quiet;
use super::values::Values;

/// Runs of runs of runs are not made.
const DIMENSIONS: usize = 2;
/// A call for fewer elements than these costs more than it saves.
const FEWEST: i64 = 3;

/// So many elements, so many bytes apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Dimension {
    pub(super) count: Count,
    pub(super) stride: Poly,
}

/// A check on its way out of loops.
#[derive(Clone, Debug)]
pub(super) struct Run<'a> {
    pub(super) check: Check<'a>,
    /// Those that it stands for.
    pub(super) lines: Vec<usize>,
    pub(super) first: Poly,
    /// The innermost first.
    pub(super) dimensions: Vec<Dimension>,
    /// The block of the check or, once it has left one, the head of the loop.
    block: usize,
    /// The loop before which it is made.
    pub(super) before: Option<usize>,
}

/// The checks that leave a loop, in their order.
pub(super) fn find<'a>(
    function: &Function<'a>,
    flow: &Flow,
    values: &mut Values<'a, '_>,
    quiet: &Quiet<'a>,
    gone: &[usize],
) -> Vec<Run<'a>> {
    if flow.loops.is_empty() {
        return Vec::new();
    }
    let keeps = |block: usize| {
        function.blocks[block].instructions.iter().all(|instruction| quiet.keeps(&instruction.what))
    };
    let kept: Vec<bool> = (0..function.blocks.len()).map(keeps).collect();
    let mut runs = Vec::new();
    for &block in &flow.order {
        for (line, check) in function.movable(block, gone) {
            let first = values.address(check.address);
            runs.push(Run { check, lines: vec![line], first, dimensions: Vec::new(), block, before: None });
        }
    }
    for (number, found) in flow.loops.iter().enumerate() {
        let goes_on = found.has.iter().zip(&kept).all(|(has, kept)| !has || *kept);
        if !goes_on || !enters(function, found) {
            continue;
        }
        let count = Count::of(function, found, values);
        for run in &mut runs {
            if found.has[run.block] && flow.dominates(run.block, found.latch) {
                run.leave(number, found, flow, count.as_ref(), values);
            }
        }
        merge(&mut runs, number);
    }
    runs.retain(|run| run.before.is_some());
    runs
}

/// Whether something can be put between the loop and the block before it: that one ends with a branch, one label of which is the head.
fn enters(function: &Function, found: &Loop) -> bool {
    let last = function.blocks[found.before].instructions.last();
    let is_jump = function.blocks[found.before].successors.len() == 1;
    last.is_some_and(|last| {
        matches!(last.what, What::Branch { .. }) || is_jump && matches!(last.what, What::Other)
    })
}

impl Run<'_> {
    fn leave(
        &mut self,
        number: usize,
        found: &Loop,
        flow: &Flow,
        count: Option<&Count>,
        values: &mut Values,
    ) {
        let same = self.dimensions.iter().all(|Dimension { count, stride }| {
            count.polys().into_iter().chain([stride]).all(|poly| invariant(poly, found, values))
        });
        if !same || self.first.atoms().any(|atom| matches!(values.opaque(atom).text, "undef" | "poison")) {
            return;
        }
        if invariant(&self.first, found, values) {
            // Made the first time that the loop runs, whichever way it is left.
            if found.exits.iter().all(|exit| flow.dominates(self.block, *exit)) {
                (self.block, self.before) = (found.head, Some(number));
            }
            return;
        }
        let Some(count) = count.filter(|count| count.as_constant().is_none_or(|count| count >= FEWEST))
        else {
            return;
        };
        let Some((first, stride)) = in_iterations(&self.first, found, values) else { return };
        if stride.as_constant() == Some(0) {
            (self.first, self.block, self.before) = (first, found.head, Some(number));
        } else if self.dimensions.len() < DIMENSIONS {
            self.dimensions.push(Dimension { count: count.clone(), stride });
            (self.first, self.block, self.before) = (first, found.head, Some(number));
        }
    }
}

/// Runs whose elements lie between each other's, of one place in the source, become one: so the optimiser's vectors and copies of a
/// loop's body do not matter.
fn merge(runs: &mut Vec<Run>, number: usize) {
    let mut at = 0;
    while at < runs.len() {
        let Some((others, stride)) = complete(runs, at, number) else {
            at += 1;
            continue;
        };
        let size = i64::from(runs[at].check.size);
        let lowest = others.iter().copied().min_by_key(|&other| runs[other].first.split().1).unwrap_or(at);
        let mut lines: Vec<usize> = others.iter().flat_map(|&other| runs[other].lines.clone()).collect();
        lines.sort_unstable();
        let first = runs[lowest].first.clone();
        let run = &mut runs[at];
        (run.first, run.lines) = (first, lines);
        run.dimensions[0].stride = Poly::constant(64, size);
        run.dimensions[0].count.times *= stride / size;
        let mut other = 0;
        runs.retain(|_| {
            other += 1;
            other - 1 == at || !others.contains(&(other - 1))
        });
        at += 1;
    }
}

/// The runs that fill the gaps of one, itself among them, and its stride.
fn complete(runs: &[Run], at: usize, number: usize) -> Option<(Vec<usize>, i64)> {
    let run = &runs[at];
    let size = i64::from(run.check.size);
    let stride =
        run.dimensions.first()?.stride.as_constant().filter(|stride| *stride > size && stride % size == 0)?;
    if run.before != Some(number) || stride / size > 64 {
        return None;
    }
    let (base, _) = run.first.split();
    let alike = |other: &Run| {
        other.before == run.before
            && (other.check.kind, other.check.size, other.check.rest)
                == (run.check.kind, run.check.size, run.check.rest)
            && other.dimensions == run.dimensions
            && other.first.split().0 == base
    };
    let mut others: Vec<(i64, usize)> = (at..runs.len())
        .filter(|&other| alike(&runs[other]))
        .map(|other| (runs[other].first.split().1, other))
        .collect();
    others.sort_unstable();
    let adjacent = others.windows(2).all(|pair| pair[0].0.checked_add(size) == Some(pair[1].0));
    let is_whole = adjacent && others.len() as i64 == stride / size;
    is_whole.then(|| (others.into_iter().map(|(_, other)| other).collect(), stride))
}
