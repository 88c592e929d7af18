//! What the rules of a front end allow two accesses that nothing orders: its excuses.
//!
//! Two accesses may be unordered and still unable to meet: a thread uses memory of its own, or the
//! rules give both to one thread in every execution. Which rules there are is the front end's
//! business. The detector asks the [`Policy`] that it is given, at the slow end of an access only,
//! before it reports a race; without a policy nothing is excused.

use super::{Detector, Task};
use crate::detect::cell::AccessId;
use crate::process::global::Global;

/// Two unordered accesses to one address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) earlier: AccessId,
    pub(crate) address: usize,
    /// The task of the earlier access, or the one that has joined it since.
    pub(crate) before: Task,
    /// The one that runs.
    pub(crate) now: Task,
    /// The task of the earlier access was joined: on which thread it ran is not known any more.
    pub(crate) is_folded: bool,
    /// No race between these two sites is known yet. Otherwise the policy need not search for an
    /// excuse that costs much.
    pub(crate) is_new: bool,
}

/// The rules of a front end. The module `tasks` has those of OpenMP and of rayon.
///
/// The detector passes itself, so that a policy can ask it whose memory an address is and what it
/// knows of the two tasks. A policy does not report accesses.
pub(crate) trait Policy {
    /// Whether two unordered accesses cannot meet.
    fn excuses(&self, meeting: &Meeting, detector: &mut Detector) -> bool;

    /// Whether a block, allocated by a virtual thread in place of all threads beside it, belongs to
    /// that thread alone.
    fn is_own_block(&self, block: usize, thread: u32, detector: &Detector) -> bool;

    /// Whether a virtual thread owns the memory, so that its tasks use it in the order in which
    /// they ran: a recorded run leaves such accesses out.
    fn is_owned(&self, address: usize, thread: u32, detector: &Detector) -> bool;

    /// Whether the policy has excused accesses for no other reason than that both tasks ran on one
    /// thread and asked which: another assignment of work to threads may have a race.
    fn depends_on_assignment(&self) -> bool;
}

/// What the front end says of the program before it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Premises {
    /// The runtime sees all stores that atomic accesses may read from.
    pub(crate) sees_all_stores: bool,
    /// It matters which one of several like tasks, all of which have ended, made an access: the
    /// collector keeps them apart.
    pub(crate) distinguishes_ended_tasks: bool,
}

static POLICY: Global<&'static dyn Policy> = Global::new();

/// Sets the policy, before the program runs.
pub(crate) fn set(policy: &'static dyn Policy) {
    POLICY.set(policy);
}

pub(super) fn excuses(meeting: &Meeting, detector: &mut Detector) -> bool {
    POLICY.find().is_some_and(|policy| policy.excuses(meeting, detector))
}

pub(super) fn is_own_block(block: usize, thread: u32, detector: &Detector) -> bool {
    POLICY.find().is_some_and(|policy| policy.is_own_block(block, thread, detector))
}

pub(super) fn is_owned(address: usize, thread: u32, detector: &Detector) -> bool {
    POLICY.find().is_some_and(|policy| policy.is_owned(address, thread, detector))
}

/// See [`Policy::depends_on_assignment`].
pub(crate) fn depends_on_assignment() -> bool {
    POLICY.find().is_some_and(|policy| policy.depends_on_assignment())
}
