//! Units of work, as the threads of a team execute them: `single`, chunks and shares of loops. What
//! orders them is the detector's matter ([`Work`]).

use crate::detect::detector;
use crate::detect::detector::{Division, Share, Sizes, Work};
use crate::process;
use crate::report;
use crate::report::coverage::SizeBound;
use crate::tasks::omp::{scope, team, thread};
use crate::tasks::{explorer, sched};
use raceproof_core::ids::SiteId;

/// The sizes that the running team may have; in the initial thread of a team of a league, those
/// of the league.
fn sizes() -> Sizes {
    let team = team();
    match report::state().teams.is_size_queried() {
        true => Sizes::Only(if team.is_forked { team.size } else { team.league.1 }),
        false => team.sizes,
    }
}

/// The program asks by the routine `name` how many threads or teams there are, or may be, which is
/// `size`: what it does from now on may depend on it.
pub(crate) fn query(name: &'static str, size: u32) -> i32 {
    report::state().teams.bound(SizeBound::Size(name));
    size as i32
}

/// The running task asks by the routine `name` on which thread it runs: what it does from now on
/// may depend on it.
pub(crate) fn asks_thread(name: &'static str) -> u32 {
    let task = detector().current();
    detector().tasks[task.index()].asked = true;
    report::state().teams.bound(SizeBound::Thread(name));
    detector().record_thread_query();
    thread().number
}

/// What the standard lets any thread execute, each by a number.
#[derive(Clone, Copy)]
pub(crate) enum Choice {
    Single(u64),
    /// The first part of a static loop of so many iterations; the others follow. The same one for
    /// all loops of as many.
    Even(u64),
    /// The first chunk of a row of as many as there are threads, by loop and row.
    Row(u64, u64),
    /// The first section of a construct.
    Sections(u64),
    /// The first task of a taskloop of so many iterations.
    Cut(u64),
}

/// By how many threads the assignment of this execution turns a choice, in a team of so many. An
/// execution that is to show a race has another assignment than the first.
pub(crate) fn turn(choice: Choice, size: u32) -> u32 {
    let assignment = process::state().options.assignment;
    if assignment == 0 {
        return 0;
    }
    let words = match choice {
        Choice::Single(number) => [0, number, 0],
        Choice::Even(count) => [1, count, 0],
        Choice::Row(number, row) => [2, number, row],
        Choice::Cut(count) => [3, count, 0],
        Choice::Sections(number) => [4, number, 0],
    };
    let mixed = words.iter().fold(u64::from(assignment), |mixed, word| {
        (mixed ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    });
    (mixed % u64::from(size.max(1))) as u32
}

/// Whether this execution has the first assignment.
pub(crate) fn is_usual() -> bool {
    process::state().options.assignment == 0
}

/// How many teams a league has for which nothing says it: the usual number, or in another
/// assignment one that tells other iterations apart.
pub(crate) fn league(usual: u32) -> u32 {
    match process::state().options.assignment {
        0 => usual,
        _ if !explorer::is_on() => usual,
        assignment => [13, 3][assignment as usize % 2],
    }
}

/// Whether the running thread is one of a team whose threads share work.
pub(crate) fn is_team() -> bool {
    team().is_forked
}

/// Whether the running thread is the initial one of a team in a league.
pub(crate) fn is_league() -> bool {
    team().league.1 > 1 && !team().is_forked
}

/// The running thread takes a unit of work of the construct at `created`.
pub(crate) fn begin(work: Work, created: SiteId) {
    if sched::job().is_none() || !explorer::detects() || !detector().can_take() {
        return;
    }
    let here = 0u8;
    let at = &raw const here as usize;
    let stack = detector().stack_of(at).unwrap_or(at..at);
    if is_divided_before() && !is_separable(work) {
        report::state().teams.bound(SizeBound::Unmarked);
    }
    if let Work::Share(Share { is_marked: false, division, .. }) = work {
        if is_league() {
            begin_distribution();
        } else {
            report::state().teams.bound(SizeBound::Unmarked);
        }
        // The iterations of one chunk may be those of several threads in another execution.
        report::state().one_deal |= matches!(division, Division::Any { .. });
    }
    scope().begin_unit();
    thread().in_unit = true;
    detector().begin_unit(work, created, stack, sizes());
}

/// A distributed loop without marks of its iterations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Distribution {
    #[default]
    None,
    /// It may be that of `distribute parallel for`.
    Begun,
    /// It is: the loop of the region in it has the marks, and makes all accesses.
    Divided,
}

/// The initial thread of a team in a league takes its part of a loop without marks. One that a
/// region divides further needs none, unless another loop gives the same iterations to this team.
fn begin_distribution() {
    let thread = thread();
    thread.distributions += 1;
    thread.distribution = Distribution::Begun;
    if thread.distributions > 1 {
        report::state().teams.bound(SizeBound::Unmarked);
    }
}

/// A region begins in the running task.
pub(crate) fn divide() {
    let distribution = &mut thread().distribution;
    match distribution {
        Distribution::None => {}
        Distribution::Begun if !detector().has_accessed_in_unit() => *distribution = Distribution::Divided,
        // The end of each region orders what other teams could execute at the same time.
        Distribution::Begun | Distribution::Divided => report::state().teams.bound(SizeBound::Unmarked),
    }
}

/// Whether the loops of the running team divide what the team around it has got of a loop.
fn is_divided_before() -> bool {
    // SAFETY: the thread that opened the region, if there is one, outlives it.
    let parent = unsafe { team().parent.as_ref() };
    parent.is_some_and(|parent| parent.distribution == Distribution::Divided)
}

/// Whether each iteration may be another thread's, wherever the part of this team begins.
fn is_separable(work: Work) -> bool {
    match work {
        Work::Share(Share { is_marked, division, .. }) => {
            let separates = matches!(
                division,
                Division::Even { .. } | Division::Dealt { chunk: 1 } | Division::Any { together: 1 }
            );
            is_marked && separates
        }
        Work::Chunk => false,
        Work::Single => true,
    }
}

/// The running thread has executed its unit, if it is in one.
pub(crate) fn end() {
    if std::mem::take(&mut thread().in_unit) {
        if std::mem::take(&mut thread().distribution) == Distribution::Begun {
            report::state().teams.bound(SizeBound::Unmarked);
        }
        scope().end_unit();
        detector().end_unit();
    }
}

/// The running thread begins a `master` or `masked` region, if it `takes` it.
pub(crate) fn begin_master(takes: bool) -> bool {
    if takes && is_team() {
        detector().begin_master();
    }
    takes
}

/// The running thread ends a `master` or `masked` region.
pub(crate) fn end_master() {
    if is_team() {
        detector().end_master();
    }
}

/// An iteration begins, whose loop variable has this value.
#[inline(always)]
pub(crate) fn iteration(variable: i64) {
    if detector().begin_iteration(variable) {
        split(variable);
    }
}

/// The iteration is a unit of its own. Nothing unwinds from here, so that the caller can end with a
/// jump.
#[cold]
#[inline(never)]
extern "C" fn split(variable: i64) {
    scope().end_unit();
    detector().split_share(variable);
    scope().begin_unit();
}
