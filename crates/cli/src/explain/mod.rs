//! `explain`: one finding of a report, told in full; or a word of the reports, from the glossary.

pub(crate) mod command;
mod terms;

use raceproof_core::finding::Report;
use raceproof_report::listed::{Listed, list};
use strsim::jaro_winkler;

/// The report that is looked at unless another is named.
const REPORT: &str = "raceproof-report.json";

/// Ids that are named in an error.
const NAMED: usize = 5;

/// Whether a word can be an id or the beginning of one.
fn may_be_id(word: &str) -> bool {
    (4..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The finding that the beginning of an id names; the error names the nearest ones.
fn find<'a>(report: &'a Report, id: &str, file: &str) -> Result<Listed<'a>, String> {
    let id = id.to_ascii_lowercase();
    let mut all = list(report);
    let matching: Vec<usize> = (0..all.len()).filter(|&at| all[at].id.starts_with(&id)).collect();
    if let [only] = matching[..] {
        return Ok(all.swap_remove(only));
    }
    let plain = |file: &str| file.to_owned();
    let lines = |findings: &[&Listed<'_>]| -> String {
        findings
            .iter()
            .take(NAMED)
            .map(|finding| format!("\n  {}  {}", finding.id, finding.line(&plain)))
            .collect()
    };
    if !matching.is_empty() {
        let matching: Vec<&Listed<'_>> = matching.iter().map(|&at| &all[at]).collect();
        return Err(format!("{file} has several findings whose id begins with {id}:{}", lines(&matching)));
    }
    if all.is_empty() {
        return Err(format!("{file} has no findings"));
    }
    let mut near: Vec<&Listed<'_>> = all.iter().collect();
    near.sort_by(|a, b| jaro_winkler(b.id, &id).total_cmp(&jaro_winkler(a.id, &id)));
    Err(format!("{file} has no finding {id}; it has, the nearest first:{}", lines(&near)))
}
