//! What OpenMP allows: threads of a team do not race with themselves. Accesses of unordered tasks
//! that one thread ran cannot meet
//!
//! - in memory that is private to the thread: its thread-local storage, a threadprivate copy;
//! - in memory of a thread which made the earlier access before it began the present unit of work,
//!   or has waited for the task that made it;
//! - if every size of the team gives both units of work to one thread;
//! - if both are in equal shares of a loop whose iterations are not marked;
//! - if both tasks asked for the number of their thread: it may well be the number that led both
//!   here, and on different threads they would have gone elsewhere. Or it is not, and another
//!   assignment of work to threads has a race: the coverage says that this is not decided.

use super::{MOST, word};
use crate::detect::detector::Detector;
use crate::detect::policy::{Meeting, Policy};
use crate::process;
use crate::tasks::state;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

pub(super) struct OpenMp;

#[derive(Default, Debug)]
pub(super) struct State {
    /// Blocks that were reached from the storage of the thread of a team that has allocated them.
    reached: FxHashSet<usize>,
    /// Blocks for which a search failed, with the task that searched.
    vain: FxHashMap<usize, u64>,
    /// Two accesses were excused for no other reason than that both tasks ran on one thread and
    /// asked which.
    by_number: bool,
}

impl Policy for OpenMp {
    fn excuses(&self, meeting: &Meeting, detector: &mut Detector) -> bool {
        let Meeting { earlier, address, before, now, is_folded, .. } = *meeting;
        if before.thread != now.thread {
            return is_folded && detector.is_private_to(address, now.thread)
                || detector.is_past_of_thread(earlier, address)
                || detector.are_in_equal_shares(earlier);
        }
        let asked = before.asked && now.asked;
        if asked && state().excuses.openmp.by_number {
            return true;
        }
        let is_excused = detector.is_private_to(address, now.thread)
            || detector.is_past_of_thread(earlier, address)
            || detector.are_given_to_one_thread(earlier, address)
            || detector.are_in_equal_shares(earlier);
        state().excuses.openmp.by_number |= asked && !is_excused;
        is_excused || asked
    }

    /// What a thread has allocated in a `single` or a section it mostly has allocated for all; it
    /// is its own if its thread-local storage leads there.
    fn is_own_block(&self, block: usize, thread: u32, detector: &Detector) -> bool {
        state().excuses.openmp.is_reached_from_storage(block, thread, detector)
    }

    /// Heap memory is nobody's own between units of work.
    fn is_owned(&self, _: usize, _: u32, _: &Detector) -> bool {
        false
    }

    fn depends_on_assignment(&self) -> bool {
        state().excuses.openmp.by_number
    }
}

impl State {
    /// The block is another one now.
    #[inline]
    pub(super) fn forget(&mut self, block: usize) {
        self.reached.remove(&block);
        self.vain.remove(&block);
    }

    /// Whether a block of a thread of a team is reached from its thread-local variables, through
    /// others that it has allocated.
    #[cold]
    fn is_reached_from_storage(&mut self, wanted: usize, thread: u32, detector: &Detector) -> bool {
        let task = detector.identity();
        if self.reached.contains(&wanted) || self.vain.get(&wanted) == Some(&task) {
            return self.reached.contains(&wanted);
        }
        let base = process::state().threads.base(thread);
        // What is beyond the variables of the linker's storage is the C library's.
        let variables = |memory: Range<usize>| {
            let end = if memory.contains(&base) { base } else { memory.end };
            memory.start..end
        };
        let mut todo: Vec<Range<usize>> = detector.private_memory(thread).map(variables).collect();
        let mut seen = FxHashSet::default();
        let mut looked = 0;
        while let Some(memory) = todo.pop() {
            looked += memory.len() / 8;
            if looked > MOST {
                break;
            }
            let words = memory.start.next_multiple_of(8)..memory.end & !7;
            for pointer in words.step_by(8).map(word) {
                // A block that is being freed is wanted as well.
                let Some((at, block)) = detector.memory.find(pointer) else { continue };
                if block.thread() == Some(thread)
                    && seen.insert(at)
                    && detector.memory.find_live(at).is_some()
                {
                    todo.push(at..at + block.size);
                }
            }
        }
        let is = seen.contains(&wanted);
        match is {
            true => drop(self.reached.insert(wanted)),
            false => drop(self.vain.insert(wanted, task)),
        }
        is
    }
}
