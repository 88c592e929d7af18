//! Values, and the shared memory that holds them.

use super::code::{Code, Region};
use raceproof_core::ids::{Location, SiteId, SyncId};

/// A value of a TP program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    Int(i64),
    /// A reference to an array of shared cells, by its number in [`Memory`].
    Array(u32),
    Promise(SyncId),
    Future(SyncId),
}

impl Value {
    /// What kind of thing it is, for messages.
    pub fn kind(self) -> &'static str {
        match self {
            Value::Int(_) => "a number",
            Value::Array(_) => "an array",
            Value::Promise(_) => "a promise",
            Value::Future(_) => "a future",
        }
    }
}

/// Kinds and contents of the cells are kept apart: nine bytes a cell, and large arrays are not
/// touched before use.
#[derive(Clone, Debug)]
pub struct Memory {
    kinds: Vec<u8>,
    contents: Vec<i64>,
    arrays: Vec<Array>,
}

/// Where an array's cells are and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Array {
    pub base: u32,
    pub len: u32,
    origin: Origin,
}

#[derive(Clone, Copy, Debug)]
enum Origin {
    Declared(u32),
    New(SiteId),
}

/// The most cells a program may have, declared and new ones together.
pub const MAX_CELLS: usize = super::limits::MAX_SHARED_CELLS as usize;

impl Memory {
    /// The memory a program starts with.
    pub fn new(code: &Code) -> Self {
        let cells = code.cells();
        let mut memory = Memory { kinds: vec![0; cells], contents: vec![0; cells], arrays: Vec::new() };
        for region in code.regions.iter().filter(|region| region.init != 0) {
            let base = region.base as usize;
            memory.contents[base..base + region.len.unwrap_or(1) as usize].fill(region.init);
        }
        for &region in &code.arrays {
            let Region { base, len, .. } = code.regions[region as usize];
            memory.arrays.push(Array { base, len: len.unwrap_or(0), origin: Origin::Declared(region) });
        }
        memory
    }

    #[inline]
    pub fn get(&self, location: u32) -> Value {
        let content = self.contents[location as usize];
        match self.kinds[location as usize] {
            0 => Value::Int(content),
            1 => Value::Array(content as u32),
            2 => Value::Promise(SyncId(content as u32)),
            _ => Value::Future(SyncId(content as u32)),
        }
    }

    #[inline]
    pub fn set(&mut self, location: u32, value: Value) {
        let (kind, content) = match value {
            Value::Int(value) => (0, value),
            Value::Array(array) => (1, i64::from(array)),
            Value::Promise(sync) => (2, i64::from(sync.0)),
            Value::Future(sync) => (3, i64::from(sync.0)),
        };
        self.kinds[location as usize] = kind;
        self.contents[location as usize] = content;
    }

    #[inline]
    pub fn array(&self, array: u32) -> Array {
        self.arrays[array as usize]
    }

    /// A fresh array of zeros; `None` if there is no room for it.
    pub fn allocate(&mut self, len: u64, site: SiteId) -> Option<u32> {
        let base = self.contents.len();
        if len > (MAX_CELLS - base) as u64 {
            return None;
        }
        self.kinds.resize(base + len as usize, 0);
        self.contents.resize(base + len as usize, 0);
        self.arrays.push(Array { base: base as u32, len: len as u32, origin: Origin::New(site) });
        Some(self.arrays.len() as u32 - 1)
    }

    pub fn cells(&self) -> usize {
        self.contents.len()
    }

    /// The name of a cell: `x`, `a[3]`, `new@7[0]`.
    pub fn name(&self, code: &Code, location: Location) -> String {
        let cell = location.0 as u32;
        if (cell as usize) < code.cells() {
            let at = code.regions.partition_point(|region| region.base <= cell) - 1;
            let region = &code.regions[at];
            return match region.len {
                None => region.name.clone(),
                Some(_) => format!("{}[{}]", region.name, cell - region.base),
            };
        }
        // Empty arrays share the base of the next one; the last at or below the cell is the one
        // that has it.
        let at = self
            .arrays
            .partition_point(|array| matches!(array.origin, Origin::Declared(_)) || array.base <= cell)
            - 1;
        match self.arrays[at] {
            Array { base, origin: Origin::New(site), .. } => {
                format!("new@{}[{}]", code.sites[site.index()].line, cell - base)
            }
            Array { origin: Origin::Declared(region), .. } => code.regions[region as usize].name.clone(),
        }
    }
}
