//! Range checks of loops that access elements at a fixed distance. The pass (`Ranges.cpp`) hoists
//! them before the loop, or sinks them behind it, in place of a check in each iteration.
//!
//! A *run* is a number of elements at a fixed distance; *runs* are a number of these at a fixed
//! distance. The detector takes them as ranges where elements touch. In a search, or for a trace,
//! each element is an access of its own, as if the loop had made the checks itself.

use super::detector_after_pending;
use super::iterations;
use super::reach::crashes;
use crate::detect::detector;
use crate::detect::detector::{Detector, Elements, Manner, Repeated};
use crate::report::signals::PENDING;
use raceproof_core::event::AccessKind;
use std::arch::naked_asm;
use std::sync::atomic::Ordering;

/// A number of elements, and the bytes from one to the next.
pub(super) type Dimension = Repeated;

/// The return address as a further argument: the fifth in its register, the seventh on the stack.
macro_rules! entries {
    ($($run:ident $runs:ident $kind:expr;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $run() {
            extern "C" fn run(first: usize, size: usize, count: usize, stride: usize, pc: usize) {
                check_ranges(first, size, Dimension { count, stride }, Dimension::ONCE, $kind, pc);
            }
            naked_asm!("mov r8, [rsp]", "jmp {run}", run = sym run)
        }

        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $runs() {
            extern "C" fn runs(
                first: usize,
                size: usize,
                count: usize,
                stride: usize,
                runs: usize,
                apart: usize,
                pc: usize,
            ) {
                let (run, all) = (Dimension { count, stride }, Dimension { count: runs, stride: apart });
                check_ranges(first, size, run, all, $kind, pc);
            }
            naked_asm!("push qword ptr [rsp]", "call {runs}", "add rsp, 8", "ret", runs = sym runs)
        }
    )* };
}
entries! {
    __raceproof_read_run __raceproof_read_runs AccessKind::Read;
    __raceproof_write_run __raceproof_write_runs AccessKind::Write;
}

pub(super) fn check_ranges(
    first: usize,
    size: usize,
    run: Dimension,
    runs: Dimension,
    kind: AccessKind,
    pc: usize,
) {
    let by = iterations::take();
    // The loop may have ended before it made the access.
    if run.count == 0 || runs.count == 0 || crashes(first, size, run, runs) {
        return;
    }
    if PENDING.load(Ordering::Relaxed) || detector().wants_each() {
        return one_by_one(first, size, run, runs, kind, pc, by);
    }
    let check = |detector: &mut Detector| check_at_once(detector, first, size, run, runs, kind, pc);
    let Some((variable, dimension)) = by.filter(|_| detector().has_share()) else {
        return check(detector());
    };
    let (inner, iterations) = if dimension == 0 { (runs, run) } else { (run, runs) };
    let elements = Elements { address: first, size, inner, kind, pc };
    if !detector().check_iterations(variable, &elements, iterations, check) {
        one_by_one(first, size, run, runs, kind, pc, by);
    }
}

fn check_at_once(
    detector: &mut Detector,
    first: usize,
    size: usize,
    run: Dimension,
    runs: Dimension,
    kind: AccessKind,
    pc: usize,
) {
    let (first, run) = upwards(first, run);
    let (first, runs) = upwards(first, runs);
    // Whether rows or columns come first does not matter within a step.
    let (inner, outer) = if run.stride <= runs.stride || runs.count == 1 { (run, runs) } else { (runs, run) };
    let (inner, outer) = if inner.count == 1 { (outer, inner) } else { (inner, outer) };
    let row = joined(size, inner);
    // Of elements that overlap, the detector takes what each adds.
    let unit = if row.is_some() && inner.count > 1 { inner.stride.max(1) } else { size };
    let mut ranges = detector.ranges(unit, kind, pc);
    let Some(row) = row else {
        for of_outer in 0..outer.count {
            for of_inner in 0..inner.count {
                ranges.range(first + of_outer * outer.stride + of_inner * inner.stride, size);
            }
        }
        return;
    };
    match joined(row, outer) {
        Some(all) => ranges.range(first, all),
        None => (0..outer.count).for_each(|number| ranges.range(first + number * outer.stride, row)),
    }
}

/// The same elements from the lowest on.
fn upwards(first: usize, dimension: Dimension) -> (usize, Dimension) {
    let Dimension { count, stride } = dimension;
    if (stride as isize) < 0 {
        let stride = stride.wrapping_neg();
        (first.wrapping_sub(stride.wrapping_mul(count - 1)), Dimension { count, stride })
    } else {
        (first, dimension)
    }
}

/// How many bytes there are from the first element to the end of the last, if there are none
/// between them.
fn joined(size: usize, dimension: Dimension) -> Option<usize> {
    let Dimension { count, stride } = dimension;
    (stride <= size || count == 1).then(|| stride * (count - 1) + size)
}

#[cold]
fn one_by_one(
    first: usize,
    size: usize,
    run: Dimension,
    runs: Dimension,
    kind: AccessKind,
    pc: usize,
    by: Option<(i64, i32)>,
) {
    for of_runs in 0..runs.count {
        for of_run in 0..run.count {
            if let Some((variable, dimension)) = by {
                let number = if dimension == 0 { of_run } else { of_runs };
                detector().go_to_iteration(variable.wrapping_add(number as i64));
            }
            let offset = of_runs.wrapping_mul(runs.stride).wrapping_add(of_run.wrapping_mul(run.stride));
            let address = first.wrapping_add(offset);
            detector_after_pending(address, size, kind, pc).access(address, size, kind, Manner::Plain, pc);
        }
    }
}
