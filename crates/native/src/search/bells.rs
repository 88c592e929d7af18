//! What tasks wait for without telling the kernel: the turn of an iteration in an ordered loop, an iteration of a doacross loop, a
//! local static that another task is about to initialise.
//!
//! In a search nobody may poll: a task that looked too early would have to be let look again, at a moment that the schedule would
//! have to choose. So whoever makes such a thing true rings a bell, which is an event of the kernel, and whoever waits for it
//! listens. Who finds it true already listens to the last ring as well: it could not have come before. The detector has its
//! own order for these constructs and is not told.

use super::{explored, label};
use crate::detect::detector;
use crate::tasks::explorer::Bell;
use crate::tasks::sched::{job, kernel, wait};
use raceproof_core::ids::SyncId;

/// The last ring of a bell, the next one, and how often it has rung.
#[derive(Clone, Copy)]
pub(super) struct Rings {
    last: Option<SyncId>,
    next: SyncId,
    count: u32,
}

fn rings(bell: Bell) -> Option<&'static mut Rings> {
    // Before `main` nobody waits.
    let explored = explored().filter(|_| job().is_some())?;
    Some(explored.bells.entry(bell).or_insert_with(|| Rings { last: None, next: event(bell, 0), count: 0 }))
}

/// A new event for a ring, by a name that is the same in every schedule: that of the task that has opened the team.
fn event(bell: Bell, count: u32) -> SyncId {
    let sync = kernel().new_event();
    if let Some(explored) = explored() {
        let opener = kernel().tasks().get(detector().running()).parent();
        let opener = opener.map_or(0, |task| explored.trace.names[task.index()].0);
        let name = opener ^ bell.number.rotate_left(48) ^ bell.iteration.rotate_left(24) ^ u64::from(count);
        explored.labels.insert(sync, label(name));
        explored.hidden.insert(sync);
    }
    sync
}

/// Waits for the next ring.
pub(crate) fn listen(bell: Bell) {
    if let Some(rings) = rings(bell) {
        let next = rings.next;
        wait(|kernel| kernel.get(next));
    }
}

/// What the running task does now comes after the last ring.
pub(crate) fn heard(bell: Bell) {
    if let Some(last) = rings(bell).and_then(|rings| rings.last) {
        wait(|kernel| kernel.get(last));
    }
}

/// Rings all bells of a team: what its threads wait for may not come any more.
pub(crate) fn ring_all(team: usize) {
    let Some(explored) = explored() else { return };
    let mut bells: Vec<Bell> = explored.bells.keys().filter(|bell| bell.team == team).copied().collect();
    bells.sort_unstable();
    bells.into_iter().for_each(ring);
}

pub(crate) fn ring(bell: Bell) {
    if let Some(rings) = rings(bell) {
        let now = rings.next;
        rings.count += 1;
        rings.last = Some(now);
        rings.next = event(bell, rings.count);
        wait(|kernel| kernel.post(now));
    }
}
