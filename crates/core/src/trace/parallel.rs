//! A trace read and analysed by several workers.
//!
//! Three kinds of work, each on a few thousand events: pieces of the trace are taken apart
//! ([`pieces`](super::pieces)), put together in their order, with the clocks
//! ([`shards`](crate::detect::shards)), and given to the shards, each of which takes them in their
//! order. The calling thread puts together, since whoever listens there need not be safe to share;
//! what else there is to do is done by whoever has time, the calling thread included when enough is
//! put together ahead. So with two workers both are busy as long as putting together is no more
//! than half of the work.
//!
//! Nothing of the result depends on who did what: pieces are put together in the order of the
//! trace, shards take all events in that order, and what they find is joined by the event. Memory:
//! so many pieces and stretches at a time, whatever the length of the trace.

use super::pieces::{Merger, Pieces, ReadPiece, Tools};
use super::{AnySource, TraceError};
use crate::detect::epochs::SiteRaces;
use crate::detect::shards::{Clocks, Shard, Timed, joined};
use crate::event::Event;
use crate::order::Order;
use std::collections::{BTreeMap, VecDeque};
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Pieces that are taken together.
const GROUP: usize = 4;

/// Stretches ahead of the slowest shard, for each worker.
const AHEAD: usize = 4;

/// What an analysis by shards has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Analysis {
    /// By pair of sites, in the order of discovery.
    pub races: Vec<SiteRaces>,
    pub reads: u64,
    pub writes: u64,
}

/// Who works.
#[derive(Clone, Copy)]
pub struct Workers<'a> {
    /// At least one.
    pub count: usize,
    /// Called by each worker at its end, on its thread: to ask what it has taken.
    pub ended: Option<&'a (dyn Fn() + Sync)>,
}

/// Gives all events to `each`, in their order and some at a time, until it says no, there are no
/// more, or one is wrong. What was read can be asked of the source then.
pub fn read<R: Read + Send>(
    source: &mut AnySource<R>,
    workers: Workers<'_>,
    mut each: impl FnMut(&[Event]) -> bool,
) -> Result<(), TraceError> {
    run(source, workers, &[], |timed| each(&timed.events))
}

/// The races under an order, or nothing if its clocks depend on accesses; why it ended early, if it
/// did. `other` is called with all events that are no accesses, in their order, and `goes_on` with
/// each of these and now and then, to be asked whether to.
pub fn analyse<O: Order + Default, R: Read + Send>(
    source: &mut AnySource<R>,
    workers: Workers<'_>,
    mut other: impl FnMut(&Event),
    mut goes_on: impl FnMut() -> bool,
) -> Option<(Analysis, Result<(), TraceError>)> {
    let mut clocks = Clocks::<O>::default();
    if !clocks.are_steady() {
        return None;
    }
    let count = u32::try_from(workers.count).unwrap_or(1).max(1);
    let shards: Vec<Mutex<Shard>> = (0..count).map(|at| Mutex::new(Shard::new(count, at))).collect();
    let result = run(source, workers, &shards, |timed| {
        let each = |event: &Event| {
            other(event);
            goes_on()
        };
        clocks.time(timed, each) && goes_on()
    });
    let shards: Vec<Shard> =
        shards.into_iter().map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
    let [reads, writes] = [0, 1].map(|kind| shards.iter().map(|shard| shard.accesses[kind]).sum());
    Some((Analysis { races: joined(shards), reads, writes }, result))
}

/// What is under way.
#[derive(Default)]
struct Board {
    /// Groups of pieces that were begun to be read, and those that are taken apart.
    begun: u64,
    ready: BTreeMap<u64, Vec<ReadPiece>>,
    /// The next group to put together.
    merged: u64,
    /// There is nothing more to read.
    read: bool,
    /// Stretches that some shard has not taken, the first of them, and how many shards have taken
    /// each.
    stretches: VecDeque<(Arc<Timed>, usize)>,
    first: u64,
    /// By shard: the next stretch it takes, and whether somebody gives it one.
    next: Vec<(u64, bool)>,
    /// Stretches to be used again.
    spare: Vec<Timed>,
    /// Nothing more is put together.
    over: bool,
}

enum Job {
    Prepare,
    Observe(usize, Arc<Timed>),
    Merge(Vec<ReadPiece>),
    Quit,
}

struct Pool<'a, 'p, R> {
    board: Mutex<Board>,
    changed: Condvar,
    /// With the number of the next group.
    pieces: Mutex<(Pieces<'p, R>, u64)>,
    shards: &'a [Mutex<Shard>],
    workers: usize,
}

fn run<R: Read + Send>(
    source: &mut AnySource<R>,
    workers: Workers<'_>,
    shards: &[Mutex<Shard>],
    mut merged: impl FnMut(&mut Timed) -> bool,
) -> Result<(), TraceError> {
    let (pieces, mut merger) = source.parts();
    let board = Board { next: vec![(0, false); shards.len()], ..Board::default() };
    let pool = Pool {
        board: Mutex::new(board),
        changed: Condvar::new(),
        pieces: Mutex::new((pieces, 0)),
        shards,
        workers: workers.count.max(1),
    };
    thread::scope(|scope| {
        for worker in 1..pool.workers {
            let pool = &pool;
            // With fewer threads it takes longer.
            let _ = thread::Builder::new().name("analyze".into()).spawn_scoped(scope, move || {
                let _over_if_panicking = Over(pool);
                pool.work(&mut Tools::of(worker), None);
                workers.ended.inspect(|ended| ended());
            });
        }
        let _over_if_panicking = Over(&pool);
        let mut result = Ok(());
        let mut merge = |group| {
            let (goes_on, outcome) = pool.merge(group, &mut merger, &mut merged);
            result = outcome;
            goes_on
        };
        pool.work(&mut Tools::of(0), Some(&mut merge));
        workers.ended.inspect(|ended| ended());
        result
    })
}

impl<R: Read + Send> Pool<'_, '_, R> {
    fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until there is nothing left; `merge` puts a group together and says whether to go on.
    fn work(&self, tools: &mut Tools, mut merge: Option<&mut dyn FnMut(Vec<ReadPiece>) -> bool>) {
        loop {
            match self.job(merge.is_some()) {
                Job::Quit => return,
                Job::Prepare => self.prepare(tools),
                Job::Observe(at, timed) => self.observe(at, timed),
                Job::Merge(group) => {
                    let goes_on = merge.as_mut().is_some_and(|merge| merge(group));
                    let mut board = self.lock();
                    board.merged += 1;
                    board.over |= !goes_on;
                }
            }
            self.changed.notify_all();
        }
    }

    /// What to do next; waits for it.
    fn job(&self, merges: bool) -> Job {
        let mut board = self.lock();
        loop {
            let ahead = AHEAD * self.workers;
            if merges && !board.over && board.stretches.len() < ahead {
                let next = board.merged;
                if let Some(group) = board.ready.remove(&next) {
                    return Job::Merge(group);
                }
            }
            let waiting = board.begun - board.merged;
            let can_read = !board.read && !board.over && waiting < ahead as u64;
            if can_read && waiting < self.workers as u64 {
                board.begun += 1;
                return Job::Prepare;
            }
            let last = board.first + board.stretches.len() as u64;
            if let Some(at) = board.next.iter().position(|&(next, busy)| next < last && !busy) {
                let next = board.next[at].0;
                board.next[at].1 = true;
                let timed = Arc::clone(&board.stretches[(next - board.first) as usize].0);
                return Job::Observe(at, timed);
            }
            if can_read {
                board.begun += 1;
                return Job::Prepare;
            }
            if board.over && board.stretches.is_empty() {
                return Job::Quit;
            }
            board = self.changed.wait(board).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reads a group of pieces and takes it apart.
    fn prepare(&self, tools: &mut Tools) {
        let (mut group, number) = {
            let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
            let mut group = Vec::with_capacity(GROUP);
            while group.len() < GROUP && !group.last().is_some_and(is_last) {
                group.push(pieces.0.read());
            }
            pieces.1 += 1;
            if group.last().is_some_and(is_last) {
                self.lock().read = true;
            }
            (group, pieces.1 - 1)
        };
        for piece in &mut group {
            if let Ok(Some(piece)) = piece {
                piece.prepare(tools);
            }
        }
        self.lock().ready.insert(number, group);
    }

    /// Puts a group together; whether there can be more, and what was wrong.
    fn merge(
        &self,
        group: Vec<ReadPiece>,
        merger: &mut Merger<'_>,
        merged: &mut impl FnMut(&mut Timed) -> bool,
    ) -> (bool, Result<(), TraceError>) {
        let mut timed = self.lock().spare.pop().unwrap_or_default();
        timed.events.clear();
        let mut result = Ok(true);
        for piece in group {
            result = merger.add(piece, &mut timed.events);
            if !matches!(result, Ok(true)) {
                break;
            }
        }
        let goes_on = merged(&mut timed) && matches!(result, Ok(true));
        let mut board = self.lock();
        match self.shards {
            [] => board.spare.push(timed),
            _ => board.stretches.push_back((Arc::new(timed), 0)),
        }
        (goes_on, result.map(|_| ()))
    }

    /// Gives a stretch to a shard.
    fn observe(&self, at: usize, timed: Arc<Timed>) {
        self.shards[at].lock().unwrap_or_else(PoisonError::into_inner).observe(&timed);
        drop(timed);
        let mut board = self.lock();
        let board = &mut *board;
        let taken = board.next[at].0;
        board.next[at] = (taken + 1, false);
        board.stretches[(taken - board.first) as usize].1 += 1;
        while board.stretches.front().is_some_and(|&(_, taken)| taken == self.shards.len()) {
            let done = board.stretches.pop_front().and_then(|(timed, _)| Arc::into_inner(timed));
            board.spare.extend(done);
            board.first += 1;
        }
    }
}

/// Whether nothing comes after.
fn is_last(piece: &ReadPiece) -> bool {
    !matches!(piece, Ok(Some(_)))
}

/// Ends the others if a worker panics: they would wait for it.
struct Over<'a, 'b, 'p, R>(&'a Pool<'b, 'p, R>);

impl<R> Drop for Over<'_, '_, '_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut board = self.0.board.lock().unwrap_or_else(PoisonError::into_inner);
            board.over = true;
            board.stretches.clear();
            board.next.clear();
            self.0.changed.notify_all();
        }
    }
}
