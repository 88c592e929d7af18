//! A cause of races in the text report: a line that editors understand, both places with their
//! source, the memory, why nothing orders them, and what would.

use super::advice::{Advice, holding, noun};
use super::cause::Group;
use super::memory;
use super::snippet::{Snippet, place_name};
use super::sources::Sources;
use super::style::{Page, Role, count, grouped, safe};
use super::view::{self, Inside, UserRace};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Grade, Operation, Place, RaceAccess, Witness};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Cells named before "and N more".
const NAMED: usize = 3;

/// Pairs of accesses named before "and N more".
const PAIRS: usize = 4;

/// One cause. `given` has the advice of those before it, with their numbers.
pub(super) fn render(
    page: &mut Page,
    sources: &Sources,
    index: usize,
    group: &Group<'_>,
    owners: &[usize],
    given: &mut FxHashMap<String, usize>,
) {
    let shown = view::race(group, sources);
    let UserRace { race, inside, what } = &shown;
    let in_library = inside.iter().any(Option::is_some);
    head(page, group, &shown);
    let on = if in_library { safe(what) } else { locations(group) };
    let headline =
        format!("race {} on {on}: {}, {}", index + 1, grade(race.grade), extent(group, in_library));
    page.headline(Role::Plain, 0, &headline);
    let snippet = Snippet::for_places([&race.first.at, &race.second.at]);
    for (access, inside) in [&race.first, &race.second].into_iter().zip(inside) {
        page.blank();
        side(page, sources, &snippet, &race.location, access, inside.as_ref());
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
    if !in_library {
        also(page, group);
        cells(page, group);
    }
    if let Some(text) = consequence(index, group, owners) {
        page.prose(2, Role::Label, "note:", &text);
    }
    witness(page, race.witness.as_ref());
}

/// `f.c:4:5: error: …`, as compilers write it, for editors and problem matchers; never wrapped.
fn head(page: &mut Page, group: &Group<'_>, shown: &UserRace) {
    let UserRace { race, what, .. } = shown;
    let (first, second) = (&race.first, &race.second);
    let (a, b) = (deed(first), deed(second));
    let how = if first.at == second.at && a == b {
        format!("two tasks {a} here")
    } else if first.at == second.at {
        format!("{a} and {b} here")
    } else {
        format!("{a} here and {b} at {}", place_name(&second.at))
    };
    page.finding(&first.at, "error", &format!("data race on {}: {how} [{}]", safe(what), group.id));
    if first.at != second.at {
        page.finding(&second.at, "note", &format!("the {b}, by {}", safe(&second.task)));
    }
}

fn deed(access: &RaceAccess) -> &'static str {
    match access.operation {
        Operation::Free => "free",
        _ => noun(access.access),
    }
}

/// `seen twice`, `seen 56 times, by 26 pairs of accesses on 7 locations`.
fn extent(group: &Group<'_>, in_library: bool) -> String {
    let seen = format!("seen {}", times(group.seen()));
    let pairs = group.pairs();
    if !in_library || pairs == 1 {
        return seen;
    }
    let cells = group.cells().len() as u64;
    format!("{seen}, by {} of accesses on {}", count(pairs as u64, "pair"), count(cells, "location"))
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
fn also(page: &mut Page, group: &Group<'_>) {
    let pairs = group.other_pairs();
    if pairs.is_empty() {
        return;
    }
    let side =
        |(kind, at): &(AccessKind, &Place)| format!("the {} at {}:{}", noun(*kind), at.line, at.column);
    let named = if pairs.len() <= PAIRS + 1 { pairs.len() } else { PAIRS };
    let mut text: Vec<String> =
        pairs[..named].iter().map(|[a, b]| format!("{} and {}", side(a), side(b))).collect();
    if pairs.len() > named {
        text.push(format!("and {} more pairs on these lines", grouped((pairs.len() - named) as u64)));
    }
    page.prose(2, Role::Label, "also:", &format!("{}.", text.join("; ")));
}

/// What is said of one cell holds of others.
fn cells(page: &mut Page, group: &Group<'_>) {
    let cells = group.cells().len();
    if cells < 2 {
        return;
    }
    let others = match cells as u64 - 1 {
        1 => "cell".to_owned(),
        n => count(n, "cell"),
    };
    let mut text = format!(
        "shown for {}; on the other {others} the same two places meet, in these or other tasks.",
        safe(&group.shown().location)
    );
    match group.less_sure() as u64 {
        0 => {}
        n => text += &format!(" On {} of them it is less sure.", grouped(n)),
    }
    page.prose(2, Role::Label, "note:", &text);
}

fn side(
    page: &mut Page,
    sources: &Sources,
    snippet: &Snippet,
    location: &str,
    access: &RaceAccess,
    inside: Option<&Inside>,
) {
    let mark = match access.access {
        AccessKind::Read => Role::Read,
        AccessKind::Write => Role::Write,
    };
    let action = memory::action(access, &safe(location));
    page.headline(Role::Strong, 2, &format!("{} {action}", safe(&access.task)));
    snippet.show(page, sources, &access.at, mark);
    if let Some(inside) = inside {
        let verb = action.split(' ').next().unwrap_or_default();
        snippet.inside(page, inside, &format!("{verb} it"));
    }
    snippet.spawns(page, &access.spawned);
    snippet.calls(page, &access.at, &access.stack);
    if !access.locks.is_empty() {
        snippet.note(page, &format!("{} {} here", safe(&access.task), holding(&access.locks)));
    }
}

/// The races this one may only follow from, by their numbers in this report.
fn consequence(index: usize, group: &Group<'_>, owners: &[usize]) -> Option<String> {
    let causes = group.follows_from(index, owners);
    if causes.is_empty() {
        return None;
    }
    let names: Vec<String> = causes.iter().take(5).map(|cause| (cause + 1).to_string()).collect();
    let more = if causes.len() > 5 { " and others" } else { "" };
    let word = if causes.len() == 1 { "race" } else { "races" };
    Some(format!("this may only be a consequence of {word} {}{more}; fix that first.", names.join(", ")))
}

pub(super) fn witness(page: &mut Page, witness: Option<&Witness>) {
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

pub(super) fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{} times", grouped(n)),
    }
}
