//! A closure as a program.

use super::coroutine::{ClosureTask, Coroutines};
use super::sites::Sites;
use super::world::World;
use crate::program::{Bounds, Failure, Program, Raise};
use crate::run::Run;
use crate::stack::{STACK_BYTES, Stacks};
use raceproof_core::event::Observer;
use raceproof_core::finding::Place;
use raceproof_core::ids::{Location, SiteId, SyncId};
use std::panic;
use std::rc::Rc;

/// A closure that is run as the root task of a program, any number of times. Copies share their
/// stacks.
///
/// The closure must be deterministic but for the schedule: no clock, no random numbers, no state
/// kept from run to run.
#[derive(Clone)]
pub struct Closure {
    main: Rc<dyn Fn()>,
    sites: Rc<Sites>,
    stacks: Rc<Stacks>,
}

impl Closure {
    #[track_caller]
    pub fn new(main: impl Fn() + 'static) -> Self {
        Closure::with_stacks(STACK_BYTES, main)
    }

    /// A program each of whose tasks has a stack of `bytes`.
    #[track_caller]
    pub fn with_stacks(bytes: usize, main: impl Fn() + 'static) -> Self {
        Closure::called_at(bytes, panic::Location::caller(), main)
    }

    /// The same, with the place that a report calls the root task's.
    pub(super) fn called_at(
        bytes: usize,
        caller: &'static panic::Location<'static>,
        main: impl Fn() + 'static,
    ) -> Self {
        Closure {
            main: Rc::new(main),
            sites: Rc::new(Sites::new(caller)),
            stacks: Rc::new(Stacks::new(bytes)),
        }
    }

    /// How many stacks were mapped so far, over all runs.
    pub fn stacks_mapped(&self) -> u64 {
        self.stacks.mapped()
    }
}

impl<'a> Program<'a> for Closure {
    type Body = ClosureTask;
    type Error = Failure;
    type Machine<O: Observer> = Coroutines<'a>;

    const RAISE: Raise = Raise {
        actions: "`max_events`",
        executions: "`max_executions`",
        seconds: "`max_seconds`",
        memory: "`max_memory`",
    };

    fn start<O: Observer>(&self, observer: O, bounds: &Bounds<'a>) -> Run<Coroutines<'a>, O> {
        let main = Rc::clone(&self.main);
        let machine =
            Coroutines::new(World::new(Rc::clone(&self.sites)), Rc::clone(&self.stacks), bounds.limits);
        Run::new(machine, observer, ClosureTask::new(Box::new(move || main()), None))
    }

    fn wind_up<O: Observer>(&self, run: &mut Run<Coroutines<'a>, O>) {
        run.machine.abandon(&mut run.kernel);
    }

    fn place(&self, site: SiteId) -> Place {
        self.sites.place(site)
    }

    fn location<O: Observer>(&self, machine: &Coroutines<'a>, location: Location) -> String {
        machine.world.cell_name(location)
    }

    fn sync<O: Observer>(&self, machine: &Coroutines<'a>, sync: SyncId) -> String {
        machine.world.sync_name(sync)
    }

    fn waits_at(&self, body: &ClosureTask) -> Option<SiteId> {
        Some(body.at)
    }

    fn future(&self, body: &ClosureTask) -> Option<SyncId> {
        body.future
    }

    fn failure(&self, error: &Failure) -> Failure {
        error.clone()
    }

    fn looks<O: Observer>(&self, machine: &Coroutines<'a>) -> u64 {
        machine.looks
    }

    fn reads<O: Observer>(&self, machine: &Coroutines<'a>) -> u64 {
        machine.world.reads
    }

    fn writes<O: Observer>(&self, machine: &Coroutines<'a>) -> u64 {
        machine.world.writes
    }

    fn fingerprint<O: Observer>(&self, machine: &Coroutines<'a>) -> Option<u64> {
        Some(machine.world.trace)
    }
}
