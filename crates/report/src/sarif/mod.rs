//! The report as SARIF 2.1.0 (OASIS), for code scanning and other viewers: one run, one result for
//! each cause.
//!
//! - `locations` has the access that stands first in the source, in the user's own code;
//!   `relatedLocations` the other one, the spawns that led to both, and the allocation; of a program
//!   error the places that have to do with it.
//! - `codeFlows` has the witness of a finding, played back, if there is one: a thread flow for each
//!   task, with the order of all actions and the values of shared variables. After it comes a flow
//!   of how the tasks came there: spawns, calls, what each does. The two thread flows of a race are
//!   what nothing orders.
//! - `partialFingerprints` has the id of the cause under `raceproof/v1`, which survives edits
//!   elsewhere in the file.
//! - Suppressed findings and those of a baseline are results with a `suppressions` entry, so that
//!   viewers count them as closed. Findings that are gone are notifications: a result would be
//!   shown as if it were there.
//! - Files are named relative to `%SRCROOT%`, the top of the project.
//!
//! Code scanning takes at most 25,000 results, and shows the first 5,000; what is left out here is
//! said in a notification. docs/CI.md has recipes.

mod flow;
mod place;
mod rules;

use crate::json::pretty;
use crate::listed::{Level, Listed, What, cells, deed, general_side, list, shown, waits};
use crate::playback::{Of, Playback};
use crate::race::explained;
use crate::sources::Sources;
use crate::style::{count, safe};
use crate::suppress::{self, Suppressed};
use crate::view::UserRace;
use flow::{access_flow, error_flow, flow, waiting_flow, witness_flow};
use place::Files;
use raceproof_core::finding::{Object, Race, RaceAccess, Related, Report, Spawned, Verdict};
use rustc_hash::FxHashSet;
use serde_json::{Map, Value, json};

/// The most results of a run that code scanning takes.
pub const MOST_RESULTS: usize = 25_000;

/// The most related locations of a result.
const MOST_RELATED: usize = 100;

/// What a log says beside the findings of the report.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// What suppressions took out of the report.
    pub suppressed: &'a Suppressed,
    /// Exit status of the command.
    pub status: u8,
    /// The program that was judged: the place of findings that have none.
    pub program: &'a str,
    /// What else the user should know.
    pub notes: &'a [String],
    /// The witnesses of the report's findings, played back.
    pub playbacks: &'a [Playback],
}

/// The whole log, ending in a line break.
pub fn render(report: &Report, sources: &Sources, context: Context<'_>) -> String {
    let mut log = Log { files: Files::new(sources), context, report };
    let known: FxHashSet<&str> =
        report.baseline.iter().flat_map(|baseline| &baseline.known).map(String::as_str).collect();
    let mut results = Vec::new();
    for finding in list(report) {
        let mut result = log.result(&finding);
        if report.baseline.is_some() {
            let is_known = known.contains(finding.id);
            result.insert("baselineState".into(), json!(if is_known { "unchanged" } else { "new" }));
            if is_known {
                result.insert("suppressions".into(), json!([suppression("It is in the baseline.")]));
            }
        }
        results.push(result);
    }
    for finding in list(&context.suppressed.report) {
        let mut result = log.result(&finding);
        let by = context.suppressed.by.get(finding.id);
        let why = by.map_or_else(
            || "It is suppressed.".to_owned(),
            |rule| match &rule.reason {
                Some(reason) => reason.clone(),
                None => format!("It is suppressed by `{}` ({}).", rule.line, rule.place),
            },
        );
        result.insert("suppressions".into(), json!([suppression(&why)]));
        results.push(result);
    }
    let left_out = results.len().saturating_sub(MOST_RESULTS);
    results.truncate(MOST_RESULTS);
    let invocation = invocation(report, &context, left_out);
    let mut run = json!({
        "tool": { "driver": {
            "name": Report::TOOL,
            "version": report.version,
            "semanticVersion": report.version,
            "rules": rules::all(),
        }},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": properties(report),
    });
    run["artifacts"] = log.files.artifacts();
    if let Some(root) = log.files.root() {
        run["originalUriBaseIds"] = json!({ "%SRCROOT%": {
            "uri": root,
            "description": { "text": "The top of the project." },
        }});
    }
    pretty(&json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }))
}

fn suppression(why: &str) -> Value {
    json!({ "kind": "external", "status": "accepted", "justification": why })
}

struct Log<'a> {
    files: Files<'a>,
    context: Context<'a>,
    report: &'a Report,
}

impl<'a> Log<'a> {
    fn result(&mut self, finding: &Listed<'_>) -> Map<String, Value> {
        let rule = finding.rule();
        let index = rules::index(rule);
        let place = match finding.place() {
            Some(at) => self.files.location(at),
            None => self.files.program(self.context.program),
        };
        let mut related = Vec::new();
        let (message, flows, properties, occurrences) = match &finding.what {
            What::Races(races) => self.race(finding.id, races, &mut related),
            What::Deadlock(deadlock) => {
                let mut flows = Vec::new();
                let mut lines = Vec::new();
                for (at, waiting) in deadlock.waiting.iter().take(MOST_RELATED).enumerate() {
                    let what = format!("{} {}", safe(&waiting.task), waits(waiting));
                    if at > 0 {
                        related.push((what.clone(), self.files.location(&waiting.at)));
                        lines.push(format!("{} [{}]({})", safe(&waiting.task), escaped(&waits(waiting)), at));
                    } else {
                        lines.push(escaped(&what));
                    }
                    flows.push(waiting_flow(&mut self.files, waiting));
                }
                let message = format!("Nobody can go on: {}.", lines.join("; "));
                (message, flows, json!({ "tasks": deadlock.waiting.len() }), 1)
            }
            What::Error(error) => {
                let flows = vec![error_flow(&mut self.files, error)];
                for Related { what, at } in error.related.iter().filter(|related| !related.at.file.is_empty())
                {
                    related.push((safe(what), self.files.location(at)));
                }
                let message = escaped(&format!("{} ({})", first_line(&error.message), error.kind));
                (message, flows, json!({ "kind": error.kind, "message": error.message }), 1)
            }
            What::General(race) => {
                let cell = race.location.as_deref();
                let side = |side| escaped(&general_side(side, cell));
                if let Some(at) = &race.second.at {
                    related.push((general_side(&race.second, cell), self.files.location(at)));
                }
                let second = match related.len() {
                    0 => side(&race.second),
                    _ => format!("[{}](1)", side(&race.second)),
                };
                let message = format!(
                    "{} and {second} come in either order ({} of {}): what the program does may depend on it.",
                    side(&race.first),
                    escaped(&safe(&race.kind)),
                    escaped(&safe(if race.on.is_empty() { "the cell" } else { &race.on })),
                );
                (message, Vec::new(), json!({ "kind": race.kind, "on": race.on }), 1)
            }
        };
        let mut result = Map::new();
        result.insert("ruleId".into(), json!(rule.name()));
        result.insert("ruleIndex".into(), json!(index));
        result.insert("kind".into(), json!("fail"));
        result.insert("level".into(), json!(finding.level().name()));
        result.insert("message".into(), json!({ "text": message }));
        result.insert("locations".into(), json!([place]));
        result.insert("occurrenceCount".into(), json!(occurrences));
        if !finding.id.is_empty() {
            result.insert("partialFingerprints".into(), json!({ "raceproof/v1": finding.id }));
        }
        if !related.is_empty() {
            let numbered = related.into_iter().zip(1u32..).map(|((what, mut location), id)| {
                location["id"] = json!(id);
                location["message"] = json!({ "text": what });
                location
            });
            result.insert("relatedLocations".into(), numbered.take(MOST_RELATED).collect());
        }
        let witness = self.played(finding).and_then(|playback| witness_flow(&mut self.files, playback));
        let ways = (!flows.is_empty()).then(|| flow("How the tasks came there.", flows));
        let flows: Vec<Value> = witness.into_iter().chain(ways).collect();
        if !flows.is_empty() {
            result.insert("codeFlows".into(), json!(flows));
        }
        let mut properties = properties;
        properties["suppression"] = json!(suppress::lines(finding, &|file| self.files.short(file)));
        result.insert("properties".into(), properties);
        result
    }

    /// The playback of a finding of the report.
    fn played(&self, finding: &Listed<'_>) -> Option<&'a Playback> {
        fn index<T>(all: &[T], one: &T) -> Option<u32> {
            all.iter().position(|other| std::ptr::eq(other, one)).map(|index| index as u32)
        }
        let (report, playbacks) = (self.report, self.context.playbacks);
        if playbacks.is_empty() {
            return None;
        }
        let of: Vec<Of> = match &finding.what {
            What::Races(races) => {
                races.iter().filter_map(|race| index(&report.races, race)).map(Of::Race).collect()
            }
            What::Deadlock(deadlock) => {
                index(&report.deadlocks, deadlock).map(Of::Deadlock).into_iter().collect()
            }
            What::Error(error) => index(&report.errors, error).map(Of::Error).into_iter().collect(),
            What::General(_) => Vec::new(),
        };
        of.iter().find_map(|of| playbacks.iter().find(|playback| playback.of == *of))
    }

    /// Message, flows, properties and how often it was seen; what is related is added.
    fn race(
        &mut self,
        id: &str,
        races: &[&Race],
        related: &mut Vec<(String, Value)>,
    ) -> (String, Vec<Value>, Value, u64) {
        let race = races[0];
        let at_user = shown(id, races, self.files.sources);
        let (why, fix) = explained(&at_user, self.files.sources);
        let UserRace { race: at_user, what, .. } = at_user;
        let did = |access: &RaceAccess| format!("{} {}", safe(&access.task), deed(access, &at_user.location));
        related.push((did(&race.second), self.files.location(crate::user_place(&race.second))));
        let mut spawns: Vec<&Spawned> = Vec::new();
        for spawn in race.first.spawned.iter().chain(&race.second.spawned) {
            if spawn.at.line > 0 && !spawns.iter().any(|known| known.at == spawn.at) {
                spawns.push(spawn);
            }
        }
        for spawn in spawns.iter().take(MOST_RELATED / 2) {
            related.push((format!("{} is created here", safe(&spawn.task)), self.files.location(&spawn.at)));
        }
        if let Some(Object::Heap { at, size, task, .. }) = &race.object
            && at.line > 0
        {
            let what = format!("{} allocates the block of {} here", safe(task), count(*size, "byte"));
            related.push((what, self.files.location(at)));
        }
        let message = format!(
            "Data race on {}: {} here, and {} [{}](1); nothing orders the two. {} {}",
            escaped(&safe(&what)),
            escaped(&did(&race.first)),
            escaped(&safe(&race.second.task)),
            escaped(&deed(&race.second, "it")),
            escaped(&sentence(&why)),
            escaped(&sentence(&fix)),
        );
        let flows = [&race.first, &race.second]
            .map(|side| access_flow(&mut self.files, side, &at_user.location))
            .to_vec();
        let cells = cells(races);
        let mut properties = json!({
            "grade": race.grade,
            "partition": races.iter().map(|race| race.partition).min(),
            "location": race.location,
            "locations": cells.len(),
            "races": races.len(),
            "artifact": races.iter().all(|race| !race.artifact_of.is_empty()),
            "why": why,
            "fix": fix,
        });
        if let Some(witness) = &race.witness {
            properties["witness"] = json!(witness);
        }
        let seen = races.iter().fold(0u64, |sum, race| sum.saturating_add(race.count)).max(1);
        (message, flows, properties, seen.min(i32::MAX as u64))
    }
}

/// With a capital, unless it begins with the name of a task, and a full stop.
fn sentence(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_task = word == "main" || word.starts_with("main/");
    let mut chars = text.chars();
    let first = chars.next().filter(|_| !is_task).map(|first| first.to_uppercase().collect::<String>());
    let text = first.map_or_else(|| text.to_owned(), |first| first + chars.as_str());
    if text.ends_with('.') || text.is_empty() { text } else { text + "." }
}

fn first_line(text: &str) -> String {
    safe(text.lines().next().unwrap_or_default())
}

/// Text in a message, where brackets make links.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

fn invocation(report: &Report, context: &Context<'_>, left_out: usize) -> Value {
    let mut notes: Vec<(Level, &str, String)> = Vec::new();
    notes.extend(report.limits.iter().map(|limit| (Level::Warning, "limit", limit.clone())));
    for rule in &context.suppressed.unused {
        let text = format!("the suppression `{}` ({}) names nothing that was found", rule.line, rule.place);
        notes.push((Level::Note, "unused-suppression", text));
    }
    for id in report.baseline.iter().flat_map(|baseline| &baseline.gone) {
        notes.push((Level::Note, "gone", format!("{id} of the baseline is not found any more")));
    }
    notes.extend(context.notes.iter().map(|note| (Level::Note, "note", note.clone())));
    if let Some(command) = &report.next_command {
        notes.push((Level::Note, "next", format!("to decide the rest: {command}")));
    }
    if left_out > 0 {
        let text = format!("{left_out} results are left out: code scanning takes {MOST_RESULTS}");
        notes.push((Level::Warning, "left-out", text));
    }
    let notifications: Vec<Value> = notes
        .into_iter()
        .map(|(level, id, text)| {
            json!({ "descriptor": { "id": id }, "level": level.name(), "message": { "text": text } })
        })
        .collect();
    let meaning = match context.status {
        0 => "nothing was found that is not known",
        1 => "a race, a deadlock or a program error was found",
        _ => "inconclusive",
    };
    json!({
        "executionSuccessful": true,
        "exitCode": context.status,
        "exitCodeDescription": meaning,
        "toolExecutionNotifications": notifications,
    })
}

fn properties(report: &Report) -> Value {
    let mut properties = json!({
        "verdict": report.verdict,
        "scope": report.scope,
        "determinate": report.determinate,
        "detector": report.detector,
        "executions": report.stats.executions,
        "tasks": report.stats.tasks,
    });
    if let Some(coverage) = &report.coverage {
        properties["coverage"] = json!(coverage);
    }
    if !report.threads.is_empty() {
        properties["threads"] = json!(report.threads);
    }
    if report.verdict == Verdict::Inconclusive {
        properties["limits"] = json!(report.limits);
    }
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_of_a_location_make_no_link() {
        assert_eq!(escaped(r"a[i] \ b"), r"a\[i\] \\ b");
    }

    #[test]
    fn advice_becomes_sentences() {
        assert_eq!(sentence("nothing waits"), "Nothing waits.");
        assert_eq!(sentence("main/1 waits."), "main/1 waits.");
        assert_eq!(sentence(""), "");
    }
}
