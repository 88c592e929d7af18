//! The command line of `cargo raceproof`: our options among cargo's.

use super::{TARGET, text};
use crate::args::Args;
use clap::Parser;
use std::ffi::OsString;
use std::path::PathBuf;

/// Our options that take a value, as `raceproof run` has them.
const OWN: [&str; 9] = [
    "--format",
    "--threads",
    "--output",
    "--suppressions",
    "--baseline",
    "--write-baseline",
    "--time-limit",
    "--trace",
    "--max-findings",
];

/// Those that take none.
const OWN_FLAGS: [&str; 2] = ["--strict", "--print-suppressions"];

/// Those of them that are paths.
const PATHS: [&str; 5] = ["--output", "--suppressions", "--baseline", "--write-baseline", "--trace"];

/// Options of `cargo test` and `bench` that say what is to be run.
const SELECTING: [&str; 10] = [
    "--lib",
    "--bin",
    "--bins",
    "--test",
    "--tests",
    "--example",
    "--examples",
    "--bench",
    "--benches",
    "--doc",
];

/// What is asked for.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct CargoRequest {
    pub(super) subcommand: String,
    /// For `raceproof run`.
    pub(super) own: Vec<String>,
    /// For cargo, those of the program included.
    pub(super) cargo: Vec<OsString>,
    pub(super) target_dir: Option<PathBuf>,
    pub(super) manifest: Option<OsString>,
    /// Where what came of each program goes, as JUnit's XML.
    pub(super) junit: Option<PathBuf>,
    pub(super) asks_for_help: bool,
}

impl CargoRequest {
    pub(super) fn parse(words: &[OsString]) -> Result<CargoRequest, String> {
        let mut words = words.iter();
        let subcommand = words.next().map(|word| text(word)).transpose()?.unwrap_or_default();
        if !["build", "run", "test", "bench"].contains(&subcommand.as_str()) {
            return Err(format!("`{subcommand}` is not one of build, run, test and bench"));
        }
        let mut request = CargoRequest { subcommand, ..CargoRequest::default() };
        let mut selects = false;
        while let Some(word) = words.next() {
            if word == "--" {
                request.cargo.push(word.clone());
                request.cargo.extend(words.by_ref().cloned());
                break;
            }
            let word_text = word.to_string_lossy();
            let (name, value) = match word_text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (&*word_text, None),
            };
            let name = if name == "-o" { "--output" } else { name };
            let mut value = || {
                let value = value.clone().or_else(|| words.next().cloned());
                value.ok_or_else(|| format!("{name} needs a value"))
            };
            match name {
                "--help" | "-h" => request.asks_for_help = true,
                "--target" => {
                    let target = value()?;
                    if target != TARGET {
                        return Err(format!(
                            "programs for {} cannot be run: only {TARGET} can",
                            target.display()
                        ));
                    }
                }
                "--junit" => request.junit = Some(value()?.into()),
                "--target-dir" => request.target_dir = Some(value()?.into()),
                "--manifest-path" => {
                    let manifest = value()?;
                    request.cargo.extend(["--manifest-path".into(), manifest.clone()]);
                    request.manifest = Some(manifest);
                }
                "--color" => {
                    // Cargo's and ours.
                    let when = text(&value()?)?;
                    request.own.push(format!("--color={when}"));
                    request.cargo.push(format!("--color={when}").into());
                }
                flag if OWN_FLAGS.contains(&flag) => request.own.push(flag.to_owned()),
                own if OWN.contains(&own) => {
                    let mut value = text(&value()?)?;
                    if PATHS.contains(&own) {
                        // Cargo starts tests in the folder of their package.
                        let whole = std::path::absolute(&value);
                        value = text(whole.map_err(|error| format!("{own} {value}: {error}"))?.as_os_str())?;
                    }
                    request.own.push(format!("{own}={value}"));
                }
                _ => {
                    selects |= SELECTING.contains(&name);
                    request.cargo.push(word.clone());
                }
            }
        }
        request.complete(selects)
    }

    fn complete(mut self, selects: bool) -> Result<CargoRequest, String> {
        let has = |name: &str| self.own.iter().any(|own| own.starts_with(name));
        if has("--trace") && self.subcommand != "run" {
            return Err("--trace records one program: use it with `cargo raceproof run`".to_owned());
        }
        if self.junit.is_some() && !self.runs() {
            return Err(
                "--junit is about programs that are run: use it with `cargo raceproof test`".to_owned()
            );
        }
        let words = ["raceproof", "run"].into_iter().chain(self.own.iter().map(String::as_str));
        if let Err(error) = Args::try_parse_from(words.chain(["--", "program"])) {
            let message = error.to_string();
            return Err(message.trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned());
        }
        if self.subcommand == "test" && !selects {
            // Those in documentation are compiled by rustdoc, which does not instrument them.
            self.cargo.insert(0, "--tests".into());
        }
        Ok(self)
    }

    /// Whether what is run is started by Rust's test harness.
    pub(super) fn has_harness(&self) -> bool {
        ["test", "bench"].contains(&self.subcommand.as_str())
    }

    /// Whether what is built is run as well.
    pub(super) fn runs(&self) -> bool {
        self.subcommand != "build"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<CargoRequest, String> {
        CargoRequest::parse(&words.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_told_apart() {
        let request = parse("run --release --format json --bin=x -o /r --threads=2,3 -- --format y").unwrap();
        assert_eq!(request.own, ["--format=json", "--output=/r", "--threads=2,3"]);
        assert_eq!(request.cargo, ["--release", "--bin=x", "--", "--format", "y"]);
    }

    #[test]
    fn tests_in_documentation_are_left_out() {
        assert_eq!(parse("test --release").unwrap().cargo, ["--tests", "--release"]);
        assert_eq!(parse("test --test a").unwrap().cargo, ["--test", "a"]);
    }

    #[test]
    fn nonsense_is_refused() {
        for (words, wrong) in [
            ("check", "not one of build"),
            ("run --format", "needs a value"),
            ("run --format xml", "invalid value 'xml'"),
            ("test --trace t", "with `cargo raceproof run`"),
            ("build --junit t.xml", "with `cargo raceproof test`"),
            ("run --target wasm32-unknown-unknown", "cannot be run"),
        ] {
            let message = parse(words).unwrap_err();
            assert!(message.contains(wrong), "{words}: {message}");
        }
    }
}
