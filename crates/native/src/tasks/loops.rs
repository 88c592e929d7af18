//! Worksharing loops.
//!
//! A static schedule is a matter of arithmetic. The chunks of any other schedule are dealt out to
//! the threads by number, not by who comes first: each row of as many chunks as there are threads
//! goes to all of them, turned by another amount each time. Any such deal is one the specification
//! allows, and it is independent of the schedule: a run can be repeated. Chunks, and the iterations
//! of a static schedule that may belong to different ones, are parallel to each other whoever
//! executed them ([`units`]); only with the memory of a thread does it matter who did.

use crate::detect::detector;
use crate::detect::detector::{Division, Share, Work};
use crate::process::call_site::caller;
use crate::process::openmp::Kind;
use crate::tasks::explorer::{self, WaitEvent};
use crate::tasks::icvs::icvs;
use crate::tasks::omp::{Team, Thread, team, thread};
use crate::tasks::sched::wait_until;
use crate::tasks::state;
use crate::tasks::units::{self, Choice};
use raceproof_core::ids::{SiteId, SyncId};

pub(crate) const STATIC_CHUNKED: i32 = 33;
const STATIC: i32 = 34;
const DYNAMIC: i32 = 35;
const GUIDED: i32 = 36;
const RUNTIME: i32 = 37;
const AUTO: i32 = 38;
pub(crate) const STATIC_BALANCED_CHUNKED: i32 = 45;
const RUNTIME_SIMD: i32 = 47;
const ORDERED_STATIC_CHUNKED: i32 = 65;
const ORDERED_STATIC: i32 = 66;
const ORDERED_GUIDED: i32 = 68;
const ORDERED_RUNTIME: i32 = 69;
/// What an ordered schedule has in addition to the same one without.
const IS_ORDERED: i32 = ORDERED_STATIC - STATIC;
pub(crate) const DISTRIBUTE_CHUNKED: i32 = 91;
pub(crate) const DISTRIBUTE: i32 = 92;
/// Bits that say monotonic or nonmonotonic.
pub(crate) const MODIFIERS: i32 = 1 << 29 | 1 << 30;
const ORDERED: std::ops::RangeInclusive<i32> = 64..=70;

/// A loop the threads of a team share.
pub(crate) struct Shared {
    /// Where chunks begin, as iteration numbers, as far as known; the last entry is where the next
    /// will.
    starts: Vec<u64>,
    count: u64,
    chunk: u64,
    guided: bool,
    /// Threads that are done with it.
    done: u32,
    /// The iteration whose ordered region is next, and the sync that the last one has signalled.
    turn: u64,
    last: Option<SyncId>,
}

/// Where a thread is in a loop.
pub(crate) struct Cursor {
    number: u64,
    pub(crate) first: i128,
    pub(crate) stride: i128,
    /// The chunk to take next is in this row.
    row: u64,
    /// For a static schedule: iterations of this thread, from, to, and by how much to go on.
    fixed: Option<(u64, u64, u64)>,
    ordered: bool,
    /// The iteration the thread is at, and whether its ordered region was run.
    at: u64,
    bumped: bool,
    /// The construct, a site, and how each chunk is divided further.
    created: SiteId,
    division: Option<Division>,
    is_marked: bool,
}

impl Cursor {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

pub(crate) fn iterations(lower: i128, upper: i128, stride: i128) -> u64 {
    let count = if stride > 0 {
        (upper - lower).div_euclid(stride) + 1
    } else {
        (lower - upper).div_euclid(-stride) + 1
    };
    if (stride > 0) == (lower > upper) && lower != upper { 0 } else { count.max(0) as u64 }
}

/// The iterations of part `number` of `parts`, as even as possible: from and to, and nothing if
/// there are none left.
pub(crate) fn part(count: u64, number: u64, parts: u64) -> (u64, u64) {
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
            // The least size, or more, so that chunks end elsewhere in another assignment.
            let more =
                || units::turn(Choice::Row(from, self.count), self.chunk.try_into().unwrap_or(u32::MAX));
            let size = match units::is_usual() {
                true => ((self.count - from) / (2 * threads)).max(self.chunk),
                false => self.chunk + u64::from(more()),
            };
            self.starts.push((from + size).min(self.count));
        }
        Some((self.starts[number as usize], self.starts[number as usize + 1]))
    }
}

/// By how much a row of chunks of a loop is turned: another amount for the same row of the next
/// loop.
fn turn(number: u64, row: u64, threads: u64) -> u64 {
    ((row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) + number) % threads
}

fn is_chosen_at_run_time(schedule: i32) -> bool {
    matches!(schedule & !MODIFIERS, RUNTIME | RUNTIME_SIMD | ORDERED_RUNTIME)
}

/// The schedule of a loop and the size of its chunks. What the program or OMP_SCHEDULE has set is
/// for `schedule(runtime)`. (With monotonic, a thread takes its chunks in their order: so it does
/// anyway, and two threads may take any two.)
fn chosen(schedule: i32, chunk: i128) -> (i32, i128) {
    let is_set = is_chosen_at_run_time(schedule);
    let schedule = schedule & !MODIFIERS;
    if !is_set {
        return (schedule, chunk);
    }
    let set = icvs().schedule;
    let kind = match set.kind {
        // Any schedule will do, and one that separates iterations shows most.
        _ if !icvs().sets_schedule && !units::is_usual() => DYNAMIC,
        Kind::Static if set.chunk == 0 => STATIC,
        Kind::Static => STATIC_CHUNKED,
        Kind::Dynamic => DYNAMIC,
        Kind::Guided => GUIDED,
        Kind::Auto => AUTO,
    };
    let ordered = if schedule == ORDERED_RUNTIME { IS_ORDERED } else { 0 };
    (kind + ordered, i128::from(set.chunk))
}

pub(crate) fn begin(schedule: i32, lower: i128, upper: i128, stride: i128, chunk: i128) {
    let (team, thread) = (team(), thread());
    let number = thread.loops;
    thread.loops += 1;
    let is_from_environment = is_chosen_at_run_time(schedule) && !icvs().sets_schedule;
    let (schedule, chunk) = chosen(schedule, chunk);
    let ordered = ORDERED.contains(&schedule);
    let count = iterations(lower, upper, stride);
    let guided = matches!(schedule, GUIDED | ORDERED_GUIDED);
    let (size, own) = (u64::from(team.size), u64::from(thread.number));
    let chunk = chunk.clamp(0, i128::from(u64::MAX)) as u64;
    let fixed = match schedule {
        STATIC | ORDERED_STATIC => {
            let turn = u64::from(units::turn(Choice::Even(count), team.size));
            let (from, to) = part(count, (own + turn) % size, size);
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
    let division = match schedule {
        // The environment may say another schedule the next time.
        _ if is_from_environment => Some(Division::Any { together: 1 }),
        STATIC | ORDERED_STATIC => Some(Division::Even { count }),
        STATIC_CHUNKED | ORDERED_STATIC_CHUNKED => Some(Division::Dealt { chunk: chunk.max(1) }),
        GUIDED | ORDERED_GUIDED => Some(Division::Any { together: chunk.max(1) }),
        AUTO => Some(Division::Any { together: 1 }),
        _ => None,
    };
    let created = detector().here(caller());
    let is_marked = std::mem::take(&mut state().omp.has_marks);
    thread.dispatch.push(Cursor {
        number,
        first,
        stride,
        row: 0,
        fixed,
        ordered,
        at,
        bumped: false,
        created,
        division,
        is_marked,
    });
}

/// The running thread begins its share of a loop whose schedule is known beforehand.
/// `distributes`: among the teams of a league, not the threads of a team.
pub(crate) fn begin_share(share: Share, distributes: bool) {
    let is_marked = std::mem::take(&mut state().omp.has_marks);
    if !distributes {
        thread().static_loops += 1;
    }
    if if distributes { units::is_league() } else { units::is_team() } {
        units::begin(Work::Share(Share { is_marked, ..share }), detector().here(caller()));
    }
}

/// The part of a static loop that the thread with this number executes.
pub(crate) fn turned(own: u32, of: u32, distributes: bool, division: Division) -> u32 {
    match division {
        Division::Even { count } if !distributes => (own + units::turn(Choice::Even(count), of)) % of,
        // Sections.
        Division::Any { .. } => (own + units::turn(Choice::Sections(thread().static_loops), of)) % of,
        _ => own,
    }
}

/// How a static schedule divides a loop.
pub(crate) fn division(lower: i128, upper: i128, by: i128, chunk: Option<i128>) -> Division {
    match chunk {
        Some(chunk) => Division::Dealt { chunk: chunk.max(1) as u64 },
        None => Division::Even { count: iterations(lower, upper, by) },
    }
}

impl Share {
    pub(crate) fn of_loop(first: i128, by: i128, division: Division) -> Self {
        Share { first: first as i64, by: by as i64, division, is_sections: false, is_marked: false }
    }

    pub(crate) fn of_sections(first: i128, by: i128) -> Self {
        Share { is_sections: true, ..Share::of_loop(first, by, Division::Any { together: 1 }) }
    }
}

/// The running thread has taken a chunk.
fn took(cursor: &Cursor) {
    units::end();
    if !units::is_team() {
        return;
    }
    let &Cursor { first, stride, division, is_marked, created, .. } = cursor;
    match division {
        Some(division) => {
            units::begin(
                Work::Share(Share { is_marked, ..Share::of_loop(first, stride, division) }),
                created,
            );
        }
        None => units::begin(Work::Chunk, created),
    }
}

/// The running thread leaves what loops it is in, also one that was cancelled.
pub(crate) fn leave() {
    thread().dispatch.clear();
    units::end();
}

/// The next iterations for this thread, by number, and whether they are the last of the loop.
pub(crate) fn next() -> Option<(u64, u64, bool)> {
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
        let turn = turn(cursor.number, row, size)
            + u64::from(units::turn(Choice::Row(cursor.number, row), team.size));
        let place = (own + 2 * size - turn) % size;
        // The chunks of the last row may be too few for all threads.
        row.checked_mul(size).and_then(|first| shared.chunk(first + place, size))
    };
    let Some((from, to)) = range else {
        let number = cursor.number;
        thread.dispatch.pop();
        units::end();
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

/// What one of several gets of a loop: the first chunk, and the distance to its next.
pub(crate) struct Part {
    pub(crate) lower: i128,
    pub(crate) upper: i128,
    pub(crate) stride: i128,
    pub(crate) last: bool,
}

pub(crate) fn share(lower: i128, upper: i128, by: i128, chunk: Option<i128>, own: u32, of: u32) -> Part {
    let count = iterations(lower, upper, by);
    let at = |iteration: u64| lower + iteration as i128 * by;
    let (own, of) = (u64::from(own), u64::from(of));
    if let Some(chunk) = chunk {
        let chunk = chunk.max(1) as u64;
        let last = count > 0 && (count - 1) / chunk % of == own;
        return Part {
            lower: at(own * chunk),
            upper: at(own * chunk) + (chunk as i128 - 1) * by,
            stride: (chunk * of) as i128 * by,
            last,
        };
    }
    let (from, to) = part(count, own, of);
    let stride = (count.max(1)) as i128 * by;
    // Nothing: an upper bound on the wrong side of the lower one, with both inside the range of the
    // type.
    if from == to {
        return Part { lower: upper + by, upper, stride, last: false };
    }
    Part { lower: at(from), upper: at(to) - by, stride, last: to == count }
}

// ---- ordered ----

/// The loop the running thread is in, and where.
fn here() -> Option<(&'static mut Team, &'static mut Thread)> {
    let thread = thread();
    thread.dispatch.last().is_some_and(|cursor| cursor.ordered).then(|| (team(), thread))
}

/// The event that is notified when the turn passes on in the loop the running thread is in.
fn event() -> WaitEvent {
    let number = thread().dispatch.last().map_or(0, |cursor| cursor.number);
    WaitEvent { team: std::ptr::from_mut(team()) as usize, number, iteration: 0 }
}

/// Whether it is the turn of the iteration the thread is at.
fn is_turn() -> bool {
    let Some((team, thread)) = here() else { return true };
    let Some(cursor) = thread.dispatch.last() else { return true };
    let cancelled = team.cancelled || team.cancelled_loop == Some(cursor.number);
    cancelled || team.loops.get(&cursor.number).is_none_or(|shared| shared.turn >= cursor.at)
}

/// The running thread begins the ordered region of its iteration, once it is its turn.
pub(crate) fn begin_ordered() {
    if here().is_none() {
        return;
    }
    wait_until("the ordered region of an earlier iteration", event(), is_turn);
    let Some((team, thread)) = here() else { return };
    let shared = thread.dispatch.last().and_then(|cursor| team.loops.get(&cursor.number));
    if let Some(sync) = shared.and_then(|shared| shared.last) {
        detector().join_sync(sync);
    }
}

/// The ordered region of an iteration has ended.
pub(crate) fn end_ordered() {
    let Some((team, thread)) = here() else { return };
    let Some(cursor) = thread.dispatch.last_mut() else { return };
    let Some(shared) = team.loops.get_mut(&cursor.number) else { return };
    let sync = detector().new_sync();
    detector().signal_sync(sync);
    shared.last = Some(sync);
    shared.turn = shared.turn.max(cursor.at + 1);
    cursor.bumped = true;
    explorer::notify(event());
}

pub(crate) fn end_of_iteration() {
    if here().is_none() {
        return;
    }
    let bumped = here().and_then(|(_, thread)| thread.dispatch.last()).is_some_and(|cursor| cursor.bumped);
    if !bumped {
        wait_until("the ordered region of an earlier iteration", event(), is_turn);
    }
    let Some((team, thread)) = here() else { return };
    let Some(cursor) = thread.dispatch.last_mut() else { return };
    if let Some(shared) = team.loops.get_mut(&cursor.number) {
        shared.turn = shared.turn.max(cursor.at + 1);
    }
    cursor.bumped = false;
    cursor.at += 1;
    if !bumped {
        explorer::notify(event());
    }
}
