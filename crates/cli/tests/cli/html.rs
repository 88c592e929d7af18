//! The HTML page as text: the data in it, and that nothing of the data is markup. `html_page.rs`
//! looks at it in a browser.

use crate::common;

use common::command::{corpus, raceproof, root, run};
use common::{golden, native, sample};
use raceproof_core::event::AccessKind;
use raceproof_report::html::{self, Extras};
use raceproof_report::playback::{Action, Of, Op, Playback};
use serde_json::Value;

/// The page that `check` writes for a program of the corpus.
pub(crate) fn page_of(program: &str, options: &[&str]) -> String {
    let file = corpus(program);
    let done =
        run(raceproof().args(["check", "--format", "html"]).args(options).arg(file).current_dir(root()));
    assert!(matches!(done.status, Some(0 | 1)), "{done:?}");
    done.stdout
}

/// What an element of the page has in it.
fn element(page: &str, id: &str) -> Option<Value> {
    let (_, rest) = page.split_once(&format!("<script type=\"application/json\" id=\"{id}\">"))?;
    let (text, _) = rest.split_once("</script>")?;
    Some(serde_json::from_str(text).unwrap_or_else(|error| panic!("{id}: {error}")))
}

/// All of the page's data, without what differs from run to run and from release to release.
fn embedded(page: &str) -> String {
    let mut data = element(page, "data").expect("every page has data");
    data["report"]["measured"] = Value::Null;
    data["report"]["version"] = Value::Null;
    let effort = data["summary"]["effort"].as_str().expect("the effort is said").to_owned();
    data["summary"]["effort"] = effort.rsplit_once(", ").expect("seconds come last").0.into();
    // The program is its own golden file.
    for chunks in data["sources"].as_object_mut().expect("sources by file").values_mut() {
        for chunk in chunks.as_array_mut().expect("pieces of a file") {
            chunk["lines"] = chunk["lines"].as_array().expect("lines").len().into();
        }
    }
    let mut all = serde_json::Map::from_iter([("data".to_owned(), data)]);
    for number in 0.. {
        let Some(playback) = element(page, &format!("playback-{number}")) else { break };
        all.insert(format!("playback-{number}"), playback);
    }
    if let Some(graph) = element(page, "graph") {
        let count = |name: &str| Value::from(graph[name].as_array().map(Vec::len));
        let counts = ["tasks", "nodes", "edges"].map(|name| (name.to_owned(), count(name)));
        all.insert("graph".to_owned(), Value::Object(counts.into_iter().collect()));
    }
    let mut text = serde_json::to_string_pretty(&all).expect("JSON can be written");
    text.push('\n');
    text
}

#[test]
fn the_data_of_pages() {
    for (program, options) in [
        ("examples/bank_locks_racy.tp", &[][..]),
        ("examples/netzer_workq.tp", &[]),
        ("examples/deadlock_futures.tp", &[]),
        ("examples/error_assert.tp", &[]),
        ("examples/pipeline_promises.tp", &[]),
        ("examples/bank_locks.tp", &["--determinism"]),
    ] {
        let name = program.trim_start_matches("examples/").trim_end_matches(".tp");
        golden::check(&format!("html/{name}.json"), &embedded(&page_of(program, options)));
    }
}

#[test]
fn the_data_of_pages_about_native_programs() {
    for (name, report) in [("native_update", native::update()), ("native_freed", native::freed())] {
        let page = html::render(&report, &native::sources(), &Extras::default());
        golden::check(&format!("html/{name}.json"), &embedded(&page));
    }
}

/// Names that would be markup, script or the end of the data if they were not escaped.
pub(crate) const HOSTILE: [&str; 4] = [
    "</script><script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 2'>",
    "<!--<script>\"'&amp;${window.hit = 3}`",
    "\u{2028}\u{0}\\u003cb\\u003e",
];

/// A page whose every name is hostile.
pub(crate) fn hostile() -> String {
    let [location, task, file, function] = HOSTILE;
    let place = |line| raceproof_core::finding::Place { file: file.into(), line, column: 1 };
    let mut write = sample::access(AccessKind::Write, task, place(1));
    write.stack = vec![raceproof_core::finding::Frame { function: function.into(), call: place(2) }];
    write.spawned = vec![sample::spawned(task, place(2))];
    write.locks = vec![location.into()];
    let mut race = sample::race(location, write, sample::access(AccessKind::Read, "main", place(2)));
    race.witness = sample::schedule(&[("main", 1)]);
    let mut report = sample::report(vec![race]);
    report.limits = vec![location.into()];
    report.next_command = Some(location.into());
    report.detector = function.into();
    let mut sources = sample::sources("");
    sources.insert(file, &format!("{location}\n{task}\n"));
    let action = Action {
        location: Some(location.into()),
        value: Some(task.into()),
        ..Action::new(Op::Write, location, Some(place(1)))
    };
    let playback = Playback {
        of: Of::Race(0),
        tasks: vec![task.into()],
        left_out: 0,
        before: Vec::new(),
        actions: vec![action.clone(), action],
        racing: Some([0, 1]),
    };
    let graph = serde_json::json!({
        "tool": "raceproof", "version": "", "schema": 1, "complete": true,
        "tasks": [{ "id": 0, "task": task, "parent": null, "spawned": null, "first": 0, "last": 0, "ended": true }],
        "nodes": [{ "id": 0, "kind": "step", "task": task, "task_id": 0, "sync": null, "section": null, "racy": true,
                    "accesses": [{ "access": "write", "location": location, "file": file, "line": 1, "column": 1, "label": task }] }],
        "edges": [],
    });
    let extras = Extras {
        graph: Some(graph.to_string()),
        graph_note: Some(location.into()),
        playbacks: vec![playback],
        playback_note: Some(location.into()),
    };
    html::render(&report, &sources, &extras)
}

#[test]
fn names_of_the_program_are_no_markup() {
    let page = hostile();
    let harmless = html::render(&sample::report(vec![]), &sample::sources(""), &Extras::default());
    let tags = |page: &str| page.matches("<script").count();
    // One element more for the playback and one for the graph.
    assert_eq!(tags(&page), tags(&harmless) + 2);
    assert!(!page.contains("<img") && !page.contains("window.hit = 1</script>"), "{page}");
    let data = element(&page, "data").expect("the data ends where it should");
    assert_eq!(data["report"]["races"][0]["location"], HOSTILE[0]);
    assert_eq!(data["report"]["races"][0]["first"]["stack"][0]["function"], HOSTILE[3]);
    assert_eq!(element(&page, "playback-0").expect("a playback")["tasks"][0], HOSTILE[1]);
    assert_eq!(element(&page, "graph").expect("a graph")["nodes"][0]["accesses"][0]["file"], HOSTILE[2]);
}

#[test]
fn a_page_may_load_nothing() {
    let page = page_of("examples/bank_locks_racy.tp", &[]);
    assert!(page.contains(
        "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"
    ));
    for loading in ["<link", "<iframe", "src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "import("]
    {
        let (shell, _) = page.split_once("<script type=\"application/json\"").expect("data in the page");
        let script = page.rsplit_once("\"use strict\";").expect("a script in the page").1;
        assert!(!shell.contains(loading) && !script.contains(loading), "{loading} in the page");
    }
}
