//! The threads that search: started once, since a round can be over in less time than it takes to
//! start a thread.

use super::share::{Round, RunAll, Share};
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long to wait for other workers before the caller is asked what it has to do in between.
const BETWEEN: Duration = Duration::from_millis(100);

/// Searches a share; the last is to be called after each execution.
pub(super) type Searcher<'a> = dyn FnMut(Share, &Round, &mut dyn FnMut(&Round)) -> Share + 'a;

/// Gives `body` a way to search the shares of a round on `workers` threads, this one included.
/// Each has a searcher of its own from `searcher`.
pub(super) fn with_workers<S: FnMut(Share, &Round, &mut dyn FnMut(&Round)) -> Share, R>(
    workers: usize,
    searcher: &(impl Fn() -> S + Sync),
    body: impl FnOnce(&RunAll<'_>) -> R,
) -> R {
    let own = RefCell::new(searcher());
    if workers <= 1 {
        return body(&|shares, round, between| alone(shares, round, between, &mut *own.borrow_mut()));
    }
    let pool = WorkerPool { assignment: Mutex::new(Assignment::Wait), changed: Condvar::new() };
    thread::scope(|scope| {
        let _quit_at_the_end = Shutdown(&pool);
        for _ in 1..workers {
            scope.spawn(|| pool.serve(&mut searcher()));
        }
        body(&|shares, round, between| match shares.len() {
            1 => alone(shares, round, between, &mut *own.borrow_mut()),
            _ => pool.run_all(shares, round, between, &mut *own.borrow_mut()),
        })
    })
}

/// Sees to it that the shares of a round are searched, by others too; returns when all are.
pub(super) type Lead<'a> = dyn Fn(&Batch, &Arc<Round>, &mut dyn FnMut(&Round)) + 'a;

/// As [`with_workers`], with other ranks among those that search. This thread speaks to them.
pub(super) fn with_ranks<S: FnMut(Share, &Round, &mut dyn FnMut(&Round)) -> Share, R>(
    workers: usize,
    searcher: &(impl Fn() -> S + Sync),
    lead: &Lead<'_>,
    body: impl FnOnce(&RunAll<'_>) -> R,
) -> R {
    let pool = WorkerPool { assignment: Mutex::new(Assignment::Wait), changed: Condvar::new() };
    thread::scope(|scope| {
        let _quit_at_the_end = Shutdown(&pool);
        for _ in 0..workers.max(1) {
            scope.spawn(|| pool.serve(&mut searcher()));
        }
        body(&|shares, round, between| {
            let batch = pool.assign(shares, round);
            lead(&batch, round, between);
            pool.results(&batch)
        })
    })
}

/// On this thread only.
pub(super) fn alone(
    shares: Vec<Share>,
    round: &Arc<Round>,
    between: &mut dyn FnMut(&Round),
    search: &mut Searcher<'_>,
) -> Vec<Share> {
    shares.into_iter().map(|share| search(share, round, between)).collect()
}

/// A round under way.
pub(super) struct Batch {
    shares: Vec<Mutex<Option<Share>>>,
    /// The first share that nobody has taken.
    next: AtomicUsize,
    round: Arc<Round>,
    /// How many are not done.
    left: Mutex<usize>,
    done: Condvar,
}

enum Assignment {
    Wait,
    Work(Arc<Batch>),
    Quit,
}

struct WorkerPool {
    assignment: Mutex<Assignment>,
    changed: Condvar,
}

impl WorkerPool {
    fn run_all(
        &self,
        shares: Vec<Share>,
        round: &Arc<Round>,
        between: &mut dyn FnMut(&Round),
        search: &mut Searcher<'_>,
    ) -> Vec<Share> {
        let batch = self.assign(shares, round);
        while batch.work(search, between) {}
        let mut left = lock(&batch.left);
        while *left > 0 {
            (left, _) = batch.done.wait_timeout(left, BETWEEN).unwrap_or_else(PoisonError::into_inner);
            between(round);
        }
        drop(left);
        self.results(&batch)
    }

    /// Begins a round.
    fn assign(&self, shares: Vec<Share>, round: &Arc<Round>) -> Arc<Batch> {
        let batch = Arc::new(Batch {
            left: Mutex::new(shares.len()),
            shares: shares.into_iter().map(|share| Mutex::new(Some(share))).collect(),
            next: AtomicUsize::new(0),
            round: round.clone(),
            done: Condvar::new(),
        });
        *lock(&self.assignment) = Assignment::Work(batch.clone());
        self.changed.notify_all();
        batch
    }

    /// Ends a round of which all is done.
    fn results(&self, batch: &Batch) -> Vec<Share> {
        *lock(&self.assignment) = Assignment::Wait;
        // What a worker that panicked has taken is not there; the scope will pass the panic on.
        batch.shares.iter().filter_map(|share| lock(share).take()).collect()
    }

    /// The life of a worker.
    fn serve(&self, search: &mut Searcher<'_>) {
        loop {
            let mut assignment = lock(&self.assignment);
            let batch = loop {
                match &*assignment {
                    Assignment::Work(batch) if batch.has_more() => break batch.clone(),
                    Assignment::Quit => return,
                    _ => assignment = self.changed.wait(assignment).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(assignment);
            while batch.work(search, &mut |_| ()) {}
        }
    }
}

impl Batch {
    fn has_more(&self) -> bool {
        self.untaken() > 0
    }

    /// How many shares the round has, and how many nobody has taken.
    pub(super) fn len(&self) -> usize {
        self.shares.len()
    }

    pub(super) fn untaken(&self) -> usize {
        self.shares.len().saturating_sub(self.next.load(Ordering::Relaxed))
    }

    pub(super) fn is_done(&self) -> bool {
        *lock(&self.left) == 0
    }

    /// Takes the next share, which is to be [put](Batch::put) back.
    pub(super) fn take(&self) -> Option<(usize, Share)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let share = lock(self.shares.get(number)?).take()?;
        Some((number, share))
    }

    pub(super) fn put(&self, number: usize, share: Share) {
        let _done_in_any_case = Done(self);
        *lock(&self.shares[number]) = Some(share);
    }

    /// Searches the next share; false if there is none.
    fn work(&self, search: &mut Searcher<'_>, between: &mut dyn FnMut(&Round)) -> bool {
        let Some(slot) = self.shares.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return false };
        let _done_in_any_case = Done(self);
        let share = lock(slot).take();
        let share = share.map(|share| search(share, &self.round, between));
        *lock(slot) = share;
        true
    }
}

/// Counts a share as done when it goes out of scope.
struct Done<'a>(&'a Batch);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let mut left = lock(&self.0.left);
        *left -= 1;
        if *left == 0 {
            self.0.done.notify_all();
        }
    }
}

/// Ends the workers when it goes out of scope.
struct Shutdown<'a>(&'a WorkerPool);

impl Drop for Shutdown<'_> {
    fn drop(&mut self) {
        *lock(&self.0.assignment) = Assignment::Quit;
        self.0.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
