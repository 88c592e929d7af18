//! Holds a JSON report to what the program expects.

use super::expect::{Expected, Line, Pair};
use crate::common::command::Done;
use serde_json::Value;
use std::path::Path;

/// What is wrong, if anything; `files` are the names of the program's own files.
pub fn mistakes(expected: &Expected, files: &[String], done: &Done) -> Vec<String> {
    let report: Value = match serde_json::from_str(&done.stdout) {
        Ok(report) => report,
        Err(e) => {
            return vec![format!("no JSON report ({e}), status {:?}: {}", done.status, brief(&done.stderr))];
        }
    };
    let mut wrong = Vec::new();
    verdict(expected, &report, done, &mut wrong);
    races(expected, files, &report, &mut wrong);
    message(expected, &report, done, &mut wrong);
    wrong
}

fn brief(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

fn verdict(expected: &Expected, report: &Value, done: &Done, wrong: &mut Vec<String>) {
    let verdict = report["verdict"].as_str().unwrap_or("none");
    if verdict != expected.verdict {
        wrong.push(format!("verdict {} expected, {verdict} came", expected.verdict));
    }
    let scope = report["scope"].as_str().unwrap_or("none");
    if let Some(wanted) = expected.scope.as_deref().filter(|wanted| *wanted != scope) {
        wrong.push(format!("scope {wanted} expected, {scope} came"));
    }
    let status = match expected.verdict.as_str() {
        "race-free" => 0,
        "inconclusive" => 3,
        _ => 1,
    };
    if done.status != Some(status) {
        wrong.push(format!("status {status} expected, {:?} came", done.status));
    }
}

fn races(expected: &Expected, files: &[String], report: &Value, wrong: &mut Vec<String>) {
    let empty = Vec::new();
    let mut seen = vec![false; expected.pairs.len()];
    for race in report["races"].as_array().unwrap_or(&empty) {
        let mut ends = [own_line(&race["first"], files), own_line(&race["second"], files)];
        ends.sort();
        let explains = |pair: &Pair| pair.first == ends[0] && pair.second == ends[1] && named(pair, race);
        let mut any = false;
        for (_, seen) in expected.pairs.iter().zip(&mut seen).filter(|(pair, _)| explains(pair)) {
            (*seen, any) = (true, true);
        }
        if (race["grade"] == "feasible") == race["witness"].is_null() {
            wrong.push(format!(
                "race on {} is {} with witness {}",
                race["location"], race["grade"], race["witness"]
            ));
        }
        if !any {
            wrong.push(format!("unmarked race on {} at {} and {}", race["location"], ends[0], ends[1]));
        }
    }
    for (pair, _) in expected.pairs.iter().zip(seen).filter(|(pair, seen)| pair.certain && !seen) {
        wrong.push(format!("missing race on {pair}"));
    }
}

/// The line of the program that an access belongs to: the access itself or, if a header of a
/// library does it, the innermost call on the way there that the program makes.
fn own_line(access: &Value, files: &[String]) -> Line {
    let line = |place: &Value| {
        let file = Path::new(place["file"].as_str().unwrap_or_default()).file_name().unwrap_or_default();
        Line { file: file.to_string_lossy().into_owned(), line: place["line"].as_u64().unwrap_or(0) }
    };
    let calls = access["stack"].as_array().into_iter().flatten();
    let mut places = std::iter::once(access).chain(calls).map(line);
    places.find(|line| files.contains(&line.file)).unwrap_or_else(|| line(access))
}

/// Whether the report calls a variable as the pair does; other memory need not have a name, nor has
/// every local variable one.
fn named(pair: &Pair, race: &Value) -> bool {
    let object = &race["object"];
    if object["kind"] != "global" && (object["kind"] != "stack" || object["name"].is_null()) {
        return true;
    }
    let name = object["name"].as_str().unwrap_or_default();
    name.rsplit(['.', ':']).next() == Some(pair.variable())
}

/// Who waits for what, and who holds it: `main waits for mutex b held by main/1; main/1 waits for
/// …`.
fn circles(report: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let waiting = report["deadlocks"].as_array().into_iter().flatten();
    let waiting = waiting.flat_map(|deadlock| deadlock["waiting"].as_array().into_iter().flatten());
    let line = |waiting: &Value| {
        let [task, on, what, holder] = ["task", "on", "what", "held_by"].map(|field| text(&waiting[field]));
        let named = format!("{task} waits for {on} {what}").trim_end().to_owned();
        if holder.is_empty() { named } else { format!("{named} held by {holder}") }
    };
    waiting.map(line).collect::<Vec<_>>().join("; ")
}

fn message(expected: &Expected, report: &Value, done: &Done, wrong: &mut Vec<String>) {
    let errors = report["errors"].as_array().map_or(0, Vec::len);
    match &expected.message {
        Some(message) => {
            let found = [&report["errors"], &report["limits"], &report["deadlocks"]];
            let said = format!("{} {} {} {} {}", found[0], found[1], found[2], circles(report), done.stderr);
            let deadlock = report["deadlocks"].as_array().is_some_and(|found| !found.is_empty());
            let told = said.to_lowercase().contains(message) || deadlock && message == "deadlock";
            if !told {
                wrong.push(format!("{message:?} expected in {}", brief(&said)));
            }
        }
        None if errors > 0 && expected.verdict != "program-error" => {
            wrong.push(format!("unexpected error {}", report["errors"][0]["message"]));
        }
        None => {}
    }
}
