//! Traces of a few kilobytes that ask for gigabytes: the memory limit is kept, and the end is a
//! verdict or an error with its place, never an abort.

#![cfg(target_os = "linux")]

use crate::common;

use common::command::{Done, Folder, raceproof, run};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What `--max-memory` is given, and, in kilobytes, what the system then refuses: far below what
/// these traces ask for.
const LIMIT: &str = "0.25";
const REFUSED: u32 = 2_000_000;

fn limited(arguments: &[&str], trace: &Path) -> Done {
    let script = format!("ulimit -v {REFUSED}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_raceproof")]).args(arguments).arg(trace);
    command.args(["--max-memory", LIMIT]);
    run(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))
}

const SAME: u8 = 0x10;
const WRITE: u8 = 1;
const SPAWN: u8 = 2;
const SIGNAL: u8 = 6;

/// A trace of ours, built by hand.
struct Builder(Vec<u8>);

impl Builder {
    fn new() -> Self {
        let mut bytes = b"\x89RPT\r\n\x1a\n\x01\0\0\0".to_vec();
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Builder(bytes)
    }

    fn block(&mut self, kind: u8, plain: &[u8], count: usize, times: usize) -> &mut Self {
        assert!(plain.len() <= 1 << 20, "{} bytes", plain.len());
        let stored = zstd::bulk::compress(plain, 19).unwrap();
        let mut block = vec![kind, 1, 0, 0];
        for number in [stored.len(), plain.len(), count] {
            block.extend((number as u32).to_le_bytes());
        }
        let mut check = crc32fast::Hasher::new();
        check.update(&block);
        check.update(&stored);
        block.extend(check.finalize().to_le_bytes());
        block.extend(&stored);
        self.0.extend(block.repeat(times));
        self
    }

    /// Events, with their columns.
    fn events(&mut self, columns: Columns<'_>, times: usize) -> &mut Self {
        let Columns { ops, tasks, locations, sites, rest } = columns;
        let mut plain = vec![1, 2];
        for number in [tasks.len(), locations.len(), sites.len()] {
            varint(&mut plain, number);
        }
        plain.extend(ops);
        plain.extend(tasks);
        plain.extend(locations);
        plain.extend(sites.iter().flat_map(|site| site.to_le_bytes()));
        plain.extend(rest);
        self.block(b'E', &plain, ops.len(), times)
    }

    fn spawns(&mut self, count: usize, times: usize) -> &mut Self {
        let (ops, sites, rest) = (vec![SPAWN | SAME; count], vec![0; count], vec![0; count]);
        self.events(Columns { ops: &ops, sites: &sites, rest: &rest, ..Columns::default() }, times)
    }

    fn save(&self, folder: &Folder, name: &str) -> PathBuf {
        assert!(self.0.len() < 50_000, "{name}: {} bytes", self.0.len());
        folder.write(name, &self.0)
    }
}

#[derive(Default)]
struct Columns<'a> {
    ops: &'a [u8],
    tasks: &'a [u8],
    locations: &'a [u8],
    sites: &'a [u16],
    rest: &'a [u8],
}

fn varint(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Tens of millions of tasks.
fn tasks(folder: &Folder) -> PathBuf {
    Builder::new().spawns(250_000, 200).save(folder, "tasks.rpt")
}

/// Hundreds of names of a megabyte each.
fn names(folder: &Folder) -> PathBuf {
    let mut builder = Builder::new();
    let sites: Vec<u16> = (0..600).collect();
    let (ops, locations) = ([WRITE | SAME; 600], [0; 600]);
    builder.events(
        Columns { ops: &ops, locations: &locations, sites: &sites, rest: &[0], ..Columns::default() },
        1,
    );
    for site in 0..600 {
        let mut plain = vec![3];
        varint(&mut plain, site);
        varint(&mut plain, 1_000_000);
        plain.extend(std::iter::repeat_n(b'a', 1_000_000));
        builder.block(b'N', &plain, 1, 1);
    }
    builder.save(folder, "names.rpt")
}

/// A hundred million signals, each with what its task knows.
fn signals(folder: &Folder) -> PathBuf {
    let mut builder = Builder::new();
    builder.spawns(2_000, 1);
    // The first defines the sync: a promise.
    let (first, ops, rest) = ([0, 0], vec![SIGNAL | SAME; 400_000], vec![0; 400_000]);
    builder.events(Columns { ops: &[SIGNAL | SAME], rest: &first, ..Columns::default() }, 1);
    builder.events(Columns { ops: &ops, rest: &rest, ..Columns::default() }, 20);
    builder.save(folder, "signals.rpt")
}

/// Four hundred tasks that write one variable, each at ten sites: eight million pairs.
fn pairs(folder: &Folder) -> PathBuf {
    let mut builder = Builder::new();
    builder.spawns(400, 1);
    let (mut ops, mut tasks, mut sites) = (Vec::new(), Vec::new(), Vec::new());
    for task in 0..400u16 {
        ops.push(WRITE);
        ops.extend([WRITE | SAME; 9]);
        varint(&mut tasks, usize::from(task) + 1);
        sites.extend((0..10).map(|site| 10 * task + site));
    }
    let locations = vec![0; ops.len()];
    let columns = Columns { ops: &ops, tasks: &tasks, locations: &locations, sites: &sites, rest: &[0] };
    builder.events(columns, 1).save(folder, "pairs.rpt")
}

#[test]
fn the_memory_limit_is_kept() {
    let folder = Folder::new("hostile-memory");
    let stream = [
        &["analyze"][..],
        &["analyze", "--order=shb"],
        &["analyze", "--order=wcp"],
        &["analyze", "--order=dc"],
    ];
    let whole = [&["analyze", "--witness"][..], &["analyze", "--general"]];
    let (tasks, names, signals) = (tasks(&folder), names(&folder), signals(&folder));
    let all = stream.iter().chain(&whole).map(|&arguments| (arguments, &tasks));
    for (arguments, trace) in all.chain([(stream[0], &names), (whole[0], &names)]) {
        let done = limited(arguments, trace).expect_status(3);
        done.says("takes more than 0.25 GB of memory; raise --max-memory");
    }
    let validate = &["analyze", "--validate"][..];
    for (arguments, trace) in
        [(stream[0], &signals), (stream[3], &signals), (validate, &tasks), (validate, &names)]
    {
        let done = limited(arguments, trace);
        assert!(matches!(done.status, Some(0 | 2 | 3)), "{arguments:?} {trace:?}: {done:?}");
        assert!(!done.stderr.contains("panicked"), "{done:?}");
    }
    for (name, option) in
        [("out.rpt", "--convert"), ("out.std", "--convert"), ("", "--stat"), ("", "--check")]
    {
        let output = folder.path(name).display().to_string();
        let mut arguments = vec!["trace", option];
        if !name.is_empty() {
            arguments.extend(["-o", &output]);
        }
        limited(&arguments, &names).expect_status(3).says("inconclusive: this trace takes more than 0.25 GB");
        let left = folder.names();
        assert_eq!(left, ["names.rpt", "signals.rpt", "tasks.rpt"], "nothing half-written stays");
    }
}

/// One analysis asks whether to stop; the other is ended from outside, with what was known before.
#[test]
fn analyses_of_a_whole_trace_keep_the_limit() {
    let folder = Folder::new("hostile-whole");
    let pairs = pairs(&folder);
    limited(&["analyze", "--validate"], &pairs).expect_status(3).says("takes more than 0.25 GB");
    // The races are known before the general ones are looked for.
    let done = limited(&["analyze", "--general", "--format=json"], &pairs).expect_status(1);
    let report: Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    assert_eq!(report["races"].as_array().map(Vec::len), Some(399));
    let limits = report["limits"].to_string();
    assert!(limits.contains("takes more than 0.25 GB"), "{limits}");
}

#[test]
fn witnesses_are_capped() {
    let folder = Folder::new("hostile-witness");
    // 460 unordered writes at sites of their own: 105,570 pairs.
    let text: String = (0..460).map(|thread| format!("T{thread}|w(x)|{thread}\n")).collect();
    let trace = folder.write("t.std", text);
    let done = limited(&["analyze", "--witness", "--format=json"], &trace).expect_status(1);
    let report: Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    assert_eq!(report["races"].as_array().map(Vec::len), Some(100_000));
    let limits = report["limits"].to_string();
    assert!(limits.contains("only the first 100000 races are listed"), "{limits}");
}

/// A name of a megabyte is not repeated in every race.
#[test]
fn long_names_are_cut_in_reports() {
    let folder = Folder::new("hostile-names");
    let name = "v".repeat(1_000_000);
    let text: String = (0..20).map(|thread| format!("T{thread}|w({name})|{thread}\n")).collect();
    let trace = folder.write("t.std", text);
    for options in [&["analyze"][..], &["analyze", "--witness"], &["analyze", "--validate"]] {
        let done = limited(options, &trace).expect_status(1);
        assert!(done.stdout.len() < 20 * 20 * 6_000, "{} bytes", done.stdout.len());
    }
}

#[test]
fn time_is_limited() {
    let folder = Folder::new("hostile-time");
    let trace = folder.write("t.std", "A|w(x)|1\nA|w(x)|2\n");
    let analyze = |options: &[&str]| run(raceproof().arg("analyze").arg(&trace).args(options));
    analyze(&["--max-seconds", "0"])
        .expect_status(3)
        .says("the time limit was reached")
        .says("--max-seconds");
    analyze(&["--max-seconds", "1000"]).expect_status(0);
}

/// Lines that are no events to us do not keep a reader from its limits.
#[test]
fn endless_input_is_limited() {
    for line in ["", "A|begin|1", "A|w(x)|1"] {
        for command in ["trace --check -", "trace --stat -", "analyze -"] {
            let script = format!("yes '{line}' | \"$0\" {command} --max-seconds 0.2");
            let mut shell = Command::new("sh");
            shell.args(["-c", &script, env!("CARGO_BIN_EXE_raceproof")]);
            let done = run(shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
            done.expect_status(3).says("the time limit was reached");
        }
    }
}

/// Bits for more reads than there are would be eight times as large in memory.
#[test]
fn uses_of_no_reads_are_an_offence() {
    let folder = Folder::new("hostile-uses");
    let mut builder = Builder::new();
    let trace = builder.block(b'u', &[0; 1 << 20], 8 << 20, 600).save(&folder, "uses.rpt");
    for arguments in [&["analyze"][..], &["trace", "--check"]] {
        limited(arguments, &trace).expect_status(2).says("offset 16: it tells of more reads than there are");
    }
}

/// Names in messages cannot control a terminal.
#[test]
fn lines_in_messages_are_harmless() {
    let folder = Folder::new("hostile-terminal");
    for text in ["A|rel(\x1b[31mm)|1\n", "\x1b]0;title\x07|w|1\n"] {
        let trace = folder.write("t.std", text);
        let done = run(raceproof().args(["trace", "--check"]).arg(&trace)).expect_status(2);
        assert!(!done.stderr.contains('\x1b'), "{done:?}");
        let done = run(raceproof().args(["analyze", "--recover"]).arg(&trace)).expect_status(3);
        assert!(!done.stdout.contains('\x1b'), "{done:?}");
    }
}
