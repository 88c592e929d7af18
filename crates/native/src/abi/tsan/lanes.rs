//! Simd loops: iterations that may be executed in one vector, and conflict.
//!
//! One task makes all accesses of such a loop, so the order has nothing to say of them. The pass tells where a loop begins and how far apart two of its iterations may be
//! that are executed at the same time, where the next one begins, and the accesses: each in its iteration, or, if all of
//! them are at fixed distances, once before the loop: [`Progression`]s, of which it is computed whether they meet.

use crate::abi::world;
use crate::detect::detector;
use crate::{report, search};
use raceproof_core::detect::lanes::{Meeting, Progression};
use raceproof_core::event::AccessKind;
use rustc_hash::FxHashMap;
use std::arch::naked_asm;

/// Loops inside of each other that are followed. A loop that was left by a jump stays until then.
const DEEPEST: usize = 16;

/// An access of an iteration.
#[derive(Clone, Copy)]
struct Lane {
    iteration: u64,
    kind: AccessKind,
    pc: usize,
}

/// What was accessed of a byte: the newest write and the newest read, and of each the newest of an iteration before that.
#[derive(Clone, Copy, Default)]
struct Byte {
    writes: [Option<Lane>; 2],
    reads: [Option<Lane>; 2],
}

impl Byte {
    fn add(&mut self, lane: Lane) {
        let [newest, before] = match lane.kind {
            AccessKind::Write => &mut self.writes,
            AccessKind::Read => &mut self.reads,
        };
        if newest.is_some_and(|newest| newest.iteration != lane.iteration) {
            *before = *newest;
        }
        *newest = Some(lane);
    }

    /// The newest accesses of earlier iterations that conflict.
    fn conflicting(&self, kind: AccessKind, iteration: u64) -> impl Iterator<Item = Lane> {
        let earlier = move |lanes: [Option<Lane>; 2]| {
            lanes.into_iter().flatten().find(|lane| lane.iteration != iteration)
        };
        let reads = earlier(self.reads).filter(|_| kind == AccessKind::Write);
        earlier(self.writes).into_iter().chain(reads)
    }
}

/// Accesses that all iterations make.
struct Run {
    bytes: Progression,
    kind: AccessKind,
    pc: usize,
}

/// A simd loop that is under way.
pub(crate) struct Lanes {
    /// Iterations that are less apart than this may be executed at the same time.
    width: u64,
    /// The iteration that is under way, from 1 on.
    iteration: u64,
    bytes: FxHashMap<usize, Byte>,
    runs: Vec<Run>,
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_lanes_begin(width: u64) {
    report::state().has_lanes = true;
    let lanes = &mut world::state().lanes;
    if lanes.len() == DEEPEST {
        lanes.clear();
    }
    lanes.push(Lanes { width, iteration: 0, bytes: FxHashMap::default(), runs: Vec::new() });
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_lanes_next() {
    if let Some(lanes) = world::state().lanes.last_mut() {
        lanes.iteration += 1;
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_lanes_end() {
    let Some(Lanes { width, runs, .. }) = world::state().lanes.pop() else { return };
    for (at, one) in runs.iter().enumerate() {
        for other in &runs[at..] {
            if one.kind.conflicts(other.kind)
                && let Some(Meeting { iterations: [i, j], address }) = one.bytes.meets(&other.bytes, width)
            {
                conflict(address, [(i + 1, one.kind, one.pc), (j + 1, other.kind, other.pc)]);
            }
        }
    }
}

/// The return address as a further argument.
macro_rules! entries {
    ($($one:ident $run:ident $kind:expr;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $one() {
            extern "C" fn one(address: usize, size: usize, pc: usize) {
                access(address, size, $kind, pc);
            }
            naked_asm!("mov rdx, [rsp]", "jmp {one}", one = sym one)
        }

        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $run() {
            extern "C" fn run(first: usize, size: usize, count: u64, stride: i64, pc: usize) {
                if let Some(lanes) = world::state().lanes.last_mut() {
                    let bytes = Progression { first, size, count, stride };
                    lanes.runs.push(Run { bytes, kind: $kind, pc });
                }
            }
            naked_asm!("mov r8, [rsp]", "jmp {run}", run = sym run)
        }
    )* };
}
entries! {
    __raceproof_lane_read __raceproof_lane_read_run AccessKind::Read;
    __raceproof_lane_write __raceproof_lane_write_run AccessKind::Write;
}

fn access(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let Some(lanes) = world::state().lanes.last_mut() else { return };
    let now = Lane { iteration: lanes.iteration, kind, pc };
    let mut met: Option<(usize, Lane)> = None;
    for at in address..address.saturating_add(size) {
        let byte = lanes.bytes.entry(at).or_default();
        let near = |lane: &Lane| now.iteration - lane.iteration < lanes.width;
        if let Some(before) = byte.conflicting(kind, now.iteration).find(near) {
            met.get_or_insert((at, before));
        }
        byte.add(now);
    }
    if let Some((at, before)) = met {
        conflict(at, [(before.iteration, before.kind, before.pc), (now.iteration, kind, pc)]);
    }
}

fn conflict(address: usize, sides: [(u64, AccessKind, usize); 2]) {
    if search::is_on() {
        // A search shows races by schedules, and here there is none.
        let message = format!(
            "iterations {} and {} of a simd loop conflict, and may be executed in one vector; `raceproof run` shows the accesses",
            sides[0].0, sides[1].0
        );
        report::program_error_at("simd", &message, vec![sides[1].2]);
        return;
    }
    detector().lanes_conflict(address, sides);
}
