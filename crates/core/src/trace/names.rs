//! What the ids of a trace are called.

use crate::ids::{Location, SiteId, SyncId, TaskId};

/// Something that has a name in a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Named {
    Task(TaskId),
    Sync(SyncId),
    Location(Location),
    /// `file:line:column`, or whatever the recorder calls a place.
    Site(SiteId),
}

/// The names of a trace, by dense id; what has none gets one from its number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    tasks: Vec<Box<str>>,
    syncs: Vec<Box<str>>,
    locations: Vec<Box<str>>,
    sites: Vec<Box<str>>,
}

impl Names {
    pub fn set(&mut self, named: Named, name: &str) {
        let (table, at) = match named {
            Named::Task(id) => (&mut self.tasks, id.index()),
            Named::Sync(id) => (&mut self.syncs, id.index()),
            Named::Location(id) => (&mut self.locations, id.0 as usize),
            Named::Site(id) => (&mut self.sites, id.index()),
        };
        if at >= table.len() {
            table.resize(at + 1, "".into());
        }
        table[at] = name.into();
    }

    /// The name that was given, if any was.
    pub fn given(&self, named: Named) -> Option<&str> {
        let name = match named {
            Named::Task(id) => self.tasks.get(id.index()),
            Named::Sync(id) => self.syncs.get(id.index()),
            Named::Location(id) => self.locations.get(id.0 as usize),
            Named::Site(id) => self.sites.get(id.index()),
        };
        name.map(|name| &**name).filter(|name| !name.is_empty())
    }

    pub fn of(&self, named: Named) -> String {
        match (self.given(named), named) {
            (Some(name), _) => name.to_owned(),
            (None, Named::Task(TaskId::MAIN)) => "main".to_owned(),
            (None, Named::Task(id)) => format!("T{}", id.0),
            (None, Named::Sync(id)) => format!("L{}", id.0),
            (None, Named::Location(id)) => format!("V{}", id.0),
            (None, Named::Site(id)) => format!("{}", id.0),
        }
    }
}
