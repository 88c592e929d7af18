//! The generator and the shrinker, and the oracle on generated programs: what must hold for all of
//! them.

use crate::oracle;

use oracle::{Limits, Outcome, Profile, TRIES, explore, generate, shrink};
use raceproof_tp as tp;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// `RACEPROOF_PROGRAMS=5000 cargo test …` runs more of them.
fn programs(default: u64) -> u64 {
    std::env::var("RACEPROOF_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}

fn outcome(source: &str, limits: Limits) -> Outcome {
    match tp::parse(source) {
        Ok(program) => explore(&program, source, limits),
        Err(errors) => panic!("{source}\n{}", tp::render("generated.tp", source, &errors, false)),
    }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    for profile in Profile::ALL {
        let texts: BTreeSet<String> = (0..200).map(|seed| generate(profile, seed)).collect();
        let again: BTreeSet<String> = (0..200).map(|seed| generate(profile, seed)).collect();
        assert_eq!(texts, again);
        assert!(texts.len() > 195, "{profile:?}: only {} different programs of 200", texts.len());
    }
}

#[derive(Default)]
struct Tally {
    programs: usize,
    states: usize,
    most_states: usize,
    incomplete: usize,
    racy: usize,
    deadlock: usize,
    error: usize,
    /// Neither race nor deadlock nor error.
    quiet: usize,
    /// With a race that is reached only after another one.
    later: usize,
    /// With a deadlock or an error in some schedules only.
    sometimes: usize,
    time: Duration,
}

impl Tally {
    fn of(profile: Profile, seeds: std::ops::Range<u64>) -> Tally {
        let mut tally = Tally::default();
        for seed in seeds {
            let source = generate(profile, seed);
            let start = Instant::now();
            let found = outcome(&source, Limits::default());
            tally.time += start.elapsed();
            let first = outcome(&source, Limits { stop_at_races: true, ..Limits::default() });
            let stops = !found.deadlocks.is_empty() || !found.errors.is_empty();
            tally.programs += 1;
            tally.states += found.states;
            tally.most_states = tally.most_states.max(found.states);
            tally.incomplete += usize::from(!found.complete);
            tally.racy += usize::from(!found.races.is_empty());
            tally.deadlock += usize::from(!found.deadlocks.is_empty());
            tally.error += usize::from(!found.errors.is_empty());
            tally.quiet += usize::from(found.races.is_empty() && !stops);
            tally.later += usize::from(found.races != first.races);
            tally.sometimes += usize::from(stops && !found.final_states.is_empty());
        }
        tally
    }

    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.programs as f64
    }
}

/// Shown with `--nocapture`.
#[test]
fn every_profile_has_enough_programs_of_every_sort() {
    println!("profile       states   most  incomplete  racy  quiet  deadlock  error  sometimes  later  ms");
    for profile in Profile::ALL {
        let tally = Tally::of(profile, 0..programs(500));
        let share = |count| tally.percent(count);
        println!(
            "{:12} {:7} {:6} {:11.1} {:5.1} {:6.1} {:9.1} {:6.1} {:10.1} {:6.1}  {:.3}",
            format!("{profile:?}"),
            tally.states / tally.programs,
            tally.most_states,
            share(tally.incomplete),
            share(tally.racy),
            share(tally.quiet),
            share(tally.deadlock),
            share(tally.error),
            share(tally.sometimes),
            share(tally.later),
            tally.time.as_secs_f64() * 1e3 / tally.programs as f64,
        );
        assert!(share(tally.incomplete) < 1.0, "{profile:?}");
        assert!((30.0..60.0).contains(&share(tally.racy)), "{profile:?}");
        assert!((30.0..70.0).contains(&share(tally.quiet)), "{profile:?}");
        assert!((0.5..15.0).contains(&share(tally.error)), "{profile:?}");
        assert!(share(tally.later) > 5.0, "{profile:?}");
        let blocks = matches!(profile, Profile::Promises | Profile::Locks | Profile::Mixed);
        let deadlocks = if blocks { 1.0..18.0 } else { 0.0..0.1 };
        assert!(deadlocks.contains(&share(tally.deadlock)), "{profile:?}");
    }
}

/// The argument in the header of `explore.rs`, tried out.
#[test]
fn merging_enabling_actions_changes_nothing_but_the_number_of_states() {
    for profile in Profile::ALL {
        for seed in 10_000..10_000 + programs(300) {
            let source = generate(profile, seed);
            let merged = outcome(&source, Limits::default());
            let plain = outcome(&source, Limits { merge_enabling: false, ..Limits::default() });
            if !plain.complete {
                continue;
            }
            let findings = |outcome: &Outcome| {
                let outcome = outcome.clone();
                (
                    outcome.races,
                    outcome.final_states,
                    outcome.deadlocks,
                    outcome.deadlock_states,
                    outcome.errors,
                )
            };
            assert_eq!(findings(&plain), findings(&merged), "{profile:?} seed {seed}:\n{source}");
            assert!(merged.states <= plain.states, "{profile:?} seed {seed}");
        }
    }
}

/// The determinism theorem of the DRDP paper: without mutual exclusion, a program without races
/// comes to the same end in every schedule. (An error of one task may come before or after an error
/// of another.)
#[test]
fn without_races_and_mutual_exclusion_there_is_one_end() {
    for profile in [Profile::AsyncFinish, Profile::Futures, Profile::Promises] {
        let mut checked = 0;
        for seed in 20_000..20_000 + programs(1_000) {
            let source = generate(profile, seed);
            let found = outcome(&source, Limits::default());
            if found.complete && found.races.is_empty() && found.errors.is_empty() {
                assert!(found.determinate, "{profile:?} seed {seed}:\n{source}");
                checked += 1;
            }
        }
        assert!(checked > programs(1_000) / 4, "{profile:?}");
    }
}

/// What the isolated and lock profiles are for: results that depend on the order of sections
/// without any race.
#[test]
fn sections_make_programs_without_races_indeterminate() {
    for profile in [Profile::Isolated, Profile::Locks, Profile::Mixed] {
        let orders = (0..programs(500))
            .map(|seed| outcome(&generate(profile, seed), Limits::default()))
            .filter(|found| found.races.is_empty() && found.final_states.len() > 1)
            .count();
        assert!(orders > programs(500) as usize / 50, "{profile:?}: {orders}");
    }
}

/// Printing moves the sites but keeps what happens.
#[test]
fn a_printed_program_does_the_same() {
    for profile in Profile::ALL {
        for seed in 30_000..30_050 {
            let source = generate(profile, seed);
            let printed = tp::print::print(&tp::parse(&source).unwrap());
            let (before, after) = (outcome(&source, Limits::default()), outcome(&printed, Limits::default()));
            assert_eq!(before.final_states, after.final_states, "{profile:?} seed {seed}:\n{source}");
            assert_eq!(before.races.len(), after.races.len(), "{profile:?} seed {seed}:\n{source}");
            assert_eq!(before.states, after.states, "{profile:?} seed {seed}:\n{source}");
        }
    }
}

#[test]
fn a_racy_program_shrinks_to_a_few_statements() {
    let races = |text: &str| !outcome(text, Limits::default()).races.is_empty();
    for profile in Profile::ALL {
        let racy = (0..).map(|seed| generate(profile, seed)).filter(|text| races(text)).take(8);
        for source in racy {
            let small = shrink(&source, races);
            assert!(races(&small), "{small}");
            assert_eq!(shrink(&small, races), small);
            // A variable, a task and two accesses are enough; what a proc does is not moved to its
            // caller.
            let statements = small.lines().filter(|line| line.trim().ends_with(';')).count();
            assert!(statements <= 6, "{small}\nfrom\n{source}");
        }
    }
}

#[test]
fn shrinking_keeps_the_predicate() {
    let deadlocks = |text: &str| !outcome(text, Limits::default()).deadlocks.is_empty();
    let stuck = (0..).map(|seed| generate(Profile::Locks, seed)).find(|text| deadlocks(text)).unwrap();
    let small = shrink(&stuck, deadlocks);
    assert!(deadlocks(&small) && small.len() < stuck.len());
    assert_eq!(shrink("var x; proc main( {", |_| true), "var x; proc main( {");
    assert_eq!(shrink(&small, |_| false), small);
}

#[test]
fn shrinking_ends_when_it_has_tried_enough() {
    let many = "skip; ".repeat(TRIES);
    let source = format!("proc main() {{ {many} }}");
    let mut asked = 0;
    let same = shrink(&source, |_| {
        asked += 1;
        false
    });
    assert_eq!((same, asked), (source, TRIES));
}
