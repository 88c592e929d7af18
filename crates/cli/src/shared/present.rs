//! A report rendered and written, and the exit status that it means.

use crate::args::ReportFormat;
use crate::shared::known::{Known, Settled, unused};
use crate::shared::look;
use crate::shared::status::{BadInput, bad};
use crate::shared::witness_file;
use raceproof_core::finding::Report;
use raceproof_host::note;
use raceproof_host::output::deliver;
use raceproof_report::baseline::new_only;
use raceproof_report::html::{self, Extras};
use raceproof_report::playback::Playback;
use raceproof_report::sarif::{self, Context};
use raceproof_report::{self as report, Project, Sources, Style, github};
use raceproof_tp::source::Source;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::{env, fs};

/// How a report is wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) format: ReportFormat,
    pub(crate) output: Option<&'a Path>,
    pub(crate) known: &'a Known,
    /// As in [`Report::bound`].
    pub(crate) strict: bool,
    /// What was judged, for people and as the place of findings that have none.
    pub(crate) program: &'a OsStr,
}

/// A report that was shown.
pub(crate) struct Presented {
    pub(crate) report: Report,
    pub(crate) status: u8,
}

/// Renders a report about a native program, with the sources it names. `extras` are asked for if the
/// format shows them, of the findings that are in it.
pub(crate) fn render_native(
    report: Report,
    wanted: Wanted<'_>,
    extras: impl FnOnce(&Report, ReportFormat) -> Extras,
) -> Result<Presented, BadInput> {
    let mut sources = Sources::of(Project::here());
    sources.load_for(&report);
    render(report, &mut sources, wanted, extras)
}

/// As [`render_native`], but nothing is shown: for a report that others are added to.
pub(crate) fn settle_native(mut report: Report, wanted: Wanted<'_>) -> Result<Presented, BadInput> {
    let mut sources = Sources::of(Project::here());
    sources.load_for(&report);
    let settled = wanted.known.settle(&mut report, &sources, wanted.strict);
    Ok(Presented { report, status: settled.status })
}

/// Writes the baseline that a report of native programs amounts to, and nothing else.
pub(crate) fn write_baseline(mut report: Report, wanted: Wanted<'_>) -> Result<(), BadInput> {
    let Some(file) = &wanted.known.write else { return Ok(()) };
    let mut sources = Sources::of(Project::here());
    sources.load_for(&report);
    wanted.known.settle(&mut report, &sources, wanted.strict);
    deliver(&wanted.known.baseline_of(&report, &sources), Some(file)).map_err(bad)
}

/// A report about a native program as text without colours.
pub(crate) fn plain_text(report: &Report) -> String {
    let mut sources = Sources::of(Project::here());
    sources.load_for(report);
    report::text::render(report, &sources, Style::plain())
}

/// Renders a report about a TP program, writes it, and gives the exit status.
pub(crate) fn present(
    mut report: Report,
    source: &Source,
    wanted: Wanted<'_>,
    extras: impl FnOnce(&Report, ReportFormat) -> Extras,
) -> Result<u8, BadInput> {
    report.stamp(&witness_file::fingerprint(&source.text));
    let mut sources = Sources::of(Project::here());
    sources.insert(source.name.clone(), &source.text);
    Ok(render(report, &mut sources, wanted, extras)?.status)
}

fn render(
    mut report: Report,
    sources: &mut Sources,
    wanted: Wanted<'_>,
    extras: impl FnOnce(&Report, ReportFormat) -> Extras,
) -> Result<Presented, BadInput> {
    let Wanted { format, output, known, strict, .. } = wanted;
    let settled = known.settle(&mut report, sources, strict);
    let text = match format {
        ReportFormat::Json => report::json::render(&report),
        ReportFormat::Html => {
            let extras = extras(&report, format);
            html::load_sources(sources, &report, &extras);
            html::render(&report, sources, &extras)
        }
        ReportFormat::Text => {
            let terminal = output.is_none() && io::stdout().is_terminal();
            let text = report::text::render(&new_only(&report), sources, look::style(terminal));
            text + &known.notes(&report, &settled, sources)
        }
        ReportFormat::Sarif => {
            let extras = extras(&report, format);
            machine(&report, sources, &settled, &extras.playbacks, wanted)
        }
        ReportFormat::Github => machine(&report, sources, &settled, &[], wanted),
    };
    deliver(&text, output).map_err(bad)?;
    finish(&report, sources, &settled, wanted)?;
    Ok(Presented { report, status: settled.status })
}

/// A report as SARIF, or for GitHub; also of a trace.
pub(crate) fn machine(
    report: &Report,
    sources: &Sources,
    settled: &Settled,
    playbacks: &[Playback],
    wanted: Wanted<'_>,
) -> String {
    let program = wanted.program.to_string_lossy();
    if wanted.format == ReportFormat::Github {
        return github::commands(report, sources);
    }
    let stale = sources.stale().map(|file| format!("{file} has changed since the program was built"));
    let notes: Vec<String> = stale.collect();
    let Settled { suppressed, status } = settled;
    let context = Context { suppressed, status: *status, program: &program, notes: &notes, playbacks };
    sarif::render(report, sources, context)
}

/// What is written beside the report: the baseline, the job summary, notes for whoever reads no
/// text.
pub(crate) fn finish(
    report: &Report,
    sources: &Sources,
    settled: &Settled,
    wanted: Wanted<'_>,
) -> Result<(), BadInput> {
    if let Some(file) = wanted.known.writes() {
        deliver(&wanted.known.baseline_of(report, sources), Some(file)).map_err(bad)?;
    }
    if wanted.format != ReportFormat::Text {
        unused(&settled.suppressed).iter().for_each(|sentence| note(&format!("raceproof: {sentence}")));
    }
    let summary = env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty());
    if let Some(file) = summary.filter(|_| wanted.format == ReportFormat::Github) {
        let text = github::summary(report, sources, &wanted.program.to_string_lossy());
        let opened = fs::OpenOptions::new().create(true).append(true).open(&file);
        if let Err(error) = opened.and_then(|mut file| file.write_all(text.as_bytes())) {
            note(&format!("raceproof: cannot write the job summary to {}: {error}", file.display()));
        }
    }
    Ok(())
}
