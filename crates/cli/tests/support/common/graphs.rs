//! Graphs of small runs, made by feeding events to the graph builder as the runtime would.

use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::finding::Place;
use raceproof_core::graph::{Graph, GraphBuilder};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use raceproof_report::graph::{Names, Site};

/// Site n is at line n; locations below 100 are `x0`, `x1`, …, those from 100 on the cells of `a`.
pub struct Plain;

impl Names for Plain {
    fn site(&self, site: SiteId) -> Site {
        Site { place: Place { file: "f.tp".into(), line: site.0, column: 3 }, label: String::new() }
    }
    fn location(&self, location: Location) -> String {
        match location.0 {
            n if n >= 100 => format!("a[{}]", n - 100),
            n => format!("x{n}"),
        }
    }
}

/// A run being told to the graph builder.
pub struct Run {
    builder: GraphBuilder,
    tasks: u32,
    scopes: u32,
}

pub const MAIN: TaskId = TaskId::MAIN;

impl Run {
    pub fn new() -> Run {
        Run { builder: GraphBuilder::new(), tasks: 1, scopes: 1 }
    }
    pub fn spawn(&mut self, parent: TaskId, scope: ScopeId, line: u32) -> TaskId {
        let child = TaskId(self.tasks);
        self.tasks += 1;
        self.builder.spawn(parent, child, scope, SiteId(line));
        child
    }
    pub fn finish(&mut self, task: TaskId) -> ScopeId {
        let scope = ScopeId(self.scopes);
        self.scopes += 1;
        self.builder.finish_begin(task, scope);
        scope
    }
    pub fn end_finish(&mut self, task: TaskId, scope: ScopeId) {
        self.builder.finish_end(task, scope);
    }
    pub fn end(&mut self, task: TaskId) {
        self.builder.end(task);
    }
    pub fn read(&mut self, task: TaskId, location: u64, line: u32) {
        self.builder.access(task, AccessKind::Read, Location(location), SiteId(line));
    }
    pub fn write(&mut self, task: TaskId, location: u64, line: u32) {
        self.builder.access(task, AccessKind::Write, Location(location), SiteId(line));
    }
    pub fn signal(&mut self, task: TaskId, sync: u32, kind: SyncKind) {
        self.builder.signal(task, SyncId(sync), kind);
    }
    pub fn join(&mut self, task: TaskId, sync: u32, kind: SyncKind) {
        self.builder.join(task, SyncId(sync), kind);
    }
    pub fn graph(self) -> Graph {
        self.builder.finish()
    }
}

/// finish { async { x0 = …; a[0..2] } async { a[1..3] } } print: 11 nodes.
pub fn two_tasks() -> Graph {
    let mut run = Run::new();
    run.write(MAIN, 0, 2);
    let scope = run.finish(MAIN);
    for (line, from) in [(4, 100), (5, 101)] {
        let task = run.spawn(MAIN, scope, line);
        run.read(task, 0, line);
        for cell in from..from + 2 {
            run.write(task, cell, line);
        }
        run.end(task);
    }
    run.end_finish(MAIN, scope);
    run.read(MAIN, 0, 8);
    run.end(MAIN);
    run.graph()
}

/// Every kind of edge: isolated sections, a lock, a future, a promise, nested tasks, an unfinished
/// task.
pub fn every_kind() -> Graph {
    let mut run = Run::new();
    let scope = run.finish(MAIN);
    let a = run.spawn(MAIN, scope, 3);
    let b = run.spawn(MAIN, scope, 4);
    run.join(a, 1, SyncKind::Isolated);
    run.write(a, 0, 5);
    run.signal(a, 1, SyncKind::Isolated);
    let c = run.spawn(a, scope, 6);
    run.write(c, 1, 7);
    run.signal(c, 2, SyncKind::Promise);
    run.read(c, 2, 8);
    run.end(c);
    run.join(b, 1, SyncKind::Isolated);
    run.read(b, 0, 9);
    run.write(b, 0, 9);
    run.signal(b, 1, SyncKind::Isolated);
    run.join(b, 2, SyncKind::Promise);
    run.read(b, 1, 10);
    let future = run.spawn(b, scope, 11);
    run.write(future, 3, 12);
    run.signal(future, 3, SyncKind::Future);
    run.end(future);
    run.write(a, 2, 13);
    run.end(a);
    run.join(MAIN, 3, SyncKind::Future);
    run.read(MAIN, 3, 14);
    run.end(b);
    run.end_finish(MAIN, scope);
    run.spawn(MAIN, ScopeId::PROGRAM, 16);
    run.graph()
}

/// forall i in 0..n { a[i] = a[i + 1] + 1 }: 7 + 2n nodes.
pub fn forall(n: u32) -> Graph {
    let mut run = Run::new();
    let scope = run.finish(MAIN);
    let tasks: Vec<TaskId> = (0..n).map(|_| run.spawn(MAIN, scope, 3)).collect();
    for (i, task) in tasks.into_iter().enumerate() {
        run.read(task, 101 + i as u64, 4);
        run.write(task, 100 + i as u64, 4);
        run.end(task);
    }
    run.end_finish(MAIN, scope);
    run.end(MAIN);
    run.graph()
}

/// A binary tree of tasks with a finish at each inner one.
pub fn tree(depth: u32) -> Graph {
    fn grow(run: &mut Run, task: TaskId, depth: u32) {
        run.write(task, u64::from(depth), 2);
        if depth > 0 {
            let scope = run.finish(task);
            let children = [run.spawn(task, scope, 4), run.spawn(task, scope, 5)];
            for child in children {
                grow(run, child, depth - 1);
                run.end(child);
            }
            run.end_finish(task, scope);
            run.read(task, u64::from(depth), 7);
        }
    }
    let mut run = Run::new();
    grow(&mut run, MAIN, depth);
    run.end(MAIN);
    run.graph()
}

/// A pipeline of futures in `n` rows of three, each with an isolated update at its end.
pub fn pipeline(n: u32) -> Graph {
    let mut run = Run::new();
    let scope = run.finish(MAIN);
    for row in 0..n {
        let mut last = None;
        for stage in 0..3 {
            let sync = 10 + 3 * row + stage;
            let task = run.spawn(MAIN, scope, 4 + stage);
            if let Some(last) = last {
                run.join(task, last, SyncKind::Future);
            }
            run.write(task, u64::from(row), 4 + stage);
            if stage == 2 {
                run.join(task, 1, SyncKind::Isolated);
                run.write(task, 99, 8);
                run.signal(task, 1, SyncKind::Isolated);
            }
            run.signal(task, sync, SyncKind::Future);
            run.end(task);
            last = Some(sync);
        }
    }
    run.end_finish(MAIN, scope);
    run.end(MAIN);
    run.graph()
}
