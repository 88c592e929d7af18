//! What functions of the C library access, held to an oracle: tasks that call them at random on one
//! buffer (`support/native/library.c`), and for each call the bytes that it reads and writes,
//! worked out here from the manual. And who calls: a program's own functions of such names, and
//! code that is not instrumented, are left alone.
//!
//! `RACEPROOF_CASES` programs for each way of compiling (170 unless set), from seed
//! `RACEPROOF_SEED` on (0 unless set).

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within, root};
use common::seeds::seeds;
use native::generate::Random;
use native::toolchain::{compile, runtime, tool};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::time::Duration;

/// The buffer as the tasks make it, one after the other: whose turn it is matters only if they
/// race, and then they do in every order.
struct Memory {
    bytes: [u8; 128],
    read: BTreeSet<usize>,
    written: BTreeSet<usize>,
}

impl Memory {
    fn new(bytes: [u8; 128]) -> Memory {
        Memory { bytes, read: BTreeSet::new(), written: BTreeSet::new() }
    }

    fn get(&mut self, at: usize) -> u8 {
        self.read.insert(at);
        self.bytes[at]
    }

    fn look(&mut self, at: usize) {
        self.get(at);
    }

    fn set(&mut self, at: usize, byte: u8) {
        self.written.insert(at);
        self.bytes[at] = byte;
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        for (index, byte) in bytes.iter().enumerate() {
            self.set(at + index, *byte);
        }
    }

    fn put_string(&mut self, at: usize, text: &str) {
        self.put(at, text.as_bytes());
        self.set(at + text.len(), 0);
    }

    /// Reads up to a zero; gives its place.
    fn end(&mut self, mut at: usize) -> usize {
        while self.get(at) != 0 {
            at += 1;
        }
        at
    }

    /// Reads up to a byte that is like that, or the end of the string; whether there is one, and
    /// where.
    fn find(&mut self, mut at: usize, is_it: impl Fn(u8) -> bool) -> usize {
        while self.get(at) != 0 && !is_it(self.bytes[at]) {
            at += 1;
        }
        at
    }

    fn compare(&mut self, at: usize, word: &[u8], most: usize, folded: bool) {
        let fold = |byte: u8| if folded { byte.to_ascii_lowercase() } else { byte };
        for index in 0..most {
            let (mine, other) = (self.get(at + index), word.get(index).copied().unwrap_or(0));
            if mine == 0 || fold(mine) != fold(other) {
                break;
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Call {
    function: &'static str,
    at: usize,
    n: usize,
    word: &'static str,
}

const FUNCTIONS: &[&str] = &[
    "load",
    "store",
    "strlen",
    "strnlen",
    "strcpy",
    "stpcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "strdup",
    "strtok_r",
    "memchr",
    "memrchr",
    "memcmp",
    "memccpy",
    "mempcpy",
    "bzero",
    "qsort",
    "atoi",
    "sprintf",
    "snprintf",
    "precision",
    "scan",
    "read",
    "write",
];
const WORDS: &[&str] = &["ab", "ba", "abc", "xa", "cab"];

impl Call {
    fn random(random: &mut Random) -> Call {
        let mut pick = |from: &'static [&'static str]| from[random.below(from.len() as u64) as usize];
        let (function, word) = (pick(FUNCTIONS), pick(WORDS));
        Call { function, at: random.below(24) as usize, n: random.below(7) as usize, word }
    }

    fn text(&self) -> String {
        format!("{}:{}:{}:{}", self.function, self.at, self.n, self.word)
    }

    fn act(&self, memory: &mut Memory) {
        let Call { function, at, n, word } = *self;
        let (bytes, first) = (word.as_bytes(), word.as_bytes()[0]);
        let in_word = |byte: u8| word.as_bytes().contains(&byte);
        match function {
            "load" => memory.look(at),
            "store" => memory.set(at, first),
            "strlen" | "strdup" | "strrchr" => drop(memory.end(at)),
            "strnlen" | "precision" => drop((at..at + n).find(|&at| memory.get(at) == 0)),
            "strcpy" | "stpcpy" => memory.put_string(at, word),
            "strncpy" => {
                let padded: Vec<u8> = bytes.iter().copied().chain([0; 8]).take(n).collect();
                memory.put(at, &padded);
            }
            "strcat" | "strncat" => {
                let end = memory.end(at);
                memory.put_string(end, if function == "strcat" { word } else { &word[..n.min(word.len())] });
            }
            "strcmp" => memory.compare(at, bytes, 64, false),
            "strncmp" => memory.compare(at, bytes, n, false),
            "strcasecmp" => memory.compare(at, bytes, 64, true),
            "strchr" => drop(memory.find(at, |byte| byte == first)),
            "strpbrk" | "strcspn" => drop(memory.find(at, in_word)),
            "strspn" => drop(memory.find(at, |byte| !in_word(byte))),
            "strstr" => {
                let text: Vec<u8> =
                    memory.bytes[at..].iter().copied().take_while(|&byte| byte != 0).collect();
                let found = text.windows(bytes.len()).position(|part| part == bytes);
                match found {
                    Some(found) => (at..at + found + bytes.len()).for_each(|at| memory.look(at)),
                    None => drop(memory.end(at)),
                }
            }
            "strtok_r" => {
                let token = memory.find(at, |byte| !in_word(byte));
                let end = memory.find(token, in_word);
                if memory.bytes[end] != 0 {
                    memory.set(end, 0);
                }
            }
            "memchr" => drop((at..at + n).find(|&at| memory.get(at) == first)),
            "memrchr" => drop((at..at + n).rev().find(|&at| memory.get(at) == first)),
            "memcmp" => drop((0..word.len()).find(|&index| memory.get(at + index) != bytes[index])),
            "memccpy" | "mempcpy" => memory.put(at, &bytes[..2]),
            "bzero" | "read" => (at..at + n).for_each(|at| memory.set(at, 0)),
            "write" => (at..at + n).for_each(|at| memory.look(at)),
            "qsort" => {
                let mut sorted = memory.bytes[at..at + n].to_vec();
                sorted.sort_unstable();
                if n > 1 {
                    memory.put(at, &sorted);
                }
            }
            // There are no digits in the buffer but those that sprintf puts there, and those are
            // one each.
            "atoi" => {
                let mut end = at;
                while memory.get(end).is_ascii_digit() {
                    end += 1;
                }
            }
            "sprintf" => memory.put_string(at, &format!("{word}{n}")),
            "snprintf" if n > 0 => memory.put_string(at, &word[..word.len().min(n - 1)]),
            "snprintf" => {}
            "scan" => memory.put_string(at, word),
            other => panic!("{other}"),
        }
    }
}

/// Groups of tasks that may run at the same time, one group after the other.
type Groups = Vec<Vec<Vec<Call>>>;

fn groups(random: &mut Random) -> Groups {
    let calls = |random: &mut Random| (0..=random.below(2)).map(|_| Call::random(random)).collect::<Vec<_>>();
    let tasks = |random: &mut Random| (0..=random.below(3)).map(|_| calls(random)).collect::<Vec<_>>();
    (0..=random.below(2)).map(|_| tasks(random)).collect()
}

/// A call, and beside it a write of the first or last byte that it accesses, or of the one before
/// or after that.
fn at_the_edge(random: &mut Random, text: &str, function: &'static str) -> Groups {
    let call = Call { function, ..Call::random(random) };
    let mut memory = Memory::new(bytes_of(text));
    call.act(&mut memory);
    let accessed: BTreeSet<usize> = memory.read.union(&memory.written).copied().collect();
    let (first, last) = accessed.first().zip(accessed.last()).map_or((call.at, call.at), |(a, b)| (*a, *b));
    let at = [first, last, first.saturating_sub(1), last + 1][random.below(4) as usize];
    let write = Call { function: "store", at, n: 0, word: "xa" };
    vec![vec![vec![call], vec![write]]]
}

fn bytes_of(text: &str) -> [u8; 128] {
    let mut bytes = [0; 128];
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| *byte != b'.') {
        bytes[at] = byte;
    }
    bytes
}

fn is_racy(text: &str, groups: &Groups) -> bool {
    let mut bytes = bytes_of(text);
    let mut racy = false;
    for group in groups {
        let mut tasks: Vec<Memory> = Vec::new();
        for task in group {
            let mut memory = Memory::new(bytes);
            task.iter().for_each(|call| call.act(&mut memory));
            bytes = memory.bytes;
            racy |= tasks.iter().any(|other| {
                let meet = |a: &BTreeSet<usize>, b: &BTreeSet<usize>| !a.is_disjoint(b);
                meet(&other.written, &memory.written)
                    || meet(&other.written, &memory.read)
                    || meet(&other.read, &memory.written)
            });
            tasks.push(memory);
        }
    }
    racy
}

/// Some functions of a task are seen by the optimiser, none of the buffer.
fn hold_to_the_oracle(level: &str) {
    let folder = Folder::new(&format!("library{level}"));
    let program = folder.path("library");
    let source = root().join("crates/cli/tests/support/native/library.c");
    compile(&source, level, &[], &program).expect("it compiles");
    let report = folder.path("report.json");
    let seeds = seeds(170);
    let cases = seeds.end - seeds.start;
    let mut racy = 0;
    for seed in seeds {
        let random = &mut Random(seed);
        let text: String =
            (0..32).map(|_| [b'a', b'b', b'c', b'x', b'.'][random.below(5) as usize] as char).collect();
        // Every other program is a call at random, of each function in turn.
        let groups = match seed % 2 {
            0 => groups(random),
            _ => at_the_edge(random, &text, FUNCTIONS[(seed / 2) as usize % FUNCTIONS.len()]),
        };
        let mut words = vec![text.clone()];
        for (number, group) in groups.iter().enumerate() {
            words.extend((number > 0).then(|| "wait".to_owned()));
            let task = |calls: &Vec<Call>| calls.iter().map(Call::text).collect::<Vec<_>>().join(",");
            words.extend(group.iter().map(task));
        }
        let expected = is_racy(&text, &groups);
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&report).arg("--").arg(&program).args(&words);
        let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs");
        let found = fs::read_to_string(&report).unwrap_or_default();
        let verdict = if expected { "\"verdict\": \"race\"" } else { "\"verdict\": \"race-free\"" };
        assert!(
            found.contains(verdict),
            "{level}, seed {seed}: {verdict} expected of {words:?}: {found} {}",
            done.stderr
        );
        racy += u64::from(expected);
    }
    assert!(
        cases < 100 || (racy > cases / 10 && racy < cases * 9 / 10),
        "{racy} of {cases} are racy: a test of one answer only"
    );
}

#[test]
fn random_calls_are_judged_as_the_oracle_says() {
    for level in ["-O0", "-O2", "-fno-raceproof-pass"] {
        hold_to_the_oracle(level);
    }
}

fn cc(folder: &Folder, words: &[&str]) -> Done {
    let mut command = tool();
    command.arg("cc").args(["-fopenmp", "-O1"]).args(words).current_dir(folder.path(""));
    command.env("RACEPROOF_RUNTIME", runtime());
    let done = finish_within(&mut command, Duration::from_secs(120)).expect("it ends");
    assert_eq!(done.status, Some(0), "{words:?}: {}", done.stderr);
    done
}

/// The report of a program, and what it has written itself.
fn run(folder: &Folder, program: &str) -> (serde_json::Value, String) {
    let mut command = tool();
    command
        .args(["run", "--format", "json", "-o"])
        .arg(folder.path("report.json"))
        .arg("--")
        .arg(folder.path(program));
    let done = finish_within(&mut command, Duration::from_secs(120)).expect("it ends");
    let text = fs::read_to_string(folder.path("report.json")).unwrap_or_default();
    let report = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {done:#?}"));
    (report, done.stdout)
}

/// Calls functions that have the names of the C library's and are something else: one fills 4 bytes
/// of 8, the other has another type.
const CALLS: &str = r#"
int printf(const char *, ...);
char *strncpy(char *, const char *, unsigned long);
int getline(int, int);
char buffer[16];
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    strncpy(buffer, "text", 8);
#pragma omp task
    buffer[6] = 1;
#pragma omp task shared(sum)
    sum = getline(40, 2);
  }
  printf("%.4s %d\n", buffer, sum);
  return 0;
}
"#;

const OWN: &str = r#"
__attribute__((visibility("hidden"))) char *strncpy(char *to, const char *from, unsigned long n) {
  for (unsigned long i = 0; i < n / 2; i++)
    to[i] = from[i];
  return to;
}
__attribute__((visibility("hidden"))) int getline(int a, int b) { return a + b; }
"#;

#[test]
fn functions_of_the_programs_own_are_its_own() {
    let folder = Folder::new("library-own");
    folder.write("calls.c", CALLS);
    folder.write("own.c", OWN);
    folder.write("main.c", "int begin(void);\nint main(void) { return begin(); }\n");
    for option in ["-fraceproof-pass", "-fno-raceproof-pass"] {
        cc(&folder, &[option, "-fno-builtin", "-c", "calls.c"]);
        cc(&folder, &[option, "-c", "own.c"]);
        cc(&folder, &[option, "calls.o", "own.o", "-o", "program"]);
        let (report, printed) = run(&folder, "program");
        assert_eq!(
            (report["verdict"].as_str(), printed.as_str()),
            (Some("race-free"), "text 42\n"),
            "{option}: {report}"
        );
        // In a shared library, whose own functions the executable does not see.
        cc(
            &folder,
            &[
                option,
                "-fno-builtin",
                "-fPIC",
                "-Dmain=begin",
                "-shared",
                "calls.c",
                "own.c",
                "-o",
                "libown.so",
            ],
        );
        cc(&folder, &[option, "main.c", "-L.", "-lown", "-Wl,-rpath,$ORIGIN", "-o", "other"]);
        let (report, printed) = run(&folder, "other");
        assert_eq!(
            (report["verdict"].as_str(), printed.as_str()),
            (Some("race-free"), "text 42\n"),
            "{option}: {report}"
        );
    }
}

#[test]
fn calls_of_code_that_is_not_instrumented_are_left_alone() {
    let folder = Folder::new("library-plain");
    folder.write("plain.c", "#include <string.h>\nvoid set(char *to) { strcpy(to, \"text\"); }\n");
    folder.write(
        "calls.c",
        "void set(char *);\nchar buffer[16];\nint main(void) {\n#pragma omp parallel num_threads(2)\n  set(buffer);\n  return 0;\n}\n",
    );
    for option in ["-fraceproof-pass", "-fno-raceproof-pass"] {
        cc(&folder, &["-fno-sanitize=thread", "-fno-builtin", "-c", "plain.c"]);
        cc(&folder, &[option, "calls.c", "plain.o", "-o", "program"]);
        let (report, _) = run(&folder, "program");
        assert_eq!(report["races"].as_array().map(Vec::len), Some(0), "{option}: {report}");
    }
}

/// A report says which function has made the access, where the program calls it.
#[test]
fn a_report_names_the_function() {
    let folder = Folder::new("library-names");
    folder.write(
        "names.c",
        "#include <string.h>\nchar a[8];\nint main(void) {\n#pragma omp parallel num_threads(2)\n  strcpy(a, \"text\");\n  return 0;\n}\n",
    );
    cc(&folder, &["names.c", "-o", "program"]);
    let (report, _) = run(&folder, "program");
    let side = &report["races"][0]["first"];
    assert_eq!((side["library"].as_str(), side["line"].as_u64()), (Some("strcpy"), Some(5)), "{report}");
    let done =
        finish_within(tool().args(["run", "--"]).arg(folder.path("program")), Duration::from_secs(120));
    let said = done.expect("it ends");
    assert!((said.stdout + &said.stderr).contains("writes a[0] by strcpy"));
}

/// Arguments of every kind go on as they came: the same program prints the same with clang alone.
#[test]
fn arguments_and_results_are_passed_on() {
    const PRINTS: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
static void print(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}
int main(void) {
  char text[256], *end;
  int i, j;
  long double whole;
  double sine, cosine;
  printf("%d %s %f %Lf %c %s %d %d %f %f %f %f %f %f %f %f %f %d %Lf\n", 1, "two", 3.0, 4.0L, '5', "six", 7, 8, 1.0, 2.0, 3.0,
         4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 9, 10.5L);
  print("%s %d %d %d %d %d %d %.3f\n", "list", 1, 2, 3, 4, 5, 6, 2.5);
  i = snprintf(text, 8, "%s%n", "longer than eight", &j);
  printf("%d %d %s\n", i, j, text);
  i = sscanf("12 3.5 word 0x1f", "%d %lf %s %i", &j, &sine, text, &i);
  printf("%d %d %f %s\n", i, j, sine, text);
  printf("%Lf ", frexpl(48.0L, &i));
  printf("%d ", i);
  printf("%Lf ", modfl(2.75L, &whole));
  printf("%Lf ", whole);
  printf("%Lf ", remquol(29.0L, 3.0L, &i));
  printf("%d ", i & 7);
  printf("%f ", strtod("2.5e3x", &end));
  printf("%s %Lf\n", end, strtold("1.25", 0));
  sincos(0.5, &sine, &cosine);
  printf("%f %f %f\n", sine, cosine, frexp(10, &i));
  errno = 0;
  strtol("99999999999999999999", 0, 10);
  printf("%d ", errno == ERANGE);
  errno = 7;
  printf("%zu ", strlen(text));
  printf("%d\n", errno);
  wprintf(L"never: the stream has bytes\n");
  fflush(stdout);
  return 0;
}
"#;
    let folder = Folder::new("library-passed");
    folder.write("prints.c", PRINTS);
    for option in ["-fraceproof-pass", "-fno-raceproof-pass"] {
        cc(&folder, &[option, "prints.c", "-o", "program", "-lm"]);
        let ours = Command::new(folder.path("program")).output().expect("it runs");
        let status = Command::new("cc")
            .args(["-O0", "prints.c", "-o", "plain", "-lm"])
            .current_dir(folder.path(""))
            .status();
        assert!(status.expect("there is a compiler").success());
        let plain = Command::new(folder.path("plain")).output().expect("it runs");
        assert_eq!(String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&plain.stdout), "{option}");
        assert_eq!(ours.status.code(), Some(0));
    }
}
