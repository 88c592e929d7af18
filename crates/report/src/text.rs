//! The text report.

use super::cause::{Group, error_id, group, owners};
use super::coverage;
use super::deadlock;
use super::frames::user_place;
use super::general;
use super::race::{self, witness};
use super::snippet::Snippet;
use super::sources::Sources;
use super::style::{Page, Role, Style, count, grouped, safe};
use super::table;
use super::view;
use raceproof_core::finding::{ProgramError, Related, Report, Scope, Verdict};

/// The whole report, ending in a line break.
pub fn render(report: &Report, sources: &Sources, style: Style) -> String {
    let mut page = Page::new(style);
    let groups = group(&report.races, sources);
    let owners = owners(&groups);
    race::all(&mut page, sources, &groups, &owners);
    let mut left = style.findings.saturating_sub(groups.len());
    for deadlock in report.deadlocks.iter().take(left) {
        deadlock::render(&mut page, sources, deadlock);
        if deadlock.witness.is_some() {
            page.blank();
        }
        let tasks = [0, 1].map(|i| deadlock.waiting.get(i).map_or("", |waiting| waiting.task.as_str()));
        witness(&mut page, sources, deadlock.witness.as_ref(), tasks);
        page.blank();
    }
    left = left.saturating_sub(report.deadlocks.len());
    for error in report.errors.iter().take(left) {
        program_error(&mut page, sources, error);
        page.blank();
    }
    left = left.saturating_sub(report.errors.len());
    for race in report.general_races.iter().take(left) {
        general::render(&mut page, sources, race);
        page.blank();
    }
    table::render(&mut page, report, sources, &groups, &owners);
    summary(&mut page, sources, report, &groups);
    page.into_string()
}

fn program_error(page: &mut Page, sources: &Sources, error: &ProgramError) {
    let id = error_id(error, sources);
    let (error, inside) = &view::error(error, sources);
    // A panic of an assertion has several lines.
    let mut lines = error.message.lines();
    let first = lines.next().unwrap_or_default();
    let headline = format!("program error ({}): {} [{id}]", safe(&error.kind), safe(first));
    page.finding(&error.at, "error", &headline);
    for line in lines {
        let indent = line.len() - line.trim_start_matches(' ').len();
        page.headline(Role::Plain, 2 + indent, &safe(line));
    }
    // How a process ended is no place in it.
    if !error.at.file.is_empty() || !error.stack.is_empty() {
        page.blank();
        let snippet = Snippet::for_places([&error.at]);
        page.headline(Role::Strong, 2, &format!("in {}", safe(&error.task)));
        snippet.show(page, sources, &error.at, Role::Write);
        if let Some(inside) = inside {
            snippet.inside(page, inside, "fails");
        }
        snippet.spawns(page, &error.spawned);
        snippet.calls(page, &error.at, &error.stack);
    }
    for Related { what, at } in &error.related {
        page.blank();
        page.headline(Role::Strong, 2, &safe(what));
        Snippet::for_places([at]).show(page, sources, at, Role::Read);
    }
    if error.witness.is_some() {
        page.blank();
    }
    witness(page, sources, error.witness.as_ref(), [&error.task, ""]);
}

fn summary(page: &mut Page, sources: &Sources, report: &Report, groups: &[Group<'_>]) {
    for limit in &report.limits {
        page.prose(0, Role::Doubt, "limit:", &safe(limit));
    }
    if report.suppressed > 0 {
        let text = format!("{} not shown, as the suppressions ask", count(report.suppressed, "finding"));
        page.prose(0, Role::Label, "suppressed:", &text);
    }
    about_sources(page, sources, report, "program was built");
    if let Some(observed) = &report.coverage {
        page.prose(0, Role::Label, "coverage:", &coverage::sentence(report, observed, sources));
    }
    let (role, verdict) = match report.verdict {
        Verdict::RaceFree if coverage::is_partial(report) => {
            (Role::Good, "race-free in the instrumented code:")
        }
        Verdict::RaceFree => (Role::Good, "race-free:"),
        Verdict::Inconclusive => (Role::Doubt, "inconclusive:"),
        Verdict::Race => (Role::Bad, "race:"),
        Verdict::Deadlock => (Role::Bad, "deadlock:"),
        Verdict::ProgramError => (Role::Bad, "program error:"),
    };
    page.statement(role, verdict, &claim(report, groups));
    if page.style.replay
        && report.detector != "replay"
        && let Some(file) = witnessed(report)
    {
        let (file, program) = match is_native(report) {
            false => (format!("{} ", safe(file)), ""),
            true => (String::new(), " -- PROGRAM"),
        };
        let text = format!(
            "to see it happen, write the report with `--format json -o report.json`, then run `raceproof replay {file}--witness report.json --step{program}`"
        );
        page.prose(0, Role::Label, "replay:", &text);
    }
    let effort = effort(report);
    if report.detector.is_empty() {
        page.headline(Role::Plain, 0, &effort);
    } else {
        page.headline(Role::Plain, 0, &format!("{}: {effort}", safe(&report.detector)));
    }
    if report.scope == Scope::ObservedSchedule
        && let Some(command) = &report.next_command
    {
        // One line, however long: to be copied.
        page.line(&format!("to decide the rest: {command}"));
    }
}

/// Why source lines are missing from the report, said once.
pub(super) fn about_sources(page: &mut Page, sources: &Sources, report: &Report, since: &str) {
    let stale: Vec<String> = sources.stale().map(|file| safe(&file)).collect();
    if let Some(first) = stale.first() {
        let files = match stale.len() {
            1 => format!("{first} has"),
            2 => format!("{first} and {} have", stale[1]),
            n => format!("{first} and {} other files have", n - 1),
        };
        let text = format!(
            "{files} changed since the {since}, so their lines are not shown; build and run it again."
        );
        let text = if stale.len() == 1 { text.replace("so their lines", "so its lines") } else { text };
        page.prose(0, Role::Doubt, "sources:", &text);
    }
    let sides = report.races.iter().flat_map(|race| [&race.first, &race.second]);
    let unknown = sides.filter(|side| user_place(side).line == 0).count();
    if is_native(report) && unknown > 0 {
        let text =
            "the places of some accesses have no line: compile with -g to have file, line and variables.";
        page.prose(0, Role::Doubt, "sources:", text);
    }
}

fn is_native(report: &Report) -> bool {
    report.coverage.is_some() || !report.threads.is_empty()
}

/// The file of the first finding that has a witness.
fn witnessed(report: &Report) -> Option<&str> {
    let races = report.races.iter().filter(|race| race.witness.is_some()).map(|race| &race.first.at);
    let errors = report.errors.iter().filter(|error| error.witness.is_some()).map(|error| &error.at);
    let deadlocks = report.deadlocks.iter().filter(|deadlock| deadlock.witness.is_some());
    let waiting = deadlocks.filter_map(|deadlock| deadlock.waiting.first()).map(|waiting| &waiting.at);
    races.chain(waiting).chain(errors).map(|at| at.file.as_str()).next()
}

/// Exactly what the verdict says, and for which schedules.
pub(super) fn claim(report: &Report, groups: &[Group<'_>]) -> String {
    match (report.verdict, report.scope) {
        (Verdict::RaceFree, Scope::AllSchedules) => {
            let same = match report.determinate {
                Some(true) => ", and every schedule ends in the same state",
                Some(false) => "; the result may still depend on the schedule",
                None => "",
            };
            let beside = beside(report);
            let teams = coverage::with_teams(report);
            format!("no schedule of this program on this input{teams} has a data race{beside}{same}.")
        }
        (Verdict::RaceFree, Scope::ObservedSchedule) if coverage::is_cut_short(report) => {
            "no data race up to where the program was ended; nothing is known about other schedules."
                .to_owned()
        }
        (Verdict::RaceFree, Scope::ObservedSchedule) if coverage::is_one_deal(report) => {
            let beside = beside(report);
            let teams = coverage::with_teams(report);
            format!(
                "no data race{beside} in any schedule of this program on this input{teams} that deals work out to the threads \
                 as the search does. Where another thread executes a chunk, a section or a `single`, orders are possible \
                 that were not looked at."
            )
        }
        (Verdict::RaceFree, Scope::ObservedSchedule) => {
            let beside = beside(report);
            format!(
                "no data race{beside} in the schedule that was run, nor in any it predicts. Schedules that synchronise \
                 in another order were not looked at."
            )
        }
        (Verdict::Inconclusive, _) if coverage::is_sequential(report) => {
            "nothing ran in parallel, so that nothing is known about data races.".to_owned()
        }
        (Verdict::Inconclusive, Scope::AllSchedules) => {
            "no data race was found, but not every schedule was looked at.".to_owned()
        }
        (Verdict::Inconclusive, Scope::ObservedSchedule) if report.stats.executions > 1 => format!(
            "no data race was found in the {} schedules that were run; there are others.",
            grouped(report.stats.executions)
        ),
        (Verdict::Inconclusive, Scope::ObservedSchedule) => {
            "no data race was found in what was looked at of the schedule that was run.".to_owned()
        }
        (_, Scope::ObservedSchedule) if coverage::is_cut_short(report) => format!(
            "{}. This covers what was run before the program was ended; nothing is known about other schedules.",
            found(report, groups)
        ),
        (Verdict::Race, Scope::AllSchedules) => format!(
            "{}. Check again after the fix: what a program does after a race can depend on its outcome, and hide \
             other races.",
            found(report, groups)
        ),
        (_, Scope::AllSchedules) => {
            let teams = coverage::with_teams(report);
            format!("{}. This covers every schedule of this input{teams}.", found(report, groups))
        }
        (_, Scope::ObservedSchedule) => {
            format!(
                "{}. This covers the schedule that was run and what it predicts; other schedules may hold more.",
                found(report, groups)
            )
        }
    }
}

fn found(report: &Report, groups: &[Group<'_>]) -> String {
    let mut parts = Vec::new();
    if !report.races.is_empty() {
        let mut text = count(groups.len() as u64, "race");
        // Several pairs of accesses and cells with one cause are one.
        let cells: usize = groups.iter().map(|group| group.cells().len()).sum();
        if cells > groups.len() {
            text += &format!(" on {}", count(cells as u64, "location"));
        }
        parts.push(text);
    }
    if !report.errors.is_empty() {
        parts.push(count(report.errors.len() as u64, "program error"));
    }
    if !report.deadlocks.is_empty() {
        parts.push(count(report.deadlocks.len() as u64, "deadlock"));
    }
    match parts.len() {
        0 => "nothing listed".to_owned(),
        _ => parts.join(", "),
    }
}

pub(super) fn effort(report: &Report) -> String {
    let stats = &report.stats;
    let seconds = if stats.seconds < 10.0 {
        format!("{:.3} s", stats.seconds)
    } else {
        format!("{:.1} s", stats.seconds)
    };
    let mut counts =
        vec![count(stats.executions, "execution"), count(stats.tasks, "task"), count(stats.steps, "step")];
    // Accesses of native programs are not counted.
    if !is_native(report) {
        counts.extend([count(stats.reads, "read"), count(stats.writes, "write")]);
    }
    format!("{}, {seconds}", counts.join(", "))
}

/// What the claim leaves out, if there are findings that the report does not show, as its user asked.
/// They need not be races.
fn beside(report: &Report) -> &'static str {
    match &report.baseline {
        Some(baseline) if !baseline.known.is_empty() => " beside what is known",
        _ if report.suppressed > 0 => " beside what is suppressed",
        _ => "",
    }
}
