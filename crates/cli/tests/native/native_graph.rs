//! `raceproof graph` of native programs and of traces, and what the page of `--format html` has of
//! a native program: its graph, and its witnesses played back.
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within, raceproof, root, run_with_input};
use common::{golden, page};
use native::toolchain::{compile, tool};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

fn run(command: &mut Command) -> Done {
    finish_within(command, PATIENCE).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Compiles a program of two threads.
fn built(source: &Path, folder: &Folder) -> PathBuf {
    let program = folder.path(&format!("{}.out", source.file_stem().unwrap().to_string_lossy()));
    compile(source, "-O1", &["-g".into()], &program).unwrap_or_else(|wrong| panic!("{wrong}"));
    program
}

fn graph(program: &Path, words: &[&str]) -> Done {
    let mut command = tool();
    command.current_dir(root().canonicalize().unwrap()).args(["graph", "--threads", "2"]).args(words);
    run(command.arg("--").arg(program))
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("")
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// A graph without what depends on the compiler: local variables, columns.
fn normalised(graph: &Value) -> String {
    let mut out = String::new();
    let mut into: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for edge in list(&graph["edges"]) {
        let from = format!("{} {}", text(edge, "kind"), edge["from"]);
        into.entry(number(&edge["to"])).or_default().push(from);
    }
    for node in list(&graph["nodes"]) {
        let task = &graph["tasks"][number(&node["task_id"])];
        let began = match task["spawned"]["line"].as_u64() {
            Some(line) if task["first"] == node["id"] => format!(", created at line {line}"),
            _ => String::new(),
        };
        let sync = match &node["sync"] {
            Value::Null => String::new(),
            sync => format!(", {} {}", text(sync, "op"), text(sync, "kind")),
        };
        let racy = if node["racy"] == true { ", racy" } else { "" };
        let _ =
            write!(out, "{} {} of {}{began}{sync}{racy}", node["id"], text(node, "kind"), text(node, "task"));
        let mut from = into.remove(&number(&node["id"])).unwrap_or_default();
        from.sort();
        let _ = writeln!(out, "{}{}", if from.is_empty() { "" } else { " <- " }, from.join(", "));
        let accesses: BTreeSet<String> = list(&node["accesses"])
            .iter()
            .filter(|access| text(access, "location") != "a local variable")
            .map(|access| {
                let atomic = if access["atomic"] == true { "atomic " } else { "" };
                let at = format!("{}:{}", text(access, "file"), access["line"]);
                format!("  {atomic}{} {} at {at}\n", text(access, "access"), text(access, "location"))
            })
            .collect();
        out.extend(accesses);
    }
    out
}

#[test]
fn graphs_of_corpus_programs() {
    let folder = Folder::new("native-graph");
    for name in [
        "task/taskwait_children_only_racy",
        "depend/depend_inout_chain_norace",
        "sync/atomic_plain_read_racy",
        "lock/lock_norace",
        "sync/barrier_norace",
    ] {
        let source = root().canonicalize().unwrap().join("programs/c").join(name).with_extension("c");
        let drawn = graph(&built(&source, &folder), &["--format", "json"]).expect_status(0);
        assert!(drawn.stderr.is_empty(), "{name}: {}", drawn.stderr);
        let drawn = parsed(&drawn.stdout);
        assert_eq!(drawn["complete"], true, "{name}");
        let racy = list(&drawn["nodes"]).iter().filter(|node| node["racy"] == true).count();
        assert_eq!(racy > 0, name.ends_with("_racy"), "{name}");
        golden::check(&format!("graph/native/{}.txt", name.replace('/', "-")), &normalised(&drawn));
    }
}

/// Of each pair of locations whether the accesses of the first come before those of the second; and
/// the locations in steps that race.
fn relation(graph: &Value) -> (BTreeMap<(String, String), bool>, BTreeSet<String>) {
    let nodes = list(&graph["nodes"]);
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); nodes.len()];
    // Edges stand in the order of the node they lead to, and lead to higher ones.
    for edge in list(&graph["edges"]) {
        let (from, to) = (number(&edge["from"]), number(&edge["to"]));
        let mut all = before[from].clone();
        all.insert(from);
        before[to].extend(all);
    }
    let mut at: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut racy = BTreeSet::new();
    for (id, node) in nodes.iter().enumerate() {
        for access in list(&node["accesses"]) {
            let name = text(access, "location");
            if name.len() == 1 {
                at.entry(name.to_owned()).or_default().push(id);
                racy.extend((node["racy"] == true).then(|| name.to_owned()));
            }
        }
    }
    let mut relation = BTreeMap::new();
    for (one, of_one) in &at {
        for (other, of_other) in &at {
            let all = of_one.iter().all(|a| of_other.iter().all(|b| a == b || before[*b].contains(a)));
            relation.insert((one.clone(), other.clone()), all);
        }
    }
    (relation, racy)
}

/// Each program twice, in TP and in C.
const TWINS: [(&str, &str); 4] = [
    (
        "var a; var b; var c; var d; var e;
         proc main() { a = 1; finish { async { b = a; } async { c = a; } d = 1; } e = b + c + d; }",
        "int a, b, c, d, e;
         int main(void) {
         #pragma omp parallel
         #pragma omp single
           { a = 1;
         #pragma omp taskgroup
             {
         #pragma omp task
               b = a;
         #pragma omp task
               c = a;
               d = 1; }
             e = b + c + d; }
           return 0; }",
    ),
    (
        "var x; var b; var c;
         proc main() { finish { async { b = 1; x = 1; } async { c = x; } } }",
        "int x, b, c;
         int main(void) {
         #pragma omp parallel
         #pragma omp single
           {
         #pragma omp task
             { b = 1; x = 1; }
         #pragma omp task
             c = x; }
           return 0; }",
    ),
    (
        "var a; var b; var c; var d; lock l;
         proc main() { finish {
           async { a = 1; with l { b = 1; } }
           async { with l { b = 2; } c = 1; } }
           d = 1; }",
        "int a, b, c, d;
         int main(void) {
         #pragma omp parallel
         #pragma omp single
           {
         #pragma omp taskgroup
             {
         #pragma omp task
               { a = 1;
         #pragma omp critical
                 b = 1; }
         #pragma omp task
               {
         #pragma omp critical
                 b = 2;
                 c = 1; } }
             d = 1; }
           return 0; }",
    ),
    (
        "var a; var b; var c; var d;
         proc main() { finish { let f = future { a = 1; }; let g = future { f.get(); b = a; };
           async { c = 1; } g.get(); d = b; } }",
        "int a, b, c, d;
         int main(void) {
         #pragma omp parallel
         #pragma omp single
           {
         #pragma omp task depend(out: a)
             a = 1;
         #pragma omp task depend(in: a) depend(out: b)
             b = a;
         #pragma omp task
             c = 1;
         #pragma omp task if(0) depend(in: b)
             d = b; }
           return 0; }",
    ),
];

#[test]
fn the_graph_of_a_program_is_that_of_its_twin_in_tp() {
    let folder = Folder::new("twins");
    for (number, (tp, c)) in TWINS.into_iter().enumerate() {
        let mut command = raceproof();
        command.args(["graph", "-", "--format", "json"]);
        let of_tp = parsed(&run_with_input(&mut command, tp.as_bytes()).expect_status(0).stdout);
        let source = folder.write(&format!("twin{number}.c"), c);
        let of_c = parsed(&graph(&built(&source, &folder), &["--format", "json"]).expect_status(0).stdout);
        let (tp_relation, tp_racy) = relation(&of_tp);
        assert!(tp_relation.values().any(|&before| before), "twin {number} orders nothing");
        assert_eq!((tp_relation, tp_racy), relation(&of_c), "twin {number}\n{}", normalised(&of_c));
    }
}

const RACY: &str = "\
#include <stdio.h>
int balance = 100, limit;
double rate = 0.5;
int main(void) {
  printf(\"hello\\n\");
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
#pragma omp critical
      balance += 10;
      rate = 2 * rate;
      limit = 1;
    }
#pragma omp task
    {
#pragma omp critical
      balance -= 5;
      limit = 2;
    }
  }
  return 0;
}
";

#[test]
fn every_format_and_a_trace_show_the_same_graph() {
    let folder = Folder::new("native-graph-formats");
    let program = built(&folder.write("racy.c", RACY), &folder);
    let dot = graph(&program, &[]).expect_status(0);
    assert!(dot.stdout.starts_with("digraph") && dot.stdout.contains("w limit"), "{}", dot.stdout);
    assert!(dot.stderr.contains("hello"), "what the program prints does not mix with the graph: {dot:?}");
    let svg = graph(&program, &["--format", "svg"]).expect_status(0);
    assert!(svg.stdout.starts_with("<svg") && svg.stdout.contains("limit"));
    let file = folder.path("g.json");
    let written = graph(&program, &["--format", "json", "-o", &file.display().to_string()]).expect_status(0);
    assert!(written.stdout.contains("hello"), "standard output is the program's then: {written:?}");
    let json = std::fs::read_to_string(&file).unwrap();
    let trace = folder.path("run.rpt");
    let mut recording = tool();
    recording.args(["run", "--threads", "2", "--trace"]).arg(&trace).arg("--").arg(&program);
    run(recording.current_dir(root().canonicalize().unwrap())).expect_status(1);
    let mut of_trace = tool();
    let of_trace = run(of_trace.args(["graph", "--format", "json"]).arg(&trace)).expect_status(0);
    assert_eq!(parsed(&of_trace.stdout), parsed(&json));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = Folder::new("native-graph-bad");
    let failed = |words: &[&str]| run(tool().arg("graph").args(words)).expect_status(2);
    failed(&[]).says("required");
    failed(&["--", "/nowhere/program"]).says("/nowhere/program is not there");
    failed(&["--", "/bin/true"]).says("was not built by raceproof");
    failed(&["/bin/true"]).says("was not built by raceproof");
    let tp = folder.write("f.tp", "var x; proc main() { x = 1; }");
    let tp = tp.display().to_string();
    failed(&[&tp, "--threads", "2"]).says("--threads is for native programs");
    failed(&[&tp, "--", "word"]).says("is no program that can be run");
    let trace = folder.path("f.rpt").display().to_string();
    run(tool().args(["trace", &tp, "-o", &trace])).expect_status(0);
    run(tool().args(["graph", &trace])).expect_status(0).says("the run has no task but main");
    let mut bytes = std::fs::read(&trace).unwrap();
    bytes.truncate(bytes.len() - 3);
    let cut = folder.write("cut.rpt", bytes).display().to_string();
    failed(&[&cut]).says("cut.rpt").says("raceproof trace --convert --recover");
    let empty = folder.write("empty.rpt", "").display().to_string();
    failed(&[&empty]).says("empty.rpt");
    let program = built(&folder.write("racy.c", RACY), &folder).display().to_string();
    failed(&["--max-events", "5", "--", &program]).says("--max-events is for TP programs");
    failed(&["-o", "/nowhere/g.dot", "--", &program]).says("/nowhere/g.dot");
}

#[test]
fn a_run_that_fails_or_is_ended_is_drawn_up_to_there() {
    let folder = Folder::new("native-graph-ends");
    let ends = |name: &str, last: &str| {
        let program = RACY.replace("return 0;", last).replace("<stdio.h>", "<stdio.h>\n#include <stdlib.h>");
        built(&folder.write(name, program), &folder)
    };
    let failing = graph(&ends("fails.c", "abort();"), &[]).expect_status(0);
    assert!(failing.stdout.contains("w limit"), "{failing:?}");
    failing.says("signal 6").says("the graph shows the run up to there");
    let endless = ends("endless.c", "for (volatile int i = 0;; i++) balance = i;");
    let ended = graph(&endless, &["--max-seconds", "1"]).expect_status(3);
    assert!(ended.stdout.contains("w limit"), "{ended:?}");
    ended.says("time limit").says("the graph shows the run up to there");
}

fn html(words: &[&str], program: &Path) -> String {
    let mut command = tool();
    command.current_dir(program.parent().unwrap()).args(words).args(["--format", "html", "--threads", "2"]);
    run(command.arg("--").arg(program)).expect_status(1).stdout
}

#[test]
fn a_page_plays_the_witness_of_a_native_program() {
    let folder = Folder::new("native-playback");
    let program = built(&folder.write("racy.c", RACY), &folder);
    let page = html(&["verify"], &program);
    let races = page::embedded(&page, "data")["report"]["races"].clone();
    let (at, race) = list(&races)
        .iter()
        .enumerate()
        .find(|(_, race)| race["location"] == "limit")
        .expect("the race on limit is found");
    let playback = page::playbacks(&page).into_iter().find(|playback| playback["race"] == at);
    let playback = playback.expect("it is played back");
    let actions = list(&playback["actions"]);
    let racing: Vec<&Value> = list(&playback["racing"]).iter().map(|at| &actions[number(at)]).collect();
    for (action, side) in racing.iter().zip(["first", "second"]) {
        let task = text(&race[side], "task");
        assert_eq!(playback["tasks"][number(&action["task"])], task);
        assert_eq!((&action["line"], text(action, "location")), (&race[side]["line"], "limit"));
        assert_eq!(action["op"], "write");
    }
    let values = |location: &str| -> Vec<&str> {
        actions.iter().filter(|of| of["location"] == location).map(|of| text(of, "value")).collect()
    };
    // One of the sections comes first; the other one may come before the race as well.
    assert!(["110", "95"].contains(values("balance").first().unwrap()), "{:?}", values("balance"));
    assert_eq!(values("rate"), ["1"], "a value of a floating-point type: {actions:?}");
    let before: Vec<String> = list(&playback["before"]).iter().map(ToString::to_string).collect();
    assert!(before.contains(&r#"{"location":"balance","value":"100"}"#.to_owned()), "{before:?}");
    let ops: BTreeSet<&str> = actions.iter().map(|action| text(action, "op")).collect();
    assert!(["acquire", "release", "spawn", "end", "write"].iter().all(|op| ops.contains(op)), "{ops:?}");
    let spawn = actions.iter().find(|action| text(action, "text") == "creates main/t0").expect("a thread");
    assert_eq!(spawn["line"], 6, "a thread is created by its region: {spawn}");
}

#[test]
fn a_page_of_one_run_has_the_graph() {
    let folder = Folder::new("native-run-page");
    let program = built(&folder.write("racy.c", RACY), &folder);
    let page = html(&["run"], &program);
    let data = page::embedded(&page, "data");
    let race = &list(&data["report"]["races"])[0];
    assert_eq!((&data["graph_note"], &data["playback_note"]), (&Value::Null, &Value::Null));
    let playbacks = page::playbacks(&page);
    let played: Vec<&Value> = playbacks.iter().map(|playback| &playback["race"]).collect();
    assert_eq!(played, [0]);
    let graph = page::embedded(&page, "graph");
    let racy = list(&graph["nodes"]).iter().filter(|node| node["racy"] == true);
    let tasks: BTreeSet<&str> = racy.map(|node| text(node, "task")).collect();
    let sides: BTreeSet<&str> = ["first", "second"].map(|side| text(&race[side], "task")).into();
    assert_eq!(tasks, sides, "the steps of the race are marked");
}

/// The witness needs another assignment of work to threads than that of the run.
#[test]
fn a_page_of_a_run_plays_a_witness_with_its_team() {
    let folder = Folder::new("native-team-page");
    let source = root().join("programs/c/sizes/single_after_master_racy.c");
    let program = built(&source, &folder);
    let page = html(&["run"], &program);
    let data = page::embedded(&page, "data");
    let race = &list(&data["report"]["races"])[0];
    assert_ne!(race["witness"]["team"]["assignment"], 0, "{race}");
    assert_eq!(data["playback_note"], Value::Null);
    let playbacks = page::playbacks(&page);
    let played: Vec<&Value> = playbacks.iter().map(|playback| &playback["race"]).collect();
    assert_eq!(played, [0]);
    let actions = list(&playbacks[0]["actions"]);
    let ops: Vec<&str> =
        list(&playbacks[0]["racing"]).iter().map(|at| text(&actions[number(at)], "op")).collect();
    assert_eq!(BTreeSet::from_iter(ops), BTreeSet::from(["read", "write"]));
}

/// A graph of a run that reads what cannot be read again would be that of another run.
#[test]
fn a_run_with_input_from_a_pipe_is_not_repeated_for_its_graph() {
    let folder = Folder::new("native-piped-page");
    let program = built(&folder.write("racy.c", RACY), &folder);
    let mut command = tool();
    command.args(["run", "--format", "html", "--"]).arg(&program);
    let page = run_with_input(&mut command, b"some input").expect_status(1).stdout;
    assert!(!page.contains("id=\"graph\""));
    let note = page::embedded(&page, "data")["graph_note"].clone();
    assert!(note.as_str().is_some_and(|note| note.contains("redirect it from a file")), "{note}");
}
