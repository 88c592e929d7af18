//! What is refused, and how that reads.

use raceproof::{
    Event, Future, Lock, Promise, Semaphore, Shared, SharedArray, check, finish, future, isolated, render,
    spawn, try_check,
};
use raceproof_core::finding::{ProgramError, Report, Verdict};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn only_error(report: Report) -> ProgramError {
    assert_eq!(report.verdict, Verdict::ProgramError, "{report:#?}");
    assert_eq!(report.errors.len(), 1, "{report:#?}");
    let error = report.errors[0].clone();
    assert!(error.at.file.ends_with("misuse.rs"), "{error:?}");
    error
}

fn panic_message(code: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(code)).expect_err("it panics");
    payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|&s| s.into()))
        .unwrap()
}

#[test]
fn nothing_works_outside_of_a_check() {
    let uses: [fn(); 8] = [
        || {
            Shared::new(1);
        },
        || {
            SharedArray::new(1, 1);
        },
        || {
            Promise::<()>::new();
        },
        || {
            Lock::new();
        },
        || {
            Event::new();
        },
        || spawn(|| ()),
        || finish(|| ()),
        || isolated(|| ()),
    ];
    for code in uses {
        let message = panic_message(code);
        assert!(message.contains("only inside of raceproof::check"), "{message}");
    }
}

#[test]
fn checks_do_not_nest() {
    let error = only_error(try_check(|| check(|| ())));
    assert!(error.message.contains("a check inside of a check"), "{}", error.message);
}

#[test]
fn what_could_wait_is_forbidden_in_isolated() {
    let uses: [fn(); 8] = [
        || isolated(|| spawn(|| ())),
        || isolated(|| finish(|| ())),
        || {
            isolated(|| future(|| 1));
        },
        || {
            let p = Promise::new();
            p.set(1);
            isolated(|| p.get());
        },
        || isolated(|| Semaphore::new(1).p()),
        || {
            let e = Event::new();
            e.post();
            isolated(|| e.wait());
        },
        || isolated(|| Lock::new().with(|| ())),
        || isolated(|| isolated(|| spawn(|| ()))),
    ];
    for program in uses {
        assert_eq!(only_error(try_check(program)).kind, "forbidden-in-isolated");
    }
    check(|| {
        isolated(|| {
            Promise::new().set(1);
            Event::new().post();
            Semaphore::new(0).v();
            isolated(|| Shared::new(1).set(2));
        });
    });
}

#[test]
fn a_lock_does_not_nest() {
    let error = only_error(try_check(|| {
        let lock = Lock::new();
        lock.with(|| lock.with(|| ()));
    }));
    assert_eq!(error.kind, "lock-held");
}

#[test]
fn indices_are_checked() {
    let error = only_error(try_check(|| {
        let a = SharedArray::new(3, 0);
        assert_eq!(a.len(), 3);
        a.set(3, 1);
    }));
    assert_eq!(
        (error.kind.as_str(), error.message.as_str()),
        ("bounds", "index 3 of an array of 3: out of bounds")
    );
}

type Handles = (Shared<i32>, Promise<i32>, Future<i32>, SharedArray<i32>);

#[test]
fn handles_of_another_run_are_refused() {
    thread_local! {
        static KEPT: RefCell<Option<Handles>> = const { RefCell::new(None) };
    }
    check(|| {
        let kept = (Shared::new(1), Promise::new(), future(|| 1), SharedArray::new(2, 2));
        KEPT.set(Some(kept));
    });
    let kept = || KEPT.with_borrow(|kept| kept.unwrap());
    let uses: [fn(Handles); 4] = [
        |kept| {
            kept.0.get();
        },
        |kept| kept.1.set(1),
        |kept| {
            kept.2.get();
        },
        |kept| {
            kept.3.get(0);
        },
    ];
    for code in uses {
        assert_eq!(only_error(try_check(move || code(kept()))).kind, "stale-handle");
    }
}

#[test]
fn a_closure_that_does_something_else_each_time_is_found_out() {
    thread_local!(static RUNS: Cell<u32> = const { Cell::new(0) });
    let report = try_check(|| {
        let (x, y) = (Shared::named("x", 0), Shared::named("y", 0));
        RUNS.set(RUNS.get() + 1);
        if RUNS.get().is_multiple_of(2) {
            x.get()
        } else {
            y.get()
        };
    });
    let error = only_error(report);
    assert_eq!(error.kind, "not-deterministic");
    assert!(error.message.contains("the closure is not deterministic"), "{}", error.message);
    assert!(error.message.contains("reads x") && error.message.contains("reads y"), "{}", error.message);
}

#[test]
fn the_same_with_races() {
    thread_local!(static RUNS: Cell<u32> = const { Cell::new(0) });
    let report = try_check(|| {
        let x = Shared::named("x", 0);
        RUNS.set(RUNS.get() + 1);
        spawn(move || x.set(1));
        for _ in 0..RUNS.get() {
            x.get();
        }
    });
    assert_eq!(report.verdict, Verdict::Race);
    assert_eq!(report.errors[0].kind, "not-deterministic");
}

#[test]
fn the_message_of_a_failed_check_has_it_all() {
    let message = panic_message(|| {
        check(|| {
            let x = Shared::new(0);
            spawn(move || spawn(move || x.set(1)));
            isolated(|| x.get());
        });
    });
    let file = file!();
    let shape: String = message.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let expected = format!(
        "raceproof found a data race

race on Shared@{file}:999 (feasible: a schedule brings the two accesses together)
  write by main/9/9 at {file}:999:99
    main/9/9 spawned at {file}:999:99
    main/9 spawned at {file}:999:99
  read by main at {file}:999:99, holding isolated
  witness: rp9:main*9,main/9*9,main*9
"
    );
    assert_eq!(shape, expected, "{message}");
}

#[test]
fn deadlocks_and_errors_read_well() {
    let report = try_check(|| {
        let never: Promise<()> = Promise::named("never");
        spawn(move || never.get());
        finish(|| spawn(move || never.get()));
    });
    let text = render(&report);
    assert!(text.starts_with("raceproof found a deadlock\n\ndeadlock: tasks wait for ever\n"), "{text}");
    assert!(text.contains("main waits for the tasks of a finish, which needs main/2 at "), "{text}");
    assert!(text.contains("main/1 waits for the promise never at "), "{text}");
    assert!(text.contains("witness: rp1:main*2"), "{text}");
    let text = render(&try_check(|| panic!("no")));
    assert!(text.contains("error (panic): no\n  in main at "), "{text}");
}

/// The second run of this closure never ends; that must not keep the check from ending.
#[test]
fn a_closure_that_is_endless_when_it_is_run_again() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = try_check(|| {
        let x = Shared::new(0);
        let again = RUNS.fetch_add(1, Ordering::Relaxed) > 0;
        x.set(1);
        if again {
            loop {
                x.get();
            }
        }
    });
    assert_eq!(report.errors[0].kind, "not-deterministic");
}
