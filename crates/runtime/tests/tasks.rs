//! Many tasks, deep tasks, tasks that wait for ever, fail, or are taken apart.

use raceproof::program::{Bounds, run_once};
use raceproof::strategy::DepthFirst;
use raceproof::{
    Checker, Closure, Lock, Promise, Semaphore, Shared, check, finish, future, isolated, spawn, try_check,
};
use raceproof_core::finding::Verdict;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

#[test]
fn a_million_tasks_that_never_wait_share_a_handful_of_stacks() {
    let program = Closure::new(|| {
        let x = Shared::new(0_u64);
        for _ in 0..1_000_000 {
            finish(|| spawn(move || x.set(x.get() + 1)));
        }
        assert_eq!(x.get(), 1_000_000);
    });
    let execution = run_once(&program, &mut DepthFirst, (), Bounds::default());
    assert!(execution.is_complete() && execution.ending.failed.is_empty());
    assert_eq!(execution.run.kernel.tasks().len(), 1_000_001);
    assert_eq!(execution.run.machine.most_stacks(), 2);
    assert_eq!(program.stacks_mapped(), 2);
}

#[test]
fn tasks_that_have_not_begun_have_no_stack() {
    let program = Closure::new(|| {
        for _ in 0..100_000 {
            spawn(|| ());
        }
    });
    let execution = run_once(&program, &mut OldestFirst, (), Bounds::default());
    assert_eq!(execution.run.kernel.tasks().live(), 0);
    assert_eq!(program.stacks_mapped(), 1);
}

/// Lets main spawn everything before anyone else runs.
struct OldestFirst;

impl<B, O: raceproof_core::event::Observer> raceproof::strategy::Strategy<B, O> for OldestFirst {
    fn eager(&self) -> bool {
        false
    }
    fn next(
        &mut self,
        kernel: &raceproof::kernel::Kernel<B, O>,
        _: raceproof::strategy::Last,
    ) -> Option<raceproof::strategy::Turn> {
        kernel.tasks().newest().map(|task| raceproof::strategy::Turn::actions(task, u64::MAX))
    }
}

#[test]
fn ten_thousand_tasks_wait_at_once() {
    let program = Closure::new(|| {
        let (go, arrived) = (Promise::new(), Semaphore::new(0));
        let sum = Shared::new(0);
        finish(|| {
            for i in 0..10_000_u64 {
                spawn(move || {
                    arrived.v();
                    let factor: u64 = go.get();
                    isolated(|| sum.set(sum.get() + i * factor));
                });
            }
            for _ in 0..10_000 {
                arrived.p();
            }
            go.set(2);
        });
        assert_eq!(sum.get(), 10_000 * 9_999);
    });
    for _ in 0..2 {
        let execution = run_once(&program, &mut DepthFirst, (), Bounds::default());
        assert!(execution.ending.failed.is_empty(), "{:?}", execution.ending.failed);
        assert_eq!(execution.run.kernel.tasks().live(), 0);
        assert_eq!(execution.run.machine.most_stacks(), 10_001);
    }
}

#[test]
fn ten_thousand_tasks_wait_for_ever() {
    let report = try_check(|| {
        let never: Promise<()> = Promise::new();
        for _ in 0..10_000 {
            spawn(move || never.get());
        }
    });
    assert_eq!(report.verdict, Verdict::Deadlock);
    assert_eq!(report.deadlocks[0].waiting.len(), 1000);
    assert_eq!(report.limits, ["1000 of the 10000 tasks that wait for ever are listed"]);
}

#[test]
fn chains_of_tasks_can_be_deeper_than_there_are_stacks() {
    fn link(left: u32, reached: Shared<u32>) {
        if left == 0 {
            return reached.set(1);
        }
        spawn(move || link(left - 1, reached));
    }
    let program = Closure::new(|| {
        let reached = Shared::new(0);
        finish(|| link(200_000, reached));
        assert_eq!(reached.get(), 1);
    });
    let execution = run_once(&program, &mut DepthFirst, (), Bounds::default());
    assert!(execution.ending.failed.is_empty() && execution.is_complete());
    assert!(execution.run.machine.most_stacks() < 10_000);
}

#[test]
fn a_panic_is_the_failure_of_its_task() {
    let report = try_check(|| {
        let x = Shared::new(0);
        finish(|| {
            spawn(|| {
                let numbers: Vec<u32> = Vec::new();
                numbers.first().expect("something");
            });
            spawn(move || x.set(1));
        });
    });
    assert_eq!(report.verdict, Verdict::ProgramError);
    assert_eq!(report.errors.len(), 1);
    let error = &report.errors[0];
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("panic", "something"));
    assert_eq!(error.task, "main/1");
    assert!(error.at.file.ends_with("tests/tasks.rs"), "{error:?}");
    assert_eq!(error.at.line, error.spawned[0].at.line + 2, "{error:?}");
    assert_eq!(report.deadlocks, []);
}

#[test]
fn a_formatted_panic_keeps_its_message() {
    let report = try_check(|| {
        let x = Shared::new(3);
        assert_eq!(x.get(), 4, "x is wrong");
    });
    let message = &report.errors[0].message;
    assert!(message.contains("x is wrong") && message.contains("left: 3"), "{message}");
}

/// Counts how often it is dropped.
#[derive(Clone)]
struct Witnessed(Rc<Cell<u32>>);

impl Drop for Witnessed {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn tasks_that_never_end_are_unwound() {
    thread_local!(static DROPS: Rc<Cell<u32>> = Rc::default());
    let program = Closure::new(|| {
        let drops = DROPS.with(Rc::clone);
        let never: Promise<()> = Promise::new();
        let (on_stack, in_closure) = (Witnessed(Rc::clone(&drops)), Witnessed(drops));
        spawn(move || {
            let _on_stack = on_stack;
            never.get();
        });
        // Never begins: main waits for ever before.
        never.get();
        drop(in_closure);
    });
    let execution = run_once(&program, &mut DepthFirst, (), Bounds::default());
    assert_eq!(execution.run.waiting().count(), 2);
    assert_eq!(DROPS.with(|drops| drops.get()), 2);
    // The stacks are there for the next run.
    drop(execution);
    run_once(&program, &mut DepthFirst, (), Bounds::default());
    assert_eq!(program.stacks_mapped(), 2);
}

/// Uses everything when it is dropped.
struct Busy(Shared<u32>, Lock);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
        spawn(|| ());
        finish(|| isolated(|| ()));
        self.1.with(|| ());
        future(|| 1);
    }
}

#[test]
fn destructors_may_use_anything_while_a_task_is_taken_apart() {
    let report = try_check(|| {
        let (x, p, l) = (Shared::new(0), Promise::<()>::new(), Lock::new());
        let _busy = Busy(x, l);
        spawn(move || {
            let _busy = Busy(x, l);
            p.get();
        });
        spawn(move || {
            let _busy = Busy(x, l);
            panic!("on purpose");
        });
        l.with(|| p.get());
    });
    assert_eq!(report.verdict, Verdict::ProgramError, "{report:#?}");
    assert_eq!(report.errors[0].message, "on purpose");
}

#[test]
fn a_task_that_catches_its_end_again_and_again_is_given_up() {
    let report = try_check(|| {
        let never: Promise<()> = Promise::new();
        spawn(move || {
            loop {
                let _ = catch_unwind(AssertUnwindSafe(|| never.get()));
            }
        });
    });
    assert_eq!(report.verdict, Verdict::Deadlock);
}

#[test]
fn a_panic_that_is_caught_inside_a_task_is_the_tasks_affair() {
    check(|| {
        let x = Shared::new(1);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            x.set(2);
            panic!("caught");
        }));
        assert!(caught.is_err());
        assert_eq!(x.get(), 2);
    });
}

#[test]
fn a_panic_caught_outside_of_the_section_it_left_fails_the_task() {
    let report = try_check(|| {
        let lock = Lock::new();
        let _ = catch_unwind(AssertUnwindSafe(|| lock.with(|| panic!("inside"))));
        lock.with(|| ());
    });
    assert_eq!(report.errors[0].kind, "caught-panic", "{report:#?}");
    let report = try_check(|| {
        let _ = catch_unwind(AssertUnwindSafe(|| finish(|| panic!("inside"))));
    });
    assert_eq!(report.errors[0].kind, "caught-panic", "{report:#?}");
}

#[test]
fn an_error_cannot_be_caught() {
    let report = try_check(|| {
        let p = Promise::new();
        p.set(1);
        let _ = catch_unwind(AssertUnwindSafe(|| p.set(2)));
    });
    assert_eq!(report.errors[0].kind, "second-set");
}

#[test]
fn limits_make_a_check_inconclusive() {
    let spin = || {
        let x = Shared::new(0);
        while x.get() == 0 {}
    };
    let report = Checker::new().max_events(1000).try_check(spin);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.limits[0].contains("1000"), "{:?}", report.limits);
    let report = Checker::new().max_seconds(0.05).try_check(spin);
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.limits[0].contains("time limit"), "{:?}", report.limits);
}

#[test]
fn a_spinning_task_lets_others_run() {
    let report = try_check(|| {
        let x = Shared::named("x", 0);
        spawn(move || while x.get() == 0 {});
        x.set(1);
    });
    assert_eq!(report.verdict, Verdict::Race);
}

#[test]
fn stacks_can_be_larger() {
    fn deep(n: u32) -> u32 {
        let local = std::hint::black_box([n; 64]);
        if n == 0 { local[0] } else { deep(n - 1) + local[63] % 2 }
    }
    Checker::new().stack_size(8 << 20).check(|| {
        spawn(|| {
            assert!(deep(10_000) > 0);
        });
    });
}
