//! The local work of one task: everything between two visible actions.
//!
//! A plain evaluator of the syntax tree with an explicit continuation: each item says what to do
//! next and pushes what follows. It ends when a visible action is reached, with that action's
//! operands evaluated.

use super::names::Names;
use super::state::*;
use raceproof_tp::ast::{self, BinaryOp, Block, Expr, ExprKind, Proc, Program, StmtKind, UnaryOp};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// More local work than this between two visible actions counts as work without end.
const LOCAL_STEPS: usize = 100_000;
const LARGEST_ARRAY: i64 = 1 << 16;

/// A step of local work: a visible action was reached, or a program error, or neither.
type Reached<'p> = Result<Option<Action<'p>>, (ErrorKind, Pos)>;

/// The program with its names looked up. It must have passed the checks of the front end: a name
/// that means nothing is a panic here.
pub struct Machine<'p> {
    procs: FxHashMap<&'p str, &'p Proc>,
    vars: FxHashMap<&'p str, ArrayId>,
    pub locks: Vec<&'p str>,
    pub semaphores: Vec<&'p str>,
    pub events: Vec<&'p str>,
    pub names: Names,
    /// Local steps done and things copied so far: what an exploration costs.
    pub work: usize,
}

impl<'p> Machine<'p> {
    /// The machine and the state before the first action of `main`.
    pub fn new(program: &'p Program) -> (Machine<'p>, State<'p>) {
        let mut machine = Machine {
            procs: FxHashMap::default(),
            vars: FxHashMap::default(),
            locks: Vec::new(),
            semaphores: Vec::new(),
            events: Vec::new(),
            names: Names::default(),
            work: 0,
        };
        let mut state = State {
            tasks: Default::default(),
            arrays: Default::default(),
            promises: Default::default(),
            semaphores: Vec::new(),
            posted: Vec::new(),
        };
        for decl in &program.decls {
            let name = decl.name().name.as_str();
            match decl {
                ast::Decl::Var { kind, .. } => {
                    let (is_scalar, len, init) = match *kind {
                        ast::VarKind::Scalar { init } => (true, 1, init),
                        ast::VarKind::Array { len, init } => (false, len.max(0) as usize, init),
                    };
                    let id = ArrayId(machine.names.vars.len() as u32);
                    machine.names.vars.push(super::names::Var { name: name.to_string(), is_scalar });
                    machine.vars.insert(name, id);
                    let cells = vec![Value::Int(init); len];
                    state.arrays.insert(id, Rc::new(Array { allocated_at: None, cells }));
                }
                ast::Decl::Lock { .. } => machine.locks.push(name),
                ast::Decl::Sem { count, .. } => {
                    machine.semaphores.push(name);
                    state.semaphores.push(*count);
                }
                ast::Decl::Event { .. } => {
                    machine.events.push(name);
                    state.posted.push(false);
                }
                ast::Decl::Proc(proc) => {
                    machine.procs.insert(name, proc);
                }
            }
        }
        let main = machine.procs["main"];
        let mut root = Task::new(&main.body, Vec::new(), None, None);
        machine.run(&mut state, Names::ROOT, &mut root);
        state.tasks.insert(Names::ROOT, Rc::new(root));
        (machine, state)
    }

    /// Does the local work of `task`, which is not in `state` meanwhile, up to its next visible
    /// action. Only its own fresh arrays and promises are added to the state: nobody else knows
    /// them yet.
    pub fn run(&mut self, state: &mut State<'p>, id: TaskId, task: &mut Task<'p>) {
        for _ in 0..LOCAL_STEPS {
            self.work += 1;
            match self.step(state, id, task) {
                Ok(None) => {}
                Ok(Some(action)) => return task.next = action,
                Err((kind, pos)) => return task.next = Action::Fail(kind, pos),
            }
        }
        // It never moves again; whatever it has piled up does not matter.
        task.next = Action::Diverge;
        task.control.clear();
        task.operands.clear();
        task.locals.clear();
    }

    fn step(&mut self, state: &mut State<'p>, id: TaskId, task: &mut Task<'p>) -> Reached<'p> {
        match task.control.pop().expect("EndTask is the last item and is never passed") {
            Do::Block(block, at) => {
                if let Some(stmt) = block.0.stmts.get(at) {
                    task.control.push(Do::Block(block, at + 1));
                    return self.statement(task, stmt);
                }
            }
            Do::Scope(len) => task.locals.truncate(len),
            Do::Eval(expr) => return self.expression(state, id, task, expr.0),
            Do::Push(value) => task.operands.push(value),
            Do::Drop(count) => {
                let len = task.operands.len() - count;
                task.operands.truncate(len);
            }
            Do::Bind(name) => {
                let value = task.pop();
                task.locals.push((name, value));
            }
            Do::Assign(place) => return self.assign(state, task, place.0),
            Do::Branch(stmt) => {
                let StmtKind::If(condition, then, otherwise) = &stmt.0.kind else { unreachable!() };
                if task.pop_condition(condition)? {
                    task.push_block(then);
                } else if let Some(otherwise) = otherwise {
                    task.push_block(otherwise);
                }
            }
            Do::While(stmt) => {
                let StmtKind::While(condition, _) = &stmt.0.kind else { unreachable!() };
                task.control.push(Do::WhileTest(stmt));
                task.push_eval(condition);
            }
            Do::WhileTest(stmt) => {
                let StmtKind::While(condition, body) = &stmt.0.kind else { unreachable!() };
                if task.pop_condition(condition)? {
                    task.control.push(Do::While(stmt));
                    task.push_block(body);
                }
            }
            Do::ForBegin(each, how) => {
                let (to, from) = (task.pop(), task.pop());
                let from = integer(from, &each.0.from)?;
                let to = integer(to, &each.0.to)?;
                task.control.push(Do::ForNext(each, how, from, to));
            }
            Do::ForNext(each, how, at, to) => {
                if at < to {
                    task.control.push(Do::ForNext(each, how, at + 1, to));
                    // The variable is a fresh local of every round: assigning it changes nothing
                    // else.
                    task.control.push(Do::Scope(task.locals.len()));
                    task.locals.push((&each.0.var.name, Value::Int(at)));
                    match how {
                        Each::Run => task.push_block(&each.0.body),
                        Each::Spawn => {
                            let pos = each.0.body.span.start;
                            return Ok(Some(task.spawn(&each.0.body, Vec::new(), false, pos)));
                        }
                    }
                }
            }
            Do::Async(stmt) => {
                let StmtKind::Async { awaits, body } = &stmt.0.kind else { unreachable!() };
                let values = task.operands.split_off(task.operands.len() - awaits.len());
                task.forbid_in_isolated(stmt.0.span.start)?;
                let mut promises = Vec::new();
                for (value, operand) in values.into_iter().zip(awaits) {
                    promises.push(promise(value, operand.span.start)?);
                }
                return Ok(Some(task.spawn(body, promises, false, stmt.0.span.start)));
            }
            Do::Set(stmt) => {
                let pos = stmt.0.span.start;
                let (value, target) = (task.pop(), task.pop());
                let target = promise(target, pos)?;
                if state.promises[&target].is_future {
                    return Err((ErrorKind::SetOnFuture, pos));
                }
                return Ok(Some(Action::Set(target, value, pos)));
            }
            Do::Assert(stmt) => {
                let StmtKind::Assert(condition) = &stmt.0.kind else { unreachable!() };
                if !task.pop_condition(condition)? {
                    return Err((ErrorKind::Assertion, stmt.0.span.start));
                }
            }
            Do::Return => {
                let value = task.pop();
                task.control.push(Do::Unwind(value));
            }
            Do::Index(expr) => {
                let (index, base) = (task.pop(), task.pop());
                let location = element(state, base, index, expr.0)?;
                return Ok(Some(Action::Read(location, expr.0.span.start)));
            }
            Do::Call(expr) => {
                let ExprKind::Call(name, args) = &expr.0.kind else { unreachable!() };
                let proc = self.procs[name.name.as_str()];
                let args = task.operands.split_off(task.operands.len() - args.len());
                let params = proc.params.iter().map(|param| param.name.as_str());
                let callers = std::mem::replace(&mut task.locals, params.zip(args).collect());
                task.control.push(Do::EndCall(callers));
                task.push_block(&proc.body);
            }
            Do::New(expr) => {
                let ExprKind::New(size) = &expr.0.kind else { unreachable!() };
                let len = integer(task.pop(), size)?;
                if len < 0 {
                    return Err((ErrorKind::NegativeSize, expr.0.span.start));
                }
                if len > LARGEST_ARRAY {
                    return Ok(Some(Action::Diverge));
                }
                task.arrays += 1;
                let array = self.names.array(id, task.arrays);
                let cells = vec![Value::Int(0); len as usize];
                let allocated_at = Some(expr.0.span.start);
                state.arrays.insert(array, Rc::new(Array { allocated_at, cells }));
                task.operands.push(Value::Array(array));
            }
            Do::Len(expr) => match task.pop() {
                Value::Array(array) => {
                    let len = state.arrays[&array].cells.len() as i64;
                    task.operands.push(Value::Int(len));
                }
                _ => return Err((ErrorKind::NotAnArray, expr.0.span.start)),
            },
            Do::Get(expr) => {
                let pos = expr.0.span.start;
                let target = task.pop();
                task.forbid_in_isolated(pos)?;
                return Ok(Some(Action::Get(promise(target, pos)?, pos)));
            }
            Do::Operator(expr) => operator(task, expr.0)?,
            Do::ShortCircuit(expr) => {
                let ExprKind::Binary(op, left, right) = &expr.0.kind else { unreachable!() };
                let left = task.pop_condition(left)?;
                if left == (*op == BinaryOp::Or) {
                    task.operands.push(Value::Int(left.into()));
                } else {
                    task.control.push(Do::Truth(Node(right)));
                    task.push_eval(right);
                }
            }
            Do::Truth(expr) => {
                let value = task.pop_condition(expr.0)?;
                task.operands.push(Value::Int(value.into()));
            }
            Do::EndFinish(pos) => return Ok(Some(Action::EndFinish(pos))),
            Do::LeaveIsolated if task.isolated > 1 => task.isolated -= 1,
            Do::LeaveIsolated => return Ok(Some(Action::LeaveIsolated)),
            Do::Release(lock) => return Ok(Some(Action::Release(lock))),
            Do::EndCall(callers) => {
                task.locals = callers;
                task.operands.push(Value::Int(0));
            }
            Do::EndTask => return Ok(Some(Action::End(Value::Int(0)))),
            Do::Unwind(value) => match task.control.pop().expect("EndTask is not passed") {
                Do::EndCall(callers) => {
                    task.locals = callers;
                    task.operands.push(value);
                }
                Do::EndTask => return Ok(Some(Action::End(value))),
                end @ (Do::EndFinish(_) | Do::LeaveIsolated | Do::Release(_)) => {
                    task.control.push(Do::Unwind(value));
                    task.control.push(end);
                }
                _ => task.control.push(Do::Unwind(value)),
            },
        }
        Ok(None)
    }

    fn statement(&mut self, task: &mut Task<'p>, stmt: &'p ast::Stmt) -> Reached<'p> {
        let pos = stmt.span.start;
        let node = Node(stmt);
        match &stmt.kind {
            StmtKind::Let(name, value) => {
                task.control.push(Do::Bind(&name.name));
                task.push_eval(value);
            }
            StmtKind::Assign(place, value) => {
                task.control.push(Do::Assign(Node(place)));
                task.push_eval(value);
                if let ExprKind::Index(base, index) = &place.kind {
                    task.push_eval(index);
                    task.push_eval(base);
                }
            }
            StmtKind::If(condition, ..) => {
                task.control.push(Do::Branch(node));
                task.push_eval(condition);
            }
            StmtKind::While(..) => task.control.push(Do::While(node)),
            StmtKind::For(each) => task.push_loop(each, Each::Run),
            StmtKind::Forasync(each) => {
                task.forbid_in_isolated(pos)?;
                task.push_loop(each, Each::Spawn);
            }
            StmtKind::Forall(each) => {
                task.forbid_in_isolated(pos)?;
                task.open_finish(pos);
                task.push_loop(each, Each::Spawn);
            }
            StmtKind::Async { awaits, .. } => {
                task.control.push(Do::Async(node));
                awaits.iter().rev().for_each(|operand| task.push_eval(operand));
            }
            StmtKind::Finish(body) => {
                task.forbid_in_isolated(pos)?;
                task.open_finish(pos);
                task.push_block(body);
            }
            StmtKind::Isolated(body) => {
                task.control.push(Do::LeaveIsolated);
                task.push_block(body);
                if task.isolated == 0 {
                    return Ok(Some(Action::EnterIsolated(pos)));
                }
                task.isolated += 1;
            }
            StmtKind::With(name, body) => {
                task.forbid_in_isolated(pos)?;
                let lock = declared(&self.locks, &name.name);
                if task.locks.contains(&lock) {
                    return Err((ErrorKind::LockHeld, pos));
                }
                task.control.push(Do::Release(lock));
                task.push_block(body);
                return Ok(Some(Action::Acquire(lock, pos)));
            }
            StmtKind::Set(target, value) => {
                task.control.push(Do::Set(node));
                task.push_optional(value.as_ref());
                task.push_eval(target);
            }
            StmtKind::P(name) => {
                task.forbid_in_isolated(pos)?;
                return Ok(Some(Action::P(declared(&self.semaphores, &name.name), pos)));
            }
            StmtKind::V(name) => return Ok(Some(Action::V(declared(&self.semaphores, &name.name)))),
            StmtKind::Post(name) => return Ok(Some(Action::Post(declared(&self.events, &name.name)))),
            StmtKind::Wait(name) => {
                task.forbid_in_isolated(pos)?;
                return Ok(Some(Action::Wait(declared(&self.events, &name.name), pos)));
            }
            StmtKind::Print(values) => {
                task.control.push(Do::Drop(values.len()));
                values.iter().rev().for_each(|value| task.push_eval(value));
            }
            StmtKind::Assert(condition) => {
                task.control.push(Do::Assert(node));
                task.push_eval(condition);
            }
            StmtKind::Return(value) => {
                task.control.push(Do::Return);
                task.push_optional(value.as_ref());
            }
            StmtKind::Skip => {}
            StmtKind::Expr(value) => {
                task.control.push(Do::Drop(1));
                task.push_eval(value);
            }
        }
        Ok(None)
    }

    fn expression(
        &mut self,
        state: &mut State<'p>,
        id: TaskId,
        task: &mut Task<'p>,
        expr: &'p Expr,
    ) -> Reached<'p> {
        let pos = expr.span.start;
        let node = Node(expr);
        match &expr.kind {
            ExprKind::Int(value) => task.operands.push(Value::Int(*value)),
            ExprKind::Name(name) => match task.local(name) {
                Some(value) => {
                    let value = *value;
                    task.operands.push(value);
                }
                None => {
                    let array = self.vars[name.as_str()];
                    if self.names.is_scalar(array) {
                        return Ok(Some(Action::Read(Location { array, index: 0 }, pos)));
                    }
                    task.operands.push(Value::Array(array));
                }
            },
            ExprKind::Call(_, args) => {
                task.control.push(Do::Call(node));
                args.iter().rev().for_each(|arg| task.push_eval(arg));
            }
            ExprKind::Promise => {
                task.promises += 1;
                let promise = self.names.promise(id, task.promises);
                state.promises.insert(promise, Promise { is_future: false, value: None });
                task.operands.push(Value::Promise(promise));
            }
            ExprKind::Future(body) => {
                task.forbid_in_isolated(pos)?;
                return Ok(Some(task.spawn(body, Vec::new(), true, pos)));
            }
            ExprKind::New(size) => {
                task.control.push(Do::New(node));
                task.push_eval(size);
            }
            ExprKind::Len(array) => {
                task.control.push(Do::Len(node));
                task.push_eval(array);
            }
            ExprKind::Index(base, index) => {
                task.control.push(Do::Index(node));
                task.push_eval(index);
                task.push_eval(base);
            }
            ExprKind::Get(target) => {
                task.control.push(Do::Get(node));
                task.push_eval(target);
            }
            ExprKind::Unary(_, operand) => {
                task.control.push(Do::Operator(node));
                task.push_eval(operand);
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, _) => {
                task.control.push(Do::ShortCircuit(node));
                task.push_eval(left);
            }
            ExprKind::Binary(_, left, right) => {
                task.control.push(Do::Operator(node));
                task.push_eval(right);
                task.push_eval(left);
            }
        }
        Ok(None)
    }

    /// The end of an assignment: the right side, and before it base and index, are on the stack.
    fn assign(&mut self, state: &State<'p>, task: &mut Task<'p>, place: &'p Expr) -> Reached<'p> {
        let value = task.pop();
        let location = match &place.kind {
            ExprKind::Name(name) => {
                if let Some(local) = task.local(name) {
                    *local = value;
                    return Ok(None);
                }
                Location { array: self.vars[name.as_str()], index: 0 }
            }
            ExprKind::Index(..) => {
                let (index, base) = (task.pop(), task.pop());
                element(state, base, index, place)?
            }
            _ => unreachable!("the parser lets only names and elements be assigned"),
        };
        Ok(Some(Action::Write(location, value, place.span.start)))
    }
}

impl<'p> Task<'p> {
    pub fn new(
        body: &'p Block,
        locals: Vec<(&'p str, Value)>,
        started_in: Option<Finish>,
        result: Option<PromiseId>,
    ) -> Self {
        let mut task = Task {
            next: Action::Diverge,
            control: vec![Do::EndTask],
            operands: Vec::new(),
            locals,
            started_in,
            open_finishes: 0,
            isolated: 0,
            locks: Vec::new(),
            result,
            children: 0,
            arrays: 0,
            promises: 0,
        };
        task.push_block(body);
        task
    }

    fn pop(&mut self) -> Value {
        self.operands.pop().expect("an operation follows its operands")
    }

    fn pop_condition(&mut self, expr: &Expr) -> Result<bool, (ErrorKind, Pos)> {
        integer(self.pop(), expr).map(|value| value != 0)
    }

    fn push_eval(&mut self, expr: &'p Expr) {
        self.control.push(Do::Eval(Node(expr)));
    }

    fn push_optional(&mut self, expr: Option<&'p Expr>) {
        match expr {
            Some(expr) => self.push_eval(expr),
            None => self.control.push(Do::Push(Value::Int(0))),
        }
    }

    fn push_block(&mut self, block: &'p Block) {
        self.control.push(Do::Scope(self.locals.len()));
        self.control.push(Do::Block(Node(block), 0));
    }

    fn push_loop(&mut self, each: &'p ast::Loop, how: Each) {
        self.control.push(Do::ForBegin(Node(each), how));
        self.push_eval(&each.to);
        self.push_eval(&each.from);
    }

    fn open_finish(&mut self, pos: Pos) {
        self.open_finishes += 1;
        self.control.push(Do::EndFinish(pos));
    }

    fn spawn(&self, body: &'p Block, awaits: Vec<PromiseId>, is_future: bool, pos: Pos) -> Action<'p> {
        let locals = self.locals.clone();
        Action::Spawn(Box::new(Spawn { body: Node(body), locals, awaits, is_future, pos }))
    }

    fn local(&mut self, name: &str) -> Option<&mut Value> {
        self.locals.iter_mut().rev().find(|(local, _)| *local == name).map(|(_, value)| value)
    }

    fn forbid_in_isolated(&self, pos: Pos) -> Result<(), (ErrorKind, Pos)> {
        if self.isolated > 0 { Err((ErrorKind::ForbiddenInIsolated, pos)) } else { Ok(()) }
    }
}

fn declared(names: &[&str], name: &str) -> Declared {
    Declared(names.iter().position(|declared| *declared == name).expect("a declared name"))
}

fn integer(value: Value, expr: &Expr) -> Result<i64, (ErrorKind, Pos)> {
    match value {
        Value::Int(value) => Ok(value),
        _ => Err((ErrorKind::ReferenceArithmetic, expr.span.start)),
    }
}

fn promise(value: Value, pos: Pos) -> Result<PromiseId, (ErrorKind, Pos)> {
    match value {
        Value::Promise(promise) => Ok(promise),
        _ => Err((ErrorKind::NotAPromise, pos)),
    }
}

/// The element that `expr` is about. The length of an array never changes, so the check may be made
/// here, before the access is taken.
fn element(state: &State, base: Value, index: Value, expr: &Expr) -> Result<Location, (ErrorKind, Pos)> {
    let Value::Array(array) = base else { return Err((ErrorKind::NotAnArray, expr.span.start)) };
    let index = integer(index, expr)?;
    match usize::try_from(index) {
        Ok(index) if index < state.arrays[&array].cells.len() => Ok(Location { array, index }),
        _ => Err((ErrorKind::Bounds, expr.span.start)),
    }
}

fn operator(task: &mut Task, expr: &Expr) -> Result<(), (ErrorKind, Pos)> {
    let result = match &expr.kind {
        ExprKind::Unary(op, _) => {
            let operand = integer(task.pop(), expr)?;
            match op {
                UnaryOp::Neg => operand.wrapping_neg(),
                UnaryOp::Not => (operand == 0).into(),
            }
        }
        ExprKind::Binary(op, ..) => {
            let (right, left) = (task.pop(), task.pop());
            match op {
                BinaryOp::Eq => (left == right).into(),
                BinaryOp::Ne => (left != right).into(),
                _ => arithmetic(*op, integer(left, expr)?, integer(right, expr)?)
                    .ok_or((ErrorKind::Division, expr.span.start))?,
            }
        }
        _ => unreachable!(),
    };
    task.operands.push(Value::Int(result));
    Ok(())
}

/// `None` when dividing by zero.
fn arithmetic(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    Some(match op {
        BinaryOp::Lt => (left < right).into(),
        BinaryOp::Le => (left <= right).into(),
        BinaryOp::Gt => (left > right).into(),
        BinaryOp::Ge => (left >= right).into(),
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::Div | BinaryOp::Rem if right == 0 => return None,
        BinaryOp::Div => left.wrapping_div(right),
        BinaryOp::Rem => left.wrapping_rem(right),
        BinaryOp::Or | BinaryOp::And | BinaryOp::Eq | BinaryOp::Ne => unreachable!("handled before"),
    })
}
