//! The findings of a report played back, for the player of the HTML report: each witness is
//! followed once more, and every action on the way is recorded.
//!
//! Cost: a run up to the finding for each. So there are limits: on the findings that are played, on
//! the actions that are recorded of each, and on the actions of all of them together.

use super::{Finding, native, play};
use crate::shared::process::NativeProgram;
use raceproof::limits::Limits;
use raceproof_core::finding::{Report, Witness};
use raceproof_host::interrupt;
use raceproof_report::playback::{Of, Playback};
use raceproof_report::{Sources, cause};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The most findings that are played back.
const FINDINGS: usize = 100;

/// The most actions that are recorded of one.
const ACTIONS: usize = 2000;

/// The most actions of all witnesses together, which takes seconds. A finding whose witness is
/// longer than what is left is not played.
const ALL_ACTIONS: u64 = 4_000_000;

/// After so long no further finding is played.
const PATIENCE: Duration = Duration::from_secs(60);

/// The playbacks of a report.
#[derive(Debug, Default)]
pub(crate) struct Playbacks {
    pub(crate) list: Vec<Playback>,
    /// Why findings with a witness have none.
    pub(crate) note: Option<String>,
}

/// Those of a TP program.
pub(crate) fn of_source(report: &Report, code: &Code, source: &Source) -> Playbacks {
    let limits = Limits { interrupt: Some(interrupt::watch()), ..Limits::default() };
    gather(report, |finding| play(code, source, finding, limits, ACTIONS))
}

/// Those of a native program.
pub(crate) fn of_program(report: &Report, program: &NativeProgram) -> Playbacks {
    gather(report, |finding| native::play(program, finding, ACTIONS as u64))
}

/// The findings that have a witness: of races with the same cause first the one that the page shows
/// for all of them.
fn with_witness(report: &Report) -> impl Iterator<Item = (Of, Finding<'_>, &Witness)> {
    let groups = cause::group(&report.races, &Sources::new());
    let shown: Vec<usize> = groups.iter().filter_map(|group| group.members.first().copied()).collect();
    let first: BTreeSet<usize> = shown.iter().copied().collect();
    let others = (0..report.races.len()).filter(move |race| !first.contains(race));
    let races = shown.into_iter().chain(others);
    let races = races.map(|race| (Of::Race(race as u32), Finding::Race(&report.races[race])));
    let deadlocks = (0..).map(Of::Deadlock).zip(report.deadlocks.iter().map(Finding::Deadlock));
    let errors = (0..).map(Of::Error).zip(report.errors.iter().map(Finding::Error));
    let all = races.chain(deadlocks).chain(errors);
    all.filter_map(|(of, finding)| Some((of, finding, finding.witness()?)))
}

fn gather(report: &Report, mut play: impl FnMut((Of, Finding<'_>)) -> Result<Playback, String>) -> Playbacks {
    let mut list = Vec::new();
    let (mut many, mut long, mut late, mut wrong) = (0, 0, 0, Vec::new());
    let mut left = ALL_ACTIONS;
    let start = Instant::now();
    for (of, finding, witness) in with_witness(report) {
        if list.len() == FINDINGS {
            many += 1;
            continue;
        }
        let actions = witness.schedule.iter().fold(0u64, |all, segment| all.saturating_add(segment.actions));
        let Some(rest) = left.checked_sub(actions) else {
            long += 1;
            continue;
        };
        left = rest;
        if start.elapsed() > PATIENCE {
            late += 1;
            continue;
        }
        match play((of, finding)) {
            Ok(playback) => list.push(playback),
            Err(why) => wrong.push(why),
        }
    }
    list.sort_by_key(|playback: &Playback| match playback.of {
        Of::Race(number) => (0, number),
        Of::Deadlock(number) => (1, number),
        Of::Error(number) => (2, number),
    });
    let mut notes = Vec::new();
    if many > 0 {
        notes.push(format!("{FINDINGS} findings are played back, {many} more are not"));
    }
    if long > 0 {
        notes.push(format!("{long} of the findings have a witness too long to be played back here"));
    }
    if late > 0 {
        notes.push(format!("{late} of the findings are not played back: it would take too long"));
    }
    if let Some(first) = wrong.first() {
        notes.push(format!("{} could not be played back: {first}", wrong.len()));
    }
    let note = (!notes.is_empty())
        .then(|| notes.join("; ") + "; `raceproof replay --step` follows any witness of a report in JSON");
    Playbacks { list, note }
}
