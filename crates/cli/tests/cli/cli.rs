//! The command as its users meet it: help, files, pipes, statuses, Ctrl-C.

use crate::common;

use common::command::{Folder, check, corpus, raceproof, root, run, run_with_input};
use common::golden;
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

const RACE: &str = "var x; proc main() { async { x = 1; } x = 2; }";
const CLEAN: &str = "var x; proc main() { finish { async { x = 1; } } x = 2; }";
const ENDLESS: &str = "var x; proc main() { while (true) { x = x + 1; } }";

#[test]
fn help_of_every_command() {
    for arguments in [vec!["--help"], vec!["check", "--help"], vec!["graph", "--help"], vec!["help", "check"]]
    {
        let help = run(raceproof().args(&arguments)).expect_status(0);
        for word in ["Usage: raceproof", "Exit status:", "bad usage or bad input"] {
            assert!(help.stdout.contains(word), "{arguments:?} misses {word:?}: {}", help.stdout);
        }
        assert!(help.stderr.is_empty());
    }
    let version = run(raceproof().arg("--version")).expect_status(0);
    assert_eq!(version.stdout, format!("raceproof {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn bad_usage() {
    let cases: [(&[&str], &str); 9] = [
        (&[], "Usage: raceproof [OPTIONS] <COMMAND>"),
        (&["chekc", "f.tp"], "similar subcommand exists: 'check'"),
        (&["check"], "<FILE>"),
        (&["check", "f.tp", "--formt", "json"], "'--format'"),
        (&["check", "f.tp", "--format", "xml"], "possible values: text, json"),
        (&["check", "f.tp", "--detector", "best"], "possible values: default, closure"),
        (&["check", "f.tp", "--max-seconds", "soon"], "such as 10 or 0.5"),
        (&["check", "f.tp", "--max-memory", "0"], "such as 8 or 0.5"),
        (&["graph", "f.tp", "--max-events", "many"], "invalid digit"),
    ];
    for (arguments, message) in cases {
        let done = run(raceproof().args(arguments)).expect_status(2).says(message);
        assert!(done.stdout.is_empty(), "{done:?}");
    }
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new("unreadable");
    for command in ["check", "graph"] {
        let missing = folder.path("missing.tp");
        let done = run(raceproof().arg(command).arg(&missing)).expect_status(2);
        assert!(
            done.stderr.starts_with(&format!("raceproof: cannot read {}: ", missing.display())),
            "{done:?}"
        );
        run(raceproof().arg(command).arg(folder.path(""))).expect_status(2).says("directory");
        let binary = folder.write("binary.tp", b"var x;\nproc \xff\xfe\x00main() {}");
        run(raceproof().arg(command).arg(binary))
            .expect_status(2)
            .says("binary.tp:2:6: expected UTF-8 text, found the byte 0xff");
        let empty = folder.write("empty.tp", "");
        run(raceproof().arg(command).arg(empty)).expect_status(2).says("main");
        let zeros = folder.write("zeros.tp", [0; 1000]);
        run(raceproof().arg(command).arg(zeros)).expect_status(2).says("zeros.tp:1:1");
    }
}

/// A user without the right to read the file. Root may read everything: then there is nothing to
/// test.
#[test]
#[cfg(unix)]
fn a_file_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("permission");
    let file = folder.write("secret.tp", CLEAN);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&file).is_err() {
        run(raceproof().arg("check").arg(&file)).expect_status(2).says("ermission");
    }
}

#[test]
fn standard_input() {
    let done = check(RACE, &[]).expect_status(1);
    assert!(done.stdout.contains("<stdin>:1:30"), "{}", done.stdout);
    check("proc main( {}", &[]).expect_status(2).says("<stdin>:1:12");
    check("", &[]).expect_status(2);
    run_with_input(raceproof().args(["check", "-"]), b"\xff").expect_status(2).says("<stdin>:1:1");
    run_with_input(raceproof().args(["graph", "-"]), CLEAN.as_bytes()).expect_status(0).says("digraph");
}

#[test]
fn statuses() {
    check(CLEAN, &[]).expect_status(0).says("race-free:");
    check(RACE, &[]).expect_status(1).says("race: 1 race");
    check("proc main() { assert(false); }", &[]).expect_status(1).says("program error: 1 program error");
    check("proc main() { promise().get(); }", &[]).expect_status(1).says("deadlock: 1 deadlock");
    check(ENDLESS, &["--max-events", "10"]).expect_status(3).says("inconclusive:");
    check(RACE, &["--detector", "none"]).expect_status(3).says("--detector none");
    check("event e; proc main() { async { post(e); } wait(e); }", &["--detector", "esp-bags"])
        .expect_status(2)
        .says("raceproof: --detector esp-bags: ");
}

#[test]
fn what_the_program_prints() {
    let program = "proc main() { print(1, 2); print(new(1)); }";
    let done = check(program, &["--show-output"]).expect_status(0);
    assert_eq!(done.stderr, "1 2\n<an array>\n");
    assert!(!done.stdout.contains("1 2"));
    assert!(check(program, &[]).stderr.is_empty());
}

#[test]
fn output_into_a_file() {
    let folder = Folder::new("output");
    let out = folder.path("report.json");
    let done = check(RACE, &["--format", "json", "-o", out.to_str().unwrap()]).expect_status(1);
    assert!(done.stdout.is_empty() && done.stderr.is_empty(), "{done:?}");
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(report["verdict"], "race");
    // Again, over what is there.
    check(CLEAN, &["--format", "json", "-o", out.to_str().unwrap()]).expect_status(0);
    assert!(fs::read_to_string(&out).unwrap().contains("race-free"));
    assert_eq!(folder.names(), ["report.json"]);
}

#[test]
fn output_that_cannot_be_written() {
    let folder = Folder::new("nowhere");
    folder.write("file", "kept");
    fs::create_dir(folder.path("folder")).unwrap();
    let nowhere = [folder.path("missing/report"), folder.path("folder"), folder.path("file/report")];
    for out in nowhere {
        for command in ["check", "graph"] {
            let mut asked = raceproof();
            asked.args([command, "-", "-o"]).arg(&out);
            let done = run_with_input(&mut asked, RACE.as_bytes()).expect_status(2);
            assert!(done.stderr.starts_with("raceproof: cannot write "), "{done:?}");
        }
    }
    assert_eq!(folder.names(), ["file", "folder"], "nothing half-written is left");
    assert_eq!(fs::read_to_string(folder.path("file")).unwrap(), "kept");
}

#[test]
#[cfg(unix)]
fn output_into_a_read_only_place() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("read-only");
    let file = folder.write("report", "kept");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    check(RACE, &["-o", file.to_str().unwrap()]).expect_status(2).says("cannot write");
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    assert_eq!(folder.names(), ["report"]);
    check(RACE, &["-o", "/dev/full"]).expect_status(2).says("cannot write /dev/full");
    check(RACE, &["-o", "/dev/null"]).expect_status(1);
}

/// `raceproof check … | head -0`
#[test]
fn a_reader_that_has_seen_enough() {
    let folder = Folder::new("head");
    let file = folder.write("race.tp", RACE);
    for arguments in [["check", "--format=json"], ["graph", "--format=svg"]] {
        let mut child = raceproof().args(arguments).arg(&file).spawn().unwrap();
        drop(child.stdout.take());
        drop(child.stderr.take());
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(if arguments[0] == "check" { 1 } else { 0 }), "{status:?}");
    }
    let mut child = raceproof().args(["check", "--help"]).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // Nobody hears what the program prints, or what is wrong.
    for (program, status) in [("proc main() { print(1); }", 0), ("proc", 2)] {
        let file = folder.write("quiet.tp", program);
        let mut child = raceproof().args(["check", "--show-output"]).arg(file).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(status));
    }
}

#[test]
fn no_colours_into_a_pipe() {
    for value in [None, Some("1"), Some("")] {
        let mut command = raceproof();
        command.args(["check", "-"]).envs(value.map(|value| ("NO_COLOR", value)));
        for program in [RACE, "proc"] {
            assert!(!run_with_input(&mut command, program.as_bytes()).said().contains('\x1b'));
        }
    }
}

/// Sends Ctrl-C to a check of `program` once it has run for a while; the result, and how long it
/// took from there.
#[cfg(unix)]
fn interrupted(program: &str, times: usize) -> (common::command::Done, Duration) {
    let folder = Folder::new(&format!("interrupted-{times}-{}", program.len()));
    let file = folder.write("endless.tp", program);
    let child = raceproof().args(["check", "--show-output"]).arg(&file).spawn().unwrap();
    let id = child.id().to_string();
    std::thread::sleep(Duration::from_millis(400));
    let start = Instant::now();
    for _ in 0..times {
        let sent = std::process::Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status();
        assert!(sent.is_ok());
        std::thread::sleep(Duration::from_millis(30));
    }
    (common::command::finish(child), start.elapsed())
}

#[test]
#[cfg(unix)]
fn control_c_ends_with_what_is_known() {
    let (done, _) = interrupted(ENDLESS, 1);
    done.expect_status(3).says("limit: interrupted before the program ended").says("inconclusive:");
    let (done, _) = interrupted("var x; proc main() { async { x = 1; } x = 2; while (true) { skip; } }", 1);
    done.expect_status(1).says("race 1 on x").says("interrupted before the program ended");
}

#[test]
#[cfg(unix)]
fn a_second_control_c_kills() {
    // With a race to explain, the run is repeated: that takes as long as it ran before.
    let program = "var x; proc main() { async { x = 1; } x = 2; while (true) { x = x + 1; } }";
    let (done, time) = interrupted(program, 2);
    assert!(done.status == Some(130) || done.status == Some(1), "{done:?}");
    assert!(time < Duration::from_secs(30));
}

#[test]
fn graphs_of_corpus_programs() {
    let up_to_there = "raceproof: the graph shows the run up to there\n";
    for (name, format, note) in [
        ("examples/fork_join_sum_racy", "dot", ""),
        ("zipper/DataRaceIsolateSimple", "json", ""),
        ("examples/deadlock_futures", "svg", "raceproof: deadlock: "),
        ("examples/error_second_set", "dot", "raceproof: programs/tp/examples/error_second_set.tp:"),
    ] {
        let file = corpus(&format!("{name}.tp"));
        let done = run(raceproof().current_dir(root()).arg("graph").arg(file).args(["--format", format]));
        let done = done.expect_status(0);
        let short = name.rsplit('/').next().unwrap();
        golden::check(&format!("graph/{short}.{format}"), &done.stdout);
        let noted = done.stderr.starts_with(note) && done.stderr.ends_with(up_to_there);
        assert!(if note.is_empty() { done.stderr.is_empty() } else { noted }, "{done:?}");
    }
}

/// The nodes marked are those that `check` reports.
#[test]
fn racy_nodes_are_marked() {
    let graph = |program: &str| {
        let mut command = raceproof();
        command.args(["graph", "-", "--format", "json"]);
        let done = run_with_input(&mut command, program.as_bytes()).expect_status(0);
        serde_json::from_str::<serde_json::Value>(&done.stdout).unwrap()
    };
    let racy = |graph: &serde_json::Value| {
        let nodes = graph["nodes"].as_array().unwrap().iter();
        nodes
            .filter(|node| node["racy"] == true)
            .map(|node| node["task"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(racy(&graph(RACE)), ["main/1", "main"]);
    assert!(racy(&graph(CLEAN)).is_empty());
}

#[test]
fn graphs_of_programs_that_do_not_end() {
    let graph = |program: &str, options: &[&str]| {
        run_with_input(raceproof().args(["graph", "-"]).args(options), program.as_bytes())
    };
    let done = graph(ENDLESS, &["--max-events", "100"]).expect_status(3);
    assert!(done.stdout.ends_with("}\n") && done.stdout.contains("rw x"), "{done:?}");
    done.says("limit of 100 accesses").says("the graph shows the run up to there");
    let spawning = "proc f() { async f(); } proc main() { f(); }";
    graph(spawning, &["--max-events", "50", "--format", "svg"]).expect_status(3).says("</svg>");
    graph(ENDLESS, &["--max-seconds", "0.1"]).expect_status(3).says("time limit");
    graph("proc main() { promise().get(); }", &[]).expect_status(0).says("deadlock: 1 task waits for ever");
    graph("proc main() { assert(0); }", &[]).expect_status(0).says("<stdin>:1:15: main failed");
    graph("proc main() { assert(0) }", &[]).expect_status(2);
}

/// Progress and colours are for terminals: `script` lends one, where it is installed.
#[test]
#[cfg(target_os = "linux")]
fn colours_on_a_terminal() {
    let folder = Folder::new("terminal");
    let file = folder.write("race.tp", RACE);
    for (value, colours) in [("", true), ("1", false)] {
        let command = format!("{} check {}", env!("CARGO_BIN_EXE_raceproof"), file.display());
        let child = std::process::Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .env("NO_COLOR", value)
            .env("TERM", "xterm")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else { return };
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let _ = child.wait();
        assert_eq!(text.contains("\x1b["), colours, "{text}");
    }
}

#[test]
fn colours_and_findings_as_asked_for() {
    let folder = Folder::new("look");
    let file = folder.write("race.tp", RACE);
    for (options, environment, colours) in [
        (&["--color", "always"][..], None, true),
        (&["--color=never"], Some("CLICOLOR_FORCE"), false),
        (&[], Some("CLICOLOR_FORCE"), true),
        (&[], None, false),
    ] {
        let mut command = raceproof();
        command.arg("check").args(options).arg(&file).env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
        let done = run(command.envs(environment.map(|name| (name, "1")))).expect_status(1);
        assert_eq!(done.stdout.contains("\x1b["), colours, "{options:?} {environment:?}: {}", done.stdout);
    }
    let many = folder.write(
        "many.tp",
        "var x; var y;\nproc main() {\n async {\n  x = 1;\n  y = 1;\n }\n x = 2;\n y = 2;\n}\n",
    );
    let done = run(raceproof().args(["check", "--max-findings", "1"]).arg(&many)).expect_status(1);
    assert!(done.stdout.contains("race 1 on x") && !done.stdout.contains("race 2 on y"), "{}", done.stdout);
    done.says("1 finding not shown above: `--max-findings 2`").says("race 2 y");
}
