//! What a program expects of the advice about its races, and the advice applied.
//!
//! Header lines, each a comment of its own:
//!
//! ```text
//! // advice: reduction atomic   the templates of all fixes of its report, and no others
//! // holds: critical            those whose condition is true of this program
//! // prints: 45                 what the race-free version prints
//! ```
#![allow(dead_code, unreachable_pub)] // each test crate uses its own part

use raceproof_core::finding::Report;
use raceproof_report::Sources;
use raceproof_report::advice::{Fix, Language, Template, apply, fixes};
use std::collections::BTreeSet;

/// How many races a program may have, one after the other.
pub const ROUNDS: usize = 8;

pub struct Wanted {
    pub advice: BTreeSet<String>,
    pub holds: BTreeSet<String>,
    pub prints: String,
}

/// The values of a header line, if it is there.
pub fn header(source: &str, key: &str) -> Option<String> {
    let start = format!("// {key}: ");
    source.lines().find_map(|line| line.strip_prefix(&start)).map(str::to_owned)
}

impl Wanted {
    pub fn read(source: &str) -> Result<Wanted, String> {
        let words = |key| {
            header(source, key)
                .map(|line| line.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>())
        };
        let advice = words("advice").ok_or("`// advice: TEMPLATES` expected")?;
        let known: BTreeSet<String> = Template::ALL.iter().map(|template| template.name()).collect();
        if let Some(unknown) = advice.difference(&known).next() {
            return Err(format!("`{unknown}` is no template"));
        }
        let holds = words("holds").unwrap_or_default();
        let prints = header(source, "prints").ok_or("`// prints: OUTPUT` expected")?;
        Ok(Wanted { advice, holds, prints })
    }

    /// Whether a fix has to give what the race-free version gives.
    pub fn is_right(&self, fix: &Fix) -> bool {
        fix.condition.is_none() || self.holds.contains(&fix.template.name())
    }
}

/// The fixes of all races of a report, without hints.
pub fn all_fixes(report: &Report, file: &str, source: &str) -> Vec<Fix> {
    let mut sources = Sources::new();
    sources.insert(file, source);
    let all = report.races.iter().flat_map(|race| fixes(race, &sources));
    all.filter(|fix| !fix.is_hint()).collect()
}

/// The source with the fix in it.
pub fn mended(fix: &Fix, file: &str, source: &str) -> Result<String, String> {
    assert!(fix.edits.iter().all(|edit| edit.file == file), "{fix:?}");
    let text = apply(source, file, &fix.edits).ok_or_else(|| format!("{fix:?} does not apply"))?;
    if text == source { Err(format!("{fix:?} changes nothing")) } else { Ok(text) }
}

/// The fix that whoever reads the report would take next.
pub fn next(fixes: &[Fix]) -> Option<&Fix> {
    fixes.iter().find(|fix| fix.condition.is_none()).or(fixes.first())
}

/// Fails unless every template of the language was applied.
pub fn assert_all_tried(language: Language, tried: &BTreeSet<Template>) {
    let all: BTreeSet<Template> =
        Template::ALL.into_iter().filter(|template| template.language() == Some(language)).collect();
    let never: Vec<_> = all.difference(tried).collect();
    assert!(never.is_empty(), "no program is mended by {never:?}: make them hints, or write one");
}
