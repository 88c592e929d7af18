//! The `raceproof` command. Arguments are defined and validated in `args`, acted on in `commands`.

use clap::Parser;
use raceproof_cc::runtime;
use raceproof_cli::{args::Args, args::words, commands};
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::embed(raceproof_embed::static_runtime!());
    commands::run(Args::parse_from(words(env::args_os())))
}
