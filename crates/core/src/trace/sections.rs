//! Atomic accesses as sections, for analyses that do not know them.
//!
//! Each becomes an access in a section of a lock of its own for its location. That keeps atomic accesses apart from each other
//! and no others from them; it also orders them, as an analysis orders sections, where an atomic access by itself
//! orders nothing. So races may be missed, and none is added.

use crate::event::{Event, SyncKind};
use crate::ids::{Location, SyncId};
use rustc_hash::FxHashMap;

/// The events without atomic accesses.
pub fn atomics_as_sections(events: Vec<Event>) -> Vec<Event> {
    if !events.iter().any(|event| matches!(event, Event::Atomic { .. })) {
        return events;
    }
    let syncs = events.iter().map(|event| match *event {
        Event::Signal { sync, .. } | Event::Join { sync, .. } => sync.0 + 1,
        _ => 0,
    });
    let mut next = syncs.max().unwrap_or(0);
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
    out
}
