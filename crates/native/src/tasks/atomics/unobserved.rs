//! Atomic operations in code that is not instrumented: Rust's standard library, as far as it is not
//! called through the runtime ([`standard`](crate::tasks::standard)).
//!
//! The first attempt at a lock or at a cell that is set once is compiled with the program and
//! observed. If it fails, the library continues by itself: it may set the very word that other
//! tasks load, and release by that what it has done. But all tasks run on one OS thread, so the
//! task that stops running has made each word what it is. Whenever a task stops, the runtime
//! compares the words that were loaded lately with their values then; the task has released by
//! those that changed without an observed store. In the same way a failed attempt counts as one
//! that acquires, and so does the end of a wait.
//!
//! Limits:
//!
//! - The task counts as having released all it did until it stopped, which may be more than it did:
//!   a race with what it did in between is *missed*. In a search the runtime compares before each
//!   access, too, from a load until the task stops, so that no access comes between the operation
//!   and its release.
//! - Flags of one byte are not compared: the library sets those that order anything (poisoning) in
//!   code that is compiled with the program, and they are often in frames that have been left by
//!   then.
//! - Of very many words only the last ones are kept. The library's operations on others are not
//!   observed, so that accesses which they order may be reported as races: a *false alarm*.

use super::{MemoryOrder, acquired, atomics, released_more};
use crate::detect::detector;
use crate::process::is_shared;
use crate::tasks::{explorer, futex, sched};

/// As which a compare-and-exchange that has failed counts: what follows, unseen, may be one that
/// succeeds and acquires.
pub(crate) fn order_of_failure(order: MemoryOrder) -> MemoryOrder {
    if is_shared() { MemoryOrder::ACQUIRE } else { order }
}

/// The running task has waited in the library, for the sake of what it looked at last: the word it
/// waited at need not be that.
pub(crate) fn waited() {
    if let Some(job) = sched::job()
        && job.looked != 0
    {
        acquired(job.looked);
    }
}

/// Words that are remembered.
const MOST: usize = 64;

#[derive(Clone, Copy)]
struct Word {
    address: usize,
    size: usize,
    value: u64,
}

impl Word {
    fn now(&self) -> u64 {
        // SAFETY: the program has accessed the word, aligned, and has not freed it since.
        unsafe {
            match self.size {
                4 => u64::from((self.address as *const u32).read_volatile()),
                _ => (self.address as *const u64).read_volatile(),
            }
        }
    }
}

#[derive(Default)]
pub(crate) struct Unobserved {
    words: Vec<Word>,
    oldest: usize,
    /// The running task has looked at a word, and not stopped since.
    has_looked: bool,
}

impl Unobserved {
    /// A task has looked at a word, and may leave what follows to the library.
    fn looked(&mut self, address: usize, size: usize) {
        if !is_shared() || !matches!(size, 4 | 8) {
            return;
        }
        self.has_looked = true;
        if let Some(job) = sched::job() {
            job.looked = address;
        }
        let mut word = Word { address, size, value: 0 };
        word.value = word.now();
        if let Some(known) = self.words.iter_mut().find(|known| known.address == address) {
            *known = word;
        } else if self.words.len() < MOST {
            self.words.push(word);
        } else {
            self.words[self.oldest] = word;
            self.oldest = (self.oldest + 1) % MOST;
        }
    }

    /// Whether a word that was looked at is not what it was then.
    fn is_other(&self, address: usize) -> bool {
        self.words.iter().any(|word| word.address == address && word.value != word.now())
    }

    /// Somebody whom we know of is about to write there, or has.
    pub(crate) fn stored(&mut self, address: usize) {
        self.words.retain(|word| word.address != address);
        self.oldest = 0;
    }

    /// The memory is given back.
    pub(crate) fn forget(&mut self, address: usize, size: usize) {
        self.words.retain(|word| !(address..address + size).contains(&word.address));
        self.oldest = 0;
    }
}

/// The running task has looked at a word. It may look again, at what the library has made of the
/// word on its behalf.
pub(crate) fn looked(address: usize, size: usize) {
    if atomics().unobserved.is_other(address) {
        notice();
    }
    atomics().unobserved.looked(address, size);
}

/// The running task has stopped.
pub(crate) fn task_stopped() {
    notice();
    atomics().unobserved.has_looked = false;
}

/// The running task, in a search, is about to make an access.
pub(crate) fn before_access() {
    if atomics().unobserved.has_looked {
        notice();
        detector().see_each();
    }
}

/// Looks at all words.
fn notice() {
    let words = &mut atomics().unobserved.words;
    if words.is_empty() {
        return;
    }
    let mut changed = Vec::new();
    for word in words {
        let now = word.now();
        if std::mem::replace(&mut word.value, now) != now {
            changed.push(*word);
        }
    }
    // Whether the task that looked at the word saw the change was the schedule's choice.
    detector().exclusive |= !changed.is_empty();
    for word in changed {
        // What a task does before it waits for a lock it also does, and is seen to do, where it
        // need not wait.
        if !futex::has_waiters(word.address) && !explorer::knows_change(word.address, word.size) {
            explorer::unexplored(
                "the standard library changes an atomic variable (a cell that is set once, a thread that is woken) without saying so",
            );
        }
        released_more(word.address);
        atomics().unobserved.looked(word.address, word.size);
    }
}

/// The runtime has written there in place of the library.
pub(in crate::tasks) fn stored(address: usize) {
    atomics().unobserved.stored(address);
}

/// The program frees memory.
pub(in crate::tasks) fn forget(address: usize, size: usize) {
    atomics().unobserved.forget(address, size);
}
