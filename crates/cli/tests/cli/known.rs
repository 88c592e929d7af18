//! Living with findings: suppressions by id, baselines, `diff`, `explain`, the project file.

use crate::common;

use common::command::{Done, Folder, raceproof, root, run};
use common::golden;
use raceproof_cli::shared::project;
use serde_json::Value;
use std::path::Path;
use std::{env, fs};

const TWO_RACES: &str = "\
var x; var y;
proc main() {
  async { x = 1; }
  async { y = 1; }
  print(x + y);
}
";

/// The same with one race fixed, one new, and lines moved.
const CHANGED: &str = "\
var x; var y; var z;

// a comment
proc main() {
  finish { async { x = 1; } }
  async { y = 1; }
  async { z = 1; }
  print(x + y);
  z = 2;
}
";

/// A folder with the program, and the command in it.
struct Project(Folder);

impl Project {
    fn new(name: &str, program: &str) -> Project {
        let folder = Folder::new(name);
        folder.write("p.tp", program);
        Project(folder)
    }

    fn run(&self, words: &[&str]) -> Done {
        let place = self.0.path("p.tp");
        let folder = place.parent().expect("a folder");
        run(raceproof().current_dir(folder).args(words))
    }

    fn json(&self, file: &str) -> Value {
        self.run(&["check", "p.tp", "--format", "json", "-o", file]);
        serde_json::from_str(&fs::read_to_string(self.0.path(file)).expect("the report")).expect("JSON")
    }
}

fn ids(report: &Value) -> Vec<String> {
    let races = report["races"].as_array().expect("races").iter();
    races.map(|race| race["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn a_baseline_lets_only_new_findings_fail() {
    let project = Project::new("baseline", TWO_RACES);
    project.run(&["check", "p.tp"]).expect_status(1);
    project.run(&["check", "p.tp", "--write-baseline", "known.txt"]).expect_status(0);
    let written = fs::read_to_string(project.0.path("known.txt")).expect("the baseline");
    assert_eq!(written.lines().filter(|line| !line.starts_with('#')).count(), 2, "{written}");
    let same = project.run(&["check", "p.tp", "--baseline", "known.txt"]).expect_status(0);
    let same = same.says("2 findings are known and do not count");
    assert!(!same.stdout.contains("race 1"), "known findings are not told again: {}", same.stdout);
    // A claim about all races would be wrong.
    let same = same.said();
    assert!(same.contains("has a data race beside what is known"), "{same}");

    project.0.write("p.tp", CHANGED);
    let changed = project.run(&["check", "p.tp", "--baseline", "known.txt"]).expect_status(1);
    let changed = changed.says("1 finding is known").says("is not found any more (data race on x");
    assert!(changed.stdout.contains(" z") && !changed.stdout.contains("on y"), "{}", changed.stdout);

    // A report will do as well, and JSON keeps all findings.
    project.0.write("p.tp", TWO_RACES);
    let before = project.json("before.json");
    project.0.write("p.tp", CHANGED);
    let done =
        project.run(&["check", "p.tp", "--baseline", "before.json", "--format", "json"]).expect_status(1);
    let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
    let baseline = |list: &str| report["baseline"][list].as_array().expect("a list").len();
    assert_eq!((baseline("new"), baseline("known"), baseline("gone")), (1, 1, 1));
    assert_eq!(ids(&report).len(), 2);
    assert_eq!(report["verdict"], "race");
    let known = report["baseline"]["known"][0].as_str().expect("an id");
    assert!(ids(&before).iter().any(|id| id == known));
    // SARIF says which are known.
    let done =
        project.run(&["check", "p.tp", "--baseline", "before.json", "--format", "sarif"]).expect_status(1);
    let log = common::logs::check(&done.stdout, "with a baseline");
    let states: Vec<&str> = log["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .filter_map(|r| r["baselineState"].as_str())
        .collect();
    assert_eq!(states.iter().filter(|state| **state == "new").count(), 1, "{states:?}");
    assert_eq!(states.iter().filter(|state| **state == "unchanged").count(), 1, "{states:?}");
    assert_eq!(log.to_string().matches("\"external\"").count(), 1);
}

#[test]
fn bad_baselines_are_refused_before_anything_runs() {
    let project = Project::new("bad-baseline", "var x; proc main() { while (true) { x = x + 1; } }");
    project.0.write("list.txt", "# known\nrace:foo\n");
    project.0.write("broken.json", "{\"tool\": ");
    project.0.write("other.json", "{\"a\": 1}");
    for (file, wrong) in [
        ("missing.txt", "there is no baseline missing.txt; `--write-baseline missing.txt` writes one"),
        (
            "list.txt",
            "list.txt: line 2: expected the id of a finding, 10 hexadecimal digits, found \"race:foo\"",
        ),
        ("broken.json", "broken.json:1:9: expected JSON"),
        ("other.json", "other.json: expected a report of raceproof"),
    ] {
        project.run(&["check", "p.tp", "--baseline", file]).expect_status(2).says(wrong);
    }
    // Nothing half-written, and the old file stays.
    let read_only =
        project.run(&["check", "p.tp", "--write-baseline", "no/such/folder", "--max-events", "10"]);
    read_only.expect_status(2).says("cannot write no/such/folder");
}

#[test]
fn two_reports_are_compared() {
    let project = Project::new("diff", TWO_RACES);
    project.json("a.json");
    project.run(&["diff", "a.json", "a.json"]).expect_status(0).says("0 new, 0 gone, 2 still there");
    project.0.write("p.tp", CHANGED);
    project.json("b.json");
    let done = project.run(&["diff", "a.json", "b.json"]).expect_status(1);
    golden::check("diff/text.txt", &done.stdout);
    let done = project.run(&["diff", "a.json", "b.json", "--format", "json"]).expect_status(1);
    golden::check("diff/json.json", &done.stdout);
    project.run(&["diff", "b.json", "a.json"]).expect_status(1);
    project.run(&["diff", "a.json", "none.json"]).expect_status(2).says("cannot read none.json");
    project.0.write("c.json", "[]");
    project
        .run(&["diff", "a.json", "c.json"])
        .expect_status(2)
        .says("c.json: expected a report of raceproof");
    // A report of a version that had no ids.
    let old = fs::read_to_string(project.0.path("a.json")).expect("the report");
    let old: String =
        old.lines().filter(|line| !line.contains("\"id\":")).map(|line| format!("{line}\n")).collect();
    project.0.write("old.json", old);
    project
        .run(&["diff", "old.json", "a.json"])
        .expect_status(2)
        .says("an older version of raceproof wrote it");
}

#[test]
fn one_finding_is_explained() {
    for name in
        ["knapsack_racy", "bank_locks_racy", "deadlock_futures", "error_second_set", "matmul_rows_racy"]
    {
        let folder = Folder::new("explain");
        let file = folder.path("report.json");
        let program = format!("programs/tp/examples/{name}.tp");
        let mut check = raceproof();
        check.current_dir(root()).args(["check", &program, "--format", "json", "-o"]).arg(&file);
        run(&mut check).expect_status(1);
        let report: Value =
            serde_json::from_str(&fs::read_to_string(&file).expect("the report")).expect("JSON");
        let lists = ["races", "deadlocks", "errors"].into_iter().filter_map(|list| report[list].as_array());
        let id = lists.flatten().next().expect("a finding")["id"].as_str().expect("an id").to_owned();
        let done = run(raceproof().current_dir(root()).args(["explain", &id]).arg(&file)).expect_status(0);
        // Where the report is and how long it took differ.
        let text = done.stdout.replace(&file.display().to_string(), "REPORT.json");
        let steady: String = text
            .lines()
            .map(|line| if line.ends_with(" s") { "(effort)\n".into() } else { format!("{line}\n") })
            .collect();
        golden::check(&format!("explain/{name}.txt"), &steady);
        // What it says to type reproduces the finding.
        let replay =
            done.stdout.lines().find(|line| line.starts_with("  raceproof replay ")).map(str::to_owned);
        if let Some(line) = replay {
            let words: Vec<&str> = line.split_whitespace().skip(1).collect();
            run(raceproof().current_dir(root()).args(words)).expect_status(1).says("reproduced");
        }
        // The beginning of an id will do.
        run(raceproof().current_dir(root()).args(["explain", &id[..6]]).arg(&file)).expect_status(0);
    }
}

#[test]
fn what_cannot_be_explained_is_said_with_the_nearest() {
    let project = Project::new("explain-nothing", TWO_RACES);
    project.run(&["explain", "b25a926475"]).expect_status(2).says("there is no raceproof-report.json here");
    let report = project.json("raceproof-report.json");
    let id = &ids(&report)[0];
    project.run(&["explain", id]).expect_status(0).says(&format!("id:{id}"));
    let other = format!("{}ffff", &id[..6]);
    let done =
        project.run(&["explain", &other]).expect_status(2).says("has no finding").says("the nearest first");
    assert!(done.stderr.contains(id.as_str()), "{}", done.stderr);
    project.run(&["explain", "apparent"]).expect_status(0).says("synchronisation allows it");
    project.run(&["explain", "observed-schedule"]).expect_status(0).says("what the verdict covers");
    project.run(&["explain", "artefact"]).expect_status(2).says("did you mean `artifact`?");
}

#[test]
fn findings_are_suppressed_by_id() {
    let project = Project::new("suppress", TWO_RACES);
    let lines = project.run(&["check", "p.tp", "--print-suppressions"]).expect_status(1).stdout;
    let (_, lines) = lines.split_once("# Lines for --suppressions FILE").expect("the lines are printed");
    let lines: String = lines.lines().skip(1).map(|line| format!("{line}\n")).collect();
    project.0.write("all.txt", &lines);
    let done = project.run(&["check", "p.tp", "--suppressions", "all.txt"]).expect_status(0);
    done.says("has a data race beside what is suppressed");
    // One of them, and one that names nothing.
    let one = lines.lines().find(|line| line.starts_with("id:")).expect("an id");
    project.0.write("one.txt", format!("{one}\nrace:nothing_at_all\n"));
    let done = project.run(&["check", "p.tp", "--suppressions", "one.txt"]).expect_status(1);
    done.says("the suppression `race:nothing_at_all` (one.txt, line 2) names nothing that was found");
    // SARIF has it, as suppressed.
    let done =
        project.run(&["check", "p.tp", "--suppressions", "one.txt", "--format", "sarif"]).expect_status(1);
    let log = common::logs::check(&done.stdout, "with suppressions");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    assert_eq!(results.iter().filter(|result| result.get("suppressions").is_some()).count(), 1);
    assert!(log.to_string().contains("unused-suppression"));
    project.0.write("bad.txt", "rcae:x\n");
    project
        .run(&["check", "p.tp", "--suppressions", "bad.txt"])
        .expect_status(2)
        .says("bad.txt: line 1: `rcae:`");
    project.run(&["check", "p.tp", "--suppressions", "no.txt"]).expect_status(2).says("cannot read no.txt");
}

#[test]
fn the_project_file_has_options_and_suppressions() {
    let project = Project::new("project-file", TWO_RACES);
    let id = ids(&project.json("r.json"))[0].clone();
    let text = format!(
        "format = \"json\"\nthreads = [2, 4]\nstrict = true\nbaseline = \"known.txt\"\n\n[[suppress]]\nid = \"{id}\"\nreason = \"fine\"\n"
    );
    project.0.write("raceproof.toml", &text);
    project.run(&["check", "p.tp"]).expect_status(2).says("there is no baseline");
    project.run(&["check", "p.tp", "--write-baseline", "known.txt"]).expect_status(0);
    let done = project.run(&["check", "p.tp"]).expect_status(0);
    let report: Value = serde_json::from_str(&done.stdout).expect("the file asks for JSON");
    assert_eq!(report["suppressed"], 1);
    assert_eq!(report["baseline"]["known"].as_array().map(Vec::len), Some(1));
    // What the command line says comes first.
    let done = project.run(&["check", "p.tp", "--format", "text"]).expect_status(0);
    done.says("1 finding is known");
    project.0.write("none.txt", "");
    project.run(&["check", "p.tp", "--baseline", "none.txt"]).expect_status(1);
    // Options for native programs do not disturb others.
    project.run(&["verify", "p.tp", "--format", "json"]).expect_status(0);
    // From a folder below, and not from outside of the repository.
    fs::create_dir(project.0.path("below")).expect("a folder");
    let below = |words: &[&str]| run(raceproof().current_dir(project.0.path("below")).args(words));
    below(&["check", "../p.tp", "--format", "text"]).expect_status(1);
    fs::create_dir(project.0.path(".git")).expect("a folder");
    below(&["check", "../p.tp", "--format", "text"]).expect_status(0);
}

#[test]
fn mistakes_in_the_project_file_are_named() {
    let project = Project::new("bad-project-file", TWO_RACES);
    for (text, wrong) in [
        ("strict = true\nfromat = \"text\"\n", "raceproof.toml:2:1: unknown key `fromat`"),
        ("fromat = \"text\"\n", "did you mean `format`?"),
        ("format = \"text\n", "raceproof.toml:1:"),
        ("threads = 0\n", "threads: expected numbers from 1 on"),
        ("[[suppress]]\nreason = \"x\"\n", "raceproof.toml:1:1: expected one of `race`, `race-top` and `id`"),
    ] {
        project.0.write("raceproof.toml", text);
        project.run(&["check", "p.tp"]).expect_status(2).says(wrong);
    }
    // Commands that report nothing do not read it.
    project.run(&["explain", "grade"]).expect_status(0);
}

#[test]
fn the_schema_of_the_project_file_is_current() {
    let file = root().join("docs/schema/raceproof.toml.json");
    let current = project::schema();
    if env::var_os("BLESS").is_some_and(|value| !value.is_empty() && value != "0") {
        fs::write(&file, &current).expect("docs/schema can be written");
    }
    let published = fs::read_to_string(&file).unwrap_or_default();
    assert!(published == current, "{} is not current; run again with BLESS=1", file.display());
    let schema: Value = serde_json::from_str(&current).expect("JSON");
    let document = fs::read_to_string(root().join("docs/CI.md")).expect("docs/CI.md");
    let all = [&schema["properties"], &schema["$defs"]["Suppress"]["properties"]];
    let keys: Vec<&String> =
        all.into_iter().flat_map(|keys| keys.as_object().expect("keys").keys()).collect();
    assert!(keys.len() >= 9, "{keys:?}");
    for key in keys {
        assert!(document.contains(&format!("`{key}`")), "docs/CI.md does not describe `{key}`");
    }
    // The example of the document is a project file.
    let example = document.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    project::read(example.expect("an example")).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(Path::new(project::NAME).extension().is_some_and(|extension| extension == "toml"));
}
