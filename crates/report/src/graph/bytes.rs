//! The accesses of a node by name. In a native program every byte is a location; of one access
//! that is as many as it has bytes, and they are shown as one.

use super::Picture;
use raceproof_core::event::AccessKind;
use raceproof_core::ids::{Location, NodeId, SiteId};

/// An access to a location, or to neighbouring bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NamedAccess {
    pub(super) kind: AccessKind,
    pub(super) site: SiteId,
    pub(super) atomic: bool,
    first: String,
    /// The location and the name of the last byte.
    last: (Location, String),
}

impl NamedAccess {
    /// What is accessed: `x`, or bytes of something without a name, `heap@f.c:1+0..8`.
    pub(super) fn name(&self) -> String {
        let last = offset(&self.last.1).filter(|_| self.first != self.last.1);
        last.map_or_else(|| self.first.clone(), |(_, last)| format!("{}..{}", self.first, last + 1))
    }

    /// Takes one more byte in, if it is the next one of the same.
    fn extend(&mut self, location: Location, name: &str) -> bool {
        let is_next = match (offset(&self.last.1), offset(name)) {
            (Some((base, last)), Some((other, next))) => base == other && last.checked_add(1) == Some(next),
            _ => self.last.1 == name,
        };
        let extends = self.last.0.0.checked_add(1) == Some(location.0) && is_next;
        if extends {
            self.last = (location, name.to_owned());
        }
        extends
    }
}

/// `heap@f.c:1+3` as `heap@f.c:1` and 3.
fn offset(name: &str) -> Option<(&str, u64)> {
    let (base, offset) = name.rsplit_once('+')?;
    Some((base, offset.parse().ok()?))
}

impl Picture<'_> {
    /// What a node accesses, in the order of locations.
    pub(super) fn named_accesses(&self, id: NodeId) -> Vec<NamedAccess> {
        let mut all: Vec<NamedAccess> = Vec::new();
        let are_bytes = self.names.are_bytes();
        for access in self.graph.accesses(id) {
            let name = self.names.location(access.location);
            // The accesses of one byte stand together, so that those of the one before are near.
            let same = |known: &&mut NamedAccess| {
                (known.kind, known.site, known.atomic) == (access.kind, access.site, access.atomic)
            };
            let before = all.iter_mut().rev().take(NEAR).find(same).filter(|_| are_bytes);
            if before.is_some_and(|before| before.extend(access.location, &name)) {
                continue;
            }
            all.push(NamedAccess {
                kind: access.kind,
                site: access.site,
                atomic: access.atomic,
                first: name.clone(),
                last: (access.location, name),
            });
        }
        all
    }
}

/// How many accesses of one byte are looked at.
const NEAR: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn access(location: u64, name: &str) -> NamedAccess {
        NamedAccess {
            kind: AccessKind::Write,
            site: SiteId(1),
            atomic: false,
            first: name.into(),
            last: (Location(location), name.into()),
        }
    }

    #[test]
    fn neighbouring_bytes_are_one_access() {
        let mut x = access(3, "x");
        assert!(x.extend(Location(4), "x") && x.extend(Location(5), "x"));
        assert!(!x.extend(Location(7), "x") && !x.extend(Location(6), "y"));
        assert_eq!(x.name(), "x");
        let mut heap = access(8, "heap@f.c:1+4");
        assert_eq!(heap.name(), "heap@f.c:1+4");
        assert!(heap.extend(Location(9), "heap@f.c:1+5") && !heap.extend(Location(10), "heap@f.c:1+7"));
        assert_eq!(heap.name(), "heap@f.c:1+4..6");
    }
}
