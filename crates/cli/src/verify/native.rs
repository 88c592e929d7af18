//! `verify` for programs that `raceproof cc` built.
//!
//! The search is the one of TP programs. Each execution is a process of its own, forked by the
//! program that is started once for each worker ([`Server`](crate::shared::server)). It reads its
//! request from a channel and writes its answer there ([`raceproof::remote`]).

use super::judge::Judge;
use super::ranks::World;
use super::{Options, Search, Verified, search};
use crate::args::{TIME_LIMIT, VerifyArgs};
use crate::shared::limits::deadline;
use crate::shared::process::{ExecutionLimits, NativeProgram};
use crate::shared::{input, program, witness};
use raceproof::limits::Limits;
use raceproof::verify::verify_by;
use raceproof_core::finding::{Race, Report, Scope, Verdict, WitnessTeam};
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::sync::{Mutex, OnceLock};

/// Verifies a program as the arguments say; the error says what is wrong with them, or with the
/// program. None on a rank that has no report.
pub(crate) fn verify(
    args: &VerifyArgs,
    words: &[OsString],
    world: Option<&World>,
) -> Result<Option<Report>, String> {
    if args.determinism {
        return Err(
            "--determinism is for TP programs; it does not tell what a native program ends with".into()
        );
    }
    if args.no_commuting {
        return Err("--no-commuting is for TP programs; no operations of native programs commute".into());
    }
    let (path, fingerprint) = program::identified(words, &input::VERIFY_PROGRAM)?;
    let coverage = Mutex::default();
    let unshown = Mutex::default();
    let explore = |team: Option<WitnessTeam>, search: &mut Search, options: &Options<'_>| {
        let program = NativeProgram::new(path.clone(), &words[1..], args.threads).with_team(team);
        let deadline = options.max_seconds.and_then(deadline);
        let memory = options.max_memory;
        let limits = Limits { deadline, interrupt: options.interrupt, memory, ..Limits::default() };
        let actions = options.max_events.unwrap_or(u64::MAX);
        let judge = Judge {
            program: &program,
            // An answer takes several times its size once it is parsed.
            budget: ExecutionLimits {
                actions,
                seconds: args.time_limit.unwrap_or(TIME_LIMIT),
                answer: memory.map_or(u64::MAX, |most| most / 8),
            },
            limits,
            dependence: options.dependence(),
            preemptions: options.preemptions,
            cut: OnceLock::new(),
            histories: Mutex::default(),
            coverage: &coverage,
            unshown: &unshown,
            wrong: OnceLock::new(),
            told: Mutex::default(),
        };
        let verified = verify_by(&judge, search, options);
        match judge.wrong.into_inner() {
            Some(wrong) => Err(wrong),
            None => Ok(verified),
        }
    };
    let usual = |search: &mut Search, options: &Options<'_>| explore(None, search, options);
    let searched = search::search(args, &fingerprint, &usual, world)?;
    let Some(mut report) = searched else { return Ok(None) };
    report.coverage = coverage.lock().map_or(None, |mut coverage| coverage.take());
    report.threads = report.coverage.as_ref().map_or(Vec::new(), |coverage| coverage.teams.clone());
    if args.random.is_none() && world.is_none() && is_one_deal(&report) {
        try_other_assignments(args, &mut report, &explore)?;
    }
    let mut unshown: Vec<Race> = unshown.into_inner().unwrap_or_default();
    // As they come to be known depends on the workers.
    unshown.sort_by(|a, b| {
        (&a.location, &a.first.at, &a.second.at).cmp(&(&b.location, &b.first.at, &b.second.at))
    });
    // Executions of another assignment may have found one again.
    unshown.dedup_by(|a, b| {
        (&a.location, &a.first.at, &a.second.at) == (&b.location, &b.first.at, &b.second.at)
    });
    if report.verdict == Verdict::RaceFree {
        // The search gives work to threads in one way. In another, the accesses may meet.
        let ran = report.threads.last().copied();
        let teams = witness::Teams { asked: args.threads, ran, all_sizes: false };
        witness::show(&mut unshown, false, &path, &words[1..], teams);
        report.races = unshown.extract_if(.., |race| race.witness.is_some()).collect();
        report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
    }
    for race in &mut report.races {
        if let (Some(witness), Some(size)) = (&mut race.witness, args.threads) {
            witness.team.get_or_insert(WitnessTeam { size, assignment: 0 });
        }
    }
    if report.verdict == Verdict::RaceFree && !unshown.is_empty() {
        // With several locks, accesses that the order of one execution leaves unordered may never
        // meet. Or a schedule exists that the search did not find, or that only a weaker memory
        // model allows.
        report.limits.push(UNSHOWN.into());
        report.races = unshown;
        (report.verdict, report.scope) = (Verdict::Inconclusive, Scope::ObservedSchedule);
    }
    if is_one_deal(&report) {
        report.about_one_schedule();
    }
    report.bound(args.strict);
    program::date(&mut report, &path);
    report.stamp(&fingerprint);
    Ok(Some(report))
}

/// Assignments of work to threads, beside the usual one, that are searched where a thread enters
/// sections in several units of work.
const OTHER_ASSIGNMENTS: RangeInclusive<u32> = 1..=3;

fn is_one_deal(report: &Report) -> bool {
    report.coverage.as_ref().is_some_and(|coverage| coverage.one_deal)
}

/// Continues a search under an assignment, or the usual one.
type Explore<'a> = dyn Fn(Option<WitnessTeam>, &mut Search, &Options<'_>) -> Result<Verified, String> + 'a;

/// Searches the program under other assignments of work to threads, until one shows something: each
/// has the orders of sections that the threads of another one cannot have.
fn try_other_assignments(
    args: &VerifyArgs,
    report: &mut Report,
    explore: &Explore<'_>,
) -> Result<(), String> {
    let Some(size) = args.threads.or(report.threads.last().copied()) else { return Ok(()) };
    let mut searched = vec![0];
    for assignment in OTHER_ASSIGNMENTS {
        let spent = report.stats.executions;
        if report.verdict != Verdict::RaceFree || args.max_executions.is_some_and(|most| spent >= most) {
            break;
        }
        let team = Some(WitnessTeam { size, assignment });
        let resume = |search: &mut Search, options: &Options<'_>| explore(team, search, options);
        let mut other = search::search_further(args, &report.stats, &resume)?;
        report.stats.executions += other.stats.executions;
        report.stats.seconds += other.stats.seconds;
        if other.verdict == Verdict::Inconclusive {
            break;
        }
        searched.push(assignment);
        let witnesses = (other.races.iter_mut().map(|race| &mut race.witness))
            .chain(other.deadlocks.iter_mut().map(|deadlock| &mut deadlock.witness))
            .chain(other.errors.iter_mut().map(|error| &mut error.witness));
        witnesses.flatten().for_each(|witness| witness.team = team);
        (report.races, report.deadlocks, report.errors) = (other.races, other.deadlocks, other.errors);
        report.verdict = other.verdict;
    }
    if let Some(coverage) = &mut report.coverage {
        coverage.assignments = searched;
    }
    Ok(())
}

const UNSHOWN: &str = "some accesses are not ordered, but no schedule was found that brings them together";
