//! The `raceproof` command. Arguments are defined and validated in `args`, acted on in `commands`.

use clap::FromArgMatches;
use raceproof_cc::runtime;
use raceproof_cli::{args::Args, args::words, cargo, commands, pages};
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::embed(raceproof_embed::static_runtime!());
    pages::set_cargo_help(cargo::HELP);
    let matches = pages::help::command().get_matches_from(words(env::args_os()));
    let args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    commands::run(args)
}
