//! The worked examples of the papers, and what the file headers of the detectors claim.

use crate::support;

use raceproof_core::detect::closure::{Closure, MAX_NODES};
use raceproof_core::detect::drdp::Drdp;
use raceproof_core::detect::esp_bags::EspBags;
use raceproof_core::detect::zipper::Zipper;
use raceproof_core::detect::{Detector, Pair};
use raceproof_core::event::{AccessKind, Event, Observer, SyncKind};
use raceproof_core::graph::GraphBuilder;
use raceproof_core::ids::{Location, NodeId, ScopeId, SiteId, SyncId, TaskId};
use raceproof_core::order::zippers::Zippers;
use std::collections::BTreeMap;
use support::{Schedule, Stmt, Stmt::*};

const MAIN: TaskId = TaskId::MAIN;
const CHILD: TaskId = TaskId(1);
const LOCK: SyncId = SyncId(0);

fn judge<D: Detector + Default>(events: &[Event]) -> Vec<Pair> {
    let mut detector = D::default();
    events.iter().for_each(|event| event.deliver(&mut detector));
    assert_eq!(detector.refusal(), None);
    detector.finish()
}

fn depth_first(program: &[Stmt]) -> Vec<Event> {
    support::run(program, Schedule::DepthFirst, 0)
}

fn racy<D: Detector + Default>(events: &[Event]) -> Vec<u64> {
    let mut locations: Vec<u64> = judge::<D>(events).iter().map(|pair| pair.location.0).collect();
    locations.sort_unstable();
    locations.dedup();
    locations
}

/// Closure, Zipper and DRDP find exactly these locations racy.
fn expect_races(program: &[Stmt], expected: &[u64]) {
    let events = depth_first(program);
    assert_eq!(racy::<Closure>(&events), expected, "closure");
    assert_eq!(racy::<Zipper>(&events), expected, "zipper");
    assert_eq!(racy::<Drdp>(&events), expected, "drdp");
}

#[test]
fn nakade_example_1() {
    let program =
        [Write(0), Finish(vec![Async(vec![Read(0), Write(0)]), Async(vec![Read(0), Write(0)])]), Read(0)];
    expect_races(&program, &[0]);
    let events = depth_first(&program);
    assert_eq!(racy::<EspBags>(&events), [0]);
    // Read with write, write with read, write with write; the last read is after the finish.
    assert_eq!(judge::<Closure>(&events).len(), 3);
    assert_eq!(judge::<Zipper>(&events).len(), 3);
}

#[test]
fn drdp_figure_1() {
    let program = [Async(vec![Write(0), Set(0)]), Read(0), Get(0), Read(0)];
    expect_races(&program, &[0]);
    let pairs = judge::<Closure>(&depth_first(&program));
    assert_eq!(pairs.len(), 1, "the second read is ordered: {pairs:?}");
    expect_races(&[Async(vec![Write(0), Set(0)]), Get(0), Read(0)], &[]);
}

#[test]
fn drdp_figures_6_and_7() {
    // s2 precedes s6 through the promise; what f does after its set does not.
    let f = Async(vec![Write(2), Set(0), Write(3)]);
    let g = Async(vec![Write(2), Write(3), Write(1), Set(1)]);
    expect_races(&[Write(1), f, Get(0), g], &[3]);
}

#[test]
fn drdp_needs_no_active_rule() {
    let program = [Async(vec![Get(0), Get(1)]), Async(vec![Write(0), Set(0)]), Read(0), Set(1)];
    let events = depth_first(&program);
    let setter_ends = events.iter().position(|e| *e == Event::End { task: TaskId(2) });
    let main_reads = events.iter().position(|e| matches!(e, Event::Access { task: MAIN, .. }));
    assert!(main_reads < setter_ends, "the setter is still active when main reads: {events:?}");
    expect_races(&program, &[0]);
}

#[test]
fn drdp_a_signal_has_the_joins_of_its_own_task() {
    // Promises: q = 0, p = 1, s = 2. The finish joins a task that got q and a task that set p; who
    // gets p afterwards is not ordered after q.
    let program = [
        Async(vec![Write(0), Set(0)]),
        Async(vec![Get(2), Get(1), Write(0)]),
        Async(vec![Finish(vec![Async(vec![Get(0)]), Async(vec![Set(1)])])]),
        Set(2),
    ];
    expect_races(&program, &[0]);
}

#[test]
fn drdp_a_signal_keeps_the_joins_it_inherited() {
    // Promises: p0 = 0, q = 1, p = 2, s = 3. The write before p0 precedes the write after p,
    // through the owner of the finish, which ends before p is got.
    let program = [
        Async(vec![Write(0), Set(0)]),
        Async(vec![Set(1)]),
        Async(vec![Get(3), Get(2), Write(0)]),
        Async(vec![Get(0), Finish(vec![Async(vec![Get(1), Async(vec![Set(2)])])])]),
        Set(3),
    ];
    expect_races(&program, &[]);
}

#[test]
fn drdp_reader_lists_stay_short() {
    let mut program: Vec<Stmt> = (0..5_000).map(|_| Async(vec![Read(0)])).collect();
    program.push(Async(vec![Write(0)]));
    let mut detector = Drdp::default();
    depth_first(&program[..5_000]).iter().for_each(|event| event.deliver(&mut detector));
    assert!(detector.longest_reader_list() <= 8, "{}", detector.longest_reader_list());
    expect_races(&program, &[0]);
}

#[test]
fn drdp_counts_what_its_searches_visit() {
    let mut detector = Drdp::default();
    let program = [Async(vec![Write(0), Set(0)]), Async(vec![Set(1)]), Get(0), Get(1), Write(0)];
    depth_first(&program).iter().for_each(|event| event.deliver(&mut detector));
    let stats = detector.stats();
    // Newest first: the unrelated promise, then the one that orders the writes.
    assert_eq!((stats.searches, stats.min_visited, stats.max_visited, stats.visited), (1, 2, 2, 2));
}

/// Figure 2 of the Zipper paper in the order in which p runs first: x = 0, a = 1, y = 2.
fn zipper_figure_2() -> Vec<Event> {
    let p = Async(vec![Isolated(vec![Read(1), Write(0)])]);
    depth_first(&[Write(0), Write(1), Finish(vec![p, Isolated(vec![Write(1)]), Read(0), Write(2)])])
}

#[test]
fn esp_bags_raises_the_false_alarm_of_figure_2() {
    assert_eq!(racy::<EspBags>(&zipper_figure_2()), [0]);
}

#[test]
fn the_graph_detectors_do_not_raise_it() {
    assert_eq!(racy::<Closure>(&zipper_figure_2()), [0u64; 0]);
    assert_eq!(racy::<Zipper>(&zipper_figure_2()), [0u64; 0]);
    assert_eq!(racy::<Drdp>(&zipper_figure_2()), [0u64; 0]);
}

#[test]
fn esp_bags_sees_isolated_against_plain() {
    // DataRaceIsolateSimple: the plain write of the child with the isolated one of main.
    let program = [Finish(vec![Write(0), Async(vec![Isolated(vec![]), Write(0)]), Isolated(vec![Write(0)])])];
    assert_eq!(racy::<EspBags>(&depth_first(&program)), [0]);
    let isolated = [Async(vec![Isolated(vec![Write(0)])]), Isolated(vec![Write(0)])];
    assert_eq!(racy::<EspBags>(&depth_first(&isolated)), [0u64; 0]);
}

#[test]
fn esp_bags_refuses_what_it_does_not_know() {
    let refusal = |events: &[Event]| {
        let mut detector = EspBags::default();
        events.iter().for_each(|event| event.deliver(&mut detector));
        detector.refusal()
    };
    for (program, what) in [
        (vec![Set(0)], "promises"),
        (vec![Future(0, vec![])], "futures"),
        (vec![With(0, vec![])], "named locks"),
        (vec![P(0)], "semaphores"),
        (vec![Post(0)], "events"),
    ] {
        let refusal = refusal(&depth_first(&program)).expect("a refusal");
        assert!(refusal.contains(what), "{refusal}");
    }
    let mut breadth_first = Vec::<Event>::new();
    breadth_first.spawn(MAIN, CHILD, ScopeId::PROGRAM, SiteId(0));
    breadth_first.access(MAIN, AccessKind::Read, Location(0), SiteId(0));
    assert!(refusal(&breadth_first).expect("a refusal").contains("depth first"));
    assert_eq!(refusal(&depth_first(&[Finish(vec![Async(vec![Isolated(vec![])])])])), None);
}

/// The graph of Figure 3: branch 1 is b c e g i in the child, branch 2 is d f h in main, and the
/// sections are entered in the order c d h g. A letter is the location its node reads.
fn zipper_figure_3() -> GraphBuilder {
    let mut b = GraphBuilder::new();
    let read = |b: &mut GraphBuilder, task, letter: char| {
        b.access(task, AccessKind::Read, Location(letter as u64), SiteId(0));
    };
    let section = |b: &mut GraphBuilder, task, letter| {
        b.join(task, LOCK, SyncKind::Isolated);
        read(b, task, letter);
        b.signal(task, LOCK, SyncKind::Isolated);
    };
    b.finish_begin(MAIN, ScopeId(1));
    read(&mut b, MAIN, 'a');
    b.spawn(MAIN, CHILD, ScopeId(1), SiteId(0));
    read(&mut b, CHILD, 'b');
    section(&mut b, CHILD, 'c');
    read(&mut b, CHILD, 'e');
    section(&mut b, MAIN, 'd');
    read(&mut b, MAIN, 'f');
    section(&mut b, MAIN, 'h');
    section(&mut b, CHILD, 'g');
    read(&mut b, CHILD, 'i');
    b.end(CHILD);
    b.finish_end(MAIN, ScopeId(1));
    read(&mut b, MAIN, 'j');
    b.end(MAIN);
    b
}

#[test]
fn zipper_table_2() {
    let graph = zipper_figure_3().finish();
    let mut order = Zippers::new(&graph);
    let letter = |node: NodeId| graph.accesses(node).first().map(|a| a.location.0 as u8 as char);
    let mut nodes: Vec<(char, NodeId)> = graph.ids().filter_map(|n| Some((letter(n)?, n))).collect();
    nodes.sort_unstable();
    let branch = |node: NodeId| if graph.nodes[node.index()].task == CHILD { 1 } else { 2 };

    let (mut down, mut up) = (BTreeMap::<u32, String>::new(), BTreeMap::<u32, String>::new());
    let (mut down_lambda, mut up_lambda) = (BTreeMap::<u32, String>::new(), BTreeMap::<u32, String>::new());
    for &(letter, node) in nodes.iter().filter(|(letter, _)| ('b'..='i').contains(letter)) {
        match order.down(node) {
            Some(i) => down.entry(i).or_default().push(letter),
            None => down_lambda.entry(branch(node)).or_default().push(letter),
        }
        match order.up(node) {
            Some(i) => up.entry(i).or_default().push(letter),
            None => up_lambda.entry(branch(node)).or_default().push(letter),
        }
    }
    let table =
        |rows: &[(u32, &str)]| rows.iter().map(|&(i, s)| (i, s.to_string())).collect::<BTreeMap<_, _>>();
    assert_eq!(down, table(&[(0, "bc"), (1, "d"), (2, "fh")]));
    assert_eq!(up, table(&[(1, "df"), (2, "h"), (3, "gi")]));
    assert_eq!(down_lambda, table(&[(1, "egi")]));
    assert_eq!(up_lambda, table(&[(1, "bce")]));

    let mut parallel = Vec::new();
    for &(x, a) in &nodes {
        for &(y, b) in nodes.iter().filter(|&&(y, _)| x < y) {
            if order.concurrent(a, b) {
                parallel.push((x, y));
            }
        }
    }
    assert_eq!(parallel, [('d', 'e'), ('e', 'f'), ('e', 'h')]);
}

#[test]
fn zipper_orders_through_a_section_of_a_nested_child() {
    // The write comes before the grandchild's section, that before main's, that before main's
    // write: filed at the next section of its own branch, of which there is none, it would seem
    // parallel.
    let nested = Async(vec![Write(0), Async(vec![Isolated(vec![])])]);
    expect_races(&[nested, Isolated(vec![]), Write(0)], &[]);
}

#[test]
fn zipper_orders_through_two_locks() {
    let relay = Async(vec![With(0, vec![]), With(1, vec![])]);
    let program = [Async(vec![Write(0), With(0, vec![])]), relay, With(1, vec![]), Write(0)];
    expect_races(&program, &[]);
    let broken = Async(vec![With(1, vec![]), With(0, vec![])]);
    expect_races(&[Async(vec![Write(0), With(0, vec![])]), broken, With(1, vec![]), Write(0)], &[0]);
}

#[test]
fn closure_refuses_large_graphs() {
    let mut detector = Closure::default();
    for child in 1..=(MAX_NODES as u32) / 2 {
        detector.spawn(MAIN, TaskId(child), ScopeId::PROGRAM, SiteId(0));
    }
    let refusal = detector.refusal().expect("a refusal");
    assert!(refusal.contains(&MAX_NODES.to_string()), "{refusal}");
}

#[test]
fn chains_of_nested_tasks() {
    let chain = |length: u32| {
        let mut events = Vec::<Event>::new();
        for child in 1..=length {
            events.access(TaskId(child - 1), AccessKind::Write, Location(0), SiteId(0));
            events.spawn(TaskId(child - 1), TaskId(child), ScopeId::PROGRAM, SiteId(0));
        }
        events.access(MAIN, AccessKind::Read, Location(1), SiteId(1));
        events.access(TaskId(length), AccessKind::Write, Location(1), SiteId(2));
        events
    };
    assert_eq!(racy::<Zipper>(&chain(5_000)), [1]);
    assert_eq!(racy::<Drdp>(&chain(100_000)), [1]);
    let mut zipper = Zipper::default();
    chain(100_000).iter().for_each(|event| event.deliver(&mut zipper));
    assert!(
        zipper.refusal().is_some_and(|refusal| refusal.contains("200003 nodes")),
        "{:?}",
        zipper.refusal()
    );
}

#[test]
fn one_bug_is_reported_once() {
    let mut events = Vec::<Event>::new();
    for child in 1..=1_000 {
        events.spawn(MAIN, TaskId(child), ScopeId::PROGRAM, SiteId(0));
        events.access(TaskId(child), AccessKind::Write, Location(0), SiteId(7));
        events.end(TaskId(child));
    }
    assert_eq!(judge::<Closure>(&events).len(), 1);
    assert_eq!(judge::<Zipper>(&events).len(), 1);
    assert_eq!(judge::<Drdp>(&events).len(), 1);
    assert_eq!(judge::<EspBags>(&events).len(), 1);
}

#[test]
fn the_first_of_a_pair_came_first() {
    // The child has the lower node, but main writes before it.
    let mut events = Vec::<Event>::new();
    events.spawn(MAIN, CHILD, ScopeId::PROGRAM, SiteId(0));
    events.access(MAIN, AccessKind::Write, Location(0), SiteId(1));
    events.access(CHILD, AccessKind::Read, Location(0), SiteId(2));
    for pairs in [judge::<Closure>(&events), judge::<Zipper>(&events), judge::<Drdp>(&events)] {
        assert_eq!(pairs.len(), 1);
        assert_eq!((pairs[0].first.task, pairs[0].second.task), (MAIN, CHILD));
    }
}

#[test]
fn zipper_intersects_long_lists() {
    // Few nodes with many accesses are compared by pairs; ranges overlap in part, in full and not
    // at all.
    let mut rng = support::Rng(1);
    for _ in 0..200 {
        let mut events = Vec::<Event>::new();
        for child in 1..=6 {
            events.spawn(MAIN, TaskId(child), ScopeId::PROGRAM, SiteId(0));
            let (from, span) = (rng.below(600) as u64, 1 + rng.below(600));
            for _ in 0..rng.below(200) {
                let kind = if rng.below(3) == 0 { AccessKind::Write } else { AccessKind::Read };
                let site = SiteId(10 * child + rng.below(2) as u32);
                events.access(TaskId(child), kind, Location(from + rng.below(span) as u64), site);
            }
        }
        let (mut closure, mut zipper) = (judge::<Closure>(&events), judge::<Zipper>(&events));
        closure.sort_unstable();
        zipper.sort_unstable();
        assert_eq!(closure, zipper);
    }
}
