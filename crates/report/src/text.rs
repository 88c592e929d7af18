//! The text report.

use super::advice::{Advice, holding};
use super::cause::{Group, group, owners};
use super::coverage;
use super::deadlock;
use super::memory;
use super::snippet::Snippet;
use super::sources::Sources;
use super::style::{Page, Role, Style, count, grouped, safe};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{
    GeneralRace, Grade, Place, ProgramError, Race, RaceAccess, Report, Scope, Verdict, Witness,
};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Cells named before "and N more".
const NAMED: usize = 3;

/// The whole report, ending in a line break.
pub fn render(report: &Report, sources: &Sources, style: Style) -> String {
    let mut page = Page::new(style);
    races(&mut page, sources, &report.races);
    for deadlock in &report.deadlocks {
        deadlock::render(&mut page, sources, deadlock);
        if deadlock.witness.is_some() {
            page.blank();
        }
        witness(&mut page, deadlock.witness.as_ref());
        page.blank();
    }
    for error in &report.errors {
        program_error(&mut page, sources, error);
        page.blank();
    }
    for (number, race) in report.general_races.iter().take(page.style.blocks).enumerate() {
        general_race(&mut page, number + 1, race);
        page.blank();
    }
    if let Some(more @ 1..) = report.general_races.len().checked_sub(page.style.blocks) {
        page.headline(Role::Strong, 0, &format!("and {}", count(more as u64, "more nondeterministic pair")));
        page.blank();
    }
    summary(&mut page, sources, report);
    page.into_string()
}

/// Nondeterminism that is no data race: two things whose order the schedule chooses.
fn general_race(page: &mut Page, number: usize, race: &GeneralRace) {
    let what = match race.kind.as_str() {
        "sections" if race.on == "isolated" => "isolated sections".to_owned(),
        "sections" => format!("sections of {}", safe(&race.on)),
        "sets" => format!("sets of the promise {}", safe(&race.on)),
        "posts" => format!("posts of {}", safe(&race.on)),
        "takes" => format!("P({})", safe(&race.on)),
        _ => format!("V({})", safe(&race.on)),
    };
    let cell =
        race.location.as_ref().map(|cell| format!(" that conflict on {}", safe(cell))).unwrap_or_default();
    let headline = format!("nondeterminism {number}: {what}{cell} come in either order");
    page.headline(Role::Doubt, 0, &headline);
    for side in [&race.first, &race.second] {
        let verb = match side.access {
            Some(AccessKind::Read) => " reads",
            Some(AccessKind::Write) => " writes",
            None => "",
        };
        let place = side.at.as_ref().map(|at| format!(" at {}:{}:{}", safe(&at.file), at.line, at.column));
        page.headline(Role::Plain, 2, &format!("{}{verb}{}", safe(&side.task), place.unwrap_or_default()));
    }
}

fn races(page: &mut Page, sources: &Sources, races: &[Race]) {
    let blocks = group(races, sources);
    let owner = owners(&blocks);
    let mut given = FxHashMap::default();
    for (i, block) in blocks.iter().take(page.style.blocks).enumerate() {
        race_block(page, sources, i, block, &owner, &mut given);
        page.blank();
    }
    if blocks.len() > page.style.blocks {
        let hidden = &blocks[page.style.blocks..];
        let cells: usize = hidden.iter().map(|block| block.cells().len()).sum();
        let text = format!(
            "and {} by other pairs of accesses; `--format json` lists them all",
            count(cells as u64, "more race")
        );
        page.headline(Role::Strong, 0, &text);
        page.blank();
    }
}

/// One race, or the same on many cells. `given` has the advice of the blocks before it, with their
/// numbers.
fn race_block(
    page: &mut Page,
    sources: &Sources,
    index: usize,
    block: &Group<'_>,
    owner: &[usize],
    given: &mut FxHashMap<String, usize>,
) {
    let race = block.shown();
    let headline = format!(
        "race {} on {}: {}, seen {}",
        index + 1,
        locations(block),
        grade(race.grade),
        times(block.seen())
    );
    page.headline(Role::Bad, 0, &headline);
    let snippet = Snippet::for_places([&race.first.at, &race.second.at]);
    for access in [&race.first, &race.second] {
        page.blank();
        race_access(page, sources, &snippet, &race.location, access);
    }
    if let Some(object) = &race.object {
        page.blank();
        memory::show(page, sources, &snippet, object);
    }
    page.blank();
    let advice = Advice::of(race);
    for (label, text) in [("why:", advice.why()), ("fix:", advice.fix())] {
        let text = match given.entry(text) {
            Entry::Occupied(before) => format!("as for race {}.", before.get() + 1),
            Entry::Vacant(new) => {
                let text = new.key().clone();
                new.insert(index);
                text
            }
        };
        page.prose(2, Role::Label, label, &text);
    }
    let pairs = block.other_pairs();
    if !pairs.is_empty() {
        page.prose(2, Role::Label, "also:", &also(&pairs));
    }
    let cells = block.cells().len();
    if cells > 1 {
        let others = match cells as u64 - 1 {
            1 => "cell".to_owned(),
            n => count(n, "cell"),
        };
        let mut text = format!(
            "shown for {}; on the other {others} the same two places meet, in these or other tasks.",
            safe(&race.location)
        );
        match block.less_sure() as u64 {
            0 => {}
            n => text += &format!(" On {} of them it is less sure.", grouped(n)),
        }
        page.prose(2, Role::Label, "note:", &text);
    }
    if let Some(text) = consequence(index, block, owner) {
        page.prose(2, Role::Label, "note:", &text);
    }
    witness(page, race.witness.as_ref());
}

/// `x`, or `a[1], a[2], a[3] … and 995 more cells`.
fn locations(group: &Group<'_>) -> String {
    // "and 1 more cell" would be longer than the cell.
    let cells = group.cells();
    let named = if cells.len() <= NAMED + 1 { cells.len() } else { NAMED };
    let names: Vec<String> = cells[..named].iter().map(|cell| safe(cell)).collect();
    let mut text = names.join(", ");
    if cells.len() > named {
        text += &format!(" … and {} more cells", grouped((cells.len() - named) as u64));
    }
    text
}

/// Further pairs of accesses on the lines that are shown.
fn also(pairs: &[[(AccessKind, &Place); 2]]) -> String {
    let side = |(kind, at): &(AccessKind, &Place)| {
        let kind = if *kind == AccessKind::Read { "read" } else { "write" };
        format!("the {kind} at {}:{}", at.line, at.column)
    };
    let text: Vec<String> = pairs.iter().map(|[a, b]| format!("{} and {}", side(a), side(b))).collect();
    format!("{}.", text.join("; "))
}

fn race_access(page: &mut Page, sources: &Sources, snippet: &Snippet, location: &str, access: &RaceAccess) {
    let mark = match access.access {
        AccessKind::Read => Role::Read,
        AccessKind::Write => Role::Write,
    };
    let text = format!("{} {}", safe(&access.task), memory::action(access, &safe(location)));
    page.headline(Role::Strong, 2, &text);
    snippet.show(page, sources, &access.at, mark);
    snippet.spawns(page, &access.spawned);
    snippet.calls(page, &access.stack);
    if !access.locks.is_empty() {
        snippet.note(page, &format!("{} {} here", safe(&access.task), holding(&access.locks)));
    }
}

/// The races this one may only follow from, by their numbers in this report.
fn consequence(index: usize, block: &Group<'_>, owner: &[usize]) -> Option<String> {
    let causes = block.follows_from(index, owner);
    if causes.is_empty() {
        return None;
    }
    let names: Vec<String> = causes.iter().take(5).map(|cause| (cause + 1).to_string()).collect();
    let more = if causes.len() > 5 { " and others" } else { "" };
    let word = if causes.len() == 1 { "race" } else { "races" };
    Some(format!("this may only be a consequence of {word} {}{more}; fix that first.", names.join(", ")))
}

fn program_error(page: &mut Page, sources: &Sources, error: &ProgramError) {
    // A panic of an assertion has several lines.
    let mut lines = error.message.lines();
    let first = lines.next().unwrap_or_default();
    page.headline(Role::Bad, 0, &format!("program error ({}): {}", safe(&error.kind), safe(first)));
    for line in lines {
        let indent = line.len() - line.trim_start_matches(' ').len();
        page.headline(Role::Bad, 2 + indent, &safe(line));
    }
    // How a process ended is no place in it.
    if !error.at.file.is_empty() || !error.stack.is_empty() {
        page.blank();
        let snippet = Snippet::for_places([&error.at]);
        page.headline(Role::Strong, 2, &format!("in {}", safe(&error.task)));
        snippet.show(page, sources, &error.at, Role::Write);
        snippet.spawns(page, &error.spawned);
        snippet.calls(page, &error.stack);
    }
    if error.witness.is_some() {
        page.blank();
    }
    witness(page, error.witness.as_ref());
}

fn witness(page: &mut Page, witness: Option<&Witness>) {
    let Some(witness) = witness else { return };
    let actions = witness.schedule.iter().fold(0u64, |sum, segment| sum.saturating_add(segment.actions));
    let text = format!("a schedule of {} leads here.", count(actions, "action"));
    page.prose(2, Role::Label, "witness:", &text);
}

fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Actual => "actual (it happened in this run)",
        Grade::Feasible => "feasible (some schedule shows it)",
        Grade::Apparent => "apparent (synchronisation allows it, no schedule is known)",
        Grade::Infeasible => "infeasible (no schedule can show it)",
    }
}

fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{} times", grouped(n)),
    }
}

fn summary(page: &mut Page, sources: &Sources, report: &Report) {
    for limit in &report.limits {
        page.prose(0, Role::Doubt, "limit:", &safe(limit));
    }
    if report.suppressed > 0 {
        let text = format!("{} not shown, as the suppressions ask", count(report.suppressed, "race"));
        page.prose(0, Role::Label, "suppressed:", &text);
    }
    if let Some(observed) = &report.coverage {
        page.prose(0, Role::Label, "coverage:", &coverage::sentence(report, observed));
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
    page.statement(role, verdict, &claim(report, sources));
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
pub(super) fn claim(report: &Report, sources: &Sources) -> String {
    match (report.verdict, report.scope) {
        (Verdict::RaceFree, Scope::AllSchedules) => {
            let same = match report.determinate {
                Some(true) => ", and every schedule ends in the same state",
                Some(false) => "; the result may still depend on the schedule",
                None => "",
            };
            let other = if report.suppressed > 0 { "another" } else { "a" };
            let teams = coverage::with_teams(report);
            format!("no schedule of this program on this input{teams} has {other} data race{same}.")
        }
        (Verdict::RaceFree, Scope::ObservedSchedule) if coverage::is_cut_short(report) => {
            "no data race up to where the program was ended; nothing is known about other schedules."
                .to_owned()
        }
        (Verdict::RaceFree, Scope::ObservedSchedule) => {
            let other = if report.suppressed > 0 { "other " } else { "" };
            format!(
                "no {other}data race in the schedule that was run, nor in any it predicts. Schedules that synchronise \
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
            found(report, sources)
        ),
        (Verdict::Race, Scope::AllSchedules) => format!(
            "{}. Check again after the fix: what a program does after a race can depend on its outcome, and hide \
             other races.",
            found(report, sources)
        ),
        (_, Scope::AllSchedules) => {
            let teams = coverage::with_teams(report);
            format!("{}. This covers every schedule of this input{teams}.", found(report, sources))
        }
        (_, Scope::ObservedSchedule) => {
            format!(
                "{}. This covers the schedule that was run and what it predicts; other schedules may hold more.",
                found(report, sources)
            )
        }
    }
}

fn found(report: &Report, sources: &Sources) -> String {
    let blocks = group(&report.races, sources);
    let mut parts = Vec::new();
    if !report.races.is_empty() {
        // Several pairs of accesses on the same lines and cell are one.
        let races: usize = blocks.iter().map(|block| block.cells().len()).sum();
        let mut text = count(races as u64, "race");
        if blocks.len() < races {
            text += &format!(" by {} of accesses", count(blocks.len() as u64, "pair"));
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
