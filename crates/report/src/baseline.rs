//! Baselines: the findings that a project knows of and lives with for now. Only new ones fail.
//!
//! A baseline is a report in JSON, or a list that `--write-baseline` wrote: a line for each cause,
//! which begins with its id. What follows the id is for people, and `#` begins a comment.
//!
//! [`compare`] says what is new, known and gone, of a report and a baseline or of two reports.

use crate::listed::{Listed, list};
use raceproof_core::finding::{self, Report, Verdict};
use rustc_hash::FxHashSet;
use serde_json::Value;

/// The ids that a project knows, with what each was, in the order of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Baseline {
    known: Vec<(String, String)>,
}

impl Baseline {
    /// Reads one from the text of a file; the error says where it is wrong.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim_start().starts_with('{') {
            let report = read_report(text)?;
            return Ok(Baseline::of(&report));
        }
        let mut known = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (id, what) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if !is_id(id) {
                return Err(format!(
                    "line {}: expected the id of a finding, 10 hexadecimal digits, found {id:?}; a baseline is a report in \
                     JSON or a file that --write-baseline wrote",
                    number + 1
                ));
            }
            known.push((id.to_owned(), what.trim().to_owned()));
        }
        Ok(Baseline { known })
    }

    /// All that a report has found.
    pub fn of(report: &Report) -> Baseline {
        let plain = |file: &str| file.to_owned();
        let known =
            list(report).iter().map(|finding| (finding.id.to_owned(), finding.line(&plain))).collect();
        Baseline { known }
    }

    /// As a file; `name` shortens the names of files.
    pub fn render(findings: &[Listed<'_>], name: &dyn Fn(&str) -> String) -> String {
        Baseline::render_lines(findings.iter().map(|finding| (finding.id.to_owned(), finding.line(name))))
    }

    /// As a file, of ids and what each is.
    pub fn render_lines(known: impl IntoIterator<Item = (String, String)>) -> String {
        let mut text = HEADER.to_owned();
        let mut lines: Vec<(String, String)> = known.into_iter().collect();
        // Sorted by what they are, so that a change of the file is a change of the findings.
        lines.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
        lines.dedup();
        for (id, what) in lines {
            text += &format!("{id}  {what}\n");
        }
        text
    }

    /// What an id was, where that is known.
    pub fn what(&self, id: &str) -> Option<&str> {
        self.known.iter().find(|(known, _)| known == id).map(|(_, what)| what.as_str())
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|(id, _)| id.as_str())
    }

    /// The same, with what it was.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.known.iter().map(|(id, what)| (id.as_str(), what.as_str()))
    }
}

const HEADER: &str = "\
# Findings of raceproof that are known: they do not make it fail (--baseline).
# A line is an id, and what it names. Written by --write-baseline.
";

fn is_id(word: &str) -> bool {
    word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A report in JSON, with what is wrong if it is none.
pub fn read_report(text: &str) -> Result<Report, String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("{}:{}: expected JSON: {error}", error.line(), error.column()))?;
    if value.get("tool").is_none_or(|tool| tool != Report::TOOL) || value.get("verdict").is_none() {
        return Err("expected a report of raceproof, as `--format json` writes it".to_owned());
    }
    let report: Report = serde_json::from_value(value)
        .map_err(|error| format!("not a report of this version of raceproof: {error}"))?;
    let without = list(&report).iter().any(|finding| finding.id.is_empty());
    if without {
        return Err("its findings have no ids: an older version of raceproof wrote it; write it again".into());
    }
    Ok(report)
}

/// What is new, known and gone.
pub fn compare<'a>(found: &[Listed<'_>], before: impl Iterator<Item = &'a str>) -> finding::Baseline {
    let before: Vec<&str> = before.collect();
    let listed: FxHashSet<&str> = before.iter().copied().collect();
    let (known, new): (Vec<&Listed<'_>>, Vec<&Listed<'_>>) =
        found.iter().partition(|finding| listed.contains(finding.id));
    let ids = |findings: Vec<&Listed<'_>>| findings.iter().map(|finding| finding.id.to_owned()).collect();
    // Each once, in the order of the baseline.
    let mut there: FxHashSet<&str> = found.iter().map(|finding| finding.id).collect();
    let gone = before.into_iter().filter(|id| there.insert(id)).map(str::to_owned).collect();
    finding::Baseline { new: ids(new), known: ids(known), gone }
}

/// The findings of a report that its baseline does not know, in a report of their own: what people
/// are shown. The known ones are counted as suppressed are, so that no claim covers them.
pub fn new_only(report: &Report) -> Report {
    let mut shown = report.clone();
    let Some(baseline) = &report.baseline else { return shown };
    let known: FxHashSet<&str> = baseline.known.iter().map(String::as_str).collect();
    let is_known = |id: &str| known.contains(id);
    let mut place = Vec::with_capacity(shown.races.len());
    let mut kept = 0u32;
    for race in &shown.races {
        let known = is_known(&race.id);
        place.push((!known).then_some(kept));
        kept += u32::from(!known);
    }
    shown.races.retain(|race| !is_known(&race.id));
    for race in &mut shown.races {
        race.artifact_of =
            race.artifact_of.iter().filter_map(|&at| place.get(at as usize).copied().flatten()).collect();
    }
    shown.deadlocks.retain(|deadlock| !is_known(&deadlock.id));
    shown.errors.retain(|error| !is_known(&error.id));
    shown.general_races.retain(|race| !is_known(&race.id));
    // An inconclusive report may list accesses that nothing orders.
    if !baseline.known.is_empty() && shown.verdict != Verdict::Inconclusive {
        shown.determinate = None;
        shown.verdict = Report::judge(&shown.races, &shown.errors, &shown.deadlocks, &shown.limits);
    }
    shown
}

/// The lines of a text report about its baseline; `what` says what a finding was that is gone.
pub fn notes(baseline: &finding::Baseline, what: &dyn Fn(&str) -> Option<String>) -> String {
    let named = |ids: &[String]| {
        let names = ids.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = ids.len().saturating_sub(NAMED);
        if more > 0 { format!("{names} and {more} more") } else { names }
    };
    let mut text = String::new();
    match baseline.known.len() {
        0 => {}
        1 => {
            text += &format!("baseline: 1 finding is known and does not count: {}\n", named(&baseline.known))
        }
        n => {
            text +=
                &format!("baseline: {n} findings are known and do not count: {}\n", named(&baseline.known))
        }
    }
    for id in baseline.gone.iter().take(NAMED) {
        let what =
            what(id).filter(|what| !what.is_empty()).map(|what| format!(" ({what})")).unwrap_or_default();
        text += &format!("baseline: {id} is not found any more{what}; --write-baseline drops it\n");
    }
    if let Some(more @ 1..) = baseline.gone.len().checked_sub(NAMED) {
        text += &format!("baseline: {more} more are not found any more\n");
    }
    text
}

/// Ids named before "and N more".
const NAMED: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_survives_being_written_and_read() {
        let lines = [("b25a926475", "data race on x: a.c:3"), ("00000000ff", "deadlock of 2 tasks")];
        let text = Baseline::render_lines(lines.map(|(id, what)| (id.to_owned(), what.to_owned())));
        let read = Baseline::parse(&text).unwrap();
        assert_eq!(read.ids().collect::<Vec<_>>(), ["b25a926475", "00000000ff"]);
        assert_eq!(read.what("00000000ff"), Some("deadlock of 2 tasks"));
        assert_eq!(text, Baseline::render_lines(read.known));
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        for (text, wrong) in [
            ("# x\nrace:foo\n", "line 2: expected the id of a finding"),
            ("{", "1:1: expected JSON"),
            ("{}", "expected a report of raceproof"),
            ("{\"tool\": \"raceproof\", \"verdict\": 3}", "not a report of this version"),
        ] {
            let message = Baseline::parse(text).unwrap_err();
            assert!(message.starts_with(wrong), "{text}: {message}");
        }
        assert_eq!(Baseline::parse("").unwrap(), Baseline::default());
    }
}
