//! Doacross loops: `ordered(n)` with `depend(source)` and `depend(sink: …)`.

use crate::detect::detector;
use crate::tasks::explorer::{self, Bell};
use crate::tasks::omp::{team, thread};
use crate::tasks::sched::{self, wait_until};
use crate::tasks::state;
use raceproof_core::ids::SyncId;
use rustc_hash::FxHashMap;

/// `kmp_dim`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Dimension {
    lower: i64,
    upper: i64,
    stride: i64,
}

/// A loop nest the threads of a team share.
pub(crate) struct Shared {
    dimensions: Vec<Dimension>,
    /// Iterations that are posted, by their number, and what tells of it.
    posted: FxHashMap<u64, SyncId>,
    done: u32,
}

impl Shared {
    /// The number of an iteration; none if it is outside of the loops.
    fn number(&self, vector: &[i64]) -> Option<u64> {
        let mut number = 0u64;
        for (dimension, &value) in self.dimensions.iter().zip(vector) {
            let Dimension { lower, upper, stride } = *dimension;
            let (from, to) = if stride > 0 { (lower, upper) } else { (upper, lower) };
            if value < from || value > to {
                return None;
            }
            let length = to.abs_diff(from) / stride.unsigned_abs().max(1) + 1;
            let at = value.abs_diff(lower) / stride.unsigned_abs().max(1);
            number = number.wrapping_mul(length).wrapping_add(at);
        }
        Some(number)
    }
}

/// The running thread comes to a loop nest.
pub(crate) fn begin(dimensions: &[Dimension]) {
    let number = thread().doacrosses;
    team().doacross.entry(number).or_insert_with(|| Shared {
        dimensions: dimensions.to_vec(),
        posted: FxHashMap::default(),
        done: 0,
    });
}

fn shared() -> Option<&'static mut Shared> {
    let number = thread().doacrosses;
    team().doacross.get_mut(&number)
}

/// The iteration a vector names.
///
/// # Safety
/// The vector has as many entries as the loop nest is deep.
unsafe fn named(vector: *const i64) -> Option<u64> {
    let shared = shared()?;
    // SAFETY: the caller's promise.
    shared.number(unsafe { std::slice::from_raw_parts(vector, shared.dimensions.len()) })
}

/// What rings when an iteration is posted. Worksharing loops have smaller numbers.
fn bell(iteration: u64) -> Bell {
    let number = 1 << 32 | thread().doacrosses;
    Bell { team: std::ptr::from_mut(team()) as usize, number, iteration: iteration + 1 }
}

/// Waits for an iteration.
///
/// # Safety
/// As of [`named`].
pub(crate) unsafe fn wait(vector: *const i64) {
    // SAFETY: the caller's promise.
    let Some(iteration) = (unsafe { named(vector) }) else { return };
    let posted = || shared().and_then(|shared| shared.posted.get(&iteration).copied());
    if sched::job().is_some() {
        wait_until("an iteration that a depend(sink) names", bell(iteration), || posted().is_some());
    }
    if let Some(sync) = posted() {
        detector().join_sync(sync);
    }
}

/// An iteration has done what others wait for.
///
/// # Safety
/// As of [`named`].
pub(crate) unsafe fn post(vector: *const i64) {
    // SAFETY: the caller's promise.
    let Some(iteration) = (unsafe { named(vector) }) else { return };
    let sync = detector().new_sync();
    detector().signal_sync(sync);
    if let Some(shared) = shared() {
        shared.posted.insert(iteration, sync);
    }
    state().idle = 0;
    explorer::ring(bell(iteration));
}

/// The running thread is done with the loop nest.
pub(crate) fn end() {
    let number = thread().doacrosses;
    thread().doacrosses += 1;
    let size = team().size;
    if let Some(shared) = team().doacross.get_mut(&number) {
        shared.done += 1;
        if shared.done == size {
            team().doacross.remove(&number);
        }
    }
}
