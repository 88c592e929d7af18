//! TP, the small task-parallel language.
//!
//! `lexer` → `parser` → [`ast`] → [`check`] (names, arities, places) → `compile` → `vm`.

pub mod ast;
pub mod check;
pub mod diagnostic;
mod lexer;
pub mod limits;
mod parser;
pub mod source;

pub use diagnostic::{Diagnostic, render};

use ast::{Program, Span};

/// The program in `source`, or what is wrong with it in the order of the source. Names and arities are
/// checked once the syntax is right, so that a slip in the syntax does not raise errors about names.
pub fn parse(source: &str) -> Result<Program, Vec<Diagnostic>> {
    if source.len() > limits::MAX_SOURCE {
        let message =
            format!("the source has {} bytes, at most {} are possible", source.len(), limits::MAX_SOURCE);
        return Err(vec![Diagnostic::new(Span::default(), message, "")]);
    }
    let mut diagnostics = Vec::new();
    let tokens = lexer::lex(source, &mut diagnostics);
    let program = parser::parse(source, &tokens, &mut diagnostics);
    if diagnostics.is_empty() {
        check::check(&program, source, &mut diagnostics);
    }
    if diagnostics.is_empty() {
        return Ok(program);
    }
    diagnostics.sort_by_key(|d| (d.span.start, d.span.end));
    Err(diagnostics)
}
