//! `diff`: two reports of a program, or of two versions of it, compared by the ids of their causes.

pub(crate) mod command;

use raceproof_core::finding::{Baseline, Report};
use raceproof_report::baseline::compare;
use raceproof_report::json::pretty;
use raceproof_report::listed::{Listed, list};
use serde::Serialize;
use std::fmt::Write as _;

/// The answer in JSON; docs/CI.md describes it.
#[derive(Serialize)]
struct Answer {
    tool: &'static str,
    schema: u32,
    new: Vec<Entry>,
    gone: Vec<Entry>,
    still: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    id: String,
    rule: &'static str,
    level: &'static str,
    title: String,
    file: Option<String>,
    line: Option<u32>,
}

/// What is new, gone, and still there.
pub(crate) struct Difference<'a> {
    new: Vec<Listed<'a>>,
    gone: Vec<Listed<'a>>,
    still: Vec<Listed<'a>>,
}

impl<'a> Difference<'a> {
    pub(crate) fn between(before: &'a Report, after: &'a Report) -> Difference<'a> {
        let (old, found) = (list(before), list(after));
        let Baseline { new, gone, .. } = compare(&found, old.iter().map(|finding| finding.id));
        let (new, still) = found.into_iter().partition(|finding| new.iter().any(|id| id == finding.id));
        let gone = old.into_iter().filter(|finding| gone.iter().any(|id| id == finding.id)).collect();
        Difference { new, gone, still }
    }

    pub(crate) fn is_worse(&self) -> bool {
        !self.new.is_empty()
    }

    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        let plain = |file: &str| file.to_owned();
        for (word, findings) in [("new", &self.new), ("gone", &self.gone), ("still", &self.still)] {
            for finding in findings {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "{word:<5} {}  {}", finding.id, finding.line(&plain));
            }
        }
        let _ = writeln!(
            out,
            "{} new, {} gone, {} still there",
            self.new.len(),
            self.gone.len(),
            self.still.len()
        );
        out
    }

    pub(crate) fn json(&self) -> String {
        let entries = |findings: &[Listed<'_>]| findings.iter().map(entry).collect();
        pretty(&Answer {
            tool: Report::TOOL,
            schema: Report::SCHEMA,
            new: entries(&self.new),
            gone: entries(&self.gone),
            still: entries(&self.still),
        })
    }
}

fn entry(finding: &Listed<'_>) -> Entry {
    let at = finding.place();
    Entry {
        id: finding.id.to_owned(),
        rule: finding.rule().name(),
        level: finding.level().name(),
        title: finding.title(),
        file: at.map(|at| at.file.clone()),
        line: at.map(|at| at.line).filter(|line| *line > 0),
    }
}
