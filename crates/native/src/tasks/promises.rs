//! Promises of the program: the kernel's, with what reports say about them.
//!
//! A promise is set once, by any task; tasks wait for it, or begin when it is set. Setting it
//! happens before every wait that returns, and orders nothing else. The tasks that wait go on at
//! once, before the setter: few tasks are under way at a time then (Jin et al., ECOOP 2023).

use crate::detect::detector;
use crate::detect::detector::NOWHERE;
use crate::detect::detector::promises::NOBODY_IN_PARTICULAR;
use crate::report::{self, Related};
use crate::tasks::explorer;
use crate::tasks::sched::{self, kernel};
use crate::tasks::waits;
use raceproof_core::ids::SyncId;
use std::time::Instant;

/// Makes a promise, for a call that returns to `pc`.
pub(crate) fn create(pc: usize) -> SyncId {
    make(0, pc)
}

fn make(address: usize, pc: usize) -> SyncId {
    let sync = kernel().new_promise();
    let created = detector().here(pc);
    detector().promises.create(sync, address, created);
    sync
}

/// Makes a promise that the program has at an address; its handle, which is not zero.
pub(crate) fn create_at(address: usize, pc: usize) -> u32 {
    make(address, pc).0 + 1
}

/// The promise of a handle, if the program has it at this address.
pub(crate) fn at(handle: u32, address: usize) -> Option<SyncId> {
    let sync = SyncId(handle.checked_sub(1)?);
    detector().promises.get(sync).filter(|promise| promise.address == address).map(|_| sync)
}

/// Whether a put would be the second.
pub(crate) fn is_set_already(promise: SyncId) -> bool {
    kernel().is_open(promise)
}

/// Sets a promise, from a call that returns to `pc`. The second time is an error of the program,
/// and the task goes no further.
pub(crate) fn set(promise: SyncId, pc: usize) {
    // A task that only sets promises, and waits for those that are set, runs in one turn.
    detector().collect_in_time();
    if kernel().is_open(promise) {
        return set_again(promise);
    }
    let site = detector().here(pc);
    detector().promises.set(promise, site);
    sched::wake_at_once(|kernel| kernel.set(promise));
}

/// Where a promise was created and set, for a report.
pub(crate) fn places(promise: SyncId) -> Vec<Related> {
    let detector = detector();
    let Some(known) = detector.promises.get(promise) else { return Vec::new() };
    let sites = [("the promise was created here", known.created), ("it was set here first", known.set)];
    let known = sites.into_iter().filter(|(_, site)| *site != NOWHERE);
    known.map(|(what, site)| Related { what, at: detector.site(site) }).collect()
}

#[cold]
fn set_again(promise: SyncId) {
    const WHAT: &str = "this promise is set already; a promise is set once";
    report::program_error_about("second-set", WHAT, places(promise));
    explorer::failed();
    sched::fail();
}

/// Waits until a promise is set.
pub(crate) fn wait(promise: SyncId) {
    sched::wait(|kernel| kernel.get(promise));
}

/// Whether a promise is set. What the program does next depends on the schedule; it comes after
/// the set if the answer is yes.
pub(crate) fn is_set(promise: SyncId) -> bool {
    detector().exclusive = true;
    explorer::unexplored("the program asks whether a promise is set");
    let is_set = kernel().is_open(promise);
    if is_set {
        wait(promise);
    }
    is_set
}

/// Whether a promise is set, and what the running task does comes after that already: then the
/// answer does not depend on the schedule.
pub(crate) fn is_known(promise: SyncId) -> bool {
    kernel().is_open(promise) && detector().comes_after_set(promise)
}

/// Waits until a promise is set, or the time has come.
pub(crate) fn wait_until(promise: SyncId, limit: Option<Instant>) {
    match limit {
        None => wait(promise),
        Some(_) if explorer::is_on() => {}
        Some(limit) => waits::until_set(promise, limit),
    }
}

/// The running task will set the promise at its end.
pub(crate) fn belongs_to(promise: SyncId, task: u64) {
    debug_assert!(task != NOBODY_IN_PARTICULAR);
    detector().promises.set_setter(promise, task);
}

/// The program will not use the promise any more.
pub(crate) fn free(promise: SyncId) {
    let detector = detector();
    detector.promises.free(promise);
    detector.forget_end(promise);
    kernel().forget(promise);
}
