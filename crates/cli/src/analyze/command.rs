//! `raceproof analyze`.

use super::{Analyzed, given_up, run};
use crate::args::{AnalyzeArgs, ReportFormat};
use crate::page;
use crate::shared::budget::Watchdog;
use crate::shared::input;
use crate::shared::known::Known;
use crate::shared::limits::limits;
use crate::shared::load::refuse;
use crate::shared::look;
use crate::shared::present::{Wanted, finish, machine};
use crate::shared::status::{BAD_INPUT, BadInput, bad};
use raceproof_core::finding::Report;
use raceproof_host::note;
use raceproof_host::output::deliver;
use raceproof_report::baseline::new_only;
use raceproof_report::constructs::name_constructs;
use raceproof_report::html::Extras;
use raceproof_report::{self as report, Project, Sources, html};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::{fs, process};

pub(crate) fn command(args: &AnalyzeArgs) -> Result<u8, BadInput> {
    refuse(&args.file, &input::ANALYZE)?;
    let known = Known::load(&args.known)?;
    let limits = limits(args.limits.max_seconds, args.limits.max_memory);
    let (asked, known_there) = (args.clone(), known.clone());
    let watchdog = Watchdog::start(limits, move |known, reached| {
        let analyzed = given_up(&asked, known, reached);
        let status = show(analyzed, &asked, &known_there).unwrap_or_else(|BadInput(message)| {
            note(&message);
            BAD_INPUT
        });
        process::exit(status.into());
    });
    let analyzed = run(args, limits, &watchdog);
    watchdog.end();
    show(analyzed.map_err(bad)?, args, &known)
}

fn show(mut analyzed: Analyzed, args: &AnalyzeArgs, known: &Known) -> Result<u8, BadInput> {
    let mut sources = Sources::of(Project::here());
    date(&mut analyzed.report, &args.file);
    sources.load_for(&analyzed.report);
    // The constructs are in files that a report of a run needs not read.
    html::load_sources(&mut sources, &analyzed.report, &Extras::default());
    name_constructs(&mut analyzed.report, &sources);
    let settled = known.settle(&mut analyzed.report, &sources, false);
    let (output, program) = (args.output.as_deref(), args.file.as_os_str());
    let wanted = Wanted { format: args.format, output, known, strict: false, program };
    let text = match args.format {
        ReportFormat::Json => report::json::pretty(&analyzed),
        ReportFormat::Html => {
            let extras = page::of_trace(&analyzed.report, &args.file, args.limits.max_memory);
            html::render_trace(&analyzed, &sources, &extras)
        }
        ReportFormat::Text => {
            let shown = Analyzed { report: new_only(&analyzed.report), ..analyzed.clone() };
            let terminal = args.output.is_none() && io::stdout().is_terminal();
            let text = report::trace::render(&shown, &sources, look::style(terminal));
            text + &known.notes(&analyzed.report, &settled, &sources)
        }
        ReportFormat::Sarif | ReportFormat::Github => {
            machine(&analyzed.report, &sources, &settled, &[], wanted)
        }
    };
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    finish(&analyzed.report, &sources, &settled, wanted)?;
    Ok(settled.status)
}

/// Says in a report on a native program when it was recorded: sources that are newer are not what
/// it was built from. Of a TP program the trace has no more than what the source says.
fn date(report: &mut Report, trace: &Path) {
    let races = report.races.iter().map(|race| &race.first.at);
    let sections = report.general_races.iter().flat_map(|race| [&race.first, &race.second]);
    let mut places = races.chain(sections.filter_map(|section| section.at.as_ref()));
    if !places.all(|at| at.file.ends_with(".tp")) {
        report.built = fs::metadata(trace).and_then(|metadata| metadata.modified()).ok();
    }
}
