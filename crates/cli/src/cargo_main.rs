//! The `cargo raceproof` command; cargo starts it by its name, `cargo-raceproof`.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    raceproof_cli::cargo::run(env::args_os())
}
