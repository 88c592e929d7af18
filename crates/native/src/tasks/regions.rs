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
        _ if is_asked_for() => Sizes::Only(size),
        true if icvs.dynamic => Sizes::Between(1, wanted),
        true => Sizes::Only(size),
        false => {
            bound_alone(size, "a region ran with one thread");
            Sizes::All
        }
    };
    (size, sizes)
}

/// Whether the options ask for a verdict about the sizes that run.
fn is_asked_for() -> bool {
    let is = !process::state().options.all_sizes;
    if is {
        report::state().teams.bound(SizeBound::Asked);
    }
    is
}

/// A team, or a league, has a size that the program leaves open. One thread alone shows nothing of
/// what two would do.
fn bound_alone(size: u32, what: &'static str) {
    if size == 1 {
        report::state().teams.bound(SizeBound::Alone(what));
    }
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
    let (size, sizes) = match condition {
        true => size(),
        false => {
            state().omp.next_threads = None;
            (1, Sizes::Only(1))
        }
    };
    report::state().teams.ran(if sched::job().is_some() { size } else { 1 });
    Team::fork(size, sizes, pc, body);
}

/// Runs `teams`: a league of teams of one thread each, which run in parallel and never wait for
/// each other.
pub(crate) fn fork_league(pc: usize, body: impl Fn() + 'static) {
    let NextTeams { least, most, limit } = state().omp.next_teams.take().unwrap_or_default();
    let is_set = most > 0 || state().omp.sets_teams;
    let default = if state().omp.teams > 0 { state().omp.teams } else { units::league(2) };
    let teams = if most == 0 { default } else { most };
    let sizes = match is_set {
        _ if is_asked_for() => Sizes::Only(teams),
        true if most > 0 && least == most => Sizes::Only(teams),
        true => Sizes::Between(least.max(1), teams),
        false => {
            bound_alone(teams, "a league had one team");
            Sizes::All
        }
    };
    // A clause sets the limit of the team's contention group, OMP_TEAMS_THREAD_LIMIT the size of
    // its teams.
    let (limited, limit) = if limit > 0 { (true, limit) } else { (false, state().omp.teams_thread_limit) };
    report::state().teams.ran(if sched::job().is_some() { teams } else { 1 });
    Team::fork(
        teams,
        sizes,
        pc,
        Rc::new(move |number| {
            // Each thread of the league is the initial thread of a team of its own. What it has of
            // a distributed loop depends on how many teams the league has.
            Team::enter_alone();
            let team = team();
            team.league = (number, teams);
            team.sizes = sizes;
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

/// What clauses say of the next league: how many teams it has at least and at most, and how many
/// threads each may have; zero where there is none.
#[derive(Clone, Copy, Default)]
pub(crate) struct NextTeams {
    least: u32,
    most: u32,
    limit: u32,
}

/// Clauses say so much of the next league; zero where there is none.
pub(crate) fn push_teams(least: i32, most: i32, limit: i32) {
    let [least, most, limit] = [least, most, limit].map(|number| number.max(0) as u32);
    state().omp.next_teams = Some(NextTeams { least: least.min(most), most, limit });
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
