//! Atomic accesses as sections, for analyses that do not know them.
//!
//! Each becomes an access in a section of a lock of its own for its location. That keeps atomic
//! accesses apart from each other and no others from them; it also orders them, as an analysis
//! orders sections, where an atomic access by itself orders nothing. So races may be missed, and
//! none is added.

use crate::event::{Event, SyncKind};
use crate::ids::{Location, SyncId};
use rustc_hash::FxHashMap;

/// The events of a run without atomic accesses.
pub struct Sectioned {
    pub events: Vec<Event>,
    /// The locks from here on represent atomic accesses.
    first: u32,
}

impl Sectioned {
    /// Whether an event represents an atomic access.
    pub fn is_atomic(&self, event: u32) -> bool {
        let before = (event as usize).checked_sub(1).map(|before| &self.events[before]);
        matches!(before, Some(Event::Join { sync, .. }) if sync.0 >= self.first)
    }
}

/// See the module.
pub fn atomics_as_sections(events: Vec<Event>) -> Sectioned {
    let syncs = events.iter().map(|event| match *event {
        Event::Signal { sync, .. } | Event::Join { sync, .. } => sync.0 + 1,
        _ => 0,
    });
    let first = syncs.max().unwrap_or(0);
    if !events.iter().any(|event| matches!(event, Event::Atomic { .. })) {
        return Sectioned { events, first };
    }
    let mut next = first;
    let mut locks: FxHashMap<Location, SyncId> = FxHashMap::default();
    let mut out = Vec::with_capacity(events.len());
    for event in events {
        let Event::Atomic { task, kind, location, site } = event else {
            out.push(event);
            continue;
        };
        let sync = *locks.entry(location).or_insert_with(|| {
            next += 1;
            SyncId(next - 1)
        });
        out.push(Event::Join { task, sync, kind: SyncKind::Lock });
        out.push(Event::Access { task, kind, location, site });
        out.push(Event::Signal { task, sync, kind: SyncKind::Lock });
    }
    Sectioned { events: out, first }
}
