//! The command that decides what a report leaves open, ready to be pasted into a shell.

use crate::args::{CheckArgs, LimitArgs, RunArgs, TIME_LIMIT, VerifyArgs};
use raceproof::env_options;
use raceproof_core::finding::{Report, Scope, Verdict};
use raceproof_core::order::OrderName;
use raceproof_report::command::{self, input, quoted, verify};
use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Where the user is, if that is not where the program runs: cargo starts tests in the folder of
/// their package.
pub(crate) const FOLDER: &str = "RACEPROOF_STARTED_IN";

/// A team size for a program whose teams had one thread.
const LARGER: u32 = 4;

/// After `raceproof run`: the team sizes whose runs left something open, none for the default one,
/// are verified one after the other.
pub(crate) fn after_run(
    args: &RunArgs,
    report: &Report,
    program: &Path,
    open: &[Option<u32>],
    out_of_time: bool,
) -> Option<String> {
    let words = || {
        let arguments = args.program[1..].iter().map(OsString::as_os_str);
        [program.as_os_str()].into_iter().chain(arguments).map(OsStrExt::as_bytes)
    };
    if let Some(coverage) = report.coverage.as_ref().filter(|coverage| coverage.parallel == Some(false)) {
        // Teams of one become larger; where there were none no command makes some.
        let settings = settings(true).into_iter().map(|setting| setting + " ").collect::<String>();
        let program: Vec<String> = words().map(quoted).collect();
        let command =
            format!("{settings}raceproof run --threads {LARGER} -- {}{}", program.join(" "), input());
        return (coverage.teams == [1] && coverage.complete).then(|| in_folder(command));
    }
    let mut commands = Vec::new();
    for team in open {
        let mut options: Vec<String> =
            team.map(|size| vec!["--threads".into(), size.to_string()]).unwrap_or_default();
        match args.time_limit {
            // The default of `verify`, or ten times what was too little.
            Some(seconds) if out_of_time && seconds >= TIME_LIMIT => {
                options.extend(["--time-limit".into(), (seconds * 10.0).to_string()]);
            }
            Some(seconds) if !out_of_time => options.extend(["--time-limit".into(), seconds.to_string()]),
            _ => {}
        }
        if args.strict {
            options.push("--strict".into());
        }
        let command = verify(&settings(team.is_some()), &options, words());
        commands.push(command + &input());
    }
    (!commands.is_empty()).then(|| in_folder(commands.join(" && ")))
}

/// After `raceproof check`. Its limits are not handed on: they may be what left something open, and
/// would be those of the search.
pub(crate) fn after_check(args: &CheckArgs) -> String {
    let mut words = vec!["raceproof".to_owned(), "verify".to_owned()];
    if args.determinism {
        words.push("--determinism".into());
    }
    if args.limits.max_memory != LimitArgs::MEMORY {
        words.extend(["--max-memory".into(), gigabytes(args.limits.max_memory)]);
    }
    words.push(quoted(args.file.as_os_str().as_bytes()));
    let input = if args.file == Path::new("-") { input() } else { String::new() };
    words.join(" ") + &input
}

/// After `raceproof verify`, if a budget ended it: the same without the budget. What else leaves a
/// search open no command decides.
pub(crate) fn after_verify(args: &VerifyArgs, program: &[OsString], report: &Report) -> Option<String> {
    let raise = |option: &str| report.limits.iter().any(|limit| limit.contains(option));
    let budgets = ["--max-executions", "--max-seconds", "--max-events", "--max-memory", "--time-limit"];
    if report.verdict != Verdict::Inconclusive || !budgets.into_iter().any(raise) {
        return None;
    }
    let mut words = Vec::new();
    if raise("--max-memory") {
        words.extend(["--max-memory".into(), gigabytes(args.limits.max_memory.saturating_mul(4))]);
    } else if args.limits.max_memory != LimitArgs::MEMORY {
        words.extend(["--max-memory".into(), gigabytes(args.limits.max_memory)]);
    }
    if args.order != OrderName::default() {
        words.extend(["--order".into(), args.order.name().to_owned()]);
    }
    for (given, option) in [
        (args.all, "--all"),
        (args.determinism, "--determinism"),
        (args.no_commuting, "--no-commuting"),
        (args.strict, "--strict"),
    ] {
        words.extend(given.then(|| option.to_owned()));
    }
    if let Some(workers) = args.workers {
        words.extend(["--workers".into(), workers.to_string()]);
    }
    if let Some(file) = &args.checkpoint {
        words.extend(["--checkpoint".into(), quoted(file.as_os_str().as_bytes())]);
    }
    if program.is_empty() {
        let file = args.file.as_ref()?;
        words.push(quoted(file.as_os_str().as_bytes()));
        let input = if file == Path::new("-") { input() } else { String::new() };
        return Some(format!("raceproof verify {}{input}", words.join(" ")));
    }
    if let Some(size) = args.threads {
        words.extend(["--threads".into(), size.to_string()]);
    }
    let seconds = args.time_limit.unwrap_or(TIME_LIMIT);
    let seconds = if raise("--time-limit") { seconds * 10.0 } else { seconds };
    if seconds != TIME_LIMIT {
        words.extend(["--time-limit".into(), seconds.to_string()]);
    }
    let program = program.iter().map(|word| word.as_bytes());
    Some(verify(&settings(args.threads.is_some()), &words, program) + &input())
}

/// Names the command, where there is something that it decides.
pub(crate) fn name(report: &mut Report, command: impl FnOnce(&Report) -> Option<String>) {
    if report.scope == Scope::ObservedSchedule {
        report.next_command = command(report);
    }
}

fn gigabytes(bytes: u64) -> String {
    (bytes as f64 / 1e9).to_string()
}

/// Variables that the runtime of the program looks at, as they are set; `sized`: the size of teams
/// is given otherwise.
fn settings(sized: bool) -> Vec<String> {
    command::settings(env::vars_os(), sized, env_options::for_another_run)
}

/// The command, where the program runs.
fn in_folder(command: String) -> String {
    match (env::current_dir(), env::var_os(FOLDER)) {
        (Ok(here), Some(from)) if Path::new(&from) != here => {
            format!("(cd {} && {command})", quoted(here.as_os_str().as_bytes()))
        }
        _ => command,
    }
}
