//! The published detectors against each other and against a naive search, on random event streams.
//!
//! `RACEPROOF_CASES` multiplies the number of streams. A failure prints the profile, the seed and
//! the program, shrunk; the program then belongs into `kept_programs`.

use crate::support;

use raceproof_core::detect::closure::{self, Closure, Reachability};
use raceproof_core::detect::drdp::Drdp;
use raceproof_core::detect::esp_bags::EspBags;
use raceproof_core::detect::last_access::LastAccess;
use raceproof_core::detect::racing_nodes::racing_nodes;
use raceproof_core::detect::{Detector, Pair, zipper};
use raceproof_core::event::Event;
use raceproof_core::graph::{Graph, GraphBuilder, NodeAccess};
use raceproof_core::ids::{Location, NodeId};
use raceproof_core::order::dpst::{GraphOrder, JoinOrder};
use raceproof_core::order::zippers::Zippers;
use std::collections::BTreeSet;
use support::naive::{self, RaceSet};
use support::{EVERYTHING, PLAIN, Profile, Rng, Schedule, Stmt, Stmt::*};

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

    let racing: BTreeSet<NodeId> = by_zipper.iter().flat_map(|&(a, b)| [a.0, b.0]).collect();
    let (marked, whole) = racing_nodes(&graph, u64::MAX, &|| false);
    let marked: BTreeSet<NodeId> = graph.ids().filter(|id| marked[id.index()]).collect();
    if !whole || marked != racing {
        return Some(format!("zipper's nodes {racing:?}\nracing nodes {marked:?}"));
    }

    // All of the order, not only where there are accesses; with a column for every lock, for one,
    // for none.
    let reached = Reachability::new(&graph).expect("a small graph");
    for cells in [usize::MAX, graph.nodes.len(), 0] {
        let mut order = Zippers::within(&graph, cells);
        for b in graph.ids().rev().skip(1) {
            for a in graph.ids().take(b.index()) {
                if order.precedes(a, b) != reached.precedes(a, b) {
                    return Some(format!("{cells} cells: {a:?} before {b:?}: {}", reached.precedes(a, b)));
                }
            }
        }
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
    let mut default = LastAccess::default();
    events.iter().for_each(|event| event.deliver(&mut default));
    if default.racy().iter().copied().collect::<BTreeSet<_>>() != racy {
        return Some(format!("default {:?}\nnaive {truth:?}", default.racy()));
    }
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

#[test]
fn everything() {
    check(EVERYTHING, false);
}

#[test]
fn everything_depth_first() {
    let schedule = Schedule::DepthFirst;
    check(Profile { name: "everything, depth first", schedule, ..EVERYTHING }, false);
}

/// Small programs that tell a right detector from one with a likely mistake in it.
#[test]
fn kept_programs() {
    let programs = [
        (
            "joins come together at a finish end",
            vec![
                Future(1, vec![Write(1)]),
                Future(0, vec![Write(0)]),
                Finish(vec![GetFuture(0), Async(vec![]), GetFuture(1)]),
                Read(0),
                Read(1),
            ],
        ),
        (
            "a finish end takes over the joins of its tasks",
            vec![Future(0, vec![Write(0)]), Finish(vec![Future(1, vec![GetFuture(0)])]), Read(0)],
        ),
        (
            "two semaphores and an event come together",
            vec![
                Async(vec![Finish(vec![Async(vec![Async(vec![P(1)]), Wait(0)])]), Write(0)]),
                Read(0),
                Post(0),
                V(1),
                Read(0),
            ],
        ),
        (
            "a reader whose task goes on stands for itself",
            vec![
                Read(0),
                Async(vec![Read(0)]),
                Read(0),
                Future(1, vec![Read(0)]),
                Async(vec![GetFuture(1), Write(0)]),
            ],
        ),
        (
            "a reader that has not ended may signal yet",
            vec![Future(1, vec![Read(0), Finish(vec![Read(0), Write(0)])]), Async(vec![Read(0)]), Read(0)],
        ),
        (
            "a signal publishes what its task joined",
            vec![
                Async(vec![Isolated(vec![Write(0)])]),
                Async(vec![Isolated(vec![]), Read(0)]),
                Isolated(vec![]),
                Write(0),
            ],
        ),
        (
            "nested locks",
            vec![Async(vec![With(0, vec![With(1, vec![Write(0)])])]), With(1, vec![]), Write(0)],
        ),
        (
            "a set inside a section",
            vec![Async(vec![Isolated(vec![Set(0), Write(0)])]), Get(0), Isolated(vec![Read(0)]), Write(0)],
        ),
    ];
    for (name, program) in programs {
        for (seed, schedule) in
            (0..50).map(|seed| (seed, Schedule::Random)).chain([(0, Schedule::DepthFirst)])
        {
            let problem = disagreement(&support::run(&program, schedule, seed), false);
            assert_eq!(problem, None, "{name}, seed {seed}");
        }
    }
}
