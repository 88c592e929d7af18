//! The syntax tree of a TP program, as written: `forall` and friends are kept, nothing is resolved.

/// A byte range of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    pub decls: Vec<Decl>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decl {
    Var { name: Ident, kind: VarKind },
    Lock { name: Ident },
    Sem { name: Ident, count: i64 },
    Event { name: Ident },
    Proc(Proc),
}

impl Decl {
    pub fn name(&self) -> &Ident {
        match self {
            Decl::Var { name, .. } | Decl::Lock { name } | Decl::Sem { name, .. } | Decl::Event { name } => {
                name
            }
            Decl::Proc(proc) => &proc.name,
        }
    }
}

/// A shared scalar or array, with the value its cells start with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    Scalar { init: i64 },
    Array { len: i64, init: i64 },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    pub name: Ident,
    pub params: Vec<Ident>,
    pub body: Block,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    Let(Ident, Expr),
    /// `place = expr`; the place is a name or an index expression.
    Assign(Expr, Expr),
    /// `else if` is a block of one `If`.
    If(Expr, Block, Option<Block>),
    While(Expr, Block),
    For(Loop),
    Forall(Loop),
    Forasync(Loop),
    /// `async f(e);` is a body of one call.
    Async {
        awaits: Vec<Expr>,
        body: Block,
    },
    Finish(Block),
    Isolated(Block),
    With(Ident, Block),
    Set(Expr, Option<Expr>),
    P(Ident),
    V(Ident),
    Post(Ident),
    Wait(Ident),
    Print(Vec<Expr>),
    Assert(Expr),
    Return(Option<Expr>),
    Skip,
    /// A call or a `.get()` whose value is not used.
    Expr(Expr),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub var: Ident,
    pub from: Expr,
    pub to: Expr,
    pub body: Block,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// Also `true` and `false`, which are 1 and 0.
    Int(i64),
    Name(String),
    Call(Ident, Vec<Expr>),
    Promise,
    Future(Block),
    New(Box<Expr>),
    Len(Box<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Get(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Neg,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}
