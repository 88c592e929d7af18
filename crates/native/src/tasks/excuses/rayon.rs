//! What rayon allows: jobs of one worker do not race for what the worker owns, its thread-local
//! storage and heap memory that it reaches through that ([`owned`](super::owned)), nor for what was
//! handed to it.
//!
//! Two jobs of one thread that asked which thread they run on are excused as well: the number may
//! have led both here, and elsewhere they would have gone elsewhere. A verdict about a pool claims
//! no other size of the pool, nor what its threads take.

use crate::detect::detector::Detector;
use crate::detect::policy::{Meeting, Policy};
use crate::tasks::state;

pub(super) struct Rayon;

impl Policy for Rayon {
    fn excuses(&self, meeting: &Meeting, detector: &mut Detector) -> bool {
        let Meeting { address, before, now, is_folded, is_new, .. } = *meeting;
        let owned = &mut state().excuses.owned;
        let is_same_thread = before.thread == now.thread;
        if is_same_thread && before.asked && now.asked {
            return true;
        }
        (is_same_thread || is_folded)
            && (detector.is_private_to(address, now.thread)
                || owned.is_owned_by(address, now.thread, is_new, detector))
            || owned.is_handed_on(meeting, detector)
    }

    /// No construct of rayon has one thread act in place of others.
    fn is_own_block(&self, _: usize, _: u32, _: &Detector) -> bool {
        false
    }

    fn is_owned(&self, address: usize, thread: u32, detector: &Detector) -> bool {
        state().excuses.owned.is_owned_by(address, thread, true, detector)
    }

    fn depends_on_assignment(&self) -> bool {
        false
    }
}
