//! `raceproof analyze`.

use super::{Analyzed, given_up, run};
use crate::args::{AnalyzeArgs, ReportFormat};
use crate::page;
use crate::shared::budget::Watchdog;
use crate::shared::input;
use crate::shared::limits::limits;
use crate::shared::load::refuse;
use crate::shared::status::{BAD_INPUT, BadInput, bad, status};
use raceproof_host::note;
use raceproof_host::output::deliver;
use raceproof_report::html;
use raceproof_report::{self as report, Sources};
use std::process;

pub(crate) fn command(args: &AnalyzeArgs) -> Result<u8, BadInput> {
    refuse(&args.file, &input::ANALYZE)?;
    let limits = limits(args.limits.max_seconds, args.limits.max_memory);
    let asked = args.clone();
    let watchdog = Watchdog::start(limits, move |known, reached| {
        let analyzed = given_up(&asked, known, reached);
        let status = show(&analyzed, &asked).unwrap_or_else(|BadInput(message)| {
            note(&message);
            BAD_INPUT
        });
        process::exit(status.into());
    });
    let analyzed = run(args, limits, &watchdog);
    watchdog.end();
    show(&analyzed.map_err(bad)?, args)
}

fn show(analyzed: &Analyzed, args: &AnalyzeArgs) -> Result<u8, BadInput> {
    let text = match args.format {
        ReportFormat::Json => report::json::pretty(analyzed),
        ReportFormat::Html => {
            let extras = page::of_trace(&analyzed.report, &args.file, args.limits.max_memory);
            let mut sources = Sources::new();
            html::load_sources(&mut sources, &analyzed.report, &extras);
            html::render_trace(analyzed, &sources, &extras)
        }
        ReportFormat::Text => report::trace::render(analyzed),
    };
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    Ok(status(&analyzed.report))
}
