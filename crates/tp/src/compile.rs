//! From the syntax tree of a checked program to [`Code`].
//!
//! Names are resolved here by the rule of [`check`](super::check). The body of an `async` or
//! `future` becomes a unit of its own that is handed copies of the locals it mentions (a child gets
//! copies of all; those it never mentions it cannot miss). `return` leaves the sections and joins
//! the finishes it is in, innermost first: which these are is known here, so it is code like any
//! other. Accesses of [`additions`] have instructions of their own.

use super::additions;
use super::ast::*;
use super::code::{Code, Op, Region, SiteInfo, Unit};
use super::source::Source;
use raceproof_core::ids::SiteId;
use rustc_hash::FxHashMap;

/// The code of `program`, which [`check`](super::check) has found right.
pub fn compile(program: &Program, source: &Source) -> Code {
    let mut compiler = Compiler {
        source,
        code: Code::default(),
        globals: FxHashMap::default(),
        sites: FxHashMap::default(),
    };
    compiler.declare(program);
    for decl in &program.decls {
        if let Decl::Proc(proc) = decl {
            compiler.proc(proc);
        }
    }
    compiler.code
}

#[derive(Clone, Copy)]
enum Global {
    Scalar(u32),
    Array(u32),
    Lock(u32),
    Semaphore(u32),
    Event(u32),
    Proc(u32),
}

struct Compiler<'a> {
    source: &'a Source,
    code: Code,
    globals: FxHashMap<String, Global>,
    sites: FxHashMap<u32, SiteId>,
}

/// What a `return` has to leave or join on its way out.
#[derive(Clone, Copy)]
enum Enclosing {
    Finish(SiteId),
    Isolated,
    Lock(u32),
}

/// The unit being compiled.
struct Frame {
    unit: u32,
    /// The locals in scope, innermost last, with their slots.
    scope: Vec<(String, u32)>,
    /// Slots in use and the most there were.
    slots: u32,
    locals: u32,
    /// Values on the stack above the locals, and the most there were.
    depth: u32,
    deepest: u32,
    enclosing: Vec<Enclosing>,
    /// Of the addition being compiled: the read of its place, by its address, and how deep base and
    /// index of the place lie if it is an element.
    term: Option<(*const Expr, u32)>,
}

impl Frame {
    fn slot(&mut self) -> u32 {
        self.slots += 1;
        self.locals = self.locals.max(self.slots);
        self.slots - 1
    }
}

impl Compiler<'_> {
    fn declare(&mut self, program: &Program) {
        let mut base = 0;
        for decl in &program.decls {
            let name = decl.name().name.clone();
            let code = &mut self.code;
            let global = match decl {
                Decl::Var { kind, .. } => {
                    let (len, init) = match *kind {
                        VarKind::Scalar { init } => (None, init),
                        VarKind::Array { len, init } => (Some(len as u32), init),
                    };
                    let global = if len.is_some() {
                        code.arrays.push(code.regions.len() as u32);
                        Global::Array(code.arrays.len() as u32 - 1)
                    } else {
                        Global::Scalar(base)
                    };
                    code.regions.push(Region { name: name.clone(), base, len, init });
                    base += len.unwrap_or(1);
                    global
                }
                Decl::Lock { .. } => {
                    code.locks.push(name.clone());
                    Global::Lock(code.locks.len() as u32 - 1)
                }
                Decl::Sem { count, .. } => {
                    code.semaphores.push((name.clone(), *count as u64));
                    Global::Semaphore(code.semaphores.len() as u32 - 1)
                }
                Decl::Event { .. } => {
                    code.events.push(name.clone());
                    Global::Event(code.events.len() as u32 - 1)
                }
                Decl::Proc(proc) => {
                    let unit = self.new_unit(name.clone(), proc.params.len() as u32);
                    if name == "main" {
                        self.code.main = unit;
                    }
                    Global::Proc(unit)
                }
            };
            self.globals.insert(name, global);
        }
    }

    fn new_unit(&mut self, name: String, arguments: u32) -> u32 {
        self.code.units.push(Unit { name, entry: 0, arguments, locals: 0, frame: 0 });
        self.code.units.len() as u32 - 1
    }

    fn site(&mut self, offset: u32) -> SiteId {
        *self.sites.entry(offset).or_insert_with(|| {
            let (line, column) = self.source.place(offset);
            self.code.sites.push(SiteInfo { line, column });
            SiteId::at(self.code.sites.len() - 1)
        })
    }

    fn proc(&mut self, proc: &Proc) {
        let Some(&Global::Proc(unit)) = self.globals.get(&proc.name.name) else { return };
        let params = proc.params.iter().map(|param| param.name.clone()).collect();
        self.unit(unit, params, |compiler, frame| compiler.block(frame, &proc.body));
    }

    /// Compiles one unit whose first locals are `arguments`; `body` is followed by `return 0`.
    fn unit(&mut self, unit: u32, arguments: Vec<String>, body: impl FnOnce(&mut Self, &mut Frame)) {
        let slots = arguments.len() as u32;
        let scope = arguments.into_iter().zip(0..).collect();
        let (enclosing, term) = Default::default();
        let mut frame = Frame { unit, scope, slots, locals: slots, depth: 0, deepest: 0, enclosing, term };
        let entry = self.here();
        body(self, &mut frame);
        self.push(&mut frame, Op::Int(0));
        self.emit(Op::Return);
        let unit = &mut self.code.units[unit as usize];
        unit.entry = entry;
        unit.locals = frame.locals;
        unit.frame = frame.locals + frame.deepest;
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    fn emit(&mut self, op: Op) -> u32 {
        self.code.ops.push(op);
        self.here() - 1
    }

    /// Emits an instruction that leaves one value more on the stack.
    fn push(&mut self, frame: &mut Frame, op: Op) {
        self.emit(op);
        frame.depth += 1;
        frame.deepest = frame.deepest.max(frame.depth);
    }

    /// Emits an instruction that takes `taken` values and leaves none.
    fn take(&mut self, frame: &mut Frame, taken: u32, op: Op) -> u32 {
        frame.depth -= taken;
        self.emit(op)
    }

    /// Makes the jump at `at` go to what is emitted next.
    fn land(&mut self, at: u32) {
        let here = self.here();
        match &mut self.code.ops[at as usize] {
            Op::Jump(target)
            | Op::JumpIfFalse(target, _)
            | Op::JumpIfTrue(target, _)
            | Op::ForTest { end: target, .. } => *target = here,
            other => unreachable!("{other:?} is no forward jump"),
        }
    }

    fn block(&mut self, frame: &mut Frame, block: &Block) {
        let (scope, slots) = (frame.scope.len(), frame.slots);
        for stmt in &block.stmts {
            self.stmt(frame, stmt);
        }
        frame.scope.truncate(scope);
        frame.slots = slots;
    }

    fn stmt(&mut self, frame: &mut Frame, stmt: &Stmt) {
        let site = self.site(stmt.span.start);
        match &stmt.kind {
            StmtKind::Let(name, value) => {
                self.expr(frame, value);
                let slot = frame.slot();
                self.take(frame, 1, Op::SetLocal(slot));
                frame.scope.push((name.name.clone(), slot));
            }
            StmtKind::Assign(place, value) => self.assign(frame, place, value),
            StmtKind::If(condition, then, otherwise) => {
                self.expr(frame, condition);
                let at = self.site(condition.span.start);
                let to_else = self.take(frame, 1, Op::JumpIfFalse(0, at));
                self.block(frame, then);
                if let Some(otherwise) = otherwise {
                    let to_end = self.emit(Op::Jump(0));
                    self.land(to_else);
                    self.block(frame, otherwise);
                    self.land(to_end);
                } else {
                    self.land(to_else);
                }
            }
            StmtKind::While(condition, body) => {
                let top = self.here();
                self.expr(frame, condition);
                let at = self.site(condition.span.start);
                let to_end = self.take(frame, 1, Op::JumpIfFalse(0, at));
                self.block(frame, body);
                self.emit(Op::JumpBack(top));
                self.land(to_end);
            }
            StmtKind::For(l) => self.each(frame, l, |compiler, frame| compiler.block(frame, &l.body)),
            StmtKind::Forasync(l) => {
                self.each(frame, l, |compiler, frame| compiler.spawn(frame, &[], &l.body, site, false));
            }
            StmtKind::Forall(l) => self.finish(frame, site, |compiler, frame| {
                compiler.each(frame, l, |compiler, frame| compiler.spawn(frame, &[], &l.body, site, false));
            }),
            StmtKind::Async { awaits, body } => self.spawn(frame, awaits, body, site, false),
            StmtKind::Finish(body) => self.finish(frame, site, |compiler, frame| compiler.block(frame, body)),
            StmtKind::Isolated(body) => {
                self.emit(Op::IsolatedEnter(site));
                frame.enclosing.push(Enclosing::Isolated);
                self.block(frame, body);
                frame.enclosing.pop();
                self.emit(Op::IsolatedLeave);
            }
            StmtKind::With(name, body) => {
                let Some(&Global::Lock(lock)) = self.globals.get(&name.name) else { return };
                self.emit(Op::Lock { lock, site });
                frame.enclosing.push(Enclosing::Lock(lock));
                self.block(frame, body);
                frame.enclosing.pop();
                self.emit(Op::Unlock(lock));
            }
            StmtKind::Set(promise, value) => {
                self.expr(frame, promise);
                match value {
                    Some(value) => self.expr(frame, value),
                    None => self.push(frame, Op::Int(0)),
                }
                self.take(frame, 2, Op::Set(site));
            }
            StmtKind::P(name) | StmtKind::V(name) => {
                let Some(&Global::Semaphore(semaphore)) = self.globals.get(&name.name) else { return };
                self.emit(match stmt.kind {
                    StmtKind::P(_) => Op::P { semaphore, site },
                    _ => Op::V { semaphore, site },
                });
            }
            StmtKind::Post(name) | StmtKind::Wait(name) => {
                let Some(&Global::Event(event)) = self.globals.get(&name.name) else { return };
                self.emit(match stmt.kind {
                    StmtKind::Post(_) => Op::Post { event, site },
                    _ => Op::Wait { event, site },
                });
            }
            StmtKind::Print(values) => {
                for value in values {
                    self.expr(frame, value);
                }
                self.take(frame, values.len() as u32, Op::Print(values.len() as u32));
            }
            StmtKind::Assert(condition) => {
                self.expr(frame, condition);
                self.take(frame, 1, Op::Assert(site));
            }
            StmtKind::Return(value) => {
                match value {
                    Some(value) => self.expr(frame, value),
                    None => self.push(frame, Op::Int(0)),
                }
                for index in (0..frame.enclosing.len()).rev() {
                    self.emit(match frame.enclosing[index] {
                        Enclosing::Finish(site) => Op::FinishEnd(site),
                        Enclosing::Isolated => Op::IsolatedLeave,
                        Enclosing::Lock(lock) => Op::Unlock(lock),
                    });
                }
                self.take(frame, 1, Op::Return);
            }
            StmtKind::Skip => {}
            StmtKind::Expr(expr) => {
                self.expr(frame, expr);
                self.take(frame, 1, Op::Pop);
            }
        }
    }

    fn assign(&mut self, frame: &mut Frame, place: &Expr, value: &Expr) {
        let site = self.site(place.span.start);
        let term = additions::term(place, value).map(std::ptr::from_ref);
        match &place.kind {
            ExprKind::Name(name) => {
                frame.term = term.map(|term| (term, 0));
                self.expr(frame, value);
                let op = match self.local(frame, name) {
                    Some(slot) => Op::SetLocal(slot),
                    None => match self.globals.get(name) {
                        Some(&Global::Scalar(location)) if term.is_some() => Op::StoreSum { location, site },
                        Some(&Global::Scalar(location)) => Op::Store { location, site },
                        _ => Op::Pop,
                    },
                };
                self.take(frame, 1, op);
            }
            ExprKind::Index(base, index) => {
                let depth = frame.depth;
                self.expr(frame, base);
                self.expr(frame, index);
                frame.term = term.map(|term| (term, depth));
                self.expr(frame, value);
                let op = if term.is_some() { Op::StoreSumElement(site) } else { Op::StoreElement(site) };
                self.take(frame, 3, op);
            }
            other => unreachable!("the parser accepts no {other:?} as a place"),
        }
    }

    fn finish(&mut self, frame: &mut Frame, site: SiteId, body: impl FnOnce(&mut Self, &mut Frame)) {
        self.emit(Op::FinishBegin(site));
        frame.enclosing.push(Enclosing::Finish(site));
        body(self, frame);
        frame.enclosing.pop();
        self.emit(Op::FinishEnd(site));
    }

    /// A sequential loop; `body` sees the loop variable.
    fn each(&mut self, frame: &mut Frame, l: &Loop, body: impl FnOnce(&mut Self, &mut Frame)) {
        self.expr(frame, &l.from);
        self.expr(frame, &l.to);
        let site = self.site(l.from.span.start);
        // Counter and bound are hidden: the program may assign its variable without changing the
        // iteration.
        let slot = frame.slot();
        frame.slot();
        let variable = frame.slot();
        self.take(frame, 2, Op::ForBegin { slot, site });
        let test = self.emit(Op::ForTest { slot, end: 0 });
        frame.scope.push((l.var.name.clone(), variable));
        body(self, frame);
        frame.scope.pop();
        self.emit(Op::ForNext { slot, test });
        self.land(test);
        frame.slots = slot;
    }

    fn local(&self, frame: &Frame, name: &str) -> Option<u32> {
        frame.scope.iter().rev().find(|(local, _)| local == name).map(|&(_, slot)| slot)
    }

    /// A task whose body is `body`, started once `awaits` are set; a future if its value is wanted.
    fn spawn(&mut self, frame: &mut Frame, awaits: &[Expr], body: &Block, site: SiteId, future: bool) {
        for promise in awaits {
            self.expr(frame, promise);
            let at = self.site(promise.span.start);
            self.emit(Op::CheckAwaitable(at));
        }
        let mut mentioned = Vec::new();
        mentioned_in_block(body, &mut mentioned);
        let captured: Vec<(String, u32)> = mentioned
            .into_iter()
            .filter_map(|name| self.local(frame, name).map(|slot| (name.to_owned(), slot)))
            .collect();
        for &(_, slot) in &captured {
            self.push(frame, Op::Local(slot));
        }
        let awaited = awaits.len() as u32;
        let arguments = awaited + captured.len() as u32;
        let name = self.code.units[frame.unit as usize].name.clone();
        let unit = self.new_unit(name, arguments);
        let over = self.take(frame, arguments, Op::Jump(0));
        // What is awaited has no name in the child.
        let names = awaits.iter().map(|_| String::new()).chain(captured.into_iter().map(|(name, _)| name));
        self.unit(unit, names.collect(), |compiler, child| {
            for slot in 0..awaited {
                compiler.emit(Op::Await { slot, site });
            }
            compiler.block(child, body);
        });
        self.land(over);
        if future {
            self.push(frame, Op::Future { unit, site });
        } else {
            self.emit(Op::Spawn { unit, site });
        }
    }

    fn expr(&mut self, frame: &mut Frame, expr: &Expr) {
        let site = self.site(expr.span.start);
        let term = frame.term.filter(|&(term, _)| std::ptr::eq(term, expr)).map(|(_, depth)| depth);
        match &expr.kind {
            ExprKind::Int(value) => self.push(frame, Op::Int(*value)),
            ExprKind::Name(name) => {
                let op = match self.local(frame, name) {
                    Some(slot) => Op::Local(slot),
                    None => match self.globals.get(name) {
                        Some(&Global::Scalar(location)) if term.is_some() => Op::LoadTerm { location, site },
                        Some(&Global::Scalar(location)) => Op::Load { location, site },
                        Some(&Global::Array(array)) => Op::Array(array),
                        _ => unreachable!("the checks let no other name stand for a value"),
                    },
                };
                self.push(frame, op);
            }
            ExprKind::Call(name, arguments) => {
                for argument in arguments {
                    self.expr(frame, argument);
                }
                let Some(&Global::Proc(unit)) = self.globals.get(&name.name) else { return };
                frame.depth -= arguments.len() as u32;
                self.push(frame, Op::Call { unit, site });
            }
            ExprKind::Promise => self.push(frame, Op::Promise(site)),
            ExprKind::Future(body) => self.spawn(frame, &[], body, site, true),
            ExprKind::New(size) => self.unary(frame, size, Op::New(site)),
            ExprKind::Len(array) => self.unary(frame, array, Op::Len(site)),
            ExprKind::Get(promise) => self.unary(frame, promise, Op::Get(site)),
            ExprKind::Unary(op, operand) => self.unary(frame, operand, Op::Unary(*op, site)),
            ExprKind::Index(base, index) => {
                self.expr(frame, base);
                self.expr(frame, index);
                let op = match term {
                    Some(depth) => Op::LoadTermElement { below: frame.depth - depth, site },
                    None => Op::LoadElement(site),
                };
                frame.depth -= 2;
                self.push(frame, op);
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                self.expr(frame, left);
                let at = self.site(left.span.start);
                let is_and = *op == BinaryOp::And;
                let jump = if is_and { Op::JumpIfFalse(0, at) } else { Op::JumpIfTrue(0, at) };
                let decided = self.take(frame, 1, jump);
                self.expr(frame, right);
                let at = self.site(right.span.start);
                self.emit(Op::Truth(at));
                let end = self.emit(Op::Jump(0));
                self.land(decided);
                self.emit(Op::Int(i64::from(!is_and)));
                self.land(end);
            }
            ExprKind::Binary(op, left, right) => {
                self.expr(frame, left);
                self.expr(frame, right);
                frame.depth -= 2;
                self.push(frame, Op::Binary(*op, site));
            }
        }
    }

    fn unary(&mut self, frame: &mut Frame, operand: &Expr, op: Op) {
        self.expr(frame, operand);
        self.emit(op);
    }
}

/// The names that stand for values in a block, each once: a superset of the locals of the
/// surroundings that it uses.
fn mentioned_in_block<'a>(block: &'a Block, names: &mut Vec<&'a str>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Let(_, value) | StmtKind::Assert(value) | StmtKind::Expr(value) => {
                mentioned(value, names)
            }
            StmtKind::Assign(place, value) => {
                mentioned(place, names);
                mentioned(value, names);
            }
            StmtKind::If(condition, then, otherwise) => {
                mentioned(condition, names);
                mentioned_in_block(then, names);
                if let Some(otherwise) = otherwise {
                    mentioned_in_block(otherwise, names);
                }
            }
            StmtKind::While(condition, body) => {
                mentioned(condition, names);
                mentioned_in_block(body, names);
            }
            StmtKind::For(l) | StmtKind::Forall(l) | StmtKind::Forasync(l) => {
                mentioned(&l.from, names);
                mentioned(&l.to, names);
                mentioned_in_block(&l.body, names);
            }
            StmtKind::Async { awaits, body } => {
                awaits.iter().for_each(|promise| mentioned(promise, names));
                mentioned_in_block(body, names);
            }
            StmtKind::Finish(body) | StmtKind::Isolated(body) | StmtKind::With(_, body) => {
                mentioned_in_block(body, names);
            }
            StmtKind::Set(promise, value) => {
                mentioned(promise, names);
                value.iter().for_each(|value| mentioned(value, names));
            }
            StmtKind::Print(values) => values.iter().for_each(|value| mentioned(value, names)),
            StmtKind::Return(value) => value.iter().for_each(|value| mentioned(value, names)),
            StmtKind::P(_) | StmtKind::V(_) | StmtKind::Post(_) | StmtKind::Wait(_) | StmtKind::Skip => {}
        }
    }
}

fn mentioned<'a>(expr: &'a Expr, names: &mut Vec<&'a str>) {
    match &expr.kind {
        ExprKind::Name(name) => {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        ExprKind::Int(_) | ExprKind::Promise => {}
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|argument| mentioned(argument, names)),
        ExprKind::Future(body) => mentioned_in_block(body, names),
        ExprKind::New(operand)
        | ExprKind::Len(operand)
        | ExprKind::Get(operand)
        | ExprKind::Unary(_, operand) => mentioned(operand, names),
        ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
            mentioned(left, names);
            mentioned(right, names);
        }
    }
}
