//! What `cargo raceproof` needs: cargo, rustc, its own program, and a linker.

use super::packages::{Wanted, install};
use super::{Check, Outcome};
use crate::args::FrontEnd;
use raceproof_host::beside;
use raceproof_host::interrupt::output_of;
use std::process::Command;

/// The oldest compiler that the drop-in for rayon-core is written for; the trial tells whether
/// another one does.
const OLDEST: (u32, u32) = (1, 88);

pub(super) fn has_cargo() -> bool {
    says("cargo", "--version").is_some()
}

pub(super) fn checks() -> Vec<Check> {
    let Some(cargo) = says("cargo", "--version") else {
        let check = Check::new(FrontEnd::Rust, "cargo", Outcome::Missing, "not in PATH");
        return vec![check.with_install(install(Wanted::Cargo))];
    };
    let mut checks = vec![Check::new(FrontEnd::Rust, "cargo", Outcome::Ok, cargo)];
    checks.push(match says("rustc", "--version") {
        Some(rustc) if version(&rustc).is_some_and(|version| version >= OLDEST) => Check::new(
            FrontEnd::Rust,
            "rustc",
            Outcome::Ok,
            format!("{rustc}, compiles the drop-in for rayon"),
        ),
        Some(rustc) => {
            let (major, minor) = OLDEST;
            let detail = format!("{rustc}: the drop-in for rayon is written for {major}.{minor} or newer");
            Check::new(FrontEnd::Rust, "rustc", Outcome::Note, detail)
                .with_install(Some("rustup update stable".to_owned()))
        }
        None => Check::new(FrontEnd::Rust, "rustc", Outcome::Missing, "not in PATH")
            .with_install(install(Wanted::Cargo)),
    });
    let own = beside::find("cargo-raceproof");
    checks.push(match says(&own.to_string_lossy(), "--version") {
        Some(version) => Check::new(
            FrontEnd::Rust,
            "cargo raceproof",
            Outcome::Ok,
            format!("{version}, {}", own.display()),
        ),
        None => {
            let detail =
                "cargo-raceproof is neither beside this program nor in PATH; install raceproof again";
            Check::new(FrontEnd::Rust, "cargo raceproof", Outcome::Missing, detail)
        }
    });
    checks
}

/// The first line that a program prints; nothing if it cannot be run.
fn says(program: &str, option: &str) -> Option<String> {
    let output = output_of(Command::new(program).arg(option)).ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().next().unwrap_or_default().to_owned())
}

/// The version in `rustc 1.88.0 (… 2025-06-23)`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split_whitespace().nth(1)?.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_rustc_are_read() {
        assert_eq!(version("rustc 1.88.0 (6b00bc388 2025-06-23)"), Some((1, 88)));
        assert_eq!(version("rustc 1.90.0-nightly (x)"), Some((1, 90)));
        assert_eq!(version("rustc"), None);
    }
}
