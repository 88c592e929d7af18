//! The modules of the process: the executable and the libraries, as the dynamic linker has loaded
//! them.

use std::ffi::{c_int, c_void};
use std::ops::Range;

/// The modules of the process: where each begins, and how far it goes.
pub(crate) fn modules() -> Vec<(usize, usize)> {
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: libc::size_t, all: *mut c_void) -> c_int {
        // SAFETY: the C library calls this with a valid description, and `all` is the list below.
        let (info, all) = unsafe { (&*info, &mut *all.cast::<Vec<(usize, usize)>>()) };
        let mut extent: Option<(usize, usize)> = None;
        for index in 0..info.dlpi_phnum {
            // SAFETY: the table has that many entries.
            let header = unsafe { &*info.dlpi_phdr.add(index as usize) };
            if header.p_type == libc::PT_LOAD {
                let from = info.dlpi_addr as usize + header.p_vaddr as usize;
                let to = from + header.p_memsz as usize;
                let (start, end) = extent.unwrap_or((from, to));
                extent = Some((start.min(from), end.max(to)));
            }
        }
        all.extend(extent.map(|(start, end)| (start, end - start)));
        0
    }
    let mut all: Vec<(usize, usize)> = Vec::new();
    // SAFETY: the function has the right type and outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut all).cast()) };
    all
}

/// The memory of the module that an address is in; empty if none is there.
pub(crate) fn module_of(address: usize) -> Range<usize> {
    struct Search {
        address: usize,
        found: Range<usize>,
    }
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: libc::size_t, to: *mut c_void) -> c_int {
        // SAFETY: the C library calls this with a valid description, whose table has that many
        // entries, and `to` is the value below.
        let (base, headers, search) = unsafe {
            let count = (*info).dlpi_phnum as usize;
            let headers = std::slice::from_raw_parts((*info).dlpi_phdr, count);
            ((*info).dlpi_addr as usize, headers, &mut *to.cast::<Search>())
        };
        let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let parts = loaded.map(|header| {
            let from = base + header.p_vaddr as usize;
            from..from + header.p_memsz as usize
        });
        let (mut from, mut to, mut is_it) = (usize::MAX, 0, false);
        for part in parts {
            is_it |= part.contains(&search.address);
            (from, to) = (from.min(part.start), to.max(part.end));
        }
        if is_it {
            search.found = from..to;
        }
        is_it.into()
    }
    let mut search = Search { address, found: 0..0 };
    // SAFETY: the function has the right type, and the value outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut search).cast()) };
    search.found
}
