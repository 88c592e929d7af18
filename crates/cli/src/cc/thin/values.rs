//! What the values of a function are, as polynomials over those that are not looked into.

use super::ir::{Function, Kind, Operator, What, bits, local};
use super::poly::{Atom, Poly};
use super::types::{Step, Types};
use rustc_hash::FxHashMap;

/// The type of a value, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    Bits(u32),
    Pointer,
}

impl Width {
    pub(super) fn of(kind: &str) -> Option<Width> {
        match kind {
            "ptr" => Some(Width::Pointer),
            _ => bits(kind).map(Width::Bits),
        }
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Width::Bits(bits) => bits,
            Width::Pointer => 64,
        }
    }
}

/// How a value of fewer bits is taken for one of 64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Taken {
    Whole,
    Signed,
    Unsigned,
}

/// A value that is not looked into: the result of a load, a call or a phi, a parameter, a global, a constant expression.
pub(super) struct Opaque<'a> {
    pub(super) text: &'a str,
    pub(super) width: Width,
    pub(super) taken: Taken,
}

/// Where a value is defined: block and instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) block: usize,
    pub(super) at: usize,
}

/// Chains of definitions are followed this far.
const DEPTH: u32 = 40;

pub(super) struct Values<'a, 'f> {
    function: &'f Function<'a>,
    types: &'f Types<'a>,
    definitions: FxHashMap<&'a str, Place>,
    numbers: FxHashMap<(&'a str, Taken), Atom>,
    opaque: Vec<Opaque<'a>>,
    known: FxHashMap<&'a str, Poly>,
}

impl<'a, 'f> Values<'a, 'f> {
    /// Values of blocks that are never reached are not looked into: they may be defined by themselves.
    pub(super) fn new(
        function: &'f Function<'a>,
        types: &'f Types<'a>,
        reached: impl Fn(usize) -> bool,
    ) -> Self {
        let mut definitions = FxHashMap::default();
        for (block, of) in function.blocks.iter().enumerate().filter(|(block, _)| reached(*block)) {
            for (at, instruction) in of.instructions.iter().enumerate() {
                if let Some(result) = instruction.result {
                    definitions.insert(result, Place { block, at });
                }
            }
        }
        let (numbers, known) = (FxHashMap::default(), FxHashMap::default());
        Values { function, types, definitions, numbers, opaque: Vec::new(), known }
    }

    pub(super) fn opaque(&self, atom: Atom) -> &Opaque<'a> {
        &self.opaque[atom.0 as usize]
    }

    /// Where an atom is defined; parameters and constants are nowhere.
    pub(super) fn place(&self, atom: Atom) -> Option<Place> {
        self.definitions.get(self.opaque(atom).text).copied()
    }

    pub(super) fn definition(&self, value: &str) -> Option<(Place, &'f What<'a>)> {
        let place = *self.definitions.get(value)?;
        Some((place, &self.function.blocks[place.block].instructions[place.at].what))
    }

    fn atom(&mut self, text: &'a str, width: Width, taken: Taken) -> Atom {
        let opaque = &mut self.opaque;
        *self.numbers.entry((text, taken)).or_insert_with(|| {
            opaque.push(Opaque { text, width, taken });
            Atom(opaque.len() as u32 - 1)
        })
    }

    pub(super) fn value(&mut self, text: &'a str, width: Width) -> Poly {
        self.followed(text, width, 0)
    }

    fn followed(&mut self, text: &'a str, width: Width, depth: u32) -> Poly {
        let bits = width.bits();
        if text == "null" {
            return Poly::constant(bits, 0);
        }
        if let Ok(constant) = text.parse::<i64>() {
            return Poly::constant(bits, constant);
        }
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let poly = match self.definition(text) {
            Some((_, what)) if depth < DEPTH => self.looked_into(what, width, depth + 1),
            _ => None,
        };
        let poly = poly.filter(|poly| poly.bits() == bits);
        let poly = poly.unwrap_or_else(|| Poly::atom(bits, self.atom(text, width, Taken::Whole)));
        if local(text) == Some(text) {
            self.known.insert(text, poly.clone());
        }
        poly
    }

    fn looked_into(&mut self, what: &'f What<'a>, width: Width, depth: u32) -> Option<Poly> {
        let bits = width.bits();
        match *what {
            What::Binary { operator, bits: of, left, right, .. } if of == bits => {
                if operator == Operator::Shl {
                    let by: u32 = right.parse().ok().filter(|by| *by < bits.min(63))?;
                    return Some(self.followed(left, width, depth).scaled(1 << by));
                }
                let (left, right) = (self.followed(left, width, depth), self.followed(right, width, depth));
                match operator {
                    Operator::Add => left.plus(&right),
                    Operator::Sub => left.minus(&right),
                    _ => left.times(&right),
                }
            }
            What::Extend { signed, from, value } => {
                Some(self.extended(value, from, if signed { Taken::Signed } else { Taken::Unsigned }, depth))
            }
            What::Same { value, from } => Some(self.followed(value, from, depth)),
            What::Offset { kind, base, ref indices } => {
                let mut sum = self.followed(base, Width::Pointer, depth);
                let mut kind = kind;
                for (number, &(of, index)) in indices.iter().enumerate() {
                    let types = self.types;
                    let step = if number == 0 {
                        Step::Each(types.size(kind)?)
                    } else {
                        let (step, inner) = types.step(kind, index)?;
                        kind = inner;
                        step
                    };
                    let part = match step {
                        Step::Fixed(offset) => Poly::constant(64, offset),
                        Step::Each(size) if of == 64 => {
                            self.followed(index, Width::Bits(64), depth).scaled(size)
                        }
                        Step::Each(size) => self.extended(index, of, Taken::Signed, depth).scaled(size),
                    };
                    sum = sum.plus(&part)?;
                }
                Some(sum)
            }
            _ => None,
        }
    }

    /// A value of fewer bits as one of 64. What is computed without overflow may be computed in 64 bits.
    pub(super) fn extended_value(&mut self, text: &'a str, from: u32, taken: Taken) -> Poly {
        self.extended(text, from, taken, 0)
    }

    fn extended(&mut self, text: &'a str, from: u32, taken: Taken, depth: u32) -> Poly {
        if let Ok(constant) = text.parse::<i64>() {
            let unsigned = if from < 64 { constant & ((1 << from) - 1) } else { constant };
            return Poly::constant(64, if taken == Taken::Unsigned { unsigned } else { constant });
        }
        let inner = match self.definition(text) {
            Some((_, &What::Binary { operator, nuw, nsw, bits, left, right }))
                if bits == from && depth < DEPTH =>
            {
                if !(if taken == Taken::Signed { nsw } else { nuw }) {
                    None
                } else if operator == Operator::Shl {
                    let by: Option<u32> = right.parse().ok().filter(|by| *by < from - 1);
                    by.map(|by| self.extended(left, from, taken, depth + 1).scaled(1 << by))
                } else {
                    let left = self.extended(left, from, taken, depth + 1);
                    let right = self.extended(right, from, taken, depth + 1);
                    match operator {
                        Operator::Add => left.plus(&right),
                        Operator::Sub => left.minus(&right),
                        _ => left.times(&right),
                    }
                }
            }
            _ => None,
        };
        inner.unwrap_or_else(|| Poly::atom(64, self.atom(text, Width::Bits(from), taken)))
    }

    /// The address of a check.
    pub(super) fn address(&mut self, address: &'a str) -> Poly {
        self.value(address, Width::Pointer)
    }
}

/// What a header's phi is in the iterations of a loop: where it starts, and what is added.
pub(super) struct Induction {
    pub(super) start: Poly,
    pub(super) step: Poly,
    /// Its additions do not overflow, as signed or unsigned numbers.
    pub(super) nsw: bool,
    pub(super) nuw: bool,
}

impl<'a> Values<'a, '_> {
    /// The type of a phi at the head of a loop, what it starts with, and what it is the next time.
    pub(super) fn turn(&self, atom: Atom, head: usize, latch: usize) -> Option<(Width, &'a str, &'a str)> {
        let place = self.place(atom).filter(|place| place.block == head)?;
        let function = self.function;
        let What::Phi { kind, ref from } = function.blocks[place.block].instructions[place.at].what else {
            return None;
        };
        let [(a, from_a), (b, from_b)] = from[..] else { return None };
        let latch_name = function.blocks[latch].name;
        let (start, next) = match (from_a == latch_name, from_b == latch_name) {
            (true, false) => (b, a),
            (false, true) => (a, b),
            _ => return None,
        };
        Some((Width::of(kind)?, start, next))
    }

    /// A value, taken as an atom is.
    pub(super) fn like(&mut self, atom: Atom, text: &'a str) -> Poly {
        let Opaque { width, taken, .. } = *self.opaque(atom);
        match taken {
            Taken::Whole => self.value(text, width),
            _ => self.extended_value(text, width.bits(), taken),
        }
    }

    /// An atom that is a phi at the head of a loop with the latch `latch`, and gains a constant or what does not change there.
    pub(super) fn induction(&mut self, atom: Atom, head: usize, latch: usize) -> Option<Induction> {
        let (width, start, next) = self.turn(atom, head, latch)?;
        let (taken, text) = (self.opaque(atom).taken, self.opaque(atom).text);
        let itself = self.atom(text, width, Taken::Whole);
        let step = self.value(next, width).minus(&Poly::atom(width.bits(), itself))?;
        if step.atoms().any(|other| other == itself) {
            return None;
        }
        let (nsw, nuw) = match self.definition(next) {
            Some((_, &What::Binary { operator: Operator::Add, nsw, nuw, left, .. })) if left == text => {
                (nsw, nuw)
            }
            _ => (false, false),
        };
        let (start, step) = match taken {
            Taken::Whole => (self.value(start, width), step),
            // Without overflow the wider one gains the same.
            Taken::Signed if nsw => {
                (self.extended_value(start, width.bits(), taken), Poly::constant(64, step.as_constant()?))
            }
            Taken::Unsigned if nuw => {
                let step = step.as_constant().filter(|step| *step >= 0)?;
                (self.extended_value(start, width.bits(), taken), Poly::constant(64, step))
            }
            _ => return None,
        };
        Some(Induction { start, step, nsw, nuw })
    }
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
        }
    }
}
