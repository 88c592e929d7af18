//! The `raceproof` command. Arguments are defined and validated in `args`, acted on in `commands`.

use raceproof_cc::runtime;
use raceproof_cli::shared::project;
use raceproof_cli::{args::words, cargo, commands, manual};
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::embed(raceproof_embed::static_runtime!());
    manual::set_cargo_help(cargo::HELP);
    match project::parse(manual::help::command(), words(env::args_os())) {
        Ok(args) => commands::run(args),
        Err(wrong) => commands::refuse(&wrong),
    }
}
