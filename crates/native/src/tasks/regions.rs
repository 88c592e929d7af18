//! `parallel` and `teams`: the size of the team that runs a region, and what its threads share at
//! `single`.

use crate::detect::detector;
use crate::detect::detector::{Sizes, Work};
use crate::process;
use crate::process::call_site::caller;
use crate::report;
use crate::report::coverage::SizeBound;
use crate::tasks::icvs::{self, icvs};
use crate::tasks::omp::{self, Team, team, thread};
use crate::tasks::units::{self, Choice};
use crate::tasks::{explorer, sched, state};
use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;

/// How many threads the next region gets, and how many it may get on another machine.
fn size() -> (u32, Sizes) {
    let asked = state().omp.next_threads.take();
    let icvs = icvs();
    let wanted = asked.unwrap_or(icvs.threads);
    let is_set = asked.is_some() || icvs.sets_threads;
    if team().active_level >= icvs.max_active_levels {
        if !(is_set && wanted == 1) {
            report::state().teams.bound(SizeBound::Nested);
        }
        return (1, Sizes::Only(1));
    }
    let free = icvs.thread_limit.saturating_sub(team().in_use.get());
    if wanted > free.saturating_add(1) {
        limited(wanted, free + 1);
    }
    let size = wanted.min(free.saturating_add(1));
    let sizes = match is_set {
        _ if !process::state().options.all_sizes => {
            report::state().teams.bound(SizeBound::Asked);
            Sizes::Only(size)
        }
        true if icvs.dynamic => Sizes::UpTo(wanted),
        true => Sizes::Only(size),
        false => Sizes::All,
    };
    (size, sizes)
}

/// A team is smaller than asked for.
#[cold]
fn limited(wanted: u32, size: u32) {
    report::state().teams.bound(SizeBound::ThreadLimit);
    let omp = &mut state().omp;
    if !std::mem::replace(&mut omp.said_limit, true) {
        crate::say(&format!("a team of {wanted} threads was asked for; the thread limit leaves {size}"));
    }
    if team().active_level > 0 {
        explorer::unexplored(
            "which of several nested teams gets threads under a thread limit is the schedule's choice",
        );
    }
}

/// Runs a parallel region; by one thread if its `if` clause is false.
pub(crate) fn fork(condition: bool, pc: usize, body: Rc<dyn Fn(u32)>) {
    let (size, sizes) = size();
    let size = if condition { size } else { 1 };
    report::state().teams.ran(if sched::job().is_some() { size } else { 1 });
    Team::fork(size, sizes, pc, body);
}

/// Runs `teams`: a league of teams of one thread each, which run in parallel and never wait for
/// each other.
pub(crate) fn fork_league(pc: usize, body: impl Fn() + 'static) {
    let (teams, limit) = state().omp.next_teams.take().unwrap_or((0, 0));
    let default = if state().omp.teams > 0 { state().omp.teams } else { 2 };
    let teams = if teams == 0 { default } else { teams };
    // A clause sets the limit of the team's contention group, OMP_TEAMS_THREAD_LIMIT the size of
    // its teams.
    let (limited, limit) = if limit > 0 { (true, limit) } else { (false, state().omp.teams_thread_limit) };
    Team::fork(
        teams,
        Sizes::All,
        pc,
        Rc::new(move |number| {
            // Each thread of the league is the initial thread of a team of its own.
            Team::enter_alone();
            let team = team();
            team.league = (number, teams);
            team.level = 0;
            team.active_level = 0;
            team.in_use = Rc::new(Cell::new(1));
            if limit > 0 {
                limit_threads(limit, limited);
            }
            body();
            Team::leave_alone();
        }),
    );
}

/// The threads of teams that the running task forms are no more than this; whether as a limit of
/// their contention group.
pub(crate) fn limit_threads(limit: u32, of_group: bool) {
    icvs::set(|icvs| {
        icvs.threads = icvs.threads.min(limit);
        if of_group {
            icvs.thread_limit = limit;
        }
    });
}

/// Begins a region that the running thread runs alone.
pub(crate) fn enter_alone() {
    state().omp.next_threads = None;
    report::state().teams.ran(1);
    Team::enter_alone();
}

/// A clause says how many threads the next region gets.
pub(crate) fn push_threads(threads: i32) {
    state().omp.next_threads = u32::try_from(threads).ok().filter(|&threads| threads > 0);
}

/// Clauses say how many teams the next league has, and how many threads each may have; zero where
/// there is none.
pub(crate) fn push_teams(teams: i32, limit: i32) {
    state().omp.next_teams = Some((teams.max(0) as u32, limit.max(0) as u32));
}

/// Whether the running thread runs the next `single`, which it then begins. Not always the first does, so that two
/// without a barrier between them run on different ones.
pub(crate) fn begin_single() -> bool {
    let number = thread().singles;
    thread().singles += 1;
    let size = team().size;
    let turn = units::turn(Choice::Single(number), size);
    let takes = (number + u64::from(turn)) % u64::from(size) == u64::from(thread().number);
    if takes && units::is_team() {
        units::begin(Work::Single, detector().here(caller()));
    }
    takes
}

/// Whether the running thread executes a `masked` region with this filter.
pub(crate) fn is_filtered(filter: i32) -> bool {
    if filter != 0 {
        report::state().teams.bound(SizeBound::Filter);
    }
    i64::from(thread().number) == i64::from(filter)
}

/// Copies the values of the thread that ran a `single` to those of the others.
pub(crate) fn copy_private(data: *mut c_void, copy: extern "C" fn(*mut c_void, *mut c_void), ran_it: bool) {
    if ran_it {
        team().copied = data;
    }
    omp::barrier();
    if !ran_it {
        copy(data, team().copied);
    }
    omp::barrier();
}

/// The pointer of the thread that ran a `single`, which alone passes one.
pub(crate) fn share_pointer(data: *mut c_void) -> *mut c_void {
    if !data.is_null() {
        team().copied = data;
    }
    omp::barrier();
    team().copied
}
