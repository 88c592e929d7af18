//! Blocks and statements.

use super::super::ast::{BinaryOp, Block, Expr, ExprKind, Ident, Loop, Span, Stmt, StmtKind};
use super::super::diagnostic::Diagnostic;
use super::super::lexer::Tok;
use super::{Failed, Parsed, Parser};

/// The words that start a statement and are part of no expression.
const STARTERS: &[Tok] = {
    use Tok::*;
    &[
        Let, If, While, For, Forall, Forasync, Async, Finish, Isolated, With, P, V, Post, Wait, Print,
        Assert, Return, Skip,
    ]
};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let open = self.here();
        if !self.eat(Tok::LBrace) {
            return self.no_block();
        }
        let stmts = self.nested(|p| p.stmts(open))?;
        Ok(Block { stmts, span: self.since(open) })
    }

    /// Statements up to the closing brace.
    fn stmts(&mut self, open: Span) -> Parsed<Vec<Stmt>> {
        let mut stmts = Vec::new();
        while !self.eat(Tok::RBrace) {
            if matches!(self.peek(), Tok::End | Tok::Proc) {
                return self.unclosed(open);
            }
            let before = self.at;
            match self.stmt() {
                Ok(stmt) => stmts.push(stmt),
                Err(Failed) => self.skip_to_stmt(before),
            }
        }
        Ok(stmts)
    }

    fn no_block<T>(&mut self) -> Parsed<T> {
        let message = format!("expected `{{`, found {}", self.found());
        let diagnostic = Diagnostic::new(self.here(), message, "expected `{`");
        self.report(diagnostic.help("a body stands in braces, also if it is one statement"))
    }

    fn unclosed<T>(&mut self, open: Span) -> Parsed<T> {
        let message = format!("expected `}}`, found {}", self.found());
        self.report(
            Diagnostic::new(self.here(), message, "expected `}` before this")
                .related(open, "this block is not closed"),
        )
    }

    /// After an error in the statement that began at `start`: to the next one, looking for errors
    /// in a block on the way.
    fn skip_to_stmt(&mut self, start: usize) {
        loop {
            match self.peek() {
                Tok::End | Tok::RBrace | Tok::Proc => return,
                tok if STARTERS.contains(&tok) && self.at > start && self.at_line_start() => return,
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

    fn stmt(&mut self) -> Parsed<Stmt> {
        let start = self.here();
        let kind = self.stmt_kind()?;
        Ok(Stmt { kind, span: self.since(start) })
    }

    fn stmt_kind(&mut self) -> Parsed<StmtKind> {
        match self.peek() {
            Tok::If => self.if_stmt(),
            Tok::While => self.while_stmt(),
            Tok::For => self.loop_stmt(StmtKind::For),
            Tok::Forall => self.loop_stmt(StmtKind::Forall),
            Tok::Forasync => self.loop_stmt(StmtKind::Forasync),
            Tok::Async => self.async_stmt(),
            Tok::Finish => self.block_stmt(StmtKind::Finish),
            Tok::Isolated => self.block_stmt(StmtKind::Isolated),
            Tok::With => self.with_stmt(),
            _ => {
                let kind = self.simple_stmt()?;
                self.semicolon()?;
                Ok(kind)
            }
        }
    }

    /// A statement that ends with a semicolon, without it.
    fn simple_stmt(&mut self) -> Parsed<StmtKind> {
        let tok = self.peek();
        if STARTERS.contains(&tok) {
            self.bump();
        }
        Ok(match tok {
            Tok::Let => {
                let name = self.ident("the name of a local")?;
                self.expect(Tok::Assign)?;
                StmtKind::Let(name, self.expr()?)
            }
            Tok::P => StmtKind::P(self.in_parens("the name of a semaphore")?),
            Tok::V => StmtKind::V(self.in_parens("the name of a semaphore")?),
            Tok::Post => StmtKind::Post(self.in_parens("the name of an event")?),
            Tok::Wait => StmtKind::Wait(self.in_parens("the name of an event")?),
            Tok::Print => StmtKind::Print(self.some_exprs()?),
            Tok::Assert => StmtKind::Assert(self.condition()?),
            Tok::Return if self.peek() == Tok::Semi => StmtKind::Return(None),
            Tok::Return => StmtKind::Return(Some(self.expr()?)),
            Tok::Skip => StmtKind::Skip,
            _ => return self.expr_stmt(),
        })
    }

    fn block_stmt(&mut self, kind: fn(Block) -> StmtKind) -> Parsed<StmtKind> {
        self.bump();
        self.block().map(kind)
    }

    fn while_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.condition()?;
        Ok(StmtKind::While(condition, self.block()?))
    }

    fn with_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let lock = self.ident("the name of a lock")?;
        Ok(StmtKind::With(lock, self.block()?))
    }

    /// `( expr )`
    fn condition(&mut self) -> Parsed<Expr> {
        self.expect(Tok::LParen)?;
        let expr = self.expr()?;
        self.expect(Tok::RParen)?;
        Ok(expr)
    }

    /// `( name )`
    fn in_parens(&mut self, what: &str) -> Parsed<Ident> {
        self.expect(Tok::LParen)?;
        let name = self.ident(what)?;
        self.expect(Tok::RParen)?;
        Ok(name)
    }

    fn if_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.condition()?;
        let then = self.block()?;
        if !self.eat(Tok::Else) {
            return Ok(StmtKind::If(condition, then, None));
        }
        let start = self.here();
        let otherwise = if self.peek() == Tok::If {
            let kind = self.nested(Self::if_stmt)?;
            let span = self.since(start);
            Block { stmts: vec![Stmt { kind, span }], span }
        } else if self.peek() == Tok::LBrace {
            self.block()?
        } else {
            return self.unexpected("`{` or `if`");
        };
        Ok(StmtKind::If(condition, then, Some(otherwise)))
    }

    /// `for`, `forall` and `forasync`
    fn loop_stmt(&mut self, kind: fn(Loop) -> StmtKind) -> Parsed<StmtKind> {
        self.bump();
        if self.peek() == Tok::LParen {
            return self.loop_from_c();
        }
        let var = self.ident("the variable of the loop")?;
        self.expect(Tok::In)?;
        let from = self.expr()?;
        self.expect(Tok::DotDot)?;
        let to = self.expr()?;
        Ok(kind(Loop { var, from, to, body: self.block()? }))
    }

    /// Someone wrote the head of a loop in parentheses: skips it, for its semicolons end no
    /// statement.
    fn loop_from_c<T>(&mut self) -> Parsed<T> {
        let message = "expected the variable of the loop, found `(`";
        let _: Parsed<()> = self.report(
            Diagnostic::new(self.here(), message, "expected a name").help("a loop is `for i in 0..n { … }`"),
        );
        while !matches!(self.peek(), Tok::LBrace | Tok::RBrace | Tok::End | Tok::Proc) {
            self.bump();
        }
        Err(Failed)
    }

    fn async_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let awaits = if self.eat(Tok::Await) { self.some_exprs()? } else { Vec::new() };
        let start = self.here();
        if self.peek() == Tok::LBrace {
            return Ok(StmtKind::Async { awaits, body: self.block()? });
        }
        if self.peek() != Tok::Ident || self.peek_second() != Tok::LParen {
            return self.unexpected("a block or a call");
        }
        // Nested, as if the braces were there: printing writes them.
        let call = self.nested(Self::call)?;
        self.semicolon()?;
        let span = self.since(start);
        let body = Block { stmts: vec![Stmt { kind: StmtKind::Expr(call), span }], span };
        Ok(StmtKind::Async { awaits, body })
    }

    /// A statement that starts with an expression: an assignment, a set, a call or a get.
    fn expr_stmt(&mut self) -> Parsed<StmtKind> {
        if !self.at_expr() {
            return self.no_stmt();
        }
        let start = self.here();
        let left = self.expr()?;
        // The span of an expression leaves out the parentheses around it, so this tells `(x)` from
        // `x`.
        let parens = left.span.start != start.start;
        let whole = self.since(start);
        match self.peek() {
            Tok::Assign if !parens && matches!(left.kind, ExprKind::Name(_) | ExprKind::Index(..)) => {
                self.bump();
                Ok(StmtKind::Assign(left, self.expr()?))
            }
            Tok::Assign => self.report(
                Diagnostic::new(whole, "cannot assign to this expression", "expected a name or an element")
                    .help(
                        "the left of `=` is a name `x` or an element `a[i]`, without parentheses around it",
                    ),
            ),
            Tok::Dot if self.peek_second() == Tok::Set => {
                if !parens && matches!(left.kind, ExprKind::Unary(..) | ExprKind::Binary(..)) {
                    return self.unexpected("`;`");
                }
                self.bump();
                self.bump();
                self.expect(Tok::LParen)?;
                let value = if self.peek() == Tok::RParen { None } else { Some(self.expr()?) };
                self.expect(Tok::RParen)?;
                Ok(StmtKind::Set(left, value))
            }
            _ if !parens && matches!(left.kind, ExprKind::Call(..) | ExprKind::Get(_)) => {
                Ok(StmtKind::Expr(left))
            }
            _ => self.no_effect(left, whole),
        }
    }

    /// An expression where a statement was expected.
    fn no_effect<T>(&mut self, left: Expr, whole: Span) -> Parsed<T> {
        if matches!(left.kind, ExprKind::Name(_))
            && !matches!(self.peek(), Tok::Semi | Tok::RBrace | Tok::End)
        {
            let expected = "`=`, `(`, `[` or `.`";
            if self.peek() != Tok::Ident {
                return self.unexpected(expected);
            }
            let message = format!("expected {expected}, found {}", self.found());
            let help = format!("for a new local write `let {} = e;`", self.text(self.here()));
            return self
                .report(Diagnostic::new(self.here(), message, format!("expected {expected}")).help(help));
        }
        let message = "expected a statement, found an expression whose value is not used";
        let help = match left.kind {
            ExprKind::Binary(BinaryOp::Eq, ..) => "to assign write a single `=`",
            _ => "a statement is an assignment `x = e;`, a call `f(e);`, a `p.set(e);` or a `p.get();`",
        };
        self.report(Diagnostic::new(whole, message, "not a statement").help(help))
    }

    fn no_stmt<T>(&mut self) -> Parsed<T> {
        let message = format!("expected a statement, found {}", self.found());
        let diagnostic = Diagnostic::new(self.here(), message, "expected a statement");
        let help = match self.peek() {
            Tok::Var => "`var` declares a shared variable, outside of every proc; for a local write `let`",
            Tok::Lock | Tok::Sem | Tok::Event => "it is declared outside of every proc",
            Tok::Else => "there is no `if` this `else` belongs to",
            Tok::LBrace => "a block stands behind `if`, `while`, `for`, `async`, `finish`, … and not alone",
            Tok::Semi => "for a statement that does nothing write `skip;`",
            _ => return self.report(diagnostic),
        };
        self.report(diagnostic.help(help))
    }
}
