//! `raceproof c++` by one word, without the plus signs that cargo does not allow in a name.

use std::process::ExitCode;

fn main() -> ExitCode {
    raceproof_host::beside::become_verb("c++")
}
