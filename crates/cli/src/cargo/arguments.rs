//! The command line of `cargo raceproof`: our options among cargo's.

use super::partition::Partition;
use super::{TARGET, text};
use crate::args::Args;
use clap::{CommandFactory, Parser};
use std::any::TypeId;
use std::ffi::OsString;
use std::path::PathBuf;

/// An option of ours, as the command of `raceproof` has it that is to act.
struct OwnOption {
    name: String,
    takes_value: bool,
    is_path: bool,
}

/// The options of a command of `raceproof`, from its definition.
fn own_options(verb: &str) -> Vec<OwnOption> {
    let mut command = Args::command();
    // Options of all commands are added to each.
    command.build();
    let Some(verb) = command.find_subcommand(verb) else { return Vec::new() };
    let option = |arg: &clap::Arg| {
        let name = format!("--{}", arg.get_long()?);
        let takes_value = arg.get_action().takes_values();
        let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        Some(OwnOption { name, takes_value, is_path })
    };
    verb.get_arguments().filter_map(option).filter(|option| option.name != "--help").collect()
}

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
    /// Where what came of each test goes, as JUnit's XML.
    pub(super) junit: Option<PathBuf>,
    /// Which part of the tests is run, as nextest names it.
    pub(super) partition: Option<String>,
    pub(super) asks_for_help: bool,
}

impl CargoRequest {
    pub(super) fn parse(words: &[OsString]) -> Result<CargoRequest, String> {
        let mut words = words.iter();
        let subcommand = words.next().map(|word| text(word)).transpose()?.unwrap_or_default();
        if subcommand == "nextest" {
            return Err("nextest is not supported, and not needed: `cargo raceproof test` runs each test in a process of its own, \
                        as nextest does, and has --partition and --junit"
                .to_owned());
        }
        if !["build", "run", "test", "bench", "verify", "replay"].contains(&subcommand.as_str()) {
            return Err(format!("`{subcommand}` is not one of build, run, test, bench, verify and replay"));
        }
        let mut request = CargoRequest { subcommand, ..CargoRequest::default() };
        let mut selects = false;
        let options = own_options(request.verb());
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
                "--doc" => {
                    return Err(
                        "tests in documentation are compiled by rustdoc, which does not instrument them: \
                                run them with `cargo test --doc`"
                            .to_owned(),
                    );
                }
                "--partition" => {
                    let part = text(&value()?)?;
                    Partition::parse(&part)?;
                    request.partition = Some(part);
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
                _ => match options.iter().find(|option| option.name == name) {
                    Some(option) if option.takes_value => {
                        let mut value = text(&value()?)?;
                        if option.is_path {
                            // Cargo starts tests in the folder of their package.
                            let whole = std::path::absolute(&value);
                            value =
                                text(whole.map_err(|error| format!("{name} {value}: {error}"))?.as_os_str())?;
                        }
                        request.own.push(format!("{name}={value}"));
                    }
                    Some(_) => request.own.push(name.to_owned()),
                    None => {
                        selects |= SELECTING.contains(&name);
                        request.cargo.push(word.clone());
                    }
                },
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
        if self.partition.is_some() && self.subcommand != "test" {
            return Err("--partition divides tests: use it with `cargo raceproof test`".to_owned());
        }
        let words = ["raceproof", self.verb()].into_iter().chain(self.own.iter().map(String::as_str));
        if let Err(error) = Args::try_parse_from(words.chain(["--", "program"])) {
            let message = error.to_string();
            return Err(message.trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned());
        }
        if self.cargo_s() == "test" && !selects {
            // Those in documentation are compiled by rustdoc, which does not instrument them.
            self.cargo.insert(0, "--tests".into());
        }
        Ok(self)
    }

    /// The command of `raceproof` that acts on what is built.
    fn verb(&self) -> &str {
        if self.searches() { &self.subcommand } else { "run" }
    }

    /// The command of cargo.
    pub(super) fn cargo_s(&self) -> &str {
        let is = |names: [&str; 2]| {
            self.cargo.iter().any(|word| {
                let word = word.to_string_lossy();
                names.iter().any(|name| {
                    word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
                })
            })
        };
        match self.subcommand.as_str() {
            "verify" | "replay" if is(["--bin", "--example"]) => "build",
            "verify" | "replay" => "test",
            other => other,
        }
    }

    /// Whether one executable is handed to `raceproof verify` or `replay`.
    pub(super) fn searches(&self) -> bool {
        ["verify", "replay"].contains(&self.subcommand.as_str())
    }

    /// The words for cargo, and those behind `--`.
    pub(super) fn divided(&self) -> (&[OsString], &[OsString]) {
        let at = self.cargo.iter().position(|word| word == "--").unwrap_or(self.cargo.len());
        (&self.cargo[..at], self.cargo.get(at + 1..).unwrap_or_default())
    }

    /// Whether what is run is started by Rust's test harness.
    pub(super) fn has_harness(&self) -> bool {
        ["test", "bench"].contains(&self.subcommand.as_str())
    }

    /// Whether cargo runs what it builds.
    pub(super) fn runs(&self) -> bool {
        self.subcommand != "build" && !self.searches()
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
    fn what_is_searched_is_built_first() {
        let request = parse("verify --all --max-seconds 9 --release --test a -- b::c").unwrap();
        assert_eq!(request.own, ["--all", "--max-seconds=9"]);
        assert_eq!((request.cargo_s(), request.runs(), request.searches()), ("test", false, true));
        assert_eq!(request.divided().1, ["b::c"]);
        assert_eq!(parse("verify --bin=a").unwrap().cargo_s(), "build");
        assert_eq!(parse("replay --witness w --step --lib").unwrap().own[1..], ["--step"]);
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
            ("test --doc", "cargo test --doc"),
            ("nextest run", "--partition"),
            ("test --partition slice:1/2", "expected count:M/N"),
            ("run --partition count:1/2", "with `cargo raceproof test`"),
        ] {
            let message = parse(words).unwrap_err();
            assert!(message.contains(wrong), "{words}: {message}");
        }
    }
}
