//! Deadlocks in prose: who waits for what, who holds it, and the circle if there is one.

use super::cause::deadlock_id;
use super::snippet::Snippet;
use super::sources::Sources;
use super::style::{Page, Role, count, safe};
use super::view;
use raceproof_core::finding::{Deadlock, Place, Waiting};
use rustc_hash::FxHashMap;
use std::iter;

/// Waiting tasks shown before "and N more".
const SHOWN: usize = 12;

pub(super) fn render(page: &mut Page, sources: &Sources, deadlock: &Deadlock) {
    let id = deadlock_id(deadlock, sources);
    let waiting = &view::deadlock(deadlock, sources).waiting;
    let circle = circle(waiting);
    let spins = waiting.iter().find(|waiting| waiting.on == "change").filter(|_| circle.is_empty());
    let headline = if let Some(spinning) = spins {
        let (task, what) = (safe(&spinning.task), changed(spinning));
        format!("livelock: {task} spins, and nobody is left to change {what}")
    } else if circle.is_empty() {
        format!("{} can never go on", tasks(waiting.len()))
    } else if circle.len() == 1 {
        format!("{} waits for itself", safe(&waiting[circle[0]].task))
    } else {
        format!("{} wait for each other in a circle", tasks(circle.len()))
    };
    // The circle in its own order, then those who merely wait for it.
    let rest = (0..waiting.len()).filter(|i| !circle.contains(i));
    let order: Vec<usize> = circle.iter().copied().chain(rest).collect();
    let unknown = Place { file: String::new(), line: 0, column: 0 };
    let first = order.first().map_or(&unknown, |&i| &waiting[i].at);
    let kind = if spins.is_some() { "" } else { "deadlock: " };
    page.finding(first, "error", &format!("{kind}{headline} [{id}]"));
    let in_circle = if circle.is_empty() { order.len() } else { circle.len() };
    for &i in order.iter().take(in_circle.min(SHOWN)).skip(1) {
        let Waiting { task, at, .. } = &waiting[i];
        page.finding(at, "note", &format!("{} waits here", safe(task)));
    }
    let snippet = Snippet::for_places(waiting.iter().flat_map(|w| iter::once(&w.at).chain(&w.holder_ended)));
    for &i in order.iter().take(SHOWN) {
        page.blank();
        show(page, sources, &snippet, &waiting[i]);
    }
    if order.len() > SHOWN {
        page.blank();
        page.prose(2, Role::Label, "", &format!("and {} more", tasks(order.len() - SHOWN)));
    }
    if circle.len() > 1 {
        page.blank();
        let link = |&i: &usize| format!("waits for {}", wanted(&waiting[i]));
        let links: Vec<String> = circle.iter().map(link).collect();
        let text = format!("{} {}.", safe(&waiting[circle[0]].task), links.join(", which "));
        page.prose(2, Role::Label, "circle:", &text);
    }
}

fn show(page: &mut Page, sources: &Sources, snippet: &Snippet, waiting: &Waiting) {
    page.headline(Role::Strong, 2, &format!("{} waits for {}", safe(&waiting.task), wanted(waiting)));
    snippet.show(page, sources, &waiting.at, Role::Read);
    snippet.spawns(page, &waiting.spawned);
    snippet.calls(page, &waiting.at, &waiting.stack);
    if let (Some(holder), Some(taken)) = (&waiting.held_by, &waiting.holder_ended)
        && taken.line > 0
    {
        page.blank();
        page.headline(Role::Strong, 2, &format!("{} took it", safe(holder)));
        snippet.show(page, sources, taken, Role::Write);
    }
}

/// What a task waits for, and whose turn it would be: `lock l, held by main/2`. Without a known
/// holder: what is certain once no task can move.
pub(super) fn wanted(waiting: &Waiting) -> String {
    let (on, what) = (safe(&waiting.on), safe(&waiting.what));
    let named = !what.is_empty() && what != on;
    let made = if named { format!(" {what}") } else { String::new() };
    let holder = waiting.held_by.as_deref().map(safe);
    match (on.as_str(), holder) {
        ("promise", _) if named => format!("the promise{made}, which nobody is left to set"),
        ("promise", _) => "a promise, which nobody is left to set".to_owned(),
        ("future", Some(task)) if named => format!("the end of {task}, the future{made}"),
        ("future", Some(task)) => format!("the end of {task}, a future"),
        ("future", None) => format!("the end of {} future{made}", if named { "the" } else { "a" }),
        ("task" | "thread", Some(task)) => format!("the end of {task}"),
        ("thread", None) => "the end of a thread".to_owned(),
        ("threads", _) => "the end of all threads, since main has called pthread_exit".to_owned(),
        ("unpark", _) => "`unpark`, which nobody is left to call".to_owned(),
        ("condition variable", _) => format!("condition variable{made}, which nobody is left to notify"),
        ("futex", _) => {
            format!("a lock, a channel or a condition{made}, which nobody is left to release, fill or notify")
        }
        ("change", _) => format!("a change of {}, which nobody is left to make", changed(waiting)),
        ("barrier", _) => format!("barrier{made}, which others never come to"),
        ("task", None) => "the end of a task".to_owned(),
        ("detach event", _) => "its event, which nobody is left to fulfill".to_owned(),
        ("finish", Some(task)) => format!("the end of a finish that {task} keeps open"),
        ("finish", None) => "the end of a finish".to_owned(),
        ("isolated", Some(task)) => format!("the isolated section, held by {task}"),
        ("isolated", None) => "the isolated section".to_owned(),
        ("event", _) => format!("event{made}, which nobody is left to post"),
        ("semaphore", _) => format!("semaphore{made}, with nobody left to do a V on it"),
        (on, Some(task)) if waiting.holder_ended.is_some() => {
            format!("{on}{made}, held by {task}, which has ended without releasing it")
        }
        (on, Some(task)) => format!("{on}{made}, held by {task}"),
        (on, None) => format!("{on}{made}"),
    }
}

/// What a task looks at that spins.
fn changed(waiting: &Waiting) -> String {
    let what = safe(&waiting.what);
    if what.is_empty() { "what it looks at".to_owned() } else { what }
}

fn tasks(n: usize) -> String {
    count(n as u64, "task")
}

/// Who has to go on first; nobody can if the holder has ended, whatever task has its name now.
fn held_up_by(waiting: &Waiting) -> Option<&str> {
    waiting.held_by.as_deref().filter(|_| waiting.holder_ended.is_none())
}

/// The waiting tasks that form a circle, each held up by the next one; empty if there is none.
fn circle(waiting: &[Waiting]) -> Vec<usize> {
    let by_task: FxHashMap<&str, usize> =
        waiting.iter().enumerate().rev().map(|(i, w)| (w.task.as_str(), i)).collect();
    let next = |i: usize| held_up_by(&waiting[i]).and_then(|task| by_task.get(task).copied());
    // The walk on which a task was last met: meeting it again on the same walk closes a circle.
    let mut met = vec![usize::MAX; waiting.len()];
    for start in 0..waiting.len() {
        let mut at = start;
        while met[at] == usize::MAX {
            met[at] = start;
            match next(at) {
                Some(to) => at = to,
                None => break,
            }
        }
        if met[at] == start && next(at).is_some() {
            let mut circle = vec![at];
            let mut to = next(at);
            while let Some(i) = to.filter(|&i| i != at) {
                circle.push(i);
                to = next(i);
            }
            return circle;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(edges: &[(&str, Option<&str>)]) -> Vec<Waiting> {
        let one = |(task, held_by): &(&str, Option<&str>)| Waiting {
            task: task.to_string(),
            on: "lock".into(),
            what: "l".into(),
            held_by: held_by.map(str::to_owned),
            holder_ended: None,
            at: Place { file: "f.tp".into(), line: 1, column: 1 },
            stack: vec![],
            spawned: vec![],
        };
        edges.iter().map(one).collect()
    }

    #[test]
    fn a_circle_is_found_wherever_the_walk_starts() {
        assert_eq!(circle(&waits(&[("a", Some("b")), ("b", Some("a"))])), [0, 1]);
        assert_eq!(circle(&waits(&[("a", Some("b")), ("b", Some("c")), ("c", Some("b"))])), [1, 2]);
        assert_eq!(
            circle(&waits(&[("a", None), ("b", Some("a")), ("c", Some("d")), ("d", Some("c"))])),
            [2, 3]
        );
        assert_eq!(circle(&waits(&[("a", Some("a"))])), [0]);
    }

    #[test]
    fn no_circle_without_one() {
        assert!(circle(&[]).is_empty());
        assert!(circle(&waits(&[("a", None)])).is_empty());
        assert!(circle(&waits(&[("a", Some("b")), ("b", None), ("c", Some("a"))])).is_empty());
        assert!(circle(&waits(&[("a", Some("gone"))])).is_empty());
    }
}
