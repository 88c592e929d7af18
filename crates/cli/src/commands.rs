//! Dispatches each subcommand to its folder, and returns the exit status.

use crate::args::{Args, Command, RunArgs};
use crate::run::command::Ran;
use crate::shared::look;
use crate::shared::status::{BAD_INPUT, BadInput, bad};
use crate::{analyze, check, diff, doctor, explain, graph, manual, replay, run, trace, verify};
use raceproof_cc::{self as cc, Language};
use raceproof_host::{interrupt, note};
use std::process::ExitCode;

/// Does what was asked for; errors go to standard error.
pub fn run(args: Args) -> ExitCode {
    ExitCode::from(act(args))
}

/// Says what is wrong before anything is done.
pub fn refuse(wrong: &str) -> ExitCode {
    note(&bad(wrong).0);
    ExitCode::from(BAD_INPUT)
}

/// As [`run`]: the status.
pub(crate) fn act(args: Args) -> u8 {
    interrupt::install();
    look::keep(args.look);
    let done = match args.command {
        Command::Check(args) => check::command::command(&args),
        Command::Verify(args) => verify::command::command(&args),
        Command::Replay(args) => replay::command::command(&args),
        Command::Graph(args) => graph::command::command(&args),
        Command::Cc(args) => return cc::run(Language::C, &args.args),
        Command::Cxx(args) => return cc::run(Language::Cxx, &args.args),
        Command::Fc(args) => return cc::run(Language::Fortran, &args.args),
        Command::Run(args) => run::command::command(&args),
        Command::Trace(args) => trace::command::command(&args),
        Command::Analyze(args) => analyze::command::command(&args),
        Command::Doctor(args) => doctor::command::command(&args),
        Command::Toolchain(args) => manual::command::toolchain_command(&args),
        Command::Completions(args) => manual::command::completions_command(&args),
        Command::Man(args) => manual::command::man_command(&args),
        Command::Diff(args) => diff::command::command(&args),
        Command::Explain(args) => explain::command::command(&args),
    };
    match done {
        Ok(status) => status,
        Err(BadInput(message)) => {
            note(&message);
            BAD_INPUT
        }
    }
}

/// The result of a program that cargo has started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgramOutcome {
    Status(u8),
    /// Nothing ran in parallel, and nothing was found: inconclusive if it was the only one.
    Sequential,
}

/// As [`act`], for `raceproof run`; the report is shown if that is wanted `now`.
pub(crate) fn started_by_cargo(run: &RunArgs, now: bool) -> (ProgramOutcome, Result<Ran, String>) {
    match run::command::judged(run, now) {
        Ok(ran) => {
            let sequential = ran.is_sequential();
            let outcome =
                if sequential { ProgramOutcome::Sequential } else { ProgramOutcome::Status(ran.status) };
            (outcome, Ok(ran))
        }
        Err(BadInput(message)) => {
            note(&message);
            (ProgramOutcome::Status(BAD_INPUT), Err(message))
        }
    }
}
