//! Polynomials over values that are not looked into, modulo a power of two: what an address or a count is, in a form in which
//! equal ones are equal.

use std::collections::BTreeMap;

/// A value that is taken as it is, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Atom(pub(super) u32);

/// Larger ones are not worth it.
const TERMS: usize = 12;
const DEGREE: usize = 4;

/// A sum of products of atoms, each with a factor; none of the factors is zero. The empty product is the constant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Poly {
    bits: u32,
    terms: BTreeMap<Vec<Atom>, i64>,
}

impl Poly {
    pub(super) fn constant(bits: u32, value: i64) -> Poly {
        let mut poly = Poly { bits, terms: BTreeMap::new() };
        poly.add_term(Vec::new(), value);
        poly
    }

    pub(super) fn atom(bits: u32, atom: Atom) -> Poly {
        let mut poly = Poly { bits, terms: BTreeMap::new() };
        poly.add_term(vec![atom], 1);
        poly
    }

    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    fn add_term(&mut self, atoms: Vec<Atom>, factor: i64) {
        let bits = self.bits;
        let wrapped = |value: i64| if bits >= 64 { value } else { value << (64 - bits) >> (64 - bits) };
        let sum = wrapped(self.terms.get(&atoms).copied().unwrap_or(0).wrapping_add(factor));
        if sum == 0 {
            self.terms.remove(&atoms);
        } else {
            self.terms.insert(atoms, sum);
        }
    }

    pub(super) fn plus(&self, other: &Poly) -> Option<Poly> {
        let mut sum = self.clone();
        for (atoms, factor) in &other.terms {
            sum.add_term(atoms.clone(), *factor);
        }
        sum.small()
    }

    pub(super) fn minus(&self, other: &Poly) -> Option<Poly> {
        self.plus(&other.scaled(-1))
    }

    pub(super) fn scaled(&self, by: i64) -> Poly {
        let mut scaled = Poly { bits: self.bits, terms: BTreeMap::new() };
        for (atoms, factor) in &self.terms {
            scaled.add_term(atoms.clone(), factor.wrapping_mul(by));
        }
        scaled
    }

    pub(super) fn times(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly { bits: self.bits, terms: BTreeMap::new() };
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let mut atoms: Vec<Atom> = left.iter().chain(right).copied().collect();
                atoms.sort_unstable();
                product.add_term(atoms, a.wrapping_mul(*b));
            }
        }
        product.small()
    }

    fn small(self) -> Option<Poly> {
        let fits = self.terms.len() <= TERMS && self.terms.keys().all(|atoms| atoms.len() <= DEGREE);
        fits.then_some(self)
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&[] as &[Atom]).copied(),
            _ => None,
        }
    }

    /// Without its constant, and the constant.
    pub(super) fn split(&self) -> (Poly, i64) {
        let mut rest = self.clone();
        let constant = rest.terms.remove(&[] as &[Atom]).unwrap_or(0);
        (rest, constant)
    }

    pub(super) fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.terms.keys().flatten().copied()
    }

    /// The products with their factors.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        self.terms.iter().map(|(atoms, factor)| (atoms.as_slice(), *factor))
    }

    /// With some atoms replaced.
    pub(super) fn with(&self, values: &[(Atom, Poly)]) -> Option<Poly> {
        let mut sum = Poly::constant(self.bits, 0);
        for (atoms, factor) in &self.terms {
            let mut product = Poly::constant(self.bits, *factor);
            for atom in atoms {
                product = match values.iter().find(|(known, _)| known == atom) {
                    Some((_, value)) => product.times(value)?,
                    None => product.times(&Poly::atom(self.bits, *atom))?,
                };
            }
            sum = sum.plus(&product)?;
        }
        Some(sum)
    }

    /// As `a + b·atom`, if it is of that form.
    pub(super) fn linear_in(&self, atom: Atom) -> Option<(Poly, Poly)> {
        let (mut a, mut b) = (Poly::constant(self.bits, 0), Poly::constant(self.bits, 0));
        for (atoms, factor) in &self.terms {
            match atoms.iter().filter(|one| **one == atom).count() {
                0 => a.add_term(atoms.clone(), *factor),
                1 => b.add_term(atoms.iter().copied().filter(|one| *one != atom).collect(), *factor),
                _ => return None,
            }
        }
        Some((a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(number: u32) -> Poly {
        Poly::atom(64, Atom(number))
    }

    #[test]
    fn equal_ones_are_equal() {
        let (x, y, three) = (atom(1), atom(2), Poly::constant(64, 3));
        let left = x.plus(&y).unwrap().times(&x.minus(&y).unwrap()).unwrap();
        let right = x.times(&x).unwrap().minus(&y.times(&y).unwrap()).unwrap();
        assert_eq!(left, right);
        assert_eq!(left.plus(&three).unwrap().minus(&right).unwrap().as_constant(), Some(3));
    }

    #[test]
    fn they_wrap_as_numbers_of_their_width_do() {
        let most = Poly::constant(32, i64::from(i32::MAX));
        assert_eq!(most.plus(&Poly::constant(32, 1)).unwrap().as_constant(), Some(i64::from(i32::MIN)));
        assert_eq!(Poly::constant(8, 16).times(&Poly::constant(8, 16)).unwrap().as_constant(), Some(0));
    }

    #[test]
    fn a_square_is_not_linear() {
        let (x, y) = (atom(1), atom(2));
        let (start, step) = x.times(&y).unwrap().plus(&y).unwrap().linear_in(Atom(1)).unwrap();
        assert_eq!((start, step), (y.clone(), y));
        assert_eq!(x.times(&x).unwrap().linear_in(Atom(1)), None);
    }

    #[test]
    fn large_ones_are_given_up() {
        let mut sum = atom(0);
        for number in 1..TERMS as u32 {
            sum = sum.plus(&atom(number)).unwrap();
        }
        assert_eq!(sum.plus(&atom(99)), None);
    }
}
