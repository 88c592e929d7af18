//! A replay as text: its actions, if they are wanted, and what it led to, with the lines of the
//! source.

use crate::playback::{Action, Playback};
use raceproof_core::finding::Place;
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
    pub playback: Playback,
    /// All that can be seen at the end: a schedule can lead to several races at once.
    pub ends: Vec<End>,
}

/// `1 action`, `2 actions`.
pub fn count(actions: u64) -> String {
    format!("{actions} action{}", if actions == 1 { "" } else { "s" })
}

/// The text of a replay of the program whose source is `source`; with all its actions if
/// `show_actions` says so.
pub fn render(replayed: &Replayed, source: &str, show_actions: bool) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let line = |at: &Place| lines.get(at.line as usize - 1).copied().unwrap_or_default();
    let mut out = if show_actions { actions(&replayed.playback, line) } else { String::new() };
    let mut standing = |task: &str, what: &str, at: Option<&Place>| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  {task} {what}");
        if let Some(at) = at {
            let _ = writeln!(out, "    --> {}:{}:{}", at.file, at.line, at.column);
            let _ = writeln!(out, "  {:>4} | {}", at.line, line(at));
        }
    };
    let counted = replayed.playback.on_the_way().iter().filter(|action| action.counted).count() as u64;
    let actions = count(counted + replayed.playback.left_out);
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

/// The actions of a replay, a line each, and an empty line; `line` gives the line of the source at
/// a place. Files are named where there are several.
pub fn actions<'s>(playback: &Playback, line: impl Fn(&Place) -> &'s str) -> String {
    let mut out = String::new();
    let actions = playback.on_the_way();
    let width = playback.tasks.iter().map(String::len).max().unwrap_or(0).min(24);
    let mut files = actions.iter().filter_map(|action| action.at.as_ref()).map(|at| &at.file);
    let several = files.next().is_some_and(|first| files.any(|file| file != first));
    if playback.left_out > 0 {
        let _ = writeln!(out, "{:>5}  {} left out", "…", count(playback.left_out));
    }
    for (number, Action { task, text, at, .. }) in (playback.left_out + 1..).zip(actions) {
        let task = playback.tasks.get(*task as usize).map(String::as_str).unwrap_or_default();
        let _ = match at {
            Some(at) => {
                let file = if several { format!("{}:", at.file) } else { String::new() };
                let shown = format!("{file}{}:{}  {}", at.line, at.column, line(at).trim());
                writeln!(out, "{number:>5}  {task:width$}  {text:32} {}", shown.trim_end())
            }
            None => writeln!(out, "{number:>5}  {task:width$}  {text}"),
        };
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playback::{Of, Op, Recorder};

    #[test]
    fn only_actions_are_counted() {
        let at = Place { file: "f.tp".into(), line: 1, column: 3 };
        let mut recorder = Recorder::new(10);
        // The count does not depend on the words: a program may call a variable anything.
        for (op, text, counted) in [
            (Op::Write, "writes ends: 1", true),
            (Op::Release, "leaves the lock l", false),
            (Op::End, "ends", false),
        ] {
            recorder.push("main", Action { counted, ..Action::new(op, text, Some(at.clone())) });
        }
        let playback = recorder.finish(Of::Deadlock(0));
        let at = Some(Place { file: "f.tp".into(), line: 2, column: 1 });
        let stuck = Standing { task: "main".into(), what: "waits for a promise".into(), at };
        let text = render(&Replayed { playback, ends: vec![End::Deadlock(vec![stuck])] }, "a\n  b\n", true);
        assert_eq!(
            text,
            "    1  main  writes ends: 1                   1:3  a\n    \
                 2  main  leaves the lock l                1:3  a\n    \
                 3  main  ends                             1:3  a\n\n  \
               main waits for a promise\n    --> f.tp:2:1\n     2 |   b\n\n\
             reproduced: after 1 action nobody can go on\n"
        );
    }

    #[test]
    fn what_is_left_out_is_said_and_several_files_are_named() {
        let at = |file: &str, line| Some(Place { file: file.into(), line, column: 1 });
        let mut recorder = Recorder::new(2);
        recorder.push("main", Action::new(Op::Write, "writes x", at("a.c", 1)));
        recorder.push("main", Action::new(Op::Spawn, "creates main/t1", at("a.c", 2)));
        recorder.push("main/t1", Action::new(Op::Read, "reads x", at("b.c", 3)));
        let text = actions(&recorder.finish(Of::Race(0)), |at| if at.file == "b.c" { " y = x;" } else { "" });
        assert_eq!(
            text,
            "    …  1 action left out\n    \
                 2  main     creates main/t1                  a.c:2:1\n    \
                 3  main/t1  reads x                          b.c:3:1  y = x;\n\n"
        );
    }
}
