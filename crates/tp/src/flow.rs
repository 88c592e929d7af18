//! Which reads of a run decided something: a branch, an index, a bound, a size, an assertion.
//!
//! Every value has a *tag*: the reads it was made of. A read makes a new one, which remembers the
//! tag of what was stored in the cell; an operation joins those of its operands; an assignment, a
//! call, a spawn, a promise carry them along. When a value decides, all reads behind it are marked,
//! through locals and through shared cells. Netzer's event-control dependences (Definition 3.12)
//! are then exact as far as data goes: what a branch leads to follows in its task anyway.
//!
//! The tags lie beside the stacks of the tasks. An instruction is accounted for once it is known to
//! be done: when the next one begins, or the turn ends; one that has to be tried again is not.
//! Cost: some nanoseconds an instruction and eight bytes a read, and only if it is asked for.

use super::ast::BinaryOp;
use super::code::{Code, Op};
use super::value::{Memory, Value};
use raceproof_core::ids::{SyncId, TaskId};
use rustc_hash::FxHashMap;

/// Of a value that no read is behind.
const PLAIN: u32 = 0;

/// What has to be known of an instruction before it is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    pub(super) task: TaskId,
    pub(super) op: Op,
    /// Where the frame begins.
    pub(super) base: usize,
    /// Whether the task is in no call, and the sync of the future it is.
    pub(super) outermost: bool,
    pub(super) future: Option<SyncId>,
    /// The task that a spawn would begin.
    pub(super) next_task: TaskId,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    begun: Begun,
    /// The cell it accesses, and the sync it sets or gets.
    location: u32,
    sync: Option<SyncId>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Flow {
    /// By tag: the tags it was made of.
    parents: Vec<[u32; 2]>,
    decided: Vec<bool>,
    /// By number of the read: its tag.
    reads: Vec<u32>,
    cells: FxHashMap<u32, u32>,
    promised: FxHashMap<SyncId, u32>,
    stacks: Vec<Vec<u32>>,
    pending: Option<Pending>,
}

impl Default for Flow {
    fn default() -> Self {
        Flow {
            parents: vec![[PLAIN; 2]],
            decided: vec![true],
            reads: Vec::new(),
            cells: FxHashMap::default(),
            promised: FxHashMap::default(),
            stacks: Vec::new(),
            pending: None,
        }
    }
}

impl Flow {
    /// By number of the read: whether what was read decided something.
    pub(super) fn uses(&self) -> Vec<bool> {
        self.reads.iter().map(|&tag| self.decided[tag as usize]).collect()
    }

    /// An instruction begins; the one before it is done.
    pub(super) fn begin(&mut self, begun: Begun, stack: &[Value], memory: &Memory, code: &Code) {
        self.commit(code);
        let task = begun.task.index();
        if task >= self.stacks.len() {
            self.stacks.resize(task + 1, Vec::new());
        }
        self.stacks[task].resize(stack.len(), PLAIN);
        let top = |below: usize| stack.len().checked_sub(below).map(|at| stack[at]);
        let element = |base: Option<Value>, index: Option<Value>| match (base, index) {
            (Some(Value::Array(array)), Some(Value::Int(index))) => {
                memory.array(array).base.wrapping_add(index as u32)
            }
            _ => 0,
        };
        let location = match begun.op {
            Op::Load { location, .. }
            | Op::Store { location, .. }
            | Op::LoadTerm { location, .. }
            | Op::StoreSum { location, .. } => location,
            Op::LoadElement(_) | Op::LoadTermElement { .. } => element(top(2), top(1)),
            Op::StoreElement(_) | Op::StoreSumElement(_) => element(top(3), top(2)),
            _ => 0,
        };
        let sync = match (begun.op, top(1), top(2)) {
            (Op::Get(_), Some(Value::Promise(sync) | Value::Future(sync)), _)
            | (Op::Set(_), _, Some(Value::Promise(sync))) => Some(sync),
            _ => None,
        };
        self.pending = Some(Pending { begun, location, sync });
    }

    /// The instruction that began last has to be tried again.
    pub(super) fn take_back(&mut self) {
        self.pending = None;
    }

    /// The instruction that began last is done.
    pub(super) fn commit(&mut self, code: &Code) {
        let Some(Pending { begun, location, sync }) = self.pending.take() else { return };
        let mut stack = std::mem::take(&mut self.stacks[begun.task.index()]);
        self.done(begun, location, sync, &mut stack, code);
        self.stacks[begun.task.index()] = stack;
    }

    fn done(&mut self, begun: Begun, location: u32, sync: Option<SyncId>, stack: &mut Vec<u32>, code: &Code) {
        let base = begun.base;
        match begun.op {
            Op::Int(_) | Op::Array(_) | Op::Promise(_) => stack.push(PLAIN),
            Op::Local(slot) => stack.push(stack[base + slot as usize]),
            Op::SetLocal(slot) => stack[base + slot as usize] = pop(stack),
            Op::Pop => drop(stack.pop()),
            Op::Load { .. } | Op::LoadTerm { .. } => {
                let tag = self.read(location);
                stack.push(tag);
            }
            Op::Store { .. } | Op::StoreSum { .. } => drop(self.cells.insert(location, pop(stack))),
            Op::LoadElement(_) | Op::LoadTermElement { .. } => {
                self.decide_top(stack, 2);
                let tag = self.read(location);
                stack.push(tag);
            }
            Op::StoreElement(_) | Op::StoreSumElement(_) => {
                self.cells.insert(location, pop(stack));
                self.decide_top(stack, 2);
            }
            Op::Unary(..) | Op::Truth(_) => {}
            Op::Binary(op, _) => {
                let (right, left) = (pop(stack), pop(stack));
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
                    // Whether it fails.
                    self.decide(right);
                }
                let tag = self.join(left, right);
                stack.push(tag);
            }
            Op::JumpIfFalse(..) | Op::JumpIfTrue(..) | Op::Assert(_) => self.decide_top(stack, 1),
            Op::ForBegin { slot, .. } => {
                let (to, from) = (pop(stack), pop(stack));
                let at = base + slot as usize;
                (stack[at], stack[at + 1]) = (from, to);
            }
            Op::ForTest { slot, .. } => {
                let at = base + slot as usize;
                self.decide(stack[at]);
                self.decide(stack[at + 1]);
                stack[at + 2] = stack[at];
            }
            Op::Return => {
                let value = pop(stack);
                if begun.outermost {
                    if let Some(sync) = begun.future {
                        self.promised.insert(sync, value);
                    }
                    stack.clear();
                } else {
                    stack.truncate(base);
                    stack.push(value);
                }
            }
            Op::Spawn { unit, .. } | Op::Future { unit, .. } => {
                let arguments = code.units[unit as usize].arguments as usize;
                let child = begun.next_task.index();
                if child >= self.stacks.len() {
                    self.stacks.resize(child + 1, Vec::new());
                }
                self.stacks[child] = stack.split_off(stack.len().saturating_sub(arguments));
                if matches!(begun.op, Op::Future { .. }) {
                    stack.push(PLAIN);
                }
            }
            Op::Set(_) => {
                let value = pop(stack);
                self.decide_top(stack, 1);
                if let Some(sync) = sync {
                    self.promised.insert(sync, value);
                }
            }
            Op::Get(_) => {
                self.decide_top(stack, 1);
                stack.push(sync.and_then(|sync| self.promised.get(&sync).copied()).unwrap_or(PLAIN));
            }
            Op::New(_) | Op::Len(_) => {
                self.decide_top(stack, 1);
                stack.push(PLAIN);
            }
            Op::CheckAwaitable(_) => {
                let tag = stack.last().copied().unwrap_or(PLAIN);
                self.decide(tag);
            }
            Op::Await { slot, .. } => self.decide(stack[base + slot as usize]),
            Op::Print(count) => stack.truncate(stack.len().saturating_sub(count as usize)),
            // The arguments stay where they are; what is new of the frame is plain.
            Op::Call { .. }
            | Op::Jump(_)
            | Op::JumpBack(_)
            | Op::ForNext { .. }
            | Op::FinishBegin(_)
            | Op::FinishEnd(_)
            | Op::IsolatedEnter(_)
            | Op::IsolatedLeave
            | Op::Lock { .. }
            | Op::Unlock(_)
            | Op::P { .. }
            | Op::V { .. }
            | Op::Post { .. }
            | Op::Wait { .. } => {}
        }
    }

    fn tag(&mut self, parents: [u32; 2]) -> u32 {
        self.parents.push(parents);
        self.decided.push(false);
        self.parents.len() as u32 - 1
    }

    fn read(&mut self, location: u32) -> u32 {
        let stored = self.cells.get(&location).copied().unwrap_or(PLAIN);
        let tag = self.tag([stored, PLAIN]);
        self.reads.push(tag);
        tag
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (PLAIN, one) | (one, PLAIN) => one,
            (a, b) if a == b => a,
            both => self.tag(both.into()),
        }
    }

    fn decide_top(&mut self, stack: &mut Vec<u32>, count: usize) {
        for _ in 0..count {
            let tag = pop(stack);
            self.decide(tag);
        }
    }

    /// Marks all that is behind a value that decides. Every tag is marked once.
    fn decide(&mut self, tag: u32) {
        let mut open = vec![tag];
        while let Some(tag) = open.pop() {
            if !std::mem::replace(&mut self.decided[tag as usize], true) {
                open.extend(self.parents[tag as usize]);
            }
        }
    }
}

fn pop(stack: &mut Vec<u32>) -> u32 {
    stack.pop().unwrap_or(PLAIN)
}
