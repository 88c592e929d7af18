//! `check` for TP programs: the detectors by name, and the limits; the checking itself is
//! [`raceproof::check`].

pub(crate) mod command;

use crate::shared::limits::deadline;
use raceproof::check::Session;
use raceproof::limits::Limits;
use raceproof::verify::general_races;
use raceproof_core::detect::closure::Closure;
use raceproof_core::detect::drdp::Drdp;
use raceproof_core::detect::esp_bags::EspBags;
use raceproof_core::detect::zipper::Zipper;
use raceproof_core::finding::{Scope, Verdict};
use raceproof_core::order::OrderName;
use raceproof_tp::code::Code;
use raceproof_tp::execute::{Bounds, Tp};
use std::sync::atomic::AtomicBool;

pub use crate::args::DetectorName;
pub use raceproof::check::Checked;

/// How to check.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub detector: DetectorName,
    /// Look for races with a predictive order instead.
    pub order: Option<OrderName>,
    pub max_seconds: Option<f64>,
    /// The most actions (accesses and synchronisations) of the run.
    pub max_events: Option<u64>,
    /// The most bytes of memory the process may use.
    pub max_memory: Option<u64>,
    /// Set from outside to end the run with what is known.
    pub interrupt: Option<&'a AtomicBool>,
    pub keep_output: bool,
    /// Report nondeterminism that is no data race as well.
    pub determinism: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            detector: DetectorName::Default,
            order: None,
            max_seconds: None,
            max_events: None,
            max_memory: None,
            interrupt: None,
            keep_output: false,
            determinism: false,
        }
    }
}

/// Checks a compiled program; `file` is what its source is called in the report. An error if the
/// detector that was asked for cannot judge this program.
pub fn check<'a>(code: &'a Code, file: &'a str, options: &Options<'a>) -> Result<Checked, String> {
    let mut checked = check_races(code, file, options)?;
    let report = &mut checked.report;
    // A run that was cut short says nothing about what is free in the rest of it.
    if options.determinism && report.limits.is_empty() {
        let limits = Limits { interrupt: options.interrupt, memory: options.max_memory, ..Limits::default() };
        let actions = options.max_events.unwrap_or(u64::MAX);
        report.general_races =
            general_races(&Tp { code, file }, Bounds { actions, limits, ..Bounds::default() });
        if report.verdict == Verdict::RaceFree && report.general_races.is_empty() {
            // No order of sections, sets or tokens is the schedule's choice: all schedules are this
            // one.
            report.scope = Scope::AllSchedules;
            report.determinate = Some(true);
        }
    }
    Ok(checked)
}

fn check_races<'a>(code: &'a Code, file: &'a str, options: &Options<'a>) -> Result<Checked, String> {
    let deadline = options.max_seconds.and_then(deadline);
    let bounds = Bounds {
        actions: options.max_events.unwrap_or(u64::MAX),
        limits: Limits { deadline, interrupt: options.interrupt, memory: options.max_memory, looks: None },
        keep_output: options.keep_output,
        ..Bounds::default()
    };
    if let Some(order) = options.order {
        return Ok(Session::new(Tp { code, file }, bounds, order.detector()).predict(order));
    }
    let detector = options.detector;
    let session = Session::new(Tp { code, file }, bounds, detector.name());
    let checked = match detector {
        DetectorName::Default => Ok(session.check()),
        DetectorName::Closure => session.check_with::<Closure>(),
        DetectorName::Zipper => session.check_with::<Zipper>(),
        DetectorName::EspBags => session.check_with::<EspBags>(),
        DetectorName::Drdp => session.check_with::<Drdp>(),
        DetectorName::None => Ok(session.only_run("races were not looked for (--detector none)".into())),
    };
    checked.map_err(|refusal| format!("--detector {}: {refusal}", detector.name()))
}
