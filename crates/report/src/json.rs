//! The JSON report, schema 1; docs/JSON.md documents every field.

use raceproof_core::finding::Report;
use serde::Serialize;

/// The whole report, pretty-printed, ending in a line break.
pub fn render(report: &Report) -> String {
    pretty(report)
}

/// What every JSON output of the tool looks like.
pub fn pretty(value: &impl Serialize) -> String {
    // Cannot fail: the types written here have string keys only and no serialiser of their own that
    // does.
    let mut text = serde_json::to_string_pretty(value).expect("plain data serialises");
    text.push('\n');
    text
}
