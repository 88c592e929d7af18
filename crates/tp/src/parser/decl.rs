//! Declarations.

use super::super::ast::{Decl, Ident, Proc, Program, VarKind};
use super::super::diagnostic::Diagnostic;
use super::super::lexer::{Tok, Token, too_large};
use super::{Failed, Parsed, Parser};

fn starts_decl(tok: Tok) -> bool {
    matches!(tok, Tok::Var | Tok::Lock | Tok::Sem | Tok::Event | Tok::Proc)
}

impl Parser<'_> {
    pub(super) fn program(mut self) -> Program {
        let mut decls = Vec::new();
        while self.peek() != Tok::End {
            let before = self.at;
            match self.decl() {
                Ok(decl) => decls.push(decl),
                Err(Failed) => self.skip_to_decl(before),
            }
        }
        Program { decls }
    }

    fn decl(&mut self) -> Parsed<Decl> {
        let tok = self.peek();
        if !starts_decl(tok) {
            return self.no_decl();
        }
        self.bump();
        let decl = match tok {
            Tok::Var => {
                let name = self.ident("the name of a variable")?;
                Decl::Var { name, kind: self.var_kind()? }
            }
            Tok::Lock => Decl::Lock { name: self.ident("the name of a lock")? },
            Tok::Event => Decl::Event { name: self.ident("the name of an event")? },
            Tok::Sem => {
                let name = self.ident("the name of a semaphore")?;
                let count =
                    if self.eat(Tok::Assign) { self.count("the initial count of a semaphore")? } else { 0 };
                Decl::Sem { name, count }
            }
            _ => return self.proc().map(Decl::Proc),
        };
        self.semicolon()?;
        Ok(decl)
    }

    /// Something outside of the procs that is no declaration. It may go on for any number of
    /// statements, so everything up to the next declaration is skipped.
    fn no_decl<T>(&mut self) -> Parsed<T> {
        let message = format!("expected a declaration, found {}", self.found());
        let label = "expected `var`, `lock`, `sem`, `event` or `proc`";
        let diagnostic = Diagnostic::new(self.here(), message, label);
        let last = self.at.checked_sub(1).map(|last| self.tokens[last]);
        let diagnostic = match (self.peek(), last) {
            (_, Some(Token { tok: Tok::RBrace, span })) => diagnostic
                .related(span, "the proc ended here")
                .help("statements stand in a proc: is there one `}` too many, or a `{` missing?"),
            (Tok::Let, _) => diagnostic
                .help("`let` declares a local, inside a proc; a shared variable is declared with `var`"),
            _ => diagnostic.help("statements stand in a proc; the program starts in `proc main() { … }`"),
        };
        let _: Parsed<()> = self.report(diagnostic);
        while self.peek() != Tok::End && !starts_decl(self.peek()) {
            match self.peek() {
                Tok::LBrace => drop(self.block()),
                _ => self.bump(),
            }
        }
        Err(Failed)
    }

    fn var_kind(&mut self) -> Parsed<VarKind> {
        let mut len = None;
        if self.eat(Tok::LBracket) {
            len = Some(self.count("the size of an array")?);
            self.expect(Tok::RBracket)?;
        }
        let init = if self.eat(Tok::Assign) { self.constant()? } else { 0 };
        Ok(match len {
            Some(len) => VarKind::Array { len, init },
            None => VarKind::Scalar { init },
        })
    }

    fn constant(&mut self) -> Parsed<i64> {
        match self.peek() {
            Tok::True | Tok::False => {
                let value = i64::from(self.peek() == Tok::True);
                self.bump();
                Ok(value)
            }
            Tok::Int(_) | Tok::Minus => self.signed("a number, `true` or `false`"),
            _ => {
                let message = format!("expected a constant, found {}", self.found());
                self.report(
                    Diagnostic::new(self.here(), message, "expected a number, `true` or `false`")
                        .help("a shared variable starts with a constant; assign anything else in `main`"),
                )
            }
        }
    }

    /// A number without a sign.
    fn count(&mut self, what: &str) -> Parsed<i64> {
        let start = self.here();
        let signed = self.peek() == Tok::Minus;
        let value = self.signed("a number")?;
        if signed {
            let span = self.since(start);
            let diagnostic =
                Diagnostic::new(span, format!("{what} must not be negative"), "expected 0 or more");
            let _: Parsed<()> = self.report(diagnostic);
        }
        Ok(value)
    }

    fn signed(&mut self, expected: &str) -> Parsed<i64> {
        let negative = self.eat(Tok::Minus);
        let Tok::Int(magnitude) = self.peek() else {
            return self.unexpected(expected);
        };
        let span = self.here();
        self.bump();
        if negative {
            return Ok(0i64.wrapping_sub_unsigned(magnitude));
        }
        match i64::try_from(magnitude) {
            Ok(value) => Ok(value),
            Err(_) => self.report(too_large(span)),
        }
    }

    fn proc(&mut self) -> Parsed<Proc> {
        let name = self.ident("the name of a proc")?;
        let params = self.params()?;
        let body = self.block()?;
        Ok(Proc { name, params, body })
    }

    fn params(&mut self) -> Parsed<Vec<Ident>> {
        self.expect(Tok::LParen)?;
        let mut params = Vec::new();
        if self.eat(Tok::RParen) {
            return Ok(params);
        }
        loop {
            params.push(self.ident("the name of a parameter")?);
            if self.eat(Tok::RParen) {
                return Ok(params);
            }
            if !self.eat(Tok::Comma) {
                return self.unexpected("`,` or `)`");
            }
        }
    }

    /// After an error in the declaration that began at `start`: to the next one, looking for errors
    /// in a body on the way.
    fn skip_to_decl(&mut self, start: usize) {
        loop {
            match self.peek() {
                Tok::End => return,
                tok if starts_decl(tok) && self.at > start && self.at_line_start() => return,
                Tok::LBrace => {
                    let _ = self.block();
                    return;
                }
                Tok::Semi => {
                    self.bump();
                    return;
                }
                _ => self.bump(),
            }
        }
    }
}
