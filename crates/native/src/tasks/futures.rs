//! Shared states of C++'s `<future>` (`crates/cc/include/std/future`): promises of the kernel with
//! owners.
//!
//! Setting the value happens before every wait that returns, and nothing else is ordered. What an
//! implementation has beside that (mutexes, counts of owners, a flag for the future that was taken)
//! is decided here, without accesses or atomic operations of the program. Where the outcome is the
//! schedule's choice, the verdict says so: a second set that the first does not precede, a wait
//! with a limit, a deferred function for which several threads wait.
//!
//! *Who owns a state last* destroys it, and that can be the schedule's choice. If destroying only
//! gives back memory, nobody can observe who does it: the frees are then not checked, and order
//! nothing. A destructor of the program's comes after everything that the other owners did, as the
//! standard asks for. If the last owner comes after all others anyway, it is the last one in every
//! schedule; otherwise the verdict is about the observed one.
//!
//! The state of `std::async` waits for its thread when it is destroyed. That orders nothing if the
//! owner comes after the set, which is the end of the thread: so if all who gave up a share did, it
//! makes no difference who was last.

use crate::detect::detector;
use crate::fatal;
use crate::process::call_site::caller;
use crate::report;
use crate::tasks::sched::{self, kernel};
use crate::tasks::waits::{self, What};
use crate::tasks::{explorer, promises, state, threads};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::SyncId;
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use std::mem::offset_of;
use std::time::{Duration, Instant};

/// What the header and the runtime know of a shared state; the header has the same. Only the
/// runtime writes it but for the functions.
#[repr(C)]
pub(crate) struct Shared {
    /// The number of the kernel's promise, and one more. Zero is none: it was made where no task
    /// runs.
    handle: u32,
    owners: u32,
    marks: Marks,
    /// By [`Detector::identity`](crate::detect::detector::Detector::identity): who sets it, and who
    /// has taken its future.
    setter: u64,
    retriever: u64,
    destroy: unsafe extern "C-unwind" fn(*mut Shared),
    /// The deferred function.
    run: Option<unsafe extern "C-unwind" fn(*mut Shared)>,
}

#[repr(C)]
#[derive(Default)]
struct Marks {
    /// Somebody sets it, or has.
    claimed: bool,
    /// The value is there. If it is set at the end of a thread, the promise may not be open yet.
    stored: bool,
    /// Tasks wait for either of these.
    awaited: bool,
    retrieved: bool,
    /// A share was given up; by a task that does not come after the set.
    released: bool,
    released_before_set: bool,
    frees: Frees,
    _unused: u8,
}

/// Whether destroying a state only gives back memory.
#[repr(u8)]
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Frees {
    /// It runs destructors of the program's, as long as there is a value.
    #[default]
    NotNow = 0,
    Only = 1,
    /// It does more than that, whatever the value.
    Never = 2,
    /// It waits for the thread that sets it.
    OnceSet = 3,
}

impl Frees {
    pub(crate) fn of(number: c_int) -> Frees {
        match number {
            0 => Frees::NotNow,
            1 => Frees::Only,
            3 => Frees::OnceSet,
            _ => Frees::Never,
        }
    }
}

const _: () = assert!(size_of::<Marks>() == 8 && offset_of!(Shared, setter) == 16);

/// What the module keeps.
#[derive(Default)]
pub(crate) struct Futures {
    /// The task that destroys a state, which only gives back memory.
    destroying: Option<u64>,
    /// By the addresses of states that do more: who has given up a share.
    releases: FxHashMap<usize, Releases>,
}

/// Whether memory is freed of which nobody else has ever known.
pub(super) fn is_destroying() -> bool {
    state().futures.destroying.is_some_and(|task| task == detector().identity())
}

/// What the tasks have signalled that have given up a share in a state.
#[derive(Default)]
struct Releases {
    syncs: Vec<SyncId>,
    /// Some are not in the list: one of them tells what others have signalled too.
    are_more: bool,
}

impl Releases {
    /// The list gets no longer than this.
    const MOST: usize = 1 << 10;

    /// The running task gives up a share.
    fn add(&mut self) {
        let own = detector().new_sync();
        match self.syncs.last().copied() {
            Some(before) if detector().comes_after(before) => {
                self.syncs.pop();
                detector().signal_sync(own);
                retire(before);
            }
            Some(before) if self.syncs.len() >= Self::MOST && !detector().is_recorded() => {
                self.syncs.pop();
                detector().signal_sync_after(own, before);
                retire(before);
                self.are_more = true;
            }
            _ => detector().signal_sync(own),
        }
        self.syncs.push(own);
    }

    /// Whether the running task comes after all of them.
    fn are_known(&self) -> bool {
        !self.are_more && self.syncs.iter().all(|&sync| detector().comes_after(sync))
    }

    fn join(&self) {
        self.syncs.iter().for_each(|&sync| detector().join_sync(sync));
    }
}

impl Drop for Releases {
    fn drop(&mut self) {
        self.syncs.drain(..).for_each(retire);
    }
}

/// Nobody joins it again. That of a run that is recorded is in its trace.
fn retire(sync: SyncId) {
    if !detector().is_recorded() {
        detector().retire_sync(sync);
    }
}

fn runs() -> bool {
    sched::job().is_some()
}

/// Something depends on the order of unordered operations.
fn depends_on_schedule() {
    detector().exclusive = true;
}

impl Shared {
    fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Makes the state one that is not set and has one owner.
    pub(crate) fn create(&mut self, frees: Frees) {
        self.owners = 1;
        self.marks = Marks { frees, ..Marks::default() };
        (self.setter, self.retriever) = (0, 0);
        self.handle = if runs() { promises::create_at(self.address(), caller()) } else { 0 };
    }

    /// The kernel's promise. One that was made before there were tasks is made now.
    fn sync(&mut self) -> Option<SyncId> {
        if !runs() {
            return None;
        }
        if self.handle == 0 {
            self.handle = promises::create_at(self.address(), caller());
            if self.marks.stored
                && let Some(sync) = promises::at(self.handle, self.address())
            {
                promises::set(sync, caller());
            }
        }
        promises::at(self.handle, self.address())
    }

    /// An operation whose order with others on the state may matter, for a search.
    fn order_matters(&self) {
        explorer::atomic(self.address(), 4, AccessKind::Write, caller());
    }

    // ---- setting it ----

    /// The running task is about to set it; false if it is set, or about to be.
    pub(crate) fn claim(&mut self) -> bool {
        if !runs() {
            return !std::mem::replace(&mut self.marks.claimed, true);
        }
        loop {
            self.order_matters();
            if !std::mem::replace(&mut self.marks.claimed, true) {
                self.setter = detector().identity();
                return true;
            }
            let sync = self.sync();
            if self.setter == detector().identity() || sync.is_some_and(promises::is_known) {
                return false;
            }
            depends_on_schedule();
            if self.marks.stored {
                // Both sets act as if they held one mutex, one after the other.
                if let Some(sync) = sync.filter(|&sync| kernel().is_open(sync)) {
                    promises::wait(sync);
                }
                return false;
            }
            self.marks.awaited = true;
            let marks = &raw const self.marks;
            waits::until(What::Once, self.address(), None, || {
                // SAFETY: the caller owns the state.
                let marks = unsafe { &*marks };
                marks.stored || !marks.claimed
            });
        }
    }

    /// The program's second set throws an exception, which a report shows with both places if
    /// nobody catches it.
    pub(crate) fn refused(&mut self) {
        if let Some(sync) = self.sync() {
            report::state().second_set = Some((detector().identity(), promises::places(sync)));
        }
    }

    /// The value could not be made.
    pub(crate) fn unclaim(&mut self) {
        self.marks.claimed = false;
        self.notify();
    }

    fn notify(&mut self) {
        if std::mem::take(&mut self.marks.awaited) {
            waits::notify(self.address());
        }
    }

    pub(crate) fn set(&mut self) {
        self.marks.stored = true;
        self.notify();
        if let Some(sync) = self.sync()
            && !promises::is_set_already(sync)
        {
            promises::set(sync, caller());
        }
    }

    /// Sets it when the running thread has ended but for this. `owns`: with a share in it until
    /// then.
    pub(crate) fn set_at_thread_exit(&mut self, owns: bool) {
        self.marks.stored = true;
        self.notify();
        if owns {
            self.owners += 1;
        }
        let set = if owns { set_and_release } else { set_only };
        threads::at_very_end(set, std::ptr::from_mut(self).cast(), caller());
    }

    /// The running thread will set it at its end.
    pub(crate) fn runs_in_this_thread(&mut self) {
        if let Some(sync) = self.sync() {
            self.setter = detector().identity();
            promises::belongs_to(sync, self.setter);
        }
    }

    // ---- waiting for it ----

    pub(crate) fn wait(&mut self) {
        if let Some(run) = self.run {
            if self.begins() {
                // SAFETY: the header's function, once.
                return unsafe { run(self) };
            }
            if runs() && self.setter != detector().identity() && !self.sync().is_some_and(promises::is_known)
            {
                // Another one of those who wait might have run it.
                depends_on_schedule();
            }
        }
        match self.sync() {
            Some(sync) => promises::wait(sync),
            None if self.marks.stored => {}
            None => fatal(
                "the program waits for a future where no task runs that could set it: at the exit, or before main",
            ),
        }
    }

    /// Whether the running task is the one that runs the deferred function.
    fn begins(&mut self) -> bool {
        if runs() && self.owners > 1 {
            self.order_matters();
        }
        let begins = !std::mem::replace(&mut self.marks.claimed, true);
        if begins {
            self.runs_in_this_thread();
        }
        begins
    }

    /// Waits so many nanoseconds at most.
    pub(crate) fn wait_for(&mut self, nanoseconds: i64) -> Status {
        if self.run.is_some() && !self.marks.claimed {
            if runs() && self.owners > 1 {
                depends_on_schedule();
                explorer::unexplored("the program asks whether a deferred function was run");
            }
            return Status::Deferred;
        }
        let Some(sync) = self.sync() else {
            return if self.marks.stored { Status::Ready } else { Status::Timeout };
        };
        if promises::is_known(sync) || promises::is_set(sync) {
            return Status::Ready;
        }
        let limit = Duration::from_nanos(nanoseconds.max(0) as u64);
        match limit.is_zero() {
            true => sched::give_way(),
            false => promises::wait_until(sync, Instant::now().checked_add(limit)),
        }
        // Those who ran meanwhile may have set it; otherwise the program looks again.
        if promises::is_set(sync) { Status::Ready } else { Status::Timeout }
    }

    // ---- its owners ----

    pub(crate) fn share(&mut self) {
        self.owners += 1;
    }

    /// Whether nobody has taken its future yet; it is taken now.
    pub(crate) fn retrieve(&mut self) -> bool {
        let is_first = !std::mem::replace(&mut self.marks.retrieved, true);
        if runs() {
            let own = detector().identity();
            match is_first {
                true => self.retriever = own,
                false if self.retriever != own => depends_on_schedule(),
                false => {}
            }
        }
        is_first
    }

    pub(crate) fn set_frees(&mut self, frees: Frees) {
        match (self.marks.frees, frees) {
            (Frees::Never, _) | (Frees::OnceSet, Frees::Only) => {}
            (Frees::OnceSet, _) => self.marks.frees = Frees::Never,
            _ => self.marks.frees = frees,
        }
    }

    /// Gives up a share in it. The last owner destroys it.
    ///
    /// # Safety
    /// The pointer is to a state of which the caller has a share.
    pub(crate) unsafe fn release(this: *mut Shared) {
        // SAFETY: the caller's promise.
        let state = unsafe { &mut *this };
        let is_observed = state.marks.frees != Frees::Only && runs();
        if is_observed && (state.owners > 1 || state.marks.released) {
            state.order_matters();
        }
        let waits = is_observed && state.marks.frees == Frees::OnceSet;
        if waits && !state.sync().is_some_and(promises::is_known) {
            state.marks.released_before_set = true;
        }
        state.owners -= 1;
        if state.owners > 0 {
            if is_observed {
                state.marks.released = true;
                self::state().futures.releases.entry(this as usize).or_default().add();
            }
            return;
        }
        let unchecked = runs() && (!is_observed || waits && !state.marks.released_before_set);
        if state.marks.released
            && let Some(releases) = self::state().futures.releases.remove(&(this as usize))
            && !unchecked
        {
            if !releases.are_known() {
                depends_on_schedule();
            }
            releases.join();
        }
        let sync = if runs() { promises::at(state.handle, this as usize) } else { None };
        if unchecked {
            detector().allocated(this as usize, block_size(this as usize));
        }
        let by = unchecked.then(|| detector().identity());
        let before = std::mem::replace(&mut self::state().futures.destroying, by);
        // SAFETY: the header's function, for the last owner.
        unsafe { (state.destroy)(this) };
        self::state().futures.destroying = before;
        if let Some(sync) = sync {
            promises::free(sync);
        }
    }
}

/// As `std::future_status`.
#[derive(Clone, Copy)]
#[repr(i32)]
pub(crate) enum Status {
    Ready = 0,
    Timeout = 1,
    Deferred = 2,
}

unsafe extern "C-unwind" fn set_only(state: *mut c_void) {
    // SAFETY: the state of a thread that its last owner joins.
    unsafe { (*state.cast::<Shared>()).set() };
}

unsafe extern "C-unwind" fn set_and_release(state: *mut c_void) {
    // SAFETY: the thread has had a share of its own.
    unsafe {
        (*state.cast::<Shared>()).set();
        Shared::release(state.cast());
    }
}

/// How much memory a block of the heap has.
fn block_size(address: usize) -> usize {
    detector().memory.find_live(address).map_or(0, |(_, block)| block.size)
}
