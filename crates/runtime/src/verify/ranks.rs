//! A search on several machines: the ranks of an MPI job, or whatever is [linked](Link).
//!
//! Rank 0 has the search. The shares of a round go to its own workers and to the other ranks, as
//! each has room. A share is a subtree as data, and comes back as what is left of it with what was
//! found. The results are put together on rank 0 in the order of the shares, as those of threads
//! are: counts, verdict and witness are the same for any number of ranks, and a checkpoint is one
//! of rank 0 alone.
//!
//! *Messages.* The other ranks ask, rank 0 replies. What a rank has done goes with its question, and
//! the reply has as many shares as the rank has room for. So a rank that runs dry is given work at
//! once, no message is sent to somebody who does not wait for it, and sends that block do not block
//! each other. A rank with nothing to do asks less and less often; a busy one asks when a share is
//! done, and now and then in between: that is how it hears that the search is over.
//!
//! *Nothing is lost or counted twice.* Rank 0 keeps what it has sent until the answer is there. If
//! the search is cut short, every rank is told to give its shares back as they are. A rank that
//! does not answer then, or has not asked for [a long time](SILENCE), has died: what it was given
//! counts as not searched, and the search ends with the rest. An answer counts once, with its
//! round; later ones are for nobody.
//!
//! Cost: two messages a share. Rank 0 puts the results together alone, which limits how many ranks
//! it can keep busy (docs/CLUSTER.md).

use super::outcome::Explored;
use super::share::{Round, Share};
use super::workers::{Batch, Searcher};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The ranks that a search goes over.
#[derive(Clone, Copy)]
pub struct Ranks<'a> {
    pub link: &'a dyn Link,
    /// On ranks other than 0, whose executions end when [`Options::interrupt`] is set: that flag,
    /// which is set if rank 0 says so, and the one that is set from outside.
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
    /// May wait until the other one receives it.
    fn send(&self, to: usize, message: &[u8]);
    /// A message that has arrived, if one has, and from whom.
    fn receive(&self) -> Option<(usize, Vec<u8>)>;
}

/// Shares that a rank has at a time, for each of its workers: one to search, one to go on with.
const HELD: usize = 2;

/// How long a rank that is to give its shares back may take. An MPI job that ends because a rank
/// has died leaves a second to the others.
const GRACE: Duration = Duration::from_millis(500);

/// Who has not asked for so long has died: a rank asks whatever its workers do.
const SILENCE: Duration = Duration::from_secs(20);

/// How long a rank that is to end waits for rank 0 to say so.
const FAREWELL: Duration = Duration::from_millis(800);

/// Between two looks for messages.
const PAUSE: Duration = Duration::from_micros(200);

/// Between two looks at the limits.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Between two questions of a rank that has nothing to do, at most, and of one that is busy.
const IDLE: Duration = Duration::from_millis(10);
const BUSY: Duration = Duration::from_millis(100);

/// What a rank has to say when it asks.
#[derive(Default, Serialize, Deserialize)]
struct Question {
    answers: Vec<Answer>,
    /// How many shares it can take.
    room: usize,
    /// What the executor has found beside.
    aside: String,
}

/// What rank 0 replies.
#[derive(Default, Serialize, Deserialize)]
struct Reply {
    /// Search these: of which round each is.
    shares: Vec<(u64, Share)>,
    /// Give back what there is, as it is.
    cut: bool,
    /// The search is over.
    quit: bool,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    round: u64,
    share: Share,
    /// Why it was cut short, if it was.
    why: Option<String>,
    executions: u64,
}

/// What messages between ranks have cost, for whoever measures.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traffic {
    pub messages: u64,
    pub bytes: u64,
    pub longest: usize,
    /// The shares that other ranks have searched.
    pub shares: u64,
}

/// Rank 0's end of a link.
pub(super) struct Leader<'a> {
    link: &'a dyn Link,
    /// Workers of every rank.
    workers: usize,
    /// Why a rank was cut short.
    pub(super) why: RefCell<Option<String>>,
    /// When each rank asked last.
    heard: RefCell<Vec<Instant>>,
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

/// A share that was sent, by its number in the round; as text, to be searched by others if need be.
type Given = BTreeMap<usize, Vec<u8>>;

/// What is under way in a round.
struct UnderWay<'a> {
    batch: &'a Batch,
    round: &'a Arc<Round>,
    number: u64,
    /// What each rank has been given and not answered.
    given: Vec<Given>,
    cut: bool,
}

impl<'a> Leader<'a> {
    pub(super) fn new(link: &'a dyn Link, workers: usize) -> Self {
        let heard = RefCell::new(vec![Instant::now(); link.size()]);
        let (why, dead, traffic) = Default::default();
        Leader { link, workers: workers.max(1), why, heard, dead, traffic }
    }

    pub(super) fn dead(&self) -> Vec<usize> {
        self.dead.borrow().clone()
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    fn count(&self, bytes: usize) {
        let mut traffic = self.traffic.get();
        traffic.messages += 1;
        traffic.bytes += bytes as u64;
        traffic.longest = traffic.longest.max(bytes);
        self.traffic.set(traffic);
    }

    /// Gives the shares of a round to whoever has room, and waits for them.
    pub(super) fn run_all(
        &self,
        batch: &Batch,
        round: &Arc<Round>,
        hooks: &Hooks<'_>,
        between: &mut dyn FnMut(&Round),
    ) {
        // Whatever search of this process it belongs to.
        static ROUNDS: AtomicU64 = AtomicU64::new(1);
        let number = ROUNDS.fetch_add(1, Ordering::Relaxed);
        let given = vec![Given::new(); self.link.size()];
        let mut now = UnderWay { batch, round, number, given, cut: false };
        let mut cut_at: Option<Instant> = None;
        let mut looked = Instant::now();
        // What was said before nobody could hear.
        self.heard.borrow_mut().fill(looked);
        while !batch.is_done() {
            let mut idle = true;
            while let Some((rank, message)) = self.link.receive() {
                idle = false;
                self.serve(rank, &message, &mut now, hooks);
            }
            if looked.elapsed() >= BETWEEN_LOOKS {
                looked = Instant::now();
                between(round);
                let silent = self.silent(&now);
                if cut_at.is_none() && ((hooks.stop)() || silent) {
                    (cut_at, now.cut) = (Some(looked), true);
                    if silent {
                        let died = "a rank has died: it has not said anything for a long time";
                        self.why.borrow_mut().get_or_insert_with(|| died.into());
                        round.ends_with(0);
                    }
                    // What nobody has begun stays as it is.
                    while let Some((number, share)) = batch.take() {
                        batch.put(number, Share { ended: Some(Explored::Cut), ..share });
                    }
                }
                if cut_at.is_some_and(|at| at.elapsed() > GRACE) {
                    self.give_up(&mut now);
                }
            }
            if idle {
                thread::sleep(PAUSE);
            }
        }
    }

    /// Whether a rank that has something to do has fallen silent.
    fn silent(&self, now: &UnderWay<'_>) -> bool {
        let heard = self.heard.borrow();
        now.given.iter().zip(&*heard).any(|(given, heard)| !given.is_empty() && heard.elapsed() > SILENCE)
    }

    /// Takes what a rank has done, and replies.
    fn serve(&self, rank: usize, message: &[u8], now: &mut UnderWay<'_>, hooks: &Hooks<'_>) {
        self.count(message.len());
        self.heard.borrow_mut()[rank] = Instant::now();
        let question: Question = serde_json::from_slice(message).unwrap_or_default();
        for answer in question.answers {
            if answer.round == now.number && now.given[rank].remove(&answer.share.number).is_some() {
                self.take(answer, now);
            }
        }
        if !question.aside.is_empty() {
            (hooks.aside)(&question.aside);
        }
        let mut shares = Vec::new();
        while !now.cut && shares.len() < question.room {
            // What the workers here are about to need is theirs, and a round of one share as well.
            if now.batch.len() == 1 || now.batch.untaken() <= shares.len() * self.workers {
                break;
            }
            let Some((number, share)) = now.batch.take() else { break };
            match serde_json::to_vec(&share) {
                Ok(text) => {
                    now.given[rank].insert(number, text);
                    shares.push((now.number, share));
                }
                // It cannot be sent, so that it is not searched.
                Err(_) => now.batch.put(number, Share { ended: Some(Explored::Cut), ..share }),
            }
        }
        self.reply(rank, &Reply { shares, cut: now.cut, quit: false });
    }

    fn reply(&self, rank: usize, reply: &Reply) {
        let message = serde_json::to_vec(reply).unwrap_or_default();
        self.count(message.len());
        self.link.send(rank, &message);
    }

    fn take(&self, answer: Answer, now: &UnderWay<'_>) {
        let Answer { share, why, executions, .. } = answer;
        let mut traffic = self.traffic.get();
        traffic.shares += 1;
        self.traffic.set(traffic);
        now.round.add(executions);
        if share.ended == Some(Explored::Stopped) {
            now.round.ends_with(share.number);
        }
        if let Some(why) = why {
            self.why.borrow_mut().get_or_insert(why);
        }
        now.batch.put(share.number, share);
    }

    /// What ranks have that do not answer counts as not searched.
    fn give_up(&self, now: &mut UnderWay<'_>) {
        for (rank, given) in now.given.iter_mut().enumerate().filter(|(_, given)| !given.is_empty()) {
            self.dead.borrow_mut().push(rank);
            for (number, text) in std::mem::take(given) {
                // What was written here can be read here.
                let Ok(share) = serde_json::from_slice::<Share>(&text) else { continue };
                now.batch.put(number, Share { ended: Some(Explored::Cut), ..share });
            }
        }
    }
}

/// Ends the other ranks, `dead` ones aside: each when it asks next. Whether all have been told. Those
/// of a job that was `interrupted` may be gone by themselves.
pub fn quit(link: &dyn Link, dead: &[usize], interrupted: bool) -> bool {
    let mut left: Vec<usize> = (1..link.size()).filter(|rank| !dead.contains(rank)).collect();
    let reply = Reply { quit: true, ..Reply::default() };
    let message = serde_json::to_vec(&reply).unwrap_or_default();
    let start = Instant::now();
    let patience = if interrupted { FAREWELL } else { SILENCE };
    while !left.is_empty() && start.elapsed() < patience {
        match link.receive() {
            Some((rank, _)) => {
                left.retain(|&other| other != rank);
                link.send(rank, &message);
            }
            None => thread::sleep(PAUSE),
        }
    }
    left.is_empty()
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
    /// Searches what rank 0 has for it, until that says that it is over: then the result is true.
    /// False if rank 0 is gone.
    pub(super) fn serve<S: FnMut(Share, &Round, &mut dyn FnMut(&Round)) -> Share>(
        &self,
        searcher: &(impl Fn() -> S + Sync),
    ) -> bool {
        let desk = Desk::default();
        thread::scope(|scope| {
            let _end = Closed(&desk);
            for _ in 0..self.workers.max(1) {
                scope.spawn(|| desk.work(&mut searcher()));
            }
            let mut held = 0;
            let (mut asked, mut wait) = (None::<Instant>, PAUSE);
            let mut ends: Option<Instant> = None;
            loop {
                if ends.is_none() && self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    ends = Some(Instant::now());
                    self.cut.store(true, Ordering::Relaxed);
                }
                if ends.is_some_and(|at| at.elapsed() > FAREWELL) {
                    self.cut.store(true, Ordering::Relaxed);
                    return false;
                }
                let done = std::mem::take(&mut *lock(&desk.answers));
                if done.is_empty() && asked.is_some_and(|at| at.elapsed() < wait) {
                    thread::sleep(PAUSE);
                    continue;
                }
                held -= done.len();
                let answers = done.into_iter().map(|done| self.answer(done)).collect();
                let most = if ends.is_some() { 0 } else { HELD * self.workers.max(1) };
                let room = most.saturating_sub(held);
                let Some(reply) = self.ask(&Question { answers, room, aside: (self.aside)() }) else {
                    self.cut.store(true, Ordering::Relaxed);
                    return false;
                };
                asked = Some(Instant::now());
                if reply.quit {
                    return true;
                }
                self.cut.store(reply.cut || ends.is_some(), Ordering::Relaxed);
                wait = match (held, reply.shares.len()) {
                    (0, 0) => (wait * 2).min(IDLE),
                    (0, _) => PAUSE,
                    _ => BUSY,
                };
                held += reply.shares.len();
                reply.shares.into_iter().for_each(|(round, share)| desk.add(round, share));
            }
        })
    }

    /// Asks rank 0; nothing if that does not reply.
    fn ask(&self, question: &Question) -> Option<Reply> {
        let message = serde_json::to_vec(question).unwrap_or_default();
        self.link.send(0, &message);
        let mut ends: Option<Instant> = None;
        loop {
            if let Some((_, message)) = self.link.receive() {
                return serde_json::from_slice(&message).ok();
            }
            if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                self.cut.store(true, Ordering::Relaxed);
                if ends.get_or_insert_with(Instant::now).elapsed() > FAREWELL {
                    return None;
                }
            }
            thread::sleep(PAUSE);
        }
    }

    fn answer(&self, (round, share, executions): (u64, Share, u64)) -> Answer {
        let why = (self.why)().filter(|_| share.ended == Some(Explored::Cut));
        Answer { round, share, why, executions }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    fn add(&self, round: u64, share: Share) {
        lock(&self.waiting).0.push_back((round, share));
        self.changed.notify_one();
    }

    /// The life of a worker.
    fn work(&self, search: &mut Searcher<'_>) {
        loop {
            let (number, share) = {
                let mut waiting = lock(&self.waiting);
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
            let share = search(share, &round, &mut |_| ());
            lock(&self.answers).push((number, share, round.executions()));
        }
    }
}

/// Ends the workers when it goes out of scope.
struct Closed<'a>(&'a Desk);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.0.waiting);
        waiting.0.clear();
        waiting.1 = true;
        self.0.changed.notify_all();
    }
}
