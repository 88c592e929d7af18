//! Orders: who precedes whom, one order a file.
//!
//! Two families. Orders over the *steps* of a run, by its computation graph: `dpst`, `graph`,
//! `zippers`. And the *predictive* orders over its events, which differ in what they make of the
//! order in which tasks passed through locks and isolated sections: `hb`, `shb`, `wcp`, `dc`,
//! `weak`. Each of these is an [`Order`], and [`Predictor`](crate::detect::predict::Predictor) is
//! the detector that asks any of them.
//!
//! All predictive orders contain the *hard* order, which no schedule of the same tasks' actions can
//! change ([`hard`]): the order of one task's events, spawn before the child, the tasks of a finish
//! before its end, and `Signal` before `Join` of promises, futures, events and of the tokens of
//! semaphores as they were taken. Beyond that, from the strongest to the weakest:
//!
//! | order | sections of one lock | first race real | other races real |
//! | --- | --- | --- | --- |
//! | SHB | as observed, and each read after the write it saw | yes | yes |
//! | HB | as observed | yes | perhaps |
//! | WCP | if they conflict, with all that HB puts before and after | one lock: yes | perhaps |
//! | DC | if they conflict | one lock: yes | perhaps |
//! | weak | if one reads what the other writes | one lock: yes | perhaps |
//!
//! Every race of an order but SHB is a race of those below it; SHB finds a subset of HB's. "Real"
//! is about valid reorderings of the run: [`debug::witness`](crate::debug::witness) builds one and
//! [`debug::reordering`](crate::debug::reordering) checks it.
//!
//! To add a predictive order: implement [`Order`] and [`hard::OnHard`] in a file of its own, name
//! it in [`OrderName`], and give it to the tests of `orders.rs` with a definition to hold it to.

pub mod clock;
mod clock_tree;
pub mod compact;
pub mod conflicting;
pub mod dc;
pub mod dpst;
mod folds;
pub mod graph;
pub mod hard;
pub mod hb;
mod name;
mod past;
mod prune;
mod releases;
pub mod representative;
mod sections;
pub mod shb;
mod snapshot;
pub mod successors;
mod tree;
pub mod wcp;
pub mod weak;
pub mod zippers;

pub use name::{OrderName, WithOrder};

use crate::event::Observer;
use crate::ids::TaskId;
use clock::{Clock, Epoch};

/// A set of locks held, by the number its order gave it; `Guard::default()` where the order does
/// not ask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Guard(pub(crate) u32);

/// An order over the events of a run, computed while they come in.
///
/// *Now* is the access observed last; other questions are about the last event of a task.
pub trait Order: Observer {
    /// Whose access was observed last.
    fn now(&self) -> TaskId;

    /// When `task` is now; its events up to its next signal, spawn or leaving of a lock share the
    /// epoch.
    fn epoch_of(&self, task: TaskId) -> Epoch;

    /// Whether the events of `earlier`, an epoch taken before, precede what `task` did last.
    fn knows(&self, task: TaskId, earlier: Epoch) -> bool;

    /// When `task` is now and what it knows, if its accesses change neither: then this holds for
    /// all of them up to its next event of another kind. None for orders in which an access can
    /// order something.
    #[inline]
    fn steady(&self, _task: TaskId) -> Option<(Epoch, &Clock)> {
        None
    }

    /// When now is.
    #[inline]
    fn epoch(&self) -> Epoch {
        self.epoch_of(self.now())
    }

    /// Whether the events of `earlier` precede now.
    #[inline]
    fn precedes(&self, earlier: Epoch) -> bool {
        self.knows(self.now(), earlier)
    }

    /// The locks held now, for orders by which holding the same lock is all that keeps two accesses
    /// apart.
    #[inline]
    fn guard(&self) -> Guard {
        Guard::default()
    }

    /// Whether two guards have a lock in common.
    #[inline]
    fn share(&self, _: Guard, _: Guard) -> bool {
        false
    }

    /// Whether whoever holds no lock of `wide` holds none of `narrow`.
    #[inline]
    fn is_within(&self, narrow: Guard, wide: Guard) -> bool {
        narrow == wide
    }
}
