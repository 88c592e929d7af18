//! Netzer's theorems against the oracle: generated programs are run once, depth-first, and what is
//! claimed of the recorded run must be what some schedule of the program shows.
//!
//! `RACEPROOF_CASES` programs a profile (1,000 unless set), from seed `RACEPROOF_SEED` on (0 unless
//! set). A failure prints the profile, the seed and the program.

use crate::oracle;

use crate::harness::{self, Case, judge_profile, side};
use oracle::{Outcome, Profile};
use raceproof::program::Program;
use raceproof::strategy::DepthFirst;
use raceproof_core::debug::netzer::{
    self, Conflict, Feasibility, Grain, Level, Options, StepRace, Uses, analyse,
};
use raceproof_core::event::Event;
use raceproof_tp::execute::{Bounds, Execution, execute};

/// What came out of a program, to see that the tests test something.
#[derive(Default, Debug)]
struct Tally {
    first_partitions: u64,
    artifacts: u64,
    by_data: u64,
    by_control: u64,
    unknown: u64,
    /// Races of whole steps where the theorem does not reach.
    beyond: u64,
}

struct Recorded<'a> {
    execution: Execution<'a, Vec<Event>>,
    truth: &'a Outcome,
}

impl Recorded<'_> {
    fn is_real(&self, conflict: &Conflict) -> bool {
        let sides = [conflict.first, conflict.second]
            .map(|access| side(access.kind, &self.execution.place(access.site)));
        let location = self.execution.location(conflict.location);
        self.truth.races.contains(&harness::race(&location, sides))
    }

    /// Whether the oracle knows a race between the two steps.
    fn confirms(&self, race: &StepRace) -> bool {
        race.conflicts.iter().any(|conflict| self.is_real(conflict))
    }
}

/// What a theorem promises and the oracle denies.
fn wrong(text: &str, level: Level, grain: Grain<'_>, exact: bool, tally: &mut Tally) -> Result<(), String> {
    let Some(Case { code, outcome: truth }) = Case::new(text)? else { return Ok(()) };
    let bounds = Bounds { keep_uses: true, ..Bounds::default() };
    let mut execution = execute(&code, "f.tp", Vec::new(), &mut DepthFirst, bounds);
    let events = std::mem::take(&mut execution.run.kernel.observer);
    let told = execution.program.uses::<Vec<Event>>(&execution.run.machine).expect("they were kept");
    let used = netzer::by_event(&events, &told);
    let uses = if exact { Uses::Exact(&used) } else { Uses::Unknown };
    let analysis = analyse(&events, Options { level, uses, grain, ..Options::default() }).expect("few races");
    let fine = analyse(&events, Options { grain: Grain::Access, ..Options::default() }).expect("few races");
    let recorded = Recorded { execution, truth: &truth };
    for partition in &analysis.partitions {
        if partition.rank > 1 {
            tally.artifacts += partition.races.len() as u64;
            continue;
        }
        tally.first_partitions += 1;
        let mut races = partition.races.iter().map(|&race| &analysis.races[race as usize]);
        if !races.any(|race| recorded.confirms(race)) {
            return Err(format!("a first partition without a race: {partition:?} of {:?}", analysis.races));
        }
    }
    for race in &analysis.races {
        match race.feasibility {
            Feasibility::ByData => tally.by_data += 1,
            Feasibility::ByControl => tally.by_control += 1,
            Feasibility::Unknown => tally.unknown += 1,
        }
        if race.feasibility != Feasibility::Unknown && !recorded.confirms(race) {
            // Whole steps say too much if none of the accesses by themselves is validated.
            let validated = |conflict: &Conflict| {
                let same = |other: &Conflict| {
                    (other.first_event, other.second_event) == (conflict.first_event, conflict.second_event)
                };
                let is_valid = |other: &&StepRace| other.feasibility != Feasibility::Unknown;
                fine.races.iter().filter(is_valid).any(|other| other.conflicts.iter().any(same))
            };
            if matches!(grain, Grain::Access) || race.conflicts.iter().any(validated) {
                return Err(format!("validated and no race: {race:?}"));
            }
            tally.beyond += 1;
        }
    }
    Ok(())
}

fn profile(profile: Profile, level: Level, grain: Grain<'_>) {
    let judge = |text: &str, tally: &mut Tally| {
        [false, true].into_iter().try_for_each(|exact| {
            let wrong = wrong(text, level, grain, exact, tally);
            wrong.map_err(|wrong| format!("{level:?}, exact {exact}: {wrong}"))
        })
    };
    let tally = judge_profile(profile, 1000, judge);
    println!("{profile:?}, {level:?}: {tally:?}");
    assert!(tally.first_partitions > 50 && tally.by_data > 50, "{tally:?}");
}

/// The theorem for whole steps says that two steps can overlap. In this program they can, and still
/// their accesses never meet; access by access nothing is claimed.
#[test]
fn where_the_theorem_does_not_reach() {
    let text = include_str!("../../../../programs/tp/examples/netzer_whole_steps.tp");
    let Case { code, outcome: truth } = Case::new(text).expect("it parses").expect("it is small");
    assert!(truth.racy_locations().into_iter().eq(["x"]), "{:?}", truth.races);
    let mut execution = execute(&code, "f.tp", Vec::new(), &mut DepthFirst, Bounds::default());
    let events = std::mem::take(&mut execution.run.kernel.observer);
    let feasibility = |options: Options<'_>| {
        let analysis = analyse(&events, options).expect("few races");
        let on_a = |race: &&StepRace| execution.location(race.conflicts[0].location) == "a[1]";
        analysis.races.iter().find(on_a).expect("an apparent race on a[1]").feasibility
    };
    let level = Level::Approximate;
    assert_eq!(feasibility(Options { level, ..Options::default() }), Feasibility::ByData);
    assert_eq!(feasibility(Options::default()), Feasibility::ByData);
    assert_eq!(feasibility(Options { grain: Grain::Access, ..Options::default() }), Feasibility::Unknown);
}

#[test]
fn isolated_approximate() {
    profile(Profile::Isolated, Level::Approximate, Grain::Step);
}

#[test]
fn isolated_complete() {
    profile(Profile::Isolated, Level::Complete, Grain::Step);
}

#[test]
fn isolated_by_access() {
    profile(Profile::Isolated, Level::Complete, Grain::Access);
}

#[test]
fn mixed_approximate() {
    profile(Profile::Mixed, Level::Approximate, Grain::Step);
}

#[test]
fn mixed_complete() {
    profile(Profile::Mixed, Level::Complete, Grain::Step);
}

#[test]
fn mixed_by_access() {
    profile(Profile::Mixed, Level::Complete, Grain::Access);
}
