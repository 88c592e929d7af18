//! `threadprivate` without thread-local storage: a copy of the variable for every thread, made when it is first asked for.

use super::Loc;
use crate::abi::interpose;
use crate::tasks::omp::thread;
use crate::world;
use rustc_hash::FxHashMap;
use std::ffi::c_void;

type Construct = extern "C" fn(*mut c_void) -> *mut c_void;
type Copy = extern "C" fn(*mut c_void, *mut c_void) -> *mut c_void;

#[derive(Default)]
pub(crate) struct Table {
    copies: FxHashMap<(usize, u32), usize>,
    constructors: FxHashMap<usize, (Option<Construct>, Option<Copy>)>,
    /// What each variable was before anything ran: copies start as it.
    initial: FxHashMap<usize, Box<[u8]>>,
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate_register(
    _: Loc,
    data: *mut c_void,
    construct: Option<Construct>,
    copy: Option<Copy>,
    _destroy: Option<extern "C" fn(*mut c_void)>,
) {
    crate::world::begin();
    world().omp.threadprivate.constructors.insert(data as usize, (construct, copy));
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate_cached(
    _: Loc,
    _: i32,
    data: *mut c_void,
    size: usize,
    _: *mut c_void,
) -> *mut c_void {
    let of = thread().virtual_thread;
    let table = &mut world().omp.threadprivate;
    let initial = table.initial.entry(data as usize).or_insert_with(|| {
        // SAFETY: the compiler passes a variable and its size.
        unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.into()
    });
    if of == 0 {
        return data;
    }
    if let Some(&copy) = table.copies.get(&(data as usize, of)) {
        return copy as *mut c_void;
    }
    let copy = interpose::plain_malloc(size.max(1));
    // SAFETY: just allocated with that size.
    unsafe { std::ptr::copy_nonoverlapping(initial.as_ptr(), copy.cast(), size) };
    table.copies.insert((data as usize, of), copy as usize);
    let constructors = table.constructors.get(&(data as usize)).copied();
    world().detector.allocated(copy as usize, size);
    world().detector.private(copy as usize, copy as usize + size, of);
    if let Some((Some(construct), _)) = constructors {
        construct(copy);
    }
    copy
}
