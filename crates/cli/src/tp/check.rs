//! Static checks.
use super::ast::Program;
use super::diagnostic::Diagnostic;

pub fn check(_program: &Program, _source: &str, _diagnostics: &mut Vec<Diagnostic>) {}
