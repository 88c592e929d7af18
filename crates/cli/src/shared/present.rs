//! A report rendered and written, and the exit status that it means.

use crate::args::ReportFormat;
use crate::shared::status::{BadInput, bad, status};
use crate::shared::witness_file;
use raceproof_core::finding::Report;
use raceproof_host::output::deliver;
use raceproof_report::html::{self, Extras};
use raceproof_report::{self as report, Sources, Style};
use raceproof_tp::source::Source;
use std::io::{self, IsTerminal};
use std::path::Path;

/// Renders a report about a native program, with the sources it names; `extras` are for the page.
pub(crate) fn render_native(
    report: &Report,
    format: ReportFormat,
    output: Option<&Path>,
    extras: &Extras,
) -> Result<u8, BadInput> {
    let mut sources = Sources::new();
    sources.load_for(report);
    render(report, &sources, format, output, extras)
}

/// Renders a report about a TP program, writes it, and gives the exit status.
pub(crate) fn present(
    mut report: Report,
    source: &Source,
    format: ReportFormat,
    output: Option<&Path>,
    extras: &Extras,
) -> Result<u8, BadInput> {
    report.stamp(&witness_file::fingerprint(&source.text));
    let mut sources = Sources::new();
    sources.insert(source.name.clone(), &source.text);
    render(&report, &sources, format, output, extras)
}

fn render(
    report: &Report,
    sources: &Sources,
    format: ReportFormat,
    output: Option<&Path>,
    extras: &Extras,
) -> Result<u8, BadInput> {
    let text = match format {
        ReportFormat::Json => report::json::render(report),
        ReportFormat::Html => {
            let mut sources = sources.clone();
            html::load_sources(&mut sources, report, extras);
            html::render(report, &sources, extras)
        }
        ReportFormat::Text => {
            let terminal = output.is_none() && io::stdout().is_terminal();
            report::text::render(report, sources, Style::for_stream(terminal))
        }
    };
    deliver(&text, output).map_err(bad)?;
    Ok(status(report))
}
