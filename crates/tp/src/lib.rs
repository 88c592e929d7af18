//! TP, the small task-parallel language.
//!
//! `lexer` → `parser` → [`ast`] → [`check`] (names, arities, places) → `compile` → `vm`.

#![forbid(unsafe_code)]

mod additions;
pub mod ast;
mod calls;
pub mod check;
pub mod code;
pub mod compile;
pub mod diagnostic;
pub mod end_state;
pub mod erase;
pub mod execute;
pub mod fault;
mod flow;
mod lexer;
pub mod limits;
mod parser;
pub mod print;
pub mod source;
mod suggest;
pub mod value;
pub mod vm;

pub use diagnostic::{Diagnostic, render};

use ast::{Program, Span};

/// The program in `source`, or what is wrong with it in the order of the source. Names and arities
/// are checked once the syntax is right, so that a slip in the syntax does not raise errors about
/// names.
pub fn parse(source: &str) -> Result<Program, Vec<Diagnostic>> {
    let program = syntax(source)?;
    let diagnostics = check::check(&program);
    if diagnostics.is_empty() { Ok(program) } else { Err(sorted(diagnostics)) }
}

/// Like [`parse`], without the checks of names and arities: what is read need not be a program that
/// runs.
pub fn syntax(source: &str) -> Result<Program, Vec<Diagnostic>> {
    if source.len() > limits::MAX_SOURCE {
        let message =
            format!("the source has {} bytes, expected at most {}", source.len(), limits::MAX_SOURCE);
        return Err(vec![Diagnostic::new(Span::default(), message, "")]);
    }
    let mut diagnostics = Vec::new();
    let tokens = lexer::lex(source, &mut diagnostics);
    let program = parser::parse(source, &tokens, &mut diagnostics);
    if diagnostics.is_empty() { Ok(program) } else { Err(sorted(diagnostics)) }
}

fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|d| (d.span.start, d.span.end));
    diagnostics
}
