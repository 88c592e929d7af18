//! Two accounts and two locks taken in either order. One run enters the sections in one order and
//! meets no deadlock; the scope of the verdict says that it speaks of this order only: `cargo run
//! --example bank`.

use raceproof::{Lock, Shared, finish, render, spawn, try_check};

#[derive(Clone, Copy)]
struct Account {
    lock: Lock,
    balance: Shared<i64>,
}

impl Account {
    fn new(name: &'static str) -> Self {
        Account { lock: Lock::named(name), balance: Shared::named(format!("balance of {name}"), 100) }
    }
}

/// Takes the two locks in the order of the transfer: the mistake.
fn transfer(from: Account, to: Account, amount: i64) {
    from.lock.with(|| {
        let there = from.balance.get();
        to.lock.with(|| {
            from.balance.set(there - amount);
            to.balance.set(to.balance.get() + amount);
        });
    });
}

fn main() {
    let report = try_check(|| {
        let (alice, bob) = (Account::new("alice"), Account::new("bob"));
        finish(|| {
            spawn(move || transfer(alice, bob, 10));
            spawn(move || transfer(bob, alice, 20));
        });
        assert_eq!(alice.balance.get() + bob.balance.get(), 200);
    });
    println!("{}scope: {:?}", render(&report), report.scope);
}
