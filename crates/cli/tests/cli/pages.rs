//! The book: its pages show what the commands print, and no command stands in it that nobody runs.

use crate::common::command::root;
use crate::transcript::{check_page, unrun};
use std::fs;

#[test]
fn tp() {
    check_page("docs/TP.md", &[]);
}

#[test]
fn continuous_integration() {
    check_page("docs/CI.md", &[]);
}

#[test]
fn reports() {
    check_page("docs/REPORTS.md", &[]);
}

#[test]
fn traces() {
    check_page("docs/TRACE.md", &[]);
}

/// The pages of the book, as `docs/SUMMARY.md` lists them.
fn pages() -> Vec<String> {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the book has a summary");
    let links = summary.split("](").skip(1);
    links.map(|link| link.split(')').next().unwrap_or_default().to_owned()).collect()
}

/// Every page of `docs` is in the book, once, and every page of the book is there.
#[test]
fn the_book_has_every_page_once() {
    let mut listed = pages();
    listed.sort();
    let entries = fs::read_dir(root().join("docs")).expect("docs");
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut there: Vec<String> = names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md").collect();
    there.sort();
    assert_eq!(listed, there);
}

#[test]
fn every_command_of_the_book_is_run() {
    // What takes hours or another machine: the page says what each command takes.
    let measured = ["BENCHMARKS.md"];
    for page in pages().iter().filter(|page| !measured.contains(&page.as_str())) {
        let unrun = unrun(&format!("docs/{page}"));
        assert!(unrun.is_empty(), "docs/{page}: commands that nobody runs, at lines {unrun:?}");
    }
}
