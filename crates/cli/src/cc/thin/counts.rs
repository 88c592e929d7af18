//! How often a loop runs.

use super::flow::Loop;
use super::ir::{Function, What};
use super::poly::{Atom, Poly};
use super::values::{Induction, Values, Width};

/// Compared as unsigned or signed numbers, or for being equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Differs,
    /// Goes up to the limit, or with it.
    Below {
        signed: bool,
        with: bool,
    },
    Above {
        signed: bool,
        with: bool,
    },
}

/// A loop goes on after its j-th time, from zero, iff `start + j·step` is so related to `limit`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Count {
    pub(super) start: Poly,
    pub(super) limit: Poly,
    pub(super) step: i64,
    pub(super) relation: Relation,
    /// Elements for each time.
    pub(super) times: i64,
}

/// The iteration of the loop that is looked at, from zero.
pub(super) const ITERATION: Atom = Atom(u32::MAX);

impl Count {
    /// If the loop is left at its latch only, by a comparison that says how often it runs.
    pub(super) fn of(function: &Function, found: &Loop, values: &mut Values) -> Option<Count> {
        if found.exits != [found.latch] {
            return None;
        }
        let What::Branch { condition } = function.blocks[found.latch].instructions.last()?.what else {
            return None;
        };
        let (_, &What::Compare { relation, kind, left, right }) = values.definition(condition)? else {
            return None;
        };
        let width = Width::of(kind)?;
        let is_pointer = width == Width::Pointer;
        if !matches!(width.bits(), 32 | 64) {
            return None;
        }
        // The first label of the branch is where it goes if the condition holds.
        let goes_on = function.blocks[found.latch].successors.first() == Some(&found.head);
        let (left, right) = (values.value(left, width), values.value(right, width));
        let (moving, limit, swapped) =
            match (invariant(&left, found, values), invariant(&right, found, values)) {
                (false, true) => (left, right, false),
                (true, false) => (right, left, true),
                _ => return None,
            };
        let relation = Relation::of(relation, goes_on, swapped)?;
        let (start, step) = in_iterations(&moving, found, values)?;
        let step = step.as_constant()?;
        let overflows = overflows(&moving, step, found, values);
        let safe = match relation {
            Relation::Differs => step.abs() == 1 || !(overflows.signed && overflows.unsigned) || is_pointer,
            Relation::Below { signed, with } | Relation::Above { signed, with } => {
                (step.abs() == 1 && !with)
                    || is_pointer
                    || !(if signed { overflows.signed } else { overflows.unsigned })
            }
        };
        let right_way = match relation {
            Relation::Differs => step != 0,
            Relation::Below { .. } => step > 0,
            Relation::Above { .. } => step < 0,
        };
        (safe && right_way && step != i64::MIN).then_some(Count { start, limit, step, relation, times: 1 })
    }

    pub(super) fn polys(&self) -> [&Poly; 2] {
        [&self.start, &self.limit]
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        let (start, limit) = (self.start.as_constant()?, self.limit.as_constant()?);
        let more = match self.relation {
            Relation::Differs => limit.checked_sub(start)?.checked_div(self.step)?,
            Relation::Below { with, .. } if start < limit || with && start == limit => {
                (limit.checked_sub(start)? - i64::from(!with)) / self.step + 1
            }
            Relation::Above { with, .. } if start > limit || with && start == limit => {
                (start.checked_sub(limit)? - i64::from(!with)) / -self.step + 1
            }
            _ => 0,
        };
        more.checked_add(1)?.checked_mul(self.times)
    }
}

impl Relation {
    /// The relation of the moving side to the other under which the loop goes on.
    fn of(name: &str, goes_on: bool, swapped: bool) -> Option<Relation> {
        let signed = name.starts_with('s');
        let (mut below, mut with) = match name {
            "eq" => return (!goes_on).then_some(Relation::Differs),
            "ne" => return goes_on.then_some(Relation::Differs),
            "slt" | "ult" => (true, false),
            "sle" | "ule" => (true, true),
            "sgt" | "ugt" => (false, false),
            "sge" | "uge" => (false, true),
            _ => return None,
        };
        if !goes_on {
            (below, with) = (!below, !with);
        }
        if swapped {
            below = !below;
        }
        Some(if below { Relation::Below { signed, with } } else { Relation::Above { signed, with } })
    }
}

/// Whether nothing of it is computed in the loop.
pub(super) fn invariant(poly: &Poly, found: &Loop, values: &Values) -> bool {
    poly.atoms().all(|atom| values.place(atom).is_none_or(|place| !found.has[place.block]))
}

struct Overflows {
    signed: bool,
    unsigned: bool,
}

/// Whether a value may pass the largest number on its way, as far as is known: not if it is a phi that is added to without
/// overflow, or what comes of that addition.
fn overflows(moving: &Poly, step: i64, found: &Loop, values: &mut Values) -> Overflows {
    let plain = moving.atoms().find_map(|atom| {
        let induction = values.induction(atom, found.head, found.latch)?;
        let rest = moving.minus(&Poly::atom(moving.bits(), atom))?.as_constant()?;
        (rest == 0 || rest == step).then_some(induction)
    });
    plain.map_or(Overflows { signed: true, unsigned: true }, |plain| Overflows {
        signed: !plain.nsw,
        unsigned: !plain.nuw,
    })
}

/// As `start + iteration · step`, both invariant.
pub(super) fn in_iterations(poly: &Poly, found: &Loop, values: &mut Values) -> Option<(Poly, Poly)> {
    let mut replaced: Vec<(Atom, Poly)> = Vec::new();
    for atom in poly.atoms() {
        let moves = values.place(atom).is_some_and(|place| found.has[place.block]);
        if !moves || replaced.iter().any(|(known, _)| *known == atom) {
            continue;
        }
        let Induction { start, step, .. } = values.induction(atom, found.head, found.latch)?;
        if !invariant(&start, found, values) || !invariant(&step, found, values) {
            return None;
        }
        let iteration = Poly::atom(poly.bits(), ITERATION);
        replaced.push((atom, start.plus(&step.times(&iteration)?)?));
    }
    poly.with(&replaced)?.linear_in(ITERATION)
}
