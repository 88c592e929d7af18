//! This process's end of the channel for findings: [`raceproof::channel`] says what is in it.
//!
//! It is mapped before any code of the program runs, and no descriptor is kept: the program may
//! close all of its own, give up its root folder, or run out of files, memory and room on its
//! disks.

use raceproof::channel::{END, FIRST, HEAD, Kind, LOST, MAGIC, room};
use raceproof_symbols::raw::{RawError, RawRace};
use serde::Serialize;
use std::ffi::{c_int, c_void};
use std::fs::{self, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::{io, process, ptr, slice};

struct Channel {
    memory: *mut u8,
    size: usize,
    /// Children of this process have the memory as well, and nothing to say.
    process: u32,
    /// The counts of the races, by the detector's numbers.
    counts: Vec<*const AtomicU64>,
    /// How many modules had been loaded when the memory map was last written.
    modules: u64,
}

static CHANNEL: AtomicPtr<Channel> = AtomicPtr::new(ptr::null_mut());

fn channel() -> Option<&'static mut Channel> {
    // SAFETY: `open` puts a leaked box there. One OS thread runs all code that gets here, and none
    // of it keeps the reference.
    let channel = unsafe { CHANNEL.load(Ordering::Relaxed).as_mut() }?;
    (channel.process == process::id()).then_some(channel)
}

/// Whether another process reads what is found.
pub(crate) fn is_on() -> bool {
    channel().is_some()
}

/// Nothing is written any more: by a child of the process that was to be watched.
pub(crate) fn close() {
    CHANNEL.store(ptr::null_mut(), Ordering::Relaxed);
}

/// This process is a copy of the one that has opened the channel, and has to write to it.
pub(crate) fn adopt() {
    // SAFETY: `open` puts a leaked box there. One OS thread runs all code that gets here, and the
    // reference ends here.
    if let Some(channel) = unsafe { CHANNEL.load(Ordering::Relaxed).as_mut() } {
        channel.process = process::id();
    }
}

/// Maps the channel.
pub(crate) fn open(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let size = file.metadata()?.len() as usize;
    let other = || io::Error::other("it is no channel of this version of raceproof; build the program again");
    if size < FIRST {
        return Err(other());
    }
    let (access, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
    // SAFETY: maps a file of that size at an address that the system chooses.
    let memory = unsafe { libc::mmap(ptr::null_mut(), size, access, shared, file.as_raw_fd(), 0) };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let memory = memory.cast::<u8>();
    // SAFETY: the beginning of what was mapped.
    if unsafe { slice::from_raw_parts(memory, MAGIC.len()) } != MAGIC {
        return Err(other());
    }
    let process = process::id();
    let channel = Channel { memory, size, process, counts: Vec::new(), modules: 0 };
    CHANNEL.store(Box::into_raw(Box::new(channel)), Ordering::Relaxed);
    Ok(())
}

/// Writes the memory map down, if modules were loaded since it was.
pub(crate) fn map() {
    let Some(channel) = channel() else { return };
    let modules = modules();
    if channel.modules != modules
        && let Ok(maps) = fs::read("/proc/self/maps")
    {
        channel.modules = modules;
        channel.write(Kind::Maps, &maps);
    }
}

/// How many modules were loaded so far.
fn modules() -> u64 {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _: usize, to: *mut c_void) -> c_int {
        // SAFETY: the linker passes a description, and what `modules` passed to it.
        unsafe { *to.cast::<u64>() = (*info).dlpi_adds };
        1
    }
    let mut count = 0u64;
    // SAFETY: a documented use; the number lives here.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut count).cast()) };
    count
}

/// A race, by the detector's number of it: the next.
pub(crate) fn raced(race: &RawRace) {
    map();
    let count = serde_json::to_vec(race).ok().and_then(|text| channel()?.write(Kind::Race, &text));
    if let Some(channel) = channel() {
        channel.counts.push(count.unwrap_or(ptr::null()));
    }
}

/// A race was met again.
pub(crate) fn met(number: usize, count: u64) {
    // Not `channel()`, which asks the system: a race may be met a million times. A child has no
    // channel, unless it is one that the C library does not know of; then it counts along. SAFETY:
    // as in `channel`.
    let Some(channel) = (unsafe { CHANNEL.load(Ordering::Relaxed).as_ref() }) else { return };
    // SAFETY: a count in the mapping, or null.
    if let Some(to) = channel.counts.get(number).and_then(|&to| unsafe { to.as_ref() }) {
        to.store(count, Ordering::Relaxed);
    }
}

pub(crate) fn error(error: &RawError) {
    map();
    json(Kind::Error, error);
}

/// Whether it was written.
pub(crate) fn json(kind: Kind, content: &impl Serialize) -> bool {
    serde_json::to_vec(content).is_ok_and(|text| write(kind, &text))
}

/// Whether it was written.
pub(crate) fn write(kind: Kind, content: &[u8]) -> bool {
    channel().is_some_and(|channel| channel.write(kind, content).is_some())
}

/// What this process is asked to do.
pub(crate) fn request() -> Option<&'static [u8]> {
    let channel = channel()?;
    let at = channel.memory.wrapping_add(FIRST).cast::<u32>();
    // SAFETY: whoever made the file has put the request first, and nobody changes it.
    unsafe {
        let (length, kind) = (at.read() as usize, at.add(1).read());
        let fits = kind == Kind::Request as u32 && FIRST + HEAD + length <= channel.size;
        fits.then(|| slice::from_raw_parts(channel.memory.add(FIRST + HEAD), length))
    }
}

impl Channel {
    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: at the beginning of the mapping, aligned; others use it by atomic operations too.
        unsafe { &*self.memory.add(at).cast() }
    }

    /// Appends a record; where its count is, if there was room.
    fn write(&mut self, kind: Kind, content: &[u8]) -> Option<*const AtomicU64> {
        let takes = room(content.len());
        let fits = |end: u64| (end as usize).checked_add(takes).filter(|&after| after <= self.size);
        let claim = |end: u64| fits(end).map(|after| after as u64);
        let end = self.word(END).fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim);
        let Some(at) = end.ok().filter(|at| content.len() <= u32::MAX as usize && at % 8 == 0) else {
            self.word(LOST).fetch_add(1, Ordering::Relaxed);
            return None;
        };
        // SAFETY: the room from there on is inside the mapping, and nobody else's.
        unsafe {
            let head = self.memory.add(at as usize);
            head.cast::<u32>().write(content.len() as u32);
            head.add(8).cast::<u32>().write(self.process);
            head.add(16).cast::<u64>().write(1);
            ptr::copy_nonoverlapping(content.as_ptr(), head.add(HEAD), content.len());
            (*head.add(4).cast::<AtomicU32>()).store(kind as u32, Ordering::Release);
            Some(head.add(16).cast())
        }
    }
}
