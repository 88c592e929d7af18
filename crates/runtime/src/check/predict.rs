//! `check` under a predictive order: one run, and what the order says could have happened instead.
//!
//! The races an order predicts are candidates. For each a witness is built from the recorded events
//! and checked by code of its own ([`raceproof_core::debug`]); then the program itself is run under
//! it, and the race is `feasible` if both tasks come to stand before their accesses. Otherwise it
//! is `apparent`.

use super::races::{Effort, Explainer, key, truncate};
use super::{Checked, Found, Session};
use crate::program::Program;
use crate::strategy::Turns;
use raceproof_core::debug::{reordering, witness::Witnesses};
use raceproof_core::detect::predict::Predictor;
use raceproof_core::event::Event;
use raceproof_core::finding::Race;
use raceproof_core::order::{Order, OrderName, WithOrder};

impl<'a, P: Program<'a>> Session<'a, P> {
    /// Checks under a predictive order.
    pub fn predict(&self, order: OrderName) -> Checked {
        order.with(Predict(self))
    }

    fn predict_under<O: Order + Default>(&self) -> Checked {
        let mut execution = self.run((Predictor::<O>::default(), Vec::<Event>::new()), self.bounds);
        let (predictor, events) = std::mem::take(&mut execution.run.kernel.observer);
        let mut predicted = predictor.predictions();
        let witnesses = Witnesses::new(&events);
        let again = self.run((), self.again(&execution));
        let explainer = Explainer::new(again, self.bounds, &Default::default(), Effort::default());
        let race = |race: &raceproof_core::detect::predict::Predicted| -> Race {
            explainer.predict(&race.pair, || {
                explainer.spend(events.len() as u64);
                let order = witnesses.build(race.first_event, race.second_event)?;
                reordering::check(&events, &order, race.first_event, race.second_event).ok()?;
                Some(Turns { spawned: witnesses.spawned(), turns: witnesses.schedule(&order) })
            })
        };
        let mut notes = Vec::new();
        truncate(&mut predicted, &mut notes);
        let mut races: Vec<Race> = predicted.iter().map(race).collect();
        races.sort_by(|a, b| key(a).cmp(&key(b)));
        explainer.note_untried(races.len(), &mut notes);
        self.conclude(execution, Found { races: Some(races), ..Found::default() }, notes)
    }
}

struct Predict<'s, 'a, P: Program<'a>>(&'s Session<'a, P>);

impl<'a, P: Program<'a>> WithOrder for Predict<'_, 'a, P> {
    type Output = Checked;

    fn with<O: Order + Default>(self) -> Checked {
        self.0.predict_under::<O>()
    }
}
