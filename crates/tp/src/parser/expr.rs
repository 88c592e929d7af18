//! Expressions: precedence climbing over prefix operators over postfix chains over primaries.
//!
//! The span of an expression starts at its first byte; parentheses around an expression are no part
//! of it, those inside are: `(a)[i]` starts at the parenthesis, the `a` in it at the `a`.

use super::super::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use super::super::diagnostic::Diagnostic;
use super::super::lexer::{Tok, too_large};
use super::{Parsed, Parser};

/// The operator a token stands for between two operands.
fn binary_op(tok: Tok) -> Option<BinaryOp> {
    Some(match tok {
        Tok::OrOr => BinaryOp::Or,
        Tok::AndAnd => BinaryOp::And,
        Tok::EqEq => BinaryOp::Eq,
        Tok::NotEq => BinaryOp::Ne,
        Tok::Less => BinaryOp::Lt,
        Tok::LessEq => BinaryOp::Le,
        Tok::Greater => BinaryOp::Gt,
        Tok::GreaterEq => BinaryOp::Ge,
        Tok::Plus => BinaryOp::Add,
        Tok::Minus => BinaryOp::Sub,
        Tok::Star => BinaryOp::Mul,
        Tok::Slash => BinaryOp::Div,
        Tok::Percent => BinaryOp::Rem,
        _ => return None,
    })
}

/// How tightly an operator binds, as in C; all of them group from the left.
pub(in super::super) fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Eq | BinaryOp::Ne => 3,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 4,
        BinaryOp::Add | BinaryOp::Sub => 5,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 6,
    }
}

impl Parser<'_> {
    /// Whether an expression can start here.
    pub(super) fn at_expr(&self) -> bool {
        use Tok::*;
        matches!(
            self.peek(),
            Int(_) | True | False | Ident | Promise | Future | New | Len | LParen | Minus | Not
        )
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.binary(0))
    }

    /// Operands joined by operators that bind tighter than `floor`.
    fn binary(&mut self, floor: u8) -> Parsed<Expr> {
        self.growing(|p| {
            let start = p.here();
            let mut left = p.unary()?;
            while let Some(op) = binary_op(p.peek()).filter(|&op| precedence(op) > floor) {
                p.bump();
                p.no_operator_of_c()?;
                p.grow()?;
                let right = p.nested(|p| p.binary(precedence(op)))?;
                left = Expr {
                    kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
                    span: p.since(start),
                };
            }
            Ok(left)
        })
    }

    /// Behind an operator: someone used to C may have written `x++` or `x += e`.
    fn no_operator_of_c(&mut self) -> Parsed<()> {
        let op = self.text(self.tokens[self.at - 1].span);
        let help = match self.peek() {
            Tok::Plus if op == "+" => "TP has no `++`: write `x = x + 1;`".to_owned(),
            Tok::Assign => format!("TP has no `{op}=`: write `x = x {op} …;`"),
            _ => return Ok(()),
        };
        let message = format!("expected an expression, found {}", self.found());
        self.report(Diagnostic::new(self.here(), message, "expected an expression").help(help))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let op = match self.peek() {
            // The one number that fits only with its sign.
            Tok::Minus if self.peek_second() == Tok::Int(1 << 63) => {
                self.bump();
                self.bump();
                return Ok(Expr { kind: ExprKind::Int(i64::MIN), span: self.since(start) });
            }
            Tok::Minus => UnaryOp::Neg,
            Tok::Not => UnaryOp::Not,
            _ => return self.postfix(),
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span: self.since(start) })
    }

    /// A primary and the `[…]` and `.get()` behind it. A `.set` is left to the statement.
    fn postfix(&mut self) -> Parsed<Expr> {
        self.growing(|p| {
            let start = p.here();
            let mut base = p.primary()?;
            loop {
                let kind = match p.peek() {
                    Tok::LBracket => {
                        p.grow()?;
                        p.bump();
                        let index = p.expr()?;
                        p.expect(Tok::RBracket)?;
                        ExprKind::Index(Box::new(base), Box::new(index))
                    }
                    Tok::Dot if p.peek_second() != Tok::Set => {
                        p.grow()?;
                        p.bump();
                        if !p.eat(Tok::Get) {
                            return p.unexpected("`get` or `set`");
                        }
                        p.empty_parens()?;
                        ExprKind::Get(Box::new(base))
                    }
                    _ => return Ok(base),
                };
                base = Expr { kind, span: p.since(start) };
            }
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let kind = match self.peek() {
            Tok::Ident if self.peek_second() == Tok::LParen => return self.call(),
            Tok::LParen => {
                self.bump();
                let inner = self.expr()?;
                self.expect(Tok::RParen)?;
                return Ok(inner);
            }
            Tok::Ident => {
                self.bump();
                ExprKind::Name(self.text(start).to_owned())
            }
            Tok::Int(magnitude) => ExprKind::Int(self.int(magnitude)?),
            Tok::True | Tok::False => {
                let value = i64::from(self.peek() == Tok::True);
                self.bump();
                ExprKind::Int(value)
            }
            Tok::Promise => {
                self.bump();
                self.empty_parens()?;
                ExprKind::Promise
            }
            Tok::Future => {
                self.bump();
                ExprKind::Future(self.block()?)
            }
            Tok::New => ExprKind::New(self.operand()?),
            Tok::Len => ExprKind::Len(self.operand()?),
            tok if tok.is_reserved() => {
                let message = format!("expected an expression, found the reserved word `{}`", tok.text());
                return self.report(Diagnostic::new(start, message, "expected an expression"));
            }
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn int(&mut self, magnitude: u64) -> Parsed<i64> {
        match i64::try_from(magnitude) {
            Ok(value) => {
                self.bump();
                Ok(value)
            }
            Err(_) => self.report(too_large(self.here())),
        }
    }

    /// A word and its operand in parentheses.
    fn operand(&mut self) -> Parsed<Box<Expr>> {
        self.bump();
        self.expect(Tok::LParen)?;
        let operand = self.expr()?;
        self.expect(Tok::RParen)?;
        Ok(Box::new(operand))
    }

    fn empty_parens(&mut self) -> Parsed<()> {
        self.expect(Tok::LParen)?;
        self.expect(Tok::RParen)
    }

    pub(super) fn call(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let callee = self.ident("the name of a proc")?;
        let args = if self.peek_second() == Tok::RParen {
            self.empty_parens()?;
            Vec::new()
        } else {
            self.some_exprs()?
        };
        Ok(Expr { kind: ExprKind::Call(callee, args), span: self.since(start) })
    }

    /// `( expr { , expr } )`
    pub(super) fn some_exprs(&mut self) -> Parsed<Vec<Expr>> {
        self.expect(Tok::LParen)?;
        let mut exprs = vec![self.expr()?];
        while !self.eat(Tok::RParen) {
            if !self.eat(Tok::Comma) {
                return self.unexpected("`,` or `)`");
            }
            exprs.push(self.expr()?);
        }
        Ok(exprs)
    }
}
