//! General races: nondeterminism that is no data race.
//!
//! Netzer and Miller call a general race what makes a program nondeterminate: two operations that
//! do not commute and whose order is not fixed. Beyond data races these are the pairs the explorer
//! reverses: conflicting sections of a lock, clashing sets and posts, tokens of a semaphore taken
//! or given by different tasks. Sections that only add to the same location commute, and make none.

use crate::program::{Execution, Program};
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::explore::trace::Trace;
use raceproof_core::explore::{Choice, Reversal, conflicts};
use raceproof_core::finding::{GeneralRace, GeneralSide};
use raceproof_core::ids::{Location, SyncId};
use std::collections::BTreeSet;

/// The general races behind the reversals of an execution.
pub(super) fn races<'a, P: Program<'a>, O: Observer>(
    execution: &Execution<'a, P, O>,
    trace: &Trace,
    reversals: &[Reversal],
) -> BTreeSet<GeneralRace> {
    let mut found = BTreeSet::new();
    for reversal in reversals {
        let Some(later) = reversal.later else { continue };
        let [first, second] = [reversal.before, later];
        let (kind, sync) = match trace.transitions[first].choice {
            Choice::None => continue,
            Choice::Section(sync) => ("sections", sync),
            Choice::Take(sync) => ("takes", sync),
            Choice::Give(sync) => {
                let kind = match execution.run.kernel.sync_kind(SyncId(sync)) {
                    SyncKind::Semaphore => "gives",
                    SyncKind::Event => "posts",
                    _ => "sets",
                };
                (kind, sync)
            }
        };
        let on = execution.sync_name(SyncId(sync));
        let task = |transition: usize| execution.task_name(trace.transitions[transition].task);
        let race = |location: Option<String>, sides: [(Option<AccessKind>, Option<_>); 2]| {
            let [(one, here), (other, there)] = sides;
            let mut first = GeneralSide { task: task(first), access: one, at: here };
            let mut second = GeneralSide { task: task(second), access: other, at: there };
            if (&second.at, &second.task) < (&first.at, &first.task) {
                std::mem::swap(&mut first, &mut second);
            }
            GeneralRace { id: String::new(), kind: kind.into(), on: on.clone(), location, first, second }
        };
        let shared = conflicts(trace.content(first).accesses, trace.content(second).accesses);
        if shared.is_empty() {
            found.insert(race(None, [(None, None), (None, None)]));
        }
        for (i, j) in shared {
            let side = |transition: usize, at: usize| {
                let (_, effect) = trace.content(transition).accesses[at];
                (Some(effect.kind()), Some(execution.place(trace.sites(transition)[at])))
            };
            let location = execution.location(Location(trace.content(first).accesses[i].0));
            found.insert(race(Some(location), [side(first, i), side(second, j)]));
        }
    }
    found
}
