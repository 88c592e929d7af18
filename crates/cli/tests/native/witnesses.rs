//! The races of `run` have witnesses, with the team and the assignment of work to threads that they
//! need, and `replay` of each leads to the race.
//!
//! A sample of the racy programs of three folders of `programs/c`; all with `RACEPROOF_CASES` set.
#![cfg(unix)]

use crate::common::command::{Folder, finish_within, root};
use crate::native::corpus::some_of;
use crate::native::expect::Expected;
use crate::native::toolchain::{compile, tool};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDERS: [&str; 3] = ["loop", "sizes", "sync"];

const PATIENCE: Duration = Duration::from_secs(120);

/// Programs with a race that no further execution shows, and why.
const WITHOUT: &[(&str, &str)] = &[
    ("loop/dynamic_nested_shared_racy.c", "all pairs of two sites are one race, of which one pair was tried"),
    ("loop/for_shared_temporary_racy.c", "all pairs of two sites are one race, of which one pair was tried"),
    ("loop/simd_every_thread_racy.c", "a search ends where iterations of a simd loop conflict"),
];

fn racy_programs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for file in fs::read_dir(root().join("programs/c").join(folder)).expect("the corpus is there") {
            let name = file.unwrap().file_name().into_string().unwrap();
            if name.ends_with("_racy.c") {
                found.push(Path::new(folder).join(name));
            }
        }
    }
    found.sort();
    found
}

/// How many races of a program have no witness, nor has another race of the same two lines; or what
/// is wrong with witnesses.
fn look_at(program: &Path, folder: &Folder) -> Result<usize, String> {
    let source = root().canonicalize().unwrap().join("programs/c").join(program);
    let expected = Expected::read(&[&source])?;
    let (binary, report) = (folder.path("racy"), folder.path("report.json"));
    compile(&source, "-O1", &expected.flags, &binary)?;
    let command = |words: &[&str]| {
        let mut command = tool();
        command.args(words).env("OMP_NUM_THREADS", expected.threads.as_deref().unwrap_or("4"));
        command.envs(expected.environment.iter().map(|(name, value)| (name, value)));
        command
    };
    let mut run = command(&["run", "--format", "json", "-o"]);
    finish_within(run.arg(&report).arg("--").arg(&binary), PATIENCE)?;
    let text = fs::read_to_string(&report).map_err(|error| error.to_string())?;
    let found: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let races = found["races"].as_array().ok_or("no races")?;
    let (shown, rest): (Vec<&Value>, Vec<&Value>) = races.iter().partition(|race| !race["witness"].is_null());
    if let Some(race) = races.iter().find(|race| (race["grade"] == "feasible") == race["witness"].is_null()) {
        return Err(format!("the grade {} of {}", race["grade"], race["location"]));
    }
    for number in 1..=shown.len() {
        let mut replay = command(&["replay", "--finding", &number.to_string(), "--witness"]);
        let done = finish_within(replay.arg(&report).arg("--").arg(&binary), PATIENCE)?;
        if done.status != Some(1) {
            return Err(format!("replay of witness {number}: {}", done.said()));
        }
    }
    let lines = |race: &Value| ["first", "second"].map(|side| race[side]["line"].clone());
    let is_alone = |race: &&Value| !shown.iter().any(|other| lines(other) == lines(race));
    Ok(rest.into_iter().filter(is_alone).count())
}

#[test]
fn races_of_a_run_are_replayed() {
    let folder = Folder::new("witnesses");
    let mut wrong = Vec::new();
    for program in some_of(racy_programs(), 2, 6) {
        let may_lack = WITHOUT.iter().any(|(name, _)| program == Path::new(name));
        match look_at(&program, &folder) {
            Ok(lacking) if (lacking > 0) == may_lack => {}
            Ok(lacking) => {
                wrong.push(format!("{}: {lacking} races without a witness", program.display()));
            }
            Err(error) => wrong.push(format!("{}: {error}", program.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_list_of_races_without_a_witness_names_programs() {
    let programs = racy_programs();
    for (name, why) in WITHOUT {
        assert!(programs.iter().any(|program| program == Path::new(name)), "{name} ({why}) is not there");
    }
}
