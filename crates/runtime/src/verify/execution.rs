//! One execution of the search: run it, see what it shows, and find what it leaves to be tried.

use super::outcome::{Executed, Finding};
use super::{general, why};
use crate::check::races::{Effort, Explainer};
use crate::check::{errors, not_listed};
use crate::program::{Bounds, Execution, Program, run_once};
use crate::sections::Sections;
use crate::strategy::{Guided, GuidedEnd, Traced};
use raceproof_core::detect::last_access::LastAccess;
use raceproof_core::detect::pairs::{Gathered, Pairs};
use raceproof_core::event::Observer;
use raceproof_core::explore::trace::Trace;
use raceproof_core::explore::tree::{ExecutionSummary, Job, Sampled, Sleeper};
use raceproof_core::explore::{Choice, Dependence, Scratch, Stuck, fingerprint, reversals};
use raceproof_core::finding::{Deadlock, Stats};
use raceproof_core::ids::{Location, TaskId};
use raceproof_core::order::conflicting::Conflicting;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// How many actions the attempts to bring the pairs of one execution together may take.
const GRADING: u64 = 10_000_000;

/// An execution that has ended, wherever it ran, as far as it matters to what runs next.
pub struct EndedExecution<'a> {
    pub trace: &'a Trace,
    /// As in [`Guided`].
    pub woke: Vec<usize>,
    pub stuck: &'a [Stuck],
    pub end: Option<GuidedEnd>,
}

impl EndedExecution<'_> {
    /// What the tree has to know of the execution that a job asked for; `None` if `stop`, which is
    /// asked now and then, says so.
    pub fn run(
        self,
        job: &Job,
        dependence: Dependence,
        scratch: &mut Scratch,
        stop: &dyn Fn() -> bool,
    ) -> Option<ExecutionSummary> {
        let EndedExecution { trace, woke, stuck, end } = self;
        let complete = end != Some(GuidedEnd::Asleep);
        if job.pick.is_some() {
            // What else could have run nobody asks.
            let class = fingerprint::class(trace, dependence);
            let sampled = Some(Sampled { class, transitions: trace.transitions.len() });
            return Some(ExecutionSummary {
                transitions: Vec::new(),
                names: Vec::new(),
                woke,
                reversals: Vec::new(),
                class: None,
                sampled,
                complete,
            });
        }
        let depth = job.depth();
        let (reversals, class) = reversals(trace, dependence, depth, stuck, scratch, stop)?;
        let deepest = match job.whole {
            true => trace.transitions.len(),
            false => reversals.iter().map(|reversal| reversal.before).max().unwrap_or(0).max(depth),
        };
        let sleeper = |(at, task)| Sleeper { task, content: Arc::new(trace.content(at).to_content()) };
        let tasks = trace.transitions.iter().map(|transition| transition.task);
        Some(ExecutionSummary {
            transitions: (depth..=deepest).zip(tasks.skip(depth)).map(sleeper).collect(),
            names: trace.names.clone(),
            woke,
            reversals,
            class,
            sampled: None,
            complete,
        })
    }
}

/// Says of each transition which choice it made, where only the strategy knows.
pub fn note_choices(trace: &mut Trace, choices: &[Choice]) {
    for (transition, &choice) in trace.transitions.iter_mut().zip(choices) {
        if transition.choice == Choice::None {
            transition.choice = choice;
        }
    }
}

/// Runs jobs.
pub(super) struct Judge<'a, P> {
    pub(super) program: P,
    pub(super) bounds: Bounds<'a>,
    pub(super) dependence: Dependence,
    pub(super) determinism: bool,
    pub(super) preemptions: Option<u32>,
    /// Why an execution was cut short, here or by another judge of the search.
    pub(super) cut: Arc<OnceLock<String>>,
}

/// What earlier executions of a worker have allocated and later ones use again.
#[derive(Default)]
pub(super) struct Spare {
    trace: Trace,
    scratch: Scratch,
}

impl<'a, P: Program<'a>> Judge<'a, P> {
    pub(super) fn run(&self, job: &Job, spare: &mut Spare) -> Executed<Finding> {
        match self.dependence {
            Dependence::Lock => self.run_with(
                job,
                spare,
                LastAccess::default(),
                |detector| detector.racy().to_vec(),
                Pairs::new,
                Pairs::gather,
            ),
            Dependence::Conflict | Dependence::Wcp => self.run_with(
                job,
                spare,
                Conflicting::new(LastAccess::default()),
                |detector| detector.inner.racy().to_vec(),
                |racy| Conflicting::new(Pairs::new(racy)),
                |pairs| pairs.inner.gather(),
            ),
        }
    }

    /// Whether the search has reached a limit; remembers which.
    pub(super) fn is_cut_short(&self) -> bool {
        let why = self.bounds.limits.reached().map(|reached| why(reached, &P::RAISE));
        why.map(|why| self.cut.get_or_init(|| why)).is_some()
    }

    fn run_with<D: Observer, Q: Observer>(
        &self,
        job: &Job,
        spare: &mut Spare,
        detector: D,
        racy: impl Fn(&D) -> Vec<Location>,
        pairs: impl Fn(&[Location]) -> Q,
        gather: impl Fn(&mut Q) -> Gathered,
    ) -> Executed<Finding> {
        let guided = Guided::new(&job.prefix, &job.hint, &job.asleep, self.dependence);
        let mut guided = guided.picking(job.pick.as_ref()).preempting(self.preemptions);
        let mut trace = std::mem::take(&mut spare.trace);
        trace.reset();
        let mut execution = run_once(&self.program, &mut guided, (trace, detector), self.bounds);
        if execution.is_cut_by_chance() {
            let why = execution.limits(self.bounds.actions).pop();
            self.cut.get_or_init(|| why.unwrap_or_default());
            return Executed::Cut;
        }
        let trace = &mut execution.run.kernel.observer.0;
        match guided.mark {
            Some(mark) => trace.truncate(mark),
            None => trace.finish(),
        }
        note_choices(trace, &guided.choices);
        let trace = &execution.run.kernel.observer.0;
        let schedule: Vec<TaskId> = trace.transitions.iter().map(|at| at.task).collect();
        let over = EndedExecution { trace, woke: guided.woke, stuck: &guided.stuck, end: guided.end };
        let stop = || self.is_cut_short();
        let run = over.run(job, self.dependence, &mut spare.scratch, &stop);
        let general = if self.determinism {
            let reversals = run.as_ref().map_or(&[][..], |run| &run.reversals);
            general::races(&execution, trace, reversals)
        } else {
            BTreeSet::new()
        };
        let guided_end = guided.end;
        let complete = guided_end == Some(GuidedEnd::Complete);
        let left_out = guided.left_out;
        let mut finding = Finding { stats: self.stats(&execution), general, left_out, ..Finding::default() };
        if guided.end == Some(GuidedEnd::Diverged) {
            finding.limit = Some("the program did not do the same under the same schedule".into());
        } else if !execution.is_complete() {
            finding.limit = execution.limits(self.bounds.actions).pop();
        }
        let found = racy(&execution.run.kernel.observer.1);
        if !found.is_empty() {
            let mut guided = Guided::new(&schedule, &[], &[], self.dependence);
            let observer = (Trace::new(), pairs(&found));
            let mut again = run_once(&self.program, &mut guided, observer, self.again(&execution));
            let gathered = gather(&mut again.run.kernel.observer.1);
            let effort = Effort::of_actions(GRADING);
            let explainer = Explainer::new(again, self.bounds, &gathered, effort).telling_sections();
            finding.races = explainer.races(&gathered.pairs, &mut finding.notes);
        }
        let failed = !execution.ending.failed.is_empty();
        if complete && (failed || execution.run.kernel.tasks().live() > 0) {
            let mut guided = Guided::new(&schedule, &[], &[], self.dependence);
            let bounds = Bounds { keep_schedule: true, ..self.again(&execution) };
            let again = run_once(&self.program, &mut guided, (Trace::new(), Sections::default()), bounds);
            let mut witness = again.witness();
            if let Some(witness) = &mut witness {
                witness.keep_sections(again.named_sections(&again.run.kernel.observer.1));
            }
            finding.errors = errors(&execution, witness.clone());
            // A task that waits for a failed one is not in a deadlock: the program was stopped by
            // then.
            if !failed {
                let (waiting, all) = execution.waiting();
                if waiting.len() < all {
                    finding.notes.push(not_listed(waiting.len(), all));
                }
                finding.deadlocks = vec![Deadlock { id: String::new(), waiting, witness }];
            }
        } else if complete {
            finding.end = Some(self.program.end_state::<(Trace, D)>(&execution.run));
        }
        spare.trace = std::mem::take(&mut execution.run.kernel.observer.0);
        if guided_end == Some(GuidedEnd::Bounded) {
            return Executed::Lost(finding);
        }
        match run {
            Some(run) => Executed::Ran(run, finding),
            None => Executed::Late(finding),
        }
    }

    /// What bounds a repetition of an execution that was not cut short by chance: what bounded it
    /// will do so again.
    fn again<O: Observer>(&self, execution: &Execution<'a, P, O>) -> Bounds<'a> {
        Bounds {
            actions: execution.actions_again(self.bounds.actions),
            tell_additions: self.bounds.tell_additions,
            ..Bounds::default()
        }
    }

    fn stats<O: Observer>(&self, execution: &Execution<'a, P, O>) -> Stats {
        Stats {
            tasks: execution.run.kernel.tasks().len() as u64,
            steps: execution.run.kernel.steps(),
            reads: self.program.reads::<O>(&execution.run.machine),
            writes: self.program.writes::<O>(&execution.run.machine),
            ..Stats::default()
        }
    }
}

impl<D: Observer> Traced for (Trace, D) {
    fn trace(&self) -> &Trace {
        &self.0
    }
}
