//! Temporary files in folders that others can write to: a link or file that somebody has planted
//! under a name that could be guessed is neither followed nor believed. `sh` plants it by its own
//! process id, which is then the command's.

#![cfg(target_os = "linux")]

use crate::common;

use common::command::{Folder, root, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `script` with the shell, in the folder; `$RACEPROOF` and `$CARGO_RACEPROOF` are the
/// binaries.
fn shell(folder: &Folder, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder.path(""));
    command.env("RACEPROOF", env!("CARGO_BIN_EXE_raceproof"));
    command.env("CARGO_RACEPROOF", env!("CARGO_BIN_EXE_cargo-raceproof"));
    command.env("TMPDIR", folder.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_planted_link_is_not_followed_by_an_output() {
    let folder = Folder::new("planted-output");
    let victim = folder.write("victim", "precious");
    fs::copy(root().join("programs/tp/examples/bank_locks.tp"), folder.path("p.tp")).unwrap();
    for (command, output) in [("check p.tp --format json", "out.json"), ("trace p.tp", "out.std")] {
        let script = format!("ln -s victim .{output}.$$; exec \"$RACEPROOF\" {command} -o {output}");
        run(&mut shell(&folder, &script)).expect_status(0);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{command}");
        assert!(fs::metadata(folder.path(output)).unwrap().len() > 100, "{command}");
        // Others may read a report as any file that the user writes.
        let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(output), mode("victim"), "{command}");
    }
}

#[test]
fn a_planted_link_is_not_followed_by_the_compiler() {
    let folder = Folder::new("planted-cc");
    let victim = folder.write("victim", "precious");
    folder.write("p.c", "int main(void) { return 0; }\n");
    let script =
        "#!/bin/sh\ncase \"$1\" in --version) echo clang version 19.0.0;; @*) cat \"${1#@}\" > said;; esac\n";
    executable(&folder.write("clang", script));
    let name = "x".repeat(120_000);
    let script = format!(
        "ln -s victim raceproof-cc-$$.rsp; exec \"$RACEPROOF\" cc -fsyntax-only p.c -D$(printf %s {name})"
    );
    run(shell(&folder, &script).env("RACEPROOF_CLANG", folder.path("clang"))).expect_status(0);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    let said = fs::read_to_string(folder.path("said")).expect("a response file was used");
    assert!(said.contains(&format!("\"-D{name}\"")), "{} bytes", said.len());
    let left: Vec<String> = folder.names();
    assert_eq!(left.iter().filter(|name| name.ends_with(".rsp")).count(), 1, "only the link: {left:?}");
}

#[test]
fn a_planted_outcome_is_not_believed() {
    let folder = Folder::new("planted-outcome");
    fs::create_dir_all(folder.path("target/raceproof")).unwrap();
    executable(&folder.write("cargo", "#!/bin/sh\nexit 0\n"));
    folder.write("libraceproof_native.so", "");
    let script = "echo 1 > target/raceproof/outcomes-$$; \
        exec \"$CARGO_RACEPROOF\" raceproof run --target-dir target";
    let mut command = shell(&folder, script);
    command.env("CARGO", folder.path("cargo"));
    command.env("RACEPROOF_RUNTIME", folder.path("libraceproof_native.so"));
    run(&mut command).expect_status(0);
    let left: Vec<_> = fs::read_dir(folder.path("target/raceproof")).unwrap().flatten().collect();
    let outcomes = left.iter().filter(|entry| entry.file_name().to_string_lossy().starts_with("outcomes-"));
    assert_eq!(outcomes.count(), 1, "only the planted one: {left:?}");
}
