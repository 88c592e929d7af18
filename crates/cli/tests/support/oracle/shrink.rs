//! Makes a failing program smaller while it keeps failing.
//!
//! Greedy: every possible edit of the syntax tree is tried in turn (largest pieces first), and kept
//! if the program still parses and the predicate still holds; until no edit is left that can be
//! kept. Every edit makes the program smaller, or a constant smaller, so this ends; and it ends
//! early if it takes too long, since a failure that is larger than it need be is worth more than
//! none.

use raceproof_tp as tp;
use raceproof_tp::ast::{Block, Decl, Expr, ExprKind, Program, Stmt, StmtKind, VarKind};
use std::time::{Duration, Instant};

/// Programs the predicate is asked about at most, and for how long.
pub const TRIES: usize = 2000;
const TIME: Duration = Duration::from_secs(60);

/// A smaller program for which `predicate` is still true. It is only asked about programs that pass
/// the checks of the front end. If `source` does not parse it comes back as it is.
pub fn shrink(source: &str, mut predicate: impl FnMut(&str) -> bool) -> String {
    let Ok(mut program) = tp::parse(source) else { return source.to_string() };
    let mut best = source.to_string();
    let (start, mut tries) = (Instant::now(), 0);
    loop {
        let mut progress = false;
        let mut number = 0;
        while let Some(smaller) = edited(&program, number) {
            let text = tp::print::print(&smaller);
            if tp::parse(&text).is_err() {
                number += 1;
                continue;
            }
            if tries == TRIES || start.elapsed() > TIME {
                return best;
            }
            tries += 1;
            if predicate(&text) {
                // The edits after the one that was kept have moved up to its number.
                program = smaller;
                best = text;
                progress = true;
            } else {
                number += 1;
            }
        }
        if !progress {
            return best;
        }
    }
}

/// The program after its `number`-th possible edit.
fn edited(program: &Program, number: usize) -> Option<Program> {
    let mut program = program.clone();
    let mut editor = Editor { before: number, done: false };
    editor.program(&mut program);
    editor.done.then_some(program)
}

struct Editor {
    /// How many possible edits are still to be passed by.
    before: usize,
    done: bool,
}

impl Editor {
    /// Whether the edit at hand is the one to make.
    fn here(&mut self) -> bool {
        if self.done {
            return false;
        }
        if self.before > 0 {
            self.before -= 1;
            return false;
        }
        self.done = true;
        true
    }

    fn program(&mut self, program: &mut Program) {
        for at in 0..program.decls.len() {
            if self.here() {
                program.decls.remove(at);
                return;
            }
        }
        for decl in &mut program.decls {
            match decl {
                Decl::Var { kind: VarKind::Scalar { init } | VarKind::Array { init, .. }, .. } => {
                    self.constant(init);
                }
                Decl::Sem { count, .. } => self.constant(count),
                Decl::Lock { .. } | Decl::Event { .. } => {}
                Decl::Proc(proc) => self.block(&mut proc.body),
            }
        }
    }

    fn constant(&mut self, value: &mut i64) {
        if *value != 0 && self.here() {
            *value = 0;
        }
    }

    fn block(&mut self, block: &mut Block) {
        for at in 0..block.stmts.len() {
            if self.here() {
                block.stmts.remove(at);
                return;
            }
            for replacement in unwrapped(&block.stmts[at]) {
                if self.here() {
                    block.stmts.splice(at..=at, replacement);
                    return;
                }
            }
        }
        for stmt in &mut block.stmts {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Let(_, value) | StmtKind::Assert(value) => self.expr(value),
            StmtKind::Expr(value) => self.operands(value),
            StmtKind::Assign(place, value) => {
                self.operands(place);
                self.expr(value);
            }
            StmtKind::If(condition, then, otherwise) => {
                if otherwise.is_some() && self.here() {
                    *otherwise = None;
                }
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
            StmtKind::For(each) | StmtKind::Forall(each) | StmtKind::Forasync(each) => {
                self.expr(&mut each.from);
                self.expr(&mut each.to);
                self.block(&mut each.body);
            }
            StmtKind::Async { awaits, body } => {
                self.shorten(awaits, 0);
                self.block(body);
            }
            StmtKind::Finish(body) | StmtKind::Isolated(body) | StmtKind::With(_, body) => self.block(body),
            StmtKind::Set(target, value) => {
                self.operands(target);
                self.optional(value);
            }
            StmtKind::Return(value) => self.optional(value),
            StmtKind::Print(values) => self.shorten(values, 1),
            StmtKind::P(_) | StmtKind::V(_) | StmtKind::Post(_) | StmtKind::Wait(_) | StmtKind::Skip => {}
        }
    }

    fn optional(&mut self, value: &mut Option<Expr>) {
        if value.is_some() && self.here() {
            *value = None;
        }
        if let Some(value) = value {
            self.expr(value);
        }
    }

    /// Drops one of the expressions as long as more than `least` are left.
    fn shorten(&mut self, exprs: &mut Vec<Expr>, least: usize) {
        for at in 0..exprs.len() {
            if exprs.len() > least && self.here() {
                exprs.remove(at);
                return;
            }
        }
        exprs.iter_mut().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &mut Expr) {
        let constants: &[i64] = match expr.kind {
            ExprKind::Int(0) => &[],
            ExprKind::Int(1) => &[0],
            _ => &[0, 1],
        };
        for &constant in constants {
            if self.here() {
                expr.kind = ExprKind::Int(constant);
                return;
            }
        }
        let parts: Vec<Expr> = match &expr.kind {
            ExprKind::Unary(_, operand) => vec![operand.as_ref().clone()],
            ExprKind::Binary(_, left, right) => vec![left.as_ref().clone(), right.as_ref().clone()],
            _ => Vec::new(),
        };
        for part in parts {
            if self.here() {
                *expr = part;
                return;
            }
        }
        self.operands(expr);
    }

    /// Edits below an expression that has to stay what it is.
    fn operands(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Promise => {}
            ExprKind::Call(_, args) => args.iter_mut().for_each(|arg| self.expr(arg)),
            ExprKind::Future(body) => self.block(body),
            ExprKind::New(operand) | ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Len(operand) | ExprKind::Get(operand) => self.operands(operand),
            ExprKind::Index(base, index) => {
                self.operands(base);
                self.expr(index);
            }
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
        }
    }
}

/// What may stand in place of a statement that has others in it.
fn unwrapped(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    match &stmt.kind {
        StmtKind::If(_, then, None) => vec![then.stmts.clone()],
        StmtKind::If(_, then, Some(otherwise)) => vec![then.stmts.clone(), otherwise.stmts.clone()],
        StmtKind::While(_, body)
        | StmtKind::Async { body, .. }
        | StmtKind::Finish(body)
        | StmtKind::Isolated(body)
        | StmtKind::With(_, body) => vec![body.stmts.clone()],
        StmtKind::For(each) | StmtKind::Forall(each) | StmtKind::Forasync(each) => {
            let first = StmtKind::Let(each.var.clone(), each.from.clone());
            let mut stmts = vec![Stmt { kind: first, span: stmt.span }];
            stmts.extend(each.body.stmts.iter().cloned());
            vec![stmts]
        }
        StmtKind::Let(_, Expr { kind: ExprKind::Future(body), .. }) => {
            let kind = StmtKind::Async { awaits: Vec::new(), body: body.clone() };
            vec![vec![Stmt { kind, span: stmt.span }]]
        }
        _ => Vec::new(),
    }
}
