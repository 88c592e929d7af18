//! Atomic operations that nobody told us of.
//!
//! Rust's standard library is not instrumented. If the first attempt at a lock or a cell that is set once fails, an operation that is compiled
//! with the program and seen, the library goes on by itself: it may set the very word that others will look at, and release by that
//! what it has done. But all tasks run on one OS thread. What a word is when a task stops running, it made it: so the words that were
//! looked at lately are looked at again whenever a task stops, and one that has changed without our knowing was released by that task.
//!
//! It is taken to have released all it did until it stopped, which may be more than it did: a race with what it did in between is
//! missed. In a search the words are looked at again before each access, too, from the look of a task on until it stops: there the release
//! is where it was, as far as accesses can tell. Flags of one byte are left alone: the library sets those that order
//! anything (poisoning) in code that is compiled with the program, and they are often in frames that are gone by the time. In the same way an attempt that has failed counts as one that acquires, and so does the end of a wait. Of very many words only the last ones are remembered, and the library's work on another is then not seen: accesses that
//! it orders may be reported as races.

use super::atomic;
use crate::abi::world;
use crate::detect::detector;
use crate::process::is_shared;
use crate::search;
use crate::tasks::sched;

/// As which a compare-and-exchange that has failed counts: what follows, unseen, may be one that succeeds and acquires.
pub(super) fn order_of_failure(order: i32) -> i32 {
    if is_shared() { atomic::ACQUIRE } else { order }
}

/// The running task has waited in the library, for the sake of what it looked at last: the word it waited at need not be that.
pub(crate) fn waited() {
    if let Some(job) = sched::job()
        && job.looked != 0
    {
        atomic::acquired(job.looked);
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
pub(crate) struct Unseen {
    words: Vec<Word>,
    oldest: usize,
    /// The running task has looked at a word, and not stopped since.
    has_looked: bool,
}

impl Unseen {
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

/// The running task has looked at a word. It may look again, at what the library has made of the word on its behalf.
pub(super) fn looked(address: usize, size: usize) {
    if world::state().atomics.unseen.is_other(address) {
        notice();
    }
    world::state().atomics.unseen.looked(address, size);
}

/// The running task has stopped.
pub(crate) fn left() {
    notice();
    world::state().atomics.unseen.has_looked = false;
}

/// The running task, in a search, is about to make an access.
pub(crate) fn before_access() {
    if world::state().atomics.unseen.has_looked {
        notice();
        detector().see_each();
    }
}

/// Looks at all words.
fn notice() {
    let words = &mut world::state().atomics.unseen.words;
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
    for word in changed {
        // What a task does before it waits for a lock it also does, and is seen to do, where it need not wait.
        if !world::state().waiters.contains_key(&word.address) && !search::set_unseen(word.address, word.size)
        {
            search::unexplored(
                "the standard library changes an atomic variable (a cell that is set once, a thread that is woken) without saying so",
            );
        }
        atomic::added(word.address);
        world::state().atomics.unseen.looked(word.address, word.size);
    }
}
