//! Regions: tasks that are waited for together, and what they do when they panic.

use crate::runtime;
use std::any::Any;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;

pub(crate) type Panic = Box<dyn Any + Send>;

/// A region of the running task. Its end is reached on every way out, since what may panic is
/// caught.
pub(crate) struct Region(*mut c_void);

// SAFETY: the runtime runs all tasks on one OS thread, and a region is used by the tasks it waits
// for.
unsafe impl Send for Region {}
// SAFETY: the runtime runs all tasks on one OS thread, so that no two use a region at the same
// time.
unsafe impl Sync for Region {}

impl Region {
    #[inline(always)]
    pub(crate) fn begin() -> Self {
        Region(runtime::begin())
    }

    /// Spawns a task that runs the body with the data.
    ///
    /// # Safety
    /// The data are valid until the region has ended.
    #[inline(always)]
    pub(crate) unsafe fn spawn<T>(&self, pool: u32, worker: u32, later: bool, task: RegionTask<T>) {
        // SAFETY: the caller's promise; the region waits for the task.
        unsafe { runtime::spawn(self.0, task.body, task.data, pool, worker, later) }
    }

    pub(crate) fn panicked(&self, panic: Panic) {
        let panic = Box::into_raw(Box::new(panic));
        // SAFETY: the region is alive: it waits for the caller, or is the caller's. A panic that is
        // not the first is dropped.
        unsafe {
            if !runtime::panicked(self.0, panic.cast()) {
                drop(Box::from_raw(panic));
            }
        }
    }

    /// Waits for the tasks; the first of their panics.
    #[inline(always)]
    pub(crate) fn end(self) -> Option<Panic> {
        // SAFETY: regions of a task end in the order opposite to that in which they began, and this
        // one is given up here.
        let panic = unsafe { runtime::end(self.0) };
        // SAFETY: the runtime returns the pointer that `panicked` passed to it, once.
        (!panic.is_null()).then(|| *unsafe { Box::from_raw(panic.cast::<Panic>()) })
    }
}

/// What a task does, with data of one type.
pub(crate) struct RegionTask<T> {
    body: extern "C" fn(*mut c_void),
    data: *mut c_void,
    of: PhantomData<*mut T>,
}

/// Something that can be run once, where it stands.
pub(crate) trait RunOnce {
    /// Does not unwind.
    fn run(&mut self);
}

impl<T: RunOnce> RegionTask<T> {
    /// Runs what somebody else keeps.
    #[inline(always)]
    pub(crate) fn at(data: &mut T) -> Self {
        extern "C" fn body<T: RunOnce>(data: *mut c_void) {
            // SAFETY: whoever spawns the task promises that the data live, and leaves them to it.
            unsafe { &mut *data.cast::<T>() }.run()
        }
        RegionTask { body: body::<T>, data: ptr::from_mut(data).cast(), of: PhantomData }
    }

    /// Runs what is the task's own.
    #[inline(always)]
    pub(crate) fn owned(data: T) -> Self {
        extern "C" fn body<T: RunOnce>(data: *mut c_void) {
            // SAFETY: made below, and run once.
            unsafe { Box::from_raw(data.cast::<T>()) }.run()
        }
        RegionTask { body: body::<T>, data: Box::into_raw(Box::new(data)).cast(), of: PhantomData }
    }

    /// Spawns it as a task that nobody waits for.
    ///
    /// # Safety
    /// The data are its own, and refer to nothing that can end.
    #[inline(always)]
    pub(crate) unsafe fn spawn_alone(self, pool: u32, worker: u32) {
        // SAFETY: the caller's promise.
        unsafe { runtime::spawn(ptr::null_mut(), self.body, self.data, pool, worker, false) }
    }
}

/// A function to be called by a task, and then its result. In two places, neither of which says
/// whether there is anything: all know.
pub(crate) struct Call<F, R> {
    function: ManuallyDrop<F>,
    result: MaybeUninit<Result<R, Panic>>,
}

impl<F: FnOnce() -> R, R> Call<F, R> {
    #[inline(always)]
    pub(crate) fn new(function: F) -> Self {
        Call { function: ManuallyDrop::new(function), result: MaybeUninit::uninit() }
    }

    /// The result.
    ///
    /// # Safety
    /// It was run, once.
    #[inline(always)]
    pub(crate) unsafe fn result(self) -> Result<R, Panic> {
        // SAFETY: `run` has put it there; it is taken once, since this takes the whole.
        unsafe { self.result.assume_init() }
    }
}

impl<F: FnOnce() -> R, R> RunOnce for Call<F, R> {
    #[inline(always)]
    fn run(&mut self) {
        // SAFETY: it is run once, and not dropped.
        self.result = MaybeUninit::new(unsafe { call(&raw const *self.function) });
    }
}

/// Calls a function where it stands, and catches its panic.
///
/// # Safety
/// The function is there, and nobody uses it any more, nor drops it.
#[inline(always)]
pub(crate) unsafe fn call<F: FnOnce() -> R, R>(function: *const F) -> Result<R, Panic> {
    // SAFETY: the caller's promise.
    catch_unwind(AssertUnwindSafe(move || unsafe { function.read() }()))
}

/// Runs a function on a thread of the pool, and waits for it; on this one if that is one of them.
#[inline(always)]
pub(crate) fn install<R: Send>(pool: u32, function: impl FnOnce() -> R + Send) -> R {
    if runtime::worker().is_some_and(|(own, _)| own == pool) {
        return function();
    }
    let region = Region::begin();
    let mut call = Call::new(function);
    // SAFETY: the data live on this stack until the region has ended.
    unsafe { region.spawn(pool, runtime::ANY, false, RegionTask::at(&mut call)) };
    region.end();
    // SAFETY: the region has waited for it.
    unsafe { call.result() }.unwrap_or_else(|panic| resume_unwind(panic))
}

/// The pool that the caller belongs to, or the global one.
#[inline(always)]
pub(crate) fn current_pool() -> u32 {
    runtime::worker().map_or(0, |(pool, _)| pool)
}
