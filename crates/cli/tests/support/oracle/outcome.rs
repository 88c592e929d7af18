//! What an exploration found, in the names of LANGUAGE.md and with lines and columns.

use super::local::Machine;
use super::state::*;
use raceproof_tp::source::LineIndex;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub races: BTreeSet<Race>,
    /// The shared memory at the end of the runs in which every task ended.
    pub final_states: BTreeSet<Memory>,
    /// For every way to get stuck, who waits for what.
    pub deadlocks: BTreeSet<Vec<Blocked>>,
    /// The shared memory of the stuck states.
    pub deadlock_states: BTreeSet<Memory>,
    pub errors: BTreeSet<ProgramError>,
    /// False when a limit was reached; then more may exist than was found.
    pub complete: bool,
    pub states: usize,
    /// Whether all schedules come to the same end: one final memory, or one deadlock, or one error.
    /// Runs without end are not considered.
    pub determinate: bool,
}

impl Outcome {
    /// The distinct locations that have a race.
    pub fn racy_locations(&self) -> BTreeSet<&str> {
        self.races.iter().map(|race| race.location.as_str()).collect()
    }
}

/// Two sites at which two tasks can be about to access one location.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Race {
    /// `x`, `a[3]` or `new@LINE[i]`.
    pub location: String,
    /// The smaller side first.
    pub sides: (Side, Side),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Side {
    pub access: Access,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    Read,
    Write,
}

/// The value of every cell of a `var` (`x`, `a[0]`), of every array made by `new`
/// (`main/1:new2[0]`: the second one that `main/1` made), and of every promise and future
/// (`main:promise1`), written out. A promise that is not set has the value `unset`, a reference is
/// `&` and a name.
pub type Memory = BTreeMap<String, String>;

/// A task that has not ended and cannot move.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Blocked {
    pub task: String,
    /// `get main:promise1`, `await main:promise1 main:promise2`, `lock l`, `isolated`, `P s`, `wait
    /// e`, `finish`.
    pub waits_for: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProgramError {
    /// `assertion`, `second-set`, … (see `ErrorKind::name`).
    pub kind: &'static str,
    pub line: u32,
    pub column: u32,
    pub task: String,
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {} / {}", self.location, self.sides.0, self.sides.1)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let access = if self.access == Access::Write { 'W' } else { 'R' };
        write!(f, "{access}{}:{}", self.line, self.column)
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}:{} {}", self.kind, self.line, self.column, self.task)
    }
}

/// A race in the numbers of the exploration.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawRace {
    pub location: Location,
    pub allocated_at: Option<Pos>,
    pub sides: [(Access, Pos); 2],
}

/// Gathers findings during the search; names and lines are looked up once, at the end.
pub struct Collector<'p> {
    pub races: FxHashSet<RawRace>,
    pub errors: FxHashSet<(ErrorKind, Pos, TaskId)>,
    pub final_states: Vec<Rc<State<'p>>>,
    pub deadlocks: Vec<Rc<State<'p>>>,
    pub complete: bool,
}

impl Default for Collector<'_> {
    fn default() -> Self {
        Collector {
            races: FxHashSet::default(),
            errors: FxHashSet::default(),
            final_states: Vec::new(),
            deadlocks: Vec::new(),
            complete: true,
        }
    }
}

impl<'p> Collector<'p> {
    pub fn outcome(&self, machine: &Machine<'p>, source: &str, states: usize) -> Outcome {
        let lines = LineIndex::new(source);
        let place = |pos: Pos| lines.place(source, pos);
        let mut outcome = Outcome { complete: self.complete, states, ..Outcome::default() };
        for race in &self.races {
            let index = race.location.index;
            let location = match race.allocated_at {
                Some(pos) => format!("new@{}[{index}]", place(pos).0),
                None => machine.location_name(race.location),
            };
            let mut sides = race.sides.map(|(access, pos)| {
                let (line, column) = place(pos);
                Side { access, line, column }
            });
            sides.sort();
            outcome.races.insert(Race { location, sides: (sides[0], sides[1]) });
        }
        for &(kind, pos, task) in &self.errors {
            let (line, column) = place(pos);
            let task = machine.names.task_path(task);
            outcome.errors.insert(ProgramError { kind: kind.name(), line, column, task });
        }
        for state in &self.final_states {
            outcome.final_states.insert(machine.memory(state));
        }
        let mut stuck = BTreeSet::new();
        for state in &self.deadlocks {
            let mut blocked: Vec<_> =
                state.tasks.iter().map(|(id, task)| machine.blocked(*id, task, &place)).collect();
            blocked.sort();
            let memory = machine.memory(state);
            stuck.insert((blocked.clone(), memory.clone()));
            outcome.deadlocks.insert(blocked);
            outcome.deadlock_states.insert(memory);
        }
        let ends = outcome.final_states.len() + stuck.len() + outcome.errors.len();
        outcome.determinate = outcome.complete && ends == 1;
        outcome
    }
}

impl Machine<'_> {
    fn location_name(&self, at: Location) -> String {
        let name = self.names.array_name(at.array);
        if self.names.is_scalar(at.array) { name } else { format!("{name}[{}]", at.index) }
    }

    fn show(&self, value: Value) -> String {
        match value {
            Value::Int(value) => value.to_string(),
            Value::Array(array) => format!("&{}", self.names.array_name(array)),
            Value::Promise(promise) => format!("&{}", self.names.promise_name(promise)),
        }
    }

    fn memory(&self, state: &State) -> Memory {
        let mut memory = Memory::new();
        for (&array, contents) in &state.arrays {
            for (index, &value) in contents.cells.iter().enumerate() {
                memory.insert(self.location_name(Location { array, index }), self.show(value));
            }
        }
        for (&promise, contents) in &state.promises {
            let value = contents.value.map_or("unset".to_string(), |value| self.show(value));
            memory.insert(self.names.promise_name(promise), value);
        }
        memory
    }

    fn blocked(&self, id: TaskId, task: &Task, place: &dyn Fn(Pos) -> (u32, u32)) -> Blocked {
        let promise = |promise: &PromiseId| self.names.promise_name(*promise);
        let (waits_for, pos) = match &task.next {
            Action::Get(target, pos) => (format!("get {}", promise(target)), *pos),
            Action::Await(targets, pos) => {
                let targets: Vec<_> = targets.iter().map(promise).collect();
                (format!("await {}", targets.join(" ")), *pos)
            }
            Action::EnterIsolated(pos) => ("isolated".to_string(), *pos),
            Action::Acquire(lock, pos) => (format!("lock {}", self.locks[lock.0]), *pos),
            Action::P(semaphore, pos) => (format!("P {}", self.semaphores[semaphore.0]), *pos),
            Action::Wait(event, pos) => (format!("wait {}", self.events[event.0]), *pos),
            Action::EndFinish(pos) => ("finish".to_string(), *pos),
            _ => unreachable!("other actions can always be taken"),
        };
        let (line, column) = place(pos);
        Blocked { task: self.names.task_path(id), waits_for, line, column }
    }
}
