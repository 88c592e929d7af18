//! A report as plain text, for the message of a failed test.
//!
//! The command line has a renderer with source snippets, colours and advice; it needs the sources
//! at hand and a good part of the dependencies. Here a test fails somewhere in a build log: places,
//! tasks and a witness are what is needed.

use raceproof_core::event::AccessKind;
use raceproof_core::finding::{
    Deadlock, Grade, Place, ProgramError, Race, RaceAccess, Report, Spawned, Verdict, Waiting, Witness,
    witness,
};
use std::fmt::Write as _;

/// Findings of one kind that are written out; the rest is counted.
const SHOWN: usize = 20;

/// The longest witness that is written out.
const WITNESS: usize = 2000;

/// The text of a report, ending in a line break.
pub fn render(report: &Report) -> String {
    let headline = match report.verdict {
        Verdict::Race => "a data race",
        Verdict::ProgramError => "an error of the program",
        Verdict::Deadlock => "a deadlock",
        Verdict::Inconclusive => "no verdict",
        Verdict::RaceFree => "no race",
    };
    let mut text = format!("raceproof found {headline}\n");
    list(&mut text, &report.races, race);
    list(&mut text, &report.deadlocks, deadlock);
    list(&mut text, &report.errors, error);
    for limit in &report.limits {
        line(&mut text, 0, &format!("note: {limit}"));
    }
    text
}

fn list<T>(text: &mut String, findings: &[T], each: fn(&mut String, &T)) {
    for finding in findings.iter().take(SHOWN) {
        text.push('\n');
        each(text, finding);
    }
    if let Some(more @ 1..) = findings.len().checked_sub(SHOWN) {
        line(text, 0, &format!("\nand {more} more"));
    }
}

fn race(text: &mut String, race: &Race) {
    let grade = match race.grade {
        Grade::Actual => "it happened",
        Grade::Feasible => "feasible: a schedule brings the two accesses together",
        Grade::Apparent => {
            "apparent: nothing orders the two accesses, but no schedule is known that brings them together"
        }
        Grade::Infeasible => "infeasible",
    };
    line(text, 0, &format!("race on {} ({grade})", race.location));
    access(text, &race.first);
    access(text, &race.second);
    schedule(text, race.witness.as_ref());
}

fn access(text: &mut String, access: &RaceAccess) {
    let verb = if access.access == AccessKind::Read { "read" } else { "write" };
    let locks = if access.locks.is_empty() {
        String::new()
    } else {
        format!(", holding {}", access.locks.join(", "))
    };
    line(text, 2, &format!("{verb} by {} at {}{locks}", access.task, at(&access.at)));
    spawned(text, &access.spawned);
}

fn deadlock(text: &mut String, deadlock: &Deadlock) {
    let Deadlock { waiting, witness, .. } = deadlock;
    line(
        text,
        0,
        &format!("deadlock: {} wait for ever", if waiting.len() == 1 { "1 task" } else { "tasks" }),
    );
    for waiting in waiting.iter().take(SHOWN) {
        self::waiting(text, waiting);
    }
    if let Some(more @ 1..) = waiting.len().checked_sub(SHOWN) {
        line(text, 2, &format!("and {more} more"));
    }
    schedule(text, witness.as_ref());
}

fn waiting(text: &mut String, waiting: &Waiting) {
    let Waiting { task, on, what, held_by, .. } = waiting;
    let on = match (on.as_str(), what.as_str()) {
        ("finish", _) => "the tasks of a finish".to_owned(),
        ("isolated", _) => "the isolated section".to_owned(),
        ("change", "") => "a change of what it looks at again and again".to_owned(),
        ("change", what) => format!("a change of {what}, at which it looks again and again"),
        (on, "") => format!("a {on}"),
        (on, what) => format!("the {on} {what}"),
    };
    let holder = held_by.as_ref().map(|holder| match waiting.on.as_str() {
        "lock" | "mutex" | "reader-writer lock" if waiting.holder_ended.is_some() => {
            format!(", held by {holder}, which has ended")
        }
        "lock" | "mutex" | "reader-writer lock" | "isolated" => format!(", held by {holder}"),
        _ => format!(", which needs {holder}"),
    });
    line(text, 2, &format!("{task} waits for {on}{} at {}", holder.unwrap_or_default(), at(&waiting.at)));
    spawned(text, &waiting.spawned);
}

fn error(text: &mut String, error: &ProgramError) {
    line(text, 0, &format!("error ({}): {}", error.kind, error.message));
    line(text, 2, &format!("in {} at {}", error.task, at(&error.at)));
    spawned(text, &error.spawned);
    schedule(text, error.witness.as_ref());
}

fn spawned(text: &mut String, spawned: &[Spawned]) {
    let shown = spawned.len().min(SHOWN);
    for spawn in spawned[spawned.len() - shown..].iter().rev() {
        line(text, 4, &format!("{} spawned at {}", spawn.task, at(&spawn.at)));
    }
    if let more @ 1.. = spawned.len() - shown {
        line(text, 4, &format!("by a task {more} spawns below main"));
    }
}

fn schedule(text: &mut String, witness: Option<&Witness>) {
    let Some(witness) = witness else { return };
    let encoded = witness::encode(witness);
    if encoded.len() <= WITNESS {
        line(text, 2, &format!("witness: {encoded}"));
    } else {
        line(text, 2, &format!("witness: {} turns, in the report's data", witness.schedule.len()));
    }
}

fn at(place: &Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

fn line(text: &mut String, indent: usize, content: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{:indent$}{content}", "");
}
