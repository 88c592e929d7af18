//! A witness played back: what each task did on the way to a finding, action by action.
//!
//! One replay gives one [`Playback`], whatever the front end. The page of `--format html` steps
//! through it; `replay --step` prints it.

use raceproof_core::finding::Place;
use serde::{Deserialize, Serialize};

/// What a finding's witness did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Playback {
    #[serde(flatten)]
    pub of: Of,
    /// The lanes: tasks by their spawn paths, in the order of their first actions.
    pub tasks: Vec<String>,
    /// How many actions at the beginning are left out, because there were too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Values that locations have before the first of `actions`, as far as they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Value>,
    pub actions: Vec<Action>,
    /// Of a race: which of `actions` are its two accesses. They are next to each other and last: the
    /// witness ends where both are about to happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub racing: Option<[u32; 2]>,
}

/// Which finding of the report: an index into its list. Serialised as `"race": 0`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    Race(u32),
    Deadlock(u32),
    Error(u32),
}

/// What a location holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Value {
    pub location: String,
    pub value: String,
}

/// One thing that one task did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Action {
    /// Its lane: an index into [`Playback::tasks`].
    pub task: u32,
    pub op: Op,
    /// In words, without the task: `writes x: 1`, `spawns main/2`.
    pub text: String,
    #[serde(flatten)]
    pub at: Option<Place>,
    /// The location of a read or write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// What it holds afterwards, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether a schedule counts it: see
    /// [`Event::is_action`](raceproof_core::event::Event::is_action).
    pub counted: bool,
}

/// The kind of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    Read,
    Write,
    Spawn,
    End,
    /// The end of a finish, a `taskwait`, a `taskgroup`, a scope: everybody waited for has ended.
    Join,
    /// Into an isolated section, a lock or a critical section.
    Acquire,
    Release,
    /// Of a promise, or the value of a future.
    Set,
    /// Of a promise or a future, after waiting.
    Get,
    /// Of an event.
    Post,
    Wait,
    /// Of a semaphore: P.
    Take,
    /// Of a semaphore: V.
    Give,
    Barrier,
    /// The task fails: a program error.
    Fail,
    /// The task cannot continue: it is part of a deadlock.
    Stuck,
    Other,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_playback_is_written_as_documented() {
        let at = Place { file: "f.tp".into(), line: 9, column: 13 };
        let write = Action {
            task: 1,
            op: Op::Write,
            text: "writes x: 1".into(),
            at: Some(at),
            location: Some("x".into()),
            value: Some("1".into()),
            counted: true,
        };
        let end = Action {
            task: 1,
            op: Op::End,
            text: "ends".into(),
            at: None,
            location: None,
            value: None,
            counted: false,
        };
        let playback = Playback {
            of: Of::Race(0),
            tasks: vec!["main".into(), "main/1".into()],
            left_out: 0,
            before: Vec::new(),
            actions: vec![write, end],
            racing: Some([0, 1]),
        };
        let text = serde_json::to_string(&playback).unwrap();
        assert_eq!(
            text,
            "{\"race\":0,\"tasks\":[\"main\",\"main/1\"],\"actions\":[\
             {\"task\":1,\"op\":\"write\",\"text\":\"writes x: 1\",\"file\":\"f.tp\",\"line\":9,\"column\":13,\
             \"location\":\"x\",\"value\":\"1\",\"counted\":true},\
             {\"task\":1,\"op\":\"end\",\"text\":\"ends\",\"counted\":false}],\"racing\":[0,1]}"
        );
        assert_eq!(serde_json::from_str::<Playback>(&text).unwrap(), playback);
    }
}
