//! The witnesses of TP programs played back: in the page of `--format html` and by `replay --step`,
//! which tell the same.

use crate::common;

use common::command::{Done, Folder, corpus, raceproof, root, run, run_with_input};
use common::{golden, page};
use serde_json::Value;
use std::fmt::Write;

/// A command that finds something in a program, in a page and in JSON.
fn found(verb: &[&str], program: &str, format: &str) -> Done {
    let mut command = raceproof();
    command.current_dir(root()).args(verb).arg(corpus(program)).args(["--format", format]);
    run(&mut command).expect_status(1)
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("")
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// A playback, a line for each action.
fn shown(playback: &Value) -> String {
    let mut out = String::new();
    for of in ["race", "deadlock", "error"] {
        if let Some(number) = playback[of].as_u64() {
            let _ = writeln!(out, "{of} {number}, left out: {}", playback["left_out"].as_u64().unwrap_or(0));
        }
    }
    for value in playback["before"].as_array().into_iter().flatten() {
        let _ = writeln!(out, "  before: {} = {}", text(value, "location"), text(value, "value"));
    }
    let racing: Vec<usize> = playback["racing"].as_array().into_iter().flatten().map(index).collect();
    for (number, action) in playback["actions"].as_array().unwrap().iter().enumerate() {
        let task = playback["tasks"][index(&action["task"])].as_str().expect("the lane of a task");
        let mark = if racing.contains(&number) { "!" } else { " " };
        let counted = if action["counted"] == true { "" } else { " (uncounted)" };
        let at = match action["line"].as_u64() {
            Some(line) => format!(" at {line}:{}", action["column"]),
            None => String::new(),
        };
        let holds = match (&action["location"], &action["value"]) {
            (Value::String(location), Value::String(value)) => format!(" [{location} = {value}]"),
            (Value::String(location), _) => format!(" [{location}]"),
            _ => String::new(),
        };
        let line =
            format!("{mark} {task} {}{counted}: {}{at}{holds}", text(action, "op"), text(action, "text"));
        out += line.trim_end();
        out.push('\n');
    }
    out
}

/// Locks, promises, array elements, events, semaphores, a deadlock, an error.
const PROGRAMS: [(&[&str], &str); 8] = [
    (&["verify"], "bank_locks_racy"),
    (&["check"], "promise_array_racy"),
    (&["check"], "event_post_wait_racy"),
    (&["verify"], "semaphore_mutex_racy"),
    (&["check"], "fork_join_sum_racy"),
    (&["verify"], "deadlock_two_locks"),
    (&["check"], "deadlock_futures"),
    (&["check"], "error_second_set"),
];

#[test]
fn playbacks_of_corpus_programs() {
    for (verb, name) in PROGRAMS {
        let program = format!("examples/{name}.tp");
        let html = found(verb, &program, "html").stdout;
        let playbacks = page::playbacks(&html);
        assert!(!playbacks.is_empty(), "{name} has no playback");
        let told: String = playbacks.iter().map(shown).collect();
        golden::check(&format!("playback/{name}.txt"), &told);
    }
}

#[test]
fn a_replay_step_by_step_tells_what_the_page_plays() {
    let folder = Folder::new("step");
    for (verb, name) in PROGRAMS {
        let program = format!("examples/{name}.tp");
        let html = found(verb, &program, "html").stdout;
        let report = folder.write("report.json", found(verb, &program, "json").stdout);
        for (at, playback) in page::playbacks(&html).iter().enumerate() {
            let mut command = raceproof();
            command.current_dir(root()).arg("replay").arg(corpus(&program)).arg("--witness").arg(&report);
            let finding = (at + 1).to_string();
            let stepped = run(command.args(["--step", "--finding", &finding])).expect_status(1).stdout;
            if at == 0 {
                golden::check(&format!("playback/{name}.step.txt"), &stepped);
            }
            let lines: Vec<&str> = stepped.lines().take_while(|line| !line.is_empty()).collect();
            let racing: Vec<usize> = playback["racing"].as_array().into_iter().flatten().map(index).collect();
            let on_the_way = playback["actions"].as_array().unwrap().iter().enumerate();
            let on_the_way: Vec<&Value> = on_the_way
                .take_while(|(number, action)| {
                    !racing.contains(number) && !["stuck", "fail"].contains(&text(action, "op"))
                })
                .map(|(_, action)| action)
                .collect();
            assert_eq!(lines.len(), on_the_way.len(), "{name}: {stepped}");
            for (line, action) in lines.iter().zip(on_the_way) {
                let task = playback["tasks"][index(&action["task"])].as_str().unwrap();
                assert!(line.contains(task) && line.contains(text(action, "text")), "{name}: {line}");
            }
        }
    }
}

fn checked(program: &str) -> String {
    let mut command = raceproof();
    run_with_input(command.args(["check", "-", "--format", "html"]), program.as_bytes())
        .expect_status(1)
        .stdout
}

#[test]
fn of_a_long_witness_the_end_is_played() {
    let html = checked(
        "var x; var y;\nproc main() { y = 7; for i in 0..3000 { x = i; } async { y = y + 1; } y = x; }\n",
    );
    let playback = &page::playbacks(&html)[0];
    let actions = playback["actions"].as_array().unwrap();
    // What came between the accesses and after them is cut off at the end.
    assert!((1990..=2000).contains(&actions.len()), "{}", actions.len());
    assert!(playback["left_out"].as_u64().unwrap() > 1000, "{}", playback["left_out"]);
    let before: Vec<(&str, &str)> = playback["before"]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| (text(value, "location"), text(value, "value")))
        .collect();
    // The value that was written last before the part that is played.
    let first: u64 = text(&actions[0], "value").parse().unwrap();
    assert_eq!(before, [("x", (first - 1).to_string().as_str()), ("y", "7")]);
    let racing: Vec<usize> = playback["racing"].as_array().unwrap().iter().map(index).collect();
    assert!(racing.iter().all(|&at| text(&actions[at], "location") == "y"), "{racing:?}");
}

#[test]
fn of_many_findings_a_hundred_are_played() {
    let html = checked(
        "var a[130];\nproc main() { async { for i in 0..130 { a[i] = 1; } } for j in 0..130 { a[j] = 2; } }\n",
    );
    let data = page::embedded(&html, "data");
    assert_eq!(data["report"]["races"].as_array().unwrap().len(), 130);
    assert_eq!(page::playbacks(&html).len(), 100);
    let note = text(&data, "playback_note");
    assert!(note.starts_with("100 findings are played back, 30 more are not"), "{note}");
}

#[test]
fn a_finding_without_witness_and_a_clean_program_have_no_playback() {
    let mut command = raceproof();
    command.args(["check", "-", "--format", "html"]);
    let clean = "var x; proc main() { finish { async { x = 1; } } x = 2; }";
    let html = run_with_input(&mut command, clean.as_bytes()).expect_status(0).stdout;
    assert!(page::playbacks(&html).is_empty());
    assert_eq!(page::embedded(&html, "data")["playback_note"], Value::Null);
    let graph = page::embedded(&html, "graph");
    assert!(graph["complete"] == true && graph["tasks"].as_array().unwrap().len() == 2);
}

/// The graph of a page has the accesses of races, and few of the others.
#[test]
fn the_graph_of_a_page_is_small() {
    let html = checked(
        "var x; var a[1000];\nproc main() { async { for i in 0..1000 { a[i] = i; } x = 1; } x = 2; }\n",
    );
    let graph = page::embedded(&html, "graph");
    let nodes = graph["nodes"].as_array().unwrap();
    let large = nodes.iter().find(|node| node["accesses_left_out"].as_u64() > Some(0)).expect("a large step");
    let accesses = large["accesses"].as_array().unwrap();
    assert_eq!(accesses.len() as u64 + large["accesses_left_out"].as_u64().unwrap(), 1001);
    assert!(accesses.len() < 20 && accesses.iter().any(|access| access["location"] == "x"), "{accesses:?}");
    let many = "var x; proc main() { for i in 0..60000 { async { x = 1; } } }";
    let html = checked(many);
    assert!(!html.contains("id=\"graph\""));
    let note = page::embedded(&html, "data")["graph_note"].clone();
    assert!(note.as_str().unwrap().contains("steps, and a page shows at most 100000"), "{note}");
}
