//! Has a race and then ends as it is told, for tests of what is reported of that: `crashes HOW`.

use corpus::Shared;
use rayon::prelude::*;
use std::hint::black_box;

static SHARED: Shared<u32> = Shared::new(0);

#[inline(never)]
fn read(at: *const u32) -> u32 {
    unsafe { at.read_volatile() } // crashes here
}

#[inline(never)]
fn descend(level: u64) -> u64 {
    let room = black_box([level; 64]); // overflows here
    if level == u64::MAX { 0 } else { descend(level + 1) + room[3] }
}

fn main() {
    let how = std::env::args().nth(1).expect("how to end");
    (0..2).into_par_iter().for_each(|at| unsafe { *SHARED.at() = at }); // races here
    (0..8u32).into_par_iter().for_each(|at| match how.as_str() {
        _ if at != 5 => {}
        "null" => _ = read(black_box(std::ptr::null::<u32>().wrapping_add(1))),
        "abort" => std::process::abort(), // aborts here
        "overflow" => _ = black_box(descend(0)),
        "panic" => assert_eq!(at, 4, "job {at} gives up"), // panics here
        _ => {}
    });
    panic!("{how} is not known"); // main panics here
}
