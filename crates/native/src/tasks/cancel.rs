//! Cancellation: only where `OMP_CANCELLATION` asks for it, as the specification says.

use crate::detect::detector;
use crate::tasks::explorer;
use crate::tasks::omp::{scope, team, thread};
use crate::tasks::state;

/// The construct that is cancelled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancelled {
    Parallel,
    /// A worksharing loop, or `sections`.
    Worksharing,
    Taskgroup,
}

impl Cancelled {
    /// By libomp's number of the kind.
    pub(crate) fn of(kind: i32) -> Option<Self> {
        match kind {
            1 => Some(Cancelled::Parallel),
            2 | 3 => Some(Cancelled::Worksharing),
            4 => Some(Cancelled::Taskgroup),
            _ => None,
        }
    }
}

/// The loop the thread is in: the last it came to. Those of a static schedule have numbers of their
/// own.
fn this_loop() -> u64 {
    const STATIC: u64 = 1 << 63;
    thread().dispatch.last().map_or(STATIC | thread().static_loops, |cursor| cursor.number())
}

/// Cancels the innermost construct of a kind; whether cancellation is on.
pub(crate) fn cancel(construct: Option<Cancelled>) -> bool {
    if !state().omp.cancellation {
        return false;
    }
    // The schedule chooses which task is cancelled where.
    detector().exclusive = true;
    match construct {
        Some(Cancelled::Parallel) => team().cancelled = true,
        Some(Cancelled::Worksharing) => team().cancelled_loop = Some(this_loop()),
        Some(Cancelled::Taskgroup) => {
            if let Some(group) = scope().groups.last() {
                group.cancelled.set(true);
            }
        }
        None => {}
    }
    explorer::unexplored("the program cancels a construct");
    explorer::notify_all(std::ptr::from_mut(team()) as usize);
    true
}

/// Whether the innermost construct of a kind is cancelled.
pub(crate) fn is_cancelled(construct: Option<Cancelled>) -> bool {
    state().omp.cancellation
        && match construct {
            Some(Cancelled::Parallel) => team().cancelled,
            Some(Cancelled::Worksharing) => team().cancelled || team().cancelled_loop == Some(this_loop()),
            Some(Cancelled::Taskgroup) => scope().groups.last().is_some_and(|group| group.cancelled.get()),
            None => false,
        }
}
