//! The tests of a program with Rust's test harness, each in a process of its own: so each is judged
//! by itself, and none sees what another has left in memory.
//!
//! What is printed is the harness's: a line for each test. The report of a test with findings
//! follows its line; what the others amount to is one report at the end.

use super::partition::Partition;
use super::records;
use crate::args::{ReportFormat, RunArgs};
use crate::commands::{self, ProgramOutcome};
use crate::page;
use crate::run::command::Ran;
use crate::run::join::join;
use crate::shared::harness::{self, Test};
use crate::shared::known::Known;
use crate::shared::present::{Wanted, render_native};
use crate::shared::status::{BAD_INPUT, FOUND, INCONCLUSIVE};
use raceproof_core::finding::{Place, Report, TestCase, Verdict};
use raceproof_host::output::deliver;
use raceproof_host::{interrupt, note};
use raceproof_report::baseline::new_only;
use raceproof_report::listed::list;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Which part of the tests is run, if not all: for the processes that cargo starts.
pub(super) const PARTITION: &str = "RACEPROOF_PARTITION";

/// Runs the tests that a program would run, one after the other; none if it has another harness.
pub(super) fn run(args: &RunArgs) -> Option<ProgramOutcome> {
    let program = Path::new(&args.program[0]);
    let arguments = &args.program[1..];
    let mut tests = harness::tests(program, arguments)?;
    if let Some(part) = env::var(PARTITION).ok().and_then(|part| Partition::parse(&part).ok()) {
        let mut index = 0;
        tests.retain(|test| {
            index += 1;
            part.has(index - 1, &test.name)
        });
    }
    let mut tally = Tally::new(args);
    tally.say(&format!("\nrunning {} test{}", tests.len(), if tests.len() == 1 { "" } else { "s" }));
    let interrupted = interrupt::watch();
    for test in &tests {
        tally.judge(args, test);
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
    }
    Some(tally.finish(args))
}

/// What came of the tests up to now.
struct Tally {
    start: Instant,
    /// Whether reports are text on standard output, as the tests go.
    is_text: bool,
    /// Whether what is printed for people goes to standard output.
    to_stdout: bool,
    statuses: Vec<u8>,
    failed: usize,
    ignored: usize,
    sequential: usize,
    passed: usize,
    /// Of the tests whose reports were not shown, or of all if they are not text.
    joined: Option<Report>,
}

impl Tally {
    fn new(args: &RunArgs) -> Tally {
        let is_text = args.format == ReportFormat::Text && args.output.is_none();
        Tally {
            start: Instant::now(),
            is_text,
            to_stdout: is_text || args.output.is_some(),
            statuses: Vec::new(),
            failed: 0,
            ignored: 0,
            sequential: 0,
            passed: 0,
            joined: None,
        }
    }

    fn say(&self, text: &str) {
        if self.to_stdout {
            // Whoever reads no further does not want the rest.
            let _ = deliver(&format!("{text}\n"), None);
        } else {
            note(text);
        }
    }

    /// Runs one test and says what came of it.
    fn judge(&mut self, args: &RunArgs, test: &Test) {
        let arguments = &args.program[1..];
        let mut one = args.clone();
        one.program =
            [args.program[0].clone()].into_iter().chain(harness::only(&test.name, arguments)).collect();
        let printed = tempfile::tempfile().ok().map(Arc::new);
        one.stdout.clone_from(&printed);
        let (outcome, ran) = commands::started_by_cargo(&one, false);
        let printed = printed.map(|file| text_of(&file)).unwrap_or_default();
        let mut ran = match ran {
            Ok(ran) => ran,
            Err(wrong) => {
                self.statuses.push(BAD_INPUT);
                self.failed += 1;
                self.say(&format!("test {} ... not run: {wrong}", test.name));
                records::note(&args.program[0], Some(test), Err(&wrong));
                return;
            }
        };
        let is_ignored = printed.lines().any(|line| line.contains("; 1 ignored;"));
        let has_failed = ran.report.errors.iter().any(|error| error.kind == "exit-status");
        let word = match &ran.report.verdict {
            _ if is_ignored => "ignored".to_owned(),
            _ if ran.status != FOUND && outcome == ProgramOutcome::Sequential => {
                "ok (nothing ran in parallel)".to_owned()
            }
            Verdict::Race if ran.status == FOUND => "data race".to_owned(),
            Verdict::Deadlock if ran.status == FOUND => "deadlock".to_owned(),
            _ if has_failed => "FAILED".to_owned(),
            _ if ran.status == FOUND => "program error".to_owned(),
            Verdict::Inconclusive => {
                format!("inconclusive: {}", ran.report.limits.first().map_or("", String::as_str))
            }
            _ => "ok".to_owned(),
        };
        // Whoever has to look for a finding is told where.
        let place = test.at.as_ref().filter(|_| ran.status == FOUND);
        let place = place.map_or_else(String::new, |at| format!(" ({}:{})", at.file, at.line));
        self.say(&format!("test {}{place} ... {word}", test.name));
        if has_failed || harness::shows_output(arguments) {
            self.say(harness::what_tests_printed(&printed));
        }
        if is_ignored {
            self.ignored += 1;
            return;
        }
        ran.raw.tests = vec![case_of(&args.program[0], test, &ran.report)];
        records::note(&args.program[0], Some(test), Ok(&ran));
        self.count(outcome, &ran);
        let is_shown = self.is_text && ran.status == FOUND && !(has_failed && is_failure_alone(&ran.report));
        if is_shown {
            self.show(&one, ran.raw);
        } else if !(self.is_text && ran.status == FOUND) {
            self.joined = Some(match self.joined.take() {
                None => ran.raw,
                Some(before) => join(before, ran.raw),
            });
        }
    }

    fn count(&mut self, outcome: ProgramOutcome, ran: &Ran) {
        match outcome {
            ProgramOutcome::Sequential => self.sequential += 1,
            ProgramOutcome::Status(_) => self.statuses.push(ran.status),
        }
        *(if ran.status == FOUND { &mut self.failed } else { &mut self.passed }) += 1;
    }

    /// Shows a report; of a program that was run already.
    fn show(&self, args: &RunArgs, report: Report) {
        let shown = Known::load(&args.known).and_then(|known| {
            let wanted = Wanted {
                format: args.format,
                output: args.output.as_deref(),
                known: &known,
                strict: args.strict,
                program: &args.program[0],
            };
            render_native(report, wanted, |_, _| page::of_several())
        });
        if let Err(wrong) = shown {
            note(&wrong.0);
        }
    }

    fn finish(mut self, args: &RunArgs) -> ProgramOutcome {
        let mut line = format!(
            "\ntest result: {}. {} passed; {} failed; {} ignored",
            if self.failed == 0 { "ok" } else { "FAILED" },
            self.passed,
            self.failed,
            self.ignored
        );
        if self.sequential > 0 {
            let _ = write!(line, "; in {} of them nothing ran in parallel", self.sequential);
        }
        let _ = writeln!(line, "; finished in {:.2}s", self.start.elapsed().as_secs_f64());
        self.say(&line);
        if let Some(mut joined) = self.joined.take().filter(|_| !records::is_deferred(args)) {
            // Commands about one test say nothing about all.
            joined.next_command = None;
            self.show(args, joined);
        }
        match [FOUND, BAD_INPUT, INCONCLUSIVE].into_iter().find(|status| self.statuses.contains(status)) {
            Some(status) => ProgramOutcome::Status(status),
            None if self.statuses.is_empty() => ProgramOutcome::Sequential,
            None => ProgramOutcome::Status(0),
        }
    }
}

/// A test as the reports have it.
fn case_of(program: &OsStr, test: &Test, report: &Report) -> TestCase {
    let unknown = Place { file: String::new(), line: 0, column: 0 };
    TestCase {
        program: records::name_of(program),
        name: test.name.clone(),
        at: test.at.clone().unwrap_or(unknown),
        verdict: report.verdict,
        findings: list(&new_only(report)).iter().map(|found| found.id.to_string()).collect(),
    }
}

/// Whether a test has failed, and that is all: the harness has said why.
fn is_failure_alone(report: &Report) -> bool {
    report.races.is_empty() && report.deadlocks.is_empty() && report.errors.len() == 1
}

fn text_of(mut file: &File) -> String {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map(|_| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The words that run a program or one of its tests; `wanted` are those after `--`.
pub(super) fn one_of(program: &Path, wanted: &[OsString]) -> Result<Vec<OsString>, String> {
    let Some(tests) = harness::tests(program, wanted) else { return Ok(wanted.to_vec()) };
    match &tests[..] {
        [test] => Ok(harness::only(&test.name, wanted)),
        [] => Err("no test has this name: `cargo raceproof test -- --list` lists them".to_owned()),
        several => {
            let exact = wanted.iter().find_map(|word| several.iter().find(|test| word == test.name.as_str()));
            if let Some(test) = exact {
                return Ok(harness::only(&test.name, wanted));
            }
            let names: Vec<&str> = several.iter().take(5).map(|test| test.name.as_str()).collect();
            Err(format!(
                "{} tests are meant, and one is searched at a time; name one after `--`: {}{}",
                several.len(),
                names.join(", "),
                if several.len() > names.len() { ", …" } else { "" }
            ))
        }
    }
}
