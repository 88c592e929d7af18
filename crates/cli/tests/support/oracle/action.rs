//! The visible actions: when each one can be taken, and what it does.

use super::local::Machine;
use super::state::*;
use std::rc::Rc;

/// A program error that stopped a run.
pub type Failure = (ErrorKind, Pos);

impl<'p> State<'p> {
    /// Whether `task` can take its next action now.
    pub fn can_move(&self, id: TaskId) -> bool {
        let is_set = |promise: &PromiseId| self.promises[promise].value.is_some();
        let others = || self.tasks.iter().filter(|(other, _)| **other != id).map(|(_, task)| task);
        let task = &self.tasks[&id];
        match &task.next {
            Action::Get(promise, _) => is_set(promise),
            Action::Await(promises, _) => promises.iter().all(is_set),
            Action::EnterIsolated(_) => others().all(|other| other.isolated == 0),
            Action::Acquire(lock, _) => others().all(|other| !other.locks.contains(lock)),
            Action::P(semaphore, _) => self.semaphores[semaphore.0] > 0,
            Action::Wait(event, _) => self.posted[event.0],
            Action::EndFinish(_) => {
                // A task inside a finish that one of these opened itself keeps that one from
                // ending.
                let finish = Some(Finish { task: id, depth: task.open_finishes });
                others().all(|other| other.started_in != finish)
            }
            Action::Read(..)
            | Action::Write(..)
            | Action::Spawn(_)
            | Action::Set(..)
            | Action::LeaveIsolated
            | Action::Release(_)
            | Action::V(_)
            | Action::Post(_)
            | Action::End(_)
            | Action::Fail(..)
            | Action::Diverge => true,
        }
    }

    /// Whether the next action of `task`, if it can be taken, is one that no action of another task
    /// can disable, undo or tell apart: it commutes with all of them (`explore.rs` says what
    /// follows).
    pub fn only_enables(&self, id: TaskId) -> bool {
        match self.tasks[&id].next {
            Action::Spawn(_)
            | Action::Await(..)
            | Action::Get(..)
            | Action::LeaveIsolated
            | Action::Release(_)
            | Action::V(_)
            | Action::Post(_)
            | Action::Wait(..)
            | Action::EndFinish(_)
            | Action::End(_) => true,
            Action::Read(..)
            | Action::Write(..)
            | Action::Set(..)
            | Action::EnterIsolated(_)
            | Action::Acquire(..)
            | Action::P(..)
            | Action::Fail(..)
            | Action::Diverge => false,
        }
    }
}

impl<'p> Machine<'p> {
    /// Takes the next action of task `id`, which can be taken, and does the local work that follows
    /// it.
    pub fn take(&mut self, state: &mut State<'p>, id: TaskId) -> Result<(), Failure> {
        let shared_task = state.tasks.remove(&id).expect("the task is alive");
        let mut task = Rc::unwrap_or_clone(shared_task);
        match std::mem::replace(&mut task.next, Action::Diverge) {
            Action::Read(at, _) => task.operands.push(state.arrays[&at.array].cells[at.index]),
            Action::Write(at, value, _) => {
                let array = state.arrays.get_mut(&at.array).expect("arrays are never freed");
                Rc::make_mut(array).cells[at.index] = value;
            }
            Action::Spawn(spawn) => self.spawn(state, id, &mut task, *spawn),
            Action::Await(..) | Action::Wait(..) => {}
            Action::Set(promise, value, pos) => {
                let promise = state.promises.get_mut(&promise).expect("promises are never freed");
                if promise.value.is_some() {
                    return Err((ErrorKind::SecondSet, pos));
                }
                promise.value = Some(value);
            }
            Action::Get(promise, _) => {
                let value = state.promises[&promise].value.expect("a get is taken once it is set");
                task.operands.push(value);
            }
            Action::EnterIsolated(_) => task.isolated = 1,
            Action::LeaveIsolated => task.isolated = 0,
            Action::Acquire(lock, _) => task.locks.push(lock),
            Action::Release(lock) => task.locks.retain(|held| *held != lock),
            Action::P(semaphore, _) => state.semaphores[semaphore.0] -= 1,
            Action::V(semaphore) => state.semaphores[semaphore.0] += 1,
            Action::Post(event) => state.posted[event.0] = true,
            Action::EndFinish(_) => task.open_finishes -= 1,
            Action::End(value) => {
                if let Some(result) = task.result {
                    state.promises.insert(result, Promise { is_future: true, value: Some(value) });
                }
                return Ok(());
            }
            Action::Fail(kind, pos) => return Err((kind, pos)),
            Action::Diverge => unreachable!("the explorer does not follow work without end"),
        }
        self.run(state, id, &mut task);
        state.tasks.insert(id, Rc::new(task));
        Ok(())
    }

    fn spawn(&mut self, state: &mut State<'p>, id: TaskId, parent: &mut Task<'p>, spawn: Spawn<'p>) {
        let result = spawn.is_future.then(|| {
            parent.promises += 1;
            let result = self.names.promise(id, parent.promises);
            state.promises.insert(result, Promise { is_future: true, value: None });
            parent.operands.push(Value::Promise(result));
            result
        });
        let started_in = match parent.open_finishes {
            0 => parent.started_in,
            depth => Some(Finish { task: id, depth }),
        };
        parent.children += 1;
        let child_id = self.names.child(id, parent.children);
        let mut child = Task::new(spawn.body.0, spawn.locals, started_in, result);
        if spawn.awaits.is_empty() {
            self.run(state, child_id, &mut child);
        } else {
            child.next = Action::Await(spawn.awaits, spawn.pos);
        }
        state.tasks.insert(child_id, Rc::new(child));
    }
}
