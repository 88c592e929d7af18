//! A cause of races in the text report: a line that editors understand, both places with their
//! source, the memory, why nothing orders them, and what would.

use super::advice::{Advice, holding, noun};
use super::cause::Group;
use super::memory;
use super::snippet::{Snippet, is_library, place_name};
use super::sources::Sources;
use super::style::{Page, Role, count, grouped, safe};
use super::view::{self, Inside, UserRace};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{EnteredSection, Grade, Operation, Place, Race, RaceAccess, Witness};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Cells named before "and N more".
const NAMED: usize = 3;

/// Pairs of accesses named before "and N more".
const PAIRS: usize = 4;

/// All causes, as many as are to be shown.
pub(super) fn all(page: &mut Page, sources: &Sources, groups: &[Group<'_>], owners: &[usize]) {
    let mut given = FxHashMap::default();
    for (i, group) in groups.iter().take(page.style.findings).enumerate() {
        render(page, sources, i, group, owners, &mut given);
        page.blank();
    }
}

/// One cause. `given` has the advice of those before it, with their numbers.
fn render(
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
    let on = if race.location == group.shown().location { locations(group) } else { safe(what) };
    let headline = format!("race {} on {on}: {}, {}", index + 1, grade(race), extent(group, in_library));
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
    for (label, text) in labelled(&shown, sources) {
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
    } else if page.style.ranks {
        page.prose(
            2,
            Role::Label,
            "note:",
            "fix this first: only races that are to be fixed first can have caused it.",
        );
    }
    witness(page, sources, race.witness.as_ref(), [&race.first.task, &race.second.task]);
}

/// Why nothing orders the two accesses, and what would: `why:`, `fix:` and `hint:`, each with its
/// text. Of a trace that does not tell how its tasks came about, no more than that.
pub(crate) fn labelled(shown: &UserRace, sources: &Sources) -> Vec<(&'static str, String)> {
    let race = &shown.race;
    if !race.fork.is_empty() {
        return Advice::of_shown(shown, sources).labelled();
    }
    let (first, second) = (safe(&race.first.task), safe(&race.second.task));
    let why = match first == second {
        true => "the order of the analysis leaves the two accesses unordered.".to_owned(),
        false => format!("nothing in the trace orders what {first} and {second} do here."),
    };
    let hint = "let one of the two wait for the other, or hold the same lock on both sides.".to_owned();
    vec![("why:", why), ("hint:", hint)]
}

/// The same as two texts: why, and what would. What no test can apply is marked as a hint.
pub(crate) fn explained(shown: &UserRace, sources: &Sources) -> (String, String) {
    let mut texts = labelled(shown, sources).into_iter();
    let why = texts.next().map(|(_, why)| why).unwrap_or_default();
    let ways: Vec<String> =
        texts.map(|(label, text)| if label == "hint:" { format!("(Hint) {text}") } else { text }).collect();
    (why, ways.join(" "))
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
    let mut cells = group.cells();
    // Blocks without a name are counted only, if something has one.
    cells.sort_by_key(|cell| view::source_name(cell).is_none());
    // "and 1 more cell" would be longer than the cell, unless that has no name.
    let nameless = cells.iter().skip(1).any(|cell| view::source_name(cell).is_none());
    let named = if nameless {
        cells.iter().take_while(|cell| view::source_name(cell).is_some()).count().clamp(1, NAMED)
    } else if cells.len() <= NAMED + 1 {
        cells.len()
    } else {
        NAMED
    };
    let names: Vec<String> = cells[..named].iter().map(|cell| safe(cell)).collect();
    let mut text = names.join(", ");
    if cells.len() > named {
        text += &format!(" … and {}", count((cells.len() - named) as u64, "more cell"));
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

/// The schedule that shows a finding of these tasks, and the order of sections that brings it about.
pub(super) fn witness(page: &mut Page, sources: &Sources, witness: Option<&Witness>, tasks: [&str; 2]) {
    let Some(witness) = witness else { return };
    let actions = witness.schedule.iter().fold(0u64, |sum, segment| sum.saturating_add(segment.actions));
    let mut text = format!("a schedule of {} leads here.", count(actions, "action"));
    for sentence in sections_in_order(witness, sources, tasks) {
        text += &format!(" {sentence}");
    }
    page.prose(2, Role::Label, "witness:", &text);
}

/// The order of sections that brings a finding of these tasks about, in sentences.
pub(super) fn sections_in_order(witness: &Witness, sources: &Sources, tasks: [&str; 2]) -> Vec<String> {
    let at = |section: &EnteredSection| match &section.at {
        // Who called the library there is not known.
        Some(at) if is_library(at) => String::new(),
        Some(at) => format!(" at {}", place_name(&view::place(at, sources))),
        None => String::new(),
    };
    let sentence = |(before, after): (&EnteredSection, &EnteredSection)| {
        let (one, other, lock) = (safe(&before.task), safe(&after.task), safe(&before.lock));
        format!("In it {one} enters {lock}{} before {other}{}.", at(before), at(after))
    };
    order_of_sections(&witness.sections, tasks).into_iter().map(sentence).collect()
}

/// Pairs of sections of one lock, whose order matters to a finding of these tasks: of every lock
/// that both take, the last of each; else the last time that a lock changed hands.
fn order_of_sections<'a>(
    sections: &'a [EnteredSection],
    tasks: [&str; 2],
) -> Vec<(&'a EnteredSection, &'a EnteredSection)> {
    const TOLD: usize = 2;
    let mut locks: Vec<&str> = sections.iter().rev().map(|section| section.lock.as_str()).collect();
    let mut seen = FxHashSet::default();
    locks.retain(|lock| seen.insert(*lock));
    let last = |lock: &str, task: &str| {
        sections.iter().rposition(|section| section.lock == lock && section.task == task)
    };
    let both = |lock: &&str| {
        let (one, other) = (last(lock, tasks[0])?, last(lock, tasks[1])?);
        (one != other).then(|| (&sections[one.min(other)], &sections[one.max(other)]))
    };
    let told: Vec<_> = locks.iter().filter_map(both).take(TOLD).collect();
    if !told.is_empty() {
        return told;
    }
    let change = |at: usize| {
        let after = &sections[at];
        let before = sections[..at].iter().rfind(|before| before.lock == after.lock)?;
        (before.task != after.task).then_some((before, after))
    };
    (0..sections.len()).rev().find_map(change).into_iter().collect()
}

fn grade(race: &Race) -> &'static str {
    match race.grade {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sections: &[(&str, &str)], tasks: [&str; 2]) -> Vec<String> {
        let entered =
            |&(task, lock): &(&str, &str)| EnteredSection { task: task.into(), lock: lock.into(), at: None };
        let sections: Vec<EnteredSection> = sections.iter().map(entered).collect();
        let pairs = order_of_sections(&sections, tasks);
        pairs
            .iter()
            .map(|(before, after)| format!("{} {} {}", before.lock, before.task, after.task))
            .collect()
    }

    #[test]
    fn sections_of_the_tasks_themselves_are_told_first() {
        let sections = [("a", "l"), ("b", "l"), ("c", "l"), ("a", "m"), ("b", "m")];
        assert_eq!(told(&sections, ["b", "a"]), ["m a b", "l a b"]);
        assert_eq!(told(&sections, ["c", "a"]), ["l a c"]);
        assert_eq!(told(&sections, ["x", "y"]), ["m a b"]);
        assert!(told(&[("a", "l"), ("a", "l")], ["a", "b"]).is_empty());
        assert!(told(&[], ["a", "b"]).is_empty());
    }
}
