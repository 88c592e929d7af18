//! The oracle against results worked out by hand from LANGUAGE.md, one rule at a time.

use crate::oracle;

use oracle::{Limits, Outcome, explore, schedules};
use raceproof_tp as tp;
use std::collections::BTreeSet;

/// Explores with and without merging of enabling actions; both must find the same.
fn run(source: &str) -> Outcome {
    let program = match tp::parse(source) {
        Ok(program) => program,
        Err(errors) => panic!("{}", tp::render("test.tp", source, &errors, false)),
    };
    let merged = explore(&program, source, Limits::default());
    let plain = explore(&program, source, Limits { merge_enabling: false, ..Limits::default() });
    assert!(plain.complete && merged.complete);
    assert_same(&plain, &merged);
    merged
}

fn assert_same(plain: &Outcome, merged: &Outcome) {
    assert_eq!(plain.races, merged.races);
    assert_eq!(plain.final_states, merged.final_states);
    assert_eq!(plain.deadlocks, merged.deadlocks);
    assert_eq!(plain.deadlock_states, merged.deadlock_states);
    assert_eq!(plain.errors, merged.errors);
    assert_eq!(plain.determinate, merged.determinate);
}

/// `x: R3:5 / W4:5`: which location, and the two sides with line and column.
fn races(outcome: &Outcome) -> Vec<String> {
    outcome.races.iter().map(|race| race.to_string()).collect()
}

fn errors(outcome: &Outcome) -> Vec<String> {
    outcome.errors.iter().map(|error| error.to_string()).collect()
}

/// The values a cell can have in the end.
fn finals(outcome: &Outcome, name: &str) -> Vec<i64> {
    let values: BTreeSet<i64> =
        outcome.final_states.iter().map(|memory| memory[name].parse().unwrap()).collect();
    values.into_iter().collect()
}

/// No race, no deadlock, no error, and these values in the end.
#[track_caller]
fn assert_quiet(source: &str, cells: &[(&str, &[i64])]) {
    let outcome = run(source);
    assert_eq!(races(&outcome), [""; 0]);
    assert_eq!(errors(&outcome), [""; 0]);
    assert!(outcome.deadlocks.is_empty());
    for (name, values) in cells {
        assert_eq!(finals(&outcome, name), *values, "{name}");
    }
}

#[track_caller]
fn assert_races(source: &str, expected: &[&str]) {
    assert_eq!(races(&run(source)), expected);
}

#[track_caller]
fn assert_errors(source: &str, expected: &[&str]) {
    assert_eq!(errors(&run(source)), expected);
}

/// Who waits for what, for every deadlock: `main: get main:promise1; main/1: finish`.
fn deadlocks(outcome: &Outcome) -> Vec<String> {
    let task = |blocked: &oracle::Blocked| format!("{}: {}", blocked.task, blocked.waits_for);
    outcome.deadlocks.iter().map(|tasks| tasks.iter().map(task).collect::<Vec<_>>().join("; ")).collect()
}

// ---- the worked examples of the papers

#[test]
fn zipper_figure_2_has_no_race() {
    let source = "var x; var a; var y;
proc main() { finish { async p(); isolated { a = true; } y = x; } }
proc p() { isolated { if (!a) { x = true; } } }";
    assert_quiet(source, &[("x", &[0, 1]), ("y", &[0, 1]), ("a", &[1])]);
    let outcome = run(source);
    assert_eq!(outcome.final_states.len(), 2);
    assert!(!outcome.determinate);
    let program = tp::parse(source).unwrap();
    assert_eq!(schedules(&program, 10_000).unwrap().len(), 11);
}

#[test]
fn dc_figure_1_races_though_the_sections_come_first() {
    let source = "var x;
proc main() { finish {
  async { isolated { x = 1; } }
  async { isolated { x = 2; } x = 3; }
} }";
    assert_races(source, &["x: W3:22 / W4:31"]);
}

#[test]
fn dc_figure_4_races_only_when_the_sections_come_in_the_order_2_3() {
    let source = "var x; var y;
proc main() { finish {
  async { x = 1; isolated { x = 2; } }
  async { isolated { y = 1; } }
  async { isolated { if (y) { x = 3; } } }
} }";
    assert_races(source, &["x: W3:11 / W5:31"]);
}

#[test]
fn drdp_figure_1_races_with_the_first_load_only() {
    let source = "var x; var a; var b;
proc main() {
  let y = promise();
  async { x = 5; y.set(); }
  a = x;
  y.get();
  b = x;
}";
    let outcome = run(source);
    assert_eq!(races(&outcome), ["x: R5:7 / W4:11"]);
    assert_eq!(finals(&outcome, "a"), [0, 5]);
    assert_eq!(finals(&outcome, "b"), [5]);
}

#[test]
fn the_trap_of_the_drdp_schedule_is_a_race() {
    let source = "var x;
proc main() {
  let p = promise(); let q = promise();
  async { p.get(); q.get(); }
  async { x = 1; p.set(); }
  let r = x;
  q.set();
}";
    assert_races(source, &["x: R6:11 / W5:11"]);
}

#[test]
fn drdp_figure_6_orders_through_a_non_tree_join() {
    let source = "var s; var t;
proc main() {
  let a = promise(); let b = promise();
  s = 1;
  async { s = 2; a.set(); t = 1; }
  a.get();
  async { s = s + 1; b.set(); }
  b.get();
  s = s * 2;
}";
    assert_quiet(source, &[("s", &[6]), ("t", &[1])]);
}

#[test]
fn nakade_example_ends_in_1_2_or_3() {
    let source = "var x;
proc main() {
  finish {
    async { let t = x; x = t + 1; }
    async { let u = x; x = u + 2; }
  }
  print(x);
}";
    let outcome = run(source);
    assert_eq!(finals(&outcome, "x"), [1, 2, 3]);
    assert_eq!(races(&outcome), ["x: R4:21 / W5:24", "x: R5:21 / W4:24", "x: W4:24 / W5:24"]);
}

#[test]
fn data_race_isolate_simple_races_whoever_is_first() {
    let source = "var g;
proc main() {
  finish { g = 0; async { isolated { print(1); } g = 2; } isolated { g = 1; } }
}";
    assert_races(source, &["g: W3:50 / W3:70"]);
}

// ---- tasks, finish and copies of locals

#[test]
fn a_child_races_with_what_follows_its_start() {
    let outcome = run("var x; proc main() {\nx = 1;\nasync { x = 2; }\nx = 3;\n}");
    assert_eq!(races(&outcome), ["x: W3:9 / W4:1"]);
    assert_eq!(finals(&outcome, "x"), [2, 3]);
}

#[test]
fn two_reads_do_not_race() {
    assert_quiet("var x = 4; var y; proc main() { async { let r = x; } y = x; }", &[("y", &[4])]);
}

#[test]
fn a_read_modify_write_in_one_task_does_not_race_with_itself() {
    assert_quiet("var x = 4; proc main() { x = x + x * x; }", &[("x", &[20])]);
}

#[test]
fn finish_waits_transitively() {
    let source = "var x; proc main() {
finish { async { async { async { x = 1; } } } }
x = x + 1; }";
    assert_quiet(source, &[("x", &[2])]);
}

#[test]
fn finish_does_not_wait_for_tasks_started_before_it() {
    let source = "var x; proc main() {
async { x = 1; }
finish { async { skip; } }
x = 2; }";
    assert_races(source, &["x: W2:9 / W4:1"]);
}

#[test]
fn an_inner_finish_waits_for_its_own_tasks_only() {
    let source = "var x; var y; proc main() { finish {
async { finish { async { x = 1; } } y = x; }
async { x = 2; }
} }";
    assert_races(source, &["x: R2:41 / W3:9", "x: W2:26 / W3:9"]);
}

#[test]
fn tasks_of_a_called_proc_belong_to_the_finish_of_the_caller() {
    let source = "var x; proc f() { async { x = 1; } } proc main() { finish { f(); } x = x + 1; }";
    assert_quiet(source, &[("x", &[2])]);
}

#[test]
fn main_has_no_finish_of_its_own() {
    let source = "var x; proc f() { async { x = 1; } } proc main() { f();\nx = 2; }";
    assert_races(source, &["x: W1:27 / W2:1"]);
}

#[test]
fn children_get_copies_of_locals() {
    let source = "var a; var b; proc main() {
  let v = 1;
  finish { async { v = v + 10; a = v; } v = v + 100; }
  b = v;
}";
    assert_quiet(source, &[("a", &[11]), ("b", &[101])]);
}

#[test]
fn forall_runs_its_rounds_in_parallel_and_joins() {
    let source = "var a[3]; var s; proc main() {
  forall i in 0..3 { a[i] = i; i = 7; }
  s = a[0] + a[1] + a[2];
}";
    assert_quiet(source, &[("s", &[3])]);
    let racy = "var a[3]; proc main() {\nforall i in 0..2 {\na[i] = a[i+1]; } }";
    assert_races(racy, &["a[1]: R3:8 / W3:1"]);
}

#[test]
fn forasync_does_not_join() {
    let source = "var a[2]; var s; proc main() {
  forasync i in 0..2 { a[i] = 1; }
  s = a[1];
}";
    assert_races(source, &["a[1]: R3:7 / W2:24"]);
}

#[test]
fn an_async_call_evaluates_its_arguments_in_the_child() {
    let source = "var x; var y; proc f(v) { y = v; } proc main() {
async f(x);
x = 1; }";
    let outcome = run(source);
    assert_eq!(races(&outcome), ["x: R2:9 / W3:1"]);
    assert_eq!(finals(&outcome, "y"), [0, 1]);
}

// ---- return

#[test]
fn return_joins_the_finishes_it_leaves() {
    let source = "var x; proc f() { finish { async { x = 1; } return 5; } }
proc main() { let v = f(); x = x + v; }";
    assert_quiet(source, &[("x", &[6])]);
}

#[test]
fn return_evaluates_its_value_before_it_joins() {
    let source = "var x; var y; proc f() { finish { async { x = 1; }
return x; } }
proc main() { y = f(); }";
    let outcome = run(source);
    assert_eq!(races(&outcome), ["x: R2:8 / W1:43"]);
    assert_eq!(finals(&outcome, "y"), [0, 1]);
}

#[test]
fn return_in_an_async_ends_the_task_only() {
    let source = "var x; var y; proc f() { finish { async { if (true) { return; } x = 1; } } y = 1; return; }
proc main() { f(); y = y + 1; }";
    assert_quiet(source, &[("x", &[0]), ("y", &[2])]);
}

#[test]
fn return_leaves_isolated_and_locks() {
    let source = "var x; lock l;
proc f() { isolated { isolated { return 1; } } }
proc g() { with l { for i in 0..9 { while (true) { return 2; } } } }
proc main() { finish {
  async { x = f() + 0; with l { isolated { skip; } } }
  async { g(); with l { isolated { skip; } } }
} }";
    assert_quiet(source, &[("x", &[1])]);
}

#[test]
fn return_in_a_task_joins_inside_out_before_the_task_ends() {
    let source = "var x; var y; proc main() {
  let f = future { finish { async { x = 1; } finish { async { y = 1; } return x * 0 + 7; } } };
  let v = f.get();
  y = y + v;
}";
    let outcome = run(source);
    assert_eq!(finals(&outcome, "y"), [8]);
    assert_eq!(races(&outcome), ["x: R2:79 / W2:37"]);
}

#[test]
fn a_value_not_given_is_0() {
    let source = "var x = 9; var y = 9; var z = 9; proc f() { return; } proc g() { }
proc main() { x = f(); y = g(); let h = future { skip; }; z = h.get(); }";
    assert_quiet(source, &[("x", &[0]), ("y", &[0]), ("z", &[0])]);
}

#[test]
fn recursion_works() {
    let source = "var x; proc fact(n) { if (n <= 1) { return 1; } return n * fact(n - 1); }
proc main() { x = fact(6); }";
    assert_quiet(source, &[("x", &[720])]);
}

// ---- futures and promises

#[test]
fn get_of_a_future_waits_for_its_body() {
    let source = "var x; proc main() { let f = future { x = 1; return 5; }; let v = f.get(); x = x + v; }";
    assert_quiet(source, &[("x", &[6])]);
}

#[test]
fn get_of_a_future_does_not_wait_for_tasks_it_started() {
    let source = "var x; proc main() {
let f = future { async { x = 1; } };
f.get();
x = 2; }";
    assert_races(source, &["x: W2:26 / W4:1"]);
}

#[test]
fn a_future_belongs_to_the_enclosing_finish() {
    let source = "var x; proc main() { finish { let f = future { async { x = 1; } }; } x = x + 1; }";
    assert_quiet(source, &[("x", &[2])]);
}

#[test]
fn a_promise_carries_its_value_to_every_getter() {
    let source = "var a; var b; var ps[1]; proc main() { finish {
  ps[0] = promise();
  let p = ps[0];
  async { a = ps[0].get() + 1; }
  async { let q = p; b = q.get() + 2; }
  p.set(40);
} }";
    let outcome = run(source);
    assert_eq!(races(&outcome), [""; 0]);
    assert_eq!((finals(&outcome, "a"), finals(&outcome, "b")), (vec![41], vec![42]));
    assert!(outcome.determinate);
    assert_eq!(outcome.final_states.first().unwrap()["ps[0]"], "&main:promise1");
}

#[test]
fn what_the_setter_does_after_the_set_is_not_ordered() {
    let source = "var x; proc main() {
let p = promise();
async { p.set();
x = 1; }
p.get();
x = 2; }";
    assert_races(source, &["x: W4:1 / W6:1"]);
}

#[test]
fn a_second_set_is_an_error_of_whoever_comes_second() {
    let source = "proc main() {\nlet p = promise();\nasync { p.set(1); }\np.set(2); }";
    let outcome = run(source);
    assert_eq!(errors(&outcome), ["second-set 3:9 main/1", "second-set 4:1 main"]);
    assert!(outcome.final_states.is_empty());
}

#[test]
fn a_get_that_nobody_fulfils_is_a_deadlock() {
    let outcome = run("proc main() { let p = promise(); finish { async { p.get(); } } }");
    assert_eq!(deadlocks(&outcome), ["main: finish; main/1: get main:promise1"]);
    assert!(outcome.final_states.is_empty());
    assert!(outcome.determinate);
}

#[test]
fn a_deadlock_on_one_path_only() {
    let source =
        "var x; proc main() { let p = promise(); async { if (x == 1) { p.set(); } } x = 1; p.get(); }";
    let outcome = run(source);
    assert_eq!(deadlocks(&outcome), ["main: get main:promise1"]);
    assert_eq!(finals(&outcome, "x"), [1]);
    assert!(!outcome.determinate);
}

#[test]
fn await_starts_once_all_are_set() {
    let source = "var x; proc main() { finish {
  let p = promise();
  let f = future { x = 1; };
  async await(p, f) { x = x + 1; }
  p.set();
} x = x * 2; }";
    assert_quiet(source, &[("x", &[4])]);
    let racy = "var x; proc main() {\nlet p = promise();\nasync await(p) { x = 1; }\np.set();\nx = 2; }";
    assert_races(racy, &["x: W3:18 / W5:1"]);
}

#[test]
fn await_operands_are_evaluated_by_the_parent() {
    let source = "var ps[2]; var x; proc main() {
  ps[0] = promise(); ps[1] = promise();
  let i = 0;
  async await(ps[i]) { x = i; }
  i = 1;
  ps[0] = ps[1];
  ps[1].set();
}";
    assert_eq!(deadlocks(&run(source)), ["main/1: await main:promise1"]);
}

#[test]
fn futures_can_be_awaited_and_passed_in_cells() {
    let source = "var c; var x; proc main() {
  c = future { return future { return 3; }; };
  let inner = c.get();
  x = inner.get() + inner.get();
}";
    assert_quiet(source, &[("x", &[6])]);
}

// ---- isolated, locks, semaphores, events

#[test]
fn isolated_sections_exclude_each_other_only() {
    let both = "var x; proc main() { finish { async { isolated { x = x + 1; } } isolated { x = x + 1; } } }";
    assert_quiet(both, &[("x", &[2])]);
    let one = "var x; proc main() { async { isolated { x = x + 1; } }\nx = 5; }";
    let outcome = run(one);
    assert_eq!(races(&outcome), ["x: R1:45 / W2:1", "x: W1:41 / W2:1"]);
    assert_eq!(finals(&outcome, "x"), [1, 5, 6]);
}

#[test]
fn an_unprotected_task_moves_inside_an_isolated_section() {
    let source = "var x; var y; var z; proc main() {
  async { x = 1; }
  isolated { y = x; z = x; }
}";
    let outcome = run(source);
    let pairs: Vec<_> = outcome.final_states.iter().map(|m| (m["y"].as_str(), m["z"].as_str())).collect();
    assert_eq!(pairs.len(), 3);
    assert!(pairs.contains(&("0", "1")));
}

#[test]
fn nested_isolated_counts_as_one() {
    let source = "var x; proc f() { isolated { x = x + 1; } }
proc main() { finish { async { isolated { f(); x = x + 1; } } isolated { f(); x = x + 1; } } }";
    assert_quiet(source, &[("x", &[4])]);
}

#[test]
fn forbidden_operations_in_isolated_are_errors_when_they_happen() {
    for forbidden in [
        "async { skip; }",
        "finish { skip; }",
        "forall i in 0..2 { skip; }",
        "forasync i in 0..2 { skip; }",
        "p.get();",
        "P(s);",
        "wait(e);",
        "let f = future { skip; };",
        "with l { skip; }",
    ] {
        let source = |condition: &str| {
            format!(
                "sem s = 1; event e; lock l;\nproc f(p) {{ if ({condition}) {{\n{forbidden}\n}} }}
proc main() {{ let p = promise(); p.set(); isolated {{ f(p); }} }}"
            )
        };
        let column = if forbidden.starts_with("let") { 9 } else { 1 };
        assert_errors(&source("true"), &[&format!("forbidden-in-isolated 3:{column} main")]);
        assert_quiet(&source("false"), &[]);
    }
}

#[test]
fn set_v_post_new_and_promise_are_allowed_in_isolated() {
    let source = "sem s; event e; var x; proc main() { let p = promise(); isolated {
  let q = promise(); let a = new(1); q.set(); p.set(4); V(s); post(e); a[0] = 3; x = a[0] + len(a);
} P(s); wait(e); x = x + p.get(); }";
    assert_quiet(source, &[("x", &[8])]);
}

#[test]
fn with_sections_of_one_lock_exclude_each_other() {
    let same = "lock l; lock m; var x; proc main() { finish { async { with l { x = x + 1; } } with l { x = x + 1; } } }";
    assert_quiet(same, &[("x", &[2])]);
    let other = "lock l; lock m; var x; proc main() {\nasync { with l { x = 1; } }\nwith m { x = 2; } }";
    assert_races(other, &["x: W2:18 / W3:10"]);
    let isolated = "lock l; var x; proc main() {\nasync { with l { x = 1; } }\nisolated { x = 2; } }";
    assert_races(isolated, &["x: W2:18 / W3:12"]);
}

#[test]
fn isolated_inside_with_is_allowed() {
    let source = "lock l; var x; proc main() { finish {
  async { with l { isolated { x = x + 1; } } }
  isolated { x = x + 1; }
} }";
    assert_quiet(source, &[("x", &[2])]);
}

#[test]
fn locks_taken_in_opposite_order_can_deadlock() {
    let source = "lock l; lock m; proc main() {
  async { with l { with m { skip; } } }
  with m { with l { skip; } }
}";
    let outcome = run(source);
    assert_eq!(deadlocks(&outcome), ["main: lock l; main/1: lock m"]);
    assert_eq!(outcome.final_states.len(), 1);
}

#[test]
fn with_on_a_lock_already_held_is_an_error() {
    let source = "lock l; proc f() {\nwith l { skip; } } proc main() { with l { f(); } }";
    assert_errors(source, &["lock-held 2:1 main"]);
}

#[test]
fn children_inherit_no_lock() {
    let source = "lock l; var x; proc main() { finish {
  with l { async { with l { x = 1; } } x = 2; }
} }";
    let outcome = run(source);
    assert!(outcome.races.is_empty() && outcome.errors.is_empty() && outcome.deadlocks.is_empty());
    assert_eq!(finals(&outcome, "x"), [1]);
    let unprotected = "lock l; var x; proc main() {\nwith l { async { x = 1; }\nx = 2; } }";
    assert_races(unprotected, &["x: W2:18 / W3:1"]);
}

#[test]
fn a_finish_inside_with_can_deadlock_with_its_child() {
    let source = "lock l; proc main() { with l { finish { async { with l { skip; } } } } }";
    assert_eq!(deadlocks(&run(source)), ["main: finish; main/1: lock l"]);
}

#[test]
fn semaphores_count() {
    let mutex = "sem s = 1; var x; proc main() { finish {
  async { P(s); x = x + 1; V(s); }
  P(s); x = x + 1; V(s);
} }";
    assert_quiet(mutex, &[("x", &[2])]);
    let two = "sem s = 2; var x; proc main() {\nasync { P(s); x = 1; V(s); }\nP(s); x = 2; V(s); }";
    assert_races(two, &["x: W2:15 / W3:7"]);
    let starved = run("sem s; proc main() { async { P(s); } V(s); P(s); }");
    assert_eq!(deadlocks(&starved), ["main: P s", "main/1: P s"]);
}

#[test]
fn events_stay_posted() {
    let source = "event e; var x; var y; proc main() { finish {
  async { wait(e); wait(e); y = x; }
  async { wait(e); let r = x; }
  x = 3; post(e); post(e);
} }";
    assert_quiet(source, &[("y", &[3])]);
    assert_eq!(deadlocks(&run("event e; proc main() { wait(e); }")), ["main: wait e"]);
}

#[test]
fn a_spin_loop_is_no_deadlock_and_its_read_races() {
    let source = "var go; var x; proc main() {
async { while (go == 0) { skip; } x = 1; }
x = 2;
go = 1; }";
    let outcome = run(source);
    assert_eq!(races(&outcome), ["go: R2:16 / W4:1"]);
    assert!(outcome.deadlocks.is_empty());
    assert_eq!(finals(&outcome, "x"), [1]);
    let forever = run("var go; proc main() { while (go == 0) { skip; } }");
    assert!(forever.deadlocks.is_empty() && forever.final_states.is_empty() && forever.complete);
}

// ---- expressions, order of evaluation, references

#[test]
fn arithmetic_wraps_and_truncates() {
    let source = "var a; var b; var c; var d; var e; var f; var g; proc main() {
  let min = -9223372036854775807 - 1;
  a = min / -1; b = min - 1; c = -7 / 2; d = -7 % 2; e = min % -1; f = -min; g = 1 + 2 * 3 - 4 / 2 == 5;
}";
    assert_quiet(
        source,
        &[
            ("a", &[i64::MIN]),
            ("b", &[i64::MAX]),
            ("c", &[-3]),
            ("d", &[-1]),
            ("e", &[0]),
            ("f", &[i64::MIN]),
            ("g", &[1]),
        ],
    );
}

#[test]
fn and_or_short_circuit_and_give_0_or_1() {
    let source = "var x; var a; var b; var c; var n; proc t() { n = n + 1; return 7; } proc main() {
async { a = 0 && x; b = 1 || x; c = 5 && t(); }
x = 1; }";
    assert_quiet(source, &[("a", &[0]), ("b", &[1]), ("c", &[1]), ("n", &[1])]);
    let racy = "var x; var a; proc main() {\nasync { a = 1 && x; }\nx = 1; }";
    assert_races(racy, &["x: R2:18 / W3:1"]);
}

#[test]
fn an_assignment_evaluates_base_index_right_side_then_writes() {
    let source = "var a[2]; var i; var log; proc f(v) { log = log * 10 + v; return v; }
proc base() { f(1); return a; }
proc main() { base()[f(1) + f(0) - 1] = f(5); }";
    // The parser may refuse a call as the base of a place; the order does not depend on it.
    if tp::parse(source).is_ok() {
        assert_quiet(source, &[("log", &[1105])]);
    }
    let plain = "var a[9]; var log; proc f(v) { log = log * 10 + v; return v; } proc main() { a[f(1)] = f(5) - f(2); }";
    assert_quiet(plain, &[("log", &[152]), ("a[1]", &[3])]);
}

#[test]
fn the_index_is_read_before_the_right_side() {
    let source = "var a[2]; var i; proc f() { i = 1; return 9; } proc main() { a[i] = f(); }";
    assert_quiet(source, &[("a[0]", &[9]), ("a[1]", &[0])]);
}

#[test]
fn operands_are_evaluated_left_to_right() {
    let source = "var x; var y; proc f() { x = 5; return 1; } proc main() { y = x * 10 + f() + x; }";
    assert_quiet(source, &[("y", &[6])]);
    let arguments = "var log; proc f(v) { log = log * 10 + v; return v; } proc g(a, b) { return a - b; }
proc main() { let v = g(f(3), f(1)); log = log * 10 + v; }";
    assert_quiet(arguments, &[("log", &[312])]);
}

#[test]
fn loop_bounds_are_evaluated_once() {
    let source = "var n = 2; var rounds; proc main() { for i in 0..n { n = 9; rounds = rounds + 1; i = 5; } for j in 3..1 { rounds = 99; } }";
    assert_quiet(source, &[("rounds", &[2]), ("n", &[9])]);
}

#[test]
fn let_is_block_scoped_and_may_shadow() {
    let source = "var x; var y; var z; proc main() {
  let v = 1;
  if (true) { let v = v + 1; v = v + 1; x = v; }
  y = v;
  let v = v + 10;
  if (true) { let x = 50; x = 60; }
  z = v;
}";
    assert_quiet(source, &[("x", &[3]), ("y", &[1]), ("z", &[11])]);
}

#[test]
fn arrays_are_references_and_compare_by_identity() {
    let source = "var a[2] = 7; var r; var eq; var ne; var mixed; proc fill(b, v) { b[0] = v; }
proc main() {
  let n = new(2); let m = new(2); let k = n;
  fill(a, 1); fill(n, 2);
  r = n;
  eq = (r == k) * 10 + (a == a);
  ne = (n != m) * 10 + (n == m);
  mixed = (n == 0) + (promise() == promise());
  m[1] = r[0] + a[0] + a[1] + len(a) + len(m);
  r = m[1];
}";
    assert_quiet(source, &[("eq", &[11]), ("ne", &[10]), ("mixed", &[0]), ("r", &[14])]);
    let outcome = run(source);
    assert_eq!(outcome.final_states.first().unwrap()["main:new1[0]"], "2");
}

#[test]
fn cells_of_new_race_under_the_line_of_the_new() {
    let source = "proc main() {
  let a = new(2);
  async { a[1] = 1; }
  let r = a[0] + a[1];
}";
    assert_races(source, &["new@2[1]: R4:18 / W3:11"]);
}

#[test]
fn an_array_of_arrays_reads_the_outer_cell() {
    let source = "proc main() {
  let a = new(1);
  a[0] = new(1);
  async { a[0][0] = 1; }
  a[0] = 5;
}";
    let outcome = run(source);
    assert_eq!(races(&outcome), ["new@2[0]: R4:11 / W5:3"]);
    assert_eq!(errors(&outcome), ["not-an-array 4:11 main/1"]);
}

#[test]
fn program_errors_have_a_kind_and_a_place() {
    for (stmt, expected) in [
        ("assert(1 == 2);", "assertion 2:1 main"),
        ("x = 4 / x;", "division 2:5 main"),
        ("x = 4 % 0;", "division 2:5 main"),
        ("a[2] = 1;", "bounds 2:1 main"),
        ("x = a[0 - 1];", "bounds 2:5 main"),
        ("x = new(-1);", "negative-size 2:5 main"),
        ("x = x.get();", "not-a-promise 2:5 main"),
        ("x.set();", "not-a-promise 2:1 main"),
        ("a.get();", "not-a-promise 2:1 main"),
        ("async await(x) { skip; }", "not-a-promise 2:13 main"),
        ("let f = future { skip; }; f.set(1);", "set-on-future 2:27 main"),
        ("x = len(x);", "not-an-array 2:5 main"),
        ("x = x[0];", "not-an-array 2:5 main"),
        ("x[0] = 1;", "not-an-array 2:1 main"),
        ("x = a + 1;", "reference-arithmetic 2:5 main"),
        ("x = -promise();", "reference-arithmetic 2:5 main"),
        ("if (a) { skip; }", "reference-arithmetic 2:5 main"),
        ("x = a < a;", "reference-arithmetic 2:5 main"),
        ("x = 1 && a;", "reference-arithmetic 2:10 main"),
        ("for i in 0..a { skip; }", "reference-arithmetic 2:13 main"),
    ] {
        assert_errors(&format!("var x; var a[2]; proc main() {{\n{stmt}\n}}"), &[expected]);
    }
}

#[test]
fn a_failed_bounds_check_is_not_an_access_and_comes_after_the_right_side() {
    let source = "var a[1]; var x; proc main() {
async { x = 1; }
a[1] = x; }";
    let outcome = run(source);
    assert_eq!(races(&outcome), ["x: R3:8 / W2:9"]);
    assert_eq!(errors(&outcome), ["bounds 3:1 main"]);
}

#[test]
fn an_error_stops_the_run_but_the_others_may_move_first() {
    let source = "var x; var y; proc main() {
async { assert(false); }
async { x = 1; }
x = 2; }";
    let outcome = run(source);
    assert_eq!(errors(&outcome), ["assertion 2:9 main/1"]);
    assert_eq!(races(&outcome), ["x: W3:9 / W4:1"]);
    assert!(outcome.final_states.is_empty());
}

#[test]
fn an_error_on_one_path_only() {
    let source = "var x; proc main() { async { x = 1; }\nassert(x == 0); }";
    let outcome = run(source);
    assert_eq!(errors(&outcome), ["assertion 2:1 main"]);
    assert_eq!(outcome.final_states.len(), 1);
    assert!(!outcome.determinate);
}

#[test]
fn print_evaluates_its_operands() {
    assert_races("var x; proc main() { async { x = 1; }\nprint(1, x); }", &["x: R2:10 / W1:30"]);
}

#[test]
fn a_race_can_be_reachable_only_after_another() {
    let source = "var x; var y; proc main() {
async { x = 1; }
async { if (x == 1) { y = 1; } }
y = 2; }";
    let program = tp::parse(source).unwrap();
    let limits = Limits { stop_at_races: true, ..Limits::default() };
    let all = run(source);
    assert_eq!(races(&all), ["x: R3:13 / W2:9", "y: W3:23 / W4:1"]);
    let first = explore(&program, source, limits);
    assert_eq!(races(&first), ["x: R3:13 / W2:9"]);
}

#[test]
fn tasks_are_named_by_their_place_among_their_siblings() {
    let source = "proc main() {
async { skip; }
let f = future { async { assert(0); } return 1; };
async { assert(0); } }";
    assert_errors(source, &["assertion 3:26 main/2/1", "assertion 4:9 main/3"]);
}

#[test]
fn limits_make_an_outcome_incomplete() {
    let source = "var x; proc main() { forall i in 0..4 { x = i; x = i; } }";
    let program = tp::parse(source).unwrap();
    assert!(!explore(&program, source, Limits { states: 10, ..Limits::default() }).complete);
    assert!(explore(&program, source, Limits::default()).complete);
    let endless = "proc main() { while (true) { skip; } }";
    let outcome = explore(&tp::parse(endless).unwrap(), endless, Limits::default());
    assert!(!outcome.complete && outcome.deadlocks.is_empty());
}
