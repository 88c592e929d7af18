//! The programs for raceproof: `check` where nothing excludes, `verify` where something does.

use crate::begin;
use raceproof::{Lock, Shared, finish, future, spawn, try_check, try_verify};
use raceproof_core::finding::{Report, Verdict};

fn races(report: &Report) -> bool {
    assert!(matches!(report.verdict, Verdict::Race | Verdict::RaceFree), "{:?}", report.verdict);
    report.verdict == Verdict::Race
}

pub fn unjoined() -> bool {
    races(&try_check(|| {
        begin();
        let cells = [Shared::new(0), Shared::new(0)];
        let [a, b] = cells.map(|cell| future(move || cell.set(1)));
        a.get();
        let _ = cells[0].get() + cells[1].get();
        b.get();
    }))
}

pub fn order() -> bool {
    races(&try_verify(|| {
        begin();
        let (cell, lock) = (Shared::new(0), Lock::new());
        spawn(move || {
            cell.set(1);
            lock.with(|| {});
        });
        spawn(move || {
            lock.with(|| {});
            let _ = cell.get();
        });
    }))
}

pub fn own_cells() -> bool {
    races(&try_check(|| {
        begin();
        let cells = [Shared::new(0), Shared::new(0), Shared::new(0)];
        finish(|| cells.iter().for_each(|&cell| spawn(move || (0..10).for_each(|i| cell.set(i)))));
        let _: i32 = cells.iter().map(|cell| cell.get()).sum();
    }))
}

pub fn counter() -> bool {
    races(&try_verify(|| {
        begin();
        let (cell, lock) = (Shared::new(0), Lock::new());
        finish(|| (0..3).for_each(|_| spawn(move || lock.with(|| cell.set(cell.get() + 1)))));
        assert_eq!(cell.get(), 3);
    }))
}
