//! The strategy of an execution of a search, and what its end shows.

use super::{Mode, execution};
use crate::process;
use crate::report;
use crate::tasks::deadlock::deadlock;
use crate::tasks::observer::KernelObserver;
use crate::tasks::sched::{Coroutines, JobSlot, K};
use crate::tasks::{busy, waits};
use raceproof::kernel::Action;
use raceproof::remote::Order;
use raceproof::run::Run;
use raceproof::strategy::{Guided, GuidedEnd, Last, Script, Strategy, Turn};
use raceproof::witness;
use raceproof_core::explore::Dependence;
use raceproof_core::finding::Witness;
use raceproof_core::ids::TaskId;
use std::cell::Cell;
use std::ffi::c_int;

/// The strategy, by what the execution is for.
pub(super) enum Driver {
    Guided(Guided<'static>),
    Script { script: Script<'static>, witness: Witness },
}

/// What lives as long as the process.
fn kept<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}

impl Driver {
    pub(super) fn new(order: Order) -> Self {
        let any = Dependence::Conflict;
        let guided = match order {
            Order::Explore { prefix, hint, asleep, dependence, pick, preemptions } => {
                let guided = Guided::new(kept(prefix), kept(hint), kept(asleep), dependence);
                guided.picking(pick.as_ref()).preempting(preemptions)
            }
            Order::Count { schedule } => Guided::new(kept(schedule), &[], &[], any),
            Order::Meet { schedule, .. } => Guided::new(&[], kept(schedule), &[], any),
            Order::Replay { witness, .. } => {
                let turns = witness::turns(&witness).unwrap_or_else(|bad| crate::fatal(&bad.to_string()));
                let turns = Box::leak(Box::new(turns));
                let script = Script::new(turns, turns.turns.len(), Vec::new());
                return Driver::Script { script, witness };
            }
        };
        Driver::Guided(guided.unbounded())
    }
}

/// The driver as a strategy. `answer::finish` reads it as well when the program ends inside a task,
/// so no reference to it is kept.
struct Driven {
    driver: *mut Driver,
    /// Turns in which a task polled for what another one does, since the kernel took its last step.
    idle: u32,
    steps: u64,
}

/// After so many of them, no task will do it.
const PATIENCE: u32 = 1000;

impl Strategy<JobSlot, KernelObserver> for Driven {
    fn eager(&self) -> bool {
        false
    }

    fn next(&mut self, kernel: &K, last: Last) -> Option<Turn> {
        let execution = execution()?;
        if execution.met.len() == 2 {
            return None;
        }
        let steps = kernel.steps() - execution.own_steps;
        self.idle = if self.steps == steps { self.idle } else { 0 };
        self.steps = steps;
        self.idle += u32::from(matches!(last, Last::GaveWay(_)));
        if self.idle > PATIENCE {
            return None;
        }
        // SAFETY: `begin` has leaked the box. The strategy runs between turns, when
        // `answer::finish`, the other user, does not.
        match unsafe { &mut *self.driver } {
            Driver::Guided(guided) => guided.next(kernel, last),
            Driver::Script { script, .. } => script.next(kernel, last),
        }
    }
}

/// One turn.
struct Once(Option<Turn>);

impl Strategy<JobSlot, KernelObserver> for Once {
    fn eager(&self) -> bool {
        false
    }

    fn next(&mut self, _: &K, _: Last) -> Option<Turn> {
        self.0.take()
    }
}

/// Runs each task that is about to take a lock that it holds itself: it fails, rather than waits.
fn misuse(run: &mut Run<Coroutines, KernelObserver>, script: &Script<'_>) {
    let fails = |&task: &TaskId| match script.pending(task) {
        Some(Action::Join(sync)) => run.kernel.holder(sync) == Some(task),
        _ => false,
    };
    let failing: Vec<TaskId> = run.kernel.tasks().ready().filter(fails).collect();
    for task in failing {
        run.drive(&mut Once(Some(Turn::actions(task, 1))));
    }
}

/// Whether tasks wait only for others, and for what others are seen to do. What comes through a pipe or a
/// socket may come from another process.
fn is_of_threads() -> bool {
    if waits::are_outside() {
        report::limit(OUTSIDE);
    }
    if busy::has_missed() {
        report::limit(MISSED);
    }
    if busy::are_outside() {
        report::limit(HANDLED);
    }
    !waits::are_outside() && !busy::has_missed() && !busy::are_outside()
}

const HANDLED: &str = "an execution ended where a thread looks at a variable that no thread changes, but a signal handler of the \
                       program or another process may: what follows is not explored";

const MISSED: &str = "an execution ended where a thread looks at a variable that code has changed which is not instrumented: what \
                      follows is not explored";

const OUTSIDE: &str = "an execution ended where a thread waits for a pipe or a socket and no other thread can go on: if that \
                       comes from another process, or by a call that only closes, what follows is not explored";

/// Runs the program's tasks as asked. Returns the status of `main` if that has returned; if not,
/// ends the process.
pub(crate) fn drive(run: Run<Coroutines, KernelObserver>, status: &Cell<Option<c_int>>) -> c_int {
    let Some(execution) = execution() else { return 0 };
    // What writes the answer looks at the kernel, at the end of the process.
    let run = Box::leak(Box::new(run));
    run.limit_actions(execution.actions);
    run.keep_turns();
    let ending = run.drive(&mut Driven { driver: execution.driver, idle: 0, steps: 0 });
    process::state().threads.switch(0);
    if ending.out_of_actions {
        report::limit(&format!(
            "the limit of {} synchronisations was reached before the program ended; raise --max-events, or give the program a \
             smaller input",
            execution.actions
        ));
    }
    // SAFETY: `begin` has leaked the box. The run has ended, so that the strategy is not asked any
    // more.
    match unsafe { &mut *execution.driver } {
        Driver::Guided(guided) => {
            let stuck = guided.end == Some(GuidedEnd::Complete) && execution.met.is_empty();
            if stuck
                && !matches!(execution.mode, Mode::Count(_))
                && status.get().is_none()
                && !execution.failed
                && !ending.out_of_actions
                && is_of_threads()
            {
                deadlock(run, |_| None);
            }
        }
        Driver::Script { script, witness } => {
            misuse(run, script);
            super::replayed::replayed(run, script, witness);
        }
    }
    status.get().unwrap_or_else(|| report::finish_and_exit(0))
}
