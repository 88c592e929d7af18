//! Witnesses of races of native programs: further executions that bring the two accesses together.
//!
//! The detector decides by one run that two accesses are not ordered, whichever thread executes
//! them and however large the team is. [`show`] runs the program under the control of a search,
//! with the team of the run first, then with other assignments of work to threads and other sizes,
//! until two threads make the accesses. [`meet`] then stops both right before them. A race that
//! none of these teams shows stays without a witness.
//!
//! The same two lines may race on several cells: elements of an array, or whatever a pointer leads
//! to. A race prefers a witness on its own cell. Failing that, one on another cell that the same
//! accesses meet on shows the same lines, and its playback names that cell. It is the witness of a
//! race that the run has decided. It is none of one that the run, with mutual exclusion, has only
//! predicted: that race becomes the one that was met. An execution names one pair of accesses of
//! two lines to a cell. So a race of a read and a write may have no witness beside that of the two
//! writes.

use crate::shared::process::{ExecutionLimits, NativeProgram, Streams};
use raceproof::remote::{Answer, Order, Point};
use raceproof_core::event::AccessKind;
use raceproof_core::explore::trace::Trace;
use raceproof_core::explore::{Dependence, TaskName, past};
use raceproof_core::finding::{Grade, Place, Race, Witness, WitnessTeam};
use raceproof_host::interrupt;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long all of these executions may take, and how much each may do and answer.
const PATIENCE: Duration = Duration::from_secs(10);
const ACTIONS: u64 = 1 << 22;
const ANSWER: u64 = 1 << 28;

/// The most races that are tried.
const MOST: usize = 64;

/// Sizes that tell iterations apart which smaller teams give to one thread.
const SIZES: [u32; 4] = [3, 8, 64, 256];
/// Assignments that each size is tried with.
const ASSIGNMENTS: u32 = 3;

/// The teams that may show a race.
#[derive(Clone, Copy)]
pub(crate) struct Teams {
    /// The size that the command was given.
    pub(crate) asked: Option<u32>,
    /// The size that a team had.
    pub(crate) ran: Option<u32>,
    /// Whether those of other sizes count.
    pub(crate) all_sizes: bool,
}

/// Adds a witness to each race that further executions show; it is feasible then. `decided`: the
/// run had no mutual exclusion, so that what it left unordered is not ordered in any schedule.
pub(crate) fn show(races: &mut [Race], decided: bool, program: &Path, arguments: &[OsString], teams: Teams) {
    let mut open: Vec<&mut Race> =
        races.iter_mut().filter(|race| race.witness.is_none()).take(MOST).collect();
    let end = Instant::now() + PATIENCE;
    let interrupted = interrupt::watch();
    let is_over = || Instant::now() >= end || interrupted.load(Ordering::Relaxed);
    // Those that were met on other cells than the apparent races at their lines.
    let mut others: Vec<Race> = Vec::new();
    for team in teams.list() {
        if open.is_empty() || is_over() {
            break;
        }
        let program = NativeProgram::new(program.to_owned(), arguments, None).with_team(team);
        let execute = |order: Order| -> Option<Answer> {
            let seconds = end.saturating_duration_since(Instant::now()).as_secs_f64();
            let limits = ExecutionLimits { actions: ACTIONS, seconds, answer: ANSWER };
            program.execute(&order, limits, Streams::Hidden, &is_over).ok()?.1
        };
        let dependence = Dependence::Conflict;
        let first = Order::Explore {
            prefix: Vec::new(),
            hint: Vec::new(),
            asleep: Vec::new(),
            dependence,
            pick: None,
            preemptions: None,
        };
        let Some(answer) = execute(first) else { continue };
        for same_cell in [true, false] {
            for (met, points) in &answer.found.races {
                let fits = |race: &Race| {
                    accesses(race) == accesses(met) && (race.location == met.location) == same_cell
                };
                let is_known = others.iter().any(|other| accesses(other) == accesses(met));
                if !open.iter().any(|race| fits(race) && (decided || same_cell || !is_known)) {
                    continue;
                }
                let Some(witness) = meet(*points, &answer.trace, dependence, execute) else { continue };
                let witness = Some(Witness { team, ..witness });
                let grade = Grade::Feasible;
                for race in open.extract_if(.., |race| fits(race) && (decided || same_cell)) {
                    race.witness.clone_from(&witness);
                    race.grade = grade;
                }
                if !is_known && open.iter().any(|race| fits(race)) {
                    others.push(Race { witness, grade, ..met.clone() });
                }
            }
        }
    }
    for race in open {
        if let Some(at) = others.iter().position(|other| accesses(other) == accesses(race)) {
            *race = others.swap_remove(at);
        }
    }
}

impl Teams {
    /// The teams to try, that of the run first.
    fn list(self) -> impl Iterator<Item = Option<WitnessTeam>> {
        let others = SIZES.into_iter().filter(move |size| self.all_sizes && Some(*size) != self.ran);
        let sizes = self.ran.into_iter().chain(others);
        let teams =
            sizes.flat_map(|size| (0..ASSIGNMENTS).map(move |assignment| WitnessTeam { size, assignment }));
        let usual = self.ran.map(|size| WitnessTeam { size, assignment: 0 });
        let first = self.asked.map(|size| WitnessTeam { size, assignment: 0 });
        std::iter::once(first).chain(teams.filter(move |team| Some(*team) != usual).map(Some))
    }
}

/// Where the two accesses are and what they do, in source order.
fn accesses(race: &Race) -> [(&Place, AccessKind); 2] {
    let mut accesses = [&race.first, &race.second].map(|side| (&side.at, side.access));
    accesses.sort();
    accesses
}

/// A schedule that stops two tasks right before their accesses: the causal past of both, then one
/// of the two, then the other. A task in a critical section keeps others out of it, so both orders
/// are tried.
pub(crate) fn meet(
    points: [Point; 2],
    trace: &Trace,
    dependence: Dependence,
    mut execute: impl FnMut(Order) -> Option<Answer>,
) -> Option<Witness> {
    let moments = points.map(|point| point.moment);
    let name = |transition: usize| trace.names[trace.transitions[transition].task.index()];
    let past: Vec<TaskName> = past(trace, dependence, moments).into_iter().map(name).collect();
    [[1, 0], [0, 1]].into_iter().find_map(|last| {
        let schedule = past.iter().copied().chain(last.map(|at| points[at].task)).collect();
        execute(Order::Meet { schedule, points })?.witness
    })
}
