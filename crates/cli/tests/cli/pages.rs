//! The book: its pages show what the commands print, and no command stands in it that nobody runs.

use crate::common::command::root;
use crate::transcript::{check_page, has_commands, unrun};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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

/// The pages of the book and the README.
fn all_pages() -> Vec<String> {
    let book = pages().into_iter().map(|page| format!("docs/{page}"));
    book.chain(["README.md".to_owned()]).collect()
}

/// Where tests check pages.
const CHECKS: [&str; 3] =
    [include_str!("pages.rs"), include_str!("../native/pages.rs"), include_str!("../rayon/pages.rs")];

#[test]
fn every_command_of_the_book_is_run() {
    // What takes hours or another machine: the page says what each command takes.
    let measured = "docs/BENCHMARKS.md";
    for page in all_pages() {
        let unrun = if page == measured { Vec::new() } else { unrun(&page) };
        assert!(unrun.is_empty(), "{page}: commands that nobody runs, at lines {unrun:?}");
        let is_checked = CHECKS.iter().any(|checks| checks.contains(&format!("(\"{page}\"")));
        assert_eq!(is_checked, has_commands(&page), "{page}: a test runs its commands, if it has some");
    }
}

/// The headings of a page as links name them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut in_code = false;
    let is_heading = |line: &&str| {
        in_code ^= line.starts_with("```");
        !in_code && line.starts_with('#')
    };
    let anchor = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    text.lines().filter(is_heading).map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let read =
        |page: &Path| fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let mut wrong = Vec::new();
    for page in all_pages().into_iter().chain(["ARCHITECTURE.md".into(), "CONTRIBUTING.md".into()]) {
        let path = root().join(&page);
        let text = read(&path);
        // Code may have brackets and parentheses of its own.
        let outside: String = text.split("```").step_by(2).collect();
        for link in outside.split("](").skip(1).filter_map(|rest| rest.split([')', '\n']).next()) {
            if link.contains("://") || link.contains(' ') || link.is_empty() {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let to = if file.is_empty() { path.clone() } else { path.with_file_name("").join(file) };
            let leads = to.exists() && (anchor.is_empty() || anchors(&read(&to)).contains(anchor));
            if !leads {
                wrong.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}

#[test]
fn a_heading_is_named_as_links_name_it() {
    let text = "# A page\n```sh\n# no heading\n```\n## `verify`, and why: a_b-c\n";
    assert_eq!(Vec::from_iter(anchors(text)), ["a-page", "verify-and-why-a_b-c"]);
}
