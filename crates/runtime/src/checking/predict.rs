//! `check` under a predictive order: one run, and what the order says could have happened instead.
//!
//! The races an order predicts are candidates. For each a witness is built from the recorded events and checked by code of
//! its own ([`raceproof_core::debug`]); then the program itself is run under it, and the race is `feasible` if both
//! tasks come to stand before their accesses. Otherwise it is `apparent`.

use super::races::Explainer;
use super::{Checked, Found, Session};
use crate::program::Program;
use crate::strategy::Turns;
use raceproof_core::debug::{reordering, witness::Witnesses};
use raceproof_core::detect::predict::Predictor;
use raceproof_core::event::{AccessKind, Event, Observer, SyncKind};
use raceproof_core::finding::Race;
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use raceproof_core::order::Order;
use std::time::{Duration, Instant};

/// Time for building and trying witnesses.
const GRADING: Duration = Duration::from_secs(10);

impl<'a, P: Program<'a>> Session<'a, P> {
    /// Checks under a predictive order.
    pub fn predict<O: Order + Default>(&self) -> Checked {
        let mut execution = self.run(Recorded::<O>::default(), self.bounds);
        let Recorded { predictor, events } = std::mem::take(&mut execution.run.kernel.observer);
        let predicted = predictor.predictions();
        let witnesses = Witnesses::new(&events);
        let again = self.run((), self.bounds);
        let explainer = Explainer::new(again, self.bounds, &Default::default(), Instant::now() + GRADING);
        let race = |race: &raceproof_core::detect::predict::Predicted| -> Race {
            let turns = explainer.has_time().then(|| {
                let order = witnesses.build(race.first_event, race.second_event)?;
                reordering::check(&events, &order, race.first_event, race.second_event).ok()?;
                Some(Turns { spawned: witnesses.spawned(), turns: witnesses.schedule(&order) })
            });
            explainer.predicted(&race.pair, turns.flatten().as_ref())
        };
        let mut races: Vec<Race> = predicted.iter().map(race).collect();
        races.sort_by(|a, b| super::races::key(a).cmp(&super::races::key(b)));
        self.conclude(execution, Found { races: Some(races), ..Found::default() }, Vec::new())
    }
}

/// A predictor, and the events it was told.
#[derive(Default)]
struct Recorded<O> {
    predictor: Predictor<O>,
    events: Vec<Event>,
}

impl<O: Order> Observer for Recorded<O> {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.predictor.spawn(parent, child, scope, site);
        self.events.spawn(parent, child, scope, site);
    }
    fn end(&mut self, task: TaskId) {
        self.predictor.end(task);
        self.events.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.predictor.finish_begin(task, scope);
        self.events.finish_begin(task, scope);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.predictor.finish_end(task, scope);
        self.events.finish_end(task, scope);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.predictor.signal(task, sync, kind);
        self.events.signal(task, sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.predictor.join(task, sync, kind);
        self.events.join(task, sync, kind);
    }
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.predictor.access(task, kind, location, site);
        self.events.access(task, kind, location, site);
    }
}
