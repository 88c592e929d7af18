//! The grammar, production by production; precedence; places; limits; names; the printer.

use raceproof_tp::ast::{Block, Decl, Expr, ExprKind, Program, Stmt, StmtKind, UnaryOp, VarKind};
use raceproof_tp::erase::without_spans;
use raceproof_tp::limits::{MAX_DEPTH, MAX_NESTING, MAX_SHARED_CELLS};
use raceproof_tp::{self as tp, print::print, source::Source};

fn parse(source: &str) -> Program {
    tp::parse(source).unwrap_or_else(|errors| panic!("{}", tp::render("test", source, &errors, false)))
}

/// The first error in `source`.
fn error(source: &str) -> String {
    match tp::parse(source) {
        Ok(_) => panic!("expected an error in {source}"),
        Err(errors) => errors[0].message.clone(),
    }
}

/// Declarations for the names the statements below use.
const NAMES: &str = "var x; var y; var a[9]; lock l; sem s; event e; proc f() {} proc g(u, v) {}\n";

fn in_main(statements: &str) -> String {
    format!("{NAMES}proc main() {{ let p = 0; let q = 0;\n{statements} }}")
}

/// The syntax of one statement, without places.
fn stmt(statement: &str) -> StmtKind {
    match without_spans(parse(&in_main(statement))).decls.pop() {
        Some(Decl::Proc(mut main)) if main.body.stmts.len() == 3 => main.body.stmts.remove(2).kind,
        other => panic!("not one statement: {other:?}"),
    }
}

fn expr(expression: &str) -> Expr {
    match stmt(&format!("let z = {expression};")) {
        StmtKind::Let(_, value) => value,
        other => panic!("{other:?}"),
    }
}

fn name(name: &str) -> Expr {
    Expr { kind: ExprKind::Name(name.to_owned()), span: Default::default() }
}

fn block(statements: &str) -> Block {
    match stmt(&format!("finish {{ {statements} }}")) {
        StmtKind::Finish(block) => block,
        other => panic!("{other:?}"),
    }
}

/// The statement in other words: fully parenthesised, with every keyword and part in its place.
fn shape(statement: &str) -> String {
    fn of_block(block: &Block) -> String {
        let parts: Vec<String> = block.stmts.iter().map(|stmt| of(&stmt.kind)).collect();
        format!("{{{}}}", parts.join(" "))
    }
    fn all(exprs: &[Expr]) -> String {
        exprs.iter().map(full).collect::<Vec<_>>().join(" ")
    }
    fn of(kind: &StmtKind) -> String {
        use StmtKind::*;
        match kind {
            Let(name, value) => format!("let {} {}", name.name, full(value)),
            Assign(place, value) => format!("assign {} {}", full(place), full(value)),
            If(c, then, None) => format!("if {} {}", full(c), of_block(then)),
            If(c, then, Some(other)) => format!("if {} {} else {}", full(c), of_block(then), of_block(other)),
            While(c, body) => format!("while {} {}", full(c), of_block(body)),
            For(l) => format!("for {} {} {} {}", l.var.name, full(&l.from), full(&l.to), of_block(&l.body)),
            Forall(l) => {
                format!("forall {} {} {} {}", l.var.name, full(&l.from), full(&l.to), of_block(&l.body))
            }
            Forasync(l) => {
                format!("forasync {} {} {} {}", l.var.name, full(&l.from), full(&l.to), of_block(&l.body))
            }
            Async { awaits, body } => format!("async [{}] {}", all(awaits), of_block(body)),
            Finish(body) => format!("finish {}", of_block(body)),
            Isolated(body) => format!("isolated {}", of_block(body)),
            With(lock, body) => format!("with {} {}", lock.name, of_block(body)),
            Set(promise, value) => format!("set {} [{}]", full(promise), all(value.as_slice())),
            P(name) => format!("P {}", name.name),
            V(name) => format!("V {}", name.name),
            Post(name) => format!("post {}", name.name),
            Wait(name) => format!("wait {}", name.name),
            Print(values) => format!("print {}", all(values)),
            Assert(value) => format!("assert {}", full(value)),
            Return(value) => format!("return [{}]", all(value.as_slice())),
            Skip => "skip".to_owned(),
            Expr(value) => format!("do {}", full(value)),
        }
    }
    of(&stmt(statement))
}

/// An expression with parentheses around every operation.
fn full(expr: &Expr) -> String {
    let list = |exprs: &[Expr]| exprs.iter().map(full).collect::<Vec<_>>().join(" ");
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Call(callee, args) => format!("{}({})", callee.name, list(args)),
        ExprKind::Promise => "promise".to_owned(),
        ExprKind::Future(body) => format!("future[{}]", body.stmts.len()),
        ExprKind::New(size) => format!("new({})", full(size)),
        ExprKind::Len(array) => format!("len({})", full(array)),
        ExprKind::Index(base, index) => format!("({} at {})", full(base), full(index)),
        ExprKind::Get(promise) => format!("(get {})", full(promise)),
        ExprKind::Unary(op, operand) => {
            format!("({}{})", if *op == UnaryOp::Neg { '-' } else { '!' }, full(operand))
        }
        ExprKind::Binary(op, left, right) => format!("({} {op:?} {})", full(left), full(right)),
    }
}

#[test]
fn declarations() {
    let program = parse(
        "var a; var b = 3; var c = -4; var d = true; var e = false; var f[7]; var g[0] = -1; lock h; sem i;
         sem j = 2; event k; proc l() {} proc m(n) {} proc o(p, q) {} proc main() {}
         var low = -9223372036854775808; var high = 9223372036854775807;",
    );
    let seen: Vec<String> = program
        .decls
        .iter()
        .map(|decl| match decl {
            Decl::Var { name, kind: VarKind::Scalar { init } } => format!("{}={init}", name.name),
            Decl::Var { name, kind: VarKind::Array { len, init } } => format!("{}[{len}]={init}", name.name),
            Decl::Lock { name } => format!("lock {}", name.name),
            Decl::Sem { name, count } => format!("sem {}={count}", name.name),
            Decl::Event { name } => format!("event {}", name.name),
            Decl::Proc(proc) => format!("{}/{}", proc.name.name, proc.params.len()),
        })
        .collect();
    let expected = "a=0 b=3 c=-4 d=1 e=0 f[7]=0 g[0]=-1 lock h,sem i=0 sem j=2 event k,l/0 m/1 o/2 main/0 \
                    low=-9223372036854775808 high=9223372036854775807";
    assert_eq!(seen.join(" "), expected.replace(',', " "));
}

#[test]
fn statements() {
    for (source, expected) in [
        ("let z = 1;", "let z 1"),
        ("x = 1;", "assign x 1"),
        ("a[1] = 2;", "assign (a at 1) 2"),
        ("a[1][2] = 3;", "assign ((a at 1) at 2) 3"),
        ("(a)[1] = 2;", "assign (a at 1) 2"),
        ("p.get()[1] = 2;", "assign ((get p) at 1) 2"),
        ("f()[1] = 2;", "assign (f() at 1) 2"),
        ("new(3)[1] = 2;", "assign (new(3) at 1) 2"),
        ("if (x) {}", "if x {}"),
        ("if (x) { skip; } else { return; }", "if x {skip} else {return []}"),
        ("if (x) {} else if (y) {} else { skip; }", "if x {} else {if y {} else {skip}}"),
        ("if (x) {} else { if (y) {} }", "if x {} else {if y {}}"),
        ("while (x < 3) { x = x + 1; }", "while (x Lt 3) {assign x (x Add 1)}"),
        ("for i in 0..len(a) { a[i] = i; }", "for i 0 len(a) {assign (a at i) i}"),
        ("for i in x .. y {}", "for i x y {}"),
        ("forall i in 0..3 {}", "forall i 0 3 {}"),
        ("forasync i in 1+2..3 {}", "forasync i (1 Add 2) 3 {}"),
        ("async {}", "async [] {}"),
        ("async g(1, 2);", "async [] {do g(1 2)}"),
        ("async { g(1, 2); }", "async [] {do g(1 2)}"),
        ("async await(p) { skip; }", "async [p] {skip}"),
        ("async await(p, q.get()) f();", "async [p (get q)] {do f()}"),
        ("finish { async {} }", "finish {async [] {}}"),
        ("isolated { x = 1; }", "isolated {assign x 1}"),
        ("with l { x = 1; }", "with l {assign x 1}"),
        ("p.set();", "set p []"),
        ("p.set(1);", "set p [1]"),
        ("a[1].set(x);", "set (a at 1) [x]"),
        ("p.get().set(x);", "set (get p) [x]"),
        ("(x + y).set(1);", "set (x Add y) [1]"),
        ("P(s);", "P s"),
        ("V(s);", "V s"),
        ("post(e);", "post e"),
        ("wait(e);", "wait e"),
        ("print(1);", "print 1"),
        ("print(x, y, 3);", "print x y 3"),
        ("assert(x == 1);", "assert (x Eq 1)"),
        ("return;", "return []"),
        ("return x;", "return [x]"),
        ("skip;", "skip"),
        ("f();", "do f()"),
        ("p.get();", "do (get p)"),
        ("a[0].get();", "do (get (a at 0))"),
        ("future { skip; }.get();", "do (get future[1])"),
    ] {
        assert_eq!(shape(source), expected, "{source}");
    }
}

#[test]
fn primaries() {
    for (source, expected) in [
        ("0", "0"),
        ("007", "7"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("- 9223372036854775808", "-9223372036854775808"),
        ("--9223372036854775808", "(--9223372036854775808)"),
        ("1 - -9223372036854775808", "(1 Sub -9223372036854775808)"),
        ("true + false", "(1 Add 0)"),
        ("f() + g(1, f())", "(f() Add g(1 f()))"),
        ("promise()", "promise"),
        ("future {}", "future[0]"),
        ("future { return 1; }.get()", "(get future[1])"),
        ("new(3 + 4)", "new((3 Add 4))"),
        ("len(new(3))", "len(new(3))"),
        ("((x))", "x"),
        ("a[x][y].get()[1]", "((get ((a at x) at y)) at 1)"),
        ("(x + 1)[2]", "((x Add 1) at 2)"),
        ("3[4]", "(3 at 4)"),
        ("-a[1]", "(-(a at 1))"),
        ("!p.get()", "(!(get p))"),
        ("-!-x", "(-(!(-x)))"),
    ] {
        assert_eq!(full(&expr(source)), expected, "{source}");
    }
}

#[test]
fn precedence_is_that_of_c() {
    let table: [&[(&str, &str)]; 6] = [
        &[("||", "Or")],
        &[("&&", "And")],
        &[("==", "Eq"), ("!=", "Ne")],
        &[("<", "Lt"), ("<=", "Le"), (">", "Gt"), (">=", "Ge")],
        &[("+", "Add"), ("-", "Sub")],
        &[("*", "Mul"), ("/", "Div"), ("%", "Rem")],
    ];
    for (i, (first, one)) in table.iter().enumerate().flat_map(|(i, ops)| ops.iter().map(move |op| (i, op))) {
        for (j, (second, two)) in
            table.iter().enumerate().flat_map(|(j, ops)| ops.iter().map(move |op| (j, op)))
        {
            let source = format!("1 {first} 2 {second} 3");
            let expected =
                if j > i { format!("(1 {one} (2 {two} 3))") } else { format!("((1 {one} 2) {two} 3)") };
            assert_eq!(full(&expr(&source)), expected, "{source}");
            let prefixed = format!("-1{first}!2{second}(3)");
            let expected = if j > i {
                format!("((-1) {one} ((!2) {two} 3))")
            } else {
                format!("(((-1) {one} (!2)) {two} 3)")
            };
            assert_eq!(full(&expr(&prefixed)), expected, "{prefixed}");
        }
    }
    assert_eq!(full(&expr("1 + (2 + 3)")), "(1 Add (2 Add 3))");
    assert_eq!(full(&expr("1 < 2 < 3 == 4 == 5")), "((((1 Lt 2) Lt 3) Eq 4) Eq 5)");
}

#[test]
fn every_word_of_the_grammar_is_reserved() {
    for word in
        "var lock sem event proc let if else while for in async await finish forall forasync isolated with \
                 set P V post wait print assert return skip true false promise future new len get"
            .split_whitespace()
    {
        assert!(tp::parse(&format!("proc main() {{ let {word} = 1; }}")).is_err(), "{word}");
    }
    parse("var Var; var p; var setter; var _; var x1; proc main() { let main = 1; let inn = main; }");
}

/// The text of every expression within `let z = …`, outside in and left to right.
fn texts(source: &str) -> Vec<String> {
    fn walk(expr: &Expr, source: &str, out: &mut Vec<String>) {
        out.push(source[expr.span.start as usize..expr.span.end as usize].to_owned());
        match &expr.kind {
            ExprKind::Call(_, args) => args.iter().for_each(|arg| walk(arg, source, out)),
            ExprKind::New(e) | ExprKind::Len(e) | ExprKind::Get(e) | ExprKind::Unary(_, e) => {
                walk(e, source, out)
            }
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
                walk(left, source, out);
                walk(right, source, out);
            }
            ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Promise | ExprKind::Future(_) => {}
        }
    }
    let source = in_main(&format!("let z = {source};"));
    let mut out = Vec::new();
    if let Some(Decl::Proc(main)) = parse(&source).decls.last()
        && let StmtKind::Let(_, value) = &main.body.stmts[2].kind
    {
        walk(value, &source, &mut out);
    }
    out
}

#[test]
fn expressions_start_at_their_first_byte() {
    assert_eq!(texts("x"), ["x"]);
    assert_eq!(texts("( x )"), ["x"]);
    assert_eq!(texts("(x) + 1"), ["(x) + 1", "x", "1"]);
    assert_eq!(texts("((x) + 1)"), ["(x) + 1", "x", "1"]);
    assert_eq!(texts("x + y * a[1]"), ["x + y * a[1]", "x", "y * a[1]", "y", "a[1]", "a", "1"]);
    assert_eq!(texts("a[x] [y]"), ["a[x] [y]", "a[x]", "a", "x", "y"]);
    assert_eq!(texts("(a)[(x)]"), ["(a)[(x)]", "a", "x"]);
    assert_eq!(texts("-(x)"), ["-(x)", "x"]);
    assert_eq!(texts("- a[0].get()"), ["- a[0].get()", "a[0].get()", "a[0]", "a", "0"]);
    assert_eq!(texts("g( x ,len(a))"), ["g( x ,len(a))", "x", "len(a)", "a"]);
    assert_eq!(texts("future { skip; } . get ( )"), ["future { skip; } . get ( )", "future { skip; }"]);
    assert_eq!(texts("-9223372036854775808"), ["-9223372036854775808"]);
}

#[test]
fn accesses_are_at_their_line_and_column() {
    let source =
        Source::new("f.tp", "var x; var a[2];\r\nproc main() {\r\n\tx = x +\r\n\t\ta[x]; // ä\r\n}\r\n");
    let Decl::Proc(main) = &parse(&source.text).decls[2] else { panic!() };
    let StmtKind::Assign(place, value) = &main.body.stmts[0].kind else { panic!() };
    let ExprKind::Binary(_, left, right) = &value.kind else { panic!() };
    let at = |expr: &Expr| source.place(expr.span.start);
    assert_eq!([at(place), at(value), at(left), at(right)], [(3, 2), (3, 6), (3, 6), (4, 3)]);
}

#[test]
fn statements_and_blocks_span_their_text() {
    let source = in_main("async f() ; if (x) { skip; } else if (y) { }");
    let Some(Decl::Proc(main)) = parse(&source).decls.pop() else { panic!() };
    let text = |span: tp::ast::Span| &source[span.start as usize..span.end as usize];
    let [.., spawn, choice] = main.body.stmts.as_slice() else { panic!() };
    assert_eq!(text(spawn.span), "async f() ;");
    assert_eq!(text(choice.span), "if (x) { skip; } else if (y) { }");
    let StmtKind::Async { body, .. } = &spawn.kind else { panic!() };
    assert_eq!(text(body.span), "f() ;");
    let StmtKind::If(_, then, Some(other)) = &choice.kind else { panic!() };
    assert_eq!([text(then.span), text(other.span)], ["{ skip; }", "if (y) { }"]);
}

#[test]
fn names_mean_what_the_rule_says() {
    for good in [
        "let x = x + 1; x = 2;",
        "let a = 1; a = 2;",
        "let l = 1; with l { x = l; }",
        "let s = 1; P(s); x = s;",
        "let f = 1; f(); x = f;",
        "for a in 0..a[0] { a = 1; }",
        "let t = 1; async { t = t + 1; } let r = future { return t; };",
        "let t = 1; let t = t + 1;",
        "if (x) { let t = 1; } else { let t = 2; } let t = 3;",
        "main(); late(); z = 1;",
    ] {
        parse(&format!("{} proc late() {{}} var z;", in_main(good)));
    }
    for (bad, message) in [
        ("t = 1;", "unknown name `t`"),
        ("if (x) { let t = 1; } t = 2;", "unknown name `t`"),
        ("for t in 0..t {}", "unknown name `t`"),
        ("let t = t;", "unknown name `t`"),
        ("let r = future { let t = 1; return t; }; print(t);", "unknown name `t`"),
        ("async await(t) { let t = 1; }", "unknown name `t`"),
        ("let h = 1; h();", "unknown proc `h`"),
        ("x = l;", "expected a value, but `l` is a lock"),
        ("a = 1;", "cannot assign to `a`, which is an array"),
        ("with s {}", "expected a lock, but `s` is a semaphore"),
        ("with p {}", "expected a lock, but `p` is a local"),
        ("g(1);", "`g` takes 2 arguments, found 1"),
    ] {
        assert_eq!(error(&in_main(bad)), message, "{bad}");
    }
}

#[test]
fn what_happens_when_it_runs_is_no_static_error() {
    for source in [
        "isolated { async { skip; } with l { skip; } p.get(); }",
        "x = promise() + 1;",
        "3[4] = 5;",
        "x = 1 / 0;",
        "with l { with l { skip; } }",
        "(future {}).set(1);",
        "let n = new(-1);",
        "assert(false);",
        "a[9] = 1;",
    ] {
        parse(&in_main(source));
    }
}

#[test]
fn shared_cells_are_limited() {
    let program = |cells: u64| format!("var a[{cells}]; var x; proc main() {{}}");
    parse(&program(MAX_SHARED_CELLS - 1));
    assert!(error(&program(MAX_SHARED_CELLS)).contains("268435456"));
    assert!(
        error("var a[9223372036854775807]; var b[9223372036854775807]; proc main() {}").contains("268435456")
    );
}

/// On a stack half as large as that of an ordinary thread.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1 << 20).spawn(test).unwrap().join().unwrap();
}

#[test]
fn nesting_is_limited_and_nothing_overflows() {
    type Nest = (&'static str, &'static str, &'static str);
    let nests: [Nest; 16] = [
        ("x = ", "(", "1"),
        ("x = ", "-", "1"),
        ("x = ", "!", "1"),
        ("x = ", "a[", "1"),
        ("x = ", "f(", "1"),
        ("x = ", "new(", "1"),
        ("x = ", "future { return ", "1"),
        ("x = ", "1 + (", "1"),
        ("x = ", "1 < 2 + 3 * (", "1"),
        ("", "if (1) { ", ""),
        ("", "if (1) {} else ", "{}"),
        ("", "async await(future { return future {", ""),
        ("", "finish {", ""),
        ("", "{", ""),
        ("", "f(future { ", ""),
        ("x = ", "(((a[", ""),
    ];
    on_a_small_stack(move || {
        for (start, open, end) in nests {
            for times in [1, 20, 40, 60, 90, 120, 150, 100_000] {
                let source = format!("var x; proc main() {{ {start}{}{end}", open.repeat(times));
                let errors = match tp::syntax(&source) {
                    Ok(_) => panic!("{source} is not closed"),
                    Err(errors) => errors,
                };
                // Each bare block is an error of its own.
                assert!(errors.len() <= 3 || open == "{", "{} errors for {times} times {open}", errors.len());
                if times == 100_000 {
                    let limit = format!("nested more than {MAX_NESTING} levels deep");
                    assert!(errors.iter().any(|error| error.message == limit), "{open}: {errors:?}");
                }
            }
        }
    });
}

/// As deep as a tree gets: parsed, checked, cloned, compared, printed, erased, dropped.
#[test]
fn the_deepest_trees_can_be_walked() {
    on_a_small_stack(|| {
        let mut deepest = 0;
        for levels in (1..=MAX_NESTING as usize).rev() {
            let source =
                format!("var x; proc main() {{ x = {}1{}; }}", "(".repeat(levels), ")".repeat(levels));
            if tp::parse(&source).is_ok() {
                deepest = levels;
                break;
            }
        }
        assert!(deepest > MAX_NESTING as usize - 10, "{deepest}");
        for (open, close) in [("(", ")+1+1"), ("a[", "][0].get()"), ("-(", ")*2*3"), ("f(", ").get()[1]")] {
            let mut accepted = 0;
            for levels in 1..=deepest {
                let source = format!(
                    "var x; var a[1]; proc f(n) {{}} proc main() {{ x = {}1{}; }}",
                    open.repeat(levels),
                    close.repeat(levels)
                );
                let Ok(program) = tp::parse(&source) else { continue };
                accepted += 1;
                let copy = program.clone();
                assert_eq!(copy, program);
                assert_eq!(without_spans(parse(&print(&program))), without_spans(copy));
            }
            assert!(accepted > 40, "{open} {accepted}");
        }
    });
}

#[test]
fn chains_are_limited_and_nothing_overflows() {
    type Chain = (&'static str, &'static str);
    let chains: [Chain; 6] = [
        ("1", " + 1"),
        ("x", "[0]"),
        ("x", ".get()"),
        ("1", " && 1"),
        ("1", " * 1 + 1"),
        ("(1+1)", "-(1+1)"),
    ];
    on_a_small_stack(move || {
        for (first, next) in chains {
            let program = |times| format!("var x; proc main() {{ x = {first}{}; }}", next.repeat(times));
            let short = parse(&program(MAX_DEPTH as usize / 2 - 10));
            assert_eq!(without_spans(parse(&print(&short))), without_spans(short));
            for times in [MAX_DEPTH as usize + 10, 100_000] {
                let errors = tp::parse(&program(times)).unwrap_err();
                assert_eq!(errors.len(), 1);
                assert_eq!(errors[0].message, format!("an expression of more than {MAX_DEPTH} levels"));
            }
        }
    });
    // Long is not deep.
    parse(&format!("var x; proc main() {{ {} }}", "x = x + 1; ".repeat(100_000)));
    parse(&format!("proc main() {{ print(1{}); }}", ", 1".repeat(100_000)));
}

#[test]
fn blanks_and_comments_are_nothing() {
    let tight = "var x;var a[2];proc main(){x=-1;for i in 0..2{a[i]=i;}}";
    let loose = "\u{feff}// first\n var\tx ; var a [ 2 ] ;\r\nproc main ( ) // é\n{ x = - 1 ;\n\n for i in 0 .. 2 // }\n\
                 { a [ i ] = i ; } } // no newline";
    assert_eq!(without_spans(parse(tight)), without_spans(parse(loose)));
}

#[test]
fn printed_as_a_person_would_write_it() {
    let source = "\
var x = -1;
var a[3];
sem s = 1;

proc f(p, q) {
    return p + q * (1 - 2) - (3 - 4);
}

proc main() {
    if (x < 1) {
        skip;
    } else if (-(x + 1) == 2) {
        finish {
            async await(x) {
                f(1, a[x].get());
            }
        }
    } else {}
    let r = future {
        return (-x)[0];
    };
    for i in 0..len(a) {
        P(s);
    }
}
";
    assert_eq!(print(&parse(source)), source);
}

#[test]
fn trees_built_by_hand_print_as_what_they_mean() {
    let minus_five = Expr { kind: ExprKind::Int(-5), span: Default::default() };
    let index = |base: Expr| Expr {
        kind: ExprKind::Index(Box::new(base), Box::new(name("x"))),
        span: Default::default(),
    };
    assert_eq!(index(minus_five).to_string(), "(-5)[x]");
    assert_eq!(index(name("a")), expr("a[x]"));
    assert_eq!(block("skip;").stmts, [Stmt { kind: StmtKind::Skip, span: Default::default() }]);
}
