//! Errors in a source, and how they are shown.

use super::ast::Span;
use super::limits::{MAX_ERRORS, MAX_SHOWN};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// An error in the source: what is wrong, where, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub span: Span,
    /// What was expected and what was found, in one line.
    pub message: String,
    /// What to write beside the marked text; may be empty.
    pub label: String,
    /// What to do.
    pub help: Option<String>,
    /// Another place that matters: the first declaration, the brace that was never closed.
    pub related: Option<(Span, String)>,
}

impl Diagnostic {
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Self {
        Diagnostic { span, message: message.into(), label: label.into(), help: None, related: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }
}

/// The diagnostics as text for a person, in the order of the source; at most [`MAX_SHOWN`], the
/// others are counted. Ends with a newline, unless there are none.
pub fn render(file: &str, source: &str, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| (d.span.start, d.span.end));
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in sorted.iter().take(MAX_SHOWN) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&render_one(file, source, diagnostic, &renderer));
        out.push('\n');
    }
    if sorted.len() > MAX_SHOWN {
        let at_least = if sorted.len() >= MAX_ERRORS { "at least " } else { "" };
        let more = sorted.len() - MAX_SHOWN;
        let errors = if more == 1 { "error" } else { "errors" };
        out.push_str(&format!("\n… and {at_least}{more} more {errors} in {file}\n"));
    }
    out
}

fn render_one(file: &str, source: &str, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let range = |span: Span| {
        let start = (span.start as usize).min(source.len());
        start..(span.end as usize).clamp(start, source.len())
    };
    let mut primary = AnnotationKind::Primary.span(range(diagnostic.span));
    if !diagnostic.label.is_empty() {
        primary = primary.label(&diagnostic.label);
    }
    let mut snippet = Snippet::source(source).path(file).annotation(primary);
    if let Some((span, label)) = &diagnostic.related {
        snippet = snippet.annotation(AnnotationKind::Context.span(range(*span)).label(label));
    }
    let mut group = Level::ERROR.primary_title(&diagnostic.message).element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    renderer.render(&[group])
}
