//! How reports look: what the command line says of colours and of how much is shown, kept for the
//! whole process, since every command reports in the end.

use crate::args::{Color, LookArgs};
use raceproof_host::terminal;
use raceproof_report::Style;
use std::sync::OnceLock;

static LOOK: OnceLock<LookArgs> = OnceLock::new();

/// Keeps what was asked for; the first one counts.
pub(crate) fn keep(look: LookArgs) {
    let _ = LOOK.set(look);
}

/// The style of a text that goes to a terminal, or elsewhere.
pub(crate) fn style(to_terminal: bool) -> Style {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    let measured = terminal::width().filter(|_| to_terminal && columns.is_none());
    let style = Style::for_stream(to_terminal).within(columns.or(measured));
    let Some(look) = LOOK.get() else { return style };
    let color = match look.color {
        Color::Auto => style.color,
        Color::Always => true,
        Color::Never => false,
    };
    Style { color, findings: look.max_findings, ..style }
}
