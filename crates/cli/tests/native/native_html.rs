//! Pages of C programs in a real browser, and what they play: the threads and the cell that a
//! witness brings together.

use crate::browser::browser;
use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within, root};
use common::page;
use native::toolchain::{compile, tool};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, time};

/// The first program of the README.
fn sum() -> String {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, after) = readme.split_once("```c file=sum.c\n").expect("the README has a program in C");
    after.split_once("```").expect("the block ends").0.to_owned()
}

fn built(folder: &Folder, name: &str, text: &str) -> PathBuf {
    let source = folder.write(name, text);
    let program = source.with_extension("out");
    compile(&source, "-O1", &["-g".into()], &program).unwrap_or_else(|wrong| panic!("{wrong}"));
    program
}

fn judged(words: &[&str], program: &Path) -> Done {
    let mut command = tool();
    command.current_dir(program.parent().unwrap()).args(words).arg("--").arg(program);
    finish_within(&mut command, Duration::from_secs(120)).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn pages(words: &[&str], program: &Path) -> String {
    judged(&[words, &["--format", "html"]].concat(), program).expect_status(1).stdout
}

/// The two accesses at the end of a playback.
fn racing(playback: &Value) -> [&Value; 2] {
    [0, 1].map(|side| {
        let at =
            playback["racing"][side].as_u64().unwrap_or_else(|| panic!("no race at the end: {playback}"));
        &playback["actions"][at as usize]
    })
}

/// Opens a page, and goes from the race to its graph and to the end of its witness.
fn is_usable(name: &str, html: &str) {
    let browser = browser();
    let mut tab = browser.open(html);
    tab.keys(&["l", "Home"]);
    assert!(tab.text("article h2").starts_with("R Data race on"), "{}", tab.text("article h2"));
    tab.wait_for("document.querySelector('.graph .badge') && document.querySelector('.player .position')");
    let badges =
        "[...document.querySelectorAll('.graph .badge text')].map((text) => text.textContent).sort()";
    assert_eq!(tab.eval(badges), json!(["A", "B", "F"]), "{name}");
    tab.click(".player [aria-label^=Forward]");
    assert!(tab.text(".player .position").starts_with("1 of"));
    tab.click(".player [aria-label^=Last]");
    let position = tab.text(".player .position");
    assert!(position.split_once(" of ").is_some_and(|(done, all)| done == all), "{position}");
    assert_eq!([tab.count(".action.racing.side-A"), tab.count(".action.racing.side-B")], [1, 1]);
    // The graph is below the fold.
    tab.resize(1300, 2200);
    tab.click(".toolbar [aria-label^='Fit']");
    tab.screenshot(&format!("native-{name}"));
    tab.is_clean();
}

/// The report names two iterations of a worksharing loop, which one thread may have executed in the
/// run; the witness has two threads meet.
#[test]
fn the_page_of_a_loop_shows_the_threads_that_meet() {
    let folder = Folder::new("page-of-a-loop");
    let html = pages(&["run", "--threads", "4"], &built(&folder, "sum.c", &sum()));
    let data = page::embedded(&html, "data");
    let race = &data["report"]["races"][0];
    assert!(race["first"]["task"].as_str().is_some_and(|task| task.contains(", iteration ")), "{race}");
    let playbacks = page::playbacks(&html);
    let playback = &playbacks[0];
    let threads =
        racing(playback).map(|action| playback["tasks"][action["task"].as_u64().unwrap() as usize].clone());
    assert_ne!(threads[0], threads[1], "{playback}");
    let graph = page::embedded(&html, "graph");
    let tasks: BTreeSet<&str> =
        graph["tasks"].as_array().unwrap().iter().filter_map(|task| task["task"].as_str()).collect();
    for thread in &threads {
        let thread = thread.as_str().unwrap();
        assert!(tasks.contains(thread), "{thread} is none of {tasks:?}");
        let actions = playback["actions"].as_array().unwrap().iter();
        let own =
            actions.filter(|action| playback["tasks"][action["task"].as_u64().unwrap() as usize] == *thread);
        assert!(own.count() > 0);
    }
    is_usable("run", &html);
}

#[test]
fn the_page_of_a_search_is_usable() {
    let folder = Folder::new("page-of-a-search");
    // As many iterations as threads, each in a section and out of it.
    let body = "    {\n#pragma omp critical\n      sum += i;\n      sum -= 1;\n    }";
    let text = sum().replace("i <= 100", "i <= 2").replace("    sum += i;", body);
    is_usable("verify", &pages(&["verify", "--threads", "2"], &built(&folder, "locked.c", &text)));
}

/// One function writes what two pairs of tasks share: the same line, another cell.
const TWO_CELLS: &str = "\
int x, y;
__attribute__((always_inline)) static inline void set(int *cell) { *cell = 1; }
int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    set(&x);
#pragma omp task
    set(&x);
#pragma omp taskwait
#pragma omp task
    set(&y);
#pragma omp task
    set(&y);
  }
}
";

#[test]
fn a_witness_is_of_the_cell_that_the_race_is_on() {
    let folder = Folder::new("two-cells");
    let html = pages(&["run", "--threads", "2"], &built(&folder, "cells.c", TWO_CELLS));
    let races = page::embedded(&html, "data")["report"]["races"].clone();
    let mut cells: Vec<&str> =
        races.as_array().unwrap().iter().filter_map(|race| race["location"].as_str()).collect();
    cells.sort_unstable();
    assert_eq!(cells, ["x", "y"], "{races}");
    for playback in page::playbacks(&html) {
        let race = &races[playback["race"].as_u64().unwrap() as usize];
        for action in racing(&playback) {
            assert_eq!(action["location"], race["location"], "{playback}");
        }
    }
    assert_eq!(page::playbacks(&html).len(), 2);
}

/// A checkout is newer than a program that was built elsewhere. The line table has a sum of each
/// file, by which the source is known to be the same; ids are the same even if it has changed a
/// little.
#[test]
fn a_touched_source_is_shown_and_an_edited_one_keeps_its_ids() {
    let folder = Folder::new("touched");
    let program = built(&folder, "sum.c", &sum());
    let id =
        |text: &str| text.lines().next().and_then(|line| line.rsplit_once('[')).expect("an id").1.to_owned();
    let fresh = judged(&["run"], &program).expect_status(1).stdout;
    let old = time::SystemTime::now() - Duration::from_secs(86_400);
    fs::File::options().append(true).open(&program).unwrap().set_modified(old).unwrap();
    let touched = judged(&["run"], &program).expect_status(1).stdout;
    assert!(touched.contains("7 |     sum += i;") && !touched.contains("has changed since"), "{touched}");
    assert_eq!(id(&touched), id(&fresh));
    folder.write("sum.c", sum() + "// the end\n");
    let edited = judged(&["run"], &program).expect_status(1).stdout;
    assert!(!edited.contains("7 |") && edited.contains("sources: sum.c has changed since"), "{edited}");
    assert_eq!(id(&edited), id(&fresh));
}

/// Columns of compilers are bytes; what is marked are characters.
#[test]
fn the_mark_is_right_behind_letters_of_several_bytes() {
    let folder = Folder::new("letters");
    let text = "int z;\nint main(void) {\n#pragma omp parallel\n/* Zähler: größer */ z = 1;\n}\n";
    let program = built(&folder, "letters.c", text);
    let told = judged(&["run", "--threads", "2"], &program).expect_status(1).stdout;
    let mut lines = told.lines().skip_while(|line| !line.starts_with("  4 | "));
    let (line, mark) = (lines.next().expect("an excerpt"), lines.next().expect("a mark"));
    let at = mark.chars().position(|c| c == '^').expect("a mark");
    assert_eq!(line.chars().nth(at), Some('='), "{told}");
    let html = pages(&["run", "--threads", "2"], &program);
    let browser = browser();
    let mut tab = browser.open(&html);
    assert_eq!(tab.text(".access.side-A mark.side-A"), "=");
    let sarif = judged(&["run", "--threads", "2", "--format", "sarif"], &program).expect_status(1).stdout;
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["snippet"]["text"], &region["startColumn"]), (&json!("="), &json!(24)));
}
