//! The whole story of one cause: the report of it, then every pair of accesses with its stacks in
//! full, the command that replays it, and the lines that suppress it.

use crate::command::quoted;
use crate::github::only;
use crate::listed::{Listed, What, deed};
use crate::snippet::place_name;
use crate::sources::Sources;
use crate::style::{Style, count, safe};
use crate::{suppress, text};
use raceproof_core::finding::{Frame, Place, Race, RaceAccess, Report, Spawned};
use std::fmt::Write as _;

/// Pairs that are written out; the rest is counted.
const PAIRS: usize = 200;

/// The text about one finding of a report that was read from `file`.
pub fn render(report: &Report, finding: &Listed<'_>, sources: &Sources, style: Style, file: &str) -> String {
    let mut out = text::render(&only(report, finding.id), sources, Style { replay: false, ..style });
    let name = |file: &str| sources.project.shown(file);
    if let What::Races(races) = &finding.what {
        let _ = writeln!(out, "\n{} of this cause, with whole stacks:", count(races.len() as u64, "race"));
        for (number, race) in races.iter().take(PAIRS).enumerate() {
            pair(&mut out, number + 1, race, &name);
        }
        if let Some(more @ 1..) = races.len().checked_sub(PAIRS) {
            let _ = writeln!(out, "\nand {more} more");
        }
    }
    if let Some(number) = witness_number(report, finding) {
        let which = if number == 1 { String::new() } else { format!(" --finding {number}") };
        let program = match (report.coverage.is_some(), finding.place()) {
            (false, Some(at)) => format!("{} ", quoted(at.file.as_bytes())),
            _ => String::new(),
        };
        let behind = if report.coverage.is_some() { " -- PROGRAM ARGS" } else { "" };
        let _ = writeln!(
            out,
            "\nto see it happen:\n  raceproof replay {program}--witness {}{which} --step{behind}",
            quoted(file.as_bytes())
        );
    }
    out += "\nto suppress it, a line for --suppressions FILE:\n";
    suppress::lines(finding, &name).lines().for_each(|line| {
        let _ = writeln!(out, "  {line}");
    });
    let _ = writeln!(
        out,
        "or in raceproof.toml:\n  [[suppress]]\n  id = \"{}\"\n  reason = \"why it is no problem\"",
        finding.id
    );
    out
}

fn pair(out: &mut String, number: usize, race: &Race, name: &dyn Fn(&str) -> String) {
    let times = if race.count == 1 { "once".to_owned() } else { format!("{} times", race.count) };
    let _ = writeln!(out, "\n{number}. on {}, seen {times}", safe(&race.location));
    for access in [&race.first, &race.second] {
        side(out, access, &race.location, name);
    }
}

fn side(out: &mut String, access: &RaceAccess, location: &str, name: &dyn Fn(&str) -> String) {
    let at = |place: &Place| place_name(&Place { file: name(&place.file), ..place.clone() });
    let bytes = access.bytes.map(|bytes| format!(" ({})", count(bytes, "byte"))).unwrap_or_default();
    let locks = match access.locks.as_slice() {
        [] => String::new(),
        locks => format!(", holding {}", locks.iter().map(|lock| safe(lock)).collect::<Vec<_>>().join(", ")),
    };
    let _ = writeln!(
        out,
        "   {} {}{bytes} at {}{locks}",
        safe(&access.task),
        deed(access, location),
        at(&access.at)
    );
    for Frame { function, call } in &access.stack {
        let from = if call.line > 0 { format!(", called at {}", at(call)) } else { String::new() };
        let _ = writeln!(out, "     in {}{from}", safe(function));
    }
    for Spawned { task, at: place, construct, thread, name } in access.spawned.iter().rev() {
        let by = construct.map(|construct| format!(" by {construct}")).unwrap_or_default();
        let number = thread.map(|number| format!(", thread {number}"));
        let thread =
            number.or(name.as_ref().map(|name| format!(", thread `{}`", safe(name)))).unwrap_or_default();
        let _ = writeln!(out, "     {} created{by} at {}{thread}", safe(task), at(place));
    }
}

/// Which of the report's findings with a witness, as `replay --finding` counts them, is of this
/// cause.
fn witness_number(report: &Report, finding: &Listed<'_>) -> Option<usize> {
    let races = report.races.iter().map(|race| (race.witness.is_some(), race.id.as_str()));
    let deadlocks =
        report.deadlocks.iter().map(|deadlock| (deadlock.witness.is_some(), deadlock.id.as_str()));
    let errors = report.errors.iter().map(|error| (error.witness.is_some(), error.id.as_str()));
    let mut with = races.chain(deadlocks).chain(errors).filter(|(has, _)| *has);
    with.position(|(_, id)| id == finding.id).map(|at| at + 1)
}
