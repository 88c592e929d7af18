//! `verify` for programs that `raceproof cc` built.
//!
//! The search is the same as for TP; what differs is how an execution is run: as a process of its own, which is told by a channel
//! what to do and answers in it ([`raceproof::remote`]).

use super::judge::Judge;
use super::{Options, Search, search};
use crate::args::{TIME_LIMIT, VerifyArgs};
use crate::shared::limits::deadline;
use crate::shared::process::{Budget, Program};
use crate::shared::{input, program};
use raceproof::limits::Limits;
use raceproof::verify::verify_by;
use raceproof_core::finding::{Report, Scope, Verdict};
use std::ffi::OsString;
use std::sync::{Mutex, OnceLock};

/// Verifies a program as the arguments say; the error says what is wrong with them, or with the program.
pub(crate) fn verify(args: &VerifyArgs, words: &[OsString]) -> Result<Report, String> {
    if args.determinism {
        return Err(
            "--determinism is for TP programs; it does not tell what a native program ends with".into()
        );
    }
    let (path, fingerprint) = program::identified(words, &input::VERIFY_PROGRAM)?;
    let coverage = Mutex::default();
    let unshown = Mutex::default();
    let go_on = |search: &mut Search, options: &Options<'_>| {
        let program = Program::new(path.clone(), &words[1..], args.threads);
        let deadline = options.max_seconds.and_then(deadline);
        let memory = options.max_memory;
        let limits = Limits { deadline, interrupt: options.interrupt, memory, ..Limits::default() };
        let actions = options.max_events.unwrap_or(u64::MAX);
        let judge = Judge {
            program,
            // Read into memory it takes a few times as much.
            budget: Budget {
                actions,
                seconds: args.time_limit.unwrap_or(TIME_LIMIT),
                answer: memory.map_or(u64::MAX, |most| most / 4),
            },
            limits,
            dependence: options.dependence(),
            cut: OnceLock::new(),
            ways: Mutex::default(),
            coverage: &coverage,
            unshown: &unshown,
            wrong: OnceLock::new(),
        };
        let verified = verify_by(&judge, search, options);
        match judge.wrong.into_inner() {
            Some(wrong) => Err(wrong),
            None => Ok(verified),
        }
    };
    let mut report = search::search(args, &fingerprint, &go_on)?;
    report.coverage = coverage.into_inner().unwrap_or_default();
    report.threads = report.coverage.as_ref().map_or(Vec::new(), |coverage| coverage.teams.clone());
    let unshown = unshown.into_inner().unwrap_or_default();
    if report.verdict == Verdict::RaceFree && !unshown.is_empty() {
        // With several locks the order of one execution can leave apart what cannot meet; but a schedule may as well exist that is
        // not found, or that only weaker memory than the one explored allows.
        report.limits.push(UNSHOWN.into());
        report.races = unshown;
        (report.verdict, report.scope) = (Verdict::Inconclusive, Scope::ObservedSchedule);
    }
    report.bound(args.strict);
    report.stamp(&fingerprint);
    Ok(report)
}

const UNSHOWN: &str = "some accesses are not ordered, but no schedule was found that brings them together";
