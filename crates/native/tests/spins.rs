//! What counts as waiting by looking.

// Not as a part of the library: that would take over this process, with `malloc` and all.
#[allow(dead_code, unreachable_pub)]
#[path = "../src/tasks/atomics/spins.rs"]
mod spins;

use raceproof_core::ids::TaskId;
use spins::{Look, Spins};

const LOOK: Look = Look { task: TaskId(1), address: 0x1000, steps: 7, context: 3 };

/// After how many of these loads, of at most so many, one waits.
fn waits(most: u32, load: impl Fn(u32) -> Look) -> Option<u32> {
    let mut spins = Spins::default();
    (0..most).find(|&at| spins.look(load(at)))
}

#[test]
fn a_loop_waits() {
    assert_eq!(waits(100, |_| LOOK), Some(8));
}

#[test]
fn it_is_patient_again_when_the_others_have_run() {
    let mut spins = Spins::default();
    let waited: Vec<u32> = (0..30).filter(|_| spins.look(LOOK)).collect();
    assert_eq!(waited, [8, 16, 24]);
}

#[test]
fn a_recursion_does_not() {
    assert_eq!(waits(100, |level| Look { context: level, ..LOOK }), None);
}

#[test]
fn a_loop_that_looks_in_two_contexts_waits_in_the_end() {
    assert!(waits(1000, |at| Look { context: at % 2, ..LOOK }).is_some());
}

#[test]
fn nobody_waits_while_something_happens() {
    assert_eq!(waits(1000, |at| Look { steps: u64::from(at), ..LOOK }), None);
    assert_eq!(waits(1000, |at| Look { address: 0x1000 + at as usize % 2 * 4, ..LOOK }), None);
    assert_eq!(waits(1000, |at| Look { task: TaskId(at % 2), ..LOOK }), None);
    let mut spins = Spins::default();
    for _ in 0..1000 {
        assert!(!spins.look(LOOK));
        spins.forget();
    }
}
