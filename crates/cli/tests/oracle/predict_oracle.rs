//! The predictive orders against the oracle: generated programs run once, depth-first, and what is
//! predicted from the recorded events must be what the oracle knows.
//!
//! `RACEPROOF_CASES` programs a profile (1,000 unless set), from seed `RACEPROOF_SEED` on (0 unless
//! set). A failure prints the profile, the seed and the program.

use crate::oracle;

use crate::harness::{self, Case, judge_profile, side, test_profiles};
use oracle::{Outcome, Profile};
use raceproof::kernel::Action;
use raceproof::strategy::{DepthFirst, Script, Turns};
use raceproof_core::debug::reordering;
use raceproof_core::debug::witness::Witnesses;
use raceproof_core::detect::Access;
use raceproof_core::detect::predict::{Predicted, Predictor};
use raceproof_core::event::{Event, SyncKind};
use raceproof_core::ids::TaskId;
use raceproof_core::order::{Order, dc::Dc, hb::Hb, shb::Shb, wcp::Wcp, weak::Weak};
use raceproof_tp::code::Code;
use raceproof_tp::execute::{Bounds, Execution, execute};
use std::collections::HashMap;

/// What came out of a program, to see that the tests test something.
#[derive(Default, Debug)]
struct Tally {
    /// Predictions, and how many of them have a witness.
    predicted: HashMap<&'static str, (u64, u64)>,
    /// First races of programs whose only lock is `isolated`.
    first_races: u64,
}

struct Recorded<'a> {
    execution: Execution<'a, Vec<Event>>,
    events: Vec<Event>,
    truth: &'a Outcome,
}

impl<'a> Recorded<'a> {
    fn new(code: &'a Code, truth: &'a Outcome) -> Self {
        let mut execution = execute(code, "f.tp", Vec::new(), &mut DepthFirst, Bounds::default());
        let events = std::mem::take(&mut execution.run.kernel.observer);
        Recorded { execution, events, truth }
    }

    fn predict<O: Order + Default>(&self) -> Vec<Predicted> {
        let mut predictor = Predictor::<O>::default();
        self.events.iter().for_each(|event| event.deliver(&mut predictor));
        predictor.predictions()
    }

    fn location(&self, race: &Predicted) -> String {
        self.execution.run.machine.memory.name(self.execution.program.code, race.pair.location)
    }

    /// Whether a witness is found. If so, it has to pass the checker, bring both tasks before their
    /// accesses when it is replayed, and show a race that the oracle knows.
    fn confirm(&self, race: &Predicted) -> Result<bool, String> {
        let witnesses = Witnesses::new(&self.events);
        let (first, second) = (race.first_event, race.second_event);
        let Some(order) = witnesses.build(first, second) else { return Ok(false) };
        reordering::check(&self.events, &order, first, second)
            .map_err(|violation| format!("{violation} in the witness of {race:?}"))?;
        let sides = [race.pair.first, race.pair.second]
            .map(|access| side(access.kind, &self.execution.place(access.site)));
        let known = harness::race(&self.location(race), sides);
        if !self.truth.races.contains(&known) {
            return Err(format!("{known} has a witness and is unknown to the oracle"));
        }
        let schedule = Turns { spawned: witnesses.spawned(), turns: witnesses.schedule(&order) };
        self.replay(race, &schedule)
            .ok_or_else(|| format!("the witness of {known} does not replay: {schedule:?}"))?;
        Ok(true)
    }

    fn replay(&self, race: &Predicted, schedule: &Turns) -> Option<()> {
        let mut script = Script::new(schedule, schedule.turns.len(), Vec::new());
        let code = self.execution.program.code;
        let run = execute(code, "f.tp", (), &mut script, Bounds::default());
        let stands_before = |access: Access| match script.pending(script.here(access.task)?)? {
            Action::Access { kind, location, site } if (kind, site) == (access.kind, access.site) => {
                (run.run.machine.memory.name(code, location) == self.location(race)).then_some(())
            }
            _ => None,
        };
        stands_before(race.pair.first)?;
        stands_before(race.pair.second)
    }

    /// Whether `isolated` is the only lock, and no section signals: what the theorem is about.
    fn has_one_plain_lock(&self) -> bool {
        let mut holder: Option<TaskId> = None;
        self.events.iter().all(|event| match *event {
            Event::Join { kind: SyncKind::Lock, .. } => false,
            Event::Join { task, kind: SyncKind::Isolated, .. } => {
                holder = Some(task);
                true
            }
            Event::Signal { kind: SyncKind::Isolated, .. } => {
                holder = None;
                true
            }
            Event::Signal { task, .. } => holder != Some(task),
            _ => true,
        })
    }

    fn judge<O: Order + Default>(&self, name: &'static str, tally: &mut Tally) -> Result<(), String> {
        let races = self.predict::<O>();
        for (at, race) in races.iter().enumerate() {
            let confirmed = self.confirm(race).map_err(|wrong| format!("{name}: {wrong}"))?;
            let (predicted, real) = tally.predicted.entry(name).or_default();
            *predicted += 1;
            *real += u64::from(confirmed);
            let must = name == "shb" || at == 0 && (name == "hb" || self.has_one_plain_lock());
            if must && !confirmed {
                return Err(format!("{name}: no witness of {race:?}, race {at}"));
            }
            tally.first_races += u64::from(must && at == 0);
        }
        Ok(())
    }
}

fn judge(text: &str, tally: &mut Tally) -> Result<(), String> {
    let Some(Case { code, outcome }) = Case::new(text)? else { return Ok(()) };
    let recorded = Recorded::new(&code, &outcome);
    recorded.judge::<Hb>("hb", tally)?;
    recorded.judge::<Shb>("shb", tally)?;
    recorded.judge::<Wcp>("wcp", tally)?;
    recorded.judge::<Dc>("dc", tally)?;
    recorded.judge::<Weak>("weak", tally)
}

fn profile(profile: Profile) {
    let tally: Tally = judge_profile(profile, 1000, judge);
    println!("{profile:?}: {tally:?}");
}

test_profiles! { profile: isolated Isolated, locks Locks, mixed Mixed }
