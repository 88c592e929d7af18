//! What the tests against the oracle share: the loops over generated programs and regressions, a
//! program with the oracle's answer, and findings in the oracle's terms.

use crate::common::seeds::seeds;
use crate::oracle;

use oracle::{Limits, Outcome, Profile, Side, explore, generate, shrink};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Place, Race, Verdict};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use std::fs;
use std::path::Path;

/// A compiled program with what the oracle knows of it.
pub(crate) struct Case {
    pub(crate) code: Code,
    pub(crate) outcome: Outcome,
}

impl Case {
    /// None if the program is too big for the oracle.
    pub(crate) fn new(text: &str) -> Result<Option<Case>, String> {
        let program = tp::parse(text).map_err(|errors| format!("does not parse: {errors:?}"))?;
        let outcome = explore(&program, text, Limits::default());
        let code = compile(&program, &Source::new("f.tp", text));
        Ok(outcome.complete.then_some(Case { code, outcome }))
    }
}

/// The verdict over all schedules.
pub(crate) fn truth(outcome: &Outcome) -> Verdict {
    if !outcome.races.is_empty() {
        Verdict::Race
    } else if !outcome.errors.is_empty() {
        Verdict::ProgramError
    } else if !outcome.deadlocks.is_empty() {
        Verdict::Deadlock
    } else {
        Verdict::RaceFree
    }
}

pub(crate) fn side(kind: AccessKind, at: &Place) -> Side {
    let access = match kind {
        AccessKind::Read => oracle::Access::Read,
        AccessKind::Write => oracle::Access::Write,
    };
    Side { access, line: at.line, column: at.column }
}

/// A race as the oracle names it.
pub(crate) fn race(location: &str, mut sides: [Side; 2]) -> oracle::Race {
    sides.sort();
    oracle::Race { location: location.to_owned(), sides: sides.into() }
}

/// Whether the oracle knows a reported race; the error says which it does not.
pub(crate) fn is_known(reported: &Race, outcome: &Outcome) -> Result<(), String> {
    let sides = [&reported.first, &reported.second].map(|access| side(access.access, &access.at));
    let race = race(&reported.location, sides);
    if outcome.races.contains(&race) {
        return Ok(());
    }
    Err(format!("reported as feasible, unknown to the oracle: {race}"))
}

/// Judges the programs of a generator, and returns the tally. A failure prints the seed, the
/// program, and a shrunk one.
pub(crate) fn judge_generated<T: Default>(
    name: &str,
    cases: u64,
    generator: impl Fn(u64) -> String,
    judge: impl Fn(&str, &mut T) -> Result<(), String>,
) -> T {
    let mut tally = T::default();
    for seed in seeds(cases) {
        let text = generator(seed);
        if let Err(wrong) = judge(&text, &mut tally) {
            let small = shrink(&text, |text| judge(text, &mut T::default()).is_err());
            panic!("{name}, seed {seed}: {wrong}\n{text}\nin short, for tests/regressions:\n{small}");
        }
    }
    tally
}

/// As [`judge_generated`], for the programs of a profile.
pub(crate) fn judge_profile<T: Default>(
    profile: Profile,
    cases: u64,
    judge: impl Fn(&str, &mut T) -> Result<(), String>,
) -> T {
    judge_generated(&format!("{profile:?}"), cases, |seed| generate(profile, seed), judge)
}

/// Judges the programs that were once judged wrongly.
pub(crate) fn judge_regressions<T: Default>(judge: impl Fn(&str, &mut T) -> Result<(), String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("its entries can be read").path();
        let text = fs::read_to_string(&path).expect("they are programs");
        if let Err(wrong) = judge(&text, &mut T::default()) {
            panic!("{}: {wrong}", path.display());
        }
        seen += 1;
    }
    assert!(seen >= 4, "{seen} programs");
}

/// A test for each profile, named as it is, that calls a function with it.
macro_rules! test_profiles {
    ($judge:ident: $($name:ident $profile:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                $judge($crate::oracle::Profile::$profile);
            }
        )+
    };
}
pub(crate) use test_profiles;
