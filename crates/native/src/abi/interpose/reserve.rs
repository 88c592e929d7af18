//! Memory that is set aside before the program starts, for when the system gives no more: a program
//! may limit its own (`RLIMIT_AS`), and what it has done by then must still be reported.

use dlmalloc::Allocator;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Address space; the pages are taken when they are used.
const SIZE: usize = 256 << 20;

static NEXT: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// New memory of the system; null if there is none.
fn map(size: usize, flags: i32) -> *mut u8 {
    let (access, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags);
    // SAFETY: a new mapping, at an address that the system chooses.
    mapped(unsafe { libc::mmap(ptr::null_mut(), size, access, flags, -1, 0) })
}

fn mapped(memory: *mut c_void) -> *mut u8 {
    if memory == libc::MAP_FAILED { ptr::null_mut() } else { memory.cast() }
}

/// Sets the memory aside.
pub(crate) fn set_aside() {
    let memory = map(SIZE, libc::MAP_NORESERVE) as usize;
    if memory != 0 {
        NEXT.store(memory, Ordering::Relaxed);
        END.store(memory + SIZE, Ordering::Relaxed);
    }
}

/// Where the memory of our own comes from: the system, and after that the reserve.
pub(super) struct Source;

fn is_reserve(memory: *mut u8) -> bool {
    let end = END.load(Ordering::Relaxed);
    (end.saturating_sub(SIZE)..end).contains(&(memory as usize))
}

// SAFETY: what the system gives, or a part of the reserve that was not given before; parts of it
// are never taken back.
unsafe impl Allocator for Source {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let got = map(size, 0);
        if !got.is_null() {
            return (got, size, 0);
        }
        let size = size.next_multiple_of(self.page_size());
        let take = |next: usize| next.checked_add(size).filter(|&after| after <= END.load(Ordering::Relaxed));
        match NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            Ok(memory) if memory != 0 => (memory as *mut u8, size, 0),
            _ => (ptr::null_mut(), 0, 0),
        }
    }

    fn remap(&self, memory: *mut u8, old: usize, new: usize, can_move: bool) -> *mut u8 {
        if is_reserve(memory) {
            return ptr::null_mut();
        }
        let flags = if can_move { libc::MREMAP_MAYMOVE } else { 0 };
        // SAFETY: a mapping of `alloc`, of this size.
        mapped(unsafe { libc::mremap(memory.cast(), old, new, flags) })
    }

    fn free_part(&self, memory: *mut u8, old: usize, new: usize) -> bool {
        !is_reserve(memory) && self.free(memory.wrapping_add(new), old - new)
    }

    fn free(&self, memory: *mut u8, size: usize) -> bool {
        // SAFETY: a mapping of `alloc`, or the end of one, that is not used any more.
        !is_reserve(memory) && unsafe { libc::munmap(memory.cast(), size) } == 0
    }

    fn can_release_part(&self, _: u32) -> bool {
        true
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        4096
    }
}
