//! How many executions of a tiny program differ: the number of its classes, by going through all of
//! them.
//!
//! What the explorer takes for one execution is told here a second time, from its definition, and
//! counted without any reduction. A *choice* is entering a section, `P`, `V`, `set` or `post`. Two
//! choices of one kind on one thing are *dependent*; two sections of a lock, if
//! [`Sections::Conflict`] or [`Sections::Commuting`] is asked for, only if they access a common
//! location and one of them writes it, or one of them contains a choice or a wait. Of the latter
//! two sections that only add to the location, both, are not dependent either: every access of it
//! is the read or the write of an assignment whose right side is a sum with the assigned place as a
//! term, once. The *signature* of a run is which choices
//! were made and in which order the dependent ones came; runs with the same signature are one
//! class.
//!
//! What is not a choice is done at once. That loses nothing in a program without races: a task
//! about to access something can only be overtaken by tasks that access something else, or both
//! would be about to.

use super::local::Machine;
use super::state::*;
use raceproof_tp::ast::{BinaryOp, Expr, ExprKind, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Which sections of one lock depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sections {
    All,
    Conflict,
    /// The same, but additions commute.
    Commuting,
}

/// How many classes the executions of a program fall into; `None` if there are more than `limit`
/// prefixes of them, or an execution that does not end. The program must have no race.
pub fn classes(program: &Program, sections: Sections, limit: usize) -> Option<usize> {
    let (mut machine, state) = Machine::new(program);
    let mut start = Prefix { state, failed: BTreeSet::new(), made: BTreeMap::new() };
    start.settle(&mut machine)?;
    let mut seen = FxHashSet::default();
    let mut ends: FxHashMap<Signature, State> = FxHashMap::default();
    let mut pending = vec![start];
    while let Some(prefix) = pending.pop() {
        let movers = prefix.movers();
        for &id in &movers {
            let mut after = prefix.clone();
            after.choose(&mut machine, id, sections)?;
            after.settle(&mut machine)?;
            if seen.len() >= limit {
                return None;
            }
            if seen.insert(after.clone()) {
                pending.push(after);
            }
        }
        if movers.is_empty() {
            let known = ends.entry(prefix.made).or_insert_with(|| prefix.state.clone());
            assert!(*known == prefix.state, "executions of one class end alike in a program without races");
        }
    }
    Some(ends.len())
}

/// A choice by whose it is and which of that task's it is.
type Event = (TaskId, u32);

/// The choices made, each with the dependent ones before it.
type Signature = BTreeMap<Event, Rc<Made>>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Made {
    choice: Choice,
    content: Content,
    after: BTreeSet<Event>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Choice {
    Isolated,
    Lock(Declared),
    Take(Declared),
    Give(Declared),
    Set(PromiseId),
    Post(Declared),
}

impl Choice {
    fn of(action: &Action) -> Option<Choice> {
        match *action {
            Action::EnterIsolated(_) => Some(Choice::Isolated),
            Action::Acquire(lock, _) => Some(Choice::Lock(lock)),
            Action::P(semaphore, _) => Some(Choice::Take(semaphore)),
            Action::V(semaphore) => Some(Choice::Give(semaphore)),
            Action::Set(promise, ..) => Some(Choice::Set(promise)),
            Action::Post(event) => Some(Choice::Post(event)),
            _ => None,
        }
    }

    fn is_left_by(self, action: &Action) -> bool {
        match self {
            Choice::Isolated => *action == Action::LeaveIsolated,
            Choice::Lock(lock) => *action == Action::Release(lock),
            _ => false,
        }
    }
}

/// What is known of a section's inside.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Content {
    /// Not a section, or one with a choice or wait in it.
    Any,
    /// The locations accessed, and how.
    Accesses(BTreeMap<Location, How>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum How {
    Reads,
    Adds,
    Writes,
}

fn depend(a: &Content, b: &Content, sections: Sections) -> bool {
    let (Content::Accesses(a), Content::Accesses(b)) = (a, b) else { return true };
    let commute = |how: How, other: How| match (how, other) {
        (How::Reads, How::Reads) => true,
        (How::Adds, How::Adds) => sections == Sections::Commuting,
        _ => false,
    };
    sections == Sections::All
        || a.iter().any(|(at, how)| b.get(at).is_some_and(|other| !commute(*how, *other)))
}

/// A read in an assignment that may turn out to be an addition.
struct Term {
    at: Location,
    /// How many things the task has left to do behind the assignment.
    behind: usize,
}

/// The accesses of a section so far.
#[derive(Default)]
struct Inside {
    how: BTreeMap<Location, How>,
    terms: Vec<Term>,
}

impl Inside {
    fn add(&mut self, at: Location, how: How) {
        let all = self.how.entry(at).or_insert(how);
        if *all != how {
            *all = How::Writes;
        }
    }

    fn read(&mut self, at: Location, task: &Task) {
        match assigned_sum(&task.control) {
            Some(behind) if self.terms.iter().all(|term| term.behind != behind) => {
                self.terms.push(Term { at, behind });
            }
            _ => self.add(at, How::Reads),
        }
    }

    fn write(&mut self, at: Location, task: &Task) {
        match self.terms.pop_if(|term| term.behind == task.control.len()) {
            Some(term) if term.at == at => self.add(at, How::Adds),
            Some(term) => {
                self.add(term.at, How::Reads);
                self.add(at, How::Writes);
            }
            None => self.add(at, How::Writes),
        }
    }
}

/// Whether what a task reads now is a term of a sum, not subtracted, that it assigns then to the
/// place as which it is written: how much it has left to do behind the assignment.
fn assigned_sum(control: &[Do]) -> Option<usize> {
    let mut term: Option<&Expr> = None;
    let mut right_is_left = false;
    for (behind, item) in control.iter().enumerate().rev() {
        match item {
            Do::Eval(_) => right_is_left = true,
            Do::Operator(expr) => {
                let ExprKind::Binary(op, left, right) = &expr.0.kind else { return None };
                if *op != BinaryOp::Add && (*op != BinaryOp::Sub || !right_is_left) {
                    return None;
                }
                term = term.or(Some(if right_is_left { left } else { right }));
                right_is_left = false;
            }
            Do::Assign(place) => return term.filter(|term| written_alike(place.0, term)).map(|_| behind),
            _ => return None,
        }
    }
    None
}

fn written_alike(a: &Expr, b: &Expr) -> bool {
    use ExprKind::*;
    match (&a.kind, &b.kind) {
        (Int(a), Int(b)) => a == b,
        (Name(a), Name(b)) => a == b,
        (Len(a), Len(b)) => written_alike(a, b),
        (Unary(a, x), Unary(b, y)) => a == b && written_alike(x, y),
        (Index(a, x), Index(b, y)) => written_alike(a, b) && written_alike(x, y),
        (Binary(a, x, v), Binary(b, y, w)) => a == b && written_alike(x, y) && written_alike(v, w),
        _ => false,
    }
}

/// The part of a run in which every task stands before a choice, or cannot move.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Prefix<'p> {
    state: State<'p>,
    /// The tasks stopped by an error; the others go on.
    failed: BTreeSet<TaskId>,
    made: Signature,
}

impl<'p> Prefix<'p> {
    fn movers(&self) -> Vec<TaskId> {
        let can_move = |id: &TaskId| !self.failed.contains(id) && self.state.can_move(*id);
        self.state.tasks.keys().copied().filter(can_move).collect()
    }

    fn next(&self, id: TaskId) -> Option<&Action<'p>> {
        if self.failed.contains(&id) {
            return None;
        }
        self.state.tasks.get(&id).map(|task| &task.next)
    }

    fn take(&mut self, machine: &mut Machine<'p>, id: TaskId) {
        let task = self.state.tasks[&id].clone();
        if machine.take(&mut self.state, id).is_err() {
            self.state.tasks.insert(id, task);
            self.failed.insert(id);
        }
    }

    /// Makes the choice that task `id` is about to make, and follows the task up to its next one.
    fn choose(&mut self, machine: &mut Machine<'p>, id: TaskId, sections: Sections) -> Option<()> {
        let choice = Choice::of(self.next(id)?).expect("a settled task stands before a choice");
        self.take(machine, id);
        let content = self.follow(machine, id, choice)?;
        let dependent = |made: &Made| made.choice == choice && depend(&made.content, &content, sections);
        let after = self.made.iter().filter(|(_, made)| dependent(made)).map(|(event, _)| *event).collect();
        let number = self.made.keys().filter(|(task, _)| *task == id).count() as u32;
        self.made.insert((id, number), Rc::new(Made { choice, content, after }));
        Some(())
    }

    /// Takes what comes before the task's next choice; what it finds inside the section it is in.
    fn follow(&mut self, machine: &mut Machine<'p>, id: TaskId, choice: Choice) -> Option<Content> {
        let mut inside = matches!(choice, Choice::Isolated | Choice::Lock(_)).then(Inside::default);
        let mut content = Content::Any;
        while let Some(action) = self.next(id) {
            if let Some(accesses) = &mut inside {
                let task = &self.state.tasks[&id];
                match action {
                    Action::Read(at, _) => accesses.read(*at, task),
                    Action::Write(at, ..) => accesses.write(*at, task),
                    Action::Await(..) | Action::Get(..) | Action::Wait(..) | Action::EndFinish(_) => {
                        inside = None
                    }
                    action if choice.is_left_by(action) => {
                        content = Content::Accesses(inside.take().unwrap_or_default().how);
                    }
                    _ => {}
                }
            }
            if !self.advance(machine, id)? {
                break;
            }
        }
        Some(content)
    }

    /// Takes the next action of a task if it can be taken and is no choice; whether it was.
    fn advance(&mut self, machine: &mut Machine<'p>, id: TaskId) -> Option<bool> {
        let Some(action) = self.next(id) else { return Some(false) };
        if *action == Action::Diverge || machine.work > WORK {
            return None;
        }
        if Choice::of(action).is_some() || !self.state.can_move(id) {
            return Some(false);
        }
        machine.work += self.state.tasks.len();
        self.take(machine, id);
        Some(true)
    }

    /// Takes everything that is no choice.
    fn settle(&mut self, machine: &mut Machine<'p>) -> Option<()> {
        loop {
            let mut moved = false;
            for id in self.state.tasks.keys().copied().collect::<Vec<_>>() {
                while self.advance(machine, id)? {
                    moved = true;
                }
            }
            if !moved {
                return Some(());
            }
        }
    }
}

/// More work than this counts as endless.
const WORK: usize = 200_000_000;
