//! Finishes of HClib: the tasks created inside of one, and by these, are waited for at its end.
//!
//! A finish is the kernel's. HClib has a second end, which does not wait: a promise is set when all
//! tasks have ended. Then the kernel's finish stays open until the next one around it ends, or the
//! task does. That changes nothing, since both wait for the same tasks anyway, and no task that is
//! created in between is waited for earlier. A task that waits for the ends of all others, one by
//! one, sets the promise. So where the program may end a finish without waiting, each task of it
//! has a promise of its own that it sets at its end.

use crate::report;
use crate::tasks::omp::scope;
use crate::tasks::promises;
use crate::tasks::sched::wait;
use raceproof_core::ids::SyncId;
use std::cell::RefCell;
use std::rc::Rc;

/// The ends of the tasks of a finish, as promises.
#[derive(Default)]
pub(crate) struct Ends(RefCell<Vec<SyncId>>);

impl Ends {
    pub(crate) fn add(&self, end: SyncId) {
        self.0.borrow_mut().push(end);
    }

    /// Waits for all of them, also for those that come meanwhile.
    pub(crate) fn wait(&self) {
        let mut waited = 0;
        loop {
            let next = self.0.borrow().get(waited).copied();
            let Some(end) = next else { break };
            promises::wait(end);
            waited += 1;
        }
        self.forget();
    }

    /// All tasks have ended, and nobody waits for one of them.
    fn forget(&self) {
        self.0.take().into_iter().for_each(promises::free);
    }
}

/// A finish that a task has begun.
struct Finish {
    /// If it may be ended without waiting.
    ends: Option<Rc<Ends>>,
    /// It was ended without waiting.
    left: bool,
}

/// The finishes that a task has begun, innermost last, and the ends of the one it was created in.
#[derive(Default)]
pub(crate) struct Finishes {
    begun: Vec<Finish>,
    around: Option<Rc<Ends>>,
}

impl Finishes {
    /// Where a task that is created now has to add its end.
    pub(crate) fn ends(&self) -> Option<Rc<Ends>> {
        match self.begun.iter().rev().find(|finish| !finish.left) {
            Some(finish) => finish.ends.clone(),
            None => self.around.clone(),
        }
    }

    /// The task begins, in a finish with these ends.
    pub(crate) fn enter(&mut self, ends: Option<Rc<Ends>>) {
        self.around = ends;
    }

    pub(crate) fn clear(&mut self) {
        self.begun.clear();
        self.around = None;
    }
}

/// The running task begins a finish. `may_leave`: it may end it without waiting.
pub(crate) fn begin(may_leave: bool) {
    wait(|kernel| kernel.finish_begin().map(drop));
    scope().begin_group();
    let ends = may_leave.then(Rc::default);
    scope().finishes.begun.push(Finish { ends, left: false });
}

/// The running task ends its innermost finish, and waits. False if it has begun none.
pub(crate) fn end() -> bool {
    while let Some(Finish { ends, left }) = scope().finishes.begun.pop() {
        close();
        if !left {
            // Those who leave a finish wait for its tasks themselves.
            ends.iter().for_each(|ends| ends.forget());
            return true;
        }
    }
    false
}

fn close() {
    wait(|kernel| kernel.finish_end());
    scope().end_group();
}

/// The running task ends its innermost finish without waiting: the ends of its tasks, none if it
/// has begun no such finish.
pub(crate) fn leave() -> Option<Rc<Ends>> {
    let finish = scope().finishes.begun.iter_mut().rev().find(|finish| !finish.left)?;
    finish.left = true;
    finish.ends.clone()
}

/// The running task ends.
pub(crate) fn end_task() {
    while let Some(finish) = scope().finishes.begun.pop() {
        if !finish.left {
            report::program_error("finish", "the task ends inside of a finish that it has begun");
        }
        close();
    }
}
