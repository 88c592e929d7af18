//! Witnesses of predicted races: where theory says there is one it must be found, and the checker
//! must accept it.
//!
//! `RACEPROOF_CASES` multiplies the number of streams.

use crate::support;

use raceproof_core::debug::reordering::{self, What};
use raceproof_core::debug::witness::Witnesses;
use raceproof_core::detect::predict::{Predicted, Predictor};
use raceproof_core::event::Event;
use raceproof_core::order::{Order, dc::Dc, hb::Hb, shb::Shb, wcp::Wcp, weak::Weak};
use support::relations;
use support::sectioned::{self, Sectioned};
use support::{PLAIN, Profile, Rng, Schedule, Stmt, Stmt::*, exhaustive};

const CASES: u64 = 2_000;

fn cases() -> u64 {
    CASES * std::env::var("RACEPROOF_CASES").ok().and_then(|n| n.parse::<u64>().ok()).unwrap_or(1)
}

fn predict<O: Order + Default>(events: &[Event]) -> Vec<Predicted> {
    let mut predictor = Predictor::<O>::default();
    events.iter().for_each(|event| event.deliver(&mut predictor));
    predictor.predictions()
}

/// A witness, if one is found; it must then pass the checker.
fn witness(events: &[Event], first: u32, second: u32) -> Option<Vec<u32>> {
    let order = Witnesses::new(events).build(first, second)?;
    if let Err(violation) = reordering::check(events, &order, first, second) {
        panic!("{violation} in the witness {order:?} of {first} and {second}:\n{}", listed(events));
    }
    Some(order)
}

fn has_witness(events: &[Event], race: &Predicted) -> bool {
    witness(events, race.first_event, race.second_event).is_some()
}

fn listed(events: &[Event]) -> String {
    let lines: Vec<String> =
        events.iter().enumerate().map(|(at, event)| format!("{at}: {event:?}")).collect();
    lines.join("\n")
}

const ONE_LOCK: Sectioned = Sectioned { name: "one lock", locks: 1, signals: false };
const SIGNALS: Sectioned = Sectioned { name: "one lock and signals", locks: 1, signals: true };
const NESTED: Sectioned = Sectioned { name: "nested locks", locks: 3, signals: false };
const NESTED_SIGNALS: Sectioned = Sectioned { name: "nested locks and signals", locks: 2, signals: true };

fn streams(shape: Sectioned) -> impl Iterator<Item = (u64, Vec<Event>)> {
    (0..cases()).map(move |seed| {
        let program = sectioned::generate(&shape, &mut Rng(seed));
        (seed, support::run(&program, Schedule::Random, seed))
    })
}

/// Theorem 1 of Ogles et al., and what it says of stronger orders: with one lock the first race is
/// real.
fn first_race_is_real<O: Order + Default>(name: &str) {
    let mut found = 0;
    let generated = (0..cases()).map(|seed| {
        let profile = Profile { isolated: true, futures: true, schedule: Schedule::Random, ..PLAIN };
        let program = support::generate(&profile, &mut Rng(seed));
        (seed, support::run(&program, Schedule::Random, seed))
    });
    for (seed, events) in streams(ONE_LOCK).chain(generated) {
        if let Some(first) = predict::<O>(&events).first() {
            assert!(has_witness(&events, first), "{name}, seed {seed}: {first:?}\n{}", listed(&events));
            found += 1;
        }
    }
    assert!(found > cases() / 4, "{name}: only {found} races");
}

#[test]
fn one_lock_first_race_of_hb() {
    first_race_is_real::<Hb>("hb");
}

#[test]
fn one_lock_first_race_of_wcp() {
    first_race_is_real::<Wcp>("wcp");
}

#[test]
fn one_lock_first_race_of_dc() {
    first_race_is_real::<Dc>("dc");
}

#[test]
fn one_lock_first_race_of_the_weaker_order() {
    first_race_is_real::<Weak>("weak");
}

#[test]
fn every_race_of_shb_is_real() {
    for shape in [ONE_LOCK, SIGNALS, NESTED, NESTED_SIGNALS] {
        for (seed, events) in streams(shape) {
            for race in predict::<Shb>(&events) {
                let name = shape.name;
                assert!(has_witness(&events, &race), "{name}, seed {seed}: {race:?}\n{}", listed(&events));
            }
        }
    }
}

/// Every race that any reordering shows, and no other, has a witness; on streams so small that all
/// can be tried.
#[test]
fn witnesses_are_found_where_there_are_any() {
    for shape in [ONE_LOCK, SIGNALS, NESTED, NESTED_SIGNALS] {
        let (mut real, mut missed, mut false_alarms) = (0, 0, 0);
        for (seed, events) in streams(shape).take(cases() as usize / 4) {
            if events.len() > 40 {
                continue;
            }
            let Some(races) = exhaustive::races(&events) else { continue };
            for b in 0..events.len() {
                for a in 0..b {
                    if !relations::conflict(&events[a], &events[b]) {
                        continue;
                    }
                    let found = witness(&events, a as u32, b as u32).is_some();
                    assert!(
                        !found || races.contains(&(a, b)),
                        "seed {seed}: {a}, {b}, which no reordering shows\n{}",
                        listed(&events)
                    );
                    real += u64::from(races.contains(&(a, b)));
                    missed += u64::from(races.contains(&(a, b)) && !found);
                }
            }
            false_alarms += predict::<Dc>(&events).iter().filter(|race| !has_witness(&events, race)).count();
        }
        println!("{}: {missed} of {real} missed, {false_alarms} false alarms of DC", shape.name);
        assert!(real > 1000 && missed * 100 <= real, "{}: {missed} of {real} missed", shape.name);
    }
}

/// Runs the tasks of `program`, one after the other, in the order of their spawning.
fn depth_first(program: &[Stmt]) -> Vec<Event> {
    support::run(program, Schedule::DepthFirst, 0)
}

#[test]
fn figure_1() {
    let events = depth_first(&[
        Async(vec![Isolated(vec![Write(0)])]),
        Async(vec![Isolated(vec![Write(0)]), Write(0)]),
    ]);
    assert!(predict::<Hb>(&events).is_empty());
    assert!(predict::<Wcp>(&events).is_empty());
    assert!(predict::<Dc>(&events).is_empty());
    let races = predict::<Weak>(&events);
    assert_eq!(races.len(), 1, "{races:?}");
    assert!(has_witness(&events, &races[0]));
}

/// The third thread writes x only if it saw y.
#[test]
fn figure_4() {
    let first = || Async(vec![Write(0), Isolated(vec![Write(0)])]);
    let second = || Async(vec![Isolated(vec![Write(1)])]);
    let third = || Async(vec![Isolated(vec![Read(1), Write(0)])]);
    assert!(predict::<Dc>(&depth_first(&[first(), second(), third()])).is_empty());
    let events = depth_first(&[second(), third(), first()]);
    let races = predict::<Dc>(&events);
    assert_eq!(races.len(), 1, "{races:?}");
    assert_eq!(races[0].pair.location.0, 0);
    assert!(has_witness(&events, &races[0]));
}

/// Beyond one lock the first race need not be real: to stand before its access, each task needs the
/// lock that the other one holds there.
#[test]
fn two_locks_a_false_alarm() {
    let events = depth_first(&[
        Async(vec![With(0, vec![With(1, vec![]), Write(0)])]),
        Async(vec![With(1, vec![With(0, vec![]), Write(0)])]),
    ]);
    assert!(predict::<Hb>(&events).is_empty());
    for races in [predict::<Wcp>(&events), predict::<Dc>(&events), predict::<Weak>(&events)] {
        assert_eq!(races.len(), 1, "{races:?}");
        assert!(!has_witness(&events, &races[0]));
    }
    assert_eq!(exhaustive::races(&events).map(|races| races.len()), Some(0));
}

/// Nor with one lock, if a section signals and waits inside.
#[test]
fn a_section_that_signals_a_false_alarm() {
    let events = depth_first(&[
        Async(vec![Get(0), Write(0), Set(1)]),
        Async(vec![With(0, vec![Set(0), Get(1)])]),
        Async(vec![With(0, vec![Write(0)])]),
    ]);
    let races = predict::<Dc>(&events);
    assert_eq!(races.len(), 1, "{races:?}");
    assert!(!has_witness(&events, &races[0]));
    assert_eq!(exhaustive::races(&events).map(|races| races.len()), Some(0));
}

#[test]
fn the_checker_rejects_what_is_not_a_reordering() {
    let mut rejected = std::collections::BTreeSet::new();
    for (seed, events) in streams(NESTED_SIGNALS).take(500) {
        for race in predict::<Dc>(&events) {
            let Some(order) = witness(&events, race.first_event, race.second_event) else { continue };
            let mut rng = Rng(seed);
            for _ in 0..4 {
                if order.len() < 2 {
                    break;
                }
                let mut wrong = order.clone();
                match rng.below(4) {
                    0 => wrong.truncate(rng.below(order.len())),
                    1 => {
                        wrong.remove(rng.below(order.len()));
                    }
                    2 => wrong.swap(rng.below(order.len()), rng.below(order.len())),
                    _ => wrong.insert(rng.below(order.len()), race.first_event),
                }
                let verdict = reordering::check(&events, &wrong, race.first_event, race.second_event);
                let truth = is_valid(&events, &wrong, race.first_event, race.second_event);
                assert_eq!(
                    verdict.is_ok(),
                    truth,
                    "seed {seed}: {verdict:?} of {wrong:?}\n{}",
                    listed(&events)
                );
                if let Err(violation) = verdict {
                    rejected.insert(format!("{:?}", violation.what));
                }
            }
        }
    }
    let all = [
        What::NotNext,
        What::NotSpawned,
        What::NotSignalled,
        What::Locked,
        What::OtherWrite,
        What::NotReached,
    ];
    for what in all {
        assert!(rejected.contains(&format!("{what:?}")), "{what:?} never came up: {rejected:?}");
    }
}

/// The definition of a valid reordering once more, each clause by a look at the whole order.
fn is_valid(events: &[Event], order: &[u32], first: u32, second: u32) -> bool {
    let order: Vec<usize> = order.iter().map(|&at| at as usize).collect();
    let place = |at: usize| order.iter().position(|&other| other == at);
    let before = |a: usize, b: usize| place(a).is_some_and(|a| place(b).is_none_or(|b| a < b));
    let pred = relations::predecessors(events);
    let observed = relations::observed(events);
    let hard = relations::hard(events);
    let sections = relations::sections(events);
    let unique = (0..events.len()).all(|at| order.iter().filter(|&&other| other == at).count() <= 1);
    let followed = order.iter().chain(&[first as usize, second as usize]).all(|&at| {
        pred[at].is_none_or(|pred| before(pred, at))
            && (0..events.len()).all(|other| !hard.has(other, at) || before(other, at))
    });
    let stands = [first, second].iter().all(|&at| place(at as usize).is_none());
    let excluded = sections.iter().all(|a| {
        sections.iter().filter(|b| a.lock == b.lock && a.enter != b.enter).all(|b| {
            place(a.enter).is_none()
                || place(b.enter).is_none()
                || a.leave.is_some_and(|leave| place(leave).is_some() && before(leave, b.enter))
                || b.leave.is_some_and(|leave| place(leave).is_some() && before(leave, a.enter))
        })
    });
    let location = |at: usize| match events[at] {
        Event::Access { location, kind, .. } => Some((location, kind)),
        _ => None,
    };
    let seen = order.iter().enumerate().all(|(index, &at)| match location(at) {
        Some((cell, raceproof_core::event::AccessKind::Read)) => {
            let last = order[..index]
                .iter()
                .rev()
                .find(|&&other| location(other) == Some((cell, raceproof_core::event::AccessKind::Write)));
            last.copied() == observed[at]
        }
        _ => true,
    });
    unique && followed && stands && excluded && seen
}
