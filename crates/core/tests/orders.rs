//! The predictive orders against their definitions, on random event streams.
//!
//! `RACEPROOF_CASES` multiplies the number of streams. A failure prints the profile, the seed and
//! the program, shrunk.

use crate::support;

use raceproof_core::detect::epochs::Epochs;
use raceproof_core::detect::predict::{Predicted, Predictor};
use raceproof_core::event::{AccessKind, Event};
use raceproof_core::ids::{Location, ScopeId, SiteId, TaskId};
use raceproof_core::order::Order;
use raceproof_core::order::clock::Epoch;
use raceproof_core::order::{dc::Dc, hard::HardOrder, hb::Hb, shb::Shb, wcp::Wcp, weak::Weak};
use std::collections::BTreeSet;
use support::relations::{self, Relation, conflict, task_of};
use support::sectioned::{self, Sectioned};
use support::{EVERYTHING, PLAIN, Profile, Rng, Schedule, Stmt};

const CASES: u64 = 1_000;

fn predict<O: Order + Default>(events: &[Event]) -> Vec<Predicted> {
    let mut predictor = Predictor::<O>::default();
    events.iter().for_each(|event| event.deliver(&mut predictor));
    predictor.predictions()
}

/// Pairs of events, the earlier first.
type Races = BTreeSet<(usize, usize)>;

fn races(events: &[Event], ordered: impl Fn(usize, usize) -> bool) -> Races {
    let mut races = Races::new();
    for b in 0..events.len() {
        for a in 0..b {
            if conflict(&events[a], &events[b]) && !ordered(a, b) {
                races.insert((a, b));
            }
        }
    }
    races
}

type Side = (SiteId, AccessKind);

fn key(events: &[Event], (a, b): (usize, usize)) -> (Location, Side, Side) {
    let side = |at: usize| match events[at] {
        Event::Access { kind, location, site, .. } => (location, (site, kind)),
        _ => panic!("event {at} is no access"),
    };
    let ((location, a), (_, b)) = (side(a), side(b));
    (location, a.min(b), a.max(b))
}

/// What is wrong with an order on a stream: with its answers about any two accesses of different
/// tasks, with the pairs that its detector finds, or with which comes first.
fn wrong<O: Order + Default>(
    events: &[Event],
    ordered: impl Fn(usize, usize) -> bool,
    excused: impl Fn(usize, usize) -> bool,
) -> Option<String> {
    let mut order = O::default();
    let mut epochs: Vec<Option<Epoch>> = Vec::new();
    for (b, event) in events.iter().enumerate() {
        event.deliver(&mut order);
        let Event::Access { task, .. } = *event else {
            epochs.push(None);
            continue;
        };
        for a in 0..b {
            let Some(epoch) = epochs[a].filter(|_| task_of(&events[a]) != task) else { continue };
            if order.precedes(epoch) != ordered(a, b) {
                return Some(format!("event {a} before {b}: {} by definition", ordered(a, b)));
            }
        }
        epochs.push(Some(order.epoch()));
    }
    let races = races(events, |a, b| ordered(a, b) || excused(a, b));
    let predicted = predict::<O>(events);
    let found: Vec<(usize, usize)> =
        predicted.iter().map(|p| (p.first_event as usize, p.second_event as usize)).collect();
    if let Some(race) = found.iter().find(|race| !races.contains(race)) {
        return Some(format!("{race:?} is no race"));
    }
    let keys = |races: &mut dyn Iterator<Item = (usize, usize)>| -> BTreeSet<_> {
        races.map(|race| key(events, race)).collect()
    };
    let (all, some) = (keys(&mut races.iter().copied()), keys(&mut found.iter().copied()));
    if all != some || some.len() != found.len() {
        return Some(format!("found {found:?} of {races:?}"));
    }
    // Definition 3: the earliest second event, and the latest first one for it.
    let second = races.iter().map(|&(_, b)| b).min();
    let first = races.iter().filter(|&&(_, b)| Some(b) == second).max().copied();
    if found.first().copied() != first {
        return Some(format!("first race {first:?}, found {found:?}"));
    }
    None
}

fn disagreement(events: &[Event]) -> Option<String> {
    let [hard, hb, shb, wcp, dc, weak] =
        [relations::hard, relations::hb, relations::shb, relations::wcp, relations::dc, relations::weak]
            .map(|f| f(events));
    // Every order is part of the one above it, so that every race is one of the order below.
    for (name, small, large) in [
        ("hard", &hard, &weak),
        ("weak", &weak, &dc),
        ("dc", &dc, &wcp),
        ("wcp", &wcp, &hb),
        ("hb", &hb, &shb),
    ] {
        if !small.is_subset(large) {
            return Some(format!("{name} is not part of the next"));
        }
    }
    let before = relations::predecessors(events);
    let never = |_: usize, _: usize| false;
    let by = |relation: &Relation, a: usize, b: usize| relation.has(a, b);
    let shb = |a: usize, b: usize| before[b].is_some_and(|pred| a == pred || shb.has(a, pred));
    let share = |a, b| relations::share_a_lock(events, a, b);
    let judged = [
        ("hard", wrong::<HardOrder>(events, |a, b| by(&hard, a, b), never)),
        ("hb", wrong::<Hb>(events, |a, b| by(&hb, a, b), never)),
        ("shb", wrong::<Shb>(events, shb, never)),
        ("wcp", wrong::<Wcp>(events, |a, b| by(&wcp, a, b), never)),
        ("dc", wrong::<Dc>(events, |a, b| by(&dc, a, b), never)),
        ("weak", wrong::<Weak>(events, |a, b| by(&weak, a, b), share)),
    ];
    judged.into_iter().find_map(|(name, wrong)| wrong.map(|wrong| format!("{name}: {wrong}")))
}

fn cases() -> u64 {
    CASES * std::env::var("RACEPROOF_CASES").ok().and_then(|n| n.parse::<u64>().ok()).unwrap_or(1)
}

fn fails(schedule: Schedule, program: Vec<Stmt>, seed: u64, name: &str, problem: &str) -> ! {
    let failing = |program: &[Stmt]| {
        (0..50).find(|&seed| disagreement(&support::run(program, schedule, seed)).is_some())
    };
    let small = support::shrink(program, |program| failing(program).is_some());
    let run = failing(&small);
    let events = support::run(&small, schedule, run.unwrap_or(seed));
    let listed: Vec<String> = events.iter().enumerate().map(|(at, e)| format!("{at}: {e:?}")).collect();
    panic!(
        "profile {name}, seed {seed}: {problem}\nshrunk, with run seed {run:?}:\n{small:?}\n{:?}\n{}",
        disagreement(&events),
        listed.join("\n")
    );
}

fn check(profile: Profile) {
    for seed in 0..cases() {
        let mut rng = Rng(seed);
        let program = support::generate(&profile, &mut rng);
        let mut events = support::run(&program, profile.schedule, seed);
        if seed % 8 == 7 {
            events.truncate(rng.below(events.len() + 1));
        }
        if let Some(problem) = disagreement(&events) {
            fails(profile.schedule, program, seed, profile.name, &problem);
        }
    }
}

fn check_sectioned(shape: Sectioned) {
    for seed in 0..4 * cases() {
        let program = sectioned::generate(&shape, &mut Rng(seed));
        let events = support::run(&program, Schedule::Random, seed);
        if let Some(problem) = disagreement(&events) {
            fails(Schedule::Random, program, seed, shape.name, &problem);
        }
    }
}

#[test]
fn one_lock() {
    check_sectioned(Sectioned { name: "one lock", locks: 1, signals: false });
}

#[test]
fn one_lock_and_signals() {
    check_sectioned(Sectioned { name: "one lock and signals", locks: 1, signals: true });
}

#[test]
fn nested_locks() {
    check_sectioned(Sectioned { name: "nested locks", locks: 3, signals: false });
}

#[test]
fn nested_locks_and_signals() {
    check_sectioned(Sectioned { name: "nested locks and signals", locks: 2, signals: true });
}

const RANDOM: Profile = Profile { name: "async-finish", schedule: Schedule::Random, ..PLAIN };

#[test]
fn isolated() {
    check(Profile { name: "isolated", isolated: true, futures: true, ..RANDOM });
}

#[test]
fn locks() {
    check(Profile { name: "locks", locks: true, isolated: true, ..RANDOM });
}

#[test]
fn everything() {
    check(EVERYTHING);
}

#[test]
fn everything_depth_first() {
    check(Profile { name: "everything, depth first", schedule: PLAIN.schedule, ..EVERYTHING });
}

/// So many tasks that the clocks of any more are trees.
const CROWD: u32 = 2_100;

/// The same run with tasks beside it that do nothing and never end.
fn crowded(events: &[Event]) -> Vec<Event> {
    let spawn = |child| Event::Spawn {
        parent: TaskId::MAIN,
        child: TaskId(child),
        scope: ScopeId::PROGRAM,
        site: SiteId(0),
    };
    let after = |task: TaskId| if task == TaskId::MAIN { task } else { TaskId(task.0 + CROWD) };
    let moved = events.iter().map(|event| match *event {
        Event::Spawn { parent, child, scope, site } => {
            Event::Spawn { parent: after(parent), child: after(child), scope, site }
        }
        Event::End { task } => Event::End { task: after(task) },
        Event::FinishBegin { task, scope } => Event::FinishBegin { task: after(task), scope },
        Event::FinishEnd { task, scope } => Event::FinishEnd { task: after(task), scope },
        Event::Signal { task, sync, kind } => Event::Signal { task: after(task), sync, kind },
        Event::Join { task, sync, kind } => Event::Join { task: after(task), sync, kind },
        Event::Access { task, kind, location, site } => {
            Event::Access { task: after(task), kind, location, site }
        }
        Event::Atomic { task, kind, location, site } => {
            Event::Atomic { task: after(task), kind, location, site }
        }
    });
    (1..=CROWD).map(spawn).chain(moved).collect()
}

fn same_in_a_crowd<O: Order + Default>(alone: &[Event], crowd: &[Event]) -> usize {
    let pairs = |events: &[Event], before: u32| -> Vec<(u32, u32)> {
        let found = predict::<O>(events).into_iter();
        found.map(|race| (race.first_event - before, race.second_event - before)).collect()
    };
    let expected = pairs(alone, 0);
    assert_eq!(pairs(crowd, CROWD), expected, "{alone:?}");
    let racy = |events: &[Event]| {
        let mut epochs = Epochs::<O>::default();
        epochs.observe(events);
        epochs.racy().to_vec()
    };
    assert_eq!(racy(crowd), racy(alone), "{alone:?}");
    expected.len()
}

#[test]
fn very_many_tasks_change_nothing_for_the_others() {
    let mut races = 0;
    for seed in 0..cases() / 10 {
        let mut rng = Rng(seed);
        let program = match seed % 2 {
            0 => support::generate(&EVERYTHING, &mut rng),
            _ => sectioned::generate(&Sectioned { name: "nested locks", locks: 2, signals: true }, &mut rng),
        };
        let alone = support::run(&program, Schedule::Random, seed);
        let crowd = crowded(&alone);
        races += same_in_a_crowd::<HardOrder>(&alone, &crowd);
        races += same_in_a_crowd::<Hb>(&alone, &crowd);
        races += same_in_a_crowd::<Shb>(&alone, &crowd);
        races += same_in_a_crowd::<Wcp>(&alone, &crowd);
        races += same_in_a_crowd::<Dc>(&alone, &crowd);
        races += same_in_a_crowd::<Weak>(&alone, &crowd);
    }
    assert!(races > 300, "{races} races");
}
