//! Dispatches each subcommand to its folder, and returns the exit status.

use crate::args::{Args, Command};
use crate::shared::status::{BAD_INPUT, BadInput, INCONCLUSIVE, bad};
use crate::{analyze, check, graph, replay, run, trace, verify};
use raceproof_cc::{self as cc, Language};
use raceproof_host::{interrupt, note};
use std::process::ExitCode;

/// Does what was asked for; errors go to standard error.
pub fn run(args: Args) -> ExitCode {
    ExitCode::from(act(args))
}

/// As [`run`]: the status.
pub(crate) fn act(args: Args) -> u8 {
    interrupt::install();
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

/// As [`act`], for `raceproof run`.
pub(crate) fn started_by_cargo(args: Args) -> ProgramOutcome {
    let Command::Run(run) = &args.command else { return ProgramOutcome::Status(act(args)) };
    let report = run::run(run).map_err(bad);
    let done = report.and_then(|report| {
        let status = run::command::show(run, &report)?;
        let sequential = report.coverage.as_ref().is_some_and(|coverage| coverage.parallel == Some(false));
        let only = status == INCONCLUSIVE && sequential && report.limits.len() == 1;
        Ok(if only { ProgramOutcome::Sequential } else { ProgramOutcome::Status(status) })
    });
    done.unwrap_or_else(|BadInput(message)| {
        note(&message);
        ProgramOutcome::Status(BAD_INPUT)
    })
}
