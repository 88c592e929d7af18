//! The pass on small modules, in the manner of LLVM's own tests: a file says in comments which passes are run on it, and FileCheck
//! what must come out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Versions of LLVM whose `opt` and `FileCheck` are installed, and for which there is a plugin.
fn installed() -> Vec<(u32, PathBuf)> {
    let folder = |version: u32| PathBuf::from(format!("/usr/lib/llvm-{version}/bin"));
    (16..30)
        .map(|version| (version, folder(version)))
        .filter(|(version, folder)| {
            raceproof_pass::plugin(*version).is_some()
                && ["opt", "FileCheck"].iter().all(|tool| folder.join(tool).is_file())
        })
        .collect()
}

fn check(file: &Path, tools: &Path, plugin: &Path) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let passes =
        text.lines().next().and_then(|line| line.strip_prefix("; passes: ")).ok_or("no passes are named")?;
    let mut opt = Command::new(tools.join("opt"))
        .arg(format!("-load-pass-plugin={}", plugin.display()))
        .arg(format!("-passes={passes},verify"))
        .arg("-S")
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let made = opt.stdout.take().ok_or("opt has no output")?;
    let checked = Command::new(tools.join("FileCheck")).arg(file).stdin(made).output();
    let checked = checked.map_err(|error| error.to_string())?;
    let opt = opt.wait_with_output().map_err(|error| error.to_string())?;
    if opt.status.success() && checked.status.success() {
        return Ok(());
    }
    let said = [opt.stderr, checked.stderr].concat();
    Err(String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn modules_become_what_they_say() {
    let installed = installed();
    assert!(!installed.is_empty(), "no LLVM with a plugin is installed: run scripts/install-deps");
    let mut files: Vec<PathBuf> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ll"))
        .expect("the folder of modules")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(files.len() >= 6, "{files:?}");
    let mut wrong = Vec::new();
    for (version, tools) in installed {
        let folder = tempfile::tempdir().expect("a folder");
        let plugin = folder.path().join("pass.so");
        fs::write(&plugin, raceproof_pass::plugin(version).expect("a plugin")).expect("a file");
        for file in &files {
            if let Err(said) = check(file, &tools, &plugin) {
                wrong.push(format!("{} with LLVM {version}:\n{said}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the crate carries is all that a plugin needs: compiled elsewhere, as for a clang that came
/// later, it does the same.
#[test]
fn the_sources_alone_make_a_plugin() {
    let (version, tools) = installed().pop().expect("an LLVM: run scripts/install-deps");
    let folder = tempfile::tempdir().expect("a folder");
    let config = raceproof_pass::compile::llvm_config(version, &[]).expect("its llvm-config");
    let plugin = raceproof_pass::make(version, &config, &tools.join("clang"), folder.path())
        .unwrap_or_else(|wrong| panic!("{wrong}"));
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ll/mark.ll");
    check(&module, &tools, &plugin).unwrap_or_else(|wrong| panic!("{wrong}"));
}
