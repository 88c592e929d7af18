//! A replay as text: its steps, if they are wanted, and what it led to, with the lines of the
//! source.

use raceproof_core::finding::{Place, ReplayStep};
use std::fmt::Write as _;

/// What a replay led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Two tasks stand before conflicting accesses of one location.
    Race { location: String, first: Standing, second: Standing },
    /// Nobody can go on.
    Deadlock(Vec<Standing>),
    /// A task has failed.
    Error { kind: &'static str, message: String, task: String, at: Place },
}

/// A task and what it is about to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    pub task: String,
    pub what: String,
    pub at: Option<Place>,
}

/// A replay that came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    pub steps: Vec<ReplayStep>,
    /// All that can be seen at the end: a schedule can lead to several races at once.
    pub ends: Vec<End>,
}

/// `1 action`, `2 actions`.
pub fn count(actions: u64) -> String {
    format!("{actions} action{}", if actions == 1 { "" } else { "s" })
}

/// The text of a replay of the program whose source is `source`; with all its steps if `show_steps`
/// says so.
pub fn render(replayed: &Replayed, source: &str, show_steps: bool) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let line = |at: &Place| lines.get(at.line as usize - 1).copied().unwrap_or_default();
    let mut out = if show_steps { steps(&replayed.steps, line) } else { String::new() };
    let mut standing = |task: &str, what: &str, at: Option<&Place>| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {task} {what}");
        if let Some(at) = at {
            let _ = writeln!(out, "    --> {}:{}:{}", at.file, at.line, at.column);
            let _ = writeln!(out, "  {:>4} | {}", at.line, line(at));
        }
    };
    let actions = count(replayed.steps.iter().filter(|step| step.is_action).count() as u64);
    let mut summaries = Vec::new();
    for end in &replayed.ends {
        summaries.push(match end {
            End::Race { location, first, second } => {
                for side in [first, second] {
                    let what = format!("is about to {} {location}", side.what.trim_end_matches('s'));
                    standing(&side.task, &what, side.at.as_ref());
                }
                format!(
                    "reproduced: after {actions} both accesses of {location} are next, one right after the other"
                )
            }
            End::Deadlock(stuck) => {
                for side in stuck {
                    standing(&side.task, &side.what, side.at.as_ref());
                }
                format!("reproduced: after {actions} nobody can go on")
            }
            End::Error { kind, message, task, at } => {
                standing(task, &format!("fails ({kind}): {message}"), Some(at));
                format!("reproduced: the program error comes after {actions}")
            }
        });
    }
    out.push('\n');
    for summary in summaries {
        let _ = writeln!(out, "{summary}");
    }
    out
}

/// The steps of a replay, a line each, and an empty line; `line` gives the line of the source at a
/// place.
pub fn steps<'s>(steps: &[ReplayStep], line: impl Fn(&Place) -> &'s str) -> String {
    let mut out = String::new();
    let width = steps.iter().map(|step| step.task.len()).max().unwrap_or(0).min(24);
    for (number, ReplayStep { task, what, at, .. }) in (1..).zip(steps) {
        let _ = match at {
            Some(at) => writeln!(
                out,
                "{number:>5}  {task:width$}  {what:32} {}:{}  {}",
                at.line,
                at.column,
                line(at).trim()
            ),
            None => writeln!(out, "{number:>5}  {task:width$}  {what}"),
        };
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_actions_are_counted() {
        let step = |what: &str, is_action| ReplayStep {
            task: "main".into(),
            what: what.into(),
            at: Some(Place { file: "f.tp".into(), line: 1, column: 3 }),
            is_action,
        };
        // The count does not depend on the words: a program may call a variable anything.
        let steps = vec![step("writes ends: 1", true), step("leaves the lock l", false), step("ends", false)];
        let at = Some(Place { file: "f.tp".into(), line: 2, column: 1 });
        let stuck = Standing { task: "main".into(), what: "waits for a promise".into(), at };
        let text = render(&Replayed { steps, ends: vec![End::Deadlock(vec![stuck])] }, "a\n  b\n", true);
        assert_eq!(
            text,
            "    1  main  writes ends: 1                   1:3  a\n    \
                 2  main  leaves the lock l                1:3  a\n    \
                 3  main  ends                             1:3  a\n\n  \
               main waits for a promise\n    --> f.tp:2:1\n     2 |   b\n\n\
             reproduced: after 1 action nobody can go on\n"
        );
    }
}
