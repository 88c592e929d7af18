//! Thread flows: how a task came to where it is.

use super::place::Files;
use crate::listed::{deed, waits};
use crate::style::safe;
use raceproof_core::finding::{Frame, Place, ProgramError, RaceAccess, Spawned, Waiting};
use serde_json::{Value, json};

/// The most locations of one thread flow.
const LONGEST: usize = 200;

/// A flow of these threads, which run at the same time.
pub(super) fn flow(threads: Vec<Value>) -> Value {
    json!({ "threadFlows": threads })
}

pub(super) fn access_flow(files: &mut Files<'_>, access: &RaceAccess, location: &str) -> Value {
    let what = format!("{} {}", safe(&access.task), deed(access, location));
    thread(files, &access.task, &access.spawned, &access.stack, &access.at, &what)
}

pub(super) fn waiting_flow(files: &mut Files<'_>, waiting: &Waiting) -> Value {
    let what = format!("{} {}", safe(&waiting.task), waits(waiting));
    thread(files, &waiting.task, &waiting.spawned, &waiting.stack, &waiting.at, &what)
}

pub(super) fn error_flow(files: &mut Files<'_>, error: &ProgramError) -> Value {
    let what =
        format!("{} fails: {}", safe(&error.task), safe(error.message.lines().next().unwrap_or_default()));
    thread(files, &error.task, &error.spawned, &error.stack, &error.at, &what)
}

/// The spawns from `main` to the task, the calls in it, and what it does.
fn thread(
    files: &mut Files<'_>,
    task: &str,
    spawned: &[Spawned],
    stack: &[Frame],
    at: &Place,
    what: &str,
) -> Value {
    let mut steps = Vec::new();
    let mut add = |at: &Place, message: String, importance: &str, level: usize| {
        let mut location = if at.file.is_empty() { json!({}) } else { files.location(at) };
        location["message"] = json!({ "text": message });
        steps.push(json!({ "location": location, "importance": importance, "nestingLevel": level }));
    };
    // Of very long ones the part next to the finding.
    let spawned = &spawned[spawned.len().saturating_sub(LONGEST / 2)..];
    let stack = &stack[..stack.len().min(LONGEST / 2 - 1)];
    for (level, spawn) in spawned.iter().enumerate() {
        add(&spawn.at, format!("{} is created here", safe(&spawn.task)), "important", level);
    }
    let base = spawned.len();
    let calls = stack.iter().rev().filter(|frame| frame.call.line > 0);
    let mut depth = 0;
    for frame in calls {
        add(&frame.call, format!("calls {}", safe(&frame.function)), "important", base + depth);
        depth += 1;
    }
    add(at, what.to_owned(), "essential", base + depth);
    json!({ "id": safe(task), "locations": steps })
}
