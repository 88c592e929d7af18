//! `threadprivate` without thread-local storage: a copy of the variable for every thread, made when
//! it is first asked for.

use crate::detect::detector;
use crate::process;
use crate::tasks::omp::thread;
use crate::tasks::state;
use rustc_hash::FxHashMap;
use std::ffi::c_void;

pub(crate) type Construct = extern "C" fn(*mut c_void) -> *mut c_void;
pub(crate) type Copy = extern "C" fn(*mut c_void, *mut c_void) -> *mut c_void;

#[derive(Default)]
pub(crate) struct Table {
    copies: FxHashMap<(usize, u32), usize>,
    constructors: FxHashMap<usize, (Option<Construct>, Option<Copy>)>,
    /// What each variable was before anything ran: copies start as it.
    initial: FxHashMap<usize, Box<[u8]>>,
}

/// Notes how copies of a variable are constructed.
pub(crate) fn register(data: *mut c_void, construct: Option<Construct>, copy: Option<Copy>) {
    state().omp.threadprivate.constructors.insert(data as usize, (construct, copy));
}

/// The running thread's copy of a variable of that size.
pub(crate) fn copy_of(data: *mut c_void, size: usize) -> *mut c_void {
    let of = thread().virtual_thread;
    let table = &mut state().omp.threadprivate;
    let initial = table.initial.entry(data as usize).or_insert_with(|| {
        // The variable itself is the copy of the initial thread.
        detector().private(data as usize, data as usize + size, 0);
        // SAFETY: the compiler passes a variable and its size.
        unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.into()
    });
    if of == 0 {
        return data;
    }
    if let Some(&copy) = table.copies.get(&(data as usize, of)) {
        return copy as *mut c_void;
    }
    let copy = process::plain_malloc(size.max(1));
    // SAFETY: just allocated with that size.
    unsafe { std::ptr::copy_nonoverlapping(initial.as_ptr(), copy.cast(), size) };
    table.copies.insert((data as usize, of), copy as usize);
    let constructors = table.constructors.get(&(data as usize)).copied();
    detector().allocated(copy as usize, size);
    detector().private(copy as usize, copy as usize + size, of);
    if let Some((Some(construct), _)) = constructors {
        construct(copy);
    }
    copy
}
