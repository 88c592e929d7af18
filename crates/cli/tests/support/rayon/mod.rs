//! The corpus of Rust programs, built by `cargo raceproof`.
#![allow(dead_code, unreachable_pub)]

use crate::common::command::{Done, finish_within, root};
use crate::native::toolchain::runtime;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A program takes milliseconds, cargo its time.
pub const PATIENCE: Duration = Duration::from_secs(300);

pub fn corpus() -> PathBuf {
    root().canonicalize().unwrap().join("programs/rust")
}

/// Where cargo builds the programs.
pub fn target() -> PathBuf {
    runtime().ancestors().nth(2).expect("the library is in TARGET/release").join("rayon-corpus")
}

/// `cargo raceproof` with these words, for the corpus.
pub fn cargo_raceproof(words: &[&str]) -> Done {
    let (subcommand, words) = words.split_first().expect("a subcommand");
    let words: Vec<&str> = [*subcommand, "--locked"].into_iter().chain(words.iter().copied()).collect();
    cargo_raceproof_in(&corpus(), &words)
}

/// The same for the crates of another folder, built beside the corpus, so that what they have in
/// common is there.
pub fn cargo_raceproof_in(folder: &Path, words: &[&str]) -> Done {
    // One at a time: what another version has built is removed by the first.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (subcommand, words) = words.split_first().expect("a subcommand");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-raceproof"));
    command.env_remove("LD_LIBRARY_PATH");
    command.args(["raceproof", subcommand, "--target-dir"]).arg(target()).args(words);
    command.current_dir(folder).env("RACEPROOF_RUNTIME", runtime()).env_remove("RACEPROOF_OPTIONS");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish_within(&mut command, PATIENCE).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Builds programs; the folder they are in.
pub fn build(what: &str, profile: &str) -> PathBuf {
    cargo_raceproof(&["build", what, "--profile", profile]).expect_status(0);
    let folder = if profile == "dev" { "debug" } else { profile };
    let built = target().join("raceproof/x86_64-unknown-linux-gnu").join(folder);
    if what == "--examples" { built.join("examples") } else { built }
}
