//! The interpreter: runs the tasks of a TP program on the runtime.
//!
//! A task between two turns is a [`TpTask`], a small heap object with its frames and locals: a TP
//! task never needs a machine stack of its own, so a million of them can wait at once, and no
//! recursion of the program can overflow anything. Every action goes through the kernel and is
//! simply executed again when the kernel says `Retry`: operands stay on the stack until it is done.

use super::ast::{BinaryOp, UnaryOp};
use super::calls::{CallList, Caller, Calls};
use super::code::{Code, Op};
use super::fault::{Fault, FaultKind, Limit};
use super::flow::{Begun, Flow};
use super::limits::{MAX_CALLS, MAX_LIVE_TASKS};
use super::value::{MAX_CELLS, Memory, Value};
use raceproof::kernel::{Action, Fault as Misuse, Kernel, Stop};
use raceproof::limits::Limits;
use raceproof::run::{Machine, Outcome};
use raceproof_core::event::{AccessKind, Observer};
use raceproof_core::ids::{Location, SiteId, SyncId, TaskId};
use std::fmt::Write as _;

/// Loop iterations, calls and spawns between two checks of the clock and of the memory in use.
const TICKS: u32 = 1 << 16;

/// How much of what a program prints is kept, in bytes.
const MAX_OUTPUT: usize = 1 << 24;
const CUT: &str = "… (the rest of what the program prints is not kept)\n";

/// The state of a suspended task. A million of them can be live: every byte counts.
#[derive(Debug)]
pub struct TpTask {
    pc: u32,
    /// Where the frame of the innermost call begins in `stack`.
    base: u32,
    unit: u32,
    /// The sync of a future, or `NO_FUTURE`.
    future: u32,
    /// The calls that have not returned.
    calls: CallList,
    stack: Vec<Value>,
}

const NO_FUTURE: u32 = u32::MAX;

const _: () = assert!(size_of::<TpTask>() <= 48);

impl TpTask {
    fn new(entry: u32, unit: u32, future: Option<SyncId>, stack: Vec<Value>) -> Self {
        let future = future.map_or(NO_FUTURE, |sync| sync.0);
        TpTask { pc: entry, base: 0, unit, future, calls: CallList::EMPTY, stack }
    }

    /// The instruction it is at.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// The sync that its end signals, if it is a future.
    pub fn future(&self) -> Option<SyncId> {
        (self.future != NO_FUTURE).then_some(SyncId(self.future))
    }

    /// The site of the instruction the task is at, if it has one: what it waits at.
    pub fn site(&self, code: &Code) -> Option<SiteId> {
        match code.ops[self.pc as usize] {
            Op::FinishEnd(site)
            | Op::IsolatedEnter(site)
            | Op::Lock { site, .. }
            | Op::Get(site)
            | Op::Await { site, .. }
            | Op::P { site, .. }
            | Op::Wait { site, .. } => Some(site),
            _ => None,
        }
    }
}

/// See the module.
pub struct Vm<'a> {
    pub(super) code: &'a Code,
    pub memory: Memory,
    /// The values of promises and futures that are set, by sync.
    pub(super) promised: Vec<Value>,
    /// Where each promise was made, by sync.
    made: Vec<SiteId>,
    locks: Vec<SyncId>,
    semaphores: Vec<SyncId>,
    events: Vec<SyncId>,
    limits: Limits<'a>,
    ticks: u32,
    /// How often the limits were checked, at the same points of the program in every run.
    pub looks: u64,
    pub reads: u64,
    pub writes: u64,
    /// What the program printed, if wanted.
    pub output: Option<String>,
    calls: Calls,
    spare_stacks: Vec<Vec<Value>>,
    pub(super) makers: Option<Makers>,
    /// Whether the observer is told which accesses are parts of additions.
    pub(super) tells_additions: bool,
    /// Assignments written as additions, by their task and where in its stack their place is, that
    /// have read another element than they will write: somebody changed the index in between.
    torn: Vec<(TaskId, usize)>,
    /// Which reads decide something, if wanted.
    pub(super) flow: Option<Box<Flow>>,
}

/// Who made the arrays, promises and futures of a run, in the order of their making.
#[derive(Clone, Debug, Default)]
pub(super) struct Makers {
    pub(super) arrays: Vec<TaskId>,
    pub(super) promises: Vec<(SyncId, TaskId)>,
}

/// Why the instruction at hand was not finished.
enum Halt {
    /// The kernel said so: to be executed again.
    Retry,
    Failed(Fault),
    Stopped(Fault),
}

type Done = Result<(), Halt>;

impl<'a> Vm<'a> {
    pub fn new(code: &'a Code, limits: Limits<'a>) -> Self {
        Vm {
            code,
            memory: Memory::new(code),
            promised: Vec::new(),
            made: Vec::new(),
            locks: Vec::new(),
            semaphores: Vec::new(),
            events: Vec::new(),
            limits,
            ticks: TICKS,
            looks: 0,
            reads: 0,
            writes: 0,
            output: None,
            calls: Calls::default(),
            spare_stacks: Vec::new(),
            makers: None,
            tells_additions: false,
            torn: Vec::new(),
            flow: None,
        }
    }

    /// The body of `main`.
    pub fn main(&self) -> TpTask {
        let unit = &self.code.units[self.code.main as usize];
        let stack = vec![Value::Int(0); unit.locals as usize];
        TpTask::new(unit.entry, self.code.main, None, stack)
    }

    /// Makes the declared locks, semaphores and events.
    pub fn declare<O: Observer>(&mut self, kernel: &mut Kernel<TpTask, O>) {
        self.locks = self.code.locks.iter().map(|_| kernel.new_lock()).collect();
        self.semaphores =
            self.code.semaphores.iter().map(|&(_, count)| kernel.new_semaphore(count)).collect();
        self.events = self.code.events.iter().map(|_| kernel.new_event()).collect();
    }

    /// Remembers who makes what, for [`end_state`](super::end_state).
    pub fn keep_makers(&mut self) {
        self.makers = Some(Makers::default());
    }

    /// What a sync is called in the program.
    pub fn sync_name(&self, sync: SyncId) -> Option<String> {
        let position = |all: &[SyncId]| all.iter().position(|&at| at == sync);
        if let Some(at) = position(&self.locks) {
            return Some(self.code.locks[at].clone());
        }
        if let Some(at) = position(&self.semaphores) {
            return Some(self.code.semaphores[at].0.clone());
        }
        position(&self.events).map(|at| self.code.events[at].clone())
    }

    /// The calls of a task that have not returned, innermost first: the unit called and the site of
    /// the call.
    pub fn calls(&self, body: &TpTask) -> impl Iterator<Item = (&'a str, SiteId)> + use<'_, 'a> {
        let code = self.code;
        let mut unit = body.unit;
        self.calls.iter(&body.calls).filter_map(move |caller| {
            let called = std::mem::replace(&mut unit, caller.unit);
            match code.ops[caller.pc as usize - 1] {
                Op::Call { site, .. } => Some((code.units[called as usize].name.as_str(), site)),
                _ => None,
            }
        })
    }

    /// Where a promise or future was made.
    pub fn made(&self, sync: SyncId) -> Option<SiteId> {
        self.made.get(sync.index()).copied()
    }

    fn note_made(&mut self, sync: SyncId, site: SiteId, maker: TaskId) {
        if let Some(makers) = &mut self.makers {
            makers.promises.push((sync, maker));
        }
        if self.made.len() <= sync.index() {
            self.made.resize(sync.index() + 1, SiteId(0));
            self.promised.resize(sync.index() + 1, Value::Int(0));
        }
        self.made[sync.index()] = site;
    }

    /// Now and then looks at the clock; called where a loop or a recursion comes by.
    #[inline]
    fn tick(&mut self) -> Done {
        self.ticks -= 1;
        if self.ticks == 0 { self.look_at_the_clock() } else { Ok(()) }
    }

    #[cold]
    fn look_at_the_clock(&mut self) -> Done {
        self.ticks = TICKS;
        self.looks += 1;
        match self.limits.reached_at(self.looks) {
            Some(reached) => Err(Halt::Stopped(Fault::reached(reached))),
            None => Ok(()),
        }
    }

    /// The body of a child whose first locals are the top `arguments` values of the parent's stack,
    /// which it takes.
    fn child(&mut self, parent: &mut Vec<Value>, unit: u32, future: Option<SyncId>) -> TpTask {
        let info = &self.code.units[unit as usize];
        let mut stack = self.spare_stacks.pop().unwrap_or_default();
        stack.reserve_exact(info.frame as usize);
        stack.extend(parent.drain(parent.len() - info.arguments as usize..));
        stack.resize(info.locals as usize, Value::Int(0));
        TpTask::new(info.entry, unit, future, stack)
    }

    fn run<O: Observer>(
        &mut self,
        body: &mut TpTask,
        kernel: &mut Kernel<TpTask, O>,
    ) -> Result<Outcome<Fault>, Halt> {
        let code = self.code;
        loop {
            let op = code.ops[body.pc as usize];
            if self.flow.is_some() {
                self.follow(op, body, kernel);
            }
            let stack = &mut body.stack;
            match op {
                Op::Int(value) => stack.push(Value::Int(value)),
                Op::Array(array) => stack.push(Value::Array(array)),
                Op::Local(slot) => stack.push(stack[(body.base + slot) as usize]),
                Op::SetLocal(slot) => {
                    let value = pop(stack);
                    stack[(body.base + slot) as usize] = value;
                }
                Op::Pop => drop(pop(stack)),
                Op::Load { location, site } => {
                    kernel.access(AccessKind::Read, Location(location.into()), site)?;
                    self.reads += 1;
                    stack.push(self.memory.get(location));
                }
                Op::Store { location, site } => {
                    kernel.access(AccessKind::Write, Location(location.into()), site)?;
                    self.writes += 1;
                    self.memory.set(location, pop(stack));
                }
                Op::LoadElement(site) => {
                    let at = stack.len() - 2;
                    let location = self.element(stack[at], stack[at + 1], site)?;
                    kernel.access(AccessKind::Read, Location(location.into()), site)?;
                    self.reads += 1;
                    stack.truncate(at + 1);
                    stack[at] = self.memory.get(location);
                }
                Op::StoreElement(site) => {
                    let at = stack.len() - 3;
                    let location = self.element(stack[at], stack[at + 1], site)?;
                    kernel.access(AccessKind::Write, Location(location.into()), site)?;
                    self.writes += 1;
                    self.memory.set(location, stack[at + 2]);
                    stack.truncate(at);
                }
                Op::LoadTerm { location, site } => {
                    self.addition(kernel, AccessKind::Read, location, site)?;
                    self.reads += 1;
                    stack.push(self.memory.get(location));
                }
                Op::StoreSum { location, site } => {
                    self.addition(kernel, AccessKind::Write, location, site)?;
                    self.writes += 1;
                    self.memory.set(location, pop(stack));
                }
                Op::LoadTermElement { below, site } => {
                    let (at, place) = (stack.len() - 2, stack.len() - below as usize);
                    let location = self.element(stack[at], stack[at + 1], site)?;
                    if stack[at..] == stack[place..place + 2] {
                        self.addition(kernel, AccessKind::Read, location, site)?;
                    } else {
                        kernel.access(AccessKind::Read, Location(location.into()), site)?;
                        self.torn.push((kernel.current(), place));
                    }
                    self.reads += 1;
                    stack.truncate(at + 1);
                    stack[at] = self.memory.get(location);
                }
                Op::StoreSumElement(site) => {
                    let at = stack.len() - 3;
                    let location = self.element(stack[at], stack[at + 1], site)?;
                    match self.torn.iter().position(|&torn| torn == (kernel.current(), at)) {
                        None => self.addition(kernel, AccessKind::Write, location, site)?,
                        Some(torn) => {
                            kernel.access(AccessKind::Write, Location(location.into()), site)?;
                            self.torn.swap_remove(torn);
                        }
                    }
                    self.writes += 1;
                    self.memory.set(location, stack[at + 2]);
                    stack.truncate(at);
                }
                Op::Unary(op, site) => {
                    let value = int(pop(stack), site)?;
                    stack.push(Value::Int(match op {
                        UnaryOp::Neg => value.wrapping_neg(),
                        UnaryOp::Not => i64::from(value == 0),
                    }));
                }
                Op::Binary(op, site) => {
                    let right = pop(stack);
                    let left = pop(stack);
                    stack.push(binary(op, left, right, site)?);
                }
                Op::Truth(site) => {
                    let value = int(pop(stack), site)?;
                    stack.push(Value::Int(i64::from(value != 0)));
                }
                Op::Jump(target) => {
                    body.pc = target;
                    continue;
                }
                Op::JumpBack(target) => {
                    self.tick()?;
                    body.pc = target;
                    continue;
                }
                Op::JumpIfFalse(target, site) => {
                    if int(pop(stack), site)? == 0 {
                        body.pc = target;
                        continue;
                    }
                }
                Op::JumpIfTrue(target, site) => {
                    if int(pop(stack), site)? != 0 {
                        body.pc = target;
                        continue;
                    }
                }
                Op::ForBegin { slot, site } => {
                    let to = int(pop(stack), site)?;
                    let from = int(pop(stack), site)?;
                    let at = (body.base + slot) as usize;
                    stack[at] = Value::Int(from);
                    stack[at + 1] = Value::Int(to);
                }
                Op::ForTest { slot, end } => {
                    let at = (body.base + slot) as usize;
                    let (Value::Int(counter), Value::Int(bound)) = (stack[at], stack[at + 1]) else {
                        unreachable!("ForBegin put numbers there")
                    };
                    if counter >= bound {
                        body.pc = end;
                        continue;
                    }
                    stack[at + 2] = stack[at];
                }
                Op::ForNext { slot, test } => {
                    self.tick()?;
                    let at = (body.base + slot) as usize;
                    let Value::Int(counter) = stack[at] else { unreachable!("ForBegin put a number there") };
                    stack[at] = Value::Int(counter + 1);
                    body.pc = test;
                    continue;
                }
                Op::Call { unit, site } => {
                    self.tick()?;
                    if body.calls.len() == MAX_CALLS {
                        return Err(Halt::Stopped(Fault::limit_at(Limit::Calls, site, "")));
                    }
                    let info = &code.units[unit as usize];
                    let caller = Caller { pc: body.pc + 1, base: body.base, unit: body.unit };
                    self.calls.push(&mut body.calls, caller);
                    body.base = stack.len() as u32 - info.arguments;
                    body.unit = unit;
                    stack.resize((body.base + info.locals) as usize, Value::Int(0));
                    body.pc = info.entry;
                    continue;
                }
                Op::Return => {
                    let value = pop(stack);
                    let Some(caller) = self.calls.pop(&mut body.calls) else {
                        return Ok(self.end(body, value));
                    };
                    stack.truncate(body.base as usize);
                    stack.push(value);
                    (body.pc, body.base, body.unit) = (caller.pc, caller.base, caller.unit);
                    continue;
                }
                Op::Spawn { unit, site } => {
                    self.may_spawn(kernel, site)?;
                    kernel.spawn(site, |_| self.child(stack, unit, None)).map_err(|stop| halt(stop, site))?;
                }
                Op::Future { unit, site } => {
                    self.may_spawn(kernel, site)?;
                    let sync = kernel.new_future();
                    self.note_made(sync, site, kernel.current());
                    kernel
                        .spawn(site, |_| self.child(stack, unit, Some(sync)))
                        .map_err(|stop| halt(stop, site))?;
                    stack.push(Value::Future(sync));
                }
                Op::FinishBegin(site) => {
                    kernel.finish_begin().map_err(|stop| halt(stop, site))?;
                }
                Op::FinishEnd(_) => kernel.finish_end()?,
                Op::IsolatedEnter(_) => kernel.isolated_enter()?,
                Op::IsolatedLeave => kernel.isolated_leave(),
                Op::Lock { lock, site } => {
                    kernel.lock(self.locks[lock as usize]).map_err(|stop| halt(stop, site))?;
                }
                Op::Unlock(lock) => kernel.unlock(self.locks[lock as usize]),
                Op::Set(site) => {
                    let at = stack.len() - 2;
                    let sync = match stack[at] {
                        Value::Promise(sync) => sync,
                        Value::Future(_) => {
                            return Err(Halt::Failed(Fault::new(FaultKind::SetOnFuture, site)));
                        }
                        other => return Err(Halt::Failed(Fault::not_a_promise(other, site))),
                    };
                    kernel.set(sync).map_err(|stop| halt(stop, site))?;
                    self.promised[sync.index()] = stack[at + 1];
                    stack.truncate(at);
                }
                Op::Get(site) => {
                    let at = stack.len() - 1;
                    // Where it must not wait at all is judged before what it would wait for.
                    kernel.outside_isolated().map_err(|stop| halt(stop, site))?;
                    let sync = awaitable(stack[at], site)?;
                    kernel.get(sync).map_err(|stop| halt(stop, site))?;
                    stack[at] = self.promised[sync.index()];
                }
                Op::CheckAwaitable(site) => {
                    awaitable(stack[stack.len() - 1], site)?;
                }
                Op::Await { slot, site } => {
                    kernel.get(awaitable(stack[(body.base + slot) as usize], site)?)?;
                }
                Op::P { semaphore, site } => {
                    let sync = self.semaphores[semaphore as usize];
                    kernel.acquire_token(sync).map_err(|stop| halt(stop, site))?;
                }
                Op::V { semaphore, .. } => kernel.release_token(self.semaphores[semaphore as usize])?,
                Op::Post { event, .. } => kernel.post(self.events[event as usize])?,
                Op::Wait { event, site } => {
                    kernel.get(self.events[event as usize]).map_err(|stop| halt(stop, site))?;
                }
                Op::Print(count) => {
                    let at = stack.len() - count as usize;
                    if let Some(output) = &mut self.output {
                        print(output, &stack[at..]);
                    }
                    stack.truncate(at);
                }
                Op::Assert(site) => {
                    if int(pop(stack), site)? == 0 {
                        return Err(Halt::Failed(Fault::new(FaultKind::Assertion, site)));
                    }
                }
                Op::New(site) => {
                    let size = int(pop(stack), site)?;
                    let Ok(size) = u64::try_from(size) else {
                        return Err(Halt::Failed(Fault::with(
                            FaultKind::NegativeSize,
                            site,
                            size.to_string(),
                        )));
                    };
                    let Some(array) = self.memory.allocate(size, site) else {
                        let more =
                            format!("{size} more after {}, at most {MAX_CELLS} in all", self.memory.cells());
                        return Err(Halt::Stopped(Fault::limit_at(Limit::Cells, site, &more)));
                    };
                    if let Some(makers) = &mut self.makers {
                        makers.arrays.push(kernel.current());
                    }
                    kernel.observer.fresh(Location(self.memory.array(array).base.into()));
                    stack.push(Value::Array(array));
                }
                Op::Len(site) => match pop(stack) {
                    Value::Array(array) => stack.push(Value::Int(self.memory.array(array).len.into())),
                    other => return Err(Halt::Failed(Fault::not_an_array(other, site))),
                },
                Op::Promise(site) => {
                    let sync = kernel.new_promise();
                    self.note_made(sync, site, kernel.current());
                    stack.push(Value::Promise(sync));
                }
            }
            body.pc += 1;
            if matches!(
                op,
                Op::Spawn { .. } | Op::Future { .. } | Op::Set(_) | Op::V { .. } | Op::Post { .. }
            ) && kernel.gives_way()
            {
                return Ok(Outcome::Suspended);
            }
        }
    }

    /// Notifies the record of deciding reads that an instruction begins.
    #[cold]
    fn follow<O: Observer>(&mut self, op: Op, body: &TpTask, kernel: &Kernel<TpTask, O>) {
        let begun = Begun {
            task: kernel.current(),
            op,
            base: body.base as usize,
            outermost: body.calls.len() == 0,
            future: body.future(),
            next_task: TaskId::at(kernel.tasks().len()),
        };
        if let Some(flow) = &mut self.flow {
            flow.begin(begun, &body.stack, &self.memory, self.code);
        }
    }

    fn may_spawn<O: Observer>(&self, kernel: &mut Kernel<TpTask, O>, site: SiteId) -> Done {
        kernel.outside_isolated().map_err(|stop| halt(stop, site))?;
        if kernel.tasks().live() >= MAX_LIVE_TASKS {
            return Err(Halt::Stopped(Fault::limit_at(Limit::Tasks, site, "")));
        }
        Ok(kernel.may_act(Action::Spawn)?)
    }

    fn end(&mut self, body: &mut TpTask, value: Value) -> Outcome<Fault> {
        if let Some(sync) = body.future() {
            self.promised[sync.index()] = value;
        }
        // Deep recursion must not make every later task's stack deep.
        let mut stack = std::mem::take(&mut body.stack);
        if stack.capacity() <= 64 && self.spare_stacks.len() < 64 {
            stack.clear();
            self.spare_stacks.push(stack);
        }
        Outcome::Ended(body.future())
    }

    /// An access of an addition.
    #[inline]
    fn addition<O: Observer>(
        &self,
        kernel: &mut Kernel<TpTask, O>,
        kind: AccessKind,
        location: u32,
        site: SiteId,
    ) -> Result<(), Stop> {
        let location = Location(location.into());
        if self.tells_additions {
            kernel.addition(kind, location, site)
        } else {
            kernel.access(kind, location, site)
        }
    }

    /// The location of an element.
    #[inline]
    fn element(&self, base: Value, index: Value, site: SiteId) -> Result<u32, Halt> {
        let Value::Array(array) = base else { return Err(Halt::Failed(Fault::not_an_array(base, site))) };
        let index = int(index, site)?;
        let array = self.memory.array(array);
        if index < 0 || index >= i64::from(array.len) {
            let what = format!("index {index} of an array of {}", array.len);
            return Err(Halt::Failed(Fault::with(FaultKind::Bounds, site, what)));
        }
        Ok(array.base + index as u32)
    }
}

impl<O: Observer> Machine<O> for Vm<'_> {
    type Body = TpTask;
    type Error = Fault;

    fn resume(&mut self, body: &mut TpTask, kernel: &mut Kernel<TpTask, O>) -> Outcome<Fault> {
        let done = self.run(body, kernel);
        if let Some(flow) = &mut self.flow {
            match done {
                Err(Halt::Retry) => flow.take_back(),
                _ => flow.commit(self.code),
            }
        }
        match done {
            Ok(outcome) => outcome,
            Err(Halt::Retry) => Outcome::Suspended,
            Err(Halt::Failed(fault)) => Outcome::Failed(fault),
            Err(Halt::Stopped(fault)) => Outcome::Stopped(fault),
        }
    }
}

impl From<Stop> for Halt {
    #[inline]
    fn from(stop: Stop) -> Self {
        debug_assert!(stop == Stop::Retry, "operations that can be misused name their site");
        Halt::Retry
    }
}

fn halt(stop: Stop, site: SiteId) -> Halt {
    let kind = match stop {
        Stop::Retry => return Halt::Retry,
        Stop::Fault(Misuse::ForbiddenInIsolated) => FaultKind::ForbiddenInIsolated,
        Stop::Fault(Misuse::LockHeld) => FaultKind::LockHeld,
        Stop::Fault(Misuse::SecondSet) => FaultKind::SecondSet,
    };
    Halt::Failed(Fault::new(kind, site))
}

#[inline]
fn pop(stack: &mut Vec<Value>) -> Value {
    stack.pop().expect("the compiler balances the stack")
}

#[inline]
fn int(value: Value, site: SiteId) -> Result<i64, Halt> {
    match value {
        Value::Int(value) => Ok(value),
        other => Err(Halt::Failed(Fault::with(FaultKind::ReferenceArithmetic, site, other.kind().into()))),
    }
}

fn awaitable(value: Value, site: SiteId) -> Result<SyncId, Halt> {
    match value {
        Value::Promise(sync) | Value::Future(sync) => Ok(sync),
        other => Err(Halt::Failed(Fault::not_a_promise(other, site))),
    }
}

#[inline]
fn binary(op: BinaryOp, left: Value, right: Value, site: SiteId) -> Result<Value, Halt> {
    // Identity is the one thing that can be asked of references.
    if let BinaryOp::Eq | BinaryOp::Ne = op {
        return Ok(Value::Int(i64::from((left == right) == (op == BinaryOp::Eq))));
    }
    let (left, right) = (int(left, site)?, int(right, site)?);
    Ok(Value::Int(match op {
        BinaryOp::Lt => i64::from(left < right),
        BinaryOp::Le => i64::from(left <= right),
        BinaryOp::Gt => i64::from(left > right),
        BinaryOp::Ge => i64::from(left >= right),
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::Div | BinaryOp::Rem if right == 0 => {
            return Err(Halt::Failed(Fault::new(FaultKind::Division, site)));
        }
        BinaryOp::Div => left.wrapping_div(right),
        BinaryOp::Rem => left.wrapping_rem(right),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or => {
            unreachable!("handled above or compiled to jumps")
        }
    }))
}

fn print(output: &mut String, values: &[Value]) {
    if output.len() >= MAX_OUTPUT {
        if !output.ends_with(CUT) {
            output.push_str(CUT);
        }
        return;
    }
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            output.push(' ');
        }
        // Writing to a string cannot fail.
        let _ = match value {
            Value::Int(value) => write!(output, "{value}"),
            reference => write!(output, "<{}>", reference.kind()),
        };
    }
    output.push('\n');
}
