//! Code flows: how a task came to where it is, and a witness played back.

use super::place::Files;
use crate::listed::{deed, waits};
use crate::playback::{Op, Playback};
use crate::style::{grouped, safe};
use raceproof_core::finding::{Frame, Place, ProgramError, RaceAccess, Spawned, Waiting};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most locations of one thread flow, and of all of a witness.
const LONGEST: usize = 200;

/// A flow of these threads, which run at the same time.
pub(super) fn flow(message: &str, threads: Vec<Value>) -> Value {
    json!({ "message": { "text": message }, "threadFlows": threads })
}

/// A witness: what each task does, the last actions of all. `executionOrder` numbers the actions
/// across the tasks, and `state` has the values that shared variables have after each.
pub(super) fn witness_flow(files: &mut Files<'_>, playback: &Playback) -> Option<Value> {
    let mut threads: Vec<Vec<Value>> = vec![Vec::new(); playback.tasks.len()];
    let skipped = playback.actions.len().saturating_sub(LONGEST);
    let mut state: BTreeMap<&str, &str> =
        playback.before.iter().map(|before| (&*before.location, &*before.value)).collect();
    let first = playback.left_out + 1;
    for (index, action) in playback.actions.iter().enumerate() {
        if let (Some(location), Some(value)) = (&action.location, &action.value) {
            state.insert(location, value);
        }
        let at = action.at.as_ref().filter(|at| !at.file.is_empty());
        let (Some(at), true) = (at, index >= skipped) else { continue };
        let task = playback.tasks.get(action.task as usize).map_or("", |task| task.as_str());
        let racing = playback.racing.is_some_and(|racing| racing.contains(&(index as u32)));
        let importance = match action.op {
            _ if racing => "essential",
            Op::Fail | Op::Stuck => "essential",
            Op::Read | Op::Write | Op::End | Op::Other => "unimportant",
            _ => "important",
        };
        let mut location = files.location(at);
        location["message"] = json!({ "text": format!("{} {}", safe(task), safe(&action.text)) });
        let mut step = json!({
            "location": location,
            "importance": importance,
            "executionOrder": first + index as u64,
        });
        if !state.is_empty() {
            let text = |(location, value): (&&str, &&str)| ((*location).to_owned(), json!({ "text": value }));
            step["state"] = state.iter().map(text).collect();
        }
        threads.get_mut(action.task as usize)?.push(step);
    }
    let named = playback.tasks.iter().zip(threads).filter(|(_, steps)| !steps.is_empty());
    let threads: Vec<Value> =
        named.map(|(task, steps)| json!({ "id": safe(task), "locations": steps })).collect();
    let left_out = playback.left_out + skipped as u64;
    let message = match left_out {
        0 => "A schedule that leads here, action by action.".to_owned(),
        n => format!("A schedule that leads here, action by action, without its first {}.", grouped(n)),
    };
    (!threads.is_empty()).then(|| flow(&message, threads))
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
