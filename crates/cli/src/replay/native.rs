//! `replay` for programs that `raceproof cc` built: a process that reads the schedule from a
//! channel ([`raceproof::remote`]).

use crate::args::ReplayArgs;
use crate::shared::process::{ExecutionLimits, Failed, NativeProgram, Streams};
use crate::shared::{input, program, witness_file};
use raceproof::remote::Order;
use raceproof_core::finding::Report;
use raceproof_host::interrupt;
use raceproof_host::output::deliver;
use raceproof_report::replay::steps;
use std::ffi::OsString;
use std::sync::atomic::Ordering;

/// How long a replay may take.
const REPLAY: ExecutionLimits = ExecutionLimits { actions: u64::MAX, seconds: 1e6, answer: u64::MAX };

/// Runs a program under a witness; what it led to, or why it is none of this program.
pub(crate) fn replay(args: &ReplayArgs, words: &[OsString]) -> Result<Report, String> {
    let interrupted = interrupt::watch();
    let (path, fingerprint) = program::identified(words, &input::REPLAY_PROGRAM)?;
    let name = args.witness.display().to_string();
    let text = input::report(&args.witness)?;
    let witness = witness_file::read(&name, &text, args.finding.get(), &fingerprint)?;
    let program = NativeProgram::new(path, &words[1..], None);
    let order = Order::Replay { witness, steps: args.step };
    let over = program.execute(&order, REPLAY, Streams::Shown, &|| interrupted.load(Ordering::Relaxed));
    let (ended, answer) = over.map_err(|failed| match failed {
        Failed::Wrong(why) | Failed::Limit(why) => why,
        Failed::Late => "the program did not end".to_owned(),
        Failed::Stopped => "interrupted".to_owned(),
    })?;
    let answer = answer.ok_or("the program ended without telling what happened")?;
    if args.step {
        deliver(&steps(&answer.actions, |_| ""), None)?;
    }
    let nothing = || {
        "at the end of the schedule no two tasks are about to race, some can go on and none has failed"
            .to_owned()
    };
    let led_to = |mut report: Report| {
        // A status is known only once the program has ended.
        if report.errors.is_empty() && report.deadlocks.is_empty() && report.races.is_empty() {
            report.errors.extend(ended.error(""));
            report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
        }
        let found = !report.races.is_empty() || !report.errors.is_empty() || !report.deadlocks.is_empty();
        if found { Ok(report) } else { Err(nothing()) }
    };
    let replayed = answer.replayed.unwrap_or_else(|| Err(nothing())).and_then(led_to);
    replayed.map_err(|wrong| format!("{name}: {wrong}; the witness is of another program, or was changed"))
}
