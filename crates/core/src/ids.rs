//! Newtype ids, so that a task can never be passed where a step is meant.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a dense table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the entry at `index` of a dense table.
            ///
            /// Panics past 2³² − 1 entries: every such table would long have run out of memory.
            #[inline]
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 2^32 ids of one kind"))
            }
        }
    };
}

id! {
    /// A task, numbered densely in the order of creation; [`TaskId::MAIN`] is the root task.
    TaskId
}
id! {
    /// A step: a maximal run of one task's actions without a synchronisation in it, numbered
    /// densely in the order in which steps begin.
    StepId
}
id! {
    /// A node of the computation graph, numbered in the order of creation, which is a topological
    /// order.
    NodeId
}
id! {
    /// A finish scope, numbered densely in the order of opening; [`ScopeId::PROGRAM`] is the whole
    /// program.
    ScopeId
}
id! {
    /// Something tasks synchronise through: a promise, a future, a lock, one token of a semaphore,
    /// an event.
    SyncId
}
id! {
    /// A source site of an access or a spawn; the front end keeps the table that says where it is.
    SiteId
}

impl TaskId {
    pub const MAIN: TaskId = TaskId(0);
}

impl ScopeId {
    pub const PROGRAM: ScopeId = ScopeId(0);
}

/// A shared memory cell: the index of a TP cell, or a native address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Location(pub u64);
