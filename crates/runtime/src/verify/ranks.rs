//! A search on several machines: the ranks of an MPI job, or whatever is linked.
//!
//! Rank 0 has the search. The shares of a round go to its own workers and to the other ranks, one
//! after the other as each has room; a rank has a few ahead, so that it need not wait for the next.
//! A share is a subtree as data, and comes back as what is left of it with what was found. The
//! results are put together on rank 0 in the order of the shares, as those of threads are: counts,
//! verdict and witness are the same for any number of ranks, and a checkpoint is one of rank 0
//! alone.
//!
//! *Nothing is lost or counted twice.* Rank 0 keeps what it has sent until the answer is there. If
//! the search is cut short, every rank is asked for its shares back as they are. A rank that does
//! not answer soon has died: what it was given counts as not searched, and the round ends with the
//! rest. An answer counts once, with its round; later ones are for nobody.

use super::findings::Findings;
use super::outcome::Explored;
use super::search::{Round, Share};
use super::workers::Batch;
use raceproof_core::explore::forest::Subtree;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The ranks that a search goes over.
#[derive(Clone, Copy)]
pub struct Ranks<'a> {
    pub link: &'a dyn Link,
    /// On ranks other than 0, whose executions end when [`Options::interrupt`] is set: that flag,
    /// which rank 0 has set there, and the one that is set from outside.
    ///
    /// [`Options::interrupt`]: super::Options::interrupt
    pub cut: &'a AtomicBool,
    pub interrupt: Option<&'a AtomicBool>,
}

/// How messages get from rank to rank. Those of one rank to another arrive in their order.
pub trait Link {
    fn rank(&self) -> usize;
    /// How many ranks there are.
    fn size(&self) -> usize;
    fn send(&self, to: usize, message: &[u8]);
    /// A message that has arrived, if one has, and from whom.
    fn receive(&self) -> Option<(usize, Vec<u8>)>;
}

/// Shares that a rank has at a time, for each of its workers: one to search, one to go on with.
const HELD: usize = 2;

/// How long a rank that was asked for its shares may take. An MPI job that ends because a rank has
/// died leaves a second to the others.
const GRACE: Duration = Duration::from_millis(400);

/// Between two looks for messages.
const PAUSE: Duration = Duration::from_micros(50);

/// Between two looks at the limits.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

#[derive(Serialize, Deserialize)]
enum Request<S> {
    /// Search this; of which round it is, and which of its shares.
    Search { round: u64, number: usize, quota: u64, subtree: S },
    /// Give back what there is, as it is.
    Cut,
    /// The search is over.
    Quit,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    round: u64,
    number: usize,
    subtree: Subtree,
    found: Findings,
    ended: Option<Explored>,
    /// Why it was cut short, if it was.
    why: Option<String>,
    executions: u64,
    /// What the executor has found beside.
    aside: String,
}

/// What messages between ranks have cost, for whoever measures.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traffic {
    pub messages: u64,
    pub bytes: u64,
    pub longest: usize,
}

/// Rank 0's end of a link.
pub(super) struct Leader<'a> {
    link: &'a dyn Link,
    /// Workers of every rank.
    workers: usize,
    round: Cell<u64>,
    /// Why a rank was cut short.
    pub(super) why: RefCell<Option<String>>,
    /// Ranks that did not answer.
    dead: RefCell<Vec<usize>>,
    traffic: Cell<Traffic>,
}

/// What rank 0 needs of the executor.
pub(super) struct Hooks<'a> {
    /// Whether a limit is reached.
    pub(super) stop: &'a dyn Fn() -> bool,
    /// Takes what an executor of another rank has found beside.
    pub(super) aside: &'a dyn Fn(&str),
}

impl<'a> Leader<'a> {
    pub(super) fn new(link: &'a dyn Link, workers: usize) -> Self {
        let (round, why, dead, traffic) = Default::default();
        Leader { link, workers: workers.max(1), round, why, dead, traffic }
    }

    pub(super) fn dead(&self) -> Vec<usize> {
        self.dead.borrow().clone()
    }

    fn send(&self, to: usize, message: &[u8]) {
        let Traffic { messages, bytes, longest } = self.traffic.get();
        let longest = longest.max(message.len());
        self.traffic.set(Traffic { messages: messages + 1, bytes: bytes + message.len() as u64, longest });
        self.link.send(to, message);
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    /// Gives the shares of a round to whoever has room, and waits for them.
    pub(super) fn run_all(
        &self,
        batch: &Batch,
        round: &Arc<Round>,
        hooks: &Hooks<'_>,
        between: &mut dyn FnMut(&Round),
    ) {
        let this = self.round.get() + 1;
        self.round.set(this);
        // What each rank has been given and not answered, by the number of the share.
        let mut given: Vec<BTreeMap<usize, Vec<u8>>> = vec![BTreeMap::new(); self.link.size()];
        let mut cut_at: Option<Instant> = None;
        let mut looked = Instant::now();
        while !batch.is_done() {
            let mut idle = true;
            while let Some((rank, message)) = self.link.receive() {
                idle = false;
                let Traffic { messages, bytes, longest } = self.traffic.get();
                let all = bytes + message.len() as u64;
                let longest = longest.max(message.len());
                self.traffic.set(Traffic { messages: messages + 1, bytes: all, longest });
                let Ok(answer) = serde_json::from_slice::<Answer>(&message) else { continue };
                if answer.round == this && given[rank].remove(&answer.number).is_some() {
                    self.take(answer, batch, round, hooks);
                }
            }
            if cut_at.is_none() {
                idle &= !self.give(batch, this, &mut given);
            }
            if looked.elapsed() >= BETWEEN_LOOKS {
                looked = Instant::now();
                between(round);
                if cut_at.is_none() && (hooks.stop)() {
                    cut_at = Some(looked);
                    let message = serde_json::to_vec(&Request::<()>::Cut).unwrap_or_default();
                    self.others().for_each(|rank| self.send(rank, &message));
                }
                if cut_at.is_some_and(|at| at.elapsed() > GRACE) {
                    self.give_up(batch, &mut given);
                }
            }
            if idle {
                thread::sleep(PAUSE);
            }
        }
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<'_> {
        let dead = self.dead();
        (1..self.link.size()).filter(move |rank| !dead.contains(rank))
    }

    /// Sends shares to those that have room; whether there were any. In turn, so that few shares go
    /// to many ranks; rank 0 takes its own.
    fn give(&self, batch: &Batch, round: u64, given: &mut [BTreeMap<usize, Vec<u8>>]) -> bool {
        let mut any = false;
        for held in 0..HELD * self.workers {
            for rank in self.others() {
                // What the workers here are about to need is theirs.
                if given[rank].len() > held || batch.len() == 1 || batch.untaken() <= held * self.workers {
                    continue;
                }
                let Some((number, share)) = batch.take() else { return any };
                let Share { quota, subtree, .. } = &share;
                let request = Request::Search { round, number, quota: *quota, subtree };
                match serde_json::to_vec(&request) {
                    Ok(message) => {
                        self.send(rank, &message);
                        given[rank].insert(number, message);
                        any = true;
                    }
                    // It cannot be sent, so that it is not searched.
                    Err(_) => batch.put(number, Share { ended: Some(Explored::Cut), ..share }),
                }
            }
        }
        any
    }

    fn take(&self, answer: Answer, batch: &Batch, round: &Round, hooks: &Hooks<'_>) {
        let Answer { number, subtree, found, ended, why, executions, aside, .. } = answer;
        round.add(executions);
        if ended == Some(Explored::Stopped) {
            round.ends_with(number);
        }
        if !aside.is_empty() {
            (hooks.aside)(&aside);
        }
        if let Some(why) = why {
            self.why.borrow_mut().get_or_insert(why);
        }
        batch.put(number, Share { number, quota: 0, subtree, found, ended });
    }

    /// What ranks have that do not answer counts as not searched.
    fn give_up(&self, batch: &Batch, given: &mut [BTreeMap<usize, Vec<u8>>]) {
        for (rank, given) in given.iter_mut().enumerate().filter(|(_, given)| !given.is_empty()) {
            self.dead.borrow_mut().push(rank);
            for (number, message) in std::mem::take(given) {
                if let Ok(Request::Search { quota, subtree, .. }) = serde_json::from_slice(&message) {
                    let ended = Some(Explored::Cut);
                    batch.put(number, Share { number, quota, subtree, found: Findings::default(), ended });
                }
            }
        }
    }
}

/// Ends the other ranks.
pub fn quit(link: &dyn Link) {
    let message = serde_json::to_vec(&Request::<()>::Quit).unwrap_or_default();
    (1..link.size()).for_each(|rank| link.send(rank, &message));
}

/// What the ranks other than 0 search with.
pub(super) struct Follower<'a> {
    pub(super) link: &'a dyn Link,
    pub(super) workers: usize,
    /// Set to end executions that are under way.
    pub(super) cut: &'a AtomicBool,
    /// Set from outside when everything is to end.
    pub(super) interrupt: Option<&'a AtomicBool>,
    /// Why executions were cut short, if they were.
    pub(super) why: &'a dyn Fn() -> Option<String>,
    /// What the executor has found beside since it was last asked.
    pub(super) aside: &'a dyn Fn() -> String,
}

/// The shares that a rank has, and their answers.
#[derive(Default)]
struct Desk {
    waiting: Mutex<(VecDeque<(u64, Share)>, bool)>,
    changed: Condvar,
    answers: Mutex<Vec<(u64, Share, u64)>>,
}

impl Follower<'_> {
    /// Searches what rank 0 asks for, until it has no more.
    pub(super) fn serve<S: FnMut(Share, &Round) -> Share>(&self, searcher: &(impl Fn() -> S + Sync)) {
        let desk = Desk::default();
        thread::scope(|scope| {
            let _end = Closed(&desk);
            for _ in 0..self.workers.max(1) {
                scope.spawn(|| desk.work(&mut searcher()));
            }
            loop {
                if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    self.cut.store(true, Ordering::Relaxed);
                }
                let mut idle = true;
                for (round, share, executions) in
                    std::mem::take(&mut *desk.answers.lock().unwrap_or_else(PoisonError::into_inner))
                {
                    idle = false;
                    self.answer(round, share, executions);
                }
                while let Some((_, message)) = self.link.receive() {
                    idle = false;
                    match serde_json::from_slice(&message) {
                        Ok(Request::Search { round, number, quota, subtree }) => {
                            self.cut.store(false, Ordering::Relaxed);
                            let share = Share { number, quota, subtree, found: Findings::default(), ended: None };
                            desk.add(round, share);
                        }
                        Ok(Request::Cut) => self.cut.store(true, Ordering::Relaxed),
                        Ok(Request::Quit) | Err(_) => return,
                    }
                }
                if idle {
                    thread::sleep(PAUSE);
                }
            }
        });
    }

    fn answer(&self, round: u64, share: Share, executions: u64) {
        let Share { number, subtree, found, ended, .. } = share;
        let why = (self.why)().filter(|_| ended == Some(Explored::Cut));
        let aside = (self.aside)();
        let answer = Answer { round, number, subtree, found, ended, why, executions, aside };
        if let Ok(message) = serde_json::to_vec(&answer) {
            self.link.send(0, &message);
        }
    }
}

impl Desk {
    fn add(&self, round: u64, share: Share) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).0.push_back((round, share));
        self.changed.notify_one();
    }

    /// The life of a worker.
    fn work(&self, search: &mut dyn FnMut(Share, &Round) -> Share) {
        loop {
            let (number, share) = {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                loop {
                    if let Some(next) = waiting.0.pop_front() {
                        break next;
                    }
                    if waiting.1 {
                        return;
                    }
                    waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
            };
            // Of the others of the round it knows nothing: a share is searched to its end.
            let round = Round::new();
            let share = search(share, &round);
            let done = (number, share, round.executions());
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).push(done);
        }
    }
}

/// Ends the workers when it goes out of scope.
struct Closed<'a>(&'a Desk);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        (waiting.0.clear(), waiting.1 = true);
        self.0.changed.notify_all();
    }
}
