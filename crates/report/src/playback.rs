//! A witness played back: what each task did on the way to a finding, action by action.
//!
//! One replay gives one [`Playback`], whatever the front end. The page of `--format html` steps
//! through it; `replay --step` prints it.

use crate::deadlock::wanted;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Deadlock, Operation, Place, ProgramError, Race, RaceAccess};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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

impl Action {
    /// One that accesses nothing.
    pub fn new(op: Op, text: impl Into<String>, at: Option<Place>) -> Action {
        Action { task: 0, op, text: text.into(), at, location: None, value: None, counted: false }
    }

    /// An access that a task is about to make, after the last action of the witness; the location
    /// holds a value until then, if it is known.
    fn about_to(location: &str, side: &RaceAccess, held: Option<&str>) -> Action {
        let (op, verb) = match (side.access, side.operation) {
            (_, Operation::Free) => (Op::Write, "frees"),
            (AccessKind::Read, _) => (Op::Read, "reads"),
            (AccessKind::Write, _) => (Op::Write, "writes"),
        };
        let atomically = if side.operation == Operation::Atomic { ", atomically" } else { "" };
        let held = held.map_or_else(String::new, |value| format!(", which holds {value}"));
        let text = format!("{verb} {location}{atomically}{held}");
        Action { location: Some(location.to_owned()), ..Action::new(op, text, Some(side.at.clone())) }
    }
}

impl Playback {
    /// The actions that the witness counts, with what comes between them; not what it leads to.
    pub fn on_the_way(&self) -> &[Action] {
        let over = |(index, action): (usize, &Action)| {
            self.racing.is_some_and(|racing| racing.contains(&(index as u32)))
                || matches!(action.op, Op::Fail | Op::Stuck)
        };
        let end = self.actions.iter().enumerate().position(over).unwrap_or(self.actions.len());
        &self.actions[..end]
    }
}

/// Gathers the actions of one replay into a [`Playback`]. Of a long one it keeps the last.
#[derive(Debug)]
pub struct Recorder {
    most: usize,
    /// Each with its task: lanes are numbered at the end.
    kept: VecDeque<(String, Action)>,
    left_out: u64,
    before: BTreeMap<String, String>,
    /// Which of all actions are the racing accesses.
    racing: Vec<u64>,
}

impl Recorder {
    /// One that keeps at most so many actions.
    pub fn new(most: usize) -> Recorder {
        let (kept, before, racing) = (VecDeque::new(), BTreeMap::new(), Vec::new());
        Recorder { most: most.max(1), kept, left_out: 0, before, racing }
    }

    /// How many actions there were, those left out included.
    pub fn count(&self) -> u64 {
        self.left_out + self.kept.len() as u64
    }

    /// The actions from the `from`th of all on, as far as they are kept.
    pub fn since(&self, from: u64) -> impl Iterator<Item = (u64, &str, &Action)> {
        let skip = from.saturating_sub(self.left_out) as usize;
        let numbered = (self.left_out..).zip(&self.kept).skip(skip);
        numbered.map(|(number, (task, action))| (number, task.as_str(), action))
    }

    /// So many actions come before all others and are not recorded.
    pub fn skip(&mut self, actions: u64) {
        self.left_out += actions;
    }

    /// A location holds a value before the first action, if there is one; asked for once.
    pub fn holds(&mut self, location: &str, value: impl FnOnce() -> Option<String>) {
        if !self.before.contains_key(location)
            && let Some(value) = value()
        {
            self.before.insert(location.to_owned(), value);
        }
    }

    /// The next action.
    pub fn push(&mut self, task: impl Into<String>, action: Action) {
        self.kept.push_back((task.into(), action));
        if self.kept.len() > self.most
            && let Some((_, gone)) = self.kept.pop_front()
        {
            self.left_out += 1;
            if let (Some(location), Some(value)) = (gone.location, gone.value) {
                self.before.insert(location, value);
            }
        }
    }

    /// One of the two accesses of the race is the action with this number, which becomes the last.
    pub fn races(&mut self, action: u64) {
        let keep = action.saturating_add(1).saturating_sub(self.left_out);
        self.kept.truncate(usize::try_from(keep).unwrap_or(usize::MAX));
        self.racing.push(action);
    }

    /// What a location holds after the last action, if that is known.
    fn held(&self, location: &str) -> Option<String> {
        let accessed = self.kept.iter().rev().map(|(_, action)| action);
        let mut known = accessed.filter(|action| action.location.as_deref() == Some(location));
        // An access without a value may have changed it.
        match known.next() {
            Some(action) => action.value.clone(),
            None => self.before.get(location).cloned(),
        }
    }

    /// The witness leads to this race, and the accesses have not been made.
    pub fn end_in_race(&mut self, race: &Race) {
        self.racing.clear();
        let held = self.held(&race.location);
        for side in [&race.first, &race.second] {
            let next = self.count();
            self.push(side.task.clone(), Action::about_to(&race.location, side, held.as_deref()));
            self.races(next);
        }
    }

    /// The witness leads to this deadlock.
    pub fn end_in_deadlock(&mut self, deadlock: &Deadlock) {
        for waiting in &deadlock.waiting {
            let action = Action::new(Op::Stuck, format!("waits for {}", wanted(waiting)), known(&waiting.at));
            self.push(waiting.task.clone(), action);
        }
    }

    /// The witness leads to this error.
    pub fn end_in_error(&mut self, error: &ProgramError) {
        let action = Action::new(Op::Fail, format!("fails: {}", error.message), known(&error.at));
        self.push(error.task.clone(), action);
    }

    /// The playback of a finding.
    pub fn finish(self, of: Of) -> Playback {
        let mut tasks: Vec<String> = Vec::new();
        let mut lanes: BTreeMap<String, u32> = BTreeMap::new();
        let lane = |(task, action): (String, Action)| {
            let next = tasks.len() as u32;
            let number = *lanes.entry(task.clone()).or_insert(next);
            if number == next {
                tasks.push(task);
            }
            Action { task: number, ..action }
        };
        let actions: Vec<Action> = self.kept.into_iter().map(lane).collect();
        let accessed: BTreeSet<&String> =
            actions.iter().filter_map(|action| action.location.as_ref()).collect();
        let before = self.before.into_iter().filter(|(location, _)| accessed.contains(location));
        let before = before.map(|(location, value)| Value { location, value }).collect();
        let index = |&number: &u64| u32::try_from(number.checked_sub(self.left_out)?).ok();
        let racing = self.racing.iter().filter_map(index).collect::<Vec<u32>>().try_into().ok();
        Playback { of, tasks, left_out: self.left_out, before, actions, racing }
    }
}

/// A playback that goes on.
impl From<Playback> for Recorder {
    fn from(playback: Playback) -> Recorder {
        let Playback { tasks, left_out, before, actions, racing, .. } = playback;
        let task = |action: &Action| tasks.get(action.task as usize).cloned().unwrap_or_default();
        Recorder {
            most: usize::MAX,
            kept: actions.into_iter().map(|action| (task(&action), action)).collect(),
            left_out,
            before: before.into_iter().map(|Value { location, value }| (location, value)).collect(),
            racing: racing.iter().flatten().map(|&index| left_out + u64::from(index)).collect(),
        }
    }
}

/// A place, unless it is one that is not known.
fn known(at: &Place) -> Option<Place> {
    (at.line > 0).then(|| at.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(location: &str, value: u64) -> Action {
        let action = Action::new(Op::Write, format!("writes {location}: {value}"), None);
        Action { location: Some(location.into()), value: Some(value.to_string()), ..action }
    }

    #[test]
    fn of_a_long_replay_the_last_actions_and_the_values_before_them_are_kept() {
        let mut recorder = Recorder::new(4);
        for number in 0..10 {
            recorder
                .push(format!("main/{}", 1 + number % 2), write(["x", "y"][(number % 2) as usize], number));
        }
        recorder.races(9);
        recorder.push("main/3", write("z", 10));
        recorder.push("main/3", Action::new(Op::End, "ends", None));
        recorder.races(10);
        let playback = recorder.finish(Of::Race(4));
        let texts: Vec<&str> = playback.actions.iter().map(|action| &*action.text).collect();
        assert_eq!(texts, ["writes x: 8", "writes y: 9", "writes z: 10"]);
        assert_eq!(playback.tasks, ["main/1", "main/2", "main/3"]);
        assert_eq!(playback.actions.iter().map(|action| action.task).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!((playback.left_out, playback.racing), (8, Some([1, 2])));
        let before: Vec<(&str, &str)> =
            playback.before.iter().map(|value| (&*value.location, &*value.value)).collect();
        assert_eq!(before, [("x", "6"), ("y", "7")]);
        assert_eq!(playback.on_the_way().len(), 1);
        assert_eq!(Recorder::from(playback.clone()).finish(Of::Race(4)), playback);
    }

    #[test]
    fn a_race_of_which_an_access_is_left_out_is_not_marked() {
        let mut recorder = Recorder::new(1);
        recorder.push("main", write("x", 1));
        recorder.races(0);
        recorder.push("main", write("x", 2));
        recorder.races(1);
        assert_eq!(recorder.finish(Of::Race(0)).racing, None);
    }

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
