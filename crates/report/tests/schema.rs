//! The published schemas of the JSON outputs (`docs/schema`): they are current, golden outputs
//! conform to them, and docs/JSON.md describes each of their fields. SARIF logs conform to the
//! schema of OASIS.
//!
//! `BLESS=1 cargo test -p raceproof-report` writes them.

#[path = "../../cli/tests/support/common/conforms.rs"]
#[allow(unreachable_pub)]
mod conforms;

use conforms::conforms;
use raceproof_report::schema;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn published() -> [(&'static str, String); 2] {
    [("report", schema::report()), ("graph", schema::graph())]
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn the_published_schemas_are_current() {
    for (name, current) in published() {
        let path = repository().join("docs/schema").join(name).with_extension("json");
        if env::var_os("BLESS").is_some_and(|value| !value.is_empty() && value != "0") {
            fs::write(&path, &current).expect("docs/schema can be written");
        }
        let message = "is not current; if the change is meant, run again with BLESS=1";
        assert!(read(&path) == current, "{} {message}\n\n{current}", path.display());
    }
}

/// The golden outputs of `crates/cli/tests` below a folder.
fn golden(folder: &str) -> Vec<(PathBuf, Value)> {
    let folder = repository().join("crates/cli/tests/golden").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let is_json = |extension: &std::ffi::OsStr| extension == "json" || extension == "sarif";
    let outputs = paths.filter(|path| path.extension().is_some_and(is_json));
    outputs.map(|path| (path.clone(), parsed(&read(&path)))).collect()
}

#[test]
fn golden_outputs_conform() {
    for (folder, text, least) in [("json", schema::report(), 6), ("graph", schema::graph(), 3)] {
        let schema = parsed(&text);
        let outputs = golden(folder);
        assert!(outputs.len() >= least, "{} outputs in {folder}", outputs.len());
        for (path, output) in outputs {
            let wrong = conforms(&output, &schema, &schema);
            assert_eq!(wrong, Ok(()), "{}", path.display());
        }
    }
}

/// A field that is missing, of another type, or of an unknown value does not conform.
#[test]
fn damaged_outputs_do_not_conform() {
    let schema = parsed(&schema::report());
    let is_valid = |output: &Value| conforms(output, &schema, &schema).is_ok();
    let path = repository().join("crates/cli/tests/golden/json/spawner.json");
    let whole = parsed(&read(&path));
    assert!(is_valid(&whole));
    for field in ["verdict", "races", "stats", "measured", "determinate"] {
        let mut output = whole.clone();
        output.as_object_mut().expect("an object").remove(field);
        assert!(!is_valid(&output), "conforms without {field}");
    }
    for (pointer, value) in [
        ("/verdict", Value::from("fine")),
        ("/races/0/first/line", Value::from("4")),
        ("/races/0/second/access", Value::from("look")),
        ("/stats/tasks", Value::from(-1)),
    ] {
        let mut output = whole.clone();
        *output.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        assert!(!is_valid(&output), "conforms with another {pointer}");
    }
}

/// The names of all properties in a schema.
fn properties(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            let named = fields.get("properties").and_then(Value::as_object);
            found.extend(named.into_iter().flat_map(|named| named.keys().cloned()));
            fields.values().for_each(|value| properties(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| properties(item, found)),
        _ => {}
    }
}

#[test]
fn every_field_is_described() {
    let document = read(&repository().join("docs/JSON.md"));
    let mut found = BTreeSet::new();
    published().iter().for_each(|(_, text)| properties(&parsed(text), &mut found));
    let missing: Vec<&String> =
        found.iter().filter(|name| !document.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "not in docs/JSON.md: {missing:?}");
    assert!(found.contains("held_by") && found.contains("section") && found.contains("first_validated"));
}

fn sarif_schema() -> Value {
    parsed(&read(&repository().join("crates/report/tests/sarif/sarif-schema-2.1.0.json")))
}

/// The golden logs, of TP programs, C programs and crates that use rayon.
#[test]
fn golden_logs_conform_to_sarif() {
    let schema = sarif_schema();
    for (folder, least) in [("sarif/tp", 15), ("sarif/c", 8), ("sarif/rayon", 1)] {
        let logs = golden(folder);
        assert!(logs.len() >= least, "{} logs in {folder}", logs.len());
        for (path, log) in logs {
            assert_eq!(conforms(&log, &schema, &schema), Ok(()), "{}", path.display());
        }
    }
}

#[test]
fn damaged_logs_do_not_conform_to_sarif() {
    let schema = sarif_schema();
    let is_valid = |log: &Value| conforms(log, &schema, &schema).is_ok();
    let (_, whole) =
        golden("sarif/tp").into_iter().find(|(_, log)| log.pointer(RESULT).is_some()).expect("a result");
    assert!(is_valid(&whole));
    for (pointer, value) in [
        ("/version", Value::from("2.0.0")),
        ("/runs/0/results/0/level", Value::from("fatal")),
        ("/runs/0/results/0/message", Value::from("a race")),
        ("/runs/0/results/0/occurrenceCount", Value::from(0)),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", Value::from(0)),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", Value::from("a b.c")),
        ("/runs/0/tool/driver", serde_json::json!({ "name": "x", "colour": "red" })),
    ] {
        let mut log = whole.clone();
        *log.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        assert!(!is_valid(&log), "conforms with another {pointer}");
    }
}

const RESULT: &str = "/runs/0/results/0/locations/0";
