//! Heap memory that a thread of a pool owns: blocks that it has allocated and reaches through its
//! thread-local storage.
//!
//! Jobs of one thread run one after the other, and what they find in the thread's storage another
//! schedule would have given them elsewhere: on another thread, with other storage. So two
//! unordered jobs of one thread do not race for what the thread owns, as `thread_local!` promises.
//! The storage itself is known by its address; for the heap this is the rule:
//!
//! - a block that a job of the thread has allocated, and that the storage points to when a job
//!   begins or ends there, is the thread's own until the next job begins or ends, also where a job
//!   takes it out of the storage;
//! - so is a block that the thread has allocated and that is reached from such a block through
//!   others of the kind;
//! - so are the tables of the crate `thread_local`, whose entries are chosen by the thread, and
//!   what is reached from these.
//!
//! And whatever the thread's own memory points to, whoever owns it, was handed to the thread: an
//! access that happens before a job of the thread stored the pointer happens before the jobs that
//! find it there. (The first job of a thread gets a handle to something global, and takes care to
//! come after its initialisation; all jobs use it.)
//!
//! The detector compares accesses of other threads to such a block; only jobs of the owner are not
//! compared with each other. What that misses: a thread's own memory whose address is published
//! besides, accessed by jobs that take it from there and happen to run on the owner. A
//! representative reader of the detector's may be one of the owner's.
//! False alarms remain for blocks that were allocated elsewhere and handed to the thread; for what
//! is chosen by the thread's number in other tables than these; and beyond [`MOST`] words of a
//! thread's own memory.
//!
//! Cost: when a job begins or ends, the words of the thread's storage are compared with two bounds;
//! all else only where two accesses are about to be reported.

use super::{MOST, word};
use crate::detect::cell::{AccessId, WriterRef};
use crate::detect::detector::{Detector, Site, Task};
use crate::detect::memory::Block;
use crate::detect::policy::Meeting;
use crate::process::{call_site, state};
use crate::symbols::Symbols;
use raceproof_core::ids::SiteId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// The function of the crate `thread_local` that allocates a table, and the files it is in.
const TABLES: &str = "thread_local::allocate_bucket";
const CRATE: &str = "/thread_local-";

/// A word that holds a pointer, and the block that is pointed to.
#[derive(Clone, Copy, Debug)]
struct Link {
    slot: usize,
    block: usize,
}

#[derive(Default, Debug)]
pub(super) struct Owned {
    /// Blocks that a thread's storage pointed to when a job last began or ended there, with the
    /// thread.
    roots: FxHashMap<usize, u32>,
    /// By thread, the words of its storage that looked like pointers then.
    looked: FxHashMap<u32, Vec<usize>>,
    /// How a block was reached from a root: from the first link's slot, which is in one.
    paths: FxHashMap<(usize, u32), Box<[Link]>>,
    /// Where the memory of a thread points to a block, of which that is not enough to be its own.
    slots: FxHashMap<(usize, u32), Vec<usize>>,
    /// Blocks, threads and sites whose accesses were found to precede the storing of a pointer.
    handed: FxHashSet<(usize, u32, SiteId)>,
    /// Tables of the crate `thread_local`, and whether a site allocates such.
    tables: Vec<usize>,
    table_sites: FxHashMap<SiteId, bool>,
    /// Blocks for which a search failed, with the task that searched.
    vain: FxHashMap<usize, u64>,
}

impl Owned {
    /// The block is freed, and its memory may be reused.
    #[inline]
    pub(super) fn forget(&mut self, block: usize) {
        if let Some(thread) = self.roots.remove(&block) {
            self.looked.remove(&thread);
        }
        self.tables.retain(|&table| table != block);
        self.vain.remove(&block);
        if !self.slots.is_empty() {
            self.slots.retain(|(of, _), _| *of != block);
            self.handed.retain(|(of, ..)| *of != block);
        }
    }

    /// A job begins or ends on a thread of a pool: what the thread's storage points to is its own.
    #[inline]
    pub(super) fn look_at_storage(&mut self, thread: u32, detector: &Detector) {
        let heap = detector.memory.of_threads();
        if heap.is_empty() || thread == 0 {
            return;
        }
        let Some(storage) = storage_of(thread, detector) else { return };
        let now = storage.step_by(8).map(word).filter(|pointer| heap.contains(pointer));
        // Mostly it is what it was.
        if !self.looked.get(&thread).is_some_and(|before| now.clone().eq(before.iter().copied())) {
            let now = now.collect();
            self.set_roots(thread, now, detector);
        }
    }

    #[cold]
    fn set_roots(&mut self, thread: u32, words: Vec<usize>, detector: &Detector) {
        self.roots.retain(|_, of| *of != thread);
        for &pointer in &words {
            if let Some(block) = block_of(pointer, thread, detector) {
                self.roots.insert(block, thread);
            }
        }
        self.looked.insert(thread, words);
    }

    /// Whether the memory is owned by a thread; `searches` says whether it is to be found out, if
    /// it is not known.
    pub(super) fn is_owned_by(
        &mut self,
        address: usize,
        thread: u32,
        searches: bool,
        detector: &Detector,
    ) -> bool {
        if thread == 0 {
            return false;
        }
        let Some((at, block)) = detector.memory.find(address) else { return false };
        if self.tables.contains(&at) || searches && self.is_table(at, block, detector) {
            return true;
        }
        if block.thread() != Some(thread) {
            return false;
        }
        if self.roots.get(&at) == Some(&thread) || self.is_path_whole(at, thread, detector) {
            return true;
        }
        let task = detector.identity();
        if !searches || self.vain.get(&at) == Some(&task) {
            return false;
        }
        let path = self.search_owned(at, thread, detector);
        let found = path.is_some();
        match path {
            Some(path) => drop(self.paths.insert((at, thread), path)),
            None => drop(self.vain.insert(at, task)),
        }
        found
    }

    fn is_root(&self, block: usize, thread: u32) -> bool {
        self.roots.get(&block) == Some(&thread) || self.tables.contains(&block)
    }

    /// Whether the way by which a block was reached is still there.
    fn is_path_whole(&self, block: usize, thread: u32, detector: &Detector) -> bool {
        let Some(path) = self.paths.get(&(block, thread)) else { return false };
        let mut from = None;
        for (at, link) in path.iter().enumerate() {
            let Some((inside, _)) = detector.memory.find_live(link.slot) else { return false };
            let is_next = from.map_or_else(|| self.is_root(inside, thread), |from| from == inside);
            let is_last = at + 1 == path.len();
            // The last block may just have been freed.
            let to = if is_last {
                detector.memory.find(word(link.slot))
            } else {
                detector.memory.find_live(word(link.slot))
            };
            if !is_next || !to.is_some_and(|(to, block)| to == link.block && block.thread() == Some(thread)) {
                return false;
            }
            from = Some(link.block);
        }
        from == Some(block)
    }

    /// How a block is reached from what the thread is known to own: breadth first, so that the way
    /// is short.
    fn search_owned(&self, wanted: usize, thread: u32, detector: &Detector) -> Option<Box<[Link]>> {
        let of_thread = self.roots.iter().filter(|(_, of)| **of == thread).map(|(block, _)| *block);
        let mut todo: VecDeque<usize> = of_thread.chain(self.tables.iter().copied()).collect();
        // By block, the slot it was reached by, and the block that is in.
        let mut reached: FxHashMap<usize, Option<(usize, usize)>> =
            todo.iter().map(|&root| (root, None)).collect();
        let heap = detector.memory.of_threads();
        let mut looked = 0;
        while let Some(from) = todo.pop_front() {
            let Some((_, Block { size, .. })) = detector.memory.find_live(from) else { continue };
            let words = from.next_multiple_of(8)..(from + size) & !7;
            looked += words.len() / 8;
            if looked > MOST {
                return None;
            }
            for slot in words.step_by(8) {
                let pointer = word(slot);
                if !heap.contains(&pointer) || detector.last_writer(slot) == WriterRef::NONE {
                    continue;
                }
                // A block that is being freed is wanted as well.
                let Some((to, block)) = detector.memory.find(pointer) else { continue };
                if block.thread() != Some(thread) || reached.contains_key(&to) {
                    continue;
                }
                reached.insert(to, Some((slot, from)));
                if to == wanted {
                    return Some(path_to(to, &reached));
                }
                todo.push_back(to);
            }
        }
        None
    }

    /// Whether the memory was handed to the thread of the running task after the earlier access: by
    /// a pointer in memory of the thread's own that a job has put there which comes after the
    /// access.
    pub(super) fn is_handed_on(&mut self, meeting: &Meeting, detector: &mut Detector) -> bool {
        let Meeting { earlier, address, is_new: searches, now: Task { thread, .. }, .. } = *meeting;
        if thread == 0 {
            return false;
        }
        let Some((at, _)) = detector.memory.find_live(address) else { return false };
        if self.is_handed_by(self.slots.get(&(at, thread)).cloned(), earlier, at, thread, detector) {
            return true;
        }
        if !searches {
            return false;
        }
        let slots = self.slots_to(at, thread, detector);
        let is = self.is_handed_by(Some(slots.clone()), earlier, at, thread, detector);
        if is {
            self.slots.insert((at, thread), slots);
        }
        is
    }

    /// Whether one of these words of the thread's memory still points to the block, and was written
    /// after the earlier access.
    fn is_handed_by(
        &mut self,
        slots: Option<Vec<usize>>,
        earlier: AccessId,
        block: usize,
        thread: u32,
        detector: &mut Detector,
    ) -> bool {
        let storage = storage_of(thread, detector).unwrap_or_default();
        slots.into_iter().flatten().any(|slot| {
            let is_own = storage.contains(&slot) || block_of(slot, thread, detector).is_some();
            let leads_there =
                is_own && detector.memory.find_live(word(slot)).is_some_and(|(at, _)| at == block);
            let Some(writer) = detector.last_writer(slot).access().filter(|_| leads_there) else {
                return false;
            };
            if detector.is_of_running_step(writer) {
                return false;
            }
            // What a task knew is forgotten when it has ended; that it knew it is not.
            let proof = (block, thread, detector.site_of(earlier));
            let is = detector.is_known_to(earlier, writer);
            if is {
                self.handed.insert(proof);
            }
            is || earlier < writer && self.handed.contains(&proof)
        })
    }

    /// Where a thread's storage, and the blocks it owns, point to a block.
    fn slots_to(&self, wanted: usize, thread: u32, detector: &Detector) -> Vec<usize> {
        let mut slots = Vec::new();
        let Some(storage) = storage_of(thread, detector) else { return slots };
        let leads_there =
            |slot: usize| detector.memory.find_live(word(slot)).is_some_and(|(at, _)| at == wanted);
        slots.extend(storage.step_by(8).filter(|&slot| leads_there(slot)));
        let mut todo: Vec<usize> =
            self.roots.iter().filter(|(_, of)| **of == thread).map(|(block, _)| *block).collect();
        let mut reached: FxHashSet<usize> = todo.iter().copied().collect();
        let mut looked = 0;
        while let Some(from) = todo.pop() {
            let Some((_, Block { size, .. })) = detector.memory.find_live(from) else { continue };
            let words = from.next_multiple_of(8)..(from + size) & !7;
            looked += words.len() / 8;
            if looked > MOST {
                break;
            }
            for slot in words.step_by(8).filter(|&slot| detector.last_writer(slot) != WriterRef::NONE) {
                let Some((to, block)) = detector.memory.find_live(word(slot)) else { continue };
                if to == wanted {
                    slots.push(slot);
                } else if block.thread() == Some(thread) && reached.insert(to) {
                    todo.push(to);
                }
            }
        }
        slots
    }

    /// Whether the block is a table of the crate `thread_local`.
    fn is_table(&mut self, at: usize, block: Block, detector: &Detector) -> bool {
        let is = match self.table_sites.get(&block.site) {
            Some(&is) => is,
            None => {
                let is = allocates_tables(detector.site(block.site), detector);
                self.table_sites.insert(block.site, is);
                is
            }
        };
        if is && detector.memory.find_live(at).is_some() {
            self.tables.push(at);
        }
        is
    }
}

/// The thread-local variables of a thread. What is beyond them is the C library's.
fn storage_of(thread: u32, detector: &Detector) -> Option<Range<usize>> {
    let from = detector.private_memory(thread).next()?.start;
    Some(from.next_multiple_of(8)..state().threads.base(thread))
}

/// The block of the thread's that a pointer leads to.
fn block_of(pointer: usize, thread: u32, detector: &Detector) -> Option<usize> {
    let (at, block) = detector.memory.find_live(pointer)?;
    (block.thread() == Some(thread)).then_some(at)
}

/// Whether a site is in the function of the crate `thread_local` that allocates a table.
#[cold]
fn allocates_tables(site: Site, detector: &Detector) -> bool {
    let calls = detector.contexts.calls(site.context);
    // The names are looked up by functions that note where they are called.
    let caller = call_site::caller();
    let symbols = Symbols::load();
    let mut frames = std::iter::once(site.pc).chain(calls).flat_map(|pc| symbols.frames(pc));
    let is = frames.any(|frame| frame.function.starts_with(TABLES) && frame.file.contains(CRATE));
    call_site::CALLER.store(caller, Ordering::Relaxed);
    is
}

fn path_to(mut block: usize, reached: &FxHashMap<usize, Option<(usize, usize)>>) -> Box<[Link]> {
    let mut path = Vec::new();
    while let Some(&Some((slot, from))) = reached.get(&block) {
        path.push(Link { slot, block });
        block = from;
    }
    path.reverse();
    path.into()
}
