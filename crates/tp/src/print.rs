//! From the syntax tree back to source.
//!
//! What is printed parses to the same tree, spans aside: `parse(print(p)) == p` for every `p` that
//! comes from a parse. (A tree built by hand may hold what cannot be written: `-5` as a number and
//! not as the negation of one. It is printed as what it means.)

use super::ast::{
    BinaryOp, Block, Decl, Expr, ExprKind, Ident, Loop, Program, Stmt, StmtKind, UnaryOp, VarKind,
};
use super::parser::precedence;
use std::fmt::{self, Display, Formatter, Write};

/// The source of `program`, indented by four, one statement a line.
pub fn print(program: &Program) -> String {
    program.to_string()
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, decl) in self.decls.iter().enumerate() {
            if index > 0 && matches!(decl, Decl::Proc(_)) {
                writeln!(f)?;
            }
            self::decl(f, decl)?;
        }
        Ok(())
    }
}

/// Without parentheses, as it would stand on the right of an assignment.
impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        expr(f, self, 0, 0)
    }
}

fn decl(f: &mut Formatter<'_>, decl: &Decl) -> fmt::Result {
    match decl {
        Decl::Var { name, kind } => {
            write!(f, "var {}", name.name)?;
            let (VarKind::Scalar { init } | VarKind::Array { init, .. }) = *kind;
            if let VarKind::Array { len, .. } = kind {
                write!(f, "[{len}]")?;
            }
            if init != 0 {
                write!(f, " = {init}")?;
            }
            writeln!(f, ";")
        }
        Decl::Lock { name } => writeln!(f, "lock {};", name.name),
        Decl::Sem { name, count: 0 } => writeln!(f, "sem {};", name.name),
        Decl::Sem { name, count } => writeln!(f, "sem {} = {count};", name.name),
        Decl::Event { name } => writeln!(f, "event {};", name.name),
        Decl::Proc(proc) => {
            let params: Vec<&str> = proc.params.iter().map(|param| param.name.as_str()).collect();
            write!(f, "proc {}({}) ", proc.name.name, params.join(", "))?;
            block(f, &proc.body, 0)?;
            writeln!(f)
        }
    }
}

fn indent(f: &mut Formatter<'_>, level: usize) -> fmt::Result {
    (0..level).try_for_each(|_| f.write_str("    "))
}

fn block(f: &mut Formatter<'_>, block: &Block, level: usize) -> fmt::Result {
    if block.stmts.is_empty() {
        return f.write_str("{}");
    }
    writeln!(f, "{{")?;
    for one in &block.stmts {
        indent(f, level + 1)?;
        stmt(f, one, level + 1)?;
        writeln!(f)?;
    }
    indent(f, level)?;
    f.write_char('}')
}

fn stmt(f: &mut Formatter<'_>, stmt: &Stmt, level: usize) -> fmt::Result {
    let e = |e| At(e, level);
    match &stmt.kind {
        StmtKind::Let(name, value) => write!(f, "let {} = {};", name.name, e(value)),
        StmtKind::Assign(place, value) => write!(f, "{} = {};", e(place), e(value)),
        StmtKind::If(condition, then, otherwise) => {
            write!(f, "if ({}) ", e(condition))?;
            block(f, then, level)?;
            let Some(otherwise) = otherwise else { return Ok(()) };
            f.write_str(" else ")?;
            match otherwise.stmts.as_slice() {
                [only @ Stmt { kind: StmtKind::If(..), .. }] => self::stmt(f, only, level),
                _ => block(f, otherwise, level),
            }
        }
        StmtKind::While(condition, body) => {
            write!(f, "while ({}) ", e(condition))?;
            block(f, body, level)
        }
        StmtKind::For(each) => each_loop(f, "for", each, level),
        StmtKind::Forall(each) => each_loop(f, "forall", each, level),
        StmtKind::Forasync(each) => each_loop(f, "forasync", each, level),
        StmtKind::Async { awaits, body } => {
            f.write_str("async ")?;
            if !awaits.is_empty() {
                write!(f, "await({}) ", List(awaits, level))?;
            }
            block(f, body, level)
        }
        StmtKind::Finish(body) => {
            f.write_str("finish ")?;
            block(f, body, level)
        }
        StmtKind::Isolated(body) => {
            f.write_str("isolated ")?;
            block(f, body, level)
        }
        StmtKind::With(Ident { name, .. }, body) => {
            write!(f, "with {name} ")?;
            block(f, body, level)
        }
        StmtKind::Set(promise, value) => {
            expr(f, promise, POSTFIX, level)?;
            write!(f, ".set({});", List(value.as_slice(), level))
        }
        StmtKind::P(name) => write!(f, "P({});", name.name),
        StmtKind::V(name) => write!(f, "V({});", name.name),
        StmtKind::Post(name) => write!(f, "post({});", name.name),
        StmtKind::Wait(name) => write!(f, "wait({});", name.name),
        StmtKind::Print(values) => write!(f, "print({});", List(values, level)),
        StmtKind::Assert(value) => write!(f, "assert({});", e(value)),
        StmtKind::Return(None) => f.write_str("return;"),
        StmtKind::Return(Some(value)) => write!(f, "return {};", e(value)),
        StmtKind::Skip => f.write_str("skip;"),
        StmtKind::Expr(value) => write!(f, "{};", e(value)),
    }
}

fn each_loop(f: &mut Formatter<'_>, word: &str, each: &Loop, level: usize) -> fmt::Result {
    write!(f, "{word} {} in {}..{} ", each.var.name, At(&each.from, level), At(&each.to, level))?;
    block(f, &each.body, level)
}

/// An expression within a statement indented by `.1` levels, which the body of a future needs to
/// know.
struct At<'a>(&'a Expr, usize);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        expr(f, self.0, 0, self.1)
    }
}

/// Expressions with commas between them.
struct List<'a>(&'a [Expr], usize);

impl Display for List<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, expr) in self.0.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{}", At(expr, self.1))?;
        }
        Ok(())
    }
}

/// Prefix operators bind tighter than the operators of [`precedence`], postfix ones tighter still.
const PREFIX: u8 = 7;
const POSTFIX: u8 = 8;

/// Prints `expr`, in parentheses if it binds less tightly than `floor`.
fn expr(f: &mut Formatter<'_>, expr: &Expr, floor: u8, level: usize) -> fmt::Result {
    let tightness = match &expr.kind {
        ExprKind::Binary(op, ..) => precedence(*op),
        ExprKind::Unary(..) => PREFIX,
        ExprKind::Int(value) if *value < 0 => PREFIX,
        _ => POSTFIX,
    };
    if tightness < floor {
        f.write_char('(')?;
        bare(f, expr, level)?;
        f.write_char(')')
    } else {
        bare(f, expr, level)
    }
}

fn bare(f: &mut Formatter<'_>, whole: &Expr, level: usize) -> fmt::Result {
    match &whole.kind {
        ExprKind::Int(value) => write!(f, "{value}"),
        ExprKind::Name(name) => f.write_str(name),
        ExprKind::Call(callee, args) => write!(f, "{}({})", callee.name, List(args, level)),
        ExprKind::Promise => f.write_str("promise()"),
        ExprKind::Future(body) => {
            f.write_str("future ")?;
            block(f, body, level)
        }
        ExprKind::New(size) => write!(f, "new({})", At(size, level)),
        ExprKind::Len(array) => write!(f, "len({})", At(array, level)),
        ExprKind::Index(base, index) => {
            expr(f, base, POSTFIX, level)?;
            write!(f, "[{}]", At(index, level))
        }
        ExprKind::Get(promise) => {
            expr(f, promise, POSTFIX, level)?;
            f.write_str(".get()")
        }
        ExprKind::Unary(op, operand) => {
            f.write_char(match op {
                UnaryOp::Neg => '-',
                UnaryOp::Not => '!',
            })?;
            expr(f, operand, PREFIX, level)
        }
        ExprKind::Binary(op, left, right) => {
            // All operators group from the left: an equally tight one on the right needs
            // parentheses.
            expr(f, left, precedence(*op), level)?;
            write!(f, " {} ", symbol(*op))?;
            expr(f, right, precedence(*op) + 1, level)
        }
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "||",
        BinaryOp::And => "&&",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
    }
}
