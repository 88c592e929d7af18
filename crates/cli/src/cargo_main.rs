//! The `cargo raceproof` command; cargo starts it by its name, `cargo-raceproof`.

use raceproof_cc::runtime;
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    runtime::embed_shared(raceproof_embed::shared_runtime!());
    raceproof_cli::cargo::run(env::args_os())
}
