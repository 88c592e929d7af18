//! The report for GitHub Actions: workflow commands, which become annotations of the lines of a
//! pull request, and a job summary in Markdown.
//!
//! A command is `::error file=F,line=L,col=C,title=T::MESSAGE`. The message and the values of
//! properties have `%`, CR and LF written as `%25`, `%0D` and `%0A`; values also `:` and `,`.
//! GitHub shows ten errors and ten warnings of a step, so that the first ones matter: those to fix
//! first stand at the head. docs/CI.md has a recipe.

use crate::baseline::new_only;
use crate::listed::{Level, Listed, What, deed, general_side, list, shown, waits};
use crate::race::explained;
use crate::snippet::place_name;
use crate::sources::Sources;
use crate::style::safe;
use crate::view::UserRace;
use crate::{text, user_place};
use raceproof_core::finding::{Place, Report, Scope, Verdict};
use std::fmt::Write as _;

/// The most bytes of a job summary that GitHub takes for one step, with room for others' lines.
const LONGEST_SUMMARY: usize = 900_000;

/// Findings with a section of their own in the summary; the others stand in the table only.
const SECTIONS: usize = 20;

/// The workflow commands, one for each new cause, and a last one for the verdict.
pub fn commands(report: &Report, sources: &Sources) -> String {
    let mut out = String::new();
    let shown = new_only(report);
    for finding in list(&shown) {
        let name = match finding.level() {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let title = format!("{} [{}]", finding.title(), finding.id);
        command(
            &mut out,
            name,
            finding.place().map(|at| here(at, sources)),
            &title,
            &message(&finding, sources),
        );
    }
    for limit in &report.limits {
        command(&mut out, "notice", None, "raceproof: limit", limit);
    }
    command(&mut out, "notice", None, "raceproof", &verdict(report));
    out
}

/// Files as GitHub knows them: relative to the top of the repository.
fn here(at: &Place, sources: &Sources) -> Place {
    Place { file: sources.project.below(&at.file).unwrap_or_else(|| at.file.clone()), ..at.clone() }
}

fn message(finding: &Listed<'_>, sources: &Sources) -> String {
    let at = |place: &Place| place_name(&here(place, sources));
    let mut text = match &finding.what {
        What::Races(races) => {
            let at_user = shown(finding.id, races, sources);
            let (why, fix) = explained(&at_user, sources);
            let UserRace { race, .. } = at_user;
            let [first, second] = [&race.first, &race.second];
            format!(
                "{} {} here.\n{} {} at {}.\nwhy: {}\nfix: {}",
                safe(&first.task),
                deed(first, &race.location),
                safe(&second.task),
                deed(second, &race.location),
                at(user_place(&races[0].second)),
                why,
                fix,
            )
        }
        What::Deadlock(deadlock) => {
            let line = |waiting: &raceproof_core::finding::Waiting| {
                format!("{} {} at {}.", safe(&waiting.task), waits(waiting), at(&waiting.at))
            };
            deadlock.waiting.iter().take(10).map(line).collect::<Vec<_>>().join("\n")
        }
        What::Error(error) => {
            format!(
                "{}\nin {}",
                error.message.lines().map(safe).collect::<Vec<_>>().join("\n"),
                safe(&error.task)
            )
        }
        What::General(race) => {
            let cell = race.location.as_deref();
            let side = |side: &raceproof_core::finding::GeneralSide| {
                let place = side.at.as_ref().map(|place| format!(" at {}", at(place))).unwrap_or_default();
                format!("{}{place}", general_side(side, cell))
            };
            format!("{}, and {}, come in either order", side(&race.first), side(&race.second))
        }
    };
    if !finding.id.is_empty() {
        let _ = write!(text, "\nid: {}", finding.id);
    }
    text
}

/// What was decided, in a sentence.
fn verdict(report: &Report) -> String {
    let found = list(report);
    let covers = match report.scope {
        Scope::AllSchedules => "every schedule of this input",
        Scope::ObservedSchedule => "the schedule that was run and what it predicts",
    };
    let mut text = match report.verdict {
        Verdict::RaceFree => format!("race-free: covers {covers}"),
        Verdict::Inconclusive => "inconclusive: nothing was decided".to_owned(),
        _ => {
            let word = if found.len() == 1 { "finding" } else { "findings" };
            format!("{} {word}; covers {covers}", found.len())
        }
    };
    if let Some(baseline) = &report.baseline {
        let _ = write!(
            text,
            "; {} new, {} known, {} gone",
            baseline.new.len(),
            baseline.known.len(),
            baseline.gone.len()
        );
    }
    if report.suppressed > 0 {
        let _ = write!(text, "; {} suppressed", report.suppressed);
    }
    text
}

fn command(out: &mut String, name: &str, at: Option<Place>, title: &str, message: &str) {
    let mut properties = Vec::new();
    if let Some(at) = at {
        properties.push(format!("file={}", value(&at.file)));
        if at.line > 0 {
            properties.push(format!("line={}", at.line));
        }
        if at.line > 0 && at.column > 0 {
            properties.push(format!("col={}", at.column));
        }
    }
    properties.push(format!("title={}", value(title)));
    let _ = writeln!(out, "::{name} {}::{}", properties.join(","), data(message));
}

/// A message, without what would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn value(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The job summary: the verdict, a table of the findings, and the text of the first ones.
pub fn summary(report: &Report, sources: &Sources, program: &str) -> String {
    let shown = new_only(report);
    let findings = list(&shown);
    let mark = match report.verdict {
        _ if !findings.is_empty() => "❌",
        Verdict::Inconclusive => "⚠️",
        _ => "✅",
    };
    let mut out = format!("### {mark} raceproof: {}\n\n{}.\n", code(program), plain(&verdict(report)));
    if !findings.is_empty() {
        out += "\n| finding | where | id |\n| --- | --- | --- |\n";
    }
    for finding in &findings {
        let at = finding.place().map(|at| code(&place_name(&here(at, sources)))).unwrap_or_default();
        let _ = writeln!(out, "| {} | {at} | `{}` |", plain(&finding.title()), finding.id);
        if out.len() > LONGEST_SUMMARY / 2 {
            out += "\nThe rest is left out.\n";
            break;
        }
    }
    for limit in &report.limits {
        let _ = writeln!(out, "\n> {}", plain(limit));
    }
    for finding in findings.iter().take(SECTIONS) {
        let one = only(&shown, finding.id);
        let style = crate::Style { width: 100, ..crate::Style::plain() };
        let text = text::render(&one, sources, style);
        let section = format!(
            "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
            html(&finding.title()),
            fenced(&text)
        );
        if out.len() + section.len() > LONGEST_SUMMARY {
            out += "\nThe rest is left out.\n";
            break;
        }
        out += &section;
    }
    out
}

/// A report with the findings of one cause alone.
pub(crate) fn only(report: &Report, id: &str) -> Report {
    let mut one = report.clone();
    one.races.retain(|race| race.id == id);
    one.races.iter_mut().for_each(|race| race.artifact_of.clear());
    one.deadlocks.retain(|deadlock| deadlock.id == id);
    one.errors.retain(|error| error.id == id);
    one.general_races.retain(|race| race.id == id);
    one.limits.clear();
    one.next_command = None;
    one.baseline = None;
    one.suppressed = 0;
    one.judged()
}

/// A block of text, behind a fence that is longer than any in it.
fn fenced(text: &str) -> String {
    let longest = text.lines().map(|line| line.chars().take_while(|c| *c == '`').count()).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// A word in a Markdown line or table that is shown as it is.
fn code(text: &str) -> String {
    let text = safe(text).replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Text in a Markdown line or table, in which nothing has a meaning.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in safe(text).chars() {
        if "\\`*_{}[]<>#|!~&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn html(text: &str) -> String {
    safe(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped() {
        let mut out = String::new();
        let at = Place { file: "a,b:c%.c".into(), line: 3, column: 0 };
        command(&mut out, "error", Some(at), "race on a[1], b:c", "50% of\r\nall: x, y");
        assert_eq!(
            out,
            "::error file=a%2Cb%3Ac%25.c,line=3,title=race on a[1]%2C b%3Ac::50%25 of%0D%0Aall: x, y\n"
        );
    }

    #[test]
    fn markdown_has_no_meaning_in_names() {
        assert_eq!(plain("a[1]|*p_q*"), r"a\[1\]\|\*p\_q\*");
        assert_eq!(code("a|b`c"), "`` a\\|b`c ``");
        assert_eq!(fenced("```\nx"), "````text\n```\nx\n````\n");
    }
}
