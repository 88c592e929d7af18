//! SARIF logs: what code scanning wants of them beyond the schema, and what differs from machine to
//! machine.

use super::command::root;
use super::conforms::conforms;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;

/// The log with the top of the repository named alike everywhere.
pub fn normalised(log: &str) -> String {
    let root = root().canonicalize().expect("the repository is there");
    log.replace(&format!("file://{}/", root.display()), "file:///REPOSITORY/")
}

fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let file = root().join("crates/report/tests/sarif/sarif-schema-2.1.0.json");
        serde_json::from_str(&fs::read_to_string(file).expect("the schema is there")).expect("JSON")
    })
}

/// Asserts that a log conforms to the schema, that what refers to something in it finds it, and
/// that code scanning can show every result.
#[track_caller]
pub fn check(log: &str, name: &str) -> Value {
    let log: Value = serde_json::from_str(log).unwrap_or_else(|error| panic!("{name}: {error}\n{log}"));
    assert_eq!(conforms(&log, schema(), schema()), Ok(()), "{name}");
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1, "{name}: code scanning takes one run of a category");
    let run = &runs[0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for rule in rules {
        for field in
            ["/id", "/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"]
        {
            let text = rule.pointer(field).and_then(Value::as_str).unwrap_or_default();
            assert!(!text.is_empty() && text.len() <= 1024 * 4, "{name}: {field} of {rule}");
        }
        assert!(rule["properties"]["tags"].as_array().is_some_and(|tags| (1..=20).contains(&tags.len())));
    }
    let results = run["results"].as_array().expect("results");
    assert!(results.len() <= 25_000);
    let artifacts = run["artifacts"].as_array().expect("artifacts");
    let mut fingerprints = BTreeSet::new();
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"], "{name}");
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["region"]["startLine"].as_u64().is_some_and(|line| line > 0), "{name}: {result:#}");
        located(result, artifacts, name);
        let id = result["partialFingerprints"]["raceproof/v1"].as_str().unwrap_or_default();
        assert_eq!(id.len(), 10, "{name}: {result:#}");
        assert!(fingerprints.insert(id.to_owned()), "{name}: two results with {id}");
        let related = result["relatedLocations"].as_array().map_or(&[][..], Vec::as_slice);
        let ids: BTreeSet<u64> = related.iter().filter_map(|place| place["id"].as_u64()).collect();
        assert_eq!(ids.len(), related.len(), "{name}: ids of related locations");
        let message = result["message"]["text"].as_str().expect("a message");
        for link in message.split("](").skip(1) {
            let id = link.split(')').next().and_then(|id| id.parse().ok());
            assert!(id.is_some_and(|id| ids.contains(&id)), "{name}: a link of {message:?}");
        }
        let lines = result["properties"]["suppression"].as_str().unwrap_or_default();
        assert!(lines.contains(&format!("\nid:{id}\n")), "{name}: {lines}");
    }
    log
}

/// Every file that is named is in the list, under its index.
fn located(value: &Value, artifacts: &[Value], name: &str) {
    match value {
        Value::Object(fields) => {
            if let Some(artifact) = fields.get("artifactLocation") {
                let index = artifact["index"].as_u64().expect("an index") as usize;
                assert_eq!(artifacts[index]["location"]["uri"], artifact["uri"], "{name}");
            }
            fields.values().for_each(|value| located(value, artifacts, name));
        }
        Value::Array(items) => items.iter().for_each(|item| located(item, artifacts, name)),
        _ => {}
    }
}
