//! The report on a trace: as that on a run where the trace tells files and lines, else a line for
//! each pair of sites.

use super::cause::{group, owners};
use super::general;
use super::race;
use super::sources::Sources;
use super::style::{Page, Style, count, grouped, safe};
use super::table;
use super::text;
use raceproof_core::debug::netzer::{Analysis, Feasibility, StepRace};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{
    GeneralRace, GeneralSide, Grade, Measured, Operation, Place, Race, RaceAccess, Report, Verdict,
};
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt::Write;

/// What an analysis gives.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Analyzed {
    #[serde(flatten)]
    pub report: Report,
    /// With `--validate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    /// What is out of order in the trace but was taken as it is, and how often.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// In place of the report's.
    pub measured: Measured,
}

/// What Netzer's analysis says in numbers, as in Figures 9.2 and 9.3 of the thesis.
#[derive(Clone, Serialize, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Validation {
    pub steps: u32,
    /// Pairs of conflicting steps that synchronisation leaves unordered.
    pub apparent: usize,
    pub tangled: usize,
    pub tangles: u32,
    /// Feasible since G_D leaves them unordered, and since G_E does.
    pub by_data: usize,
    pub by_control: usize,
    pub partitions: usize,
    pub first_partitions: usize,
    /// Races in first partitions, and how many of these are validated.
    pub first_races: usize,
    pub first_validated: usize,
}

impl Validation {
    pub fn new(analysis: &Analysis) -> Self {
        let races = &analysis.races;
        let count = |test: &dyn Fn(&StepRace) -> bool| races.iter().filter(|race| test(race)).count();
        let is_first = |race: &StepRace| analysis.partitions[race.partition as usize].rank == 1;
        Validation {
            steps: analysis.steps,
            apparent: races.len(),
            tangled: count(&|race| race.tangle.is_some()),
            tangles: analysis.tangles,
            by_data: count(&|race| race.feasibility == Feasibility::ByData),
            by_control: count(&|race| race.feasibility == Feasibility::ByControl),
            partitions: analysis.partitions.len(),
            first_partitions: analysis.partitions.iter().filter(|partition| partition.rank == 1).count(),
            first_races: count(&is_first),
            first_validated: count(&|race| is_first(race) && race.feasibility != Feasibility::Unknown),
        }
    }
}

/// Races named as causes of one.
const CAUSES: usize = 5;

/// The whole report, ending in a line break.
pub fn render(analyzed: &Analyzed, sources: &Sources, style: Style) -> String {
    let Analyzed { report, validation, warnings, .. } = analyzed;
    let is_known = |at: &Place| at.line > 0 && at.column > 0;
    let knows = |general: &GeneralRace| {
        [&general.first, &general.second].iter().all(|side| side.at.as_ref().is_some_and(is_known))
    };
    let has_places = report.races.iter().any(|race| is_known(&race.first.at) && is_known(&race.second.at))
        || report.races.is_empty() && report.general_races.iter().any(knows);
    let mut text = match has_places {
        true => blocks(report, sources, Style { ranks: validation.is_some(), ..style }),
        false => lines(report, validation.is_some(), style.findings),
    };
    let listed = if has_places { &[] } else { report.general_races.as_slice() };
    for general in listed.iter().take(style.findings) {
        let side = |side: &GeneralSide| {
            let at = side.at.as_ref().map(spoken).unwrap_or_default();
            format!("{} at {at} by {}", noun(side.access), safe(&side.task))
        };
        let location = general.location.as_deref().map(|at| format!(", on {}", safe(at))).unwrap_or_default();
        let (first, second) = (side(&general.first), side(&general.second));
        let _ = writeln!(text, "nondeterminism: {first} and {second} come in either order{location}");
    }
    if let Some(more @ 1..) = listed.len().checked_sub(style.findings) {
        let _ = writeln!(text, "and {}", count(more as u64, "more nondeterministic pair"));
    }
    for warning in warnings {
        let _ = writeln!(text, "warning: {}", safe(warning));
    }
    for limit in &report.limits {
        let _ = writeln!(text, "note: {limit}");
    }
    summary(&mut text, report);
    if let Some(validation) = validation {
        validated(&mut text, validation);
    }
    text
}

/// Races at places of a source, as elsewhere.
fn blocks(report: &Report, sources: &Sources, style: Style) -> String {
    let groups = group(&report.races, sources);
    let owners = owners(&groups);
    let mut page = Page::new(style);
    race::all(&mut page, sources, &groups, &owners);
    for race in report.general_races.iter().take(style.findings.saturating_sub(groups.len())) {
        general::render(&mut page, sources, race);
        page.blank();
    }
    table::render(&mut page, report, sources, &groups, &owners);
    text::about_sources(&mut page, sources, report, "trace was recorded");
    page.into_string()
}

/// Races at sites that have a number or a name only.
fn lines(report: &Report, is_validated: bool, most: usize) -> String {
    let mut text = String::new();
    let mut order: Vec<usize> = (0..report.races.len()).collect();
    order.sort_by_key(|&at| (report.races[at].partition, Reverse(report.races[at].count), at));
    // By place in the report, the number it is shown with.
    let mut numbers = vec![0; order.len()];
    order.iter().zip(1..).for_each(|(&at, number)| numbers[at] = number);
    let first = report.races.iter().filter(|race| race.partition == 1).count();
    for &at in order.iter().take(most) {
        line(&mut text, &report.races[at], numbers[at]);
        if is_validated {
            advice(&mut text, &report.races[at], first, &numbers);
        }
    }
    if let Some(more @ 1..) = order.len().checked_sub(most) {
        let all = order.len();
        let more = count(more as u64, "more race");
        let _ = writeln!(text, "and {more}: `--max-findings {all}` shows all, and `--format json` has them");
    }
    text
}

fn line(text: &mut String, race: &Race, number: usize) {
    let grade = match race.grade {
        Grade::Feasible => "; feasible: a reordering of the trace shows it",
        Grade::Infeasible => "; infeasible",
        Grade::Actual => "; actual",
        Grade::Apparent => "",
    };
    let _ = writeln!(
        text,
        "race {number}: {} and {}, {}, first on {}{grade}",
        side(&race.first),
        side(&race.second),
        count(race.count, "time"),
        safe(&race.location),
    );
}

/// Whether a race is to be fixed first, as one of so many, or what may have caused it.
fn advice(text: &mut String, race: &Race, first: usize, numbers: &[usize]) {
    let causes: Vec<String> =
        race.artifact_of.iter().take(CAUSES).map(|&at| numbers[at as usize].to_string()).collect();
    if race.partition == 1 {
        let others = if first == 1 { "no other race" } else { "only others that are to be fixed first" };
        let _ = writeln!(text, "  fix this first: {others} can have caused it");
    } else if causes.is_empty() {
        let _ = writeln!(text, "  this may only be a consequence of races before it");
    } else {
        let _ = writeln!(text, "  this may only be a consequence of {}", causes.join(", "));
    }
}

fn summary(text: &mut String, report: &Report) {
    let stats = &report.stats;
    let by = match report.detector.strip_prefix("order ") {
        Some(order) => order.to_uppercase(),
        None => "happens-before".to_owned(),
    };
    let seen: u64 = report.races.iter().map(|race| race.count).sum();
    let verdict = match report.races.len() as u64 {
        0 if report.verdict == Verdict::Inconclusive => "inconclusive: no races so far".to_owned(),
        0 => "no races".to_owned(),
        1 => format!("one racing pair of sites ({})", count(seen, "race")),
        pairs => format!("{} racing pairs of sites ({})", grouped(pairs), count(seen, "race")),
    };
    let _ = writeln!(
        text,
        "{verdict} by {by}, in {}, {} and {} of this trace",
        count(stats.tasks, "task"),
        count(stats.reads, "read"),
        count(stats.writes, "write"),
    );
}

fn validated(text: &mut String, validation: &Validation) {
    let Validation { steps, apparent, tangled, tangles, by_data, by_control, .. } = *validation;
    let _ = writeln!(
        text,
        "{} between {} steps: {tangled} in {}, {by_data} validated by data, {by_control} more by control",
        count(apparent as u64, "apparent race"),
        grouped(steps.into()),
        count(tangles.into(), "tangle"),
    );
    let Validation { partitions, first_partitions, first_races, first_validated, .. } = *validation;
    let _ = writeln!(
        text,
        "{}, {first_partitions} of them first, with {} ({first_validated} validated)",
        count(partitions as u64, "partition"),
        count(first_races as u64, "race"),
    );
}

fn side(side: &RaceAccess) -> String {
    let what = match (side.operation, side.access) {
        (Operation::Atomic, AccessKind::Read) => "an atomic read",
        (Operation::Atomic, AccessKind::Write) => "an atomic write",
        (_, kind) => noun(Some(kind)),
    };
    format!("{what} at {} by {}", spoken(&side.at), safe(&side.task))
}

fn noun(access: Option<AccessKind>) -> &'static str {
    match access {
        Some(AccessKind::Read) => "a read",
        Some(AccessKind::Write) => "a write",
        None => "something",
    }
}

fn spoken(Place { file, line, column }: &Place) -> String {
    match (line, column) {
        (0, 0) => safe(file).to_string(),
        (line, 0) => format!("site {line}"),
        (line, column) => format!("{}:{line}:{column}", safe(file)),
    }
}
