//! `verify` and `replay` for programs that `raceproof cc` built.
//!
//! The search is the same as for TP; what differs is how an execution is run: as a process of its own, which is told by a channel
//! what to do and answers in it ([`raceproof::remote`]).

mod judge;
mod process;

use crate::args::{ReplayArgs, VerifyArgs};
use crate::input::{self, Verb};
use crate::interrupt;
use crate::output::deliver;
use crate::run::program;
use crate::search;
use crate::verify::{Options, Search};
use crate::witness_file;
use judge::Judge;
use process::{Budget, Failed, Program, Streams};
use raceproof::limits::Limits;
use raceproof::remote::Order;
use raceproof::verify::verify_by;
use raceproof_core::finding::{Report, Scope, Verdict};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The program that is asked for, and what tells it from all others: its bytes and its arguments.
fn find(words: &[OsString], verb: &Verb) -> Result<(PathBuf, String), String> {
    let path = program::find(&words[0], verb)?;
    program::check(&path)?;
    let bytes = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let arguments = words[1..].iter().flat_map(|word| [b" ", word.as_encoded_bytes()].concat());
    let fingerprint = witness_file::fingerprint_of(bytes.into_iter().chain(arguments));
    Ok((path, fingerprint))
}

/// Verifies a program as the arguments say; the error says what is wrong with them, or with the program.
pub(crate) fn verify(args: &VerifyArgs, words: &[OsString]) -> Result<Report, String> {
    if args.determinism {
        return Err(
            "--determinism is for TP programs; it does not tell what a native program ends with".into()
        );
    }
    let (path, fingerprint) = find(words, &input::VERIFY_PROGRAM)?;
    let coverage = Mutex::default();
    let unshown = Mutex::default();
    let go_on = |search: &mut Search, options: &Options<'_>| {
        let program = Program::new(path.clone(), &words[1..], args.threads);
        let deadline = options
            .max_seconds
            .and_then(|seconds| Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?));
        let memory = options.max_memory;
        let limits = Limits { deadline, interrupt: options.interrupt, memory, ..Limits::default() };
        let actions = options.max_events.unwrap_or(u64::MAX);
        let judge = Judge {
            program,
            // Read into memory it takes a few times as much.
            budget: Budget {
                actions,
                seconds: args.time_limit.unwrap_or(TIME_LIMIT),
                answer: memory.map_or(u64::MAX, |most| most / 4),
            },
            limits,
            dependence: options.order.dependence(),
            cut: OnceLock::new(),
            ways: Mutex::default(),
            coverage: &coverage,
            unshown: &unshown,
            wrong: OnceLock::new(),
        };
        let verified = verify_by(&judge, search, options);
        match judge.wrong.into_inner() {
            Some(wrong) => Err(wrong),
            None => Ok(verified),
        }
    };
    let mut report = search::search(args, &fingerprint, &go_on)?;
    report.coverage = coverage.into_inner().unwrap_or_default();
    report.threads = report.coverage.as_ref().map_or(Vec::new(), |coverage| coverage.teams.clone());
    let unshown = unshown.into_inner().unwrap_or_default();
    if report.verdict == Verdict::RaceFree && !unshown.is_empty() {
        // With several locks the order of one execution can leave apart what cannot meet; but a schedule may as well exist that is
        // not found, or that only weaker memory than the one explored allows.
        report.limits.push(UNSHOWN.into());
        report.races = unshown;
        (report.verdict, report.scope) = (Verdict::Inconclusive, Scope::ObservedSchedule);
    }
    report.bound(args.strict);
    report.stamp(&fingerprint);
    Ok(report)
}

const UNSHOWN: &str = "some accesses are not ordered, but no schedule was found that brings them together";

/// The most seconds of one execution, unless another number is asked for.
pub(crate) const TIME_LIMIT: f64 = 60.0;

/// How long a replay may take.
const REPLAY: Budget = Budget { actions: u64::MAX, seconds: 1e6, answer: u64::MAX };

/// Runs a program under a witness; what it led to, or why it is none of this program.
pub(crate) fn replay(args: &ReplayArgs, words: &[OsString]) -> Result<Report, String> {
    let interrupted = interrupt::watch();
    let (path, fingerprint) = find(words, &input::REPLAY_PROGRAM)?;
    let name = args.witness.display().to_string();
    let text = input::report(&args.witness)?;
    let witness = witness_file::read(&name, &text, args.finding.get(), &fingerprint)?;
    let program = Program::new(path, &words[1..], None);
    let order = Order::Replay { witness, steps: args.step };
    let over = program.execute(&order, REPLAY, Streams::Shown, &|| interrupted.load(Ordering::Relaxed));
    let (ended, answer) = over.map_err(|failed| match failed {
        Failed::Wrong(why) | Failed::Limit(why) => why,
        Failed::Late => "the program did not end".to_owned(),
        Failed::Stopped => "interrupted".to_owned(),
    })?;
    let answer = answer.ok_or("the program ended without telling what happened")?;
    if args.step {
        let width = answer.actions.iter().map(|step| step.task.len()).max().unwrap_or(0).min(24);
        let line = |(number, step): (usize, &raceproof::remote::Step)| {
            format!("{:>5}  {:width$}  {}\n", number + 1, step.task, step.what)
        };
        let lines: String = answer.actions.iter().enumerate().map(line).collect();
        deliver(&format!("{lines}\n"), None)?;
    }
    let nothing = || {
        "at the end of the schedule no two tasks are about to race, some can go on and none has failed"
            .to_owned()
    };
    let led_to = |mut report: Report| {
        // A status is known only once the program has ended.
        if report.errors.is_empty() && report.deadlocks.is_empty() && report.races.is_empty() {
            report.errors.extend(ended.error());
            report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
        }
        let found = !report.races.is_empty() || !report.errors.is_empty() || !report.deadlocks.is_empty();
        if found { Ok(report) } else { Err(nothing()) }
    };
    let replayed = answer.replayed.unwrap_or_else(|| Err(nothing())).and_then(led_to);
    replayed.map_err(|wrong| format!("{name}: {wrong}; the witness is of another program, or was changed"))
}
