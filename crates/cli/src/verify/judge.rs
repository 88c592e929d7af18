//! The executions of a search over a native program, and what they show.
//!
//! An execution in which the detector finds a race says that nothing orders the two accesses; that they can meet is shown by
//! another one, which holds the first task before its access until the second has come to its own. Its schedule is the
//! witness.
//!
//! A program that does not do the same under the same schedule cannot be searched. It is noticed when the first execution is
//! repeated, when a task that is to go on cannot, and when the transitions that lead to a state did something else
//! the last time.

use crate::shared::process::{Budget, Ended, Failed, Program, Streams, signal_name};
use crate::shared::program;
use raceproof::limits::Limits;
use raceproof::program::Raise;
use raceproof::remote::{Answer, Order, Point, TOO_LONG};
use raceproof::strategy::GuidedEnd;
use raceproof::verify::Executed;
use raceproof::verify::{Executor, Finding, Over, why};
use raceproof_core::explore::trace::Trace;
use raceproof_core::explore::tree::Job;
use raceproof_core::explore::{Dependence, Scratch, TaskName, past};
use raceproof_core::finding::{Coverage, Grade, Race, Stats, Witness};
use raceproof_core::ids::TaskId;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Races of one execution that are tried to be shown.
const TRIED: usize = 16;

const CHANGED: &str = "the program did not do the same under the same schedule: it depends on something else, such as the time, \
                       random numbers, addresses or files that it changes itself";

/// What a shell ends with when what it has run was ended by SIGKILL.
const KILLED: i32 = 128 + SIGKILL;
const SIGKILL: i32 = 9;
/// By which an execution ends that has not noticed that its time is over.
const SIGALRM: i32 = 14;

/// What became of an execution.
enum Execution {
    Over(Ended, Box<Answer>),
    /// A limit was reached, or something is wrong, which is noted.
    Cut,
    /// Nothing is known of it, and would not be if it were tried again.
    Lost(String),
}

impl Execution {
    fn answer(self) -> Option<Answer> {
        match self {
            Execution::Over(_, answer) => Some(*answer),
            Execution::Cut | Execution::Lost(_) => None,
        }
    }
}

pub(super) struct Judge<'a> {
    pub(super) program: Program,
    pub(super) budget: Budget,
    pub(super) limits: Limits<'a>,
    pub(super) dependence: Dependence,
    pub(super) cut: OnceLock<String>,
    /// By the tasks that lead to a state, what they did on the way.
    pub(super) ways: Mutex<FxHashMap<u64, u64>>,
    /// What the executions observed of the program.
    pub(super) coverage: &'a Mutex<Option<Coverage>>,
    /// Races that no schedule was found for.
    pub(super) unshown: &'a Mutex<Vec<Race>>,
    /// Something is wrong with the program or its answers: the user has to hear of it.
    pub(super) wrong: OnceLock<String>,
}

impl Executor for Judge<'_> {
    fn run(&self, job: &Job) -> Executed<Finding> {
        let order = Order::Explore {
            prefix: job.prefix.clone(),
            hint: job.hint.clone(),
            asleep: job.asleep.clone(),
            dependence: self.dependence,
        };
        let (ended, answer) = match self.execute(order) {
            Execution::Over(ended, answer) => (ended, *answer),
            Execution::Cut => return Executed::Cut,
            Execution::Lost(why) => return Executed::Lost(Finding { lost: Some(why), ..Finding::default() }),
        };
        self.cover(&answer.coverage, ended);
        let ways = answer.trace.fingerprints();
        let mut finding = self.finding(ended, &answer);
        if answer.found.limits.iter().any(|limit| limit == TOO_LONG) {
            // Others may be short: what this one has shown counts, and what follows from its choices is not known.
            finding.limit = None;
            finding.lost =
                Some("it took too long; raise --time-limit, or give the program a smaller input".into());
            return Executed::Lost(finding);
        }
        let Answer { trace, woke, stuck, end, .. } = answer;
        let over = Over { trace: &trace, woke, stuck: &stuck, end };
        let stop = || self.is_cut_short();
        let Some(run) = over.run(job, self.dependence, &mut Scratch::default(), &stop) else {
            return Executed::Late(finding);
        };
        let first = job.prefix.len() == 1;
        if !self.is_as_before(job, &ways) || (first && self.has_changed(&trace, &ways)) {
            finding.limit = Some(CHANGED.into());
        }
        self.remember(&ways, run.reversals.iter().map(|reversal| reversal.before));
        Executed::Ran(run, finding)
    }

    fn cut(&self) -> Option<String> {
        self.cut.get().cloned()
    }

    fn raise(&self) -> Raise {
        Raise::OPTIONS
    }
}

impl Judge<'_> {
    fn cover(&self, observed: &Coverage, ended: Ended) {
        let complete = observed.complete && ended == Ended::Status(0);
        let observed = Coverage { complete, ..observed.clone() };
        let mut coverage = self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *coverage {
            Some(coverage) => coverage.join(observed),
            None => *coverage = Some(observed),
        }
    }

    /// Whether any execution has.
    fn has_answered(&self) -> bool {
        self.coverage.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Whether a limit of the search has been reached, which is noted.
    fn is_cut_short(&self) -> bool {
        let why = self.limits.reached().map(|reached| why(reached, &Raise::OPTIONS));
        why.map(|why| self.cut.get_or_init(|| why)).is_some()
    }

    /// Runs an execution, and once more if its process was killed: by the system, which was short of memory, by somebody
    /// who takes it for another, or by us, since it did not end when its time was over.
    fn execute(&self, order: Order) -> Execution {
        let mut killed = None;
        let mut late = false;
        for _ in 0..2 {
            let seconds = match self.limits.deadline.map(|at| at.saturating_duration_since(Instant::now())) {
                Some(left) => left.as_secs_f64().min(self.budget.seconds),
                None => self.budget.seconds,
            };
            if self.is_cut_short() {
                return Execution::Cut;
            }
            let budget = Budget { seconds, ..self.budget };
            let stop = || self.is_cut_short();
            let ended = match self.program.execute(&order, budget, Streams::Hidden, &stop) {
                Ok(_) if self.is_cut_short() => return Execution::Cut,
                Ok((ended, Some(answer))) => return Execution::Over(ended, Box::new(answer)),
                Ok((ended, None)) => ended,
                Err(Failed::Wrong(wrong)) => return self.cannot_run(wrong),
                Err(Failed::Limit(limit)) => {
                    let _ = self.cut.set(limit);
                    return Execution::Cut;
                }
                Err(Failed::Late) => {
                    late = true;
                    continue;
                }
                Err(Failed::Stopped) => return Execution::Cut,
            };
            match ended {
                Ended::Signal(SIGALRM) => {
                    return Execution::Lost(
                        "it took too long, in code that raceproof does not see (or set an alarm of its own); raise --time-limit, or give the \
                         program a smaller input"
                            .into(),
                    );
                }
                Ended::Signal(_) | Ended::Status(KILLED) => killed = Some(ended),
                Ended::Status(_) => return self.told_nothing(ended),
            }
        }
        if late {
            return Execution::Lost(
                "it took too long and had to be killed: it does not react to signals any more; raise --time-limit, or give the \
                 program a smaller input"
                    .into(),
            );
        }
        match killed {
            Some(Ended::Signal(SIGKILL)) | Some(Ended::Status(KILLED)) => Execution::Lost(
                "its process was killed twice (signal 9, SIGKILL), perhaps by the system for want of memory; give the program a \
                 smaller input, or the search fewer --workers"
                    .into(),
            ),
            Some(ended) => self.told_nothing(ended),
            None => Execution::Cut,
        }
    }

    /// An execution could not be started, or its answer not be read.
    fn cannot_run(&self, wrong: String) -> Execution {
        // What the search has shown by then is to be reported.
        if !self.has_answered() {
            let _ = self.wrong.set(wrong.clone());
        }
        let _ = self.cut.set(wrong);
        Execution::Cut
    }

    /// An execution ended without an answer.
    fn told_nothing(&self, ended: Ended) -> Execution {
        let how = match ended {
            Ended::Status(status) => format!("with status {status}"),
            Ended::Signal(signal) => format!("by signal {signal}{}", signal_name(signal)),
        };
        let why = "it ended around the runtime (a call of another program, a signal that it sent itself)";
        if self.has_answered() {
            return Execution::Lost(format!("its process ended {how} and told nothing: {why}"));
        }
        let name = self.program.path().display();
        let _ = self.wrong.set(match program::privileged(self.program.path()) {
            Some(why) => format!("{name} ended {how} and told nothing: {why}"),
            None => format!(
                "{name} ended {how} and told nothing: {why}, or is no program of this version of raceproof; run it with `raceproof run`"
            ),
        });
        let _ = self.cut.set("an execution told nothing".into());
        Execution::Cut
    }

    /// What an execution showed.
    fn finding(&self, ended: Ended, answer: &Answer) -> Finding {
        let Answer { trace, end, found, tasks, steps, .. } = answer;
        let mut finding = Finding {
            deadlocks: found.deadlocks.clone(),
            errors: found.errors.clone(),
            limit: found.limits.first().cloned(),
            stats: Stats { tasks: *tasks, steps: *steps, ..Stats::default() },
            ..Finding::default()
        };
        match end {
            // What failed there has failed, or will, in an execution that comes to its end.
            Some(GuidedEnd::Asleep) => (finding.errors, finding.deadlocks) = Default::default(),
            Some(GuidedEnd::Diverged) => {
                finding.limit = Some(CHANGED.into());
                return finding;
            }
            _ if finding.errors.is_empty() => finding.errors.extend(ended.error("")),
            _ => {}
        }
        if end.is_none() && finding.limit.is_none() {
            finding.limit = Some(
                "the program ended in the middle of a task: what the others would have done is not known"
                    .into(),
            );
        }
        finding.races =
            found.races.iter().take(TRIED).map(|(race, points)| self.shown(race, *points, trace)).collect();
        let schedule = || trace.transitions.iter().map(|at| at.task).collect::<Vec<TaskId>>();
        if !finding.errors.is_empty() || !finding.deadlocks.is_empty() {
            let witness = self.execute(Order::Count { schedule: schedule() }).answer();
            let witness = witness.and_then(|answer| answer.witness);
            finding.errors.iter_mut().for_each(|error| error.witness.clone_from(&witness));
            finding.deadlocks.iter_mut().for_each(|deadlock| deadlock.witness.clone_from(&witness));
        } else if *end == Some(GuidedEnd::Complete) {
            finding.end = Some(None);
        }
        finding
    }

    /// A race, feasible if its accesses can be brought together.
    fn shown(&self, race: &Race, points: [Point; 2], trace: &Trace) -> Race {
        let witness = self.meet(points, trace);
        let mut unshown = self.unshown.lock().unwrap_or_else(PoisonError::into_inner);
        match witness {
            Some(witness) => Race { grade: Grade::Feasible, witness: Some(witness), ..race.clone() },
            None => {
                let key =
                    |race: &Race| (race.location.clone(), race.first.at.clone(), race.second.at.clone());
                if !unshown.iter().any(|known| key(known) == key(race)) {
                    unshown.push(race.clone());
                }
                race.clone()
            }
        }
    }

    /// A schedule that stops two tasks right before their accesses: all that has to come before these, then one of the two, then
    /// the other. Whoever stands in a section keeps others out of it, so either may have to come first.
    fn meet(&self, points: [Point; 2], trace: &Trace) -> Option<Witness> {
        let moments = points.map(|point| point.moment);
        let name = |transition: usize| trace.names[trace.transitions[transition].task.index()];
        let past: Vec<TaskName> = past(trace, self.dependence, moments).into_iter().map(name).collect();
        [[1, 0], [0, 1]].into_iter().find_map(|last| {
            let schedule = past.iter().copied().chain(last.map(|at| points[at].task)).collect();
            self.execute(Order::Meet { schedule, points }).answer()?.witness
        })
    }

    /// Whether the transitions that lead to the job's state did what they did before.
    fn is_as_before(&self, job: &Job, ways: &[(u64, u64)]) -> bool {
        let known = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        let here = ways.get(job.depth());
        here.is_none_or(|(who, what)| known.get(who).is_none_or(|before| before == what))
    }

    fn remember(&self, ways: &[(u64, u64)], depths: impl Iterator<Item = usize>) {
        let mut known = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(depths.map(|depth| ways[depth]));
    }

    /// Whether the program does something else if the same is asked of it again.
    fn has_changed(&self, trace: &Trace, ways: &[(u64, u64)]) -> bool {
        let order = Order::Explore {
            prefix: trace.transitions.iter().map(|transition| transition.task).collect(),
            hint: Vec::new(),
            asleep: Vec::new(),
            dependence: self.dependence,
        };
        self.execute(order).answer().is_some_and(|again| again.trace.fingerprints() != ways)
    }
}
