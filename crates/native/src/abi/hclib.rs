//! The entry points of HClib's headers (`crates/cc/include/hclib`): promises, tasks, finishes,
//! loops, workers.
//!
//! The value of a promise is memory of the program: a put writes it before the promise is set, a
//! wait reads it after that, and a get reads it without waiting. So a get that no wait precedes
//! races with the put, and so does one who frees the promise too early.

use crate::abi::entry::{caller, entry};
use crate::abi::interpose;
use crate::abi::tsan;
use crate::detect::detector;
use crate::fatal;
use crate::process;
use crate::tasks::explicit::{self, KmpTask};
use crate::tasks::forasync::{Iteration, Loop, ONCE, Range};
use crate::tasks::hclib;
use crate::tasks::promises;
use crate::tasks::sched;
use crate::tasks::units;
use raceproof_core::ids::SyncId;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{offset_of, transmute};
use std::ptr;
use std::time::{SystemTime, UNIX_EPOCH};

type Body = extern "C" fn(*mut c_void);

/// `hclib_future_t`
#[repr(C)]
pub struct Future {
    owner: *mut Promise,
}

/// `hclib_promise_t`
#[repr(C)]
pub struct Promise {
    future: Future,
    /// The number of the kernel's promise, and one more: zero is none.
    handle: u32,
    satisfied: i32,
    datum: *mut c_void,
}

entry! {
    __raceproof_hclib_launch => launch;
    __raceproof_hclib_async => create_task;
    __raceproof_hclib_async_nb => create_nonblocking;
    __raceproof_hclib_async_for => create_for;
    __raceproof_hclib_async_future => create_future;
    __raceproof_hclib_forasync => forasync;
    __raceproof_hclib_forasync_future => forasync_future;
    __raceproof_hclib_start_finish => start_finish;
    __raceproof_hclib_end_finish => end_finish;
    __raceproof_hclib_end_finish_nonblocking => end_finish_nonblocking;
    __raceproof_hclib_promise_init => promise_init;
    __raceproof_hclib_promise_create => promise_create;
    __raceproof_hclib_promise_create_n => promise_create_n;
    __raceproof_hclib_promise_put => promise_put;
    __raceproof_hclib_future_get => future_get;
    __raceproof_hclib_future_wait => future_wait;
    __raceproof_hclib_allocate_at => allocate_at;
    __raceproof_hclib_reallocate_at => reallocate_at;
    __raceproof_hclib_memset_at => memset_at;
    __raceproof_hclib_async_copy => async_copy;
}

// ---- promises ----

/// The kernel's promise behind one of the program's.
///
/// # Safety
/// The pointer is null or to memory of that size.
unsafe fn sync(promise: *const Promise, function: &str) -> SyncId {
    hclib::require_launch(function);
    // SAFETY: the caller's promise.
    let known = unsafe { promise.as_ref() }.and_then(|known| promises::at(known.handle, promise as usize));
    known.unwrap_or_else(|| {
        fatal(&format!(
            "{function} was given a promise that was not initialised, is freed, or is a copy: HClib knows a promise by its address"
        ))
    })
}

/// The promise of a future.
///
/// # Safety
/// The pointer is null or to a future.
unsafe fn owner(future: *const Future) -> *mut Promise {
    // SAFETY: the caller's promise.
    unsafe { future.as_ref() }.map_or(ptr::null_mut(), |future| future.owner)
}

/// Initialises a promise. Also outside of `launch`: programs have promises in global variables.
unsafe extern "C" fn promise_init(promise: *mut Promise) {
    if sched::job().is_none() {
        fatal(
            "a promise of HClib was created where no task runs: in a constructor of a shared library, or at the exit",
        );
    }
    // SAFETY: the program passes memory for one. It may have been a promise before.
    let before = unsafe { (*promise).handle };
    if let Some(before) = promises::at(before, promise as usize) {
        promises::free(before);
    }
    let handle = promises::create_at(promise as usize, caller());
    let fresh = Promise { future: Future { owner: promise }, handle, satisfied: 0, datum: ptr::null_mut() };
    tsan::write_range(promise as usize, size_of::<Promise>(), 0, caller());
    // SAFETY: the program passes memory for a promise.
    unsafe { promise.write(fresh) };
}

unsafe extern "C" fn promise_create() -> *mut Promise {
    let promise: *mut Promise = interpose::calloc_noted(1, size_of::<Promise>()).cast();
    // SAFETY: just allocated.
    unsafe { promise_init(promise) };
    promise
}

/// An array of so many; the last is null if it is to be ended by that.
unsafe extern "C" fn promise_create_n(count: usize, null_terminated: c_int) -> *mut *mut Promise {
    let list: *mut *mut Promise = interpose::calloc_noted(count.max(1), size_of::<usize>()).cast();
    let made = if null_terminated != 0 { count.saturating_sub(1) } else { count };
    for at in 0..made {
        // SAFETY: allocated above, with room for all.
        unsafe { *list.add(at) = promise_create() };
    }
    list
}

/// Forgets a promise whose memory the program has.
///
/// # Safety
/// The pointer is to memory of that size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_hclib_promise_forget(promise: *mut Promise) {
    if sched::job().is_none() {
        return;
    }
    // SAFETY: the caller's promise.
    let handle = unsafe { (*promise).handle };
    // A copy is not the promise.
    if let Some(sync) = promises::at(handle, promise as usize) {
        promises::free(sync);
        // SAFETY: the caller's promise: it is one of the program's promises.
        unsafe { (*promise).handle = 0 };
    }
}

/// # Safety
/// The pointer is null, or from `promise_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_hclib_promise_free(promise: *mut Promise) {
    if !promise.is_null() {
        // SAFETY: the caller's promise.
        unsafe { __raceproof_hclib_promise_forget(promise) };
        interpose::free_noted(promise.cast());
    }
}

/// # Safety
/// The list is from `promise_create_n`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_hclib_promise_free_n(
    list: *mut *mut Promise,
    count: usize,
    null_terminated: c_int,
) {
    let made = if null_terminated != 0 { count.saturating_sub(1) } else { count };
    for at in 0..made {
        // SAFETY: the caller's promise.
        unsafe { __raceproof_hclib_promise_free(*list.add(at)) };
    }
    interpose::free_noted(list.cast());
}

/// # Safety
/// The pointer is to a promise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_hclib_promise_future(promise: *mut Promise) -> *mut Future {
    // SAFETY: the caller's promise.
    unsafe { &raw mut (*promise).future }
}

unsafe extern "C" fn promise_put(promise: *mut Promise, datum: *mut c_void) {
    // SAFETY: the program passes a promise, or nothing.
    let sync = unsafe { sync(promise, "hclib_promise_put") };
    if !promises::is_set_already(sync) {
        tsan::write_range(promise as usize + offset_of!(Promise, datum), 8, 0, caller());
        // SAFETY: `sync` has found that it is a promise.
        unsafe { ((*promise).datum, (*promise).satisfied) = (datum, 1) };
    }
    promises::set(sync, caller());
}

/// The value, without waiting.
unsafe extern "C" fn future_get(future: *mut Future) -> *mut c_void {
    // SAFETY: the program passes a future, or nothing.
    unsafe {
        let promise = owner(future);
        sync(promise, "hclib_future_get");
        tsan::read_range(promise as usize + offset_of!(Promise, datum), 8, 0, caller());
        (*promise).datum
    }
}

unsafe extern "C" fn future_wait(future: *mut Future) -> *mut c_void {
    // SAFETY: the program passes a future, or nothing.
    unsafe {
        let promise = owner(future);
        promises::wait(sync(promise, "hclib_future_wait"));
        tsan::read_range(promise as usize + offset_of!(Promise, datum), 8, 0, caller());
        (*promise).datum
    }
}

/// Whether a promise is set.
///
/// # Safety
/// The pointer is to a future, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_hclib_future_is_satisfied(future: *mut Future) -> c_int {
    // SAFETY: the caller's promise.
    let sync = unsafe { sync(owner(future), "hclib_future_is_satisfied") };
    c_int::from(promises::is_set(sync))
}

// ---- tasks ----

extern "C" fn launch(body: Body, data: *mut c_void) {
    hclib::launch(|| body(data));
}

/// The program asks for so many workers.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_set_workers(count: c_int) {
    hclib::set_workers(count);
}

/// Memory for what a task has captured. It is used again and again, as that of OpenMP's tasks is.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_room(size: usize) -> *mut c_void {
    explicit::allocate(0, size.max(size_of::<KmpTask>()), 0).cast()
}

/// The task has ended.
///
/// # Safety
/// The memory is from `__raceproof_hclib_room`, and nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_hclib_reclaim(room: *mut c_void) {
    explicit::free(room.cast());
}

/// What a task awaits: those of the futures that are not null.
///
/// # Safety
/// The list has that many futures.
unsafe fn awaited(futures: *const *mut Future, count: c_int) -> Vec<SyncId> {
    if futures.is_null() || count <= 0 {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    let futures = unsafe { std::slice::from_raw_parts(futures, count as usize) };
    let known = futures.iter().filter(|future| !future.is_null());
    // SAFETY: the caller's promise: the array's futures are the program's.
    known.map(|&future| unsafe { sync(owner(future), "hclib_async") }).collect()
}

unsafe extern "C" fn create_task(body: Body, data: *mut c_void, futures: *const *mut Future, count: c_int) {
    hclib::require_launch("hclib_async");
    // SAFETY: the program passes so many futures.
    let waits = unsafe { awaited(futures, count) };
    hclib::create(move || body(data), waits, None, caller());
}

extern "C" fn create_nonblocking(body: Body, data: *mut c_void) {
    hclib::require_launch("hclib_async_nb");
    hclib::create(move || body(data), Vec::new(), None, caller());
}

/// Creates a task that sets a promise at its end itself.
unsafe extern "C" fn create_for(
    body: Body,
    data: *mut c_void,
    futures: *const *mut Future,
    count: c_int,
    promise: *mut Promise,
) {
    const WHAT: &str = "hclib::async_future";
    hclib::require_launch(WHAT);
    // SAFETY: the header passes so many futures, and a promise.
    let (waits, future) = unsafe { (awaited(futures, count), sync(promise, WHAT)) };
    hclib::create(move || body(data), waits, Some(future), caller());
}

unsafe extern "C" fn create_future(
    body: extern "C" fn(*mut c_void) -> *mut c_void,
    data: *mut c_void,
    futures: *const *mut Future,
    count: c_int,
) -> *mut Future {
    hclib::require_launch("hclib_async_future");
    // SAFETY: the program passes so many futures.
    unsafe { create_putting(move || body(data), futures, count) }
}

/// Creates a task that puts what `work` returns into a promise of its own.
///
/// # Safety
/// The list has that many futures.
unsafe fn create_putting(
    work: impl FnOnce() -> *mut c_void + 'static,
    futures: *const *mut Future,
    count: c_int,
) -> *mut Future {
    let pc = caller();
    // SAFETY: the caller's promise; the HClib promise is new.
    unsafe {
        let waits = awaited(futures, count);
        let promise = promise_create();
        let sync = sync(promise, "hclib_async_future");
        hclib::create(move || put_from(promise, work(), pc), waits, Some(sync), pc);
        &raw mut (*promise).future
    }
}

/// The runtime puts for the program, which has asked for it at `pc`.
fn put_from(promise: *mut Promise, datum: *mut c_void, pc: usize) {
    process::call_site::CALLER.store(pc, std::sync::atomic::Ordering::Relaxed);
    // SAFETY: a promise of `promise_create`, which only the program frees.
    unsafe { promise_put(promise, datum) };
}

/// `may_leave`: whether the program may end the finish without waiting.
extern "C" fn start_finish(may_leave: c_int) {
    hclib::require_launch("hclib_start_finish");
    hclib::start_finish(may_leave != 0);
}

extern "C" fn end_finish() {
    hclib::require_launch("hclib_end_finish");
    hclib::end_finish();
}

unsafe extern "C" fn end_finish_nonblocking(promise: *mut Promise) {
    let pc = caller();
    // SAFETY: the program passes a promise.
    let sync = unsafe { sync(promise, "hclib_end_finish_nonblocking") };
    hclib::end_finish_nonblocking(sync, move || put_from(promise, ptr::null_mut(), pc), pc);
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_yield() {
    hclib::require_launch("hclib_yield");
    sched::give_way();
}

// ---- loops ----

/// # Safety
/// The body takes so many indices, and the space has so many ranges.
unsafe fn loop_of(body: *const c_void, data: *mut c_void, dimensions: c_int, space: *const Range) -> Loop {
    hclib::require_launch("hclib_forasync");
    // SAFETY: the caller's promise.
    let iteration = unsafe {
        match dimensions {
            1 => Iteration::One(transmute::<*const c_void, extern "C" fn(*mut c_void, i32)>(body)),
            2 => Iteration::Two(transmute::<*const c_void, extern "C" fn(*mut c_void, i32, i32)>(body)),
            3 => {
                Iteration::Three(transmute::<*const c_void, extern "C" fn(*mut c_void, i32, i32, i32)>(body))
            }
            other => {
                fatal(&format!("hclib_forasync was called with {other} dimensions: it has one to three"))
            }
        }
    };
    let mut ranges = [ONCE; 3];
    for (at, range) in ranges.iter_mut().enumerate().take(dimensions as usize) {
        // SAFETY: the caller's promise.
        *range = unsafe { *space.add(at) };
    }
    Loop { iteration, data, space: ranges, pc: caller() }
}

unsafe extern "C" fn forasync(
    body: *const c_void,
    data: *mut c_void,
    dimensions: c_int,
    space: *const Range,
    mode: c_int,
) {
    // SAFETY: the program passes what the loop needs.
    unsafe { loop_of(body, data, dimensions, space) }.run(mode != 0);
}

unsafe extern "C" fn forasync_future(
    body: *const c_void,
    data: *mut c_void,
    dimensions: c_int,
    space: *const Range,
    mode: c_int,
) -> *mut Future {
    let pc = caller();
    // SAFETY: the program passes what the loop needs; the promise was created here.
    unsafe {
        let whole = loop_of(body, data, dimensions, space);
        let promise = promise_create();
        hclib::start_finish(true);
        whole.run(mode != 0);
        process::call_site::CALLER.store(pc, std::sync::atomic::Ordering::Relaxed);
        end_finish_nonblocking(promise);
        &raw mut (*promise).future
    }
}

/// What would say where the tiles of a loop run. That makes no difference here.
type Distribution =
    extern "C" fn(dimensions: c_int, part: *const Range, whole: *const Range, mode: c_int) -> *const Locale;

/// The one of number 0 (`HCLIB_DEFAULT_LOOP_DIST`).
extern "C" fn in_place(_: c_int, _: *const Range, _: *const Range, _: c_int) -> *const Locale {
    __raceproof_hclib_locale()
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_register_dist_func(function: *const c_void) -> u32 {
    hclib::keep_distribution(function as usize)
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_lookup_dist_func(id: u32) -> *const c_void {
    const DEFAULT: Distribution = in_place;
    match hclib::distribution(id) {
        Some(function) => function as *const c_void,
        None if id == 0 => DEFAULT as *const c_void,
        None => fatal(&format!("hclib_lookup_dist_func: no function was registered as number {id}")),
    }
}

// ---- workers, places, time ----

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_workers() -> c_int {
    units::query("hclib_get_num_workers", hclib::workers())
}

/// The worker that the running task runs on.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_worker() -> c_int {
    hclib::worker() as c_int
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_backlog() -> usize {
    0
}

/// `hclib_locale_t`
#[repr(C)]
pub struct Locale {
    id: i32,
    kind: u32,
    label: *const c_char,
    special: *const c_char,
    metadata: *mut c_void,
    reachable: *mut c_void,
}

struct Shared<T>(T);
// SAFETY: nobody writes what it holds.
unsafe impl<T> Sync for Shared<T> {}

/// The one place there is.
static LOCALE: Shared<Locale> = Shared(Locale {
    id: 0,
    kind: 0,
    label: c"sysmem".as_ptr(),
    special: ptr::null(),
    metadata: ptr::null_mut(),
    reachable: ptr::null_mut(),
});

/// The kinds of places that the program has named are numbered from 1 on; 0 is the kind of the one
/// there is.
///
/// # Safety
/// The label is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_hclib_locale_type(label: *const c_char) -> u32 {
    // SAFETY: the caller's promise; the other is a string of ours.
    let (label, own) = unsafe { (CStr::from_ptr(label), CStr::from_ptr(LOCALE.0.label)) };
    if label == own { LOCALE.0.kind } else { hclib::locale_kind(label) }
}

/// `hclib_worker_state`, by the number of the worker.
static WORKERS: [c_int; 256] = {
    let (mut all, mut at) = ([0; 256], 0);
    while at < all.len() {
        all[at] = at as c_int;
        at += 1;
    }
    all
};

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_worker_state() -> *const c_int {
    &raw const WORKERS[hclib::worker() as usize]
}

/// As many as there can be workers.
static LOCALES: Shared<[*const Locale; 256]> = Shared([&raw const LOCALE.0; 256]);

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_locale() -> *const Locale {
    &raw const LOCALE.0
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_worker_locales() -> *const *const Locale {
    (&raw const LOCALES.0).cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_num_locales() -> c_int {
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_time_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_time_ms() -> u64 {
    __raceproof_hclib_time_ns() / 1_000_000
}

/// Memory at a place, which is there at once.
unsafe extern "C" fn allocate_at(size: usize) -> *mut Future {
    future_of(interpose::malloc_noted(size))
}

unsafe extern "C" fn reallocate_at(memory: *mut c_void, size: usize) -> *mut Future {
    future_of(interpose::realloc_noted(memory, size))
}

unsafe extern "C" fn memset_at(to: *mut c_void, byte: c_int, size: usize) -> *mut Future {
    hclib::require_launch("hclib_memset_at");
    let pc = caller();
    let set = move || {
        tsan::write_range(to as usize, size, 0, pc);
        // SAFETY: the program passes memory of that size.
        unsafe { ptr::write_bytes(to.cast::<u8>(), byte as u8, size) };
        to
    };
    // SAFETY: nothing is awaited.
    unsafe { create_putting(set, ptr::null(), 0) }
}

/// The source that stands for the value of the future that the copy awaits
/// (`HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC`).
const FUTURE_IS_SOURCE: usize = 1;

unsafe extern "C" fn async_copy(
    _: *const Locale,
    to: *mut c_void,
    _: *const Locale,
    from: *mut c_void,
    size: usize,
    futures: *const *mut Future,
    count: c_int,
) -> *mut Future {
    hclib::require_launch("hclib_async_copy");
    let pc = caller();
    let source = match from as usize {
        FUTURE_IS_SOURCE if count == 1 && !futures.is_null() => {
            // SAFETY: the program passes one future.
            unsafe { owner(*futures) }
        }
        FUTURE_IS_SOURCE => {
            fatal("hclib_async_copy: a source that is the value of a future needs one future")
        }
        _ => ptr::null_mut(),
    };
    let copy = move || {
        let from = if source.is_null() {
            from
        } else {
            tsan::read_range(source as usize + offset_of!(Promise, datum), 8, 0, pc);
            // SAFETY: the task has awaited this promise.
            unsafe { (*source).datum }
        };
        tsan::read_range(from as usize, size, 0, pc);
        tsan::write_range(to as usize, size, 0, pc);
        // SAFETY: the program passes memory of that size.
        unsafe { ptr::copy(from.cast::<u8>(), to.cast::<u8>(), size) };
        ptr::null_mut()
    };
    // SAFETY: the program passes so many futures.
    unsafe { create_putting(copy, futures, count) }
}

fn future_of(memory: *mut c_void) -> *mut Future {
    // SAFETY: the promise is new.
    unsafe {
        let promise = promise_create();
        promise_put(promise, memory);
        &raw mut (*promise).future
    }
}

// ---- the rest ----

/// The running task begins to update its part of something that is gathered later, or ends it.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_hclib_update(begin: c_int) {
    if sched::job().is_some() {
        detector().reduce(begin != 0);
    }
}

/// The program calls a function of HClib that is left out.
///
/// # Safety
/// The name is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_hclib_left_out(function: *const c_char) {
    // SAFETY: the caller's promise.
    let function = unsafe { CStr::from_ptr(function) }.to_string_lossy();
    fatal(&format!("{function} is left out of raceproof's HClib: docs/HCLIB.md lists what there is"));
}
