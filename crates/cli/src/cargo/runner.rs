//! The runner that cargo starts its programs with, and programs it starts that are not
//! instrumented.

use super::{TARGET, cargo, text};
use raceproof_host::note;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// As which the programs that cargo has built are started.
pub(super) const RUNNER: &str = "runner";

/// The same, for those that are run one after the other, by Rust's test harness.
pub(super) const TEST_RUNNER: &str = "test-runner";

/// Our options, where the runner has no room for them.
const WORDS: &str = "RACEPROOF_RUNNER_OPTIONS";

/// Sets us as cargo's runner, with these options. A runner in cargo's configuration is a list or a
/// string, and only one of the same kind overrides it.
pub(super) fn ask_for(
    command: &mut Command,
    own: &Path,
    name: &str,
    options: &[String],
) -> Result<(), String> {
    let mut words = vec![text(own.as_os_str())?, name.to_owned()];
    let together = setting(&serde_json::Value::from(words.join(" ")));
    words.extend(options.iter().cloned());
    words.push("--".to_owned());
    let list = setting(&serde_json::Value::from(words));
    if fits(&list) || !fits(&together) {
        // If neither fits it is something else that is wrong, and cargo says what.
        command.arg("--config").arg(list);
        return Ok(());
    }
    if text(own.as_os_str())?.contains(char::is_whitespace) {
        return Err(format!(
            "cargo's configuration has target.{TARGET}.runner as a string, which cannot hold {}, a path with spaces; write it as a list there: \
             runner = [\"…\"]",
            own.display()
        ));
    }
    command.arg("--config").arg(together).env(WORDS, serde_json::Value::from(options).to_string());
    Ok(())
}

/// A setting of cargo's, whose strings and lists are those of JSON.
fn setting(value: &serde_json::Value) -> String {
    format!("target.{TARGET}.runner={value}")
}

/// Whether cargo can read its configuration with this added to it.
fn fits(setting: &str) -> bool {
    let mut probe = Command::new(cargo());
    probe.args(["locate-project", "--config", setting]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// The words after `raceproof run`, of those we were started with.
pub(super) fn words(given: &[OsString]) -> Vec<OsString> {
    let options: Option<Vec<String>> =
        env::var(WORDS).ok().and_then(|options| serde_json::from_str(&options).ok());
    match options {
        Some(options) => {
            let options = options.into_iter().map(OsString::from).chain(["--".into()]);
            options.chain(given.iter().cloned()).collect()
        }
        None => given.to_vec(),
    }
}

/// Runs a program that cargo has built for the host, and returns its status; none if the words name
/// a program of the target. Such a program tests procedural macros, which run in the compiler,
/// where there are no tasks.
pub(super) fn run_for_host(words: &[OsString], folder: Option<&Path>) -> Option<u8> {
    let at = words.iter().position(|word| word == "--")?;
    let (program, arguments) = words[at + 1..].split_first()?;
    let below = Path::new(program).strip_prefix(folder?).ok()?;
    if below.starts_with(TARGET) {
        return None;
    }
    note(&format!(
        "raceproof: {} belongs to a crate that runs in the compiler (procedural macros): it is run as it is, and not checked",
        below.display()
    ));
    Some(match Command::new(program).args(arguments).status() {
        Ok(status) => u8::from(!status.success()),
        Err(error) => {
            note(&format!("raceproof: error: cannot start {}: {error}", program.display()));
            2
        }
    })
}
