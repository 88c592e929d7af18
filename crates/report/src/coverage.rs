//! What a verdict about a native program rests on, in one sentence, and how it bounds the verdict.

use super::sources::Sources;
use super::style::{count, safe};
use raceproof_core::finding::{Coverage, FrontEnd, PartKind, Place, Report, Uninstrumented};

/// Things of a list that are named before "and N more".
const NAMED: usize = 5;

/// The sentence.
pub(super) fn sentence(report: &Report, coverage: &Coverage, sources: &Sources) -> String {
    let line = |at: &Place| format!("{}:{}", safe(&sources.project.shown(&at.file)), at.line);
    let mut parts = Vec::new();
    // Of a search, of its first execution.
    let ran = match coverage.parallel {
        Some(false) => "nothing ran in parallel".to_owned(),
        Some(true) => count(report.stats.tasks, "task"),
        None => "what ran is not known".to_owned(),
    };
    parts.push(format!("{ran}{}", in_teams(coverage)));
    if !coverage.sizes_bound_by.is_empty() && !coverage.teams.is_empty() {
        let why = coverage.sizes_bound_by.join(", ");
        parts.push(format!("judged for teams of these sizes, not of others ({why})"));
    }
    if !coverage.complete {
        parts.push("the program did not come to its end".to_owned());
    }
    if !coverage.assignments.is_empty() {
        parts.push(format!(
            "judged for {} of work to threads, not for others: tasks of one thread that has asked for its number are \
             not compared",
            count(coverage.assignments.len() as u64, "assignment")
        ));
    }
    if coverage.one_deal {
        parts.push("work was dealt out to the threads in one way of several".to_owned());
    }
    if coverage.no_spurious_wakeups {
        parts.push(
            "no wait at a condition variable ended without a notification (RACEPROOF_OPTIONS=spurious=on tries that)"
                .to_owned(),
        );
    }
    if !coverage.blinded_by.is_empty() {
        parts.push(format!("not looked at: accesses ({})", coverage.blinded_by.join(", ")));
    }
    match coverage.uninstrumented.as_slice() {
        [] if coverage.parallel.is_none() => {}
        [] => parts.push("all of its code is instrumented".to_owned()),
        left_out => parts.push(format!("not instrumented: {}", list(left_out, part))),
    }
    if !coverage.ignored_pragmas.is_empty() {
        let places = list(&coverage.ignored_pragmas, line);
        let sentinel = coverage.ignored_pragmas[0].sentinel();
        parts.push(format!("{sentinel} compiled without -fopenmp: {places}"));
    }
    if !coverage.unsplit.is_empty() {
        let places = list(&coverage.unsplit, line);
        parts.push(format!("items stayed together in one task, and were not compared: {places}"));
    }
    format!("{}.", parts.join("; "))
}

fn part(part: &Uninstrumented) -> String {
    let name = match part.kind {
        PartKind::System => "libraries of the system".to_owned(),
        _ => safe(&part.name),
    };
    if part.parts.is_empty() {
        return name;
    }
    format!("{name} ({})", list(&part.parts, |part| safe(part)))
}

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    let mut shown: Vec<String> = items.iter().take(NAMED).map(show).collect();
    if let Some(more @ 1..) = items.len().checked_sub(NAMED) {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

fn in_teams(coverage: &Coverage) -> String {
    match coverage.teams.as_slice() {
        [] => String::new(),
        sizes if coverage.front_end == FrontEnd::Hclib => {
            format!(" on {}", teams_of(coverage.front_end, sizes))
        }
        sizes => format!(" in {}", teams_of(coverage.front_end, sizes)),
    }
}

/// ` with teams of 2 and 4` or ` with teams of any size`: for which sizes, and how many assignments
/// of work, a verdict about a native program holds, in the words of its front end.
pub(super) fn with_teams(report: &Report) -> String {
    let assignments = report.coverage.as_ref().map_or(0, |coverage| coverage.assignments.len() as u64);
    let under = match assignments {
        0 => String::new(),
        assignments => format!(" under {} of work to threads", count(assignments, "assignment")),
    };
    format!("{}{under}", of_teams(report))
}

fn of_teams(report: &Report) -> String {
    let front_end = report.coverage.as_ref().map_or(FrontEnd::Openmp, |coverage| coverage.front_end);
    let sizes = report.coverage.as_ref().map_or(&report.threads, |coverage| &coverage.teams);
    match sizes.as_slice() {
        [] => String::new(),
        _ if report.coverage.as_ref().is_some_and(|coverage| coverage.all_sizes) => {
            " with teams of any size".to_owned()
        }
        sizes => format!(" with {}", teams_of(front_end, sizes)),
    }
}

fn teams_of(front_end: FrontEnd, sizes: &[u32]) -> String {
    let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let sizes = match sizes.as_slice() {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        sizes => sizes.concat(),
    };
    match front_end {
        FrontEnd::Openmp => format!("teams of {sizes}"),
        FrontEnd::Rayon => format!("pools of {sizes}"),
        FrontEnd::Hclib => format!("{sizes} workers"),
    }
}

/// Whether the verdict is about a part of the program's code only.
pub(super) fn is_partial(report: &Report) -> bool {
    report
        .coverage
        .as_ref()
        .is_some_and(|coverage| !coverage.uninstrumented.is_empty() || !coverage.ignored_pragmas.is_empty())
}

/// Whether the report is about runs one of which was ended before its end. (A search goes on with
/// other executions then; a replay ends where its witness does.)
pub(super) fn is_cut_short(report: &Report) -> bool {
    let of_many = report.detector.starts_with("verify") || report.detector == "replay";
    !of_many && report.coverage.as_ref().is_some_and(|coverage| !coverage.complete)
}

/// Whether the report is about a search that deals work out to threads in one way of several.
pub(super) fn is_one_deal(report: &Report) -> bool {
    report.detector.starts_with("verify")
        && report.coverage.as_ref().is_some_and(|coverage| coverage.one_deal)
}

/// Whether the report is about runs in which there was nothing to judge.
pub(super) fn is_sequential(report: &Report) -> bool {
    report.coverage.as_ref().is_some_and(|coverage| coverage.parallel == Some(false))
}
