//! The executions of a search over a native program, and what they show.
//!
//! A race that the detector finds in one execution means that nothing orders the two accesses. A
//! second execution shows that they can meet: it stops the first task before its access until the
//! second task has reached its own. The schedule of that execution is the witness.
//!
//! A program that behaves differently under the same schedule cannot be searched. The judge notices
//! this when it repeats the first execution, when a task that the schedule names cannot run, and
//! when the transitions that lead to a state have done something else before.

use crate::shared::process::{Ended, ExecutionLimits, Failed, NativeProgram, signal_name};
use crate::shared::program;
use crate::shared::server::Server;
use crate::shared::witness::meet;
use raceproof::limits::Limits;
use raceproof::program::Raise;
use raceproof::remote::{Answer, Order, Point, TOO_LONG};
use raceproof::strategy::GuidedEnd;
use raceproof::verify::Executed;
use raceproof::verify::{EndedExecution, Executor, Finding, why};
use raceproof_core::explore::trace::Trace;
use raceproof_core::explore::tree::Job;
use raceproof_core::explore::{Dependence, Scratch};
use raceproof_core::finding::{Coverage, Grade, Race, Stats, Witness};
use raceproof_core::ids::TaskId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// The most races of one execution for which a witness is tried.
const TRIED: usize = 16;

const CHANGED: &str = "the program did not do the same under the same schedule: it depends on something else, such as the time, \
                       random numbers, addresses or files that it changes itself";

/// The exit status of a shell whose child was killed by SIGKILL.
const KILLED: i32 = 128 + SIGKILL;
const SIGKILL: i32 = 9;
/// Ends an execution that does not check its time limit.
const SIGALRM: i32 = 14;

/// The result of one attempt at an execution.
enum Attempt {
    Over(Ended, Box<Answer>),
    /// A limit was reached or an error occurred; `cut` or `wrong` has it.
    Cut,
    /// It has no answer, and another attempt would have none either.
    Lost(String),
}

impl Attempt {
    fn answer(self) -> Option<Answer> {
        match self {
            Attempt::Over(_, answer) => Some(*answer),
            Attempt::Cut | Attempt::Lost(_) => None,
        }
    }
}

pub(super) struct Judge<'a> {
    pub(super) program: &'a NativeProgram,
    pub(super) budget: ExecutionLimits,
    pub(super) limits: Limits<'a>,
    pub(super) dependence: Dependence,
    pub(super) preemptions: Option<u32>,
    pub(super) cut: OnceLock<String>,
    /// A hash of what the tasks did on the way to a state, by a hash of which tasks ran.
    pub(super) histories: Mutex<FxHashMap<u64, u64>>,
    /// What the executions observed of the program.
    pub(super) coverage: &'a Mutex<Option<Coverage>>,
    /// Races without a witness.
    pub(super) unshown: &'a Mutex<Vec<Race>>,
    /// An error of the program or its answers, for the user.
    pub(super) wrong: OnceLock<String>,
    /// What was last passed on to rank 0.
    pub(super) told: Mutex<String>,
}

/// What the executions of a rank show beside their findings.
#[derive(Serialize, Deserialize)]
struct Aside {
    coverage: Option<Coverage>,
    unshown: Vec<Race>,
}

/// What one worker has for itself.
pub(super) struct Worker<'a> {
    server: Server<'a>,
    /// What earlier executions have allocated.
    scratch: Scratch,
}

impl<'a> Executor for Judge<'a> {
    type Worker = Worker<'a>;

    fn worker(&self) -> Worker<'a> {
        Worker { server: Server::new(self.program), scratch: Scratch::default() }
    }

    fn is_cut_short(&self) -> bool {
        Judge::is_cut_short(self)
    }

    fn run(&self, worker: &mut Worker<'a>, job: &Job) -> Executed<Finding> {
        let Worker { server, scratch } = worker;
        let order = Order::Explore {
            prefix: job.prefix.clone(),
            hint: job.hint.clone(),
            asleep: job.asleep.clone(),
            dependence: self.dependence,
            pick: job.pick,
            preemptions: self.preemptions,
        };
        let (ended, answer) = match self.execute(server, order) {
            Attempt::Over(ended, answer) => (ended, *answer),
            Attempt::Cut => return Executed::Cut,
            Attempt::Lost(why) => return Executed::Lost(Finding { lost: Some(why), ..Finding::default() }),
        };
        self.cover(&answer.coverage, ended);
        let histories = answer.trace.fingerprints();
        let mut finding = self.finding(server, ended, &answer);
        if answer.found.limits.iter().any(|limit| limit == TOO_LONG) {
            // Other executions may be short. The findings of this one count; the search does not
            // follow its choices.
            finding.limit = None;
            finding.lost =
                Some("it took too long; raise --time-limit, or give the program a smaller input".into());
            return Executed::Lost(finding);
        }
        let Answer { trace, woke, stuck, end, left_out, .. } = answer;
        finding.left_out = left_out;
        if end == Some(GuidedEnd::Bounded) {
            return Executed::Lost(finding);
        }
        let over = EndedExecution { trace: &trace, woke, stuck: &stuck, end };
        let stop = || self.is_cut_short();
        let Some(run) = over.run(job, self.dependence, scratch, &stop) else {
            return Executed::Late(finding);
        };
        // The first one of a random search does not know how long executions are.
        let first = job.prefix.len() == 1 && job.pick.is_none_or(|pick| pick.length == 0);
        if !self.is_as_before(job, &histories) || (first && self.has_changed(server, &trace, &histories)) {
            finding.limit = Some(CHANGED.into());
        }
        self.remember(&histories, run.reversals.iter().map(|reversal| reversal.before));
        Executed::Ran(run, finding)
    }

    fn cut(&self) -> Option<String> {
        self.cut.get().cloned()
    }

    fn raise(&self) -> Raise {
        Raise::OPTIONS
    }

    fn aside(&self) -> String {
        let coverage = self.coverage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let unshown = self.unshown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = serde_json::to_string(&Aside { coverage, unshown }).unwrap_or_default();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told == text {
            String::new()
        } else {
            told.clone_from(&text);
            text
        }
    }

    fn take_aside(&self, aside: &str) {
        let Ok(Aside { coverage, unshown }) = serde_json::from_str(aside) else { return };
        if let Some(coverage) = coverage {
            self.observed(coverage);
        }
        unshown.into_iter().for_each(|race| self.keep_unshown(race));
    }
}

impl Judge<'_> {
    fn cover(&self, observed: &Coverage, ended: Ended) {
        let complete = observed.complete && ended == Ended::Status(0);
        self.observed(Coverage { complete, ..observed.clone() });
    }

    fn observed(&self, observed: Coverage) {
        let mut coverage = self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *coverage {
            Some(coverage) => coverage.join(observed),
            None => *coverage = Some(observed),
        }
    }

    /// Whether any execution has answered.
    fn has_answered(&self) -> bool {
        self.coverage.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Whether the search has reached a limit; remembers which.
    fn is_cut_short(&self) -> bool {
        let why = self.limits.reached().map(|reached| why(reached, &Raise::OPTIONS));
        why.map(|why| self.cut.get_or_init(|| why)).is_some()
    }

    /// Runs an execution, and again if its process was killed: by the system for lack of memory, by
    /// another process, or by us after its time limit.
    fn execute(&self, server: &mut Server<'_>, order: Order) -> Attempt {
        let mut killed = None;
        let mut late = false;
        for _ in 0..2 {
            let seconds = match self.limits.deadline.map(|at| at.saturating_duration_since(Instant::now())) {
                Some(left) => left.as_secs_f64().min(self.budget.seconds),
                None => self.budget.seconds,
            };
            if self.is_cut_short() {
                return Attempt::Cut;
            }
            let budget = ExecutionLimits { seconds, ..self.budget };
            let stop = || self.is_cut_short();
            let ended = match server.execute(&order, budget, &stop) {
                Ok(_) if self.is_cut_short() => return Attempt::Cut,
                Ok((ended, Some(answer))) => return Attempt::Over(ended, Box::new(answer)),
                Ok((ended, None)) => ended,
                Err(Failed::Wrong(wrong)) => return self.cannot_run(wrong),
                Err(Failed::Limit(limit)) => {
                    let _ = self.cut.set(limit);
                    return Attempt::Cut;
                }
                Err(Failed::Late) => {
                    late = true;
                    continue;
                }
                Err(Failed::Stopped) => return Attempt::Cut,
            };
            match ended {
                Ended::Signal(SIGALRM) => {
                    return Attempt::Lost(
                        "it took too long, in code that raceproof does not see (or set an alarm of its own); raise --time-limit, or give the \
                         program a smaller input"
                            .into(),
                    );
                }
                Ended::Signal(_) | Ended::Status(KILLED) => killed = Some(ended),
                Ended::Status(_) => return self.without_answer(ended),
            }
        }
        if late {
            return Attempt::Lost(
                "it took too long and had to be killed: it does not react to signals any more; raise --time-limit, or give the \
                 program a smaller input"
                    .into(),
            );
        }
        match killed {
            Some(Ended::Signal(SIGKILL)) | Some(Ended::Status(KILLED)) => Attempt::Lost(
                "its process was killed twice (signal 9, SIGKILL), perhaps by the system for want of memory; give the program a \
                 smaller input, or the search fewer --workers"
                    .into(),
            ),
            Some(ended) => self.without_answer(ended),
            None => Attempt::Cut,
        }
    }

    /// An execution could not be started, or its answer not be read.
    fn cannot_run(&self, wrong: String) -> Attempt {
        // What the search has shown by then is to be reported.
        if !self.has_answered() {
            let _ = self.wrong.set(wrong.clone());
        }
        let _ = self.cut.set(wrong);
        Attempt::Cut
    }

    /// An execution ended without an answer.
    fn without_answer(&self, ended: Ended) -> Attempt {
        let how = match ended {
            Ended::Status(status) => format!("with status {status}"),
            Ended::Signal(signal) => format!("by signal {signal}{}", signal_name(signal)),
        };
        let why = "it ended around the runtime (a call of another program, a signal that it sent itself)";
        if self.has_answered() {
            return Attempt::Lost(format!("its process ended {how} and told nothing: {why}"));
        }
        let name = self.program.path().display();
        let _ = self.wrong.set(match program::privileged(self.program.path()) {
            Some(why) => format!("{name} ended {how} and told nothing: {why}"),
            None => format!(
                "{name} ended {how} and told nothing: {why}, or is no program of this version of raceproof; run it with `raceproof run`"
            ),
        });
        let _ = self.cut.set("an execution told nothing".into());
        Attempt::Cut
    }

    /// What an execution showed.
    fn finding(&self, server: &mut Server<'_>, ended: Ended, answer: &Answer) -> Finding {
        let Answer { trace, end, found, tasks, steps, .. } = answer;
        let mut finding = Finding {
            deadlocks: found.deadlocks.clone(),
            errors: found.errors.clone(),
            limit: found.limits.first().cloned(),
            stats: Stats { tasks: *tasks, steps: *steps, ..Stats::default() },
            ..Finding::default()
        };
        match end {
            // A failure there also shows in an execution that runs to its end.
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
        finding.races = found
            .races
            .iter()
            .take(TRIED)
            .map(|(race, points)| self.shown(server, race, *points, trace))
            .collect();
        let schedule = || trace.transitions.iter().map(|at| at.task).collect::<Vec<TaskId>>();
        if !finding.errors.is_empty() || !finding.deadlocks.is_empty() {
            let witness = self.execute(server, Order::Count { schedule: schedule() }).answer();
            let witness = witness.and_then(|answer| answer.witness);
            finding.errors.iter_mut().for_each(|error| error.witness.clone_from(&witness));
            finding.deadlocks.iter_mut().for_each(|deadlock| deadlock.witness.clone_from(&witness));
        } else if *end == Some(GuidedEnd::Complete) {
            finding.end = Some(None);
        }
        finding
    }

    /// A race; feasible if a schedule brings its accesses together.
    fn shown(&self, server: &mut Server<'_>, race: &Race, points: [Point; 2], trace: &Trace) -> Race {
        let witness = self.meet(server, points, trace);
        match witness {
            Some(witness) => Race { grade: Grade::Feasible, witness: Some(witness), ..race.clone() },
            None => {
                self.keep_unshown(race.clone());
                race.clone()
            }
        }
    }

    fn keep_unshown(&self, race: Race) {
        let key = |race: &Race| (race.location.clone(), race.first.at.clone(), race.second.at.clone());
        let mut unshown = self.unshown.lock().unwrap_or_else(PoisonError::into_inner);
        if !unshown.iter().any(|known| key(known) == key(&race)) {
            unshown.push(race);
        }
    }

    fn meet(&self, server: &mut Server<'_>, points: [Point; 2], trace: &Trace) -> Option<Witness> {
        meet(points, trace, self.dependence, |order| self.execute(server, order).answer())
    }

    /// Whether the transitions that lead to the job's state did what they did before.
    fn is_as_before(&self, job: &Job, histories: &[(u64, u64)]) -> bool {
        let known = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        let here = histories.get(job.depth());
        here.is_none_or(|(who, what)| known.get(who).is_none_or(|before| before == what))
    }

    fn remember(&self, histories: &[(u64, u64)], depths: impl Iterator<Item = usize>) {
        let mut known = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(depths.map(|depth| histories[depth]));
    }

    /// Whether the program behaves differently when an execution is repeated.
    fn has_changed(&self, server: &mut Server<'_>, trace: &Trace, histories: &[(u64, u64)]) -> bool {
        let order = Order::Explore {
            prefix: trace.transitions.iter().map(|transition| transition.task).collect(),
            hint: Vec::new(),
            asleep: Vec::new(),
            dependence: self.dependence,
            pick: None,
            preemptions: None,
        };
        self.execute(server, order).answer().is_some_and(|again| again.trace.fingerprints() != histories)
    }
}
