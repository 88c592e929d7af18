//! What a state of a run consists of. Everything here can be cloned, compared and hashed; nothing
//! here acts.
//!
//! There is deliberately no lock table and no counter of a `finish`: who holds a lock and which
//! tasks a `finish` still waits for is read off the tasks that are alive, so it cannot get out of
//! step with them.

use raceproof_tp::ast::{Block, Expr, Loop, Stmt};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A byte offset of the source.
pub type Pos = u32;

/// A piece of the syntax tree, compared by its address: two equal texts at two places are two
/// things.
pub struct Node<'p, T>(pub &'p T);

impl<T> Clone for Node<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Node<'_, T> {}
impl<T> PartialEq for Node<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl<T> Eq for Node<'_, T> {}
impl<T> Hash for Node<'_, T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        std::ptr::from_ref(self.0).hash(hasher);
    }
}

/// Tasks, arrays and promises are numbered in the order in which the exploration first meets their
/// *name*, and the name does not depend on the schedule (see `names.rs`): the same number is the
/// same thing in every state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromiseId(pub u32);
/// Locks, semaphores and events are numbered as declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Declared(pub usize);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Int(i64),
    Array(ArrayId),
    Promise(PromiseId),
}

/// Shared cells: a `var` array, what `new` returned, or a shared scalar as an array of one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Array {
    /// Where the `new` stands; `None` for a `var`.
    pub allocated_at: Option<Pos>,
    pub cells: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Promise {
    pub is_future: bool,
    pub value: Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    pub array: ArrayId,
    pub index: usize,
}

/// The `depth`-th finish (from 1) that `task` has open. It keeps this name for as long as it is
/// open.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Finish {
    pub task: TaskId,
    pub depth: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State<'p> {
    /// The tasks that have not ended.
    pub tasks: BTreeMap<TaskId, Rc<Task<'p>>>,
    pub arrays: BTreeMap<ArrayId, Rc<Array>>,
    pub promises: BTreeMap<PromiseId, Promise>,
    pub semaphores: Vec<i64>,
    pub posted: Vec<bool>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Task<'p> {
    /// The visible action it takes next, operands evaluated. All local work before it is done.
    pub next: Action<'p>,
    /// What is left to do after `next`, the nearest last.
    pub control: Vec<Do<'p>>,
    /// Operands evaluated so far.
    pub operands: Vec<Value>,
    /// The locals of the running call, the innermost last.
    pub locals: Vec<(&'p str, Value)>,
    /// The finish it was started in.
    pub started_in: Option<Finish>,
    pub open_finishes: u32,
    /// Nesting depth of `isolated`.
    pub isolated: u32,
    pub locks: Vec<Declared>,
    /// Where the result of a future goes.
    pub result: Option<PromiseId>,
    /// How many it has made so far; the next one is named by that.
    pub children: u32,
    pub arrays: u32,
    pub promises: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Action<'p> {
    Read(Location, Pos),
    Write(Location, Value, Pos),
    Spawn(Box<Spawn<'p>>),
    /// The first action of a task started with `async await`.
    Await(Vec<PromiseId>, Pos),
    Set(PromiseId, Value, Pos),
    Get(PromiseId, Pos),
    EnterIsolated(Pos),
    LeaveIsolated,
    Acquire(Declared, Pos),
    Release(Declared),
    P(Declared, Pos),
    V(Declared),
    Post(Declared),
    Wait(Declared, Pos),
    EndFinish(Pos),
    /// The end of the task, with the value of its body.
    End(Value),
    Fail(ErrorKind, Pos),
    /// Local work without end (or more of it than the oracle is ready to do).
    Diverge,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Spawn<'p> {
    pub body: Node<'p, Block>,
    pub locals: Vec<(&'p str, Value)>,
    pub awaits: Vec<PromiseId>,
    pub is_future: bool,
    pub pos: Pos,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ErrorKind {
    Assertion,
    SecondSet,
    Bounds,
    Division,
    ForbiddenInIsolated,
    LockHeld,
    NotAPromise,
    SetOnFuture,
    NotAnArray,
    ReferenceArithmetic,
    NegativeSize,
}

impl ErrorKind {
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Assertion => "assertion",
            ErrorKind::SecondSet => "second-set",
            ErrorKind::Bounds => "bounds",
            ErrorKind::Division => "division",
            ErrorKind::ForbiddenInIsolated => "forbidden-in-isolated",
            ErrorKind::LockHeld => "lock-held",
            ErrorKind::NotAPromise => "not-a-promise",
            ErrorKind::SetOnFuture => "set-on-future",
            ErrorKind::NotAnArray => "not-an-array",
            ErrorKind::ReferenceArithmetic => "reference-arithmetic",
            ErrorKind::NegativeSize => "negative-size",
        }
    }
}

/// One item of a continuation. Those that name an expression or a statement and are not `Eval` or
/// `Block` find its operands on the operand stack and do what is left of it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Do<'p> {
    /// The statements of a block from the given one on.
    Block(Node<'p, Block>, usize),
    /// The end of a block: forget the locals beyond this many.
    Scope(usize),
    Eval(Node<'p, Expr>),
    Push(Value),
    Drop(usize),

    Bind(&'p str),
    Assign(Node<'p, Expr>),
    Branch(Node<'p, Stmt>),
    While(Node<'p, Stmt>),
    WhileTest(Node<'p, Stmt>),
    ForBegin(Node<'p, Loop>, Each),
    ForNext(Node<'p, Loop>, Each, i64, i64),
    Async(Node<'p, Stmt>),
    Set(Node<'p, Stmt>),
    Assert(Node<'p, Stmt>),
    Return,

    Index(Node<'p, Expr>),
    Call(Node<'p, Expr>),
    New(Node<'p, Expr>),
    Len(Node<'p, Expr>),
    Get(Node<'p, Expr>),
    Operator(Node<'p, Expr>),
    ShortCircuit(Node<'p, Expr>),
    Truth(Node<'p, Expr>),

    /// Ends of what was opened; a `return` passes through them and drops everything else.
    EndFinish(Pos),
    LeaveIsolated,
    Release(Declared),
    /// The end of a call, with the locals of the caller.
    EndCall(Vec<(&'p str, Value)>),
    EndTask,
    Unwind(Value),
}

/// What a loop does with its body.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Each {
    Run,
    Spawn,
}
