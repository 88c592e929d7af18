//! Which page table entries of code and constants the server of executions has.
//!
//! The system copies the entries that the server has into each child, and removes them when the
//! child ends: a microsecond for each window of 16 pages. An entry that the server lacks costs each
//! child that needs it a page fault, which fills the window around it and takes somewhat more. So
//! the server keeps the windows that executions use:
//!
//! 1. It has the system copy such entries at all, which else it would not ([`own`]).
//! 2. It drops them, and the first child notes at its end which ones it has got by page faults.
//! 3. It gets these itself.
//!
//! Only entries are dropped: pages that differ from the file, such as relocated ones, stay. Where
//! `/proc` cannot be read, so do all entries. Of the 1,900 pages of a short program and its libraries
//! 1,150 have entries then, which saves a twenty-fifth of the processor time of an execution.

use std::fs::{self, File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

const PAGE: usize = 4096;

/// What `/proc/self/pagemap` says of a page: there is an entry for it, of a page of a file.
const PRESENT: u64 = 1 << 63;
const OF_FILE: u64 = 1 << 61;

/// Children that may end without a note, before the server does without one.
const PATIENCE: u32 = 3;

/// What the server knows of its code until the first child has noted what it uses.
pub(super) struct Code {
    ranges: Vec<Range<usize>>,
    /// For each page of the ranges, whether there was an entry.
    had: Vec<bool>,
    /// For each of them, whether a child has used it: shared with the children.
    used: &'static [AtomicU8],
    silent: u32,
}

/// What the children of this process note their pages in, or what this one does.
static CODE: AtomicPtr<Code> = AtomicPtr::new(ptr::null_mut());

/// Prepares this process for its children.
pub(super) fn prepare() {
    let ranges = own();
    let Some(had) = present(&ranges) else { return };
    let (access, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping wherever the system likes, which is never given back.
    let used = unsafe {
        let memory = libc::mmap(ptr::null_mut(), had.len().max(1), access, shared, -1, 0);
        if memory == libc::MAP_FAILED {
            return;
        }
        std::slice::from_raw_parts(memory.cast::<AtomicU8>(), had.len())
    };
    let pages = ranges.iter().cloned().flat_map(|range| range.step_by(PAGE));
    for page in pages.zip(&had).filter_map(|(page, &had)| had.then_some(page)) {
        // SAFETY: a page that is as it is in the file: whoever accesses it next gets it again.
        unsafe { libc::madvise(page as *mut libc::c_void, PAGE, libc::MADV_DONTNEED) };
    }
    let code = Code { ranges, had, used, silent: 0 };
    CODE.store(Box::into_raw(Box::new(code)), Ordering::Relaxed);
}

/// Called in a child at its end: notes what it has used.
pub(super) fn note() {
    // SAFETY: `prepare` has put a leaked box there.
    let Some(code) = (unsafe { CODE.load(Ordering::Relaxed).as_ref() }) else { return };
    let Some(present) = present(&code.ranges) else { return };
    for (used, _) in code.used.iter().zip(present).filter(|(_, present)| *present) {
        used.store(1, Ordering::Relaxed);
    }
}

/// Called in the server when a child has ended: gets what that has noted. Allocates and frees
/// nothing: all children are to find memory as the first one did, so that the system gives them the
/// same addresses.
pub(super) fn learn() {
    // SAFETY: `prepare` has leaked it, and nothing else in this process has a reference to it.
    let Some(code) = (unsafe { CODE.load(Ordering::Relaxed).as_mut() }) else { return };
    let noted = code.used.iter().any(|used| used.load(Ordering::Relaxed) != 0);
    code.silent += u32::from(!noted);
    if !noted && code.silent < PATIENCE {
        return;
    }
    let pages = code.ranges.iter().cloned().flat_map(|range| range.step_by(PAGE));
    for (page, (had, used)) in pages.zip(code.had.iter().zip(code.used)) {
        let is_wanted = if noted { used.load(Ordering::Relaxed) != 0 } else { *had };
        if is_wanted {
            // SAFETY: a readable mapping of this process, which has run nothing of the program's
            // and so has unmapped none.
            unsafe { ptr::read_volatile(page as *const u8) };
        }
    }
    CODE.store(ptr::null_mut(), Ordering::Relaxed);
}

/// For each page, whether there is an entry for a page of a file.
fn present(ranges: &[Range<usize>]) -> Option<Vec<bool>> {
    let pagemap = File::open("/proc/self/pagemap").ok()?;
    let mut all = Vec::new();
    for range in ranges {
        let mut words = vec![0; range.len() / PAGE * 8];
        pagemap.read_exact_at(&mut words, (range.start / PAGE * 8) as u64).ok()?;
        let (words, _) = words.as_chunks();
        all.extend(
            words.iter().map(|word| u64::from_ne_bytes(*word) & (PRESENT | OF_FILE) == PRESENT | OF_FILE),
        );
    }
    Some(all)
}

/// Has the system copy the page table entries of code and constants when this process forks, as it
/// does for memory that a process has written. To write a byte of a mapping as it is makes it such
/// memory; where the system forbids that, all stays as it was. Which mappings these are now.
fn own() -> Vec<Range<usize>> {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return Vec::new() };
    let Ok(memory) = OpenOptions::new().read(true).write(true).open("/proc/self/mem") else {
        return Vec::new();
    };
    let mut ranges = Vec::new();
    for line in maps.lines() {
        let mut words = line.split(' ');
        let (Some(range), Some(access)) = (words.next(), words.next()) else { continue };
        let number = |text| usize::from_str_radix(text, 16).ok();
        let range = range.split_once('-').and_then(|(start, end)| Some(number(start)?..number(end)?));
        let is_constant = access.starts_with("r-") && access.ends_with('p') && line.contains('/');
        let (Some(range), true) = (range, is_constant) else { continue };
        let mut byte = [0];
        let start = range.start as u64;
        if memory.read_exact_at(&mut byte, start).is_ok() && memory.write_all_at(&byte, start).is_ok() {
            ranges.push(range);
        }
    }
    ranges
}
