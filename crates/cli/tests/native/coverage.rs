//! What a verdict about a native program rests on is part of its report, and bounds the verdict.
#![cfg(unix)]

use crate::common::command::{Done, Folder, finish_within};
use crate::native::toolchain::{compile, tool};
use raceproof_core::finding::{Coverage, PartKind, Report, Scope, Verdict};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// Race-free in all schedules.
const FREE: &str = "\
int a[100];
int other(int);
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) a[i] = i;
  return other(a[0]);
}
";

const OTHER: &str = "int other(int x) { return x; }\n";

/// One run does not decide it.
const LOCKED: &str = "\
#include <stdlib.h>
int n;
int main(int argc, char **argv) {
#pragma omp parallel
#pragma omp critical
  n++;
  return argc > 1 ? atoi(argv[1]) : 0;
}
";

/// A folder with the sources, and what `raceproof WORDS` does in it.
struct Here(Folder);

impl Here {
    fn new(name: &str, files: &[(&str, &str)]) -> Here {
        let folder = Folder::new(&format!("coverage-{name}"));
        files.iter().for_each(|(name, text)| drop(folder.write(name, text)));
        Here(folder)
    }

    fn command(&self, words: &str) -> Command {
        let mut command = tool();
        command.args(words.split_whitespace()).current_dir(self.0.path(""));
        for name in ["OMP_NUM_THREADS", "RAYON_NUM_THREADS"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, words: &str) -> Done {
        finish_within(&mut self.command(words), PATIENCE).unwrap_or_else(|wrong| panic!("{words}: {wrong}"))
    }

    /// The report of `raceproof run WORDS`.
    fn report(&self, words: &str) -> (Option<i32>, Report) {
        self.reported(&mut self.command(&format!("run --format json -o out.json {words}")))
    }

    fn reported(&self, command: &mut Command) -> (Option<i32>, Report) {
        let _ = std::fs::remove_file(self.0.path("out.json"));
        let done = finish_within(command, PATIENCE).unwrap_or_else(|wrong| panic!("{wrong}"));
        let text = std::fs::read_to_string(self.0.path("out.json")).unwrap_or_else(|_| panic!("{done:#?}"));
        (done.status, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {done:#?}")))
    }

    /// By another compiler.
    fn plain(&self, words: &str) {
        let mut gcc = Command::new("gcc");
        gcc.args(words.split_whitespace()).current_dir(self.0.path("")).stderr(Stdio::piped());
        assert!(gcc.status().unwrap().success(), "gcc {words}");
    }
}

fn covered(report: &Report) -> &Coverage {
    report.coverage.as_ref().expect("a native report has a coverage")
}

/// The parts that are not instrumented, those of the system aside.
fn parts(report: &Report) -> Vec<(PartKind, &str, Vec<&str>)> {
    let parts = covered(report).uninstrumented.iter().filter(|part| !part.kind.is_provided());
    parts
        .map(|part| (part.kind, part.name.as_str(), part.parts.iter().map(String::as_str).collect()))
        .collect()
}

#[test]
fn an_object_of_another_compiler_bounds_the_verdict() {
    let here = Here::new("object", &[("free.c", FREE), ("other.c", OTHER)]);
    here.plain("-c other.c -o plain.o");
    here.run("cc -fopenmp free.c plain.o -o a").expect_status(0).says("plain.o was not compiled by");
    let done = here.run("run ./a").expect_status(0);
    done.says("race-free in the instrumented code: no schedule").says("not instrumented: plain.o, libraries");
    here.run("run --strict ./a").expect_status(3).says("--strict: plain.o is not instrumented");
    here.run("verify --strict -- ./a").expect_status(3).says("--strict: plain.o is not instrumented");
    let (status, report) = here.report("--strict ./a");
    assert_eq!((status, report.verdict), (Some(3), Verdict::Inconclusive));
    assert_eq!(parts(&report), [(PartKind::Object, "plain.o", vec![])]);
    // Libraries of the system are one entry, and nobody's omission.
    here.run("cc -fopenmp free.c other.c -lpthread -ldl -o b").expect_status(0);
    let (status, report) = here.report("--strict ./b");
    assert_eq!((status, report.verdict), (Some(0), Verdict::RaceFree));
    let system: Vec<_> =
        covered(&report).uninstrumented.iter().filter(|part| part.kind == PartKind::System).collect();
    assert!(system.len() == 1 && system[0].parts.iter().any(|part| part == "libc.so.6"), "{system:?}");
    assert!(!system[0].parts.iter().any(|part| part.ends_with(".a")), "an archive without code: {system:?}");
}

#[test]
fn archives_and_libraries_are_named() {
    let here = Here::new("library", &[("free.c", FREE), ("other.c", OTHER), ("more.c", "int more;")]);
    here.plain("-c other.c -o plain.o");
    assert!(
        Command::new("ar")
            .args(["rc", "libp.a", "plain.o"])
            .current_dir(here.0.path(""))
            .status()
            .unwrap()
            .success()
    );
    here.run("cc -fopenmp free.c -L. -lp -o a").expect_status(0);
    assert_eq!(parts(&here.report("./a").1), [(PartKind::Archive, "./libp.a", vec!["plain.o"])]);
    // A shared library is known when it is loaded, whoever has linked it.
    here.plain("-shared -fPIC other.c -o libs.so");
    here.run("cc -fopenmp free.c -L. -ls -Wl,-rpath,$ORIGIN -o b").expect_status(0);
    let (_, report) = here.report("./b");
    let found = parts(&report);
    assert!(
        found.len() == 1 && found[0].0 == PartKind::Library && found[0].1.ends_with("libs.so"),
        "{found:?}"
    );
    // One of ours is instrumented, but for what was put into it.
    here.run("cc -shared -fPIC other.c -o libs.so").expect_status(0);
    assert_eq!(parts(&here.report("./b").1), []);
    here.plain("-fPIC -c other.c -o pic.o");
    here.run("cc -shared -fPIC more.c pic.o -o libs.so").expect_status(0);
    assert_eq!(parts(&here.report("./b").1), [(PartKind::Object, "pic.o", vec![])]);
}

#[test]
fn a_library_that_was_closed_is_named() {
    const CLOSES: &str = r#"
#include <dlfcn.h>
int all[8];
int main(void) {
  void *library = dlopen("./libs.so", RTLD_NOW);
  int (*call)(int) = (int (*)(int))dlsym(library, "other");
#pragma omp parallel for
  for (int i = 0; i < 8; i++)
    all[i] = call(i);
  return dlclose(library);
}
"#;
    let here = Here::new("closed", &[("closes.c", CLOSES), ("other.c", OTHER)]);
    here.plain("-shared -fPIC other.c -o libs.so");
    here.run("cc -fopenmp closes.c -o a").expect_status(0);
    assert_eq!(parts(&here.report("./a").1), [(PartKind::Library, "./libs.so", vec![])]);
    here.run("run --strict ./a").expect_status(3).says("--strict: ./libs.so is not instrumented");
}

#[test]
fn sources_that_are_not_instrumented_are_named() {
    let assembly =
        ".text\n.globl other\nother: mov %edi, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n";
    let here = Here::new("sources", &[("free.c", FREE), ("other.c", OTHER), ("other.s", assembly)]);
    here.run("cc -fopenmp free.c other.s -o a").expect_status(0);
    assert_eq!(parts(&here.report("./a").1), [(PartKind::Object, "other.s", vec![])]);
    here.run("cc -fno-sanitize=thread -c other.c -o other.o").expect_status(0);
    here.run("cc -fopenmp free.c other.o -o b").expect_status(0);
    assert_eq!(parts(&here.report("./b").1), [(PartKind::Object, "other.o", vec![])]);
    // Joined to one object with an instrumented one, it is still not.
    here.run("cc -fopenmp -c free.c -o free.o").expect_status(0);
    here.run("cc -r free.o other.o -o both.o").expect_status(0);
    here.run("cc both.o -o c").expect_status(0);
    assert_eq!(parts(&here.report("./c").1), [(PartKind::Object, "other.o", vec![])]);
}

/// Line 4 of the source, line 2 of the header; the others are not compiled, or change no order.
const FORGOTTEN: &str = "\
#include \"part.h\"
int a[10];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 10; i++) a[i] = i;
#if 0
#pragma omp parallel
#endif
#ifdef _OPENMP
#pragma omp barrier
#endif
#pragma omp simd
  for (int i = 0; i < 10; i++) a[i] = i;
  return part(0);
}
";
const PART: &str = "\
#define PAR _Pragma(\"omp barrier\")
static int part(int x) { PAR
  return x;
}
";

fn pragmas(report: &Report) -> Vec<(&str, u32)> {
    covered(report).ignored_pragmas.iter().map(|at| (at.file.as_str(), at.line)).collect()
}

#[test]
fn openmp_without_its_option_is_warned_of_and_kept() {
    let here = Here::new("forgotten", &[("a.c", FORGOTTEN), ("part.h", PART)]);
    let expected = [("a.c", 4), ("part.h", 2)];
    let warns = |done: Done| {
        let done = done.expect_status(0);
        let warnings = done.said().matches("warning: ").count();
        let done = done
            .says("warning: a.c:4: `#pragma omp parallel`")
            .says("warning: part.h:2: `#pragma omp barrier`");
        assert_eq!(warnings, 2, "{done:#?}");
    };
    let sees = || {
        let (status, report) = here.report("./a");
        assert_eq!(
            (status, report.verdict, pragmas(&report)),
            (Some(3), Verdict::Inconclusive, expected.to_vec())
        );
        assert!(report.limits[0].contains("a.c:4 was compiled without -fopenmp"), "{:?}", report.limits);
    };
    // In one, with objects in between, with an archive in between, from assembly, and by clang in
    // one stage.
    warns(here.run("cc a.c -o a"));
    sees();
    warns(here.run("cc -c a.c"));
    assert!(here.run("cc a.o -o a").expect_status(0).stderr.is_empty());
    sees();
    assert!(
        Command::new("ar")
            .args(["rc", "l.a", "a.o"])
            .current_dir(here.0.path(""))
            .status()
            .unwrap()
            .success()
    );
    here.run("cc -Wl,--gc-sections l.a -o a").expect_status(0);
    sees();
    assert!(Command::new("strip").arg("a").current_dir(here.0.path("")).status().unwrap().success());
    sees();
    warns(here.run("cc -S a.c"));
    here.run("cc a.s -o a").expect_status(0);
    assert_eq!(pragmas(&here.report("./a").1), expected);
    warns(here.run("cc -fno-raceproof-check-elimination -c a.c -o b.o"));
    here.run("cc b.o -o a").expect_status(0);
    sees();
    warns(here.run("cc -fopenmp-simd -c a.c"));
}

#[test]
fn openmp_is_seen_in_preprocessed_text_and_warned_of_once() {
    let here = Here::new("preprocessed", &[("a.c", FORGOTTEN), ("part.h", PART)]);
    assert_eq!(here.run("cc -E a.c -o a.i").expect_status(0).stderr, "", "nothing is compiled yet");
    here.run("cc -c a.i").expect_status(0).says("warning: a.c:4: `#pragma omp parallel`");
    here.run("cc a.o -o a").expect_status(0);
    assert_eq!(pragmas(&here.report("./a").1), [("a.c", 4), ("part.h", 2)]);
    for words in ["-fsyntax-only a.c", "-M a.c", "-fopenmp -c a.c", "-Xclang -fopenmp -c a.c"] {
        let done = here.run(&format!("cc {words}")).expect_status(0);
        assert!(!done.stderr.contains("without -fopenmp"), "{words}: {done:#?}");
    }
}

#[test]
fn a_unit_without_openmp_in_a_parallel_program_is_named() {
    let other = "int n;\nint other(int x) {\n#pragma omp atomic\n  n += x;\n  return 0;\n}\n";
    let here = Here::new("unit", &[("free.c", FREE), ("other.c", other)]);
    here.run("cc -c other.c").expect_status(0).says("other.c:3: `#pragma omp atomic`");
    here.run("cc -fopenmp free.c other.o -o a").expect_status(0);
    let done = here.run("run ./a").expect_status(0);
    done.says("race-free in the instrumented code").says("#pragma omp compiled without -fopenmp: other.c:3.");
    here.run("run --strict ./a")
        .expect_status(3)
        .says("#pragma omp at other.c:3 was compiled without -fopenmp");
}

#[test]
fn a_run_without_a_parallel_part_is_inconclusive() {
    let here = Here::new("sequential", &[("free.c", FREE), ("other.c", OTHER), ("locked.c", LOCKED)]);
    here.run("cc free.c other.c -o none").expect_status(0);
    here.run("cc -fopenmp locked.c -o locked").expect_status(0);
    let done = here.run("run ./none").expect_status(3);
    done.says("inconclusive: nothing ran in parallel").says("compile with it, and link with it");
    here.run("verify -- ./none").expect_status(3).says("inconclusive: nothing ran in parallel");
    let (status, report) = here.report("--threads 1 ./locked");
    assert_eq!(
        (status, report.verdict, report.scope),
        (Some(3), Verdict::Inconclusive, Scope::ObservedSchedule)
    );
    assert_eq!((covered(&report).parallel, covered(&report).teams.as_slice()), (Some(false), &[1][..]));
    assert!(report.limits[0].contains("--threads"), "{:?}", report.limits);
    assert_eq!(report.next_command.as_deref(), Some("raceproof run --threads 4 -- ./locked"));
    here.run("verify --threads 1 -- ./locked").expect_status(3).says("nothing ran in parallel");
    // With one that is, both are known; a finding counts as ever.
    let (status, report) = here.report("--threads 1,3 ./locked");
    assert_eq!((status, report.verdict, report.threads), (Some(0), Verdict::RaceFree, vec![1, 3]));
    assert_eq!(report.next_command.as_deref(), Some("raceproof verify --threads 3 -- ./locked"));
    here.run("cc -fopenmp free.c other.c -o free").expect_status(0);
    let (_, report) = here.report("--threads 1,3 ./free");
    assert_eq!(
        (report.scope, report.determinate, report.next_command),
        (Scope::AllSchedules, Some(true), None)
    );
    here.run("run --threads 1 ./locked 7").expect_status(1).says("exit status 7");
    // By itself it says so as well, and ends as it would.
    let mut alone = Command::new(here.0.path("none"));
    let done = finish_within(alone.stdout(Stdio::piped()).stderr(Stdio::piped()), PATIENCE).unwrap();
    done.expect_status(0).says("inconclusive: nothing ran in parallel");
}

#[test]
fn team_sizes_are_those_that_were() {
    let sizes = "\
#include <omp.h>
int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
  {
#pragma omp parallel num_threads(2)
    { }
  }
  omp_set_num_threads(5);
#pragma omp parallel
  { }
  return 0;
}
";
    let here = Here::new("sizes", &[("a.c", sizes)]);
    here.run("cc -fopenmp a.c -o a").expect_status(0);
    here.run("run --threads 7 ./a").expect_status(0).says("with teams of any size has a data race");
    let only = here.run("run --sizes ran --threads 7 ./a").expect_status(0);
    only.says("with teams of 2, 3 and 5 has a data race").says("judged for teams of these sizes");
    let (_, report) = here.report("./a");
    assert_eq!((&report.threads, &covered(&report).teams), (&vec![2, 3, 5], &vec![2, 3, 5]));
    here.run("verify --threads 7 -- ./a").expect_status(0).says("with teams of 2, 3 and 5 has a data race");
}

/// Why a verdict is for the sizes that ran: each reason, and a program that gives none.
#[test]
fn what_bounds_a_verdict_to_the_sizes_that_ran_is_named() {
    let bounds = "\
#include <omp.h>
#include <unistd.h>
int a[64];
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
  {
    volatile int answer = 0;
    switch (argv[1][0]) {
    case 'a': answer = omp_get_num_threads(); break;
    case 'b': answer = omp_get_max_threads(); break;
    case 'c': answer = omp_get_num_procs(); break;
    case 'd': answer = omp_get_thread_limit(); break;
    case 'e': answer = omp_get_num_teams(); break;
    case 'f': answer = omp_get_team_num(); break;
    case 'g': answer = omp_get_max_teams(); break;
    case 'h': answer = omp_get_teams_thread_limit(); break;
    case 'i': answer = omp_get_team_size(1); break;
    case 'j': answer = omp_get_ancestor_thread_num(1); break;
    case 'k': answer = omp_get_thread_num(); break;
    case 'm':
#pragma omp masked filter(1)
      answer = 1;
      break;
    case 'n':
#pragma omp parallel
      answer = 1;
      break;
    case 'o': answer = omp_get_team_size(0) + omp_get_ancestor_thread_num(0); break;
    case 's': answer = sysconf(_SC_NPROCESSORS_ONLN); break;
    }
  }
  if (argv[1][0] == 'p') {
#pragma omp parallel
    { }
  }
  if (argv[1][0] == 'q') {
#pragma omp teams
    { }
  }
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; i++) a[i] = i;
}
";
    let here = Here::new("bounds", &[("a.c", bounds)]);
    here.run("cc -fopenmp -fopenmp-version=51 a.c -o a").expect_status(0);
    here.run("cc -fopenmp -fopenmp-version=51 -fno-raceproof-pass a.c -o b").expect_status(0);
    let alone = "a region ran with one thread";
    for (words, setting, expected) in [
        ("./a -", "", None),
        ("./a o", "", None),
        ("./a p", "", None),
        ("./a q", "", None),
        ("./a a", "", Some("the program calls omp_get_num_threads")),
        ("./a b", "", Some("the program calls omp_get_max_threads")),
        ("./a c", "", Some("the program calls omp_get_num_procs")),
        ("./a d", "", Some("the program calls omp_get_thread_limit")),
        ("./a e", "", Some("the program calls omp_get_num_teams")),
        ("./a f", "", Some("the program calls omp_get_team_num")),
        ("./a g", "", Some("the program calls omp_get_max_teams")),
        ("./a h", "", Some("the program calls omp_get_teams_thread_limit")),
        ("./a i", "", Some("the program calls omp_get_team_size")),
        ("./a j", "", Some("the program calls omp_get_ancestor_thread_num")),
        ("./a k", "", Some("the program calls omp_get_thread_num")),
        ("./a s", "", Some("the program calls sysconf")),
        ("./a m", "", Some("a `filter` clause names a thread")),
        ("./a n", "", Some("a nested region ran with one thread")),
        ("./a -", "OMP_THREAD_LIMIT=1", Some("a thread limit made a team smaller")),
        ("--threads 1 ./a p", "", Some(alone)),
        ("./a q", "OMP_NUM_TEAMS=1", Some("a league had one team")),
        ("--sizes ran ./a -", "", Some("--sizes ran")),
        ("./b -", "", Some("the compiler does not mark the iterations of a loop")),
    ] {
        let mut command = here.command(&format!("run --format json -o out.json {words}"));
        if let Some((name, value)) = setting.split_once('=') {
            command.env(name, value);
        }
        let (_, report) = here.reported(&mut command);
        let coverage = covered(&report);
        let reasons: Vec<&str> = coverage.sizes_bound_by.iter().map(String::as_str).collect();
        assert_eq!(reasons, Vec::from_iter(expected), "{setting} {words}");
        assert_eq!(coverage.all_sizes, expected.is_none(), "{setting} {words}");
    }
}

/// What a thread chooses by its number is not compared in this assignment: others are tried, and
/// the verdict says how many.
#[test]
fn a_verdict_that_rests_on_assignments_says_on_how_many() {
    let asked = "\
#include <omp.h>
#include <stdio.h>
int hits[64], a[8];
int main(void) {
  puts(\"runs\");
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 8; i++)
      hits[me]++;
  }
  return 0;
}
";
    let prints = "\
#include <omp.h>
int a[8];
int main(void) {
#pragma omp parallel
  {
    volatile int me = omp_get_thread_num();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 8; i++)
      a[i] = i;
  }
  return 0;
}
";
    let here = Here::new("assignments", &[("a.c", asked), ("b.c", prints)]);
    here.run("cc -fopenmp a.c -o a").expect_status(0);
    here.run("cc -fopenmp b.c -o b").expect_status(0);
    let (status, report) = here.report("./a");
    assert_eq!((status, report.scope), (Some(0), Scope::AllSchedules));
    assert_eq!(covered(&report).assignments, [0, 1, 2, 3]);
    assert_eq!(covered(&here.report("--once ./a").1).assignments, [0]);
    assert_eq!(covered(&here.report("--trace run.rpt ./a").1).assignments, [0]);
    assert_eq!(covered(&here.report("--sizes ran ./b").1).assignments, [0; 0], "nothing was left out");
    let done = here.run("run ./a").expect_status(0);
    assert_eq!(done.said().matches("runs").count(), 1, "the other runs are silent: {}", done.said());
    done.says("with teams of 4 under 4 assignments of work to threads has a data race");
}

#[test]
fn a_program_that_did_not_end_says_nothing_of_schedules() {
    let ends = "\
#include <stdlib.h>
#include <unistd.h>
int a[100];
int main(int argc, char **argv) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) a[i] = i;
  switch (argv[1][0]) {
  case 'a': abort();
  case 'c': *(volatile int *)8 = 1;
  case 's': return 3;
  case 'w': sleep(60);
  case 'e':
#pragma omp parallel
    exit(0);
  }
  return 0;
}
";
    let here = Here::new("ends", &[("a.c", ends)]);
    here.run("cc -fopenmp a.c -o a").expect_status(0);
    let whole = here.report("./a 0").1;
    assert_eq!((whole.scope, covered(&whole).complete), (Scope::AllSchedules, true));
    for (how, status) in [("a", 1), ("c", 1), ("s", 1), ("e", 0), ("w", 3)] {
        let (ended, report) = here.report(&format!("--time-limit 2 ./a {how}"));
        assert_eq!((ended, report.scope), (Some(status), Scope::ObservedSchedule), "{how}: {report:?}");
        assert_eq!((covered(&report).complete, report.determinate), (false, None), "{how}");
        assert!(
            report.next_command.is_some_and(|command| command.ends_with(&format!("-- ./a {how}"))),
            "{how}"
        );
    }
    let said = here.run("run ./a c").expect_status(1).said();
    assert!(
        said.contains("nothing is known about other schedules") && !said.contains("every schedule"),
        "{said}"
    );
}

#[test]
fn a_switch_that_blinds_the_detector_is_no_proof() {
    let racy = "int n;\nint main(void) {\n#pragma omp parallel\n  n++;\n  return 0;\n}\n";
    let here = Here::new("blind", &[("a.c", racy)]);
    here.run("cc -fopenmp a.c -o a").expect_status(0);
    let mut blind = here.command("run --format json -o out.json ./a");
    let (status, report) = here.reported(blind.env("RACEPROOF_OPTIONS", "detect=off:stack=4M"));
    assert_eq!(
        (status, report.verdict, report.scope),
        (Some(3), Verdict::Inconclusive, Scope::ObservedSchedule)
    );
    assert!(report.limits[0].contains("detect=off"), "{:?}", report.limits);
    let command = "RACEPROOF_OPTIONS=stack=4M raceproof verify -- ./a";
    assert_eq!(report.next_command.as_deref(), Some(command));
    let mut blind = here.command("verify --format json -o out.json -- ./a");
    let (status, report) = here.reported(blind.env("RACEPROOF_OPTIONS", "detect=off"));
    assert_eq!(
        (status, report.verdict, report.scope),
        (Some(3), Verdict::Inconclusive, Scope::ObservedSchedule)
    );
}

/// The last line of what is said.
fn last(done: &Done) -> &str {
    done.stdout.lines().last().unwrap_or_default()
}

#[test]
fn the_last_line_decides_the_rest() {
    let here = Here::new("last", &[("locked.c", LOCKED)]);
    here.run("cc -fopenmp locked.c -o lo'ck").expect_status(0);
    let mut command = here.command("run --threads 2,3 --time-limit 30 --");
    let done = finish_within(command.args(["./lo'ck", "0", "a b"]), PATIENCE).unwrap().expect_status(0);
    let expected = r"to decide the rest: raceproof verify --threads 2 --time-limit 30 -- './lo'\''ck' 0 'a b' && raceproof verify --threads 3 --time-limit 30 -- './lo'\''ck' 0 'a b'";
    assert_eq!(last(&done), expected);
    // As it is, in a shell.
    let words = last(&done).split_once(": ").unwrap().1.to_owned();
    let folder = Path::new(env!("CARGO_BIN_EXE_raceproof")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(words).env("PATH", path).current_dir(here.0.path("")).stdin(Stdio::null());
    let pasted = finish_within(shell.stdout(Stdio::piped()).stderr(Stdio::piped()), PATIENCE)
        .unwrap()
        .expect_status(0);
    assert_eq!(pasted.stdout.matches("no schedule of this program").count(), 2, "{pasted:#?}");
    // Variables that the program's runtime looks at, and its input.
    let input = here.0.write("in put", "x");
    let mut command = here.command("run -- ./lo'ck");
    command.env("OMP_NUM_THREADS", "2").stdin(std::fs::File::open(&input).unwrap());
    let done = finish_within(&mut command, PATIENCE).unwrap().expect_status(0);
    let input = input.canonicalize().unwrap();
    let expected = format!(r"OMP_NUM_THREADS=2 raceproof verify -- './lo'\''ck' < '{}'", input.display());
    assert_eq!(last(&done), format!("to decide the rest: {expected}"));
    // What all schedules are known of has none; a search that a budget ended has.
    let done = here.run("verify --threads 2 -- ./lo'ck").expect_status(0);
    assert!(!done.stdout.contains("to decide the rest"), "{done:#?}");
    let done = here.run("verify --threads 4 --max-executions 1 -- ./lo'ck").expect_status(3);
    assert_eq!(last(&done), r"to decide the rest: raceproof verify --threads 4 -- './lo'\''ck'");
}

#[test]
fn a_program_alone_names_the_command() {
    let racy = "int n, m;\nint main(void) {\n#pragma omp parallel\n  {\n    n++;\n#pragma omp critical\n    m++;\n  }\n}\n";
    let folder = Folder::new("coverage-alone");
    let (source, binary) = (folder.write("a.c", racy), folder.path("a"));
    compile(&source, "-O1", &[], &binary).unwrap();
    let mut alone = Command::new(&binary);
    alone.arg("x y").stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = finish_within(&mut alone, PATIENCE).unwrap().expect_status(66);
    let expected = format!("to decide the rest: raceproof verify -- {} 'x y'", binary.display());
    assert_eq!(done.stderr.lines().last(), Some(expected.as_str()));
    // With what its runtime looked at, and its input.
    let input = folder.write("input", "x");
    let mut alone = Command::new(&binary);
    alone.env("OMP_NUM_THREADS", "3").env("RACEPROOF_OPTIONS", "exitcode=5:readers=all");
    alone.stdin(std::fs::File::open(&input).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = finish_within(&mut alone, PATIENCE).unwrap().expect_status(5);
    let expected = format!(
        "to decide the rest: OMP_NUM_THREADS=3 RACEPROOF_OPTIONS=readers=all raceproof verify -- {} < {}",
        binary.display(),
        input.canonicalize().unwrap().display()
    );
    assert_eq!(done.stderr.lines().last(), Some(expected.as_str()));
    let mut alone = Command::new(&binary);
    alone.env("RACEPROOF_OPTIONS", "detect=off").stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = finish_within(alone.stdin(Stdio::null()), PATIENCE).unwrap().expect_status(0);
    let expected = format!("to decide the rest: RACEPROOF_OPTIONS= raceproof verify -- {}", binary.display());
    assert_eq!(done.stderr.lines().last(), Some(expected.as_str()));
}

/// Iterations of a taskloop that share a task are not compared: the report says where, and
/// `--strict` takes the verdict back.
#[test]
fn a_taskloop_of_many_iterations_says_that_some_share_a_task() {
    let taskloop = "\
#include <stdlib.h>
int a[4096];
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < n; i++) a[i] = i;
}
";
    let here = Here::new("taskloop", &[("loop.c", taskloop)]);
    here.run("cc -fopenmp loop.c -o loop").expect_status(0);
    let (status, report) = here.report("--strict -- ./loop 1024");
    assert_eq!((status, covered(&report).unsplit.len()), (Some(0), 0));
    let (status, report) = here.report("-- ./loop 1025");
    let unsplit: Vec<u32> = covered(&report).unsplit.iter().map(|at| at.line).collect();
    assert_eq!((status, report.verdict, unsplit), (Some(0), Verdict::RaceFree, vec![7]));
    let done = here.run("run --strict -- ./loop 1025").expect_status(3);
    done.says("--strict: items of the loop at loop.c:7 were not compared");
}

/// HClib's workers: as many as the program asks for, whatever the options say, and the words about
/// them name HClib's functions.
#[test]
fn a_verdict_names_the_workers_that_the_program_asks_for() {
    const WORKERS: &str = "\
#include \"hclib_cpp.h\"
int cells[3];
int main(int argc, char **argv) {
  const char *modules[] = {\"system\"};
  auto body = [=]() {
    hclib::async([=]() { cells[argc > 1 ? hclib::get_current_worker() : 0]++; });
    if (argc > 2 && hclib::get_num_workers() != 3) abort();
  };
  if (getenv(\"HCLIB_WORKERS\")) hclib::launch(modules, 1, body);
  else hclib::launch(3, modules, 1, body);
}
";
    let here = Here::new("workers", &[("workers.cpp", WORKERS)]);
    here.run("c++ -O1 workers.cpp -o workers").expect_status(0);
    let said = |words: &str, variable: Option<&str>| {
        let mut command = here.command(&format!("run --threads 7 -- ./workers {words}"));
        command.envs(variable.map(|count| ("HCLIB_WORKERS", count)));
        let done = finish_within(&mut command, PATIENCE).expect("it runs");
        (done.status, (done.stdout + &done.stderr).split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (status, text) = said("", None);
    assert!(status == Some(0) && !text.contains("workers"), "{text}");
    for variable in [None, Some("3")] {
        let (status, text) = said("one", variable);
        assert!(status == Some(0) && text.contains("(the program calls hclib_get_current_worker)"), "{text}");
        let (status, text) = said("one two", variable);
        assert!(status == Some(0) && text.contains("on 3 workers"), "{text}");
        assert!(text.contains("the program calls hclib_get_num_workers"), "{text}");
    }
    let (status, text) = said("", Some("many"));
    assert!(status == Some(1) && text.contains("HCLIB_WORKERS is `many`: a number of workers"), "{text}");
}
