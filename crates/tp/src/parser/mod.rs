//! From tokens to the syntax tree, by recursive descent: one method a production of the grammar.
//!
//! An error is recorded where it is found and [`Failed`] is handed up to the nearest statement or
//! declaration, which skips to where another one may begin. Three rules keep one mistake from being
//! reported twice: nothing is said about a token the lexer has complained about, there is one error
//! a token, and once a limit is passed the parser is silent for good.
//!
//! Two numbers bound every recursion, here and in whoever walks the tree: `depth` is how deep the
//! parser is nested now, `peak` the depth of the deepest node of what it has built since the
//! innermost [`Parser::growing`]. An operator behind an operand pushes that operand down, so it
//! raises `peak`.

mod decl;
mod expr;
mod stmt;

pub(super) use expr::precedence;

use super::ast::{Ident, Program, Span};
use super::diagnostic::Diagnostic;
use super::lexer::{Tok, Token};
use super::limits::{MAX_DEPTH, MAX_ERRORS, MAX_NESTING};

pub(super) fn parse(source: &str, tokens: &[Token], diagnostics: &mut Vec<Diagnostic>) -> Program {
    Parser {
        source,
        tokens,
        at: 0,
        depth: 0,
        peak: 0,
        silent: diagnostics.len() >= MAX_ERRORS,
        last_error: None,
        diagnostics,
    }
    .program()
}

/// Parsing failed and the reason is recorded.
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    source: &'a str,
    /// Ends with [`Tok::End`].
    tokens: &'a [Token],
    /// The token to look at next; always within `tokens`.
    at: usize,
    depth: u32,
    peak: u32,
    silent: bool,
    /// The token at which the last error was reported.
    last_error: Option<usize>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    fn peek(&self) -> Tok {
        self.tokens[self.at].tok
    }

    fn peek_second(&self) -> Tok {
        self.tokens.get(self.at + 1).map_or(Tok::End, |token| token.tok)
    }

    /// The span of the token to look at next.
    fn here(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Where the token before ends.
    fn last_end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |last| self.tokens[last].span.end)
    }

    fn since(&self, start: Span) -> Span {
        Span { start: start.start, end: self.last_end().max(start.start) }
    }

    fn text(&self, span: Span) -> &str {
        &self.source[span.start as usize..span.end as usize]
    }

    fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.peek() == tok;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, tok: Tok) -> Parsed<()> {
        if self.eat(tok) { Ok(()) } else { self.unexpected(&format!("`{}`", tok.text())) }
    }

    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        let span = self.here();
        match self.peek() {
            Tok::Ident => {
                self.bump();
                Ok(Ident { name: self.text(span).to_owned(), span })
            }
            tok if tok.is_reserved() && tok != Tok::In => {
                let word = tok.text();
                self.report(
                    Diagnostic::new(
                        span,
                        format!("expected {what}, found the reserved word `{word}`"),
                        "reserved",
                    )
                    .help("choose another name"),
                )
            }
            _ => self.unexpected(what),
        }
    }

    /// The `;` behind a statement or declaration. Where the line ends without one, that is said and
    /// the parser goes on as if it were there.
    fn semicolon(&mut self) -> Parsed<()> {
        if self.eat(Tok::Semi) {
            return Ok(());
        }
        let behind = Span { start: self.last_end(), end: self.last_end() };
        if self.at_line_start() || matches!(self.peek(), Tok::RBrace | Tok::End) {
            let message = format!("expected `;`, found {}", self.found());
            let _: Parsed<()> = self.report(Diagnostic::new(behind, message, "expected `;` here"));
            // The error is about the token before: this one may have an error of its own.
            self.last_error = None;
            return Ok(());
        }
        self.unexpected("`;`")
    }

    /// Reports that the next token is not what was expected.
    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        let message = format!("expected {expected}, found {}", self.found());
        let mut diagnostic = Diagnostic::new(self.here(), message, format!("expected {expected}"));
        match (self.peek(), self.peek_second()) {
            (Tok::Assign, _) if expected.ends_with("`)`") => {
                diagnostic = diagnostic.help("to compare two values write `==`");
            }
            (Tok::Dot, Tok::Set) => {
                diagnostic = diagnostic.help("`p.set(e);` is a statement of its own and has no value");
            }
            _ => {}
        }
        self.report(diagnostic)
    }

    /// The next token in words.
    fn found(&self) -> String {
        match self.peek() {
            Tok::End => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text(self.here())),
        }
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        if !self.silent && self.peek() != Tok::Invalid && self.last_error != Some(self.at) {
            self.last_error = Some(self.at);
            self.diagnostics.push(diagnostic);
        }
        if self.diagnostics.len() >= MAX_ERRORS {
            self.stop();
        }
        Err(Failed)
    }

    /// Whether a line begins with the next token.
    fn at_line_start(&self) -> bool {
        self.text(Span { start: self.last_end(), end: self.here().start }).contains('\n')
    }

    /// Parses something one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_NESTING {
            return self.give_up(
                format!("nested more than {MAX_NESTING} levels deep"),
                "move the inner part to a proc or to a local of its own",
            );
        }
        self.depth += 1;
        self.peak = self.peak.max(self.depth);
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Parses something that grows from the left; `grow` counts each time it does.
    fn growing<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outside = std::mem::replace(&mut self.peak, self.depth);
        let result = parse(self);
        self.peak = self.peak.max(outside);
        result
    }

    /// What has been parsed within `growing` becomes the left operand of something.
    fn grow(&mut self) -> Parsed<()> {
        if self.peak >= MAX_DEPTH {
            return self.give_up(
                format!("an expression of more than {MAX_DEPTH} levels"),
                "every operator of a chain is a level: split the expression over several statements",
            );
        }
        self.peak += 1;
        Ok(())
    }

    /// A limit is passed: says so and ends the parse, for whatever follows would only pass it
    /// again.
    fn give_up<T>(&mut self, message: String, help: &str) -> Parsed<T> {
        let diagnostic = Diagnostic::new(self.here(), message, "the limit is passed here").help(help);
        let _: Parsed<()> = self.report(diagnostic);
        self.stop();
        Err(Failed)
    }

    /// Goes to the end of the file without another word.
    fn stop(&mut self) {
        self.silent = true;
        self.at = self.tokens.len() - 1;
    }
}
