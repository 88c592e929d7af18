//! `cargo raceproof verify` and `replay`: has cargo build, finds the executable that is meant, and
//! hands it to `raceproof verify` or `replay`, in the folder in which cargo would run it.

use super::arguments::CargoRequest;
use super::{OWNER, each_test};
use raceproof_host::interrupt;
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitCode};

/// The word after which a process of ours gets a command line of `raceproof`.
pub(super) const ACT: &str = "act";

/// What cargo says of what it has built.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// An executable that cargo has built.
struct Built {
    program: PathBuf,
    /// The folder of its package.
    folder: PathBuf,
    /// How cargo is asked for it.
    option: String,
}

pub(super) fn act_on(mut cargo: Command, own: &Path, request: &CargoRequest) -> Result<ExitCode, String> {
    if request.cargo_s() == "test" {
        cargo.arg("--no-run");
    }
    let (options, words) = request.divided();
    cargo.arg("--message-format=json-render-diagnostics").args(options);
    let output = interrupt::stdout_of(&mut cargo).map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Ok(ExitCode::from(2));
    }
    let all = built(&String::from_utf8_lossy(&output.stdout));
    let (built, arguments) = choose(&all, words)?;
    let mut command = Command::new(own);
    command
        .arg(ACT)
        .arg(&request.subcommand)
        .args(&request.own)
        .arg("--")
        .arg(&built.program)
        .args(arguments);
    command.env(OWNER, process::id().to_string());
    command.current_dir(&built.folder).env("CARGO_MANIFEST_DIR", &built.folder);
    let status = interrupt::status_of(&mut command)
        .map_err(|error| format!("cannot start {}: {error}", own.display()))?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)))
}

fn built(messages: &str) -> Vec<Built> {
    let mut all: Vec<Built> = Vec::new();
    for line in messages.lines() {
        let Ok(Message { executable: Some(program), manifest_path, target: Some(target) }) =
            serde_json::from_str(line)
        else {
            continue;
        };
        let folder = manifest_path.as_deref().and_then(Path::parent).unwrap_or(Path::new(".")).to_owned();
        let option = match target.kind.first().map(String::as_str) {
            Some(kind @ ("test" | "bin" | "example" | "bench")) => format!("--{kind} {}", target.name),
            _ => "--lib".to_owned(),
        };
        all.push(Built { program, folder, option });
    }
    all
}

/// The executable that is meant, and its arguments: the only one, or the only one with a test of
/// this name.
fn choose<'a>(all: &'a [Built], words: &[OsString]) -> Result<(&'a Built, Vec<OsString>), String> {
    match all {
        [] => {
            return Err(
                "cargo has built no executable: choose one with --test NAME, --lib or --bin NAME".to_owned()
            );
        }
        [one] => return Ok((one, each_test::one_of(&one.program, words)?)),
        _ => {}
    }
    let names_a_test = words.iter().any(|word| !OsStr::to_string_lossy(word).starts_with('-'));
    let mut fitting = all.iter().filter(|_| names_a_test).filter_map(|built| {
        let arguments = each_test::one_of(&built.program, words).ok()?;
        (arguments != words).then_some((built, arguments))
    });
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok(one),
        _ => {
            let options: Vec<&str> = all.iter().map(|built| built.option.as_str()).collect();
            Err(format!(
                "there are several executables, and one is searched at a time; choose it by one of: {}; and a test of it after `--`",
                options.join(", ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_read_from_what_cargo_says() {
        let messages = "{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/p/Cargo.toml\",\"target\":{\"kind\":[\"test\"],\"name\":\"a\"},\
                        \"executable\":\"/t/a-1\"}\n\
                        {\"reason\":\"compiler-artifact\",\"manifest_path\":\"/p/Cargo.toml\",\"target\":{\"kind\":[\"lib\"],\"name\":\"p\"},\
                        \"executable\":null}\nnoise\n\
                        {\"reason\":\"compiler-artifact\",\"manifest_path\":\"/p/Cargo.toml\",\"target\":{\"kind\":[\"lib\"],\"name\":\"p\"},\
                        \"executable\":\"/t/p-2\"}\n{\"reason\":\"build-finished\",\"success\":true}\n";
        let all = built(messages);
        let options: Vec<&str> = all.iter().map(|built| built.option.as_str()).collect();
        assert_eq!(options, ["--test a", "--lib"]);
        assert_eq!(
            (all[0].program.as_path(), all[0].folder.as_path()),
            (Path::new("/t/a-1"), Path::new("/p"))
        );
        let wrong = choose(&all, &[]).map(|_| ()).unwrap_err();
        assert!(wrong.contains("--test a, --lib"), "{wrong}");
    }
}
