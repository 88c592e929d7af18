//! All interleavings of a program, by depth-first search over its states.
//!
//! Two merges keep the number of states down; neither hides a reachable pair of accesses.
//!
//! 1. *Local work* runs together with the visible action before it, so that in every state each
//!    task stands right before a visible action. Local work reads nothing another task can write
//!    and writes nothing another task can read, so it commutes with every action of the others and
//!    cannot be stopped by them: from any state of the fine-grained program, finishing all local
//!    work leads to a state visited here, and two tasks about to access a location stay so. A
//!    program error is *not* run together with anything: it stops the run, so it is an action of
//!    its own, and the others may move before it.
//! 2. With [`Limits::merge_enabling`], actions that only enable others (spawn, task end, leaving a
//!    section, V, post, and a get, wait or end of a finish that can be taken) are taken at once.
//!    Each commutes with every action of the other tasks and, once it can be taken, stays so; a
//!    task about to take one is not about to access anything. So moving it to the front of any run
//!    keeps the states with two tasks about to access, the deadlocks, the errors and the final
//!    states. `oracle_self.rs` compares both ways of exploring on generated programs.

use super::local::Machine;
use super::outcome::{Access, Collector, Outcome, RawRace};
use super::state::*;
use raceproof_tp::ast::Program;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Give up (with `complete` false) beyond this many states.
    pub states: usize,
    /// Give up likewise beyond this much work (local steps, and things in the states that are
    /// copied). It ends programs that go on making tasks or arrays for ever.
    pub work: usize,
    /// See the module's header; off is slower and finds the same.
    pub merge_enabling: bool,
    /// Do not go on from a state with a race. What is then missing are the races that are reached
    /// only after another one.
    pub stop_at_races: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 50_000, work: 5_000_000, merge_enabling: true, stop_at_races: false }
    }
}

/// Explores the program, which must have passed the checks of the front end.
pub fn explore(program: &Program, source: &str, limits: Limits) -> Outcome {
    let (mut machine, mut start) = Machine::new(program);
    let mut found = Collector::default();
    let mut visited = FxHashSet::default();
    let mut pending = Vec::new();
    if limits.merge_enabling && !settle(&mut machine, &mut start) {
        found.complete = false;
    }
    let start = Rc::new(start);
    visited.insert(start.clone());
    pending.push(start);
    'search: while let Some(state) = pending.pop() {
        machine.work += state.tasks.len() * state.tasks.len();
        let racy = races(&state, &mut found);
        if racy && limits.stop_at_races {
            continue;
        }
        if state.tasks.is_empty() {
            found.final_states.push(state);
            continue;
        }
        let mut stuck = true;
        for &id in state.tasks.keys().filter(|id| state.can_move(**id)) {
            stuck = false;
            if machine.work >= limits.work || visited.len() >= limits.states {
                found.complete = false;
                break 'search;
            }
            if state.tasks[&id].next == Action::Diverge {
                found.complete = false;
                continue;
            }
            let mut after = State::clone(&state);
            if let Err((kind, pos)) = machine.take(&mut after, id) {
                found.errors.insert((kind, pos, id));
                continue;
            }
            if limits.merge_enabling && !settle(&mut machine, &mut after) {
                found.complete = false;
                continue;
            }
            machine.work += after.tasks.len() + after.arrays.len() + after.promises.len();
            if !visited.contains(&after) {
                let after = Rc::new(after);
                visited.insert(after.clone());
                pending.push(after);
            }
        }
        if stuck {
            found.deadlocks.push(state);
        }
    }
    found.outcome(&machine, source, visited.len())
}

/// More enabling actions in a row than this count as endless, as in `while (true) { async { … } }`.
const SETTLING: usize = 300;

/// Takes every action that only enables others, until there is none that can be taken; false if
/// that does not come to an end.
fn settle<'p>(machine: &mut Machine<'p>, state: &mut State<'p>) -> bool {
    for _ in 0..SETTLING {
        let next = state.tasks.keys().find(|id| state.only_enables(**id) && state.can_move(**id));
        let Some(&id) = next else { return true };
        machine.take(state, id).expect("an action that only enables others cannot fail");
        machine.work += state.tasks.len();
    }
    false
}

/// Every pair of tasks about to access the same location, one of them to write it.
fn races<'p>(state: &State<'p>, found: &mut Collector<'p>) -> bool {
    let about_to_access = |task: &Task| match task.next {
        Action::Read(location, pos) => Some((location, Access::Read, pos)),
        Action::Write(location, _, pos) => Some((location, Access::Write, pos)),
        _ => None,
    };
    let accesses: Vec<_> = state.tasks.values().filter_map(|task| about_to_access(task)).collect();
    let mut any = false;
    for (at, first) in accesses.iter().enumerate() {
        for second in &accesses[at + 1..] {
            if first.0 == second.0 && (first.1 == Access::Write || second.1 == Access::Write) {
                any = true;
                let sides = [(first.1, first.2), (second.1, second.2)];
                let allocated_at = state.arrays[&first.0.array].allocated_at;
                found.races.insert(RawRace { location: first.0, allocated_at, sides });
            }
        }
    }
    any
}

/// Every complete run as its sequence of reads, writes and section boundaries (`main/1 read x`,
/// `main enter isolated`); runs that differ only in when a task is started, ends or is waited for
/// are one. For tiny programs: nothing is merged. `None` beyond `limit` runs.
pub fn schedules(program: &Program, limit: usize) -> Option<BTreeSet<Vec<String>>> {
    let (mut machine, start) = Machine::new(program);
    let mut complete = BTreeSet::new();
    let mut runs = 0;
    let mut pending = vec![(start, Vec::new())];
    while let Some((state, labels)) = pending.pop() {
        let movers: Vec<TaskId> = state.tasks.keys().copied().filter(|id| state.can_move(*id)).collect();
        if movers.is_empty() {
            runs += 1;
            complete.insert(labels.clone());
        }
        if runs > limit || pending.len() > limit {
            return None;
        }
        for id in movers {
            let mut labels = labels.clone();
            if let Some(what) = label(&machine, &state.tasks[&id].next) {
                labels.push(format!("{} {what}", machine.names.task_path(id)));
            }
            let mut after = state.clone();
            match machine.take(&mut after, id) {
                Ok(()) => pending.push((after, labels)),
                Err((kind, _)) => {
                    labels.push(kind.name().to_string());
                    complete.insert(labels);
                }
            }
        }
    }
    Some(complete)
}

fn label(machine: &Machine, action: &Action) -> Option<String> {
    let place = |at: &Location| match machine.names.is_scalar(at.array) {
        true => machine.names.array_name(at.array),
        false => format!("{}[{}]", machine.names.array_name(at.array), at.index),
    };
    match action {
        Action::Read(at, _) => Some(format!("read {}", place(at))),
        Action::Write(at, ..) => Some(format!("write {}", place(at))),
        Action::EnterIsolated(_) => Some("enter isolated".to_string()),
        Action::LeaveIsolated => Some("leave isolated".to_string()),
        Action::Acquire(lock, _) => Some(format!("acquire {}", machine.locks[lock.0])),
        Action::Release(lock) => Some(format!("release {}", machine.locks[lock.0])),
        _ => None,
    }
}
