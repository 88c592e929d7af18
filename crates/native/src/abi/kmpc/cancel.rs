//! Cancellation: only where `OMP_CANCELLATION` asks for it, as the specification says.

use super::Loc;
use crate::detect::detector;
use crate::search;
use crate::tasks;
use crate::tasks::omp::{self, scope, team, thread};

const PARALLEL: i32 = 1;
const LOOP: i32 = 2;
const SECTIONS: i32 = 3;
const TASKGROUP: i32 = 4;

/// The loop the thread is in: the last it came to.
fn this_loop() -> u64 {
    thread().dispatch.last().map_or(thread().loops, |cursor| cursor.number())
}

fn is_cancelled(kind: i32) -> bool {
    match kind {
        PARALLEL => team().cancelled,
        LOOP | SECTIONS => team().cancelled || team().cancelled_loop == Some(this_loop()),
        TASKGROUP => scope().groups.last().is_some_and(|group| group.cancelled.get()),
        _ => false,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel(_: Loc, _: i32, kind: i32) -> i32 {
    if !tasks::state().omp.cancellation {
        return 0;
    }
    // Who is cancelled where is the schedule's choice.
    detector().exclusive = true;
    match kind {
        PARALLEL => team().cancelled = true,
        LOOP | SECTIONS => team().cancelled_loop = Some(this_loop()),
        TASKGROUP => {
            if let Some(group) = scope().groups.last() {
                group.cancelled.set(true);
            }
        }
        _ => {}
    }
    search::unexplored("the program cancels a construct");
    search::ring_all(std::ptr::from_mut(team()) as usize);
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancellationpoint(_: Loc, _: i32, kind: i32) -> i32 {
    i32::from(tasks::state().omp.cancellation && is_cancelled(kind))
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel_barrier(_: Loc, _: i32) -> i32 {
    omp::barrier();
    i32::from(tasks::state().omp.cancellation && team().cancelled)
}
