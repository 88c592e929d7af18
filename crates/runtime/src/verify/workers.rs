//! The threads that run executions: started once, since a batch can be over in less time than it
//! takes to start a thread.

use super::search::{Executed, RunAll};
use raceproof_core::explore::tree::Job;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Gives `body` a way to run a batch on `workers` threads, this one included; results are in the
/// order of the jobs.
pub(super) fn with_workers<F: Send, R>(
    workers: usize,
    run: &(impl Fn(&Job) -> Executed<F> + Sync),
    body: impl FnOnce(&RunAll<'_, F>) -> R,
) -> R {
    if workers <= 1 {
        return body(&|jobs| jobs.iter().map(run).collect());
    }
    let pool = WorkerPool { assignment: Mutex::new(Assignment::Wait), changed: Condvar::new(), run };
    thread::scope(|scope| {
        let _quit_at_the_end = Shutdown(&pool);
        for _ in 1..workers {
            scope.spawn(|| pool.serve());
        }
        body(&|jobs| pool.run_all(jobs))
    })
}

/// A batch under way.
struct Batch<F> {
    jobs: Arc<[Job]>,
    /// The first job that nobody has taken.
    next: AtomicUsize,
    results: Vec<Mutex<Option<Executed<F>>>>,
    /// How many jobs are not done.
    left: Mutex<usize>,
    done: Condvar,
}

enum Assignment<F> {
    Wait,
    Work(Arc<Batch<F>>),
    Quit,
}

struct WorkerPool<'a, F, W> {
    assignment: Mutex<Assignment<F>>,
    changed: Condvar,
    run: &'a W,
}

impl<F: Send, W: Fn(&Job) -> Executed<F> + Sync> WorkerPool<'_, F, W> {
    fn run_all(&self, jobs: &Arc<[Job]>) -> Vec<Executed<F>> {
        if let [job] = &jobs[..] {
            return vec![(self.run)(job)];
        }
        let batch = Arc::new(Batch {
            jobs: jobs.clone(),
            next: AtomicUsize::new(0),
            results: jobs.iter().map(|_| Mutex::new(None)).collect(),
            left: Mutex::new(jobs.len()),
            done: Condvar::new(),
        });
        *lock(&self.assignment) = Assignment::Work(batch.clone());
        self.changed.notify_all();
        self.work(&batch);
        *lock(&self.assignment) = Assignment::Wait;
        let mut left = lock(&batch.left);
        while *left > 0 {
            left = batch.done.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
        // What a worker that panicked has taken is not done; the scope will pass the panic on.
        batch.results.iter().map(|result| lock(result).take().unwrap_or(Executed::Cut)).collect()
    }

    /// The life of a worker.
    fn serve(&self) {
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
            self.work(&batch);
        }
    }

    fn work(&self, batch: &Batch<F>) {
        loop {
            let at = batch.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = batch.jobs.get(at) else { return };
            let _done_in_any_case = Done(batch);
            let result = (self.run)(job);
            *lock(&batch.results[at]) = Some(result);
        }
    }
}

impl<F> Batch<F> {
    fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.jobs.len()
    }
}

/// Counts a job as done when it goes out of scope.
struct Done<'a, F>(&'a Batch<F>);

impl<F> Drop for Done<'_, F> {
    fn drop(&mut self) {
        let mut left = lock(&self.0.left);
        *left -= 1;
        if *left == 0 {
            self.0.done.notify_all();
        }
    }
}

/// Ends the workers when it goes out of scope.
struct Shutdown<'a, 'b, F, W>(&'a WorkerPool<'b, F, W>);

impl<F, W> Drop for Shutdown<'_, '_, F, W> {
    fn drop(&mut self) {
        *lock(&self.0.assignment) = Assignment::Quit;
        self.0.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
