//! Doacross loops: `ordered(n)` with `depend(source)` and `depend(sink: …)`.

use super::Loc;
use crate::search::{self, Bell};
use crate::tasks::omp::{team, thread};
use crate::tasks::sched::{self, wait_until};
use crate::world;
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

/// # Safety
/// `dimensions` is the compiler's array of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_init(_: Loc, _: i32, count: i32, dimensions: *const Dimension) {
    // SAFETY: as said above.
    let dimensions = unsafe { std::slice::from_raw_parts(dimensions, count.max(0) as usize) };
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
/// The vector is the compiler's, as long as the loop nest is deep.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_wait(_: Loc, _: i32, vector: *const i64) {
    // SAFETY: as said above.
    let Some(iteration) = (unsafe { named(vector) }) else { return };
    let posted = || shared().and_then(|shared| shared.posted.get(&iteration).copied());
    if sched::job().is_some() {
        wait_until("an iteration that a depend(sink) names", bell(iteration), || posted().is_some());
    }
    if let Some(sync) = posted() {
        world().detector.join_sync(sync);
    }
}

/// An iteration has done what others wait for.
///
/// # Safety
/// The vector is the compiler's, as long as the loop nest is deep.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_post(_: Loc, _: i32, vector: *const i64) {
    // SAFETY: as said above.
    let Some(iteration) = (unsafe { named(vector) }) else { return };
    let sync = world().detector.new_sync();
    world().detector.signal_sync(sync);
    if let Some(shared) = shared() {
        shared.posted.insert(iteration, sync);
    }
    world().idle = 0;
    search::ring(bell(iteration));
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_doacross_fini(_: Loc, _: i32) {
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
