//! The explorer's strategy: from choice to choice, first as a job says, then wherever nothing
//! sleeps, or as chance has it.
//!
//! Every turn is a transition of [`raceproof_core::explore`]. The observer must record them: it is
//! the one place from which both this strategy and the analysis afterwards learn what a transition
//! did.

use super::picker::Picker;
use super::{Last, Strategy, Turn};
use crate::kernel::{Action, Kernel};
use crate::task::State;
use raceproof_core::event::{Observer, SyncKind};
use raceproof_core::explore::trace::{Mark, Trace};
use raceproof_core::explore::tree::{Pick, Sleeper};
use raceproof_core::explore::{Choice, Dependence, Stuck, TaskName};
use raceproof_core::ids::{SyncId, TaskId};
use rustc_hash::FxHashMap;

/// An observer that records a [`Trace`] among other things.
pub trait Traced: Observer {
    fn trace(&self) -> &Trace;

    /// The number of a sync that is the same in every schedule, if the kernel's own is not.
    fn label(&self, sync: SyncId) -> SyncId {
        sync
    }
}

/// How a guided execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum GuidedEnd {
    /// No task could go on.
    Complete,
    /// Whoever could go on was asleep.
    Asleep,
    /// The job takes more preemptions than are allowed.
    Bounded,
    /// A task that was to run could not: the program did not do the same as before.
    Diverged,
}

/// Actions in a transition before others get their chance.
const QUANTUM: u64 = 1 << 16;

/// See the module.
#[derive(Debug)]
pub struct Guided<'a> {
    dependence: Dependence,
    prefix: &'a [TaskId],
    hint: &'a [TaskName],
    /// What sleeps before the last transition of the prefix.
    asleep: &'a [Sleeper],
    /// For each of them how many transitions had run when it woke; `usize::MAX` as long as it
    /// sleeps.
    pub woke: Vec<usize>,
    /// The choice each transition was about to make.
    pub choices: Vec<Choice>,
    /// What each task is about to do, if it is ready and that is known.
    pending: Vec<Option<Action>>,
    pub end: Option<GuidedEnd>,
    /// Who was about to choose something it could not, at the end, and how far the trace went then.
    pub stuck: Vec<Stuck>,
    pub mark: Option<Mark>,
    last: Option<TaskId>,
    quantum: u64,
    /// The tasks by their names, as far as they have been looked at: a hint may name as many as
    /// there are.
    by_name: FxHashMap<TaskName, TaskId>,
    /// Chooses behind the prefix, if chance does.
    picker: Option<Picker>,
    /// How many more preemptions are allowed.
    preemptions: u32,
    /// Whether something was not run for want of preemptions.
    pub left_out: bool,
}

impl<'a> Guided<'a> {
    pub fn new(
        prefix: &'a [TaskId],
        hint: &'a [TaskName],
        asleep: &'a [Sleeper],
        dependence: Dependence,
    ) -> Self {
        Guided {
            dependence,
            prefix,
            hint,
            asleep,
            woke: vec![usize::MAX; asleep.len()],
            choices: Vec::new(),
            pending: Vec::new(),
            end: None,
            stuck: Vec::new(),
            mark: None,
            last: None,
            quantum: QUANTUM,
            by_name: FxHashMap::default(),
            picker: None,
            preemptions: u32::MAX,
            left_out: false,
        }
    }

    /// With so many preemptions at most: switches away from a task that could have gone on.
    pub fn preempting(self, most: Option<u32>) -> Self {
        Guided { preemptions: most.unwrap_or(u32::MAX), ..self }
    }

    /// Chance decides behind the prefix, if `pick` says how. Nothing may be asleep then.
    pub fn picking(self, pick: Option<&Pick>) -> Self {
        debug_assert!(pick.is_none() || self.asleep.is_empty());
        Guided { picker: pick.map(Picker::new), ..self }
    }

    /// With transitions of any length: for front ends whose accesses are no actions of the kernel.
    pub fn unbounded(self) -> Self {
        Guided { quantum: u64::MAX, ..self }
    }

    /// Others first, if they can go on.
    fn give_way(&mut self, task: TaskId) {
        self.last = None;
        if let Some(picker) = &mut self.picker {
            picker.fall_behind(task);
        }
    }

    /// Learns from the transition that has just run: what depends on it sleeps no longer.
    fn learn(&mut self, trace: &Trace) {
        let ran = trace.transitions.len();
        if ran == 0 || ran < self.prefix.len() {
            return;
        }
        let mut content = trace.content(ran - 1);
        if content.choice == Choice::None {
            content.choice = self.choices[ran - 1];
        }
        let task = trace.transitions[ran - 1].task;
        for (sleeper, woke) in self.asleep.iter().zip(&mut self.woke) {
            let wakes =
                || sleeper.task == task || sleeper.content.view().depends_on(content, self.dependence);
            if *woke == usize::MAX && wakes() {
                *woke = ran;
            }
        }
    }

    fn is_awake(&self, task: TaskId) -> bool {
        let mut sleeping = self.asleep.iter().zip(&self.woke).filter(|&(_, &woke)| woke == usize::MAX);
        !sleeping.any(|(sleeper, _)| sleeper.task == task)
    }

    fn pending(&self, task: TaskId) -> Option<Action> {
        self.pending.get(task.index()).copied().flatten()
    }

    fn set_pending(&mut self, task: TaskId, action: Action) {
        if self.pending.len() <= task.index() {
            self.pending.resize(task.index() + 1, None);
        }
        self.pending[task.index()] = Some(action);
    }

    fn turn<B, O: Traced>(&mut self, kernel: &Kernel<B, O>, task: TaskId) -> Turn {
        let choice = self.pending(task).map_or(Choice::None, |action| choice(kernel, action));
        if let Some(action) = self.pending.get_mut(task.index()) {
            *action = None;
        }
        self.choices.push(choice);
        self.last = Some(task);
        Turn { task, actions: self.quantum, choices: u64::from(choice != Choice::None) }
    }
}

/// What an action means to the explorer.
fn choice<B, O: Traced>(kernel: &Kernel<B, O>, action: Action) -> Choice {
    let label = |sync| kernel.observer.label(sync).0;
    match action {
        Action::Join(sync) => match kernel.sync_kind(sync) {
            SyncKind::Semaphore => Choice::Take(label(sync)),
            _ => Choice::Section(label(sync)),
        },
        Action::Signal(sync) => Choice::Give(label(sync)),
        Action::Access { .. } | Action::Spawn | Action::FinishEnd(_) => Choice::None,
    }
}

impl<B, O: Traced> Strategy<B, O> for Guided<'_> {
    fn eager(&self) -> bool {
        false
    }

    fn next(&mut self, kernel: &Kernel<B, O>, last: Last) -> Option<Turn> {
        if let (Last::Spent(task), Some(action)) = (last, kernel.refused()) {
            self.set_pending(task, action);
            if choice(kernel, action) == Choice::None {
                // It has used up its actions, in a loop perhaps that waits for another task: that
                // one first.
                self.give_way(task);
            }
        }
        if let Last::GaveWay(task) = last {
            // It looks for what another task does: that one first.
            self.give_way(task);
        }
        let trace = kernel.observer.trace();
        if self.end.is_none() {
            self.learn(trace);
            if let Some(task) = self.choose(kernel) {
                return Some(self.turn(kernel, task));
            }
            self.mark = Some(trace.mark());
            for task in kernel.tasks().ready() {
                if let Some(action) = self.pending(task) {
                    self.stuck.push(Stuck { task, choice: choice(kernel, action) });
                }
            }
            self.last = None;
        }
        // So that whoever is stuck is seen to wait for it.
        if self.end != Some(GuidedEnd::Complete) {
            return None;
        }
        let next = self
            .stuck
            .iter()
            .map(|stuck| stuck.task)
            .find(|&task| kernel.tasks().get(task).state == State::Ready)?;
        Some(Turn::choices(next, 1))
    }
}

impl Guided<'_> {
    /// The task to run next; if there is none, `end` says why.
    fn choose<B, O: Traced>(&mut self, kernel: &Kernel<B, O>) -> Option<TaskId> {
        let trace = kernel.observer.trace();
        if !self.hint.is_empty() && trace.transitions.len() >= self.prefix.len() {
            for (at, &name) in trace.names.iter().enumerate().skip(self.by_name.len()) {
                self.by_name.insert(name, TaskId(at as u32));
            }
        }
        if trace.transitions.len() >= self.prefix.len()
            && let Some(mut picker) = self.picker.take()
        {
            let can_go = |task: &TaskId| self.pending(*task).is_none_or(|action| kernel.is_enabled(action));
            let found = picker.choose(kernel.tasks().ready().filter(can_go));
            self.picker = Some(picker);
            self.end = if found.is_none() { Some(GuidedEnd::Complete) } else { None };
            return found;
        }
        let can_go = |task: &TaskId| self.pending(*task).is_none_or(|action| kernel.is_enabled(action));
        let is_ready = |task: TaskId| {
            task.index() < kernel.tasks().len()
                && kernel.tasks().get(task).state == State::Ready
                && can_go(&task)
        };
        // Who else runs next preempts it.
        let preempted = self.last.filter(|&task| is_ready(task));
        if let Some(&wanted) = self.prefix.get(trace.transitions.len()) {
            let found = Some(wanted).filter(|&task| is_ready(task));
            let preempts = preempted.is_some_and(|last| last != wanted);
            if found.is_none() {
                self.end = Some(GuidedEnd::Diverged);
            } else if preempts && self.preemptions == 0 {
                (self.end, self.left_out) = (Some(GuidedEnd::Bounded), true);
                return None;
            }
            self.preemptions -= u32::from(preempts && self.preemptions < u32::MAX);
            return found;
        }
        let awake = |task: &TaskId| self.is_awake(*task);
        let mut hint = self.hint;
        let mut hinted = None;
        while let Some((wanted, rest)) = hint.split_first() {
            hint = rest;
            hinted = self.by_name.get(wanted).copied().filter(|task| is_ready(*task) && awake(task));
            if hinted.is_some() {
                break;
            }
        }
        let (mut left, mut left_out) = (self.preemptions, self.left_out);
        if left == 0 && preempted.is_some() && hinted.is_some_and(|task| Some(task) != preempted) {
            (hinted, left_out) = (None, true);
        }
        let again = self.last.filter(|&task| is_ready(task) && awake(&task));
        let mut found = hinted.or(again).or_else(|| kernel.tasks().ready().filter(can_go).find(awake));
        if let (Some(last), Some(next)) = (preempted, found)
            && last != next
        {
            match left {
                0 => (found, left_out) = (None, true),
                u32::MAX => {}
                _ => left -= 1,
            }
        }
        let asleep = found.is_none() && kernel.tasks().ready().any(|task| can_go(&task));
        (self.preemptions, self.left_out) = (left, left_out);
        if found.is_none() {
            self.end = Some(if asleep { GuidedEnd::Asleep } else { GuidedEnd::Complete });
        }
        self.hint = if hinted.is_some() { hint } else { &[] };
        found
    }
}
