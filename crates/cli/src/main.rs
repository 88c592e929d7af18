//! The `raceproof` command. Arguments are defined and validated in `args`, acted on in `commands`.

use clap::CommandFactory;
use raceproof_cli::shared::project;
use raceproof_cli::{args::Args, args::words, commands};
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    match project::parse(Args::command(), words(env::args_os())) {
        Ok(args) => commands::run(args),
        Err(wrong) => commands::refuse(&wrong),
    }
}
