//! Static checks: what is wrong with a program whatever it does when it runs.
//!
//! **What a name means** depends on where it stands, and whoever compiles the tree follows the same
//! rule:
//!
//! - As a value or as the target of an assignment it is the innermost *local* in scope, else the
//!   shared variable (`var`) of that name. Locals are parameters, `let`s and loop variables.
//! - In a call it is a proc; in `with` a lock; in `P` and `V` a semaphore; in `post` and `wait` an
//!   event. These look among the declarations only: a local never hides them.
//! - The declarations of a program share one set of names and are visible everywhere, also before
//!   they are written. A local may have the name of anything, and hides a shared variable of that
//!   name.
//! - A `let` is in scope from behind its `;` to the end of its block, and may repeat the name of
//!   another in that block; its right side still sees the earlier one. A loop variable is in scope
//!   in the body, not in the bounds; a parameter in the whole body. The bodies of `async` and
//!   `future` see the locals around them (as copies).
//!
//! What LANGUAGE.md has judged when it happens (types, bounds, operations forbidden in `isolated`)
//! is no matter of this file.

use super::ast::{Block, Decl, Expr, ExprKind, Ident, Loop, Proc, Program, Span, Stmt, StmtKind, VarKind};
use super::diagnostic::Diagnostic;
use super::limits::{MAX_ERRORS, MAX_SHARED_CELLS, MAX_SHOWN};
use super::suggest::nearest;
use rustc_hash::FxHashMap;

/// What a declaration declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Scalar,
    Array,
    Lock,
    Sem,
    Event,
    Proc { params: usize },
}

impl Kind {
    fn of(decl: &Decl) -> Kind {
        match decl {
            Decl::Var { kind: VarKind::Scalar { .. }, .. } => Kind::Scalar,
            Decl::Var { kind: VarKind::Array { .. }, .. } => Kind::Array,
            Decl::Lock { .. } => Kind::Lock,
            Decl::Sem { .. } => Kind::Sem,
            Decl::Event { .. } => Kind::Event,
            Decl::Proc(proc) => Kind::Proc { params: proc.params.len() },
        }
    }

    fn words(self) -> &'static str {
        match self {
            Kind::Scalar => "a shared variable",
            Kind::Array => "an array",
            Kind::Lock => "a lock",
            Kind::Sem => "a semaphore",
            Kind::Event => "an event",
            Kind::Proc { .. } => "a proc",
        }
    }

    /// How something of this kind called `name` is used.
    fn usage(self, name: &str) -> String {
        match self {
            Kind::Scalar => format!("assign to it: `{name} = e;`"),
            Kind::Array => format!("assign to an element: `{name}[i] = e;`"),
            Kind::Lock => format!("a lock is held in `with {name} {{ … }}` and has no value"),
            Kind::Sem => format!("a semaphore is used in `P({name});` and `V({name});` and has no value"),
            Kind::Event => {
                format!("an event is used in `post({name});` and `wait({name});` and has no value")
            }
            Kind::Proc { .. } => format!("a proc is called as `{name}(…)` and is no value itself"),
        }
    }

    fn is_var(self) -> bool {
        matches!(self, Kind::Scalar | Kind::Array)
    }
}

/// Everything that is wrong with `program`, in no particular order.
pub fn check(program: &Program) -> Vec<Diagnostic> {
    let mut checker = Checker::default();
    checker.declare(program);
    checker.cells(program);
    checker.main(program);
    for decl in &program.decls {
        if let Decl::Proc(proc) = decl {
            checker.proc(proc);
        }
    }
    checker.diagnostics
}

#[derive(Default)]
struct Checker<'a> {
    declared: FxHashMap<&'a str, (Kind, Span)>,
    /// The locals in scope, innermost last.
    locals: Vec<&'a str>,
    /// How often each name is in `locals`; none of the counts is 0.
    in_scope: FxHashMap<&'a str, u32>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn declare(&mut self, program: &'a Program) {
        for decl in &program.decls {
            let name = decl.name();
            if let Some(&(kind, first)) = self.declared.get(name.name.as_str()) {
                let message = format!("`{}` is declared twice", name.name);
                self.report(
                    Diagnostic::new(name.span, message, "declared again here")
                        .related(first, format!("first declared here, as {}", kind.words()))
                        .help("variables, locks, semaphores, events and procs share one set of names"),
                );
            } else {
                self.declared.insert(&name.name, (Kind::of(decl), name.span));
            }
        }
    }

    fn cells(&mut self, program: &Program) {
        let mut total = 0u64;
        for decl in &program.decls {
            let Decl::Var { name, kind } = decl else { continue };
            let cells = match *kind {
                VarKind::Scalar { .. } => 1,
                VarKind::Array { len, .. } => len.max(0) as u64,
            };
            total = total.saturating_add(cells);
            if total > MAX_SHARED_CELLS {
                let message = format!("more than {MAX_SHARED_CELLS} shared cells");
                let label = format!("with this one the program has {total}");
                return self.report(
                    Diagnostic::new(name.span, message, label)
                        .help("make the arrays smaller, or allocate what is needed with `new(n)`"),
                );
            }
        }
    }

    fn main(&mut self, program: &Program) {
        let main = program.decls.iter().find(|decl| decl.name().name == "main");
        let help = "the program starts in `proc main() { … }`";
        match main {
            None => {
                let label = "expected a `proc main()` in this file";
                let diagnostic = Diagnostic::new(Span::default(), "the program has no `main`", label);
                self.report(diagnostic.help(help));
            }
            Some(Decl::Proc(proc)) => {
                if let Some(param) = proc.params.first() {
                    let message = "`main` takes no parameters";
                    self.report(Diagnostic::new(param.span, message, "expected `)`").help(help));
                }
            }
            Some(other) => {
                let message = format!("`main` is {}, expected a proc", Kind::of(other).words());
                self.report(Diagnostic::new(other.name().span, message, "not a proc").help(help));
            }
        }
    }

    fn proc(&mut self, proc: &'a Proc) {
        let mut seen = FxHashMap::default();
        for param in &proc.params {
            if let Some(first) = seen.insert(&param.name, param.span) {
                let message = format!("the parameter `{}` is declared twice", param.name);
                self.report(
                    Diagnostic::new(param.span, message, "declared again here")
                        .related(first, "already declared here"),
                );
            }
            self.enter(&param.name);
        }
        self.block(&proc.body);
        self.leave(0);
    }

    fn enter(&mut self, local: &'a str) {
        self.locals.push(local);
        *self.in_scope.entry(local).or_default() += 1;
    }

    /// Ends the scope of all locals but the outermost `keep`.
    fn leave(&mut self, keep: usize) {
        for local in self.locals.drain(keep..) {
            if let Some(count) = self.in_scope.get_mut(local) {
                *count -= 1;
                if *count == 0 {
                    self.in_scope.remove(local);
                }
            }
        }
    }

    fn block(&mut self, block: &'a Block) {
        let outside = self.locals.len();
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.leave(outside);
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Let(name, value) => {
                self.expr(value);
                self.enter(&name.name);
            }
            StmtKind::Assign(place, value) => {
                self.place(place);
                self.expr(value);
            }
            StmtKind::If(condition, then, otherwise) => {
                self.expr(condition);
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
            }
            StmtKind::While(condition, body) => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::For(each) | StmtKind::Forall(each) | StmtKind::Forasync(each) => self.each(each),
            StmtKind::Async { awaits, body } => {
                self.exprs(awaits);
                self.block(body);
            }
            StmtKind::Finish(body) | StmtKind::Isolated(body) => self.block(body),
            StmtKind::With(lock, body) => {
                self.expect_kind(lock, Kind::Lock, "lock");
                self.block(body);
            }
            StmtKind::P(sem) | StmtKind::V(sem) => self.expect_kind(sem, Kind::Sem, "sem"),
            StmtKind::Post(event) | StmtKind::Wait(event) => self.expect_kind(event, Kind::Event, "event"),
            StmtKind::Set(promise, value) => {
                self.expr(promise);
                self.exprs(value);
            }
            StmtKind::Print(values) => self.exprs(values),
            StmtKind::Assert(value) | StmtKind::Expr(value) => self.expr(value),
            StmtKind::Return(value) => self.exprs(value),
            StmtKind::Skip => {}
        }
    }

    fn each(&mut self, each: &'a Loop) {
        self.expr(&each.from);
        self.expr(&each.to);
        let outside = self.locals.len();
        self.enter(&each.var.name);
        self.block(&each.body);
        self.leave(outside);
    }

    fn place(&mut self, place: &'a Expr) {
        let ExprKind::Name(name) = &place.kind else {
            return self.expr(place);
        };
        match self.value(name) {
            Meaning::Local | Meaning::Declared(Kind::Scalar, _) => {}
            Meaning::Declared(kind, declared) => {
                let message = format!("cannot assign to `{name}`, which is {}", kind.words());
                self.report(
                    Diagnostic::new(place.span, message, "not assignable")
                        .related(declared, "declared here")
                        .help(kind.usage(name)),
                );
            }
            Meaning::Unknown => self.unknown_value(name, place.span),
        }
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Promise => {}
            ExprKind::Name(name) => match self.value(name) {
                Meaning::Unknown => self.unknown_value(name, expr.span),
                Meaning::Declared(kind, declared) if !kind.is_var() => {
                    let message = format!("expected a value, but `{name}` is {}", kind.words());
                    self.report(
                        Diagnostic::new(expr.span, message, "not a value")
                            .related(declared, "declared here")
                            .help(kind.usage(name)),
                    );
                }
                _ => {}
            },
            ExprKind::Call(callee, args) => {
                self.call(callee, args.len());
                self.exprs(args);
            }
            ExprKind::Future(body) => self.block(body),
            ExprKind::New(operand)
            | ExprKind::Len(operand)
            | ExprKind::Get(operand)
            | ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
        }
    }

    /// What a name means as a value or as the target of an assignment.
    fn value(&self, name: &str) -> Meaning {
        if self.in_scope.contains_key(name) {
            return Meaning::Local;
        }
        match self.declared.get(name) {
            Some(&(kind, span)) => Meaning::Declared(kind, span),
            None => Meaning::Unknown,
        }
    }

    fn unknown_value(&mut self, name: &str, span: Span) {
        let vars = self.declared.iter().filter(|(_, (kind, _))| kind.is_var()).map(|(&name, _)| name);
        let near = self.near(name, vars.chain(self.in_scope.keys().copied()));
        self.unknown("name", name, span, near, || {
            format!("for a local write `let {name} = e;` before, for a shared variable `var {name};` outside of the procs")
        });
    }

    fn call(&mut self, callee: &Ident, args: usize) {
        let name = &callee.name;
        match self.declared.get(name.as_str()) {
            Some(&(Kind::Proc { params }, declared)) if params != args => {
                let message = format!("`{name}` takes {}, found {args}", counted(params));
                self.report(
                    Diagnostic::new(callee.span, message, format!("expected {}", counted(params)))
                        .related(declared, "declared here"),
                );
            }
            Some((Kind::Proc { .. }, _)) => {}
            Some(&(kind, declared)) => self.wrong_kind(callee, "a proc", kind, declared),
            None => {
                let procs = self.declared.iter().filter(|(_, (kind, _))| matches!(kind, Kind::Proc { .. }));
                let near = self.near(name, procs.map(|(&name, _)| name));
                self.unknown("proc", name, callee.span, near, || {
                    format!("declare it: `proc {name}(…) {{ … }}`")
                });
            }
        }
    }

    /// For the names that stand where only one kind of declaration can; `word` declares it.
    fn expect_kind(&mut self, name: &Ident, wanted: Kind, word: &str) {
        match self.declared.get(name.name.as_str()) {
            Some(&(kind, _)) if kind == wanted => {}
            Some(&(kind, declared)) => self.wrong_kind(name, wanted.words(), kind, declared),
            None if self.in_scope.contains_key(name.name.as_str()) => {
                let message = format!("expected {}, but `{}` is a local", wanted.words(), name.name);
                let label = format!("not {}", wanted.words());
                let help = format!("declare one outside of the procs: `{word} …;`");
                self.report(Diagnostic::new(name.span, message, label).help(help));
            }
            None => {
                let same = self.declared.iter().filter(|&(_, &(kind, _))| kind == wanted);
                let near = self.near(&name.name, same.map(|(&name, _)| name));
                let what = wanted.words().split_once(' ').map_or("name", |(_, what)| what);
                self.unknown(what, &name.name, name.span, near, || {
                    format!("declare it outside of the procs: `{word} {};`", name.name)
                });
            }
        }
    }

    fn wrong_kind(&mut self, name: &Ident, wanted: &str, kind: Kind, declared: Span) {
        let message = format!("expected {wanted}, but `{}` is {}", name.name, kind.words());
        let diagnostic = Diagnostic::new(name.span, message, format!("not {wanted}"));
        let diagnostic = diagnostic.related(declared, "declared here");
        self.report(if kind.is_var() { diagnostic } else { diagnostic.help(kind.usage(&name.name)) });
    }

    /// The candidate someone may have meant. Only for errors that are shown, for the search takes
    /// time.
    fn near<'n>(&self, name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<String> {
        if self.diagnostics.len() > MAX_SHOWN {
            return None;
        }
        nearest(name, candidates).map(str::to_owned)
    }

    fn unknown(
        &mut self,
        what: &str,
        name: &str,
        span: Span,
        near: Option<String>,
        declare: impl FnOnce() -> String,
    ) {
        let diagnostic = Diagnostic::new(span, format!("unknown {what} `{name}`"), "not declared");
        self.report(diagnostic.help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => declare(),
        }));
    }
}

enum Meaning {
    Local,
    Declared(Kind, Span),
    Unknown,
}

fn counted(arguments: usize) -> String {
    match arguments {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    }
}
