//! Searches over the ranks of an MPI job: the same report as of one process, also of a native
//! program; budgets; and jobs whose ranks are killed at random moments. Needs `mpirun`, and
//! `--features mpi`.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const RACEPROOF: &str = env!("CARGO_BIN_EXE_raceproof");

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A program of the corpus with another value of a constant.
fn sized(name: &str, constant: &str, value: u32, to: &Path) -> PathBuf {
    let source = fs::read_to_string(repository(&format!("programs/tp/{name}.tp"))).expect("it is there");
    let head = format!("proc {constant}() {{ return ");
    let at = source.find(&head).expect("it has the constant") + head.len();
    let end = at + source[at..].find(';').expect("a return ends in a semicolon");
    let path = to.join(format!("sized-{value}.tp"));
    fs::write(&path, format!("{}{value}{}", &source[..at], &source[end..])).expect("it can be written");
    path
}

/// `raceproof` on so many ranks; on one, by itself.
fn ranks(number: usize) -> Command {
    if number == 1 {
        return Command::new(RACEPROOF);
    }
    let mut command = Command::new("mpirun");
    // Tests run in containers, as root, with fewer cores than ranks.
    for (name, value) in [
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
    ] {
        command.env(name, value);
    }
    command.args(["-n", &number.to_string(), RACEPROOF]);
    command
}

/// The report as JSON, without what was measured.
fn report(output: &Output) -> Value {
    let mut report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    report.as_object_mut().expect("an object").remove("measured");
    report
}

fn executions(report: &Value) -> u64 {
    report["stats"]["executions"].as_u64().unwrap_or_default()
}

#[test]
fn any_number_of_ranks_gives_the_same_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let indexer = sized("examples/indexer", "TASKS", 14, folder.path());
    let findmax = sized("examples/findmax", "TASKS", 7, folder.path());
    let searches: [&[&str]; 5] = [
        &[indexer.to_str().expect("text")],
        &[findmax.to_str().expect("text"), "--order", "hb"],
        &[findmax.to_str().expect("text"), "--max-executions", "500"],
        &["programs/tp/examples/dc_fig4.tp"],
        &["programs/tp/examples/philosophers_deadlock.tp", "--all"],
    ];
    for words in searches {
        let run = |number: usize| {
            let mut command = ranks(number);
            command.current_dir(repository("")).args(["verify", "--format", "json"]).args(words);
            command.output().expect("it runs")
        };
        let alone = run(1);
        for number in [2, 3] {
            let together = run(number);
            assert_eq!(report(&together), report(&alone), "{number} ranks: {words:?}");
            assert_eq!(together.status.code(), alone.status.code(), "{number} ranks: {words:?}");
        }
    }
}

#[test]
fn a_native_program_on_two_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("indexer");
    let source = repository("programs/c/verify/indexer_norace.c");
    let built =
        Command::new(RACEPROOF).args(["cc", "-O1", "-fopenmp", "-o"]).arg(&program).arg(source).status();
    assert!(built.expect("it builds").success());
    let run = |number: usize| {
        let mut command = ranks(number);
        command.args(["verify", "--threads", "13", "--format", "json", "--"]).arg(&program);
        report(&command.output().expect("it runs"))
    };
    let together = run(2);
    assert_eq!((together["verdict"].as_str(), executions(&together)), (Some("race-free"), 64), "{together}");
    assert_eq!(together, run(1));
}

#[test]
fn a_wrong_name_is_said_once_and_ends_the_job() {
    let output = ranks(2).args(["verify", "no-such-file.tp"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file.tp"), "{output:?}");
}

/// A job under way.
struct Job(Child);

impl Job {
    fn is_over(&mut self) -> bool {
        self.0.try_wait().expect("a child").is_some()
    }

    /// Ends `mpirun` if it does not: that of Open MPI 4.1 hangs now and then when a rank is killed
    /// while it starts others.
    fn end(&mut self) {
        let started = Instant::now();
        while !self.is_over() && started.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(10));
        }
        if !self.is_over() {
            self.ranks().into_iter().for_each(|rank| kill(rank, "-KILL"));
            kill(self.0.id(), "-KILL");
        }
    }

    /// The processes of its ranks.
    fn ranks(&self) -> Vec<u32> {
        let parent = |process: u32| -> Option<u32> {
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
        };
        let all = fs::read_dir("/proc").expect("processes").flatten();
        let all = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut mine: Vec<u32> = all.filter(|&process| parent(process) == Some(self.0.id())).collect();
        mine.sort_unstable();
        mine
    }
}

fn kill(process: u32, signal: &str) {
    let _ = Command::new("kill").args([signal, &process.to_string()]).stderr(Stdio::null()).status();
}

/// Twenty ranks are killed, whichever and whenever; after each the search goes on with another
/// number of ranks. In the end nothing was lost, and nothing counted twice.
#[test]
fn ranks_are_killed_at_random_moments() {
    const EXECUTIONS: u64 = 362_880;
    let folder = tempfile::tempdir().expect("a folder");
    let checkpoint = folder.path().join("search");
    let verify = |number: usize| {
        let mut command = ranks(number);
        command.current_dir(repository(""));
        command.args(["verify", "programs/tp/zipper/IntegerCounterIsolated.tp", "--no-commuting"]);
        command.args(["--workers", "1", "--format", "json", "--checkpoint"]).arg(&checkpoint);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let (mut kills, mut told, mut whole) = (0, 0, 0);
    while kills < 20 {
        let number = 2 + next(2) as usize;
        let mut job = Job(verify(number).spawn().expect("it runs"));
        let started = Instant::now();
        while job.ranks().len() < number && !job.is_over() && started.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(200 + next(1000)));
        let victims = job.ranks();
        if !job.is_over() && !victims.is_empty() {
            kill(victims[next(victims.len() as u64) as usize], "-KILL");
            kills += 1;
        }
        job.end();
        let output = job.0.wait_with_output().expect("it ends");
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        told += usize::from(String::from_utf8_lossy(&said).contains("resume with `mpirun -n "));
        // It may have come to its end before.
        if output.status.code() == Some(0) && !checkpoint.exists() {
            assert_eq!(executions(&report(&output)), EXECUTIONS);
            whole += 1;
        }
    }
    assert!(told > 2, "only {told} of {kills} jobs said how to go on");
    let output = verify(1).output().expect("it runs");
    let report = report(&output);
    assert_eq!((report["verdict"].as_str(), executions(&report)), (Some("race-free"), EXECUTIONS), "{whole}");
}

#[test]
fn an_interrupted_job_writes_what_it_knows() {
    let folder = tempfile::tempdir().expect("a folder");
    let checkpoint = folder.path().join("search");
    let mut command = ranks(2);
    command.current_dir(repository("")).args(["verify", "programs/tp/zipper/IntegerCounterIsolated.tp"]);
    command.args(["--no-commuting", "--workers", "1", "--format", "json", "--checkpoint"]).arg(&checkpoint);
    let job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let started = Instant::now();
    while !checkpoint.exists() && started.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(300));
    kill(job.id(), "-INT");
    let output = job.wait_with_output().expect("it ends");
    assert!(checkpoint.exists(), "{output:?}");
    let report = report(&output);
    assert_eq!(report["verdict"].as_str(), Some("inconclusive"), "{report}");
}
