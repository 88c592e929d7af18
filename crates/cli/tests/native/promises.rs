//! Generated programs of tasks and promises, run on HClib's interface and on the standard
//! library's, and judged as TP: the verdict, the racing pairs, deadlocks and second sets. `check`
//! of TP is held to the oracle elsewhere; small programs are held to it here as well.
//!
//! Most are words that one program of each interface reads. Others are written out in C++ and
//! compiled at each level of optimisation, since the pass then sees what stands between two
//! accesses.
//!
//! `RACEPROOF_CASES` programs (some hundreds unless set), from seed `RACEPROOF_SEED` on (0 unless
//! set).

use crate::common;
use crate::native;
use crate::oracle;

use common::command::{Folder, finish_within, root};
use common::seeds::seeds;
use native::generate::Random;
use native::promises::{ACCESSES, Item, Maker, Written};
use native::promises_cpp::{Emitted, Interface};
use native::toolchain::{compile, tool};
use raceproof_cli::check::{Options, check};
use raceproof_core::finding::{Report, Scope, Verdict};
use raceproof_tp::compile::compile as compile_tp;
use raceproof_tp::{parse, source::Source};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What is compared: the pairs of accesses that race, by their numbers, whether there is a
/// deadlock, and whether there is an error. An error stops a task, and which of two stops is the
/// schedule's choice: then nothing else is compared.
#[derive(PartialEq, Eq, Debug)]
struct Found {
    pairs: BTreeSet<(usize, usize)>,
    deadlock: bool,
    error: bool,
}

impl Found {
    fn new(pairs: impl Iterator<Item = (usize, usize)>, deadlock: bool, error: bool) -> Found {
        let sorted = pairs.map(|(a, b)| (a.min(b), a.max(b)));
        match error {
            true => Found { pairs: BTreeSet::new(), deadlock: false, error },
            false => Found { pairs: sorted.collect(), deadlock, error },
        }
    }
}

fn as_tp(written: &Written) -> Found {
    let text = &written.tp;
    let program = parse(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let code = compile_tp(&program, &Source::new("f.tp", text));
    let report = check(&code, "f.tp", &Options::default()).expect("it is checked").report;
    let pairs = report.races.iter().map(|race| (race.first.at.line, race.second.at.line));
    let pairs = pairs.map(|(a, b)| (by_line(written, a), by_line(written, b)));
    Found::new(pairs, !report.deadlocks.is_empty(), !report.errors.is_empty())
}

/// The same from all interleavings, if there are few.
fn as_oracle(written: &Written) -> Option<Found> {
    let program = parse(&written.tp).expect("it was parsed before");
    let limits = oracle::Limits { states: 3_000, work: 300_000, ..oracle::Limits::default() };
    let truth = oracle::explore(&program, &written.tp, limits);
    let pairs = truth.races.iter().map(|race| (race.sides.0.line, race.sides.1.line));
    let pairs = pairs.map(|(a, b)| (by_line(written, a), by_line(written, b)));
    let found = Found::new(pairs, !truth.deadlocks.is_empty(), !truth.errors.is_empty());
    truth.complete.then_some(found)
}

fn by_line(written: &Written, line: u32) -> usize {
    written.accesses.iter().position(|(_, at)| *at == line).expect("only accesses race")
}

/// The program that runs what it is told, and its source.
struct Runner {
    program: PathBuf,
    /// The first lines of the reads and of the writes in its source.
    reads: u32,
    writes: u32,
    folder: Folder,
}

impl Runner {
    fn new(name: &str, interface: &str) -> Runner {
        let folder = Folder::new(name);
        let sources = root().join("crates/cli/tests/support/native");
        let program = folder.path("promises");
        compile(&sources.join(interface), "-O1", &[], &program).expect("it compiles");
        let text = fs::read_to_string(sources.join("promises_words.h")).expect("it is there");
        let mut firsts = text.lines().zip(1..).filter(|(line, _)| line.contains("case 0:")).map(|(_, at)| at);
        let mut next = || firsts.next().expect("it reads and writes");
        Runner { program, reads: next(), writes: next(), folder }
    }

    /// The report, what was said, and whether a second set has ended the program.
    fn run(&self, words: &str, collects: bool) -> (Report, String, bool) {
        let file = self.folder.path("report.json");
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&file).arg("--").arg(&self.program).arg(words);
        let options = if collects { "collect=always" } else { "" };
        command.env("RACEPROOF_OPTIONS", options);
        let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let report =
            serde_json::from_str(&text).unwrap_or_else(|wrong| panic!("{wrong}: {words}: {}", done.stderr));
        let twice = done.stdout.contains("second set");
        (report, done.stderr, twice)
    }

    fn found(&self, report: &Report, words: &str, twice: bool) -> Found {
        let number = |line: u32| match line.checked_sub(self.writes) {
            Some(number) => number as usize,
            None => {
                let number = line.checked_sub(self.reads).filter(|number| (*number as usize) < ACCESSES);
                number.unwrap_or_else(|| panic!("a race in the runner, line {line}: {words}")) as usize
            }
        };
        let pairs = report.races.iter().map(|race| (number(race.first.at.line), number(race.second.at.line)));
        Found::new(pairs, !report.deadlocks.is_empty(), twice || !report.errors.is_empty())
    }
}

fn items(seed: u64) -> Vec<Item> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Maker::new(&mut random).program()
}

fn written(seed: u64) -> Written {
    let written = Written::of(&items(seed));
    assert!(written.accesses.len() <= ACCESSES, "seed {seed} makes too many accesses");
    written
}

/// HClib's interface, and the standard library's.
const HCLIB: &str = "promises.cpp";
const STD: &str = "promises_std.cpp";

fn compare(runner: &Runner, cases: u64) {
    let (mut racy, mut stuck, mut twice, mut by_oracle, mut cases_run) = (0, 0, 0, 0, 0);
    for seed in seeds(cases) {
        let written = written(seed);
        let expected = as_tp(&written);
        let words = &written.words;
        let (report, said, again) = runner.run(words, seed % 3 == 0);
        let found = runner.found(&report, words, again);
        assert_eq!(found, expected, "seed {seed}: {words}\n{}{said}", written.tp);
        if report.verdict == Verdict::RaceFree && !again {
            assert_eq!(report.scope, Scope::AllSchedules, "seed {seed}: {words}");
        }
        if let Some(truth) = as_oracle(&written) {
            assert_eq!(found, truth, "seed {seed}, against the oracle: {words}\n{}", written.tp);
            by_oracle += 1;
        }
        racy += u64::from(!expected.pairs.is_empty());
        stuck += u64::from(expected.deadlock);
        twice += u64::from(expected.error);
        cases_run += 1;
    }
    let cases = cases_run;
    println!(
        "{cases} programs: {racy} racy, {stuck} deadlocks, {twice} second sets, {by_oracle} held to the oracle"
    );
    let share = |count: u64, least: u64| cases < 100 || (count > cases / least && count < cases);
    assert!(share(racy, 5) && share(stuck, 20) && share(twice, 50), "{racy}, {stuck}, {twice} of {cases}");
    assert!(share(by_oracle, 10), "{by_oracle} of {cases} are small enough");
}

#[test]
fn promises_are_judged_as_in_tp_and_by_the_oracle() {
    compare(&Runner::new("promises-generated", HCLIB), 200);
}

#[test]
fn promises_of_the_standard_library_are_judged_as_in_tp_and_by_the_oracle() {
    compare(&Runner::new("promises-std-generated", STD), 200);
}

/// So many programs are functions of one source at most: clang takes seconds for these.
const A_SOURCE: usize = 30;

/// Compares programs that are written out in C++, in sources that are compiled at all levels in
/// turn.
fn compare_written_out(name: &str, interface: Interface, cases: u64) {
    let (folder, mut counts) = (Folder::new(name), [0; 3]);
    let seeds: Vec<u64> = seeds(cases).collect();
    let size = seeds.len().div_ceil(3).min(A_SOURCE);
    for (at, seeds) in seeds.chunks(size).enumerate() {
        let level = ["-O1", "-O2", "-O3"][at % 3];
        let mut emitted = Emitted::new(interface);
        seeds.iter().for_each(|&seed| emitted.program(&items(seed)));
        emitted.finish();
        let source = folder.write("programs.cpp", &emitted.text);
        let program = folder.path("programs");
        compile(&source, level, &["-w".to_owned()], &program).expect("it compiles");
        for (number, &seed) in seeds.iter().enumerate() {
            let expected = as_tp(&written(seed));
            let file = folder.path("report.json");
            let mut command = tool();
            command.args(["run", "--format", "json", "-o"]).arg(&file).arg("--").arg(&program);
            let done =
                finish_within(command.arg(number.to_string()), Duration::from_secs(60)).expect("it runs");
            let report: Report = serde_json::from_str(&fs::read_to_string(&file).unwrap_or_default())
                .unwrap_or_else(|wrong| panic!("seed {seed}, {level}: {wrong}: {}", done.stderr));
            let access = |line: u32| {
                let found = emitted.lines[number].iter().position(|&at| at == line);
                found
                    .unwrap_or_else(|| panic!("seed {seed}, {level}: a race at line {line}: {}", done.stderr))
            };
            let pairs =
                report.races.iter().map(|race| (access(race.first.at.line), access(race.second.at.line)));
            let twice = done.stdout.contains("second set") || !report.errors.is_empty();
            let found = Found::new(pairs, !report.deadlocks.is_empty(), twice);
            let about = || format!("seed {seed}, {level}: {}{}", written(seed).tp, done.stderr);
            assert_eq!(found, expected, "{}", about());
            if report.verdict == Verdict::RaceFree && !twice {
                assert_eq!(report.scope, Scope::AllSchedules, "{}", about());
            }
            counts[0] += u64::from(!found.pairs.is_empty());
            counts[1] += u64::from(found.deadlock);
            counts[2] += u64::from(found.error);
        }
    }
    println!("{} programs in C++: racy, deadlocks, second sets {counts:?}", seeds.len());
    assert!(seeds.len() < 30 || counts.iter().all(|&count| count > 0), "{counts:?}");
}

#[test]
fn promises_are_judged_alike_in_programs_that_are_written_out() {
    compare_written_out("promises-written", Interface::Hclib, 36);
}

#[test]
fn promises_of_the_standard_library_are_judged_alike_in_programs_that_are_written_out() {
    compare_written_out("promises-std-written", Interface::Std, 36);
}

/// Promises that a task sets and main waits for, a hundred in each finish; prints the most memory
/// that was resident, in kilobytes.
const FINISHES: &str = r#"
#include "hclib_cpp.h"
static long sum;
int main(int, char **arguments) {
  long count = atol(arguments[1]);
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [=]() {
    for (long i = 0; i < count; i += 100)
      hclib::finish([=]() {
        for (long j = 0; j < 100; j++) {
          hclib::promise_t<long> *promise = new hclib::promise_t<long>();
          hclib::async([=]() { sum += j; promise->put(j); });
          promise->get_future()->wait();
          delete promise;
        }
      });
  });
  char line[256];
  long peak = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status))
    sscanf(line, "VmHWM: %ld", &peak);
  printf("%ld\n", peak);
  return 0;
}
"#;

#[test]
fn promises_that_a_finish_has_waited_for_take_no_memory() {
    takes_no_memory("finishes", FINISHES);
}

/// `main` sets promises and waits for them, without any other task; two threads that wait for each
/// other's.
const ALONE: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
int read_peak() {
  char line[256];
  int peak = -1;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status))
    sscanf(line, "VmHWM: %d", &peak);
  return peak;
}
struct Link {
  std::promise<int> value;
  std::promise<Link *> next;
};
int shared;
Link *pass(Link *at) {
  at->value.get_future().get();
  Link *next = at->next.get_future().get(), *then = new Link();
  shared++;
  next->next.set_value(then);
  next->value.set_value(2);
  delete at;
  return then;
}
int main(int argc, char **argv) {
  long count = atol(argv[1]), sum = 0;
  if (TOGETHER) {
    Link *first = new Link();
    std::thread other([=]() {
      Link *at = first;
      for (long i = 0; i < count / 2; i++) {
        shared++;
        Link *next = new Link();
        at->next.set_value(next);
        at->value.set_value(1);
        next->value.get_future().get();
        at = next->next.get_future().get();
        delete next;
      }
    });
    for (long i = 0; i < count / 2; i++)
      first = pass(first);
    other.join();
  } else {
    for (long i = 0; i < count; i++) {
      std::promise<int> promise;
      promise.set_value(i & 7);
      sum += promise.get_future().get();
    }
  }
  printf("%d\n", read_peak());
  return sum < 0;
}
"#;

#[test]
fn promises_that_are_freed_take_no_memory() {
    for (name, together) in [("alone", "0"), ("together", "1")] {
        takes_no_memory(name, &ALONE.replace("TOGETHER", together));
    }
}

/// The program takes as many promises as it is told, and prints its peak memory.
fn takes_no_memory(name: &str, text: &str) {
    let folder = Folder::new(&format!("promises-memory-{name}"));
    let (source, program) = (folder.write("memory.cpp", text), folder.path("memory"));
    compile(&source, "-O1", &[], &program).expect("it compiles");
    let peak = |count: &str| {
        let mut command = Command::new(&program);
        command.arg(count).env_remove("RACEPROOF_OPTIONS").stdout(Stdio::piped()).stderr(Stdio::piped());
        let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs").expect_status(0);
        done.stdout.trim().parse::<u64>().expect("a number")
    };
    let (few, many) = (peak("4000"), peak("80000"));
    assert!(many < few + (4 << 10), "{name}: {few} KB for 4000 promises, {many} KB for 80000");
}

/// A promise that a container constructs, and a thread that the library joins.
const RING: &str = r#"
#include <future>
#include <vector>
int main() {
  std::vector<std::promise<int>> all(2); // created
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; i++)
    threads.emplace_back([&all, i] { all[i].set_value(all[1 - i].get_future().get()); }); // waits
  for (std::thread &thread : threads)
    thread.join(); // joins
}
"#;

#[test]
fn reports_name_the_lines_of_the_program_and_not_those_of_the_library() {
    let folder = Folder::new("promises-places");
    let (source, program) = (folder.write("ring.cpp", RING), folder.path("ring"));
    let line = |mark: &str| RING.lines().position(|line| line.contains(mark)).expect("it is there") + 1;
    for level in ["-O0", "-O2"] {
        compile(&source, level, &[], &program).expect("it compiles");
        let file = folder.path("report.json");
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&file).arg("--").arg(&program);
        finish_within(&mut command, Duration::from_secs(60)).expect("it runs").expect_status(1);
        let report: Report = serde_json::from_str(&fs::read_to_string(&file).unwrap()).expect("a report");
        let waiting = &report.deadlocks[0].waiting;
        assert_eq!(waiting.len(), 3, "{level}: {waiting:#?}");
        assert_eq!(waiting[0].at.line as usize, line("// joins"), "{level}: {waiting:#?}");
        for thread in &waiting[1..] {
            assert_eq!(thread.at.line as usize, line("// waits"), "{level}: {waiting:#?}");
            let created = format!("ring.cpp:{}", line("// created"));
            assert!(thread.what.ends_with(&created), "{level}: {waiting:#?}");
        }
    }
}

/// What a program without raceproof prints, which has the standard library's own `<future>`.
#[test]
fn the_standard_library_s_promises_behave_as_without_raceproof() {
    let folder = Folder::new("promises-standard");
    let source = root().canonicalize().unwrap().join("programs/c/promise/std_standard_norace.cpp");
    compile(&source, "-O1", &[], &folder.path("ours")).expect("it compiles");
    let mut command = tool();
    // The report goes elsewhere, so that the output is the program's.
    command.args(["run", "-o"]).arg(folder.path("report")).arg("--").arg(folder.path("ours"));
    let ours = finish_within(&mut command, Duration::from_secs(60));
    let mut names = (14..30).rev().map(|version| format!("clang++-{version}")).chain(["clang++".to_owned()]);
    let compiled = names.find_map(|name| {
        let mut command = Command::new(name);
        command.args(["-pthread", "-O1", "-o"]).arg(folder.path("plain")).arg(&source);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        finish_within(&mut command, Duration::from_secs(120)).ok().filter(|done| done.status == Some(0))
    });
    compiled.expect("clang compiles it");
    let mut command = Command::new(folder.path("plain"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let plain = finish_within(&mut command, Duration::from_secs(60)).expect("it runs");
    let ours = ours.expect("it runs");
    assert!(plain.stdout.lines().count() > 30 && plain.status == Some(0), "{plain:#?}");
    assert_eq!(ours.stdout, plain.stdout, "{}", ours.stderr);
}

/// The program of PAPERS.md that a rule of the DRDP paper gets wrong: the task that has set a
/// promise counts as going on while the one it has woken, which waits again, lets `main` read what
/// it wrote.
#[test]
fn a_setter_that_has_not_ended_orders_nothing_else() {
    for runner in [Runner::new("promises-active", HCLIB), Runner::new("promises-std-active", STD)] {
        a_setter_orders_nothing_else(&runner);
    }
}

fn a_setter_orders_nothing_else(runner: &Runner) {
    for (words, racy) in [
        ("t{g0;g1;}t{w0:0;s0;}r0:1;s1;", true),
        ("t{g0;g1;}t{w0:0;s0;}g0;r0:1;s1;", false),
        ("t{g0;g1;}t{s0;w0:0;}g0;r0:1;s1;", true),
    ] {
        for collects in [false, true] {
            let (report, said, _) = runner.run(words, collects);
            let expected = if racy { Verdict::Race } else { Verdict::RaceFree };
            assert_eq!(report.verdict, expected, "{words}: {said}");
            assert_eq!(report.scope, Scope::AllSchedules, "{words}");
        }
    }
}

/// The runtime's memory is aligned to 16 bytes: a value that needs more is refused, whoever sets it.
#[test]
fn values_that_need_more_alignment_are_refused() {
    let folder = Folder::new("promises-aligned");
    for made in ["std::promise<Wide>()", "std::async(std::launch::async, make)", "std::async(make)"] {
        let text = format!(
            "#include <future>\nstruct alignas(64) Wide {{ int value; }};\nWide make() {{ return Wide(); }}\n\
             int main() {{ auto made = {made}; }}\n"
        );
        let refused = compile(
            &folder.write("wide.cpp", &text),
            "-O1",
            &["-std=c++17".to_owned()],
            &folder.path("wide"),
        );
        let said = refused.expect_err(made);
        assert!(said.contains("aligns values to 16 bytes at most"), "{made}: {said}");
    }
}
