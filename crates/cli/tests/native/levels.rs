//! The racing pairs of places do not depend on the level of optimisation: programs made at random,
//! each compiled at four levels.
//!
//! With all checks, and with check elimination, they are exactly the same. (What a loop without
//! checks repeats of its step's earlier accesses only in some of its iterations would be missing;
//! the programs have no such loops.)
//!
//! `RACEPROOF_LEVELS` programs (8 unless set), from seed `RACEPROOF_SEED` on (0 unless set).

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use common::seeds::setting;
use native::generate::Random;
use native::toolchain::{compile, tool};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// What two sections of a program do to shared memory, a statement a line. Every section is one
/// step.
struct Program {
    text: String,
    random: Random,
}

const PROLOGUE: &str = "#include <stdio.h>
int g0, g1, g2;
static int s0, s1;
int a[16], b[16];
struct { int x, y; long z; } p;
static int *through = &g0;
";

impl Program {
    fn new(seed: u64) -> Program {
        let mut program = Program { text: PROLOGUE.to_owned(), random: Random(seed) };
        for helper in 0..2 {
            let inline = ["", "__attribute__((noinline)) "][program.random.below(2) as usize];
            let _ = writeln!(program.text, "static {inline}int h{helper}(int k) {{");
            program.line(1, "int t = k;");
            program.statements(1, helper);
            program.line(1, "return t;");
            program.line(0, "}");
        }
        program.text.push_str("int main(void) {\n#pragma omp parallel sections num_threads(2)\n  {\n");
        for _ in 0..2 {
            program.text.push_str("#pragma omp section\n    {\n      int t = 1, k = 3;\n");
            program.statements(3, 2);
            program.text.push_str("      if (t == 123456)\n        puts(\"\");\n    }\n");
        }
        program.text.push_str("  }\n  return 0;\n}\n");
        program
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(depth));
    }

    fn variable(&mut self) -> String {
        let names = ["g0", "g1", "g2", "s0", "s1", "p.x", "p.y", "p.z", "*through", "a[2]", "a[k]", "b[5]"];
        names[self.random.below(names.len() as u64) as usize].to_owned()
    }

    /// Helpers below this number may be called.
    fn statements(&mut self, depth: usize, helpers: u64) {
        for _ in 0..2 + self.random.below(3) {
            self.statement(depth, helpers);
        }
    }

    fn statement(&mut self, depth: usize, helpers: u64) {
        let (variable, array) = (self.variable(), ["a", "b"][self.random.below(2) as usize]);
        let (from, to) = (self.random.below(8), 8 + self.random.below(8));
        match self.random.below(9) {
            0 => self.line(depth, &format!("{variable} = k + {from};")),
            1 => self.line(depth, &format!("{variable} += {from};")),
            2 => self.line(depth, &format!("t += {variable};")),
            // Read and not used.
            3 => self.line(depth, &format!("(void)({variable} + 1);")),
            4 => {
                self.line(depth, &format!("for (int i = {from}; i < {to}; i++)"));
                self.line(depth + 1, &format!("{array}[i] = t;"));
            }
            5 => {
                self.line(depth, &format!("for (int i = {from}; i < {to}; i++)"));
                self.line(depth + 1, &format!("t += {array}[i];"));
            }
            6 => {
                self.line(depth, &format!("for (int i = {from}; i < 15 && {array}[i] == 0; i++)"));
                self.line(depth + 1, "t++;");
            }
            7 => {
                self.line(depth, &format!("if (t > {})", from % 4));
                self.line(depth + 1, &format!("{variable} = t;"));
            }
            _ if helpers > 0 => {
                let helper = self.random.below(helpers);
                self.line(depth, &format!("t += h{helper}(k + {});", from % 4));
            }
            _ => self.line(depth, &format!("{variable} = 0;")),
        }
    }
}

/// The levels, and the option by which no check is left out.
const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];
const ALL_CHECKS: &str = "-fno-raceproof-check-elimination";

/// Line, column, and whether it is a read.
type Place = (u64, u64, bool);

fn pairs(program: &Path) -> BTreeSet<(Place, Place)> {
    let mut command = tool();
    command.args(["run", "--format", "json", "--"]).arg(program);
    let done = finish_within(&mut command, Duration::from_secs(60)).expect("it ends");
    let report: serde_json::Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:#?}"));
    let races = report["races"].as_array().expect("races").iter().map(|race| {
        let place = |side: &str| {
            let number =
                |name: &str| race[side][name].as_u64().unwrap_or_else(|| panic!("no {name}: {race:#}"));
            (number("line"), number("column"), race[side]["access"] == "read")
        };
        let (first, second) = (place("first"), place("second"));
        (first.min(second), first.max(second))
    });
    races.collect()
}

#[test]
fn racing_places_are_those_of_the_source_at_every_level() {
    let folder = Folder::new("levels");
    let first = setting("RACEPROOF_SEED", 0);
    let (mut racy, mut wrong, mut missing, mut total) = (0, Vec::new(), 0, 0);
    let count = setting("RACEPROOF_LEVELS", 8);
    for seed in first..first + count {
        let text = Program::new(seed).text;
        let source = folder.write("levels.c", &text);
        let found = |level: &str, more: &str| {
            let program = folder.path(&format!("levels{level}"));
            compile(&source, level, &["-w".to_owned(), more.to_owned()], &program)
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            pairs(&program)
        };
        let every = found("-O0", ALL_CHECKS);
        racy += u64::from(!every.is_empty());
        for level in LEVELS {
            let optimised = found(level, "-fraceproof-check-elimination");
            let lost = every.difference(&optimised).count();
            let new: Vec<_> = optimised.difference(&every).collect();
            missing += lost;
            if !new.is_empty() || every.is_empty() != optimised.is_empty() {
                wrong.push(format!("seed {seed} at {level}: new {new:?}"));
            }
            total += every.len();
            let all = found(level, ALL_CHECKS);
            if all != every {
                let lost: Vec<_> = every.difference(&all).collect();
                let new: Vec<_> = all.difference(&every).collect();
                wrong.push(format!("seed {seed} at {level} with all checks: lost {lost:?}, new {new:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(racy * 2 > count, "{racy} of {count} programs have races");
    assert_eq!(missing, 0, "of {total} pairs");
}
