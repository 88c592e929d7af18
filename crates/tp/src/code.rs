//! The code of a TP program: a stack machine's instructions, and the tables they refer to.

use super::ast::{BinaryOp, UnaryOp};
use raceproof_core::ids::SiteId;

/// One instruction. Operands are taken from the top of the stack unless said otherwise; a `SiteId`
/// is where an access, a spawn or a program error is said to be.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Int(i64),
    /// A reference to an array that was declared.
    Array(u32),
    Local(u32),
    SetLocal(u32),
    Pop,
    /// A shared scalar, by its location.
    Load {
        location: u32,
        site: SiteId,
    },
    Store {
        location: u32,
        site: SiteId,
    },
    /// base index → value
    LoadElement(SiteId),
    /// base index value →
    StoreElement(SiteId),
    /// As `Load` and `Store`, of an [addition](super::additions).
    LoadTerm {
        location: u32,
        site: SiteId,
    },
    StoreSum {
        location: u32,
        site: SiteId,
    },
    /// As `LoadElement` and `StoreElement`, of an addition; base and index of the element to be
    /// stored are `below` values below the top.
    LoadTermElement {
        below: u32,
        site: SiteId,
    },
    StoreSumElement(SiteId),
    Unary(UnaryOp, SiteId),
    /// All but `&&` and `||`, which are jumps.
    Binary(BinaryOp, SiteId),
    /// value → 1 or 0
    Truth(SiteId),
    Jump(u32),
    /// Backwards, so that a loop that does nothing else can be stopped.
    JumpBack(u32),
    JumpIfFalse(u32, SiteId),
    JumpIfTrue(u32, SiteId),
    /// from to →; the locals `slot` and `slot + 1` become the counter and the bound.
    ForBegin {
        slot: u32,
        site: SiteId,
    },
    /// Leaves the loop if the counter has reached the bound; else the local `slot + 2` becomes the
    /// counter.
    ForTest {
        slot: u32,
        end: u32,
    },
    ForNext {
        slot: u32,
        test: u32,
    },
    /// The arguments become the first locals of the callee.
    Call {
        unit: u32,
        site: SiteId,
    },
    /// value →; from a proc to its caller, or the end of the task.
    Return,
    /// The captured values become the first locals of the child.
    Spawn {
        unit: u32,
        site: SiteId,
    },
    /// As `Spawn`, and the future is the result.
    Future {
        unit: u32,
        site: SiteId,
    },
    FinishBegin(SiteId),
    FinishEnd(SiteId),
    IsolatedEnter(SiteId),
    IsolatedLeave,
    Lock {
        lock: u32,
        site: SiteId,
    },
    Unlock(u32),
    /// promise value →
    Set(SiteId),
    /// promise → value
    Get(SiteId),
    /// Fails unless the top of the stack is a promise or future; leaves it there.
    CheckAwaitable(SiteId),
    /// In a child, before its body: waits for the promise in a local.
    Await {
        slot: u32,
        site: SiteId,
    },
    P {
        semaphore: u32,
        site: SiteId,
    },
    V {
        semaphore: u32,
        site: SiteId,
    },
    Post {
        event: u32,
        site: SiteId,
    },
    Wait {
        event: u32,
        site: SiteId,
    },
    Print(u32),
    Assert(SiteId),
    /// size → array
    New(SiteId),
    Len(SiteId),
    Promise(SiteId),
}

const _: () = assert!(size_of::<Op>() <= 16);

/// A proc, or the body of an `async` or `future`: what has a frame of its own.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The proc it is, or is in.
    pub name: String,
    pub entry: u32,
    /// How many values are handed to it: parameters or captured locals.
    pub arguments: u32,
    /// How many locals it has, the arguments included.
    pub locals: u32,
    /// The most values its frame holds, locals included.
    pub frame: u32,
}

/// Where something in the source is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteInfo {
    pub line: u32,
    pub column: u32,
}

/// Cells with one name: a shared scalar, or an array.
#[derive(Clone, Debug)]
pub struct Region {
    pub name: String,
    pub base: u32,
    /// None for a scalar.
    pub len: Option<u32>,
    pub init: i64,
}

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    pub units: Vec<Unit>,
    pub sites: Vec<SiteInfo>,
    /// The declared variables in the order of their cells.
    pub regions: Vec<Region>,
    /// The regions that are arrays, by the number `Op::Array` gives.
    pub arrays: Vec<u32>,
    pub locks: Vec<String>,
    pub semaphores: Vec<(String, u64)>,
    pub events: Vec<String>,
    /// The unit of `main`.
    pub main: u32,
}

impl Code {
    /// The cells of the declared variables.
    pub fn cells(&self) -> usize {
        self.regions.last().map_or(0, |last| (last.base + last.len.unwrap_or(1)) as usize)
    }
}
