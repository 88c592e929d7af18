//! Native programs recorded with `raceproof run --trace`: `raceproof analyze` finds in the trace
//! what the run has found.
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within, root};
use common::golden;
use native::expect::Expected;
use native::toolchain::{compile, runtime, tool};
use raceproof_core::finding::{Operation, RaceAccess, Report, Verdict};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// Of every kind of construct one with a race and one without.
const PROGRAMS: [&str; 25] = [
    "cpp/atomic_compare_exchange_norace.cpp",
    "cpp/atomic_relaxed_racy.cpp",
    "cpp/static_initialisation_norace.cpp",
    "cpp/string_norace.cpp",
    "data/threadprivate_norace.c",
    "data/threadprivate_address_racy.c",
    "depend/depend_inout_chain_norace.c",
    "depend/depend_in_in_racy.c",
    "depend/depend_child_of_predecessor_racy.c",
    "depend/mutexinoutset_norace.c",
    "loop/dynamic_tasks_norace.c",
    "loop/dynamic_two_iterations_racy.c",
    "loop/for_static_nowait_shifted_racy.c",
    "memory/free_racy.c",
    "parallel/parallel_nested_norace.c",
    "reduction/reduction_sum_norace.c",
    "sync/atomic_plain_read_racy.c",
    "sync/atomic_update_norace.c",
    "sync/barrier_norace.c",
    "sync/critical_norace.c",
    "lock/lock_norace.c",
    "lock/lock_two_locks_racy.c",
    "task/taskgroup_descendants_norace.c",
    "task/taskwait_children_only_racy.c",
    "task/taskwait_children_norace.c",
];

fn run(command: &mut Command) -> Done {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    finish_within(command, PATIENCE).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn parsed(text: &str) -> Report {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A line, and whether it was an atomic access.
type Side = (String, u32, bool);

/// The pairs of lines that race, each pair in one order. The recorder records one access of those
/// that the pass checks together; the run names all.
fn pairs(report: &Report) -> BTreeSet<[Side; 2]> {
    let side =
        |access: &RaceAccess| (access.at.file.clone(), access.at.line, access.operation == Operation::Atomic);
    let pair = |first, second| if first <= second { [first, second] } else { [second, first] };
    report.races.iter().map(|race| pair(side(&race.first), side(&race.second))).collect()
}

fn recorded(source: &Path, folder: &Folder) -> Result<(Report, Report), String> {
    let expected = Expected::read(&[source])?;
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let [program, trace, report] = ["out", "rpt", "json"].map(|kind| folder.path(&format!("{name}.{kind}")));
    compile(source, "-O1", &expected.flags, &program)?;
    let mut command = tool();
    command
        .args(["run", "--format", "json", "-o"])
        .arg(&report)
        .arg("--trace")
        .arg(&trace)
        .arg("--")
        .arg(&program);
    command.args(&expected.arguments).env("OMP_NUM_THREADS", expected.threads.as_deref().unwrap_or("4"));
    command.envs(expected.environment.iter().map(|(name, value)| (name, value)));
    run(&mut command);
    let reported = std::fs::read_to_string(&report).map_err(|error| format!("no report: {error}"))?;
    let analyzed = run(tool().args(["analyze", "--order", "dc", "--format", "json"]).arg(&trace));
    if !matches!(analyzed.status, Some(0 | 1)) {
        return Err(format!("the trace cannot be analyzed: {}", analyzed.stderr));
    }
    Ok((parsed(&reported), parsed(&analyzed.stdout)))
}

#[test]
fn the_trace_of_a_run_has_the_races_of_the_run() {
    runtime();
    let folder = Folder::new("native-traces");
    let mut wrong = Vec::new();
    for program in PROGRAMS {
        let source = root().canonicalize().unwrap().join("programs/c").join(program);
        match recorded(&source, &folder) {
            Err(what) => wrong.push(format!("{program}: {what}")),
            Ok((run, trace)) => {
                assert_eq!(run.verdict == Verdict::Race, program.contains("_racy"), "{program}");
                if (run.verdict == Verdict::Race) != (trace.verdict == Verdict::Race)
                    || pairs(&run) != pairs(&trace)
                {
                    wrong.push(format!(
                        "{program}: {:?} in the run, {:?} in the trace",
                        pairs(&run),
                        pairs(&trace)
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two tasks that race for `shared`, then the end that is asked for, in the middle of it all.
const ENDS: &str = "\
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int shared, filled[4000];
int main(int argc, char **argv) {
  #pragma omp parallel num_threads(2)
  shared = 1;
  for (int i = 0; i < 4000; i++) filled[i] = i;
  if (argc > 1) raise(atoi(argv[1]));
  return 0;
}
";

fn ends(folder: &Folder) -> std::path::PathBuf {
    runtime();
    let source = folder.write("ends.c", ENDS);
    let program = folder.path("ends");
    compile(&source, "-O0", &[], &program).unwrap();
    program
}

#[test]
fn a_crash_leaves_a_trace() {
    let folder = Folder::new("native-traces-crash");
    let (program, trace) = (ends(&folder), folder.path("crash.rpt"));
    run(tool().args(["run", "--trace"]).arg(&trace).arg("--").arg(&program).arg("11")).expect_status(1);
    let checked = run(tool().args(["trace", "--check"]).arg(&trace)).expect_status(0).says("well-formed");
    checked.says("no end mark, so it is a part of a run");
    let races = run(tool().arg("analyze").arg(&trace)).expect_status(1);
    races.says("ends.c:7").says("shared");
}

/// Tasks that write a variable, which has four bytes, and a cell of a block.
const RACES: &str = "\
#include <stdlib.h>
int total;
int main(void) {
  int *cells = calloc(4, sizeof *cells);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    total = 1, cells[1] = 1;
#pragma omp task
    total = 2, cells[1] = 2;
  }
  free(cells);
}
";

/// The report on a trace explains a race as that on the run does.
#[test]
fn the_report_on_a_trace_speaks_of_constructs_and_blocks() {
    runtime();
    let folder = Folder::new("native-trace-text");
    let (source, program) = (folder.write("tasks.c", RACES), folder.path("tasks"));
    compile(&source, "-O0", &["-g".into()], &program).unwrap();
    run(tool().current_dir(folder.path("")).args(["run", "--trace", "run.rpt", "--", "./tasks"]))
        .expect_status(1);
    let analyzed =
        |words: &[&str]| run(tool().current_dir(folder.path("")).args(["analyze", "run.rpt"]).args(words));
    let text = analyzed(&[]).expect_status(1).stdout;
    golden::check("text/native/trace.txt", &text);
    assert!(text.contains("created by the omp task at tasks.c:8:1"), "{text}");
    // What was recorded before the source changed has no lines to show.
    let later = std::time::SystemTime::now() + Duration::from_secs(3600);
    std::fs::File::options().append(true).open(&source).unwrap().set_modified(later).unwrap();
    let stale = analyzed(&[]).expect_status(1).stdout;
    assert!(stale.contains("tasks.c has changed since the trace was recorded"), "{stale}");
    assert!(!stale.contains(" 9 |"), "{stale}");
}

/// Nothing can be done at the end: the names are missing, and what was not yet written.
#[test]
fn a_program_that_is_killed_leaves_a_trace_up_to_there() {
    let folder = Folder::new("native-traces-killed");
    let (program, trace) = (ends(&folder), folder.path("killed.rpt"));
    let mut command = Command::new(&program);
    run(command.arg("9").env("RACEPROOF_OPTIONS", format!("trace={}", trace.display())));
    let checked = run(tool().args(["trace", "--check"]).arg(&trace)).expect_status(0);
    assert!(checked.stderr.contains("no end mark"), "{}", checked.stderr);
    run(tool().arg("analyze").arg(&trace)).expect_status(1);
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error() {
    let folder = Folder::new("native-traces-unwritten");
    let program = ends(&folder);
    for file in ["no such folder/run.rpt", "no-such-folder/run.rpt"] {
        let done =
            run(tool().args(["run", "--trace", file, "--"]).arg(&program).current_dir(folder.path("")));
        assert_eq!(done.status, Some(2), "{file}: {}", done.stderr);
        assert!(done.stderr.contains("trace"), "{file}: {}", done.stderr);
    }
    let mut alone = Command::new(&program);
    let done = run(alone.env("RACEPROOF_OPTIONS", "trace=/no-such-folder/run.rpt"));
    assert_eq!(done.status, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("cannot write the trace"), "{}", done.stderr);
    let several = run(tool().args(["run", "--threads", "2,3", "--trace", "run.rpt", "--"]).arg(&program));
    assert_eq!(several.status, Some(2), "{}", several.stderr);
}
