//! The driver: turn after turn, as the strategy says, until no task can continue.

use crate::kernel::Kernel;
use crate::strategy::{Last, Strategy, Turn};
use crate::task::State;
use raceproof_core::event::Observer;
use raceproof_core::ids::{SyncId, TaskId};

/// How the tasks of a front end run. The state of one task between two turns is a `Body`: the
/// frames of an interpreted task, or the coroutine of a native one.
pub trait Machine<O: Observer> {
    type Body;
    type Error;

    /// Runs the current task of `kernel` until an operation says
    /// [`Retry`](crate::kernel::Stop::Retry), the task gives way, ends, or fails.
    fn resume(&mut self, body: &mut Self::Body, kernel: &mut Kernel<Self::Body, O>) -> Outcome<Self::Error>;
}

/// Why a task's turn has ended.
#[derive(Debug)]
pub enum Outcome<E> {
    /// As the kernel decided: it waits, yielded, or has used up its turn.
    Suspended,
    /// The task has ended; with the sync that this signals if it is a future.
    Ended(Option<SyncId>),
    /// A program error. The task stays where it is for ever; the others go on.
    Failed(E),
    /// The run has to stop here: a limit was reached.
    Stopped(E),
}

/// A run of a program.
pub struct Run<M: Machine<O>, O: Observer> {
    pub kernel: Kernel<M::Body, O>,
    pub machine: M,
    /// Actions the run may take in all.
    actions_allowed: u64,
    actions_left: u64,
    /// The turns taken, if wanted.
    turns: Option<Vec<(TaskId, u64)>>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ending<E> {
    /// The tasks that failed, in order, and why.
    pub failed: Vec<(TaskId, E)>,
    /// The limit that ended the run early.
    pub stopped: Option<E>,
    /// The limit on actions was reached.
    pub out_of_actions: bool,
}

impl<M: Machine<O>, O: Observer> Run<M, O> {
    pub fn new(machine: M, observer: O, main: M::Body) -> Self {
        Run {
            kernel: Kernel::new(observer, main),
            machine,
            actions_allowed: u64::MAX,
            actions_left: u64::MAX,
            turns: None,
        }
    }

    pub fn limit_actions(&mut self, actions: u64) {
        self.actions_allowed = actions;
        self.actions_left = actions;
    }

    /// How many actions the run has taken so far.
    pub fn actions_taken(&self) -> u64 {
        self.actions_allowed - self.actions_left
    }

    /// Keeps the turns taken, for [`Run::turns`].
    pub fn keep_turns(&mut self) {
        self.turns = Some(Vec::new());
    }

    /// The turns taken so far, neighbouring ones of one task joined.
    pub fn turns(&self) -> &[(TaskId, u64)] {
        self.turns.as_deref().unwrap_or_default()
    }

    /// Runs until the strategy has no further turn, which for most means that no task can go on:
    /// all have ended, or there is a deadlock.
    pub fn drive<S: Strategy<M::Body, O>>(&mut self, strategy: &mut S) -> Ending<M::Error> {
        let mut ending = Ending { failed: Vec::new(), stopped: None, out_of_actions: false };
        let mut last = Last::Start;
        while let Some(turn) = strategy.next(&self.kernel, last) {
            let (task, left) = (turn.task, self.actions_left);
            self.kernel.eager = strategy.eager();
            let over = take_turn(&mut self.machine, &mut self.kernel, turn, &mut self.actions_left);
            if self.turns.is_some() {
                self.note(task, left - self.actions_left);
            }
            match over {
                TurnEnd::Ended => last = Last::Gone(task),
                TurnEnd::Failed(error) => {
                    ending.failed.push((task, error));
                    last = Last::Gone(task);
                }
                TurnEnd::Waits => last = Last::Waits(task),
                TurnEnd::Yielded => last = Last::GaveWay(task),
                TurnEnd::Spent if self.actions_left > 0 => {
                    // Behind the others: a task that used up a whole turn has had its share.
                    self.kernel.tasks.push_oldest(task);
                    last = Last::Spent(task);
                }
                TurnEnd::Spent => {
                    self.kernel.tasks.push_newest(task);
                    ending.out_of_actions = true;
                    return ending;
                }
                TurnEnd::Stopped(error) => {
                    ending.stopped = Some(error);
                    return ending;
                }
            }
        }
        ending
    }

    #[cold]
    fn note(&mut self, task: TaskId, taken: u64) {
        let Some(turns) = &mut self.turns else { return };
        match turns.last_mut() {
            Some((last, actions)) if *last == task => *actions += taken,
            _ if taken > 0 => turns.push((task, taken)),
            _ => {}
        }
    }

    /// The tasks that wait for something that will not come, once the run has ended.
    pub fn waiting(&self) -> impl Iterator<Item = TaskId> + '_ {
        let tasks = self.kernel.tasks();
        tasks.ids().filter(move |&id| matches!(tasks.get(id).state, State::Waiting(_) | State::Finishing(_)))
    }
}

/// How the turn of a task ended.
enum TurnEnd<E> {
    /// It has ended.
    Ended,
    Waits,
    Yielded,
    /// All actions of the turn are taken. It is in no list.
    Spent,
    Failed(E),
    /// The run has to stop.
    Stopped(E),
}

/// Runs a task that is ready for a turn, which takes its actions from those that are `left`.
fn take_turn<M: Machine<O>, O: Observer>(
    machine: &mut M,
    kernel: &mut Kernel<M::Body, O>,
    turn: Turn,
    left: &mut u64,
) -> TurnEnd<M::Error> {
    let task = turn.task;
    let slot = kernel.tasks.take(task) as usize;
    kernel.current = task;
    kernel.refused = None;
    kernel.choices = turn.choices;
    kernel.observer.turn(task);
    let fuel = turn.actions.min(*left);
    kernel.fuel = fuel;
    let mut body = kernel.bodies[slot].take().expect("a ready task has a body");
    let outcome = machine.resume(&mut body, kernel);
    let taken = fuel - kernel.fuel;
    let entry = kernel.tasks.get_mut(task);
    entry.actions += taken;
    let state = entry.state;
    *left -= taken;
    if let Outcome::Ended(future) = outcome {
        kernel.end(future);
        return TurnEnd::Ended;
    }
    kernel.bodies[slot] = Some(body);
    match outcome {
        Outcome::Failed(error) => {
            kernel.tasks.retire(task, State::Failed);
            TurnEnd::Failed(error)
        }
        Outcome::Stopped(error) => {
            kernel.tasks.push_newest(task);
            TurnEnd::Stopped(error)
        }
        _ => match state {
            State::Waiting(_) | State::Finishing(_) => TurnEnd::Waits,
            State::Running => TurnEnd::Spent,
            _ => TurnEnd::Yielded,
        },
    }
}

/// Has the current task, which has yielded to a task that it spawned, run that one on its own
/// stack. A driver that takes the newest first would do the same after two switches, to the driver
/// and back. True if the current task is next again and may continue; otherwise it has to return to
/// the driver.
///
/// For runs without a limit on actions, and tasks whose failure is reported by whoever fails.
pub fn run_newest<M: Machine<O>, O: Observer>(machine: &mut M, kernel: &mut Kernel<M::Body, O>) -> bool {
    let (task, fuel, choices) = (kernel.current, kernel.fuel, kernel.choices);
    if let Some(newest) = kernel.tasks.newest().filter(|&newest| newest != task) {
        let mut endless = u64::MAX;
        take_turn(machine, kernel, Turn::actions(newest, u64::MAX), &mut endless);
    }
    // Its turn continues or has ended: what is left of the turn is its own in both cases.
    (kernel.current, kernel.fuel, kernel.choices) = (task, fuel, choices);
    if kernel.tasks.newest() != Some(task) {
        return false;
    }
    kernel.tasks.take(task);
    kernel.observer.turn(task);
    true
}
