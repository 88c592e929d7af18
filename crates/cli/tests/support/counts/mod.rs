//! The programs whose executions are counted: those of the corpus, some in several sizes, and small
//! ones that tell mistakes in counting apart.

use crate::common::programs::{corpus, sized};

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) dc: Reason,
    pub(crate) hb: Reason,
}

/// Why a number of executions is the right one.
#[derive(Clone, Copy)]
pub(crate) enum Reason {
    /// The classes are counted by going through all of them.
    Counted,
    /// Too many to go through; worked out by hand, with how.
    Known(u64, &'static str),
    /// The program has a race: it is the number of executions up to the first one that shows it.
    Race,
    /// Too many to run.
    Beyond,
}

use Reason::{Beyond, Counted, Known, Race};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: &str, source: String, dc: Reason, hb: Reason| {
        cases.push(Case { name: name.into(), source, dc, hb });
    };
    for (tasks, dc, hb) in [
        (2, Counted, Counted),
        (3, Counted, Counted),
        (4, Counted, Beyond),
        (8, Known(1, "no two sections conflict"), Beyond),
        (11, Known(1, "no two sections conflict"), Beyond),
        (12, Known(8, "3 conflicting pairs"), Beyond),
        (13, Known(64, "6 conflicting pairs"), Beyond),
        (14, Known(512, "9 conflicting pairs"), Beyond),
    ] {
        let name = format!("indexer, {tasks} tasks");
        add(&name, sized("examples/indexer", "TASKS", tasks), dc, hb);
    }
    for tasks in 2..=8 {
        let name = format!("findmax, {tasks} tasks");
        add(&name, sized("examples/findmax", "TASKS", tasks), Counted, Counted);
    }
    let counter = corpus("zipper/IntegerCounterIsolated").replace("0..3", "0..2").replace("c == 3", "c == 2");
    add("zipper/IntegerCounterIsolated, two rounds", counter, Counted, Counted);
    let counter = corpus("zipper/IntegerCounterIsolated");
    add("zipper/IntegerCounterIsolated", counter, Known(1, "additions commute"), Beyond);
    for (name, hb) in [
        ("zipper/ClumpedAcess", Counted),
        ("zipper/IsolatedBlockNo", Counted),
        ("zipper/PrimeNumCounter", Counted),
        ("zipper/PrimeNumCounterForAll", Counted),
        ("zipper/PrimeNumCounterForAsync", Counted),
        ("zipper/DoubleBranchExample", Counted),
        ("examples/zipper_fig2", Counted),
        ("examples/bank_locks", Counted),
        ("examples/bank_deadlock", Counted),
        ("examples/philosophers", Counted),
        ("examples/philosophers_deadlock", Counted),
        ("examples/deadlock_two_locks", Counted),
        ("examples/deadlock_semaphore", Counted),
        ("examples/deadlock_wait_in_lock", Counted),
        ("examples/producer_consumer", Counted),
        ("examples/semaphore_mutex", Counted),
        ("examples/event_post_wait", Counted),
        ("examples/first_wins", Counted),
        ("examples/knapsack", Counted),
        ("examples/error_second_set", Counted),
        ("examples/error_assert_schedule", Counted),
        ("examples/error_lock_held", Counted),
    ] {
        add(name, corpus(name), Counted, hb);
    }
    for name in [
        "examples/dc_fig1",
        "examples/dc_fig4",
        "zipper/DataRaceIsolateSimple",
        "zipper/DataRaceIsolateSimple1",
        "examples/zipper_fig3",
        "examples/hidden_branch",
        "examples/isolated_and_plain",
        "examples/semaphore_mutex_racy",
        "examples/wrong_lock",
    ] {
        add(name, corpus(name), Race, Race);
    }
    for &(name, source) in SMALL {
        add(name, source.into(), Counted, Counted);
    }
    cases
}

const SMALL: &[(&str, &str)] = &[
    ("two sections that only read", "
        var x; var a; var b;
        proc main() { async { isolated { a = x; } } async { isolated { b = x; } } }"),
    ("a writer between two readers", "
        var x; var a; var b;
        proc main() { async { isolated { a = x; } } async { isolated { x = 1; } } async { isolated { b = x; } } }"),
    ("a section that decides whether the next conflicts", "
        var x; var y;
        proc main() {
            async { isolated { y = 1; } }
            async { isolated { if (y == 1) { x = 1; } } }
            async { isolated { x = 2; } }
        }"),
    ("sections far apart in their tasks", "
        var a; var b; var c; var d;
        proc main() {
            async { isolated { a = 1; } isolated { b = 1; } }
            async { isolated { b = 2; } isolated { c = 1; } }
            async { isolated { c = 2; } isolated { d = 1; } }
            async { isolated { d = 2; } isolated { a = 2; } }
        }"),
    ("locks of their own", "
        lock l; lock m; var x; var y;
        proc main() {
            async { with l { x = 1; } with m { y = 1; } }
            async { with m { y = 2; } with l { x = 2; } }
            async { with l { x = 3; } }
        }"),
    ("one lock inside another", "
        lock l; lock m; var x; var y;
        proc main() {
            async { with l { x = 1; with m { y = 1; } } }
            async { with l { x = 2; } with m { y = 2; } }
            async { with m { y = 3; } }
        }"),
    ("an event posted twice", "
        event e; var x; var y;
        proc main() { async { x = 1; post(e); } async { y = 1; post(e); } async { wait(e); } }"),
    ("an event posted three times", "
        event e;
        proc main() { forasync i in 0..3 { post(e); } wait(e); }"),
    ("clashing sets", "
        proc main() { let p = promise(); forasync i in 0..3 { p.set(i); } let v = p.get(); }"),
    ("sets of their own promises", "
        proc main() {
            let p = promise(); let q = promise();
            async { p.set(1); } async { q.set(2); }
            let a = p.get(); let b = q.get();
        }"),
    ("two that give, two that take", "
        sem s;
        proc main() { forasync i in 0..2 { V(s); } forasync i in 0..2 { P(s); } }"),
    ("three that take two", "
        sem s = 2;
        proc main() { forasync i in 0..3 { P(s); } }"),
    ("a semaphore around a lock", "
        sem s = 2; lock l; var x;
        proc main() { forasync i in 0..3 { P(s); with l { x = x + 1; } V(s); } }"),
    ("a give inside a section", "
        sem s; var x;
        proc main() { async { isolated { x = 1; V(s); } } async { isolated { x = 2; } } async { P(s); isolated { x = 3; } } }"),
    ("a wait inside a section", "
        lock l; event e; var x;
        proc main() { async { with l { wait(e); x = 1; } } async { with l { x = 2; } } async { post(e); } }"),
    ("a section that starts tasks", "
        lock l; var x; var y;
        proc main() { async { with l { x = 1; async { with l { y = 1; } } } } async { with l { y = 2; } } }"),
    ("arrays made inside sections", "
        var x;
        proc main() {
            async { isolated { let a = new(1); a[0] = 1; x = a; } }
            async { isolated { let a = new(1); a[0] = 1; } isolated { x = 0; } }
        }"),
    ("arrays made inside sections, the other way round", "
        var x;
        proc main() {
            async { isolated { let a = new(1); a[0] = 1; } isolated { x = 0; } }
            async { isolated { let a = new(1); a[0] = 1; x = a; } }
        }"),
    ("arrays handed on", "
        var x; var y;
        proc main() {
            async { let a = new(2); a[0] = 1; isolated { x = a; } }
            async { let b = new(2); b[1] = 2; isolated { y = b; } }
            async { isolated { if (x != 0) { x[1] = 3; } } isolated { if (y != 0) { y[0] = 4; } } }
        }"),
    ("a task that fails in a section", "
        var x;
        proc main() {
            async { isolated { assert(x == 0); x = 1; } }
            async { isolated { assert(x == 0); x = 2; } }
            async { isolated { x = x; } }
        }"),
    ("additions", "
        var x;
        proc main() { for i in 0..3 { async { isolated { x = x + i; } } async { isolated { x = 2 - 1 + x; } } } }"),
    ("a reader between additions", "
        var x; var y;
        proc main() {
            forasync i in 0..2 { isolated { x = x + 1; } isolated { x = x - 2; } }
            async { isolated { y = x; } }
            async { isolated { let v = x; } }
        }"),
    ("a writer between additions", "
        var x;
        proc main() { forasync i in 0..3 { isolated { x = x + 1; } } async { isolated { x = 5; } } }"),
    ("additions that are none", "
        var x;
        proc main() {
            async { isolated { x = x + x; } }
            async { isolated { x = x - (x - 1); } }
            async { isolated { x = 1 - x; } }
            async { isolated { x = x + 1; let v = x; } }
        }"),
    ("what is added comes from elsewhere", "
        var x; var y;
        proc main() {
            async { isolated { x = x + y; } }
            async { isolated { y = y + x; } }
            async { isolated { x = x + 1; } }
            async { isolated { y = y + 1; } }
        }"),
    ("additions to elements", "
        var a[3]; var n;
        proc main() {
            forasync i in 0..3 { isolated { a[i] = a[i] + 1; } isolated { a[0] = a[0] + i; } }
            async { isolated { a[n] = a[n] + 1; } }
            async { isolated { n = 1; } }
        }"),
    ("additions in a proc and in a call", "
        lock l; var x; var y;
        proc more(v) { y = y + 1; return v + 1; }
        proc count() { x = x + more(1); }
        proc main() { forasync i in 0..3 { with l { count(); } } async { with l { x = more(2); } } }"),
    ("additions with a choice inside", "
        lock l; lock m; var x; var y;
        proc main() {
            forasync i in 0..2 { with l { x = x + 1; with m { y = y + 1; } } }
            async { with m { y = y + 1; } }
            async { with l { x = x + 1; } }
        }"),
    ("as long as it takes", "
        var done; var tries;
        proc main() {
            async { let go = true; for i in 0..3 { if (go) { isolated { if (done) { go = false; } else { tries = tries + 1; } } } } }
            async { isolated { done = true; } }
        }"),
];
