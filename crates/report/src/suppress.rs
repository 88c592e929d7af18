//! Suppressions: races the user knows of and does not want to see.
//!
//! The file format is ThreadSanitizer's: lines of `race:PATTERN`, empty lines, and comments that
//! begin with `#`. A pattern is looked for anywhere in a name; `*` stands for anything, `^` at the
//! beginning and `$` at the end hold it there. It is compared with the functions and files of both
//! stacks and with the variable. `race_top:` looks at the innermost function and file of each side
//! only.

use raceproof_core::finding::{Object, Race, RaceAccess, Report};
use rustc_hash::FxHashMap;

/// What ThreadSanitizer has beside races, and what is no concern of ours.
const OTHERS: &[&str] = &["thread", "mutex", "signal", "deadlock", "called_from_lib"];

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suppressions {
    rules: Vec<Rule>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    /// Whether callers count.
    callers: bool,
    pattern: Pattern,
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
            let wrong = |what: &str| {
                format!(
                    "line {}: {what}; expected `race:PATTERN` or a comment that begins with `#`",
                    number + 1
                )
            };
            let Some((kind, pattern)) = line.split_once(':') else {
                return Err(wrong(&format!("`{line}` has no `:`")));
            };
            if pattern.is_empty() {
                return Err(wrong("the pattern is empty, which would suppress every race"));
            }
            match kind {
                "race" => rules.push(Rule { callers: true, pattern: Pattern::parse(pattern) }),
                "race_top" => rules.push(Rule { callers: false, pattern: Pattern::parse(pattern) }),
                other if OTHERS.contains(&other) => {}
                other => return Err(wrong(&format!("`{other}:` is not known"))),
            }
        }
        Ok(Suppressions { rules })
    }

    /// Takes the races that are suppressed out of a report, counts them, and judges it anew.
    pub fn apply(&self, report: &mut Report) {
        let mut kept: FxHashMap<u32, u32> = FxHashMap::default();
        let mut races = Vec::with_capacity(report.races.len());
        let before = report.races.len();
        for (index, race) in std::mem::take(&mut report.races).into_iter().enumerate() {
            if !self.covers(&race) {
                kept.insert(index as u32, races.len() as u32);
                races.push(race);
            }
        }
        for race in &mut races {
            race.artifact_of = race.artifact_of.iter().filter_map(|cause| kept.get(cause).copied()).collect();
        }
        let suppressed = before - races.len();
        report.races = races;
        if suppressed > 0 {
            report.suppressed += suppressed as u64;
            report.determinate = None;
            report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
        }
    }

    fn covers(&self, race: &Race) -> bool {
        self.rules.iter().any(|rule| rule.covers(race))
    }
}

impl Rule {
    fn covers(&self, race: &Race) -> bool {
        let variable = match &race.object {
            Some(Object::Global { name, .. }) => Some(name),
            Some(Object::Stack { name, .. } | Object::ThreadLocal { name, .. }) => name.as_ref(),
            _ => None,
        };
        let named = variable.into_iter().chain([&race.location]).any(|name| self.pattern.fits(name));
        named || self.covers_side(&race.first) || self.covers_side(&race.second)
    }

    fn covers_side(&self, access: &RaceAccess) -> bool {
        let frames =
            &access.stack[..if self.callers { access.stack.len() } else { access.stack.len().min(1) }];
        let files = frames.iter().filter(|_| self.callers).map(|frame| &frame.call.file);
        let names = frames.iter().map(|frame| &frame.function).chain(files).chain([&access.at.file]);
        names.into_iter().any(|name| self.pattern.fits(name))
    }
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
    use super::Pattern;

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
}
