//! The report on a trace: a line for each pair of source locations. There is no source to show.

use super::style::grouped;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Grade, Place, Race, RaceAccess, Report};
use std::fmt::Write;

/// The whole report, ending in a line break.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    let mut races: Vec<&Race> = report.races.iter().collect();
    races.sort_by_key(|race| (race.partition, std::cmp::Reverse(race.count)));
    for race in &races {
        let grade = match race.grade {
            Grade::Feasible => ", feasible (a reordering of the trace shows it)",
            Grade::Infeasible => ", infeasible",
            Grade::Actual => ", actual",
            Grade::Apparent => "",
        };
        let _ = writeln!(
            text,
            "race between {} and {}, seen {}, first on {}{grade}",
            side(&race.first),
            side(&race.second),
            counted(race.count, "time"),
            race.location,
        );
    }
    for limit in &report.limits {
        let _ = writeln!(text, "note: {limit}");
    }
    let stats = &report.stats;
    let order = report.detector.strip_prefix("order ").unwrap_or(&report.detector).to_uppercase();
    let seen: u64 = report.races.iter().map(|race| race.count).sum();
    let verdict = match report.races.len() as u64 {
        0 => "no races".to_owned(),
        pairs => format!("{} ({} in all)", counted(pairs, "racing pair of locations"), seen),
    };
    let _ = writeln!(
        text,
        "{verdict} by {order} in {}, {} and {} of this trace",
        counted(stats.tasks, "task"),
        counted(stats.reads, "read"),
        counted(stats.writes, "write"),
    );
    text
}

fn side(side: &RaceAccess) -> String {
    let does = match side.access {
        AccessKind::Read => "a read",
        AccessKind::Write => "a write",
    };
    format!("{does} at {} by {}", spoken(&side.at), side.task)
}

fn spoken(Place { file, line, column }: &Place) -> String {
    match (line, column) {
        (0, 0) => file.clone(),
        (line, 0) => format!("location {line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

fn counted(count: u64, what: &str) -> String {
    let plural = match what.split_once(' ') {
        _ if count == 1 => return format!("1 {what}"),
        Some((first, rest)) if rest.starts_with("pair") => {
            format!("{first} {}", rest.replacen("pair", "pairs", 1))
        }
        _ => format!("{what}s"),
    };
    format!("{} {plural}", grouped(count))
}
