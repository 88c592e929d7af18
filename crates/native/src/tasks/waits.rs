//! Tasks that wait for what others do to something at an address, and for time to pass.
//!
//! What is waited for is kept elsewhere (a condition variable, a semaphore, a futex): a task that
//! finds it not so sleeps in the kernel, at a sync of the address, and whoever changes it notifies
//! the address. When no task can go on, the kernel's wait lists say who waits for what, and that is
//! the deadlock that is reported ([`deadlock`](crate::tasks::deadlock)).
//!
//! Time passes when nothing else can happen: if every task waits and some wait with a limit, the
//! process sleeps until the first of the limits ([`expire`]). So a run does not depend on how fast
//! the machine is. A task that only yields keeps the others from that, so each time the tasks have
//! yielded often enough the limits are compared with the clock ([`tick`]).
//!
//! In a search the explorer's events stand in for the kernel's wait lists. A wait with a limit may
//! then end at any time: it does not wait, and the order of its end and of what it waits for is a
//! choice of the schedule, since both are operations on the address.

use crate::process::call_site::{CALLER, caller};
use crate::report;
use crate::tasks::explorer::{self, WaitEvent};
use crate::tasks::sched::{self, K, kernel};
use crate::tasks::{state, threads};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::SyncId;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What a task waits for, in the words of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Mutex,
    RwLock,
    Condition,
    Barrier,
    Semaphore,
    Once,
    Futex,
    /// In Rust's `thread::park`.
    Unpark,
    /// For time to pass, or something outside of the process.
    System,
    /// `pthread_exit` of `main`: for the threads.
    Threads,
}

impl What {
    /// As reports say it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            What::Mutex => "mutex",
            What::RwLock => "reader-writer lock",
            What::Condition => "condition variable",
            What::Barrier => "barrier",
            What::Semaphore => "semaphore",
            What::Once => "initialisation",
            What::Futex => "futex",
            What::Unpark => "unpark",
            What::System => "system call",
            What::Threads => "threads",
        }
    }
}

/// A wait list.
struct List {
    sync: SyncId,
    /// Tasks that sleep there.
    sleeping: u32,
}

/// A wait with a limit.
struct Timer {
    at: Instant,
    number: u64,
    sync: SyncId,
}

#[derive(Default)]
pub(crate) struct Waits {
    lists: FxHashMap<usize, List>,
    timers: Vec<Timer>,
    /// Waits with a limit so far; and those whose limit was reached and that have not resumed yet.
    numbers: u64,
    expired: Vec<u64>,
    /// Turns that were given up since the limits were compared with the clock.
    passes: u32,
    /// Tasks of a search that wait for what comes through a channel.
    outside: u32,
}

/// Turns that tasks give up between two looks at the clock.
const PASSES: u32 = 64;

fn waits() -> &'static mut Waits {
    &mut state().waits
}

fn list(address: usize, what: What) -> &'static mut List {
    waits().lists.entry(address).or_insert_with(|| {
        let sync = kernel().new_event();
        report::state().locks.insert(sync, address);
        report::state().waited.insert(sync, what.word());
        List { sync, sleeping: 0 }
    })
}

/// Waits until it is so; whether that came before the limit, if there is one. The condition is
/// about something at the address: whoever changes that calls [`notify`]. A canceled thread does
/// not return.
pub(crate) fn until(what: What, address: usize, limit: Option<Instant>, is_so: impl FnMut() -> bool) -> bool {
    until_as(what, address, limit, || AccessKind::Write, is_so)
}

/// The same where a look does not always change what is there: `look` says what the next one does.
/// Two looks that only read commute, so a search need not try both orders. A look that gives up
/// counts as a change.
pub(crate) fn until_as(
    what: What,
    address: usize,
    limit: Option<Instant>,
    look: impl Fn() -> AccessKind,
    mut is_so: impl FnMut() -> bool,
) -> bool {
    if sched::job().is_none() {
        return is_so();
    }
    let outer = enter(what, address);
    let came = until_here(what, address, limit, look, is_so);
    left(outer);
    came
}

/// What a task waits for if it waits, the address of that, and where it has called what waits.
#[derive(Clone, Copy)]
pub(crate) struct Awaited {
    pub(super) what: What,
    pub(super) address: usize,
    pub(super) pc: usize,
}

/// The running task may wait from now on, for this unless something around it has a name; returns
/// what is to be handed to [`left`].
pub(super) fn enter(what: What, address: usize) -> Option<Awaited> {
    let job = sched::job()?;
    let outer = job.awaits;
    job.awaits = outer.or(Some(Awaited { what, address, pc: caller() }));
    outer
}

/// The address of what the running task waits for, if it is of this kind.
pub(super) fn awaited(what: What) -> Option<usize> {
    let awaits = sched::job()?.awaits?;
    (awaits.what == what).then_some(awaits.address)
}

pub(super) fn left(outer: Option<Awaited>) {
    if let Some(job) = sched::job() {
        job.awaits = outer;
    }
}

fn until_here(
    what: What,
    address: usize,
    limit: Option<Instant>,
    look: impl Fn() -> AccessKind,
    mut is_so: impl FnMut() -> bool,
) -> bool {
    if explorer::is_on() {
        let pc = caller();
        loop {
            explorer::atomic_as(address, 1, pc, || if limit.is_some() { AccessKind::Write } else { look() });
            let came = is_so();
            if what == What::System && limit.is_some() && sched::goes_round() {
                sched::pass();
            }
            if came || limit.is_some() || threads::is_interrupted() {
                return came;
            }
            explorer::wait(WaitEvent::of(address));
        }
    }
    let number = limit.map(|at| {
        let sync = list(address, what).sync;
        let waits = waits();
        waits.numbers += 1;
        waits.timers.push(Timer { at, number: waits.numbers, sync });
        waits.numbers
    });
    let mut came = is_so();
    while !came && !threads::is_interrupted() && !number.is_some_and(|number| waits().is_expired(number)) {
        sleep(address, what);
        came = is_so();
    }
    if let Some(number) = number {
        waits().forget(number);
    }
    leave(address);
    came
}

/// Waits until a promise of the kernel's is set, or the time has come. A cancellation ends the wait
/// for the end of a thread.
pub(crate) fn until_set(promise: SyncId, limit: Instant) {
    let waits = waits();
    waits.numbers += 1;
    let number = waits.numbers;
    waits.timers.push(Timer { at: limit, number, sync: promise });
    let is_canceled = || sched::job().is_some_and(|job| job.joins == promise) && threads::is_interrupted();
    let is_over = || self::waits().is_expired(number) || is_canceled();
    sched::wait(|kernel| match !kernel.is_open(promise) && is_over() {
        true => Ok(()),
        false => kernel.get(promise),
    });
    self::waits().forget(number);
}

/// Lets the others run until the time has come; whether it has, and nothing has ended that before.
pub(crate) fn sleep_until(limit: Instant, is_over: impl FnMut() -> bool) -> bool {
    let here = sched::job().map_or(0, |job| std::ptr::from_mut(job) as usize);
    !until(What::System, here, Some(limit), is_over)
}

/// Waits for something outside of the process, as long as other tasks can go on: looks again and
/// again, less and less often. Whether it is so; if not, the limit has passed, or there is nobody
/// else, so that the running task may as well wait in the system.
///
/// In a search the others bring it about by what they do to a `channel`, or it is no such thing and
/// then a limit of the search.
pub(crate) fn until_outside(
    channel: Option<usize>,
    limit: Option<Instant>,
    mut is_so: impl FnMut() -> bool,
) -> bool {
    if explorer::is_on()
        && sched::job().is_some()
        && let Some(channel) = channel
    {
        return until_sent(channel, limit.is_some(), is_so);
    }
    let mut pause = Duration::from_micros(100);
    while !is_so() {
        threads::test_cancel();
        let now = Instant::now();
        if limit.is_some_and(|limit| limit <= now) || !has_others() {
            return false;
        }
        if explorer::is_on() {
            explorer::unexplored("a thread waits for something outside of the process");
            return false;
        }
        let next = now + pause;
        sleep_until(limit.map_or(next, |limit| limit.min(next)), || false);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
    true
}

/// The same for a channel, in a search. Each look is an operation on the channel, and so is each
/// call that sends or receives. A task that waits is notified of the next of them. If nobody is left
/// to notify it, that is no deadlock: it may wait for another process ([`are_outside`]).
fn until_sent(channel: usize, has_limit: bool, mut is_so: impl FnMut() -> bool) -> bool {
    loop {
        explorer::atomic(channel, 1, AccessKind::Write, caller());
        let came = is_so();
        if came || has_limit || threads::is_interrupted() || !has_others() {
            return came;
        }
        waits().outside += 1;
        explorer::wait(WaitEvent::of(channel));
        waits().outside -= 1;
    }
}

/// In a search: whether tasks wait for what comes through a channel.
pub(crate) fn are_outside() -> bool {
    waits().outside > 0
}

/// Whether other tasks may go on while the running one waits in the system.
pub(crate) fn has_others() -> bool {
    sched::job().is_some() && kernel().tasks().live() > 1
}

/// The running task sleeps at an address until that is notified.
fn sleep(address: usize, what: What) {
    let list = list(address, what);
    list.sleeping += 1;
    let sync = list.sync;
    if let Some(job) = sched::job() {
        job.sleeps = address;
    }
    sched::sleep(sync);
    if let Some(job) = sched::job() {
        job.sleeps = 0;
        CALLER.store(job.pc, Ordering::Relaxed);
    }
    if let Some(list) = waits().lists.get_mut(&address) {
        list.sleeping -= 1;
    }
    state().idle = 0;
    threads::signals::raise_left();
}

/// Nobody may wait there any more: then its list goes.
fn leave(address: usize) {
    let waits = waits();
    if let Some(list) = waits.lists.get(&address)
        && list.sleeping == 0
        && !waits.timers.iter().any(|timer| timer.sync == list.sync)
    {
        report::state().locks.remove(&list.sync);
        report::state().waited.remove(&list.sync);
        kernel().forget(list.sync);
        waits.lists.remove(&address);
    }
}

/// Something at an address has changed: those who wait there look again.
pub(crate) fn notify(address: usize) {
    if sched::job().is_none() {
        return;
    }
    if explorer::is_on() {
        return explorer::notify(WaitEvent::of(address));
    }
    if let Some(list) = waits().lists.get(&address) {
        kernel().rouse(list.sync);
    }
}

/// Has the task of a job that sleeps look again, at whatever address it does.
pub(crate) fn interrupt(address: usize) {
    if address != 0 {
        notify(address);
    }
}

/// A limit from now on.
pub(crate) fn after(time: Duration) -> Option<Instant> {
    Instant::now().checked_add(time)
}

impl Waits {
    fn is_expired(&self, number: u64) -> bool {
        self.expired.contains(&number)
    }

    fn forget(&mut self, number: u64) {
        self.timers.retain(|timer| timer.number != number);
        self.expired.retain(|&expired| expired != number);
    }

    /// Ends the waits whose limit is reached at a time; whether there were any.
    fn end_due(&mut self, now: Instant, kernel: &mut K) -> bool {
        let mut due: Vec<Timer> = self.timers.extract_if(.., |timer| timer.at <= now).collect();
        due.sort_by_key(|timer| (timer.at, timer.number));
        for timer in &due {
            self.expired.push(timer.number);
            kernel.rouse(timer.sync);
        }
        !due.is_empty()
    }
}

/// No task can go on: lets time pass until a wait with a limit ends, or something outside of the
/// process happens that one waits for. Whether there is such a wait.
pub(crate) fn expire(kernel: &mut K) -> bool {
    let Some(first) = waits().timers.iter().map(|timer| timer.at).min() else { return false };
    loop {
        let now = Instant::now();
        if waits().end_due(now, kernel) || rouse_interrupted(kernel) {
            return true;
        }
        report::signals::check();
        std::thread::sleep(first.saturating_duration_since(now).min(Duration::from_millis(50)));
    }
}

/// Has those who wait with a limit look again if a handler of the program has run, whether it has ended
/// their wait.
fn rouse_interrupted(kernel: &mut K) -> bool {
    let has_come = threads::signals::take_arrival();
    if has_come {
        waits().timers.iter().for_each(|timer| {
            kernel.rouse(timer.sync);
        });
    }
    has_come
}

/// A task gives up its turn without having to wait.
pub(crate) fn tick() {
    let waits = waits();
    if waits.timers.is_empty() {
        return;
    }
    waits.passes += 1;
    if waits.passes >= PASSES {
        waits.passes = 0;
        waits.end_due(Instant::now(), kernel());
        rouse_interrupted(kernel());
    }
}
