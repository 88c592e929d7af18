//! Which assignments are additions: `c = c + e`, `c = e + c`, `c = c - e`, and sums of several
//! terms; the same for elements, `a[i] = a[i] + e`.
//!
//! An assignment is one if its right side is a sum in which the assigned place is a term, written
//! the same and not subtracted. What the read of that term yields then goes into nothing but the
//! sum, and the assignment adds to the place what the other terms come to, whatever was there:
//! integers wrap, so sums are exact. (A reference in the place is an error of the program in any
//! order.) The other terms may be anything; should one of them read the place, or write it, that is
//! an access of its own, which is part of no addition. A `c + c` has one term that is the place,
//! the first, and one such read.
//!
//! Of an element the index is evaluated twice. That it comes to the same is up to the interpreter:
//! in a program without races it does, since the places taken here are made of names, numbers and
//! operators, and nothing runs in between that could write.

use super::ast::{BinaryOp, Expr, ExprKind};

/// The read of the place in `place = value`, if that is an addition.
pub(super) fn term<'a>(place: &Expr, value: &'a Expr) -> Option<&'a Expr> {
    match &value.kind {
        ExprKind::Binary(BinaryOp::Add, left, right) => part(place, left).or_else(|| part(place, right)),
        ExprKind::Binary(BinaryOp::Sub, left, _) => part(place, left),
        _ => None,
    }
}

fn part<'a>(place: &Expr, value: &'a Expr) -> Option<&'a Expr> {
    if is_same(place, value) { Some(value) } else { term(place, value) }
}

/// Whether two expressions are written the same, and made of nothing that could have an effect.
fn is_same(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Int(one), ExprKind::Int(other)) => one == other,
        (ExprKind::Name(one), ExprKind::Name(other)) => one == other,
        (ExprKind::Len(one), ExprKind::Len(other)) => is_same(one, other),
        (ExprKind::Index(base, index), ExprKind::Index(other, at)) => {
            is_same(base, other) && is_same(index, at)
        }
        (ExprKind::Unary(op, one), ExprKind::Unary(other_op, other)) => op == other_op && is_same(one, other),
        (ExprKind::Binary(op, left, right), ExprKind::Binary(other_op, other_left, other_right)) => {
            op == other_op && is_same(left, other_left) && is_same(right, other_right)
        }
        _ => false,
    }
}
