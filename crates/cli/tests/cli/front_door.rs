//! What a stranger types first: the README's two commands, and what they install.

use crate::common;
use common::command::{Folder, raceproof, root, run};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The commands of the section "Two commands": its blocks of `sh`, one command each.
fn commands(readme: &str) -> Vec<&str> {
    let section = readme.split("\n## ").find(|section| section.starts_with("Two commands\n"));
    let blocks = section.expect("README.md has a section \"Two commands\"").split("```sh\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default().trim_end()).collect()
}

/// README.md shows a command and what it prints.
#[test]
fn the_readme_shows_a_real_report() {
    let readme = document("README.md");
    let commands = commands(&readme);
    assert!(commands.iter().all(|command| command.lines().count() == 1), "{commands:?}");
    let [check, test] = commands[..] else { panic!("not two commands: {commands:?}") };
    let arguments =
        check.strip_prefix("cargo run -q -p raceproof-cli -- ").expect("cargo run … -- arguments");
    let done = run(raceproof().current_dir(root()).args(arguments.split(' '))).expect_status(1);
    let shown =
        readme.split("```\n").find(|block| block.starts_with("programs/tp/")).expect("a report is shown");
    assert!(shown.lines().count() > 5 && done.stdout.starts_with(shown), "{}", done.stdout);
    assert_eq!(test, "scripts/test");
    assert!(readme.lines().count() <= 280, "README.md is longer than six screens");
}

/// `cargo run -p raceproof-cli` has two binaries to choose from.
#[test]
fn cargo_run_knows_which_binary_is_meant() {
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--no-deps", "--format-version=1", "--offline"]).current_dir(root());
    let output = metadata.output().expect("cargo starts");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo answers in JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let cli = packages.iter().find(|package| package["name"] == "raceproof-cli").expect("the command");
    assert_eq!(cli["default_run"], "raceproof");
}

/// What CI runs is what the README says, read from it.
#[test]
fn ci_runs_the_commands_of_the_readme() {
    let folder = Folder::new("ci_runs_the_commands");
    let tree = folder.path("tree");
    fs::create_dir_all(tree.join(".ci")).unwrap();
    fs::copy(root().join(".ci/run"), tree.join(".ci/run")).unwrap();
    fs::create_dir_all(tree.join("scripts")).unwrap();
    fs::copy("/bin/true", tree.join("scripts/install-deps")).unwrap();
    let ci = |readme: &str| {
        fs::write(tree.join("README.md"), readme).unwrap();
        fs::write(folder.path("ran"), "").unwrap();
        let mut command = Command::new("bash");
        let path = format!("{}:{}", folder.path("").display(), std::env::var("PATH").unwrap());
        command.arg(tree.join(".ci/run")).env("PATH", path).env("RAN", folder.path("ran"));
        let output = command.output().expect("bash starts");
        (output.status.success(), fs::read_to_string(folder.path("ran")).unwrap())
    };
    script(&folder, "cargo", "echo \"$@\" >> $RAN; [ $1 != run ]");
    let said = "x\n## Two commands\n\n```sh\ncargo run a\n```\n```\nshown\n```\n```sh\ncargo last\n```\n## More\n```sh\nno\n```\n";
    let (passed, ran) = ci(said);
    assert!(passed && ran.contains("run a\nlast\n") && ran.ends_with("--test mpi\n"), "{ran}");
    // One that fails: the front door is shut.
    assert!(!ci(&said.replace("run a", "runs a")).0, "a first command that finds no race passes");
    assert!(!ci(&said.replace("cargo last", "cargo run b")).0, "a second command that fails passes");
    assert!(!ci(&said.replace("```sh", "```")).0, "a README without commands passes");
}

/// On a machine with a C compiler, apt and the Rust toolchain, and nothing else, `scripts/test` has
/// apt install the rest.
#[test]
fn the_test_command_installs_what_is_missing() {
    let folder = Folder::new("installs_what_is_missing");
    for tool in ["sh", "dirname", "id"] {
        let found = ["/usr/bin", "/bin"].map(|place| format!("{place}/{tool}"));
        let found = found.iter().find(|path| fs::exists(path).unwrap()).expect("a tool every system has");
        std::os::unix::fs::symlink(found, folder.path(tool)).unwrap();
    }
    for tool in ["cargo", "gcc", "apt-get", "sudo"] {
        script(&folder, tool, &format!("echo {tool} \"$@\" >> $RAN"));
    }
    let ran = folder.path("ran");
    let mut command = Command::new(root().join("scripts/test"));
    command.arg("--lib").env("PATH", folder.path("")).env("RAN", &ran);
    let output = command.output().expect("the script starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ran = fs::read_to_string(ran).unwrap();
    let lines: Vec<&str> = ran.lines().filter(|line| !line.starts_with("sudo")).collect();
    assert_eq!(lines.first(), Some(&"apt-get update -qq"), "{ran}");
    let install = lines.get(1).copied().unwrap_or_default();
    for package in ["clang-19", "make", "valgrind"] {
        assert!(install.contains(&format!(" {package}")), "{install}");
    }
    assert!(!install.contains("gcc"), "what is there is not installed: {install}");
    assert_eq!(lines.last(), Some(&"cargo test --workspace --lib"), "{ran}");
}

/// A machine without apt is told what is missing.
#[test]
fn elsewhere_the_missing_packages_are_named() {
    let folder = Folder::new("missing_packages_are_named");
    let mut command = Command::new("/bin/sh");
    command.arg(root().join("scripts/install-deps")).env("PATH", folder.path(""));
    let output = command.output().expect("the script starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("clang-19") && said.contains("valgrind"), "{said}");
}

fn script(folder: &Folder, name: &str, body: &str) {
    let path = folder.write(name, format!("#!/bin/sh\n{body}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
