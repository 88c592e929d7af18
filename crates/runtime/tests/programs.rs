//! Programs of the papers and of the corpus in the Rust API, each with its verdict.

use crate::common;

use common::{checked, races};
use raceproof::{
    Event, Lock, Promise, Semaphore, Shared, SharedArray, check, finish, future, isolated, spawn,
};
use raceproof_core::finding::{Scope, Verdict};

fn assert_race_free(program: fn(), scope: Scope) {
    let report = checked(program);
    assert_eq!((report.verdict, report.scope), (Verdict::RaceFree, scope), "{report:#?}");
    check(program);
}

#[test]
fn simple_simple() {
    let report = checked(|| {
        let i = Shared::named("i", 1);
        finish(|| {
            spawn(move || i.set(i.get() + 1));
            spawn(move || i.set(i.get() * 2));
        });
        i.get();
    });
    assert_eq!(report.verdict, Verdict::Race);
    assert_eq!(report.determinate, Some(false));
    assert_eq!(
        races(&report),
        ["i: write main/1 - write main/2", "i: write main/1 - read main/2", "i: read main/1 - write main/2",]
    );
}

#[test]
fn antidependence() {
    let report = checked(|| {
        let a = SharedArray::named("a", 10, 0);
        for i in 0..10 {
            a.set(i, i);
        }
        finish(|| {
            for i in 0..9 {
                spawn(move || a.set(i, a.get(i + 1) + 1));
            }
        });
        a.get(5);
    });
    assert_eq!(report.verdict, Verdict::Race);
    assert_eq!(report.scope, Scope::AllSchedules);
    let cells: Vec<&str> = report.races.iter().map(|race| race.location.as_str()).collect();
    assert_eq!(cells, ["a[1]", "a[2]", "a[3]", "a[4]", "a[5]", "a[6]", "a[7]", "a[8]"]);
    assert_eq!(races(&report)[0], "a[1]: write main/2 - read main/1");
}

#[test]
fn a_race_with_an_isolated_section() {
    let report = checked(|| {
        let g = Shared::named("g", 0);
        finish(|| {
            g.set(0);
            spawn(move || {
                isolated(|| ());
                g.set(2);
            });
            isolated(|| g.set(1));
        });
    });
    assert_eq!(races(&report), ["g: write main/1 - write main"]);
    assert_eq!(report.scope, Scope::ObservedSchedule);
    assert_eq!(report.races[0].second.locks, ["isolated"]);
}

/// Zipper, figure 2: the read of `x` looks unordered to ESP-bags.
#[test]
fn zipper_figure_2() {
    assert_race_free(
        || {
            let (x, a) = (Shared::named("x", false), Shared::named("a", false));
            finish(|| {
                spawn(move || {
                    isolated(|| {
                        if !a.get() {
                            x.set(true);
                        }
                    });
                });
                isolated(|| a.set(true));
                x.get();
            });
        },
        Scope::ObservedSchedule,
    );
}

/// DC, figure 1, with its sections in the order in which the race hides.
#[test]
fn dc_figure_1_hides_in_one_order_of_its_sections() {
    let hidden = checked(|| {
        let x = Shared::named("x", 0);
        spawn(move || isolated(|| x.set(1)));
        spawn(move || {
            isolated(|| x.set(2));
            x.set(3);
        });
    });
    assert_eq!((hidden.verdict, hidden.scope), (Verdict::RaceFree, Scope::ObservedSchedule));
    let shown = checked(|| {
        let x = Shared::named("x", 0);
        spawn(move || {
            isolated(|| x.set(2));
            x.set(3);
        });
        spawn(move || isolated(|| x.set(1)));
    });
    assert_eq!(races(&shown), ["x: write main/1 - write main/2"]);
}

#[test]
fn drdp_figure_1() {
    let report = checked(|| {
        let x = Shared::named("x", 0);
        let y = Promise::new();
        spawn(move || {
            x.set(5);
            y.set(());
        });
        x.get();
        y.get();
        assert_eq!(x.get(), 5);
    });
    assert_eq!(races(&report), ["x: write main/1 - read main"]);
    assert_eq!(report.errors, []);
    assert_eq!(report.scope, Scope::AllSchedules);
}

/// The task that sets `p` is still in the middle of it when main reads.
#[test]
fn the_trap_in_precede() {
    let report = checked(|| {
        let x = Shared::named("x", 0);
        let (p, q) = (Promise::new(), Promise::new());
        spawn(move || {
            p.get();
            q.get();
        });
        spawn(move || {
            x.set(1);
            p.set(());
        });
        x.get();
        q.set(());
    });
    assert_eq!(races(&report), ["x: write main/2 - read main"]);
}

#[test]
fn a_pipeline_of_promises() {
    assert_race_free(
        || {
            let cells = SharedArray::named("cells", 20, 0);
            let stages: Vec<Promise<usize>> = (0..20).map(|_| Promise::new()).collect();
            for (i, &mine) in stages.iter().enumerate() {
                let before = i.checked_sub(1).map(|before| stages[before]);
                spawn(move || {
                    let sum = before.map_or(0, |before| before.get() + cells.get(i - 1));
                    cells.set(i, i);
                    mine.set(sum);
                });
            }
            assert_eq!(stages[19].get() + cells.get(19), 190);
        },
        Scope::AllSchedules,
    );
}

#[test]
fn findmax() {
    assert_race_free(
        || {
            let values = SharedArray::new(40, 0);
            for i in 0..40 {
                values.set(i, (i * 17) % 41);
            }
            let max = Shared::named("max", 0);
            finish(|| {
                for chunk in 0..4 {
                    spawn(move || {
                        let local = (chunk * 10..chunk * 10 + 10).map(|i| values.get(i)).max().unwrap_or(0);
                        isolated(|| {
                            if local > max.get() {
                                max.set(local);
                            }
                        });
                    });
                }
            });
            assert_eq!(max.get(), 40);
        },
        Scope::ObservedSchedule,
    );
}

#[test]
fn indexer_of_4() {
    assert_race_free(
        || {
            let table = SharedArray::named("table", 128, 0);
            finish(|| {
                for task in 0..4 {
                    spawn(move || {
                        for m in 1..=4 {
                            let word = m * 11 + task;
                            let mut hash = (word * 7) % 128;
                            isolated(|| {
                                while table.get(hash) != 0 {
                                    hash = (hash + 1) % 128;
                                }
                                table.set(hash, word);
                            });
                        }
                    });
                }
            });
            assert_eq!((0..128).filter(|&i| table.get(i) != 0).count(), 16);
        },
        Scope::ObservedSchedule,
    );
}

#[test]
fn fib_with_tasks() {
    fn fib(n: u32, result: Shared<u64>) {
        if n < 2 {
            return result.set(u64::from(n));
        }
        let (left, right) = (Shared::new(0), Shared::new(0));
        finish(|| {
            spawn(move || fib(n - 1, left));
            fib(n - 2, right);
        });
        result.set(left.get() + right.get());
    }
    assert_race_free(
        || {
            let result = Shared::new(0);
            fib(12, result);
            assert_eq!(result.get(), 144);
        },
        Scope::AllSchedules,
    );
}

#[test]
fn fib_with_futures() {
    fn fib(n: u64) -> u64 {
        if n < 2 {
            return n;
        }
        let left = future(move || fib(n - 1));
        fib(n - 2) + left.get()
    }
    assert_race_free(|| assert_eq!(fib(12), 144), Scope::AllSchedules);
}

#[test]
fn a_future_orders_its_body_only() {
    let report = checked(|| {
        let (x, y) = (Shared::named("x", 0), Shared::named("y", 0));
        let value = future(move || {
            x.set(1);
            spawn(move || y.set(1));
            "done".to_owned()
        });
        assert_eq!(value.get(), "done");
        x.get();
        y.get();
    });
    assert_eq!(races(&report), ["y: write main/1/1 - read main"]);
}

fn transfer(from: (Lock, Shared<i32>), to: (Lock, Shared<i32>), meet: [Event; 2]) {
    from.0.with(|| {
        from.1.set(from.1.get() - 10);
        meet[0].post();
        meet[1].wait();
        to.0.with(|| to.1.set(to.1.get() + 10));
    });
}

#[test]
fn a_bank_with_two_locks_deadlocks() {
    let report = checked(|| {
        let a = (Lock::named("a"), Shared::named("balance a", 100));
        let b = (Lock::named("b"), Shared::named("balance b", 100));
        let (one, other) = (Event::new(), Event::new());
        spawn(move || transfer(a, b, [one, other]));
        spawn(move || transfer(b, a, [other, one]));
    });
    assert_eq!(report.verdict, Verdict::Deadlock, "{report:#?}");
    let waiting = &report.deadlocks[0].waiting;
    let who: Vec<_> =
        waiting.iter().map(|w| (w.task.as_str(), w.what.as_str(), w.held_by.as_deref())).collect();
    assert_eq!(who, [("main/1", "b", Some("main/2")), ("main/2", "a", Some("main/1"))]);
    assert_eq!(waiting[0].at, waiting[1].at);
    assert!(waiting[0].at.file.ends_with("programs.rs"));
    assert!(report.deadlocks[0].witness.is_some());
}

#[test]
fn locks_protect() {
    assert_race_free(
        || {
            let lock = Lock::new();
            let count = Shared::new(0);
            finish(|| {
                for _ in 0..5 {
                    spawn(move || lock.with(|| count.set(count.get() + 1)));
                }
            });
            assert_eq!(count.get(), 5);
        },
        Scope::ObservedSchedule,
    );
}

#[test]
fn a_second_set_is_an_error_with_its_place() {
    let report = checked(|| {
        let p = Promise::named("p");
        spawn(move || p.set(1));
        p.set(2);
    });
    assert_eq!(report.verdict, Verdict::ProgramError);
    assert_eq!(report.scope, Scope::ObservedSchedule);
    let error = &report.errors[0];
    assert_eq!((error.kind.as_str(), error.task.as_str()), ("second-set", "main"));
    assert!(error.at.file.ends_with("programs.rs"));
    assert!(error.witness.is_some());
}

#[test]
fn semaphores_count_and_order() {
    assert_race_free(
        || {
            let items = Semaphore::new(0);
            let item = Shared::new(0);
            spawn(move || {
                items.p();
                assert_eq!(item.get(), 7);
            });
            item.set(7);
            items.v();
        },
        Scope::ObservedSchedule,
    );
    let report = checked(|| Semaphore::named("s", 1).p());
    assert_eq!(report.verdict, Verdict::RaceFree);
    let report = checked(|| Semaphore::named("s", 0).p());
    assert_eq!(report.deadlocks[0].waiting[0].what, "s");
}

#[test]
fn events_order() {
    assert_race_free(
        || {
            let ready = Event::new();
            let x = Shared::new(0);
            for _ in 0..3 {
                spawn(move || {
                    ready.wait();
                    x.get();
                });
            }
            x.set(1);
            ready.post();
        },
        Scope::AllSchedules,
    );
}
