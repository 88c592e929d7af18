//! The limits of reading and analysing a trace: time, memory, interrupts.
//!
//! The length of a trace does not bound the cost of its analysis: a few kilobytes can hold a
//! hundred million spawns. Loops over events poll the [`Budget`] and stop with what they have
//! found; `--general` does so too. Netzer's analysis does not poll. For it a [`Watchdog`] thread
//! ends the command with the report so far once a limit has passed.

use raceproof::limits::{Limits, Reached};
use raceproof::program::Raise;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Events between two looks at the clock. Few, since one of them can take as long as there are
/// tasks.
pub(crate) const CHUNK: usize = 64;

/// Reading the memory in use takes some 20 microseconds.
const BETWEEN_LOOKS: Duration = Duration::from_millis(4);

/// See the module.
pub(crate) struct Budget {
    limits: Limits<'static>,
    looked: Instant,
    reached: Option<Reached>,
}

impl Budget {
    pub(crate) fn new(limits: Limits<'static>) -> Self {
        Budget { limits, looked: Instant::now(), reached: None }
    }

    /// The limit that has been reached, if one has; from then on always the same.
    pub(crate) fn reached(&mut self) -> Option<Reached> {
        if self.reached.is_none() && (self.looked.elapsed() >= BETWEEN_LOOKS || self.limits.interrupted()) {
            self.reached = self.limits.reached();
            self.looked = Instant::now();
        }
        self.reached
    }

    /// As [`reached`](Budget::reached), looking right now.
    pub(crate) fn reached_now(&mut self) -> Option<Reached> {
        self.reached = self.reached.or_else(|| self.limits.reached());
        self.reached
    }

    /// A budget with a part of the memory, for what has to be written down at the end as well.
    pub(crate) fn part(&self, divisor: u64) -> Budget {
        let memory = self.limits.memory.map(|memory| memory / divisor);
        Budget::new(Limits { memory, ..self.limits })
    }
}

/// What was reached, and what to do.
pub(crate) fn spoken(reached: Reached) -> String {
    match reached {
        Reached::Interrupted => "interrupted before the end of the trace".to_owned(),
        Reached::Seconds => {
            format!(
                "the time limit was reached before the end of the trace; raise {}",
                Raise::OPTIONS.seconds
            )
        }
        Reached::Memory(bytes) => {
            let gigabytes = (bytes as f64 / 1e7).round() / 100.0;
            format!("this trace takes more than {gigabytes} GB of memory; raise {}", Raise::OPTIONS.memory)
        }
    }
}

/// How long loops that poll the budget have to stop by themselves.
const GRACE: Duration = Duration::from_secs(5);
const BETWEEN_WATCHES: Duration = Duration::from_millis(5);

/// See the module. `T` is what is known.
pub(crate) struct Watchdog<T> {
    /// What is known so far; held by the watchdog from when it gives up.
    so_far: Arc<Mutex<Option<T>>>,
    /// Dropped when the work is done.
    _working: Sender<()>,
}

impl<T: Send + 'static> Watchdog<T> {
    /// `give_up` is called, on another thread, with what is known; it has to end the process.
    pub(crate) fn start(
        limits: Limits<'static>,
        give_up: impl FnOnce(Option<T>, Reached) + Send + 'static,
    ) -> Self {
        let so_far = Arc::new(Mutex::new(None));
        let (working, done) = channel();
        let known = Arc::clone(&so_far);
        // Without the thread, loops that poll the budget still keep the limits.
        let _ = thread::Builder::new().name("watchdog".into()).spawn(move || {
            if let Some(reached) = watch(&limits, &done) {
                // From here on the work cannot end any more.
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                if matches!(done.try_recv(), Err(std::sync::mpsc::TryRecvError::Empty)) {
                    give_up(known.take(), reached);
                }
            }
        });
        Watchdog { so_far, _working: working }
    }

    /// Keeps what is known by now, should there be no more.
    pub(crate) fn keep(&self, known: T) {
        *self.so_far.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }

    /// The work is done. If the watchdog has given up already, this does not return.
    pub(crate) fn end(self) {
        let so_far = Arc::clone(&self.so_far);
        let _held = so_far.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self);
    }
}

/// Waits for the limit to be passed for too long, or by too much; nothing if the work is done
/// before.
fn watch(limits: &Limits<'_>, done: &Receiver<()>) -> Option<Reached> {
    let wait = |time| done.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    let reached = loop {
        if !wait(BETWEEN_WATCHES) {
            return None;
        }
        if let Some(reached) = limits.reached() {
            break reached;
        }
    };
    let start = Instant::now();
    // A quarter more memory is too much, however little time has passed.
    let beyond = Limits { memory: limits.memory.map(|most| most + most / 4), ..Limits::default() };
    while start.elapsed() < GRACE && beyond.reached().is_none() {
        if !wait(BETWEEN_WATCHES) {
            return None;
        }
    }
    Some(reached)
}
