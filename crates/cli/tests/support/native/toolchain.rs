//! Compiles a program with `raceproof cc` and runs it with `raceproof run`.

use super::expect::Expected;
use crate::common::command::{Done, finish_within, raceproof, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// A program takes milliseconds; the rest is for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The library that programs are linked with, built once; a test without it or without clang could
/// only fail.
pub fn runtime() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        assert!(clang(), "clang is not installed: run scripts/install-deps");
        let program = Path::new(env!("CARGO_BIN_EXE_raceproof"));
        let target = program.ancestors().nth(2).expect("the binary is in TARGET/PROFILE");
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--release", "-p", "raceproof-native", "--target-dir"])
            .arg(target)
            .current_dir(root())
            .status()
            .expect("cargo starts");
        assert!(status.success(), "the runtime library does not build");
        target.join("release/libraceproof_native.a")
    })
}

fn clang() -> bool {
    let mut names = (14..30).map(|version| format!("clang-{version}")).chain(["clang".to_owned()]);
    names.any(|name| {
        let mut command = Command::new(name);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// The words of `raceproof` with the runtime known to it.
pub fn tool() -> Command {
    let mut command = raceproof();
    command.env("RACEPROOF_RUNTIME", runtime()).env_remove("RACEPROOF_OPTIONS");
    command
}

pub fn compile(source: &Path, level: &str, flags: &[String], output: &Path) -> Result<(), String> {
    compile_by(None, source, level, flags, output)
}

/// By this clang, or the newest.
pub fn compile_by(
    clang: Option<&str>,
    source: &Path,
    level: &str,
    flags: &[String],
    output: &Path,
) -> Result<(), String> {
    let driver: &[&str] = match source.extension().and_then(|extension| extension.to_str()) {
        Some("cpp") => &["c++", "-Wall"],
        Some("f90" | "f") => &["fc"],
        _ => &["cc", "-Wall"],
    };
    let mut command = tool();
    if driver == ["fc"] {
        // Modules beside the program, and not in the folder of the tests.
        command.args(driver).arg("-module-dir").arg(output.parent().unwrap_or(Path::new(".")));
    } else {
        command.args(driver);
    }
    command.envs(clang.map(|clang| ("RACEPROOF_CLANG", clang)));
    command.arg(source).args(["-fopenmp", level]).args(flags).arg("-o").arg(output);
    let done = finish_within(&mut command, PATIENCE)?;
    match done.status {
        Some(0) => Ok(()),
        status => Err(format!("does not compile, status {status:?}: {}", done.stderr.trim())),
    }
}

/// Runs it; what the program itself prints is not the report, which takes the place of its standard
/// output.
pub fn execute(program: &Path, expected: &Expected) -> Result<Done, String> {
    let report = program.with_extension("json");
    let mut command = tool();
    command
        .args(["run", "--format", "json", "-o"])
        .arg(&report)
        .arg("--")
        .arg(program)
        .args(&expected.arguments);
    command.env("OMP_NUM_THREADS", expected.threads.as_deref().unwrap_or("4"));
    command.envs(expected.environment.iter().map(|(name, value)| (name, value)));
    let mut done = finish_within(&mut command, PATIENCE)?;
    done.stdout = fs::read_to_string(&report).unwrap_or_default();
    let _ = fs::remove_file(report);
    Ok(done)
}
