//! The graph of a function's blocks: what is reached, what dominates what, and the natural loops.
//!
//! Dominators by Cooper, Harvey and Kennedy, *A simple, fast dominance algorithm* (2001): fixed point over reverse postorder.

use super::ir::Function;

pub(super) struct Flow {
    /// Blocks that are reached, in reverse postorder.
    pub(super) order: Vec<usize>,
    pub(super) predecessors: Vec<Vec<usize>>,
    /// The nearest dominator, by its place in `order`; the first block is its own.
    dominators: Vec<usize>,
    /// The place in `order`, if reached.
    places: Vec<Option<usize>>,
    /// Loops, inner ones before those around them.
    pub(super) loops: Vec<Loop>,
}

/// A natural loop, with one way back to its head.
pub(super) struct Loop {
    pub(super) head: usize,
    pub(super) latch: usize,
    /// The one block outside from which it is entered.
    pub(super) before: usize,
    /// Whether each block of the function is part of it.
    pub(super) has: Vec<bool>,
    /// Blocks that can leave it.
    pub(super) exits: Vec<usize>,
}

impl Flow {
    pub(super) fn new(function: &Function) -> Flow {
        let count = function.blocks.len();
        let mut predecessors = vec![Vec::new(); count];
        let order = postorder(function);
        let mut places = vec![None; count];
        for (place, &block) in order.iter().enumerate() {
            places[block] = Some(place);
            for &next in &function.blocks[block].successors {
                predecessors[next].push(block);
            }
        }
        let dominators = dominators(&order, &places, &predecessors);
        let mut flow = Flow { order, predecessors, dominators, places, loops: Vec::new() };
        flow.loops = flow.find_loops(function);
        flow
    }

    pub(super) fn is_reached(&self, block: usize) -> bool {
        self.places[block].is_some()
    }

    pub(super) fn dominates(&self, above: usize, below: usize) -> bool {
        let (Some(above), Some(mut below)) = (self.places[above], self.places[below]) else { return false };
        while below > above {
            below = self.dominators[below];
        }
        below == above
    }

    fn find_loops(&self, function: &Function) -> Vec<Loop> {
        let mut loops = Vec::new();
        for &head in &self.order {
            let (back, entries): (Vec<usize>, Vec<usize>) =
                self.predecessors[head].iter().partition(|&&from| self.dominates(head, from));
            let ([latch], [before]) = (&back[..], &entries[..]) else { continue };
            let mut has = vec![false; function.blocks.len()];
            has[head] = true;
            let mut open = vec![*latch];
            while let Some(block) = open.pop() {
                if !std::mem::replace(&mut has[block], true) {
                    open.extend(&self.predecessors[block]);
                }
            }
            let leaves = |block: &usize| {
                has[*block] && function.blocks[*block].successors.iter().any(|next| !has[*next])
            };
            let exits = self.order.iter().copied().filter(leaves).collect();
            loops.push(Loop { head, latch: *latch, before: *before, has, exits });
        }
        loops.sort_by_key(|found| found.has.iter().filter(|has| **has).count());
        loops
    }
}

fn postorder(function: &Function) -> Vec<usize> {
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::new();
    let mut open = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = open.pop() {
        match function.blocks[block].successors.get(next) {
            Some(&successor) => {
                open.push((block, next + 1));
                if !std::mem::replace(&mut seen[successor], true) {
                    open.push((successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

fn dominators(order: &[usize], places: &[Option<usize>], predecessors: &[Vec<usize>]) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let mut dominators = vec![UNKNOWN; order.len()];
    dominators[0] = 0;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (place, &block) in order.iter().enumerate().skip(1) {
            let known = predecessors[block].iter().filter_map(|from| places[*from]);
            let mut known = known.filter(|from| dominators[*from] != UNKNOWN);
            let Some(mut nearest) = known.next() else { continue };
            for mut other in known {
                while nearest != other {
                    if nearest > other {
                        nearest = dominators[nearest];
                    } else {
                        other = dominators[other];
                    }
                }
            }
            changed |= dominators[place] != nearest;
            dominators[place] = nearest;
        }
    }
    dominators
}
