//! Suppressions: findings the user knows of and does not want to see.
//!
//! The file format is ThreadSanitizer's: lines of `race:PATTERN`, empty lines, and comments that
//! begin with `#`. A pattern is looked for anywhere in a name; `*` stands for anything, `^` at the
//! beginning and `$` at the end hold it there. It is compared with the functions and files of both
//! stacks and with the variable. `race_top:` looks at the innermost function and file of each side
//! only. Beyond ThreadSanitizer's, `id:ID` names one finding, of any kind, by the id that reports
//! give it ([`crate::cause`]).

use crate::listed::{Listed, What};
use raceproof_core::finding::{Object, Race, RaceAccess, Report};
use rustc_hash::{FxHashMap, FxHashSet};

/// What ThreadSanitizer has beside races, and what is no concern of ours.
const OTHERS: &[&str] = &["thread", "mutex", "signal", "deadlock", "called_from_lib"];

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suppressions {
    rules: Vec<Suppression>,
}

/// One line of the user's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    /// As a suppressions file has it: `race:^x$`.
    pub line: String,
    /// Where it stands: `line 3`, `known.txt, line 3`.
    pub place: String,
    /// Why, if the user said it.
    pub reason: Option<String>,
    test: Test,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Test {
    Names {
        /// Whether callers count.
        callers: bool,
        pattern: Pattern,
    },
    Id(String),
}

/// What suppressions took out of a report.
#[derive(Clone, PartialEq, Debug)]
pub struct Suppressed {
    /// The findings, in a report that has nothing else.
    pub report: Report,
    /// By id, the line that names the finding.
    pub by: FxHashMap<String, Suppression>,
    /// The lines that name nothing that was found.
    pub unused: Vec<Suppression>,
}

impl Default for Suppressed {
    fn default() -> Suppressed {
        Suppressed { report: Report::new(""), by: FxHashMap::default(), unused: Vec::new() }
    }
}

impl Suppressions {
    /// Reads them from the text of a file; the error names the line.
    pub fn parse(text: &str) -> Result<Suppressions, String> {
        let mut rules = Vec::new();
        // Some editors mark a text in UTF-8 by a first character that is none.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let place = format!("line {}", number + 1);
            let wrong = |what: String| {
                format!("{place}: {what}; expected `race:PATTERN`, `id:ID` or a comment that begins with `#`")
            };
            rules.extend(Suppression::parse(line, &place, None).map_err(wrong)?);
        }
        Ok(Suppressions { rules })
    }

    /// Adds one that stands elsewhere; the error says what is wrong with it.
    pub fn add(&mut self, line: &str, place: &str, reason: Option<String>) -> Result<(), String> {
        self.rules.extend(Suppression::parse(line, place, reason)?);
        Ok(())
    }

    /// Adds those of a file.
    pub fn extend(&mut self, file: &str, others: Suppressions) {
        let named = |rule: Suppression| Suppression { place: format!("{file}, {}", rule.place), ..rule };
        self.rules.extend(others.rules.into_iter().map(named));
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Takes the findings that are suppressed out of a report whose findings have their ids, counts
    /// those that the verdict goes by, and judges it anew.
    pub fn apply(&self, report: &mut Report) -> Suppressed {
        let mut out = Suppressed::default();
        let mut used = FxHashSet::default();
        let mut kept: FxHashMap<u32, u32> = FxHashMap::default();
        let mut races = Vec::with_capacity(report.races.len());
        for (index, race) in std::mem::take(&mut report.races).into_iter().enumerate() {
            match self.rules.iter().position(|rule| rule.covers(&race)) {
                None => {
                    kept.insert(index as u32, races.len() as u32);
                    races.push(race);
                }
                Some(rule) => {
                    used.insert(rule);
                    out.by.insert(race.id.clone(), self.rules[rule].clone());
                    out.report.races.push(race);
                }
            }
        }
        out.report.races.iter_mut().for_each(|race| race.artifact_of.clear());
        for race in &mut races {
            race.artifact_of = race.artifact_of.iter().filter_map(|cause| kept.get(cause).copied()).collect();
        }
        report.races = races;
        let mut take = |id: &str| {
            let rule = self.rules.iter().position(|rule| !id.is_empty() && rule.is_id(id));
            if let Some(rule) = rule {
                used.insert(rule);
                out.by.insert(id.to_owned(), self.rules[rule].clone());
            }
            rule.is_some()
        };
        out.report.deadlocks = report.deadlocks.extract_if(.., |deadlock| take(&deadlock.id)).collect();
        out.report.errors = report.errors.extract_if(.., |error| take(&error.id)).collect();
        out.report.general_races = report.general_races.extract_if(.., |race| take(&race.id)).collect();
        let suppressed = out.report.races.len() + out.report.deadlocks.len() + out.report.errors.len();
        if suppressed > 0 {
            report.suppressed += suppressed as u64;
            report.determinate = None;
            report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
        }
        let unused = self.rules.iter().enumerate().filter(|(at, _)| !used.contains(at));
        out.unused = unused.map(|(_, rule)| rule.clone()).collect();
        out
    }
}

impl Suppression {
    /// None for what is no concern of ours.
    fn parse(line: &str, place: &str, reason: Option<String>) -> Result<Option<Suppression>, String> {
        let Some((kind, pattern)) = line.split_once(':') else {
            return Err(format!("`{line}` has no `:`"));
        };
        if pattern.is_empty() {
            return Err("the pattern is empty, which would suppress every race".to_owned());
        }
        let test = match kind {
            "race" | "race_top" => Test::Names { callers: kind == "race", pattern: Pattern::parse(pattern) },
            // What follows the id says what it is, for people.
            "id" => Test::Id(pattern.split_whitespace().next().unwrap_or_default().to_owned()),
            other if OTHERS.contains(&other) => return Ok(None),
            other => return Err(format!("`{other}:` is not known")),
        };
        Ok(Some(Suppression { line: line.to_owned(), place: place.to_owned(), reason, test }))
    }

    fn is_id(&self, id: &str) -> bool {
        matches!(&self.test, Test::Id(known) if known == id)
    }

    fn covers(&self, race: &Race) -> bool {
        let (callers, pattern) = match &self.test {
            Test::Names { callers, pattern } => (*callers, pattern),
            Test::Id(id) => return !race.id.is_empty() && *id == race.id,
        };
        let variable = variable(race);
        let named = variable.into_iter().chain([race.location.as_str()]).any(|name| pattern.fits(name));
        let side = |access: &RaceAccess| {
            let frames =
                &access.stack[..if callers { access.stack.len() } else { access.stack.len().min(1) }];
            let files = frames.iter().filter(|_| callers).map(|frame| &frame.call.file);
            let names = frames.iter().map(|frame| &frame.function).chain(files).chain([&access.at.file]);
            names.into_iter().any(|name| pattern.fits(name))
        };
        named || side(&race.first) || side(&race.second)
    }
}

/// The variable that a race is on, where it has a name.
fn variable(race: &Race) -> Option<&str> {
    match &race.object {
        Some(Object::Global { name, .. }) => Some(name),
        Some(Object::Stack { name, .. } | Object::ThreadLocal { name, .. }) => name.as_deref(),
        _ => None,
    }
}

/// Lines for a suppressions file that name this finding, ready to be copied, with a comment that
/// says what it is; `name` shortens the names of files.
pub fn lines(finding: &Listed<'_>, name: &dyn Fn(&str) -> String) -> String {
    let mut text = format!("# {}\nid:{}\n", finding.line(name), finding.id);
    if let What::Races(races) = &finding.what
        && let Some(variable) = variable(races[0]).filter(|name| !name.contains(['*', '\n']))
    {
        text += &format!("# or every race on this variable:\n# race:^{variable}$\n");
    }
    text
}

/// Pieces that have to occur one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Pattern {
    pieces: Vec<String>,
    at_start: bool,
    at_end: bool,
}

impl Pattern {
    fn parse(text: &str) -> Pattern {
        let (text, at_start) = text.strip_prefix('^').map_or((text, false), |rest| (rest, true));
        let (text, at_end) = text.strip_suffix('$').map_or((text, false), |rest| (rest, true));
        Pattern { pieces: text.split('*').map(str::to_owned).collect(), at_start, at_end }
    }

    fn fits(&self, name: &str) -> bool {
        let mut rest = name;
        let last = self.pieces.len() - 1;
        for (i, piece) in self.pieces.iter().enumerate() {
            let found = match (i == 0 && self.at_start, i == last && self.at_end) {
                (true, true) => (rest == piece).then_some(""),
                (true, false) => rest.strip_prefix(piece.as_str()),
                // The end of the text will do, whatever stands before it.
                (false, true) => rest.ends_with(piece.as_str()).then_some(""),
                (false, false) => rest.find(piece.as_str()).map(|at| &rest[at + piece.len()..]),
            };
            match found {
                Some(after) => rest = after,
                None => return false,
            }
        }
        // An empty name is one that is not known.
        !name.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_thread_sanitizers_do() {
        for (pattern, name, fits) in [
            ("count", "n::counter", true),
            ("^count", "n::counter", false),
            ("^n::*er$", "n::counter", true),
            ("ter$", "n::counter", true),
            ("te$", "n::counter", false),
            ("a*b*c", "xaybzc", true),
            ("a*b*c", "cba", false),
            ("^ab$", "ab", true),
            ("^ab$", "abab", false),
            ("^a*a$", "a", false),
            ("third_party/*", "src/third_party/x.c", true),
            ("*", "anything", true),
            ("*", "", false),
        ] {
            assert_eq!(Pattern::parse(pattern).fits(name), fits, "{pattern} and {name}");
        }
    }

    #[test]
    fn bad_lines_are_named() {
        for (text, wrong) in [
            ("race", "line 1: `race` has no `:`"),
            ("# x\n\nrace:", "line 3: the pattern is empty"),
            ("rcae:x", "line 1: `rcae:` is not known"),
        ] {
            let message = Suppressions::parse(text).unwrap_err();
            assert!(message.starts_with(wrong), "{message}");
            assert!(message.contains("`id:ID`"), "{message}");
        }
    }
}
