//! Events that tasks wait for and the kernel knows nothing of: the turn of an iteration in an
//! ordered loop, an iteration of a doacross loop, a local static that another task is about to
//! initialise.
//!
//! In a search no task may poll: one that polled too early would have to poll again, and the
//! schedule would have to choose when. So the task that makes the condition true notifies the
//! event, each notification is an event of the kernel, and a waiting task waits for the next one. A
//! task that finds the condition true already joins the last notification, since it could not have
//! run before that. The detector has its own order for these constructs, so the search hides the
//! kernel's events from it.

use super::{execution, label};
use crate::detect::detector;
use crate::tasks::explorer::WaitEvent;
use crate::tasks::sched::{self, job, kernel};
use raceproof_core::ids::SyncId;

/// The notifications of one event.
#[derive(Clone, Copy)]
pub(super) struct Notifications {
    last: Option<SyncId>,
    /// What waiting tasks wait for.
    next: SyncId,
    count: u32,
}

fn notifications(event: WaitEvent) -> Option<&'static mut Notifications> {
    // Before `main` there is no task that could wait.
    let execution = execution().filter(|_| job().is_some())?;
    let first = || Notifications { last: None, next: notification(event, 0), count: 0 };
    Some(execution.wait_events.entry(event).or_insert_with(first))
}

/// The kernel's event for a notification, labelled alike in every schedule: by the task that has
/// opened the team, or the memory that it is about.
fn notification(event: WaitEvent, count: u32) -> SyncId {
    let sync = kernel().new_event();
    if let Some(execution) = execution() {
        let opener = kernel().tasks().get(detector().running()).parent().filter(|_| !event.is_of_memory());
        let opener = opener.map_or(0, |task| execution.trace.names[task.index()].0);
        let name = opener ^ event.number.rotate_left(48) ^ event.iteration.rotate_left(24) ^ u64::from(count);
        execution.labels.insert(sync, label(name));
        execution.hidden.insert(sync);
    }
    sync
}

/// Waits for the next notification.
pub(super) fn wait(event: WaitEvent) {
    if let Some(notifications) = notifications(event) {
        let next = notifications.next;
        sched::wait(|kernel| kernel.get(next));
    }
}

/// Orders the running task after the last notification.
pub(super) fn join_last(event: WaitEvent) {
    if let Some(last) = notifications(event).and_then(|notifications| notifications.last) {
        sched::wait(|kernel| kernel.get(last));
    }
}

/// Notifies all events of a team that is cancelled: its threads may wait for what no task will do
/// any more.
pub(super) fn notify_all(team: usize) {
    let Some(execution) = execution() else { return };
    let of_team = execution.wait_events.keys().filter(|event| event.team == team);
    let mut events: Vec<WaitEvent> = of_team.copied().collect();
    events.sort_unstable();
    events.into_iter().for_each(notify);
}

pub(super) fn notify(event: WaitEvent) {
    if let Some(notifications) = notifications(event) {
        let now = notifications.next;
        notifications.count += 1;
        notifications.last = Some(now);
        notifications.next = notification(event, notifications.count);
        sched::wait(|kernel| kernel.post(now));
    }
}
