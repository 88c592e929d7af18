//! The runtime's own allocator: what this library allocates is not the program's, and is not between
//! what is the program's, which would otherwise be spread over more memory than without us.
//!
//! Small blocks are dlmalloc's. A large one is a mapping of its own, since most of them are tables
//! that grow: the system moves a mapping without copying it, leaves no hole behind, and gives memory
//! to the part in use alone. On dlmalloc's heap a table that doubles leaves its former places there,
//! together as large as itself.

use super::reserve::Source;
use dlmalloc::{Allocator, Dlmalloc};
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr;

/// Blocks from this size on are mappings: a call of the system and a fault for each page are little
/// beside what is done with so many bytes.
const LARGE: usize = 1 << 17;

const PAGE: usize = 4096;

pub(super) struct Own(UnsafeCell<Dlmalloc<Source>>);

impl Own {
    pub(super) const fn new() -> Self {
        Own(UnsafeCell::new(Dlmalloc::new_with_allocator(Source)))
    }

    /// A block of this layout is a mapping. It depends on the layout alone, which the caller gives
    /// again with the block.
    #[inline]
    fn is_mapping(layout: Layout) -> bool {
        layout.size() >= LARGE && layout.align() <= PAGE
    }

    #[cold]
    fn map(size: usize) -> *mut u8 {
        Source.alloc(size.next_multiple_of(PAGE)).0
    }

    /// A block of another size with the content of this one, which is freed.
    ///
    /// # Safety
    /// As [`GlobalAlloc::realloc`].
    unsafe fn replace(&self, memory: *mut u8, layout: Layout, new: Layout) -> *mut u8 {
        // SAFETY: the caller's promise: the block is of this layout, and neither size is zero. The
        // new block overlaps no other.
        unsafe {
            let to = self.alloc(new);
            if !to.is_null() {
                ptr::copy_nonoverlapping(memory, to, layout.size().min(new.size()));
                self.dealloc(memory, layout);
            }
            to
        }
    }
}

// SAFETY: all code of the process runs on one OS thread (see `process/global.rs`), and the
// allocator calls none of it.
unsafe impl Sync for Own {}

// SAFETY: dlmalloc and the system uphold the contract: blocks do not overlap, and are as aligned as
// asked for. Where a block is from, its layout tells.
unsafe impl GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Self::is_mapping(layout) {
            return Self::map(layout.size());
        }
        // SAFETY: the caller's promise: a size that is not zero. The reference is given up before
        // anybody else can ask for one.
        unsafe { (*self.0.get()).malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Self::is_mapping(layout) {
            // What the system gives is zero, and so is the reserve, which is given once.
            return Self::map(layout.size());
        }
        // SAFETY: the caller's promise: a size that is not zero. No other reference to the
        // allocator exists: it is used by one OS thread and calls nobody who allocates.
        unsafe { (*self.0.get()).calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if Self::is_mapping(layout) {
            Source.free(memory, layout.size().next_multiple_of(PAGE));
            return;
        }
        // SAFETY: it comes from `alloc`, with this layout, and so from dlmalloc.
        unsafe { (*self.0.get()).free(memory, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise: the size is not zero, and not too large for the alignment.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (Self::is_mapping(layout), Self::is_mapping(new)) {
            // SAFETY: the caller's promise: the block comes from `alloc`, with this layout, and so
            // from dlmalloc. No other reference to the allocator exists.
            (false, false) => unsafe { (*self.0.get()).realloc(memory, layout.size(), layout.align(), size) },
            (true, true) => {
                let [old, all] = [layout.size(), size].map(|size| size.next_multiple_of(PAGE));
                let moved = if old == all { memory } else { Source.remap(memory, old, all, true) };
                if !moved.is_null() {
                    return moved;
                }
                // SAFETY: the caller's promise.
                unsafe { self.replace(memory, layout, new) }
            }
            // SAFETY: the caller's promise.
            _ => unsafe { self.replace(memory, layout, new) },
        }
    }
}

#[global_allocator]
static OWN: Own = Own::new();
