//! The excuses of the front ends, as policies of the detector: OpenMP's ([`openmp`]) and rayon's
//! ([`rayon`]).
//!
//! A virtual thread executes one task at a time. So unordered tasks of one thread do not race for
//! memory that is the thread's own, nor where a rule gives both to one thread in every execution.
//! [`Policy`] is what the detector asks; a new front end adds an implementation here.

mod openmp;
mod owned;
mod rayon;

use crate::detect::detector;
use crate::detect::policy::{self, Policy};
use crate::process::is_shared;
use crate::tasks::state;

/// Limit of words that one search of the heap visits.
const MOST: usize = 1 << 22;

/// What the policies keep.
#[derive(Default, Debug)]
pub(super) struct Excuses {
    openmp: openmp::State,
    owned: owned::Owned,
}

/// Gives the detector the policy of the program's front end. Programs that load the runtime as a
/// library are Rust programs, with no OpenMP in them.
pub(super) fn begin() {
    let policy: &'static dyn Policy = if is_shared() { &rayon::Rayon } else { &openmp::OpenMp };
    policy::set(policy);
}

/// A job begins or ends on a thread of a pool.
#[inline]
pub(super) fn switched_job(thread: u32) {
    state().excuses.owned.look_at_storage(thread, detector());
}

/// The program has got a block, whose memory may have been another's.
#[inline]
pub(super) fn allocated(block: usize) {
    let Excuses { openmp, owned } = &mut state().excuses;
    match is_shared() {
        true => owned.forget(block),
        false => openmp.forget(block),
    }
}

/// A word of the program's memory.
fn word(at: usize) -> usize {
    // SAFETY: the callers pass an aligned address in a thread's storage or in a block that the
    // program has allocated. Both are mapped, and the program does not run meanwhile.
    unsafe { (at as *const usize).read_volatile() }
}
