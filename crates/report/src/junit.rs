//! JUnit's XML, which CI servers read as the result of tests: a test case for each test, or
//! for each program that has no tests of Rust's harness.
//!
//! There is no standard; this is what Jenkins, GitLab and Azure agree on: `testsuites`,
//! `testsuite` with the counts, `testcase` with `failure` (something was found), `error` (the
//! program could not be judged) or `skipped` (nothing ran in parallel).

use raceproof_core::finding::{Place, Report, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A program that was run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Case {
    /// The program that a test belongs to; none if the case is a whole program.
    pub program: Option<String>,
    /// The name of the test, or of the program.
    pub name: String,
    /// Where the test begins, if that is known.
    pub at: Option<Place>,
    pub seconds: f64,
    pub outcome: Outcome,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    Passed,
    /// What was found, in a line, and the whole report as text.
    Failed {
        kind: String,
        message: String,
        text: String,
    },
    /// Why there is no verdict.
    Error {
        message: String,
        text: String,
    },
    Skipped {
        message: String,
    },
}

impl Case {
    /// Of a whole program that was not timed.
    pub fn new(name: &str, outcome: Outcome) -> Case {
        Case { program: None, name: name.to_owned(), at: None, seconds: 0.0, outcome }
    }

    /// What a report means for the program it is about. `found` says in a line what is new in it;
    /// none if nothing is. `sequential`: nothing ran in parallel.
    pub fn of(name: &str, report: &Report, found: Option<String>, sequential: bool, text: &str) -> Case {
        let kind = match report.verdict {
            Verdict::Deadlock => "deadlock",
            Verdict::ProgramError => "program-error",
            _ => "data-race",
        };
        let outcome = match (found, report.verdict) {
            (Some(message), _) => Outcome::Failed { kind: kind.to_owned(), message, text: text.to_owned() },
            (None, _) if sequential => Outcome::Skipped { message: "nothing ran in parallel".to_owned() },
            (None, Verdict::Inconclusive) => {
                let message = report.limits.first().cloned().unwrap_or_else(|| "inconclusive".to_owned());
                Outcome::Error { message, text: text.to_owned() }
            }
            (None, _) => Outcome::Passed,
        };
        Case { seconds: report.stats.seconds, ..Case::new(name, outcome) }
    }
}

/// The whole file, ending in a line break.
pub fn render(suite: &str, cases: &[Case]) -> String {
    let count = |test: fn(&Outcome) -> bool| cases.iter().filter(|case| test(&case.outcome)).count();
    let failures = count(|outcome| matches!(outcome, Outcome::Failed { .. }));
    let errors = count(|outcome| matches!(outcome, Outcome::Error { .. }));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped { .. }));
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\"",
        cases.len()
    );
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<testsuites name=\"raceproof\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"{}\" {counts}>", attribute(suite));
    for case in cases {
        let place = case
            .at
            .as_ref()
            .map_or_else(String::new, |at| format!(" file=\"{}\" line=\"{}\"", attribute(&at.file), at.line));
        let head = format!(
            "    <testcase name=\"{}\" classname=\"{}\"{place} time=\"{:.3}\"",
            attribute(&case.name),
            attribute(case.program.as_deref().unwrap_or(suite)),
            case.seconds
        );
        let (tag, kind, message, text) = match &case.outcome {
            Outcome::Passed => {
                let _ = writeln!(out, "{head}/>");
                continue;
            }
            Outcome::Failed { kind, message, text } => ("failure", kind.as_str(), message, text.as_str()),
            Outcome::Error { message, text } => ("error", "inconclusive", message, text.as_str()),
            Outcome::Skipped { message } => ("skipped", "", message, ""),
        };
        let kind = if kind.is_empty() { String::new() } else { format!(" type=\"{}\"", attribute(kind)) };
        let _ = writeln!(out, "{head}>");
        let _ = match text {
            "" => writeln!(out, "      <{tag}{kind} message=\"{}\"/>", attribute(message)),
            text => writeln!(
                out,
                "      <{tag}{kind} message=\"{}\">{}</{tag}>",
                attribute(message),
                content(text)
            ),
        };
        out += "    </testcase>\n";
    }
    out += "  </testsuite>\n</testsuites>\n";
    out
}

/// Whether XML 1.0 can have a character at all, escaped or not.
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn content(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| is_allowed(*c)) {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            // `]]>` may not stand in text.
            '>' => out += "&gt;",
            // A parser would read a line break.
            '\r' => out += "&#13;",
            c => out.push(c),
        }
    }
    out
}

fn attribute(text: &str) -> String {
    let escaped = content(text).replace('"', "&quot;");
    // A parser would read spaces.
    escaped.replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_have_is_escaped_or_removed() {
        assert_eq!(content("a<b>&\"\u{1b}[0m\u{0}\r\n]]>\u{ffff}"), "a&lt;b&gt;&amp;\"[0m&#13;\n]]&gt;");
        assert_eq!(attribute("a\n\"b\"\t<c>"), "a&#10;&quot;b&quot;&#9;&lt;c&gt;");
    }

    #[test]
    fn every_outcome_has_its_element() {
        let case = |name: &str, outcome| Case { seconds: 0.25, ..Case::new(name, outcome) };
        let text = render(
            "my crate",
            &[
                case("a", Outcome::Passed),
                case(
                    "b",
                    Outcome::Failed { kind: "data-race".into(), message: "x".into(), text: "1 < 2\n".into() },
                ),
                case("c", Outcome::Error { message: "late".into(), text: String::new() }),
                Case {
                    program: Some("sums".into()),
                    ..case("d", Outcome::Skipped { message: "nothing ran in parallel".into() })
                },
            ],
        );
        assert_eq!(
            text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites name=\"raceproof\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"1.000\">\n  \
               <testsuite name=\"my crate\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"1.000\">\n    \
                 <testcase name=\"a\" classname=\"my crate\" time=\"0.250\"/>\n    \
                 <testcase name=\"b\" classname=\"my crate\" time=\"0.250\">\n      \
                   <failure type=\"data-race\" message=\"x\">1 &lt; 2\n</failure>\n    \
                 </testcase>\n    \
                 <testcase name=\"c\" classname=\"my crate\" time=\"0.250\">\n      \
                   <error type=\"inconclusive\" message=\"late\"/>\n    \
                 </testcase>\n    \
                 <testcase name=\"d\" classname=\"sums\" time=\"0.250\">\n      \
                   <skipped message=\"nothing ran in parallel\"/>\n    \
                 </testcase>\n  \
               </testsuite>\n\
             </testsuites>\n"
        );
    }
}
