//! The published schemas of the JSON outputs (`docs/schema`): they are current, golden outputs conform to them, and
//! docs/JSON.md describes each of their fields.
//!
//! `BLESS=1 cargo test -p raceproof-report` writes them.

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
    let outputs = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    outputs.map(|path| (path.clone(), parsed(&read(&path)))).collect()
}

/// Whether a value conforms to a schema with definitions in `root`; the error says why not.
///
/// By hand and not by the crate `jsonschema`, which brings 64 crates to compile. It knows
/// the keywords that `schemars` writes for our types, and panics at any other.
fn conforms(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let Value::Object(keywords) = schema else {
        assert_eq!(schema, &Value::Bool(true), "a schema is an object or `true`");
        return Ok(());
    };
    for (keyword, rule) in keywords {
        let holds = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" => true,
            "format" => ["uint32", "uint64", "uint", "double"].iter().any(|known| rule == known),
            "$ref" => {
                let name = rule.as_str().and_then(|name| name.strip_prefix('#')).expect("a local name");
                conforms(value, root.pointer(name).expect("a definition"), root)?;
                true
            }
            "type" => match rule {
                Value::Array(types) => types.iter().any(|kind| is_of_type(value, kind)),
                kind => is_of_type(value, kind),
            },
            "const" => value == rule,
            "enum" => rule.as_array().expect("values").contains(value),
            // Of numbers only, as the standard has it.
            "minimum" => value.as_f64().is_none_or(|number| Some(number) >= rule.as_f64()),
            "required" => {
                let names = rule.as_array().expect("names").iter().filter_map(Value::as_str);
                let missing: Vec<&str> = names.filter(|name| value.get(name).is_none()).collect();
                if !missing.is_empty() {
                    return Err(format!("without {missing:?}: {value}"));
                }
                true
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("properties") {
                    value.get(name).map_or(Ok(()), |field| conforms(field, rule, root))?;
                }
                true
            }
            "items" => {
                let mut items = value.as_array().into_iter().flatten();
                items.try_for_each(|item| conforms(item, rule, root))?;
                true
            }
            "anyOf" | "oneOf" => {
                let rules = rule.as_array().expect("schemas").iter();
                let count = rules.filter(|rule| conforms(value, rule, root).is_ok()).count();
                if keyword == "oneOf" { count == 1 } else { count > 0 }
            }
            "allOf" => {
                let mut rules = rule.as_array().expect("schemas").iter();
                rules.try_for_each(|rule| conforms(value, rule, root))?;
                true
            }
            _ => panic!("the keyword {keyword} is not known here"),
        };
        if !holds {
            return Err(format!("not {keyword} {rule}: {value}"));
        }
    }
    Ok(())
}

fn is_of_type(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known here"),
    }
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
