//! The shape of the computation graph: the node counts of Zipper's Table 3, and runs that stop
//! early.

use raceproof_core::detect::racing_nodes::racing_nodes;
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::graph::{EdgeKind, Graph, GraphBuilder, NodeKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};

const MAIN: TaskId = TaskId::MAIN;
const LOCK: SyncId = SyncId(0);

fn spawn(b: &mut GraphBuilder, child: u32, scope: u32) {
    b.spawn(MAIN, TaskId(child), ScopeId(scope), SiteId(0));
}

fn section(b: &mut GraphBuilder, task: TaskId, kind: SyncKind) {
    b.join(task, LOCK, kind);
    b.access(task, AccessKind::Write, Location(0), SiteId(0));
    b.signal(task, LOCK, kind);
}

/// `forall i in 0..tasks { body }`, depth first.
fn forall(tasks: u32, body: impl Fn(&mut GraphBuilder, TaskId)) -> Graph {
    let mut b = GraphBuilder::new();
    b.finish_begin(MAIN, ScopeId(1));
    for child in 1..=tasks {
        spawn(&mut b, child, 1);
        body(&mut b, TaskId(child));
        b.end(TaskId(child));
    }
    b.finish_end(MAIN, ScopeId(1));
    b.end(MAIN);
    b.finish()
}

#[test]
fn node_counts_of_table_3() {
    assert_eq!(forall(2, |_, _| ()).nodes.len(), 11, "PrimitiveArrayRace");
    assert_eq!(forall(9, |b, t| section(b, t, SyncKind::Isolated)).nodes.len(), 43, "IntegerCounterIsolated");
    assert_eq!(forall(19, |_, _| ()).nodes.len(), 45, "Antidep1VarYes");
    assert_eq!(forall(100, |_, _| ()).nodes.len(), 207, "DoAll1OrigNo");
    assert_eq!(forall(999, |_, _| ()).nodes.len(), 2005, "Antidep1OrigYes");
}

#[test]
fn a_future_got_once_adds_three_nodes() {
    let mut b = GraphBuilder::new();
    spawn(&mut b, 1, 0);
    b.access(TaskId(1), AccessKind::Write, Location(0), SiteId(0));
    b.signal(TaskId(1), LOCK, SyncKind::Future);
    b.end(TaskId(1));
    b.join(MAIN, LOCK, SyncKind::Future);
    b.end(MAIN);
    let graph = b.finish();
    assert_eq!(graph.nodes.len(), 3 + 3);
    let get = graph.edges.iter().find(|e| e.kind == EdgeKind::Promise).expect("an edge to the get");
    assert_eq!(graph.accesses(get.from).len(), 1);
}

#[test]
fn what_follows_a_futures_signal_is_a_step_of_its_own() {
    let mut b = GraphBuilder::new();
    spawn(&mut b, 1, 0);
    b.signal(TaskId(1), LOCK, SyncKind::Future);
    b.access(TaskId(1), AccessKind::Write, Location(0), SiteId(0));
    b.join(MAIN, LOCK, SyncKind::Future);
    let graph = b.finish();
    let get = graph.edges.iter().find(|e| e.kind == EdgeKind::Promise).expect("an edge to the get");
    assert!(graph.accesses(get.from).is_empty());
    assert_eq!(graph.accesses(graph.tasks[1].last).len(), 1);
}

#[test]
fn sections_are_numbered_and_chained() {
    let graph = forall(3, |b, t| section(b, t, SyncKind::Lock));
    let sections: Vec<_> = graph.nodes.iter().filter(|n| n.kind == NodeKind::Isolated).collect();
    assert_eq!(sections.iter().map(|n| n.section).collect::<Vec<_>>(), [Some(0), Some(1), Some(2)]);
    assert_eq!(graph.edges.iter().filter(|e| e.kind == EdgeKind::Isolation).count(), 2);
    assert!(graph.is_complete());
}

#[test]
fn accesses_are_deduplicated_in_a_node() {
    let mut b = GraphBuilder::new();
    for round in 0..10_000 {
        b.access(MAIN, AccessKind::Read, Location(round % 3), SiteId(0));
        b.access(MAIN, AccessKind::Write, Location(round % 3), SiteId(1));
    }
    let graph = b.finish();
    assert_eq!(graph.all_accesses().len(), 6);
    let times: Vec<u64> = graph.accesses(graph.tasks[0].last).iter().map(|a| a.time).collect();
    assert_eq!(times, [0, 1, 2, 3, 4, 5], "the first of each is kept");
}

#[test]
fn an_unfinished_run_still_has_a_graph() {
    let mut b = GraphBuilder::new();
    b.finish_begin(MAIN, ScopeId(1));
    spawn(&mut b, 1, 1);
    b.join(TaskId(1), LOCK, SyncKind::Lock);
    b.access(TaskId(1), AccessKind::Write, Location(0), SiteId(0));
    let graph = b.finish();
    assert!(!graph.is_complete());
    assert_eq!(graph.scopes[&ScopeId(1)].end, None);
    assert_eq!(graph.accesses(graph.tasks[1].last).len(), 1);
    assert!(graph.edges.iter().all(|e| e.from < e.to));
}

#[test]
fn edges_are_grouped_by_target() {
    let graph = forall(5, |b, t| section(b, t, SyncKind::Isolated));
    assert!(graph.edges.is_sorted_by_key(|e| e.to));
    let into = graph.predecessors();
    for node in graph.ids() {
        assert!(graph.edges[into.range(node)].iter().all(|e| e.to == node));
    }
}

/// Which of the tasks of a forall race, each of which makes some accesses of one location: kind,
/// and whether it is atomic.
fn racing_tasks(tasks: &[&[(AccessKind, bool)]]) -> Vec<bool> {
    let graph = forall(tasks.len() as u32, |b, task| {
        for &(kind, atomic) in tasks[task.index() - 1] {
            if atomic {
                b.atomic(task, kind, Location(7), SiteId(1));
            } else {
                b.access(task, kind, Location(7), SiteId(2));
            }
        }
    });
    let (racing, whole) = racing_nodes(&graph, u64::MAX, &|| false);
    assert!(whole);
    graph.tasks[1..].iter().map(|task| racing[task.first.index()]).collect()
}

#[test]
fn atomic_accesses_race_with_plain_ones_only() {
    use AccessKind::{Read, Write};
    assert_eq!(racing_tasks(&[&[(Write, true)], &[(Write, true)], &[(Read, true)]]), [false; 3]);
    assert_eq!(racing_tasks(&[&[(Write, true)], &[(Read, false)]]), [true; 2]);
    assert_eq!(racing_tasks(&[&[(Read, true)], &[(Read, false)]]), [false; 2]);
    // The atomic write of the first does not hide its plain read.
    assert_eq!(racing_tasks(&[&[(Read, false), (Write, true)], &[(Write, true)]]), [true; 2]);
    assert_eq!(racing_tasks(&[&[(Read, false), (Write, true)], &[(Read, true)]]), [false; 2]);
    let mixed = racing_tasks(&[&[(Write, true)], &[(Write, true)], &[(Write, false)], &[(Read, true)]]);
    assert_eq!(mixed, [true; 4]);
}
