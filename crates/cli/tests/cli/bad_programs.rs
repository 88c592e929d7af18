//! Programs that are too deep, too large, endless or at the edge of arithmetic: each ends in a
//! clear message and the right status, never in a panic, an abort or a stack overflow. They run in
//! the binary, because nothing in the same process survives a stack overflow.

use crate::common;

use common::command::{Done, check, raceproof, run_with_input};

/// `open` so many times, `middle`, and `close` as often.
fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!("{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_nesting() {
    let depths = [1_000, 100_000];
    let deep = |depth| {
        [
            format!("proc main() {{ let x = {}; }}", nested("(", "1", ")", depth)),
            format!("proc main() {{ let x = {}1; }}", "-".repeat(depth)),
            format!("proc main() {{ let x = {}1; }}", "1 + ".repeat(depth)),
            format!("proc main() {}", nested("{ if (1) ", "{}", "}", depth)),
            format!("proc main() {}", nested("{ finish ", "{}", "}", depth)),
            format!("proc main() {}", nested("{ async ", "{}", "}", depth)),
            format!("proc main() {{ if (1) {{}} {} }}", "else if (1) {} ".repeat(depth)),
            format!("proc main() {{ let x = {}; }}", nested("future { return ", "1", "; }", depth)),
            format!("var a[1]; proc main() {{ a{} = 1; }}", "[0]".repeat(depth)),
            format!("proc f(x) {{ }} proc main() {{ {}; }}", nested("f(", "1", ")", depth)),
        ]
    };
    for program in depths.into_iter().flat_map(deep) {
        check(&program, &[]).expect_status(2).says("levels");
    }
}

#[test]
fn unfinished_and_hostile_sources() {
    for program in
        ["(", "proc main() {", "\u{0}", "// no end of line", "proc main() { let x = 99999999999999999999; }"]
    {
        check(program, &[]).expect_status(2);
    }
    for brackets in ["(", "[", "{", "}", "((((", "/", "\"", "finish {", "var"] {
        check(&brackets.repeat(100_000), &[]).expect_status(2);
    }
}

#[test]
fn a_source_of_ten_megabytes() {
    let line = "    x = x + 1; // nothing to see here\n";
    let program = format!("var x;\nproc main() {{\n{}}}\n", line.repeat(10_000_000 / line.len()));
    check(&program, &[]).expect_status(0).says("race-free");
    let one_line = program.replace('\n', "").replace("// nothing to see here", "");
    let racy = one_line.replace("proc main() {", "proc main() { async { x = 1; }");
    let done = check(&racy, &["--max-events", "10"]).expect_status(1);
    assert!(done.stdout.len() < 10_000, "one line of it is not shown whole");
    check(&format!("{program}}}"), &[]).expect_status(2);
    check(&"é".repeat(5_000_000), &[]).expect_status(2);
}

#[test]
fn huge_arrays() {
    check("var a[999999999999]; proc main() { a[0] = 1; }", &[]).expect_status(2).says("shared cells");
    check("var a[200000000]; var b[200000000]; proc main() {}", &[]).expect_status(2).says("shared cells");
    check("proc main() { let a = new(999999999999); }", &[])
        .expect_status(3)
        .says("<stdin>:1:23: too many shared cells: 999999999999 more after 0");
    check("proc main() { let a = new(9223372036854775807); }", &[]).expect_status(3);
    check("proc main() { let a = new(-1); }", &[]).expect_status(1).says("negative-size");
}

#[test]
fn empty_arrays() {
    let program = "var a[0]; proc main() { let b = new(0); let c = new(1);
        assert(len(a) == 0 && len(b) == 0 && b == b && b != c); async { c[0] = 1; } c[0] = 2; }";
    let done = check(program, &[]).expect_status(1);
    // The empty array before it has the same address; the name must be that of the array with the
    // cell.
    done.says("race 1 on new@1[0]").says("race: 1 race.");
    check("var a[0]; proc main() { a[0] = 1; }", &[]).expect_status(1).says("index 0 of an array of 0");
    check("proc main() { let b = new(0); b[0] = 1; }", &[]).expect_status(1).says("index 0 of an array of 0");
}

#[test]
fn endless_recursion() {
    check("proc f(n) { return f(n + 1); } proc main() { f(0); }", &[])
        .expect_status(3)
        .says("<stdin>:1:20: more than 1048576 calls in one task have not returned: endless recursion?");
    check(
        "proc f() { return future { return f(); }.get(); } proc main() { f(); }",
        &["--max-events", "100000"],
    )
    .expect_status(3)
    .says("limit of 100000 accesses");
}

#[test]
fn deep_recursion_is_no_error() {
    let program = "var x; proc f(n) { if (n > 0) { f(n - 1); } else { x = 1; } }
        proc main() { async f(1000000); x = 2; }";
    let done = check(program, &["--format", "json"]).expect_status(1);
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let stack = report["races"][0]["first"]["stack"].as_array().unwrap();
    assert!(stack.len() < 200, "{} calls listed", stack.len());
    assert!(stack.iter().any(|frame| frame["function"].as_str().unwrap().ends_with("further calls")));
}

/// Memory in gigabytes, so that the test is short; the limits of the defaults are the same code.
const LITTLE_MEMORY: [&str; 2] = ["--max-memory", "0.3"];

#[test]
#[cfg(target_os = "linux")]
fn endless_growth() {
    for program in [
        "proc f() { async f(); } proc main() { f(); }",
        "proc main() { while (true) { async { promise().get(); } } }",
        "proc main() { while (true) { finish { async { skip; } } } }",
        "proc main() { while (true) { let p = promise(); } }",
        "sem s; proc main() { while (true) { V(s); } }",
    ] {
        check(program, &LITTLE_MEMORY)
            .expect_status(3)
            .says("more than 0.3 GB of memory; raise --max-memory");
    }
}

#[test]
fn endless_loops() {
    for program in [
        "proc main() { while (true) { skip; } }",
        "var x; proc main() { while (true) { x = x + 1; } }",
        "proc main() { for i in 0..9223372036854775807 { skip; } }",
        "proc main() { async { while (true) { print(1, 2, 3); } } while (true) { isolated { skip; } } }",
        "proc main() { while (true) { finish { async { skip; } } } }",
    ] {
        for detector in ["default", "drdp"] {
            check(program, &["--max-seconds", "0.2", "--detector", detector])
                .expect_status(3)
                .says("the time limit was reached before the program ended; raise --max-seconds");
        }
    }
    check("var x; proc main() { while (true) { x = 1; } }", &["--max-events", "1000"])
        .expect_status(3)
        .says("the limit of 1000 accesses and synchronisations was reached before the program ended; raise --max-events");
}

/// What was found before the limit is reported, although the program runs again to explain it.
#[test]
fn races_and_errors_before_a_limit() {
    for endless in ["skip;", "y = y + 1;"] {
        let program =
            format!("var x; var y; proc main() {{ async {{ x = 1; }} x = 2; while (true) {{ {endless} }} }}");
        for limit in [["--max-seconds", "0.2"], ["--max-events", "1000"]] {
            if endless == "skip;" && limit[0] == "--max-events" {
                continue;
            }
            check(&program, &limit).expect_status(1).says("race 1 on x: feasible").says("limit: the");
        }
        let program = format!("var y; proc main() {{ async {{ assert(0); }} while (true) {{ {endless} }} }}");
        check(&program, &["--max-seconds", "0.2"]).expect_status(1).says("program error (assertion)");
    }
}

#[test]
fn spinning_on_a_flag_that_the_parent_sets() {
    check("var flag; proc main() { async { while (flag == 0) { skip; } } flag = 1; }", &[])
        .expect_status(1)
        .says("race 1 on flag: feasible");
    check("var flag; proc main() { async { let go = 0; while (go == 0) { isolated { go = flag; } } } isolated { flag = 1; } }", &[])
        .expect_status(0);
}

#[test]
fn a_million_tasks() {
    check("var a[1000000]; proc main() { forall i in 0..1000000 { a[i] = i; } }", &[])
        .expect_status(0)
        .says("1,000,001 tasks");
    let blocked =
        "var x; proc main() { let p = promise(); for i in 0..1000000 { async { p.get(); } } p.set(1); }";
    check(blocked, &[]).expect_status(0).says("1,000,001 tasks");
    let done = check(&blocked.replace("p.set(1);", ""), &["--format", "json"]).expect_status(1);
    assert!(done.stdout.len() < 100_000_000, "{} bytes", done.stdout.len());
}

#[test]
fn a_chain_of_tasks_one_hundred_thousand_deep() {
    let chain = "var x; proc f(n) { if (n > 0) { async f(n - 1); } else { x = 1; } }
        proc main() { f(100000); x = 2; }";
    check(chain, &[]).expect_status(1).says("main/1*100000 writes x");
    let small = |done: Done| assert!(done.stdout.len() < 50_000_000, "{} bytes", done.stdout.len());
    small(check(chain, &["--format", "json"]).expect_status(1));
    let finishes = "proc f(n) { if (n > 0) { finish { async f(n - 1); } } } proc main() { f(100000); }";
    let futures = "proc f(n) { if (n > 0) { return future { return f(n - 1); }.get() + 1; } return 0; }
        proc main() { assert(f(100000) == 100000); }";
    for detector in ["default", "esp-bags", "drdp"] {
        check(finishes, &["--detector", detector]).expect_status(0);
        if detector != "esp-bags" {
            check(futures, &["--detector", detector]).expect_status(0);
        }
    }
    check(finishes, &["--detector", "zipper"]).expect_status(2).says("use the default detector");
    let waiting = "proc f(n, p) { if (n > 0) { async { skip; } async f(n - 1, p); } p.get(); }
        proc main() { f(100000, promise()); }";
    small(check(waiting, &["--format", "json"]).expect_status(1));
    let mut graph = raceproof();
    let done =
        run_with_input(graph.args(["graph", "-", "--format", "json"]), finishes.as_bytes()).expect_status(0);
    assert!(done.stdout.len() < 250_000_000, "{} bytes", done.stdout.len());
}

#[test]
fn very_many_races() {
    let program = "var a[200001]; proc main() { forall i in 0..200000 { a[i] = a[i + 1]; } }";
    check(program, &[])
        .expect_status(1)
        .says("race: 1 race on 100,000 locations")
        .says("100000 of 199999 races");
    let program = "var x; proc main() { forall i in 0..2000 { x = x + 1; } }";
    for detector in ["default", "zipper", "esp-bags", "drdp"] {
        check(program, &["--detector", detector]).expect_status(1).says("race: 1 race.");
    }
}

#[test]
fn the_edges_of_arithmetic() {
    let min = "(-9223372036854775807 - 1)";
    for (expression, value) in [
        (format!("{min} / -1"), min),
        (format!("{min} % -1"), "0"),
        (format!("-{min}"), min),
        ("9223372036854775807 + 1".to_owned(), min),
        (format!("{min} * -1"), min),
        (format!("{min} - 1"), "9223372036854775807"),
    ] {
        check(&format!("proc main() {{ assert(({expression}) == {value}); }}"), &[]).expect_status(0);
    }
    for operator in ["/", "%"] {
        check(&format!("proc main() {{ let x = {min} {operator} 0; }}"), &[])
            .expect_status(1)
            .says("division");
    }
    let done = check(
        "proc main() { for i in 9223372036854775806..9223372036854775807 { print(i); } print(0); }",
        &["--show-output"],
    );
    assert_eq!(done.expect_status(0).stderr, "9223372036854775806\n0\n");
    let backwards = format!("proc main() {{ for i in 9223372036854775807..{min} {{ assert(0); }} }}");
    check(&backwards, &[]).expect_status(0);
    check(&format!("var a[3]; proc main() {{ a[{min}] = 1; }}"), &[]).expect_status(1).says("bounds");
    check("var a[3]; proc main() { a[4294967296] = 1; }", &[]).expect_status(1).says("bounds");
    check("sem s = 9223372036854775807; proc main() { V(s); P(s); }", &[]).expect_status(0);
}

#[test]
fn printing_without_end() {
    let done =
        check("proc main() { while (true) { print(1, 2, 3); } }", &["--show-output", "--max-seconds", "2"]);
    let done = done.expect_status(3);
    assert!(done.stderr.len() < 20_000_000, "{} bytes", done.stderr.len());
    assert!(done.stderr.starts_with("1 2 3\n"));
}
