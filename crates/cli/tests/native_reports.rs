//! Reports about native programs: the text, the JSON and back.

mod common;

use common::{golden, native, sample};
use raceproof_cli::report::{Style, json, text};
use raceproof_core::finding::Report;

fn all() -> [(&'static str, Report); 8] {
    [
        ("update", native::update()),
        ("nowait", native::nowait()),
        ("siblings", native::siblings()),
        ("spawner", native::spawner()),
        ("grandchild", native::grandchild()),
        ("half_atomic", native::half_atomic()),
        ("freed", native::freed()),
        ("half_locked", native::half_locked()),
    ]
}

#[test]
fn texts() {
    for (name, report) in all() {
        let text = text::render(&report, &native::sources(), Style::plain());
        golden::check(&format!("text/native/{name}.txt"), &text);
        for word in ["finish", "isolated", "spawned", "`get`"] {
            assert!(!text.contains(word), "{name} speaks of {word}, which is not OpenMP:\n{text}");
        }
    }
}

#[test]
fn a_report_survives_its_json() {
    let tp = [sample::spawner(), sample::locks(), sample::circle(), sample::fails()].map(|r| ("tp", r));
    for (name, report) in all().into_iter().chain(tp) {
        let text = json::render(&report);
        let back: Report = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        assert_eq!(back, report, "{name}");
        assert_eq!(json::render(&back), text, "{name}");
    }
}

#[test]
fn the_json_of_a_native_race() {
    golden::check("json/nowait.json", &json::render(&native::nowait()));
}
