//! What a verdict about a Rust program rests on: pools, the standard library, C code of build
//! scripts, whether rayon was reached.
#![cfg(unix)]

use crate::common::command::{Done, Folder, finish_within};
use crate::native::toolchain::runtime;
use crate::rayon::{PATIENCE, cargo_raceproof};
use raceproof_core::finding::{FrontEnd, PartKind, Report, Verdict};
use std::process::{Command, Stdio};

#[test]
fn pools_and_the_standard_library_are_named() {
    let done =
        cargo_raceproof(&["run", "--bin", "fib_norace", "--threads", "3", "--strict"]).expect_status(0);
    done.says("race-free in the instrumented code: no schedule")
        .says("with pools of 3 has a data race")
        .says("the Rust standard library (functions that are not generic)");
    let file = Folder::new("rayon-coverage").path("report.json");
    let name = file.to_string_lossy().into_owned();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    cargo_raceproof(&["run", "--bin", "fib_norace", "--format", "json", "-o", &name]).expect_status(0);
    let report: Report = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let coverage = report.coverage.unwrap();
    assert_eq!((coverage.front_end, coverage.teams), (FrontEnd::Rayon, vec![4]));
    let kinds: Vec<PartKind> = coverage.uninstrumented.iter().map(|part| part.kind).collect();
    assert_eq!(kinds, [PartKind::StandardLibrary, PartKind::System], "the crates are instrumented");
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
}

/// A crate with C code in it that does not use rayon.
fn crate_with_c() -> Folder {
    let folder = Folder::new("rayon-c");
    for path in ["src", "tests"] {
        std::fs::create_dir_all(folder.path(path)).unwrap();
    }
    folder.write(
        "Cargo.toml",
        "[package]\nname = \"with_c\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    let build = r#"
use std::process::Command;
fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    let run = |command: &mut Command| assert!(command.status().unwrap().success());
    run(Command::new("gcc").args(["-c", "part.c", "-o"]).arg(format!("{out}/part.o")));
    run(Command::new("ar").arg("rc").arg(format!("{out}/libpart.a")).arg(format!("{out}/part.o")));
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=part");
}
"#;
    folder.write("build.rs", build);
    folder.write("part.c", "int part(int x) { return x + 1; }\n");
    // The word has files of its own, which this is none of.
    let block = ["un", "safe"].concat();
    let library = format!(
        "extern \"C\" {{ fn part(x: i32) -> i32; }}\npub fn one() -> i32 {{ {block} {{ part(0) }} }}\n"
    );
    folder.write("src/lib.rs", library);
    folder.write("src/main.rs", "fn main() { assert_eq!(with_c::one(), 1); }\n");
    folder.write("tests/a.rs", "#[test]\nfn one() { assert_eq!(with_c::one(), 1); }\n");
    folder.write("tests/b.rs", "#[test]\nfn two() { assert_eq!(with_c::one(), 1); }\n");
    folder
}

fn in_crate(folder: &Folder, words: &[&str]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-raceproof"));
    command.env_remove("LD_LIBRARY_PATH");
    command.arg("raceproof").args(words).current_dir(folder.path("")).env("RACEPROOF_RUNTIME", runtime());
    command.env_remove("RACEPROOF_OPTIONS").env_remove("CARGO_TARGET_DIR");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish_within(&mut command, PATIENCE).unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[test]
fn c_code_of_a_crate_is_named_and_a_crate_without_rayon_proves_nothing() {
    let folder = crate_with_c();
    let done = in_crate(&folder, &["run", "--format", "json", "-o", "report.json"]).expect_status(3);
    let report: Report = serde_json::from_str(&std::fs::read_to_string(folder.path("report.json")).unwrap())
        .unwrap_or_else(|error| panic!("{error}: {done:#?}"));
    assert_eq!(report.verdict, Verdict::Inconclusive);
    assert!(report.limits[0].contains("nothing ran in parallel: the program did not reach rayon"));
    let coverage = report.coverage.unwrap();
    let parts: Vec<_> = coverage.uninstrumented.iter().filter(|part| !part.kind.is_provided()).collect();
    assert_eq!(parts.len(), 1, "{parts:?}");
    assert_eq!(
        (parts[0].name.as_str(), parts[0].parts.as_slice()),
        ("crate with_c", &["part.o".to_owned()][..])
    );
    in_crate(&folder, &["run", "--strict"])
        .expect_status(3)
        .says("--strict: crate with_c is not instrumented");
    // Every test program is run, though nothing is parallel in the first.
    let tests = in_crate(&folder, &["test"]).expect_status(3);
    assert_eq!(tests.said().matches("1 passed").count(), 2, "{tests:#?}");
}

#[test]
fn the_last_line_decides_the_rest() {
    let done = cargo_raceproof(&["run", "--bin", "mutex_verify_norace"]).expect_status(0);
    let last = done.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("to decide the rest: raceproof verify -- "), "{done:#?}");
    assert!(last.ends_with("/mutex_verify_norace"), "{done:#?}");
}
