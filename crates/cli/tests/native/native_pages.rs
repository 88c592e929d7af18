//! Pages of shadow memory whose cells are all alike are kept as one cell: tasks that access whole
//! pages, parts of them and single words, made at random, race iff their bytes overlap where one of
//! them writes.
//!
//! Rounds of tasks follow each other, of which only the last may race: what the earlier ones have
//! left on a page must neither hide that nor look like it. `RACEPROOF_CASES` programs (120 unless
//! set), from seed `RACEPROOF_SEED` on (0 unless set); collections at every turn in every third.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::generate::Random;
use native::toolchain::{compile, tool};
use std::path::Path;
use std::time::Duration;
use std::{env, fs};

/// Program memory on one page of shadow memory, and the pages of the block.
const PAGE: u64 = 2048;
const PAGES: u64 = 8;
/// Tasks of a round, and accesses of each.
const TASKS: u64 = 4;
const ACCESSES: u64 = 3;

/// Its arguments are accesses: `+` begins a round, `-` one with a new block, `,` a task, and a
/// letter goes before the first byte and the number of bytes.
const PROGRAM: &str = r#"
#include <stdlib.h>
#include <string.h>
static char *room;
static void run(char **word) {
  for (; *word && strchr("wrsg", **word); word += 3) {
    long from = atol(word[1]), size = atol(word[2]);
    char *own = malloc(size);
    switch (**word) {
    case 'w': memset(room + from, 1, size); break;
    case 'r': memcpy(own, room + from, size); break;
    case 's': for (long i = 0; i < size; i += 4) *(volatile int *)(room + from + i) = 1; break;
    case 'g': for (long i = 0; i < size; i += 4) (void)*(volatile int *)(room + from + i); break;
    }
    free(own);
  }
}
int main(int argc, char **argv) {
  room = aligned_alloc(2048, 8 * 2048);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (char **word = argv + 1; *word; word++) {
    if (**word == ',') {
#pragma omp task
      run(word + 1);
    } else if (**word == '+' || **word == '-') {
#pragma omp taskwait
      if (**word == '-') {
        free(room);
        room = aligned_alloc(2048, 8 * 2048);
      }
    }
  }
  return 0;
}
"#;

#[derive(Clone)]
struct Access {
    writes: bool,
    /// Words one after the other, each with a check of its own.
    single: bool,
    from: u64,
    to: u64,
}

impl Access {
    /// Pages, parts of some, or a word.
    fn new(random: &mut Random) -> Access {
        let (writes, single) = (random.below(2) == 0, random.below(3) == 0);
        let page = random.below(PAGES);
        let (mut from, mut to) = (page * PAGE, (page + 1 + random.below(PAGES - page)) * PAGE);
        match random.below(4) {
            0 => from += 4 * random.below(PAGE / 4),
            1 => to -= 4 * random.below(PAGE / 4),
            2 => (from, to) = (from + 4, from + 8),
            _ => {}
        }
        Access { writes, single, from, to: to.max(from + 4) }
    }

    fn words(&self) -> [String; 3] {
        let letter = match (self.writes, self.single) {
            (true, false) => "w",
            (false, false) => "r",
            (true, true) => "s",
            (false, true) => "g",
        };
        [letter.to_owned(), self.from.to_string(), (self.to - self.from).to_string()]
    }

    fn conflicts(&self, other: &Access) -> bool {
        (self.writes || other.writes) && self.from < other.to && other.from < self.to
    }
}

/// A round: tasks that do not race, if it has to be so.
fn round(random: &mut Random, may_race: bool) -> Vec<Vec<Access>> {
    let mut tasks: Vec<Vec<Access>> = Vec::new();
    for _ in 0..1 + random.below(TASKS) {
        let mut task = Vec::new();
        for _ in 0..1 + random.below(ACCESSES) {
            let access = Access::new(random);
            if may_race || !tasks.iter().flatten().any(|other| access.conflicts(other)) {
                task.push(access);
            }
        }
        tasks.push(task);
    }
    tasks
}

fn is_racy(tasks: &[Vec<Access>]) -> bool {
    tasks.iter().enumerate().any(|(number, task)| {
        let later = || tasks[number + 1..].iter().flatten();
        task.iter().any(|access| later().any(|other| access.conflicts(other)))
    })
}

fn is_found_racy(program: &Path, words: &[String], report: &Path, collects: bool) -> bool {
    let mut command = tool();
    command.args(["run", "--format", "json", "-o"]).arg(report).arg("--").arg(program).args(words);
    if collects {
        command.env("RACEPROOF_OPTIONS", "collect=always");
    }
    let done = finish_within(&mut command, Duration::from_secs(60))
        .unwrap_or_else(|error| panic!("{words:?}: {error}"));
    let report = fs::read_to_string(report).unwrap_or_default();
    assert!(report.contains("\"verdict\": \"race"), "{words:?}: {}", done.stderr);
    report.contains("\"verdict\": \"race\"")
}

#[test]
fn accesses_of_pages_race_where_their_bytes_do() {
    let setting = |name: &str, default: u64| {
        env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name}={value}")))
    };
    let folder = Folder::new("native-pages");
    let (source, program) = (folder.write("pages.c", PROGRAM), folder.path("pages"));
    compile(&source, "-O2", &[], &program).unwrap_or_else(|error| panic!("{error}"));
    let (first, cases) = (setting("RACEPROOF_SEED", 0), setting("RACEPROOF_CASES", 120));
    let mut racy = 0;
    for seed in first..first + cases {
        let mut random = Random(seed);
        let mut words = Vec::new();
        let rounds = 1 + random.below(5);
        let mut expected = false;
        for number in 1..=rounds {
            words.push(if random.below(5) == 0 { "-" } else { "+" }.to_owned());
            // Most tasks that access anything race: half of the programs have none in their last
            // round, either.
            let tasks = round(&mut random, number == rounds && seed % 2 == 0);
            expected |= is_racy(&tasks);
            for task in tasks {
                words.push(",".to_owned());
                words.extend(task.iter().flat_map(Access::words));
            }
        }
        racy += u64::from(expected);
        let found = is_found_racy(&program, &words, &folder.path("report.json"), seed % 3 == 0);
        assert_eq!(found, expected, "seed {seed}: {}", words.join(" "));
    }
    assert!(racy > cases / 10 && racy < cases, "{racy} of {cases} are racy: a test of one answer only");
}
