//! `raceproof run`: runs a program that `raceproof cc` built, once for each team size, and joins
//! what was found.
//!
//! The runtime inside the program detects races and writes its findings to shared memory
//! ([`raceproof::channel`]), so that they survive any end of the program. This module adds to the
//! report how the program ended.

pub(crate) mod command;
mod execute;
mod findings;
pub(crate) mod join;

use crate::args::{RunArgs, TeamSizes};
use crate::shared::process::Ended;
use crate::shared::{harness, input, next, program, witness};
use execute::{ProgramRun, RunEnd, RunOutcome, StandardInput};
use raceproof::remote;
use raceproof_core::finding::{Coverage, Report, Scope, Stats};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a program may take that runs again, for all pairs of accesses or under another
/// assignment of work: so long, and so many times what it took before.
const REPEAT: Duration = Duration::from_secs(10);
const REPEAT_FACTOR: u32 = 5;

/// Runs the program as asked; the error says what is wrong with the request.
pub(crate) fn run(args: &RunArgs) -> Result<Report, String> {
    let (program, fingerprint) = program::identified(&args.program, &input::RUN)?;
    let teams: Vec<Option<u32>> =
        if args.threads.is_empty() { vec![None] } else { args.threads.iter().copied().map(Some).collect() };
    let trace = args.trace.as_deref().map(|file| traced(file, teams.len())).transpose()?;
    let mut input = StandardInput::new(teams.len() > 1)?;
    let limit = args.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let mut joined: Option<Report> = None;
    let (mut open, mut out_of_time) = (Vec::new(), false);
    for team in teams {
        let mut run = ProgramRun {
            program: &program,
            arguments: &args.program[1..],
            team,
            assignment: 0,
            only_this_size: args.sizes == TeamSizes::Ran,
            limit,
            trace: trace.as_deref(),
            all_readers: false,
            takes_stdout: args.output.is_none(),
            stdout: args.stdout.as_deref(),
            is_test: harness::runs_one_test(&program, &args.program[1..]),
        };
        let began = Instant::now();
        let RunOutcome { mut end, mut report, mut spots } = run.execute(&mut input)?;
        if report.as_ref().is_some_and(needs_all_readers) && input.is_there_again() {
            run.all_readers = true;
            let again = run.execute(&mut input)?;
            report = keep_both(report, again.report);
            (end, spots) = (again.end, again.spots);
        }
        let is_over = matches!(end, RunEnd::Ended(Ended::Status(_)));
        let mut may_repeat = is_over && !args.once && args.trace.is_none() && input.is_there_again();
        // A server may wait for a client that does not come again.
        let patience = REPEAT + REPEAT_FACTOR * began.elapsed();
        let again = ProgramRun { limit: Some(limit.map_or(patience, |limit| limit.min(patience))), ..run };
        let mut ended_again = None;
        if let Some(report) = &mut report
            && may_repeat
            && !spots.is_empty()
        {
            // What it found is known whichever way this one ends.
            let all = again.watch(&mut input, &spots)?;
            join::add_pairs(&mut report.races, all.report.map(|report| report.races).unwrap_or_default());
            if all.end == RunEnd::OutOfTime {
                may_repeat = false;
                ended_again = again.limit;
            }
        }
        let mut report = complete(report, end, &run)?;
        report.limits.extend(ended_again.map(|limit| {
            format!(
                "the program ran again, for all pairs of accesses, and was ended after {} s: pairs and \
                 witnesses of the races may be missing",
                limit.as_secs()
            )
        }));
        if may_repeat && report.scope == Scope::AllSchedules && depends_on_assignment(&report) {
            report = with_other_assignments(report, &again, &mut input)?;
        }
        if may_repeat {
            let coverage = report.coverage.as_ref();
            let teams = witness::Teams {
                asked: team,
                ran: coverage.and_then(|coverage| coverage.teams.last().copied()),
                all_sizes: coverage.is_some_and(|coverage| coverage.all_sizes),
            };
            let decided = report.scope == Scope::AllSchedules;
            witness::show(&mut report.races, decided, &program, &args.program[1..], teams);
        }
        let sequential = report.coverage.as_ref().is_some_and(|of| of.parallel == Some(false));
        if report.scope == Scope::ObservedSchedule && !sequential {
            open.push(team);
        }
        out_of_time |= end == RunEnd::OutOfTime;
        joined = Some(match joined {
            None => report,
            Some(before) => join::join(before, report),
        });
        if end == RunEnd::Interrupted {
            break;
        }
    }
    let mut report = joined.ok_or("no team size is given")?;
    report.bound(args.strict);
    program::date(&mut report, &program);
    report.stamp(&fingerprint);
    next::name(&mut report, |report| next::after_run(args, report, &program, &open, out_of_time));
    Ok(report)
}

/// Assignments of work to threads, beside that of the run, that are tried where the verdict may
/// depend on them.
const OTHER_ASSIGNMENTS: std::ops::RangeInclusive<u32> = 1..=3;

fn depends_on_assignment(report: &Report) -> bool {
    report.coverage.as_ref().is_some_and(|coverage| !coverage.assignments.is_empty())
}

/// The report of a run, and what the program shows under other assignments of work to threads: what
/// it chooses by the number of a thread, another thread may do there.
fn with_other_assignments(
    mut report: Report,
    run: &ProgramRun<'_>,
    input: &mut StandardInput,
) -> Result<Report, String> {
    for assignment in OTHER_ASSIGNMENTS {
        let run = run.assigned(assignment);
        let RunOutcome { end, report: other, .. } = run.execute(input)?;
        // One that was ended from outside shows nothing of this assignment.
        if !matches!(end, RunEnd::Ended(_)) || other.is_none() {
            break;
        }
        let mut other = complete(other, end, &run)?;
        if let Some(coverage) = &mut other.coverage {
            coverage.assignments = vec![assignment];
        }
        let stats = Stats { executions: report.stats.executions + 1, ..report.stats.clone() };
        report = Report { stats, ..join::join(report, other) };
    }
    Ok(report)
}

/// Whether the program has to run again with all readers kept, since it may have missed races.
fn needs_all_readers(report: &Report) -> bool {
    report.limits.iter().any(|limit| limit == remote::FEW_READERS)
}

/// The second of two runs has found all that the first has, unless it ended before.
fn keep_both(first: Option<Report>, second: Option<Report>) -> Option<Report> {
    let (Some(mut first), Some(second)) = (first, second) else { return None };
    if second.limits.is_empty() {
        return Some(second);
    }
    first.limits.retain(|limit| limit != remote::FEW_READERS);
    let joined = join::join(second, first);
    Some(Report { stats: Stats { executions: 1, ..joined.stats }, ..joined })
}

/// The absolute path of the trace file. Creates the file, so that an error shows before the run.
fn traced(file: &Path, runs: usize) -> Result<PathBuf, String> {
    let name = file.display();
    if runs > 1 {
        return Err(format!("--trace {name} records one run: give one team size with --threads"));
    }
    let wrong = |error| format!("cannot write the trace to {name}: {error}");
    let file = std::path::absolute(file).map_err(wrong)?;
    fs::File::create(&file).map_err(wrong)?;
    Ok(file)
}

/// The report of one run, with how it ended.
fn complete(report: Option<Report>, end: RunEnd, run: &ProgramRun<'_>) -> Result<Report, String> {
    let program = run.program.display();
    let team = run.team.map(|n| format!(" with teams of {n}")).unwrap_or_default();
    let team = match run.assignment {
        0 => team,
        _ => format!("{team} under another assignment of work to threads"),
    };
    let (error, limit) = match end {
        RunEnd::Ended(ended) => (ended.error(&team), None),
        RunEnd::OutOfTime => {
            let seconds = run.limit.unwrap_or_default().as_secs_f64();
            (
                None,
                Some(format!("the program{team} was ended after {seconds} s; raise --time-limit to go on")),
            )
        }
        RunEnd::Interrupted => (None, Some(format!("the program{team} was interrupted"))),
    };
    let mut report = match (report, end) {
        (Some(report), _) => report,
        (None, RunEnd::Ended(Ended::Status(status))) => {
            let why = program::privileged(run.program).unwrap_or(
                "it ended before the runtime began, or none of what it ran was built by `raceproof cc`",
            );
            return Err(format!("{program} ended with status {status} and wrote no report: {why}"));
        }
        (None, _) => nothing_known(),
    };
    if report.errors.is_empty() {
        report.errors.extend(error);
    }
    report.limits.extend(limit);
    let succeeded = end == RunEnd::Ended(Ended::Status(0));
    let complete =
        succeeded && report.limits.is_empty() && report.errors.is_empty() && report.deadlocks.is_empty();
    if let Some(coverage) = &mut report.coverage {
        coverage.complete &= succeeded && report.errors.is_empty() && report.deadlocks.is_empty();
    }
    if !complete || report.coverage.as_ref().is_some_and(|coverage| !coverage.complete) {
        report.about_one_schedule();
    }
    report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
    report.bound(false);
    Ok(report)
}

/// The report of a program that ended before it could report.
fn nothing_known() -> Report {
    Report {
        limits: vec!["the program ended before it could report what was found".to_owned()],
        coverage: Some(Coverage::default()),
        ..Report::new("")
    }
    .judged()
}
