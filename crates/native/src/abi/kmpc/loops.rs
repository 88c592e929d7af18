//! Worksharing loops.
//!
//! A static schedule is a matter of arithmetic. The chunks of any other schedule are dealt out to the threads by number, not
//! by who comes first: each row of as many chunks as there are threads goes to all of them, turned by another amount each time. Any
//! such deal is one the specification allows, and it is independent of the schedule: a run can be repeated. Chunks are parallel to
//! each other whoever took them, see [`chunks`](crate::detect::detector); only with the memory of a thread does it matter who did.

use super::{Loc, caller, entry};
use crate::search::{self, Bell};
use crate::tasks::icvs::{Kind, icvs};
use crate::tasks::omp::{Team, Thread, scope, team, thread};
use crate::tasks::sched::{self, wait_until};
use crate::world;
use raceproof_core::ids::SyncId;
use std::sync::atomic::{AtomicBool, Ordering};

const STATIC_CHUNKED: i32 = 33;
const STATIC: i32 = 34;
const DYNAMIC: i32 = 35;
const GUIDED: i32 = 36;
const RUNTIME: i32 = 37;
const AUTO: i32 = 38;
const STATIC_BALANCED_CHUNKED: i32 = 45;
const RUNTIME_SIMD: i32 = 47;
const ORDERED_STATIC_CHUNKED: i32 = 65;
const ORDERED_STATIC: i32 = 66;
const ORDERED_GUIDED: i32 = 68;
const ORDERED_RUNTIME: i32 = 69;
/// What an ordered schedule has in addition to the same one without.
const IS_ORDERED: i32 = ORDERED_STATIC - STATIC;
const DISTRIBUTE_CHUNKED: i32 = 91;
const DISTRIBUTE: i32 = 92;
/// Bits that say monotonic or nonmonotonic.
const MODIFIERS: i32 = 1 << 29 | 1 << 30;
const ORDERED: std::ops::RangeInclusive<i32> = 64..=70;

/// A loop the threads of a team share.
pub(crate) struct Shared {
    /// Where chunks begin, as iteration numbers, as far as known; the last entry is where the next will.
    starts: Vec<u64>,
    count: u64,
    chunk: u64,
    guided: bool,
    /// Threads that are done with it.
    done: u32,
    /// The iteration whose ordered region is next, and what tells of the end of the last.
    turn: u64,
    last: Option<SyncId>,
}

/// Where a thread is in a loop.
pub(crate) struct Cursor {
    number: u64,
    first: i128,
    stride: i128,
    /// The chunk to take next is in this row.
    row: u64,
    /// For a static schedule: iterations of this thread, from, to, and by how much to go on.
    fixed: Option<(u64, u64, u64)>,
    ordered: bool,
    /// The iteration the thread is at, and whether its ordered region was run.
    at: u64,
    bumped: bool,
    /// If its chunks are parallel to each other: the construct, and how many the thread has taken.
    chunks: Option<(u32, u32)>,
}

impl Cursor {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

fn iterations(lower: i128, upper: i128, stride: i128) -> u64 {
    let count = if stride > 0 {
        (upper - lower).div_euclid(stride) + 1
    } else {
        (lower - upper).div_euclid(-stride) + 1
    };
    if (stride > 0) == (lower > upper) && lower != upper { 0 } else { count.max(0) as u64 }
}

/// The iterations of part `number` of `parts`, as even as possible: from and to, and nothing if there are none left.
fn part(count: u64, number: u64, parts: u64) -> (u64, u64) {
    let (small, extra) = (count / parts, count % parts);
    let from = number * small + number.min(extra);
    (from, from + small + u64::from(number < extra))
}

impl Shared {
    fn new(count: u64, chunk: u64, guided: bool) -> Self {
        Shared { starts: vec![0], count, chunk: chunk.max(1), guided, done: 0, turn: 0, last: None }
    }

    /// The iterations of a chunk.
    fn chunk(&mut self, number: u64, threads: u64) -> Option<(u64, u64)> {
        if !self.guided {
            let from = number.checked_mul(self.chunk)?;
            return (from < self.count).then(|| (from, (from + self.chunk).min(self.count)));
        }
        while (self.starts.len() as u64) < number + 2 {
            let from = *self.starts.last()?;
            if from >= self.count {
                return None;
            }
            let size = ((self.count - from) / (2 * threads)).max(self.chunk);
            self.starts.push((from + size).min(self.count));
        }
        Some((self.starts[number as usize], self.starts[number as usize + 1]))
    }
}

/// By how much a row of chunks of a loop is turned: another amount for the same row of the next loop.
fn turn(number: u64, row: u64, threads: u64) -> u64 {
    ((row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) + number) % threads
}

/// The schedule of a loop and the size of its chunks. What the program or OMP_SCHEDULE has set is for `schedule(runtime)`. (With
/// monotonic, a thread takes its chunks in their order: so it does anyway, and two threads may take any two.)
fn chosen(schedule: i32, chunk: i128) -> (i32, i128) {
    let schedule = schedule & !MODIFIERS;
    if !matches!(schedule, RUNTIME | RUNTIME_SIMD | ORDERED_RUNTIME) {
        return (schedule, chunk);
    }
    let set = icvs().schedule;
    let kind = match set.kind {
        Kind::Static if set.chunk == 0 => STATIC,
        Kind::Static => STATIC_CHUNKED,
        Kind::Dynamic => DYNAMIC,
        Kind::Guided => GUIDED,
        Kind::Auto => AUTO,
    };
    let ordered = if schedule == ORDERED_RUNTIME { IS_ORDERED } else { 0 };
    (kind + ordered, i128::from(set.chunk))
}

fn begin(schedule: i32, lower: i128, upper: i128, stride: i128, chunk: i128) {
    let (team, thread) = (team(), thread());
    let number = thread.loops;
    thread.loops += 1;
    let (schedule, chunk) = chosen(schedule, chunk);
    let ordered = ORDERED.contains(&schedule);
    let count = iterations(lower, upper, stride);
    let guided = matches!(schedule, GUIDED | ORDERED_GUIDED);
    let (size, own) = (u64::from(team.size), u64::from(thread.number));
    let chunk = chunk.clamp(0, i128::from(u64::MAX)) as u64;
    let fixed = match schedule {
        STATIC | ORDERED_STATIC => {
            let (from, to) = part(count, own, size);
            Some((from, to, u64::MAX))
        }
        STATIC_CHUNKED | ORDERED_STATIC_CHUNKED => {
            let chunk = chunk.max(1);
            Some((own * chunk, (own * chunk).saturating_add(chunk).min(count), size * chunk))
        }
        _ => None,
    };
    team.loops.entry(number).or_insert_with(|| Shared::new(count, chunk, guided));
    let (first, at) = (lower, 0);
    // A team of one has nobody else to take a chunk.
    let free = fixed.is_none() && team.size > 1 && sched::job().is_some();
    let chunks = free.then(|| (world().detector.here(caller()), 0));
    thread.dispatch.push(Cursor { number, first, stride, row: 0, fixed, ordered, at, bumped: false, chunks });
}

/// In a search a thread has taken several chunks of a loop.
static ONE_DEAL: AtomicBool = AtomicBool::new(false);

/// Whether other deals of the program's loops would have given some chunks to other threads.
pub(crate) fn is_one_deal() -> bool {
    ONE_DEAL.load(Ordering::Relaxed)
}

/// The running thread has taken a chunk.
fn took(cursor: &mut Cursor) {
    let Some((construct, taken)) = &mut cursor.chunks else { return };
    let here = 0u8;
    let (detector, at) = (&mut world().detector, &raw const here as usize);
    let stack = detector.stacks.of(at).or_else(|| world().main_stack.of(at)).unwrap_or(at..at);
    if *taken > 0 {
        scope().end_of_chunk();
    }
    if search::detects() {
        detector.begin_chunk(*construct, stack, *taken);
    }
    if *taken > 0 && search::is_on() {
        ONE_DEAL.store(true, Ordering::Relaxed);
    }
    *taken += 1;
}

/// The running thread is done with the loop it is in.
fn done(cursor: &Cursor) {
    if cursor.chunks.is_some_and(|(_, taken)| taken > 0) {
        scope().end_of_chunk();
        if search::detects() {
            world().detector.end_loop();
        }
    }
}

/// The running thread leaves what loops it is in, also one that was cancelled.
pub(crate) fn leave() {
    while let Some(cursor) = thread().dispatch.pop() {
        done(&cursor);
    }
}

/// The next iterations for this thread, by number, and whether they are the last of the loop.
fn next() -> Option<(u64, u64, bool)> {
    let (team, thread) = (team(), thread());
    let cursor = thread.dispatch.last_mut()?;
    let shared = team.loops.get_mut(&cursor.number)?;
    let cancelled = team.cancelled || team.cancelled_loop == Some(cursor.number);
    let (size, own) = (u64::from(team.size), u64::from(thread.number));
    let range = if cancelled {
        None
    } else if let Some((from, to, by)) = cursor.fixed {
        let length = to.saturating_sub(from);
        let after = from.saturating_add(by);
        cursor.fixed = Some((after, after.saturating_add(length.max(shared.chunk)).min(shared.count), by));
        (from < to).then_some((from, to))
    } else {
        let row = cursor.row;
        cursor.row += 1;
        let place = (own + size - turn(cursor.number, row, size)) % size;
        // The chunks of the last row may be too few for all threads.
        row.checked_mul(size).and_then(|first| shared.chunk(first + place, size))
    };
    let Some((from, to)) = range else {
        let number = cursor.number;
        if let Some(cursor) = thread.dispatch.pop() {
            done(&cursor);
        }
        shared.done += 1;
        if shared.done == team.size {
            team.loops.remove(&number);
        }
        return None;
    };
    cursor.at = from;
    took(cursor);
    Some((from, to, to == shared.count))
}

macro_rules! loops {
    ($($int:ident, $signed:ident: $init:ident $init_here:ident, $dist_init:ident, $next:ident, $fini:ident,
        $static_init:ident, $team_static_init:ident, $dist_static_init:ident;)*) => { $(
        entry! { $init => $init_here; }

        extern "C" fn $init_here(_: Loc, _: i32, schedule: i32, lower: $int, upper: $int, stride: $signed, chunk: $signed) {
            begin(schedule, lower as i128, upper as i128, stride as i128, chunk as i128);
        }

        /// The part of a distributed loop that is this team's.
        ///
        /// # Safety
        /// `last` is the compiler's own variable, or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dist_init(
            _: Loc, _: i32, schedule: i32, last: *mut i32, lower: $int, upper: $int, stride: $signed, chunk: $signed,
        ) {
            let (own, of) = team().league;
            let count = iterations(lower as i128, upper as i128, stride as i128);
            let (from, to) = part(count, u64::from(own), u64::from(of));
            // SAFETY: as said above.
            if let Some(last) = unsafe { last.as_mut() } {
                *last = i32::from(to == count && from < to);
            }
            let at = |iteration: i128| lower as i128 + iteration * stride as i128;
            begin(schedule, at(from as i128), at(to as i128 - 1), stride as i128, chunk as i128);
        }

        /// The next chunk for this thread: 1 and its bounds, or 0.
        ///
        /// # Safety
        /// The pointers are the compiler's own variables.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $next(
            _: Loc, _: i32, last: *mut i32, lower: *mut $int, upper: *mut $int, stride: *mut $signed,
        ) -> i32 {
            let Some(cursor) = thread().dispatch.last() else { return 0 };
            let (first, by) = (cursor.first, cursor.stride);
            let Some((from, to, is_last)) = next() else { return 0 };
            // SAFETY: as said above.
            unsafe {
                *lower = (first + from as i128 * by) as $int;
                *upper = (first + (to as i128 - 1) * by) as $int;
                if let Some(stride) = stride.as_mut() {
                    *stride = by as $signed;
                }
                if let Some(last) = last.as_mut() {
                    *last = i32::from(is_last);
                }
            }
            1
        }

        /// The end of an iteration of an ordered loop.
        #[unsafe(no_mangle)]
        pub extern "C" fn $fini(_: Loc, _: i32) {
            end_of_iteration();
        }

        /// The iterations of a static schedule that are this thread's, or, of a distributed loop, this team's.
        ///
        /// # Safety
        /// The pointers are the compiler's own variables.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $static_init(
            _: Loc, _: i32, schedule: i32, last: *mut i32, lower: *mut $int, upper: *mut $int, stride: *mut $signed,
            by: $signed, chunk: $signed,
        ) {
            let schedule = schedule & !MODIFIERS;
            let (own, of) = match schedule {
                DISTRIBUTE | DISTRIBUTE_CHUNKED => team().league,
                _ => (thread().number, team().size),
            };
            let chunked = matches!(schedule, STATIC_CHUNKED | DISTRIBUTE_CHUNKED | STATIC_BALANCED_CHUNKED);
            // SAFETY: as said above.
            let (lower, upper, stride, last) = unsafe { (&mut *lower, &mut *upper, &mut *stride, last.as_mut()) };
            let first = *lower as i128;
            let share = share(first, *upper as i128, by as i128, chunked.then_some(chunk as i128), own, of);
            *lower = share.lower as $int;
            *upper = share.upper as $int;
            *stride = share.stride as $signed;
            if let Some(last) = last {
                *last = i32::from(share.last);
            }
        }

        /// The chunks of a distributed loop that are this team's.
        ///
        /// # Safety
        /// The pointers are the compiler's own variables.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $team_static_init(
            _: Loc, _: i32, last: *mut i32, lower: *mut $int, upper: *mut $int, stride: *mut $signed, by: $signed, chunk: $signed,
        ) {
            let (own, of) = team().league;
            // SAFETY: as said above.
            let (lower, upper, stride, last) = unsafe { (&mut *lower, &mut *upper, &mut *stride, last.as_mut()) };
            let share = share(*lower as i128, *upper as i128, by as i128, Some((chunk as i128).max(1)), own, of);
            *lower = share.lower as $int;
            *upper = share.upper as $int;
            *stride = share.stride as $signed;
            if let Some(last) = last {
                *last = i32::from(share.last);
            }
        }

        /// `distribute parallel for`: the team's iterations, and of these the thread's.
        ///
        /// # Safety
        /// The pointers are the compiler's own variables.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dist_static_init(
            _: Loc, _: i32, schedule: i32, last: *mut i32, lower: *mut $int, upper: *mut $int, upper_of_team: *mut $int,
            stride: *mut $signed, by: $signed, chunk: $signed,
        ) {
            // SAFETY: as said above.
            let (lower, upper, stride, last) = unsafe { (&mut *lower, &mut *upper, &mut *stride, last.as_mut()) };
            let (own, of) = team().league;
            let teams = share(*lower as i128, *upper as i128, by as i128, None, own, of);
            // SAFETY: as said above.
            unsafe { *upper_of_team = teams.upper as $int };
            let chunked = (schedule & !MODIFIERS) == STATIC_CHUNKED;
            let chunk = chunked.then_some(chunk as i128);
            let own = share(teams.lower, teams.upper, by as i128, chunk, thread().number, team().size);
            *lower = own.lower as $int;
            *upper = own.upper as $int;
            *stride = own.stride as $signed;
            if let Some(last) = last {
                *last = i32::from(teams.last && own.last);
            }
        }
    )* };
}

loops! {
    i32, i32: __kmpc_dispatch_init_4 dispatch_init_4, __kmpc_dist_dispatch_init_4, __kmpc_dispatch_next_4, __kmpc_dispatch_fini_4,
        __kmpc_for_static_init_4, __kmpc_team_static_init_4, __kmpc_dist_for_static_init_4;
    u32, i32: __kmpc_dispatch_init_4u dispatch_init_4u, __kmpc_dist_dispatch_init_4u, __kmpc_dispatch_next_4u, __kmpc_dispatch_fini_4u,
        __kmpc_for_static_init_4u, __kmpc_team_static_init_4u, __kmpc_dist_for_static_init_4u;
    i64, i64: __kmpc_dispatch_init_8 dispatch_init_8, __kmpc_dist_dispatch_init_8, __kmpc_dispatch_next_8, __kmpc_dispatch_fini_8,
        __kmpc_for_static_init_8, __kmpc_team_static_init_8, __kmpc_dist_for_static_init_8;
    u64, i64: __kmpc_dispatch_init_8u dispatch_init_8u, __kmpc_dist_dispatch_init_8u, __kmpc_dispatch_next_8u, __kmpc_dispatch_fini_8u,
        __kmpc_for_static_init_8u, __kmpc_team_static_init_8u, __kmpc_dist_for_static_init_8u;
}

/// What one of several gets of a loop: the first chunk, and the distance to its next.
struct Share {
    lower: i128,
    upper: i128,
    stride: i128,
    last: bool,
}

fn share(lower: i128, upper: i128, by: i128, chunk: Option<i128>, own: u32, of: u32) -> Share {
    let count = iterations(lower, upper, by);
    let at = |iteration: u64| lower + iteration as i128 * by;
    let (own, of) = (u64::from(own), u64::from(of));
    if let Some(chunk) = chunk {
        let chunk = chunk.max(1) as u64;
        let last = count > 0 && (count - 1) / chunk % of == own;
        return Share {
            lower: at(own * chunk),
            upper: at(own * chunk) + (chunk as i128 - 1) * by,
            stride: (chunk * of) as i128 * by,
            last,
        };
    }
    let (from, to) = part(count, own, of);
    let stride = (count.max(1)) as i128 * by;
    // Nothing: an upper bound on the wrong side of the lower one, with both inside the range of the type.
    if from == to {
        return Share { lower: upper + by, upper, stride, last: false };
    }
    Share { lower: at(from), upper: at(to) - by, stride, last: to == count }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_for_static_fini(_: Loc, _: i32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_dispatch_deinit(_: Loc, _: i32) {}

// ---- ordered ----

/// The loop the running thread is in, and where.
fn here() -> Option<(&'static mut Team, &'static mut Thread)> {
    let thread = thread();
    thread.dispatch.last().is_some_and(|cursor| cursor.ordered).then(|| (team(), thread))
}

/// What rings when the turn passes on in the loop the running thread is in.
fn bell() -> Bell {
    let number = thread().dispatch.last().map_or(0, |cursor| cursor.number);
    Bell { team: std::ptr::from_mut(team()) as usize, number, iteration: 0 }
}

/// Whether it is the turn of the iteration the thread is at.
fn is_turn() -> bool {
    let Some((team, thread)) = here() else { return true };
    let Some(cursor) = thread.dispatch.last() else { return true };
    let cancelled = team.cancelled || team.cancelled_loop == Some(cursor.number);
    cancelled || team.loops.get(&cursor.number).is_none_or(|shared| shared.turn >= cursor.at)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_ordered(_: Loc, _: i32) {
    if here().is_none() {
        return;
    }
    wait_until("the ordered region of an earlier iteration", bell(), is_turn);
    let Some((team, thread)) = here() else { return };
    let shared = thread.dispatch.last().and_then(|cursor| team.loops.get(&cursor.number));
    if let Some(sync) = shared.and_then(|shared| shared.last) {
        world().detector.join_sync(sync);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_ordered(_: Loc, _: i32) {
    let Some((team, thread)) = here() else { return };
    let Some(cursor) = thread.dispatch.last_mut() else { return };
    let Some(shared) = team.loops.get_mut(&cursor.number) else { return };
    let sync = world().detector.new_sync();
    world().detector.signal_sync(sync);
    shared.last = Some(sync);
    shared.turn = shared.turn.max(cursor.at + 1);
    cursor.bumped = true;
    search::ring(bell());
}

fn end_of_iteration() {
    if here().is_none() {
        return;
    }
    let bumped = here().and_then(|(_, thread)| thread.dispatch.last()).is_some_and(|cursor| cursor.bumped);
    if !bumped {
        wait_until("the ordered region of an earlier iteration", bell(), is_turn);
    }
    let Some((team, thread)) = here() else { return };
    let Some(cursor) = thread.dispatch.last_mut() else { return };
    if let Some(shared) = team.loops.get_mut(&cursor.number) {
        shared.turn = shared.turn.max(cursor.at + 1);
    }
    cursor.bumped = false;
    cursor.at += 1;
    if !bumped {
        search::ring(bell());
    }
}
