//! The published detectors against each other and against a naive search, on random event streams.
//!
//! `RACEPROOF_CASES` multiplies the number of streams. A failure prints the profile, the seed and the program,
//! shrunk; the program then belongs into `detector_regressions.rs`.

mod support;

use raceproof_core::detect::closure::{self, Closure};
use raceproof_core::detect::drdp::Drdp;
use raceproof_core::detect::esp_bags::EspBags;
use raceproof_core::detect::{Detector, Pair, zipper};
use raceproof_core::event::Event;
use raceproof_core::graph::{Graph, GraphBuilder, NodeAccess};
use raceproof_core::ids::{Location, NodeId};
use raceproof_core::order::dpst::{GraphOrder, JoinOrder};
use std::collections::BTreeSet;
use support::naive::{self, RaceSet};
use support::{PLAIN, Profile, Rng, Schedule, Stmt};

const CASES: u64 = 2_000;

fn judge<D: Detector>(mut detector: D, events: &[Event]) -> Vec<Pair> {
    events.iter().for_each(|event| event.deliver(&mut detector));
    assert_eq!(detector.refusal(), None);
    detector.finish()
}

fn locations(pairs: &[Pair]) -> BTreeSet<Location> {
    pairs.iter().map(|pair| pair.location).collect()
}

fn race_set(pairs: &[Pair]) -> RaceSet {
    let side = |a: &raceproof_core::detect::Access| (a.task, a.site, a.kind);
    pairs.iter().map(|p| naive::race(p.location, side(&p.first), side(&p.second))).collect()
}

type Found = BTreeSet<((NodeId, NodeAccess), (NodeId, NodeAccess))>;

fn found(set: &mut Found) -> impl FnMut((NodeId, &NodeAccess), (NodeId, &NodeAccess)) {
    |a, b| {
        let (a, b) = ((a.0, *a.1), (b.0, *b.1));
        assert!(set.insert((a.min(b), a.max(b))), "{a:?} and {b:?} are reported twice");
    }
}

/// What is wrong with the detectors on `events`, if anything is.
fn disagreement(events: &[Event], esp_bags: bool) -> Option<String> {
    let mut builder = GraphBuilder::new();
    events.iter().for_each(|event| event.deliver(&mut builder));
    let graph: Graph = builder.finish();

    let (mut by_closure, mut by_zipper) = (Found::new(), Found::new());
    closure::for_each_race(&graph, found(&mut by_closure)).expect("a small graph");
    zipper::for_each_race(&graph, found(&mut by_zipper));
    if by_closure != by_zipper {
        return Some(format!("closure {by_closure:?}\nzipper {by_zipper:?}"));
    }

    let truth = naive::races(events);
    let task = |node: NodeId| graph.nodes[node.index()].task;
    let side = |(node, a): (NodeId, NodeAccess)| (task(node), a.site, a.kind);
    let closure: RaceSet =
        by_closure.iter().map(|&(a, b)| naive::race(a.1.location, side(a), side(b))).collect();
    if closure != truth {
        return Some(format!("closure {closure:?}\nnaive {truth:?}"));
    }

    let racy: BTreeSet<Location> = truth.iter().map(|race| race.0).collect();
    let mut judged = vec![("closure", judge(Closure::default(), events))];
    judged.push(("zipper", judge(zipper::Zipper::default(), events)));
    for graph_order in [GraphOrder::BreadthFirst, GraphOrder::DepthFirst] {
        for join_order in [JoinOrder::NewestFirst, JoinOrder::OldestFirst] {
            judged.push(("drdp", judge(Drdp::new(graph_order, join_order), events)));
        }
    }
    if esp_bags {
        judged.push(("esp-bags", judge(EspBags::default(), events)));
    }
    for (name, pairs) in judged {
        if locations(&pairs) != racy {
            return Some(format!("{name} {pairs:?}\nnaive {truth:?}"));
        }
        if !race_set(&pairs).is_subset(&truth) {
            return Some(format!("false alarm: {name} {pairs:?}\nnaive {truth:?}"));
        }
    }
    None
}

fn check(profile: Profile, esp_bags: bool) {
    let factor = std::env::var("RACEPROOF_CASES").ok().and_then(|n| n.parse::<u64>().ok()).unwrap_or(1);
    let mut racy = 0;
    let mut free = 0;
    for seed in 0..CASES * factor {
        let mut rng = Rng(seed);
        let program = support::generate(&profile, &mut rng);
        let mut events = support::run(&program, profile.schedule, seed);
        if seed % 8 == 7 {
            // A run that was stopped.
            events.truncate(rng.below(events.len() + 1));
        }
        if naive::races(&events).is_empty() {
            free += 1
        } else {
            racy += 1
        }
        let Some(problem) = disagreement(&events, esp_bags) else { continue };
        let seeds = |program: &[Stmt]| {
            (0..50).find(|&seed| {
                disagreement(&support::run(program, profile.schedule, seed), esp_bags).is_some()
            })
        };
        let small = support::shrink(program, |p| seeds(p).is_some());
        let run = seeds(&small);
        panic!("profile {}, seed {seed}: {problem}\nshrunk, with run seed {run:?}:\n{small:?}", profile.name);
    }
    // A generator that only makes racy, or only race-free, programs tests half of it.
    assert!(free * 20 > racy && racy * 20 > free, "{}: {racy} racy, {free} race-free", profile.name);
}

#[test]
fn async_finish_depth_first() {
    check(PLAIN, true);
}

#[test]
fn async_finish() {
    check(Profile { name: "async-finish, random", schedule: Schedule::Random, ..PLAIN }, false);
}

#[test]
fn futures() {
    check(Profile { name: "futures", futures: true, schedule: Schedule::Random, ..PLAIN }, false);
}

#[test]
fn promises_depth_first() {
    check(Profile { name: "promises, depth first", promises: true, futures: true, ..PLAIN }, false);
}

#[test]
fn promises() {
    check(Profile { name: "promises", promises: true, schedule: Schedule::Random, ..PLAIN }, false);
}

#[test]
fn isolated() {
    check(Profile { name: "isolated", isolated: true, schedule: Schedule::Random, ..PLAIN }, false);
}

#[test]
fn locks() {
    let schedule = Schedule::Random;
    check(Profile { name: "locks", isolated: true, locks: true, schedule, ..PLAIN }, false);
}

#[test]
fn semaphores_and_events() {
    let schedule = Schedule::Random;
    let name = "semaphores and events";
    check(Profile { name, semaphores: true, events: true, schedule, ..PLAIN }, false);
}

const EVERYTHING: Profile = Profile {
    name: "everything",
    schedule: Schedule::Random,
    futures: true,
    promises: true,
    isolated: true,
    locks: true,
    semaphores: true,
    events: true,
};

#[test]
fn everything() {
    check(EVERYTHING, false);
}

#[test]
fn everything_depth_first() {
    let schedule = Schedule::DepthFirst;
    check(Profile { name: "everything, depth first", schedule, ..EVERYTHING }, false);
}
