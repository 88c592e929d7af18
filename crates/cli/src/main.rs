//! The `raceproof` command. Arguments are defined and validated in `args`, acted on in `commands`.

use clap::Parser;
use raceproof_cli::{args::Args, commands};
use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run(Args::parse())
}
