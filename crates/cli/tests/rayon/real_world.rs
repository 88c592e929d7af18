//! Crates as people write them: workspaces with procedural macros, configurations of cargo, threads
//! of their own, iterators without end; and what it costs to look at them, in instructions.
#![cfg(unix)]

use crate::common;
use crate::rayon;

use common::command::{Done, Folder, finish_within};
use rayon::{PATIENCE, build, cargo_raceproof, cargo_raceproof_in, corpus};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

fn write(folder: &Folder, name: &str, text: &str) {
    let path = folder.path(name);
    fs::create_dir_all(path.parent().expect("it is in the folder")).unwrap();
    fs::write(path, text).unwrap();
}

/// A workspace with a crate of procedural macros, which has a test of its own, and one that uses
/// them and rayon.
fn workspace(name: &str) -> Folder {
    let folder = Folder::new(name);
    write(&folder, "Cargo.toml", "[workspace]\nmembers = [\"macros\", \"user\"]\nresolver = \"2\"\n");
    // The same versions as those of the corpus, which are there.
    fs::copy(corpus().join("Cargo.lock"), folder.path("Cargo.lock")).unwrap();
    let package =
        |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    write(&folder, "macros/Cargo.toml", &format!("{}[lib]\nproc-macro = true\n", package("macros")));
    let macros = "#[proc_macro]\npub fn seven(_: proc_macro::TokenStream) -> proc_macro::TokenStream { \"7\".parse().unwrap() }\n\
        #[test]\nfn macros_have_tests() { assert_eq!(2 + 2, 4) }\n";
    write(&folder, "macros/src/lib.rs", macros);
    let dependencies = "[dependencies]\nmacros = { path = \"../macros\" }\nrayon = \"1.12\"\n";
    write(&folder, "user/Cargo.toml", &format!("{}{dependencies}", package("user")));
    let user = "use rayon::prelude::*;\n\
        #[test]\nfn items_are_summed() { assert_eq!((0..macros::seven!()).into_par_iter().sum::<u32>(), 21) }\n\
        static mut COUNT: u32 = 0;\n\
        #[test]\n#[ignore]\nfn threads_count() {\n\
        let worker = std::thread::Builder::new().name(\"worker-2\".into()).spawn(|| KEYWORD { COUNT += 1 }).unwrap();\n\
        KEYWORD { COUNT += 1 };\nworker.join().unwrap();\n}\n";
    // In two parts: this file itself does without.
    write(&folder, "user/src/lib.rs", &user.replace("KEYWORD", &["un", "safe"].concat()));
    folder
}

#[test]
fn a_workspace_with_procedural_macros_is_tested() {
    let folder = workspace("rayon-macros");
    let done = cargo_raceproof_in(&folder.path(""), &["test", "--workspace"]);
    let done = done
        .says("macros_have_tests ... ok")
        .says("items_are_summed ... ok")
        .says("race-free")
        .says("not checked");
    assert_eq!(done.status, Some(0), "{done:?}");
    // A test that fails there fails.
    write(&folder, "macros/src/lib.rs", "#[test]\nfn macros_have_tests() { panic!(\"it fails\") }\n");
    cargo_raceproof_in(&folder.path(""), &["test", "-p", "macros"]).expect_status(1).says("it fails");
}

#[test]
fn a_runner_of_cargo_s_configuration_is_replaced_be_it_a_string_or_a_list() {
    let folder = workspace("rayon-runner");
    for runner in ["\"no-such-runner with words\"", "[\"no-such-runner\", \"with words\"]"] {
        let target = "[target.x86_64-unknown-linux-gnu]";
        write(&folder, ".cargo/config.toml", &format!("{target}\nrunner = {runner}\n"));
        let (report, user) = (folder.path("a report.json"), ["test", "-p", "user", "--format", "json", "-o"]);
        let words: Vec<&str> = user.into_iter().chain([report.to_str().unwrap()]).collect();
        let done = cargo_raceproof_in(&folder.path(""), &words).says("items_are_summed ... ok");
        assert_eq!(done.status, Some(0), "{runner}: {done:?}");
        let written = fs::read_to_string(&report).unwrap_or_else(|error| panic!("{runner}: {error}"));
        assert!(written.contains("\"verdict\": \"race-free\""), "{runner}: {written}");
        fs::remove_file(&report).unwrap();
    }
}

#[test]
fn a_race_between_threads_of_a_test_names_the_test() {
    let folder = workspace("rayon-threads");
    let done = cargo_raceproof_in(&folder.path(""), &["test", "-p", "user", "--", "--ignored"]);
    assert_eq!(done.status, Some(1), "{done:#?}");
    done.says("data race on user::COUNT")
        .says("is thread `worker-2`, created at")
        .says("thread `threads_count`");
}

/// The instructions of a run of `programs/rust/examples/costs.rs`.
fn instructions(program: &Path, what: &str, count: u64, folder: &Folder) -> u64 {
    let mut command = Command::new("valgrind");
    command.env_remove("LD_LIBRARY_PATH");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", folder.path("counts").display()));
    command.arg(program).args([what, &count.to_string()]).env_remove("RACEPROOF_OPTIONS");
    let done: Done = finish_within(command.stdout(Stdio::piped()).stderr(Stdio::piped()), PATIENCE)
        .unwrap_or_else(|error| panic!("{error}: run scripts/install-deps"));
    assert_eq!(done.status, Some(0), "{done:#?}");
    let counted = done.stderr.lines().find_map(|line| line.split_once("Collected : "));
    counted.and_then(|(_, count)| count.trim().parse().ok()).expect("callgrind counts")
}

#[test]
fn operations_that_release_cost_the_same_however_many_there_were() {
    let (program, folder) = (build("--examples", "dev").join("costs"), Folder::new("rayon-release-costs"));
    for what in ["mutex", "rwlock", "store", "add"] {
        let [few, twice, thrice] =
            [2000, 4000, 6000].map(|count| instructions(&program, what, count, &folder));
        let (second, third) = (twice - few, thrice - twice);
        assert!(
            third < second + second / 4,
            "{what}: {second} instructions for the second 2000, {third} for the third"
        );
    }
}

#[test]
fn jobs_that_release_and_look_cost_the_same_however_many_there_were() {
    let (program, folder) = (build("--examples", "dev").join("costs"), Folder::new("rayon-look-costs"));
    for what in ["look", "pass_on", "several", "publish"] {
        let [few, thrice] = [2000, 6000].map(|count| instructions(&program, what, count, &folder));
        // What is known of them is looked through from time to time, and of the few perhaps never.
        let most = 3 * few + 3 * few / 4;
        assert!(thrice < most, "{what}: {few} instructions for 2000 jobs, {thrice} for 6000, {most} at most");
    }
}

/// Instructions for an item of a parallel iterator that does nothing, in a program that is not
/// optimised: a job, and what rayon does on the way to it.
const AN_ITEM: u64 = 36_000;

#[test]
fn an_item_of_an_iterator_that_does_nothing_costs_little() {
    let (program, folder) = (build("--examples", "dev").join("costs"), Folder::new("rayon-item-costs"));
    let [few, twice] = [2000, 4000].map(|count| instructions(&program, "items", count, &folder));
    let each = (twice - few) / 2000;
    assert!(each < AN_ITEM, "{each} instructions an item, {AN_ITEM} at most");
}

#[test]
fn iterators_without_end_are_said_to_have_stayed_together() {
    let line = |part: &str| {
        let text = fs::read_to_string(corpus().join("src/bin/endless_norace.rs")).unwrap();
        1 + text.lines().position(|line| line.contains(part)).expect("the program has such a line")
    };
    let mut done = cargo_raceproof(&["run", "--bin", "endless_norace"]).expect_status(0);
    for part in ["repeat(7)", "split(0..6_000, how)"] {
        done = done.says(&format!("endless_norace.rs:{}", line(part)));
    }
}
