//! The default order, depth-first (Jin et al., ECOOP 2023, section 4.2): a spawned task runs at
//! once, before its parent goes on; a task that has to wait yields to its parent, or the closest
//! ancestor that can go on; a `set` runs those who waited for it, first come first, before the
//! setter goes on.
//!
//! Departures: if no ancestor can go on, the most recently suspended task does. And a task that
//! takes very many actions while others are ready is moved behind them, so that a task that spins
//! on a shared variable does not keep the one that would set it from running. The order stays
//! deterministic.

use super::{Last, Strategy, Turn};
use crate::kernel::Kernel;
use raceproof_core::event::Observer;

/// Actions in a row before others get their chance.
const QUANTUM: u64 = 1 << 20;

#[derive(Default, Debug)]
pub struct DepthFirst;

impl<B, O: Observer> Strategy<B, O> for DepthFirst {
    fn eager(&self) -> bool {
        true
    }

    #[inline]
    fn next(&mut self, kernel: &Kernel<B, O>, last: Last) -> Option<Turn> {
        let tasks = kernel.tasks();
        let task = match last {
            Last::Waits(task) => tasks.ready_ancestor(task).or(tasks.newest()),
            _ => tasks.newest(),
        };
        task.map(|task| Turn::actions(task, QUANTUM))
    }
}
