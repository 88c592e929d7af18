//! How reports look: what the command line says of colours and of how much is shown, kept for the
//! whole process, since every command reports in the end.

use clap::{Args, ValueEnum};
use raceproof_host::terminal;
use raceproof_report::Style;
use std::sync::OnceLock;

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set; anywhere if CLICOLOR_FORCE is
    Auto,
    Always,
    Never,
}

#[derive(Args, Clone, Copy, Debug)]
pub struct LookArgs {
    /// Whether text reports have colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
    /// Show so many findings in a text report; a table lists the others
    #[arg(long, value_name = "N", default_value = "20", global = true)]
    pub max_findings: usize,
}

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
