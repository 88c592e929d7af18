//! Reports built by hand, one for each thing a renderer has to show.

use raceproof_core::event::AccessKind;
use raceproof_core::finding::*;
use raceproof_report::Sources;

pub fn at(line: u32, column: u32) -> Place {
    Place { file: "f.tp".into(), line, column }
}

pub fn sources(text: &str) -> Sources {
    let mut sources = Sources::new();
    sources.insert("f.tp", text);
    sources
}

pub fn access(kind: AccessKind, task: &str, place: Place) -> RaceAccess {
    RaceAccess {
        access: kind,
        task: task.into(),
        at: place,
        stack: vec![],
        spawned: vec![],
        locks: vec![],
        operation: Operation::Plain,
        library: None,
        bytes: None,
        region: None,
    }
}

pub fn spawned(task: &str, place: Place) -> Spawned {
    Spawned { task: task.into(), at: place, construct: None, thread: None, name: None }
}

pub fn race(location: &str, first: RaceAccess, second: RaceAccess) -> Race {
    Race::new(location.into(), Grade::Feasible, "main".into(), [first, second])
}

pub fn report(races: Vec<Race>) -> Report {
    Report {
        version: "0.1.0".into(),
        verdict: Report::judge(&races, &[], &[], &[]),
        scope: Scope::AllSchedules,
        determinate: races.is_empty().then_some(true),
        races,
        stats: Stats {
            executions: 1,
            tasks: 2,
            steps: 5,
            reads: 1,
            writes: 1,
            seconds: 0.001,
            ..Stats::default()
        },
        ..Report::new("drdp")
    }
}

pub fn schedule(segments: &[(&str, u64)]) -> Option<Witness> {
    let segment = |&(task, actions): &(&str, u64)| Segment { task: task.into(), actions };
    Some(Witness { schedule: segments.iter().map(segment).collect(), ..Witness::default() })
}

/// Main reads what its child writes.
pub const SPAWNER: &str = "\
var x;
proc main() {
  async {
    x = 1;
  }
  skip;

  print(x);
}
";

pub fn spawner() -> Report {
    let mut write = access(AccessKind::Write, "main/1", at(4, 5));
    write.spawned = vec![spawned("main/1", at(3, 3))];
    let mut race = race("x", write, access(AccessKind::Read, "main", at(8, 9)));
    race.witness = schedule(&[("main", 1)]);
    report(vec![race])
}

/// One of two siblings, deep in calls, forgets the lock that the other holds.
pub const LOCKS: &str = "\
lock l;
var total[4];
proc add(i) { total[i] = total[i] + 1; }
proc twice(i) { add(i); add(i); }
proc main() {
  finish {
    async { with l { add(0); } }
    async { async { twice(0); } }
  }
}
";

pub fn locks() -> Report {
    let frame = |function: &str, call| Frame { function: function.into(), call };
    let mut guarded = access(AccessKind::Write, "main/1", at(3, 15));
    guarded.spawned = vec![spawned("main/1", at(7, 5))];
    guarded.stack = vec![frame("add", at(7, 22))];
    guarded.locks = vec!["l".into()];
    let mut bare = access(AccessKind::Read, "main/2/1", at(3, 26));
    bare.spawned = vec![spawned("main/2", at(8, 5)), spawned("main/2/1", at(8, 13))];
    bare.stack = vec![frame("add", at(4, 17)), frame("twice", at(8, 21))];
    let mut race = race("total[0]", guarded, bare);
    race.grade = Grade::Actual;
    race.count = 2;
    race.witness = schedule(&[("main", 3), ("main/1", 2), ("main/2", 1), ("main/2/1", 1)]);
    let mut report = report(vec![race]);
    report.scope = Scope::ObservedSchedule;
    report.stats =
        Stats { executions: 1, tasks: 4, steps: 19, reads: 3, writes: 3, seconds: 12.5, ..Stats::default() };
    report
}

/// Neighbouring iterations of a parallel loop on a thousand cells.
pub const LOOP: &str = "\
var a[1000];
proc main() {
\tforall i in 0..999 {
\t\ta[i] = a[i + 1] + 1;
\t}
}
";

pub fn many_cells() -> Report {
    let cell = |i: u32| {
        let mut read = access(AccessKind::Read, &format!("main/{i}"), at(4, 10));
        read.spawned = vec![spawned(&read.task, at(3, 2))];
        let mut write = access(AccessKind::Write, &format!("main/{}", i + 1), at(4, 3));
        write.spawned = vec![spawned(&write.task, at(3, 2))];
        race(&format!("a[{i}]"), read, write)
    };
    let mut report = report((1..=998).map(cell).collect());
    report.stats = Stats {
        executions: 1,
        tasks: 1000,
        steps: 2005,
        reads: 999,
        writes: 999,
        seconds: 0.0421,
        ..Stats::default()
    };
    report
}

/// Two tasks take two locks in opposite orders; main waits for both.
pub const CIRCLE: &str = "\
lock a; lock b;
proc main() {
  finish {
    async { with a { with b { skip; } } }
    async { with b { with a { skip; } } }
  }
}
";

pub fn circle() -> Report {
    let wait = |task: &str, on: &str, what: &str, held_by: &str, place| Waiting {
        task: task.into(),
        on: on.into(),
        what: what.into(),
        held_by: Some(held_by.into()),
        holder_ended: None,
        at: place,
        stack: vec![],
        spawned: vec![],
    };
    let mut first = wait("main/1", "lock", "b", "main/2", at(4, 22));
    first.spawned = vec![spawned("main/1", at(4, 5))];
    let mut second = wait("main/2", "lock", "a", "main/1", at(5, 22));
    second.spawned = vec![spawned("main/2", at(5, 5))];
    let main = wait("main", "finish", "", "main/1", at(3, 3));
    let deadlock = Deadlock {
        id: String::new(),
        waiting: vec![main, first, second],
        witness: schedule(&[("main", 3), ("main/1", 1), ("main/2", 1)]),
    };
    let mut report = report(vec![]);
    report.verdict = Verdict::Deadlock;
    report.scope = Scope::ObservedSchedule;
    report.determinate = None;
    report.deadlocks = vec![deadlock];
    report
}

/// A promise nobody sets.
pub const STUCK: &str = "\
proc main() {
  let p = promise();
  p.get();
}
";

pub fn stuck() -> Report {
    let waiting = Waiting {
        task: "main".into(),
        on: "promise".into(),
        what: "made at 2:13".into(),
        held_by: None,
        holder_ended: None,
        at: at(3, 3),
        stack: vec![],
        spawned: vec![],
    };
    let mut report = report(vec![]);
    report.verdict = Verdict::Deadlock;
    report.determinate = None;
    report.deadlocks = vec![Deadlock { id: String::new(), waiting: vec![waiting], witness: None }];
    report
}

pub const FAILS: &str = "\
var x;
proc test(n) { assert(x == n); }
proc main() {
  async { test(2); }
}
";

pub fn fails() -> Report {
    let error = ProgramError {
        id: String::new(),
        kind: "assertion".into(),
        message: "x == n is false".into(),
        task: "main/1".into(),
        at: at(2, 16),
        stack: vec![Frame { function: "test".into(), call: at(4, 11) }],
        spawned: vec![spawned("main/1", at(4, 3))],
        witness: schedule(&[("main", 1), ("main/1", 1)]),
        related: Vec::new(),
    };
    let mut report = report(vec![]);
    report.verdict = Verdict::ProgramError;
    report.determinate = None;
    report.errors = vec![error];
    report
}
