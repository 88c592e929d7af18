//! What an installation has besides the verbs that check: `doctor`, completions, man pages, and
//! files for build systems.

use crate::common;

use common::command::{Folder, raceproof, root, run};
use raceproof_cli::manual::help;
use std::fs;

/// The verbs of the command line, as it defines them.
fn verbs() -> Vec<String> {
    let command = help::command();
    let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    assert!(verbs.len() > 10, "{verbs:?}");
    verbs
}

#[test]
fn the_help_names_each_verb_and_cargo_raceproof() {
    let done = run(raceproof().arg("--help")).expect_status(0);
    for verb in verbs() {
        assert!(done.stdout.contains(&format!("\n  {verb} ")), "{verb}: {}", done.stdout);
    }
    done.says("cargo raceproof --help").says("Examples:").says("Exit status:");
}

#[test]
fn completions_know_each_verb() {
    for shell in ["bash", "zsh", "fish", "elvish"] {
        let done = run(raceproof().args(["completions", shell])).expect_status(0);
        for verb in verbs() {
            assert!(done.stdout.contains(&verb), "{shell} does not complete {verb}");
        }
        assert!(done.stdout.contains("max-executions"), "{shell} does not complete options");
    }
    run(raceproof().args(["completions", "dos"])).expect_status(2).says("possible values");
}

#[test]
fn each_verb_has_a_man_page() {
    let folder = Folder::new("man-pages");
    let pages = folder.path("man/man1");
    run(raceproof().args(["man", "--out"]).arg(&pages)).expect_status(0);
    let names = verbs().into_iter().map(|verb| format!("raceproof-{verb}"));
    for name in names.chain(["raceproof".to_owned(), "cargo-raceproof".to_owned()]) {
        let text = fs::read_to_string(pages.join(format!("{name}.1")))
            .unwrap_or_else(|error| panic!("{name}.1: {error}"));
        let title = text.lines().find(|line| line.starts_with(".TH")).unwrap_or_default();
        assert!(title.contains(&name), "{name}: {title}");
        assert!(text.contains(".SH NAME") && text.len() > 300, "{name}: {text}");
    }
    let check = fs::read_to_string(pages.join("raceproof-check.1")).unwrap();
    assert!(check.contains("detector") && check.contains("Exit status"), "{check}");
    let cargo = fs::read_to_string(pages.join("cargo-raceproof.1")).unwrap();
    assert!(cargo.contains("threads"), "{cargo}");
    let printed = run(raceproof().arg("man")).expect_status(0);
    assert_eq!(printed.stdout, fs::read_to_string(pages.join("raceproof.1")).unwrap());
    // A folder that cannot be made.
    let file = folder.write("file", "");
    run(raceproof().args(["man", "--out"]).arg(file.join("man"))).expect_status(2).says("cannot make");
}

#[test]
fn the_files_for_build_systems_are_those_of_share() {
    for (system, file) in [("cmake", "share/cmake/raceproof.cmake"), ("meson", "share/meson/raceproof.ini")] {
        let done = run(raceproof().args(["toolchain", system])).expect_status(0);
        assert_eq!(done.stdout, fs::read_to_string(root().join(file)).unwrap());
    }
}

#[test]
fn the_doctor_misses_clang_on_a_machine_without() {
    let folder = Folder::new("doctor-empty");
    let doctor = |words: &[&str]| {
        let mut command = raceproof();
        command
            .arg("doctor")
            .args(words)
            .env("PATH", folder.path(""))
            .env("XDG_CACHE_HOME", folder.path("c"));
        for variable in ["RACEPROOF_CLANG", "RACEPROOF_FLANG", "RACEPROOF_RUNTIME", "RACEPROOF_OPTIONS"] {
            command.env_remove(variable);
        }
        run(&mut command)
    };
    let done = doctor(&[]).expect_status(1);
    assert!(done.stdout.contains("\n  missing  clang: "), "{}", done.stdout);
    done.says("raceproof needs clang").says("not usable: openmp");
    // TP programs need nothing, and were tried.
    let done = doctor(&["--for", "tp"]).expect_status(0);
    done.says("ok trial: a TP program: built and run, and its race was found").says("usable: tp");
    let done = doctor(&["--format", "json", "--no-trial", "--for", "tp,rust"]).expect_status(1);
    let answer: serde_json::Value = serde_json::from_str(&done.stdout).expect("one object");
    assert_eq!((answer["tool"].as_str(), answer["schema"].as_u64()), (Some("raceproof"), Some(1)));
    assert_eq!((&answer["usable"], &answer["wanted"]), (&false.into(), &serde_json::json!(["tp", "rust"])));
    let checks = answer["checks"].as_array().expect("a list");
    let cargo = checks.iter().find(|check| check["name"] == "cargo").expect("cargo is looked for");
    assert_eq!((cargo["outcome"].as_str(), cargo["for"].as_str()), (Some("missing"), Some("rust")));
    assert!(cargo["install"].as_str().is_some_and(|install| install.contains("rustup")), "{cargo}");
    assert!(!checks.iter().any(|check| check["name"].as_str().unwrap().starts_with("trial")), "{checks:?}");
    doctor(&["--for", "cobol"]).expect_status(2).says("possible values: tp, openmp, fortran, rust");
}
