//! RAPID's formats as its tools write them: every operation, in binary and in text, and what they
//! tolerate.

use crate::common;

use common::command::{Done, Folder, raceproof, run};
use serde_json::Value;
use std::path::Path;

/// Operations by their number in the binary format.
const ACQUIRE: u64 = 0;
const RELEASE: u64 = 1;
const READ: u64 = 2;
const WRITE: u64 = 3;
const FORK: u64 = 4;
const JOIN: u64 = 5;
const BEGIN: u64 = 6;
const END: u64 = 7;
const REQUEST: u64 = 8;
const BRANCH: u64 = 9;

/// Thread, operation, operand, location.
type Event = (u64, u64, u64, u64);

/// As `parse.bin` of RAPID reads it; the signs of the numbers, which mean nothing, as `sign` says.
fn binary(events: &[Event], sign: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend((4 | (sign as u16) << 15).to_be_bytes());
    bytes.extend((2 | (sign as u32) << 31).to_be_bytes());
    bytes.extend((9 | (sign as u32) << 31).to_be_bytes());
    bytes.extend((events.len() as u64 | sign << 63).to_be_bytes());
    for &(thread, op, operand, location) in events {
        bytes.extend((sign << 63 | location << 48 | operand << 14 | op << 10 | thread).to_be_bytes());
    }
    bytes
}

fn text(events: &[Event]) -> String {
    let line = |&(thread, op, operand, location): &Event| {
        let op = match op {
            ACQUIRE => format!("acq(L{operand})"),
            RELEASE => format!("rel(L{operand})"),
            READ => format!("r(V{operand})"),
            WRITE => format!("w(V{operand})"),
            FORK => format!("fork(T{operand})"),
            JOIN => format!("join(T{operand})"),
            BEGIN => "begin".into(),
            END => "end".into(),
            REQUEST => format!("req(L{operand})"),
            BRANCH => "branch".into(),
            _ => unreachable!("no operation of the format"),
        };
        format!("T{thread}|{op}|{location}\n")
    };
    events.iter().map(line).collect()
}

/// Transactions in every thread, again and again; requests and branches everywhere.
const PROGRAM: &[Event] = &[
    (0, BEGIN, 0, 1),
    (0, WRITE, 1, 2),
    (0, FORK, 1, 3),
    (0, FORK, 2, 4),
    (1, BEGIN, 0, 5),
    (1, REQUEST, 7, 6),
    (1, ACQUIRE, 7, 6),
    (1, READ, 1, 7),
    (1, BRANCH, 0, 8),
    (1, WRITE, 2, 9),
    (1, RELEASE, 7, 10),
    (1, END, 0, 11),
    (2, BEGIN, 0, 5),
    (2, REQUEST, 7, 6),
    (2, ACQUIRE, 7, 6),
    (2, WRITE, 2, 9),
    (2, RELEASE, 7, 10),
    (2, END, 0, 11),
    (1, BEGIN, 0, 12),
    (1, WRITE, 3, 13),
    (1, END, 0, 14),
    (2, WRITE, 3, 15),
    (0, JOIN, 1, 16),
    (0, JOIN, 2, 17),
    (0, READ, 3, 18),
    (0, END, 0, 19),
];

fn analyze(trace: &Path, options: &[&str]) -> (Done, Value) {
    let done = run(raceproof().arg("analyze").arg(trace).args(["--format", "json"]).args(options));
    let report = serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    (done, report)
}

fn check(trace: &Path) -> Done {
    run(raceproof().args(["trace", "--check"]).arg(trace))
}

/// The sites of the races.
fn sites(report: &Value) -> Vec<(u64, u64)> {
    let line = |side: &Value| side["line"].as_u64().expect("a line");
    let races = report["races"].as_array().expect("races").iter();
    races.map(|race| (line(&race["first"]), line(&race["second"]))).collect()
}

#[test]
fn every_operation_is_read() {
    let folder = Folder::new("rapid-operations");
    let traces = [
        folder.write("t.bin", binary(PROGRAM, 0)),
        folder.write("signed.bin", binary(PROGRAM, 1)),
        folder.write("t.std", text(PROGRAM)),
    ];
    for trace in &traces {
        check(trace).expect_status(0).says("well-formed");
        for order in ["hb", "shb", "wcp", "dc"] {
            let (done, report) = analyze(trace, &["--order", order]);
            assert_eq!((done.status, sites(&report)), (Some(1), vec![(13, 15)]), "{trace:?} {order}");
            assert!(report.get("warnings").is_none(), "{report}");
            assert_eq!((&report["stats"]["reads"], &report["stats"]["writes"]), (&2.into(), &5.into()));
        }
    }
    let wrong = folder.write("wrong.bin", binary(&[(0, WRITE, 1, 2), (0, 10, 0, 3)], 0));
    check(&wrong).expect_status(2).says("offset 26: operation 10").says("expected at most 9");
}

/// The location has fifteen bits below the sign, the operand thirty-four.
#[test]
fn the_widest_numbers_are_read() {
    let folder = Folder::new("rapid-widest");
    let events = [(1023, WRITE, (1 << 34) - 1, 0x7fff), (1022, WRITE, (1 << 34) - 1, 0x7ffe)];
    let trace = folder.write("t.bin", binary(&events, 1));
    let (_, report) = analyze(&trace, &[]);
    assert_eq!(sites(&report), [(0x7fff, 0x7ffe)]);
    assert_eq!(report["races"][0]["location"], "V17179869183");
    assert_eq!(report["races"][0]["first"]["task"], "T1023");
}

#[test]
fn older_words_of_the_text_are_known() {
    let folder = Folder::new("rapid-older");
    let trace = folder.write(
        "t.std",
        "A|begin(Foo.bar)|1\nA|enter(m)|2\nA|w(x)|3\nA|exit(m)|4\nA|dummy(x)|5\nA|branch(x)|6\nA|end(Foo.bar)|7\n",
    );
    check(&trace).expect_status(0).says("2 events");
    for bad in ["A|req|1\n", "A|req()|1\n", "A|request(m)|1\n", "A|branches|1\n", "A|dummy|1\n"] {
        let trace = folder.write("bad.std", bad);
        check(&trace).expect_status(2).says("req, begin, end, branch, found");
    }
}

struct Case {
    events: &'static [Event],
    offence: &'static str,
    place: &'static str,
    times: u32,
    /// The sites.
    races: &'static [(u64, u64)],
}

/// What RAPID takes without a word: a warning with its count to `analyze`, an offence with its
/// place to `--check`.
#[test]
fn what_rapid_tolerates_is_counted() {
    let folder = Folder::new("rapid-tolerated");
    let cases = [
        // What T1 does after the fork comes after it; what it did before does not.
        Case {
            events: &[
                (1, WRITE, 5, 1),
                (0, WRITE, 3, 2),
                (0, WRITE, 5, 3),
                (0, FORK, 1, 4),
                (1, WRITE, 3, 5),
            ],
            offence: "forks a thread that has begun",
            place: "line 4, offset 33",
            times: 1,
            races: &[(1, 3)],
        },
        // What T1 does after it was joined comes after what it did before, and not before what its
        // joiner does.
        Case {
            events: &[
                (0, FORK, 1, 1),
                (1, WRITE, 3, 2),
                (0, JOIN, 1, 3),
                (0, WRITE, 3, 4),
                (1, WRITE, 4, 5),
                (1, WRITE, 4, 6),
                (0, WRITE, 4, 7),
            ],
            offence: "a thread goes on after it was joined",
            place: "line 5, offset 50",
            times: 1,
            races: &[(6, 7)],
        },
        Case {
            events: &[(0, READ, 3, 1), (0, WRITE, 4, 2), (0, READ, 4, 3), (1, READ, 3, 4), (1, READ, 3, 5)],
            offence: "reads a variable that nobody has written",
            place: "line 1, offset 0",
            times: 3,
            races: &[],
        },
    ];
    for Case { events, offence, place, times, races } in cases {
        let std = folder.write("t.std", text(events));
        check(&std).expect_status(2).says(&format!("{place}: {offence}"));
        let bin = folder.write("t.bin", binary(events, 0));
        check(&bin).expect_status(2).says(&format!(": {offence}"));
        for trace in [&std, &bin] {
            let (done, report) = analyze(trace, &[]);
            assert_eq!((done.status, sites(&report)), (Some(i32::from(!races.is_empty())), races.to_vec()));
            let warnings = report["warnings"].as_array().expect("warnings");
            assert_eq!(warnings.len(), 1, "{report}");
            let warning = warnings[0].as_str().unwrap();
            let count = if times == 1 { "once".into() } else { format!("{times} times, first") };
            assert!(warning.starts_with(&format!("{offence}, {count} at ")), "{warning}");
            run(raceproof().arg("analyze").arg(trace)).says(&format!("warning: {offence}"));
        }
        // In raceproof's own format it is told in order.
        let own = folder.path("t.rpt");
        let converted = run(raceproof().args(["trace", "--convert"]).arg(&std).arg("-o").arg(&own));
        converted.expect_status(0).says(&format!("t.std: {offence}"));
        check(&own).expect_status(0);
        let (_, report) = analyze(&own, &[]);
        assert_eq!(sites(&report), races);
    }
    let both = folder.write("both.std", "A|w(x)|1\nA|r(y)|2\nA|fork(A)|3\n");
    check(&both).expect_status(2).says("line 3, offset 18: a thread forks itself");
}

/// The text that we write of a run whose variables have values from the start says so.
#[test]
fn initial_values_are_told() {
    let folder = Folder::new("rapid-initial");
    let program = folder.write("p.tp", "var x; proc main() { let a = x; x = a + 1; }");
    let (own, std) = (folder.path("t.rpt"), folder.path("t.std"));
    run(raceproof().arg("trace").arg(&program).arg("-o").arg(&own)).expect_status(0);
    run(raceproof().args(["trace", "--convert"]).arg(&own).arg("-o").arg(&std)).expect_status(0);
    check(&std).expect_status(0).says("well-formed");
    let (_, report) = analyze(&std, &[]);
    assert!(report.get("warnings").is_none(), "{report}");
}
