//! Trees without places: two programs are the same when they are equal once their spans are erased.

use super::ast::{Block, Decl, Expr, ExprKind, Ident, Loop, Program, Span, Stmt, StmtKind};

/// `program` with every span set to the empty one.
pub fn without_spans(mut program: Program) -> Program {
    for decl in &mut program.decls {
        match decl {
            Decl::Var { name, .. } | Decl::Lock { name } | Decl::Sem { name, .. } | Decl::Event { name } => {
                ident(name);
            }
            Decl::Proc(proc) => {
                ident(&mut proc.name);
                proc.params.iter_mut().for_each(ident);
                block(&mut proc.body);
            }
        }
    }
    program
}

fn ident(ident: &mut Ident) {
    ident.span = Span::default();
}

fn block(block: &mut Block) {
    block.span = Span::default();
    block.stmts.iter_mut().for_each(stmt);
}

fn each(each: &mut Loop) {
    ident(&mut each.var);
    expr(&mut each.from);
    expr(&mut each.to);
    block(&mut each.body);
}

fn stmt(stmt: &mut Stmt) {
    stmt.span = Span::default();
    match &mut stmt.kind {
        StmtKind::Let(name, value) => {
            ident(name);
            expr(value);
        }
        StmtKind::Assign(place, value) => {
            expr(place);
            expr(value);
        }
        StmtKind::If(condition, then, otherwise) => {
            expr(condition);
            block(then);
            otherwise.iter_mut().for_each(block);
        }
        StmtKind::While(condition, body) => {
            expr(condition);
            block(body);
        }
        StmtKind::For(l) | StmtKind::Forall(l) | StmtKind::Forasync(l) => each(l),
        StmtKind::Async { awaits, body } => {
            awaits.iter_mut().for_each(expr);
            block(body);
        }
        StmtKind::Finish(body) | StmtKind::Isolated(body) => block(body),
        StmtKind::With(name, body) => {
            ident(name);
            block(body);
        }
        StmtKind::Set(promise, value) => {
            expr(promise);
            value.iter_mut().for_each(expr);
        }
        StmtKind::P(name) | StmtKind::V(name) | StmtKind::Post(name) | StmtKind::Wait(name) => ident(name),
        StmtKind::Print(values) => values.iter_mut().for_each(expr),
        StmtKind::Assert(value) | StmtKind::Expr(value) => expr(value),
        StmtKind::Return(value) => value.iter_mut().for_each(expr),
        StmtKind::Skip => {}
    }
}

fn expr(whole: &mut Expr) {
    whole.span = Span::default();
    match &mut whole.kind {
        ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Promise => {}
        ExprKind::Call(callee, args) => {
            ident(callee);
            args.iter_mut().for_each(expr);
        }
        ExprKind::Future(body) => block(body),
        ExprKind::New(operand)
        | ExprKind::Len(operand)
        | ExprKind::Get(operand)
        | ExprKind::Unary(_, operand) => expr(operand),
        ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
            expr(left);
            expr(right);
        }
    }
}
