//! Publication of data by a flag, with a section of a lock as the slow path, in every combination
//! of orders: what the memory model says of it is what `run` and `verify` say.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within, root};
use native::toolchain::{compile, tool};
use std::path::Path;
use std::time::Duration;

fn verdict(verb: &str, program: &Path, how: &str) -> String {
    let mut command = tool();
    command.args([verb, "--format", "json", "--"]).arg(program).arg(how);
    let done = finish_within(&mut command, Duration::from_secs(120)).expect("it ends");
    let report: serde_json::Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{how}: {error}: {done:#?}"));
    report["verdict"].as_str().unwrap_or_default().to_owned()
}

/// All words with one letter of each of these.
fn words(letters: &[&str]) -> Vec<String> {
    letters.iter().fold(vec![String::new()], |words, letters| {
        words.iter().flat_map(|word| letters.chars().map(move |letter| format!("{word}{letter}"))).collect()
    })
}

#[test]
fn what_is_published_is_judged_by_the_memory_model() {
    let folder = Folder::new("publication");
    let program = folder.path("publish");
    compile(
        &root().canonicalize().unwrap().join("crates/cli/tests/support/native/publish.c"),
        "-O1",
        &[],
        &program,
    )
    .expect("it compiles");
    for how in words(&["xas", "xrs", "pxa", "be", "cl"]) {
        let letters: Vec<char> = how.chars().collect();
        let is_ordered = letters[0] != 'x' && letters[1] != 'x';
        let (run, verify) = match (letters[3], is_ordered) {
            ('b', true) => ("race-free", "race-free"),
            // Only a weaker memory shows it: no schedule does.
            ('b', false) => ("race", "inconclusive"),
            _ => ("race", "race"),
        };
        assert_eq!(verdict("run", &program, &how), run, "run {how}");
        assert_eq!(verdict("verify", &program, &how), verify, "verify {how}");
    }
}
