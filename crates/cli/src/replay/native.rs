//! `replay` for programs that `raceproof cc` built: a process that reads the schedule from a
//! channel ([`raceproof::remote`]).

use super::Finding;
use crate::args::ReplayArgs;
use crate::shared::process::{ExecutionLimits, Failed, NativeProgram, Streams};
use crate::shared::{input, program, witness_file};
use raceproof::remote::{Answer, Order};
use raceproof_core::finding::{Place, Race, RaceAccess, Report, Witness};
use raceproof_host::interrupt;
use raceproof_host::output::deliver;
use raceproof_report::Sources;
use raceproof_report::playback::{Of, Playback, Recorder};
use raceproof_report::replay::actions;
use std::ffi::OsString;
use std::sync::atomic::Ordering;

/// How long a replay may take.
const REPLAY: ExecutionLimits = ExecutionLimits { actions: u64::MAX, seconds: 1e6, answer: u64::MAX };

/// The same for one that nobody has asked for by itself.
const PLAYBACK: ExecutionLimits = ExecutionLimits { seconds: 60.0, ..REPLAY };

/// The most actions that are printed.
const MOST: u64 = 1 << 16;

/// Runs a program under a witness; what it led to, or why it is none of this program.
pub(crate) fn replay(args: &ReplayArgs, words: &[OsString]) -> Result<Report, String> {
    let (path, fingerprint) = program::identified(words, &input::REPLAY_PROGRAM)?;
    let name = args.witness.display().to_string();
    let text = input::report(&args.witness)?;
    let witness = witness_file::read(&name, &text, args.finding.get(), &fingerprint)?;
    let program = NativeProgram::new(path, &words[1..], None).with_team(witness.team);
    let steps = if args.step { MOST } else { 0 };
    let followed = follow(&program, witness, steps, REPLAY, Streams::Shown)?;
    if let Some(played) = &followed.played {
        let mut sources = Sources::new();
        sources.load(played.actions.iter().filter_map(|action| action.at.as_ref()));
        let line = |at: &Place| sources.line(at).unwrap_or_default();
        deliver(&actions(played, line), None)?;
    }
    let changed = |wrong| format!("{name}: {wrong}; the witness is of another program, or was changed");
    followed.led_to.map_err(changed)
}

/// Plays a finding back: the last `most` actions of its witness, and what comes next.
pub(super) fn play(
    program: &NativeProgram,
    (of, finding): (Of, Finding<'_>),
    most: u64,
) -> Result<Playback, String> {
    let witness = finding.witness().ok_or("the finding has no witness")?;
    let program = program.clone().with_team(witness.team);
    let followed = follow(&program, witness.clone(), most, PLAYBACK, Streams::Hidden)?;
    let led_to = followed.led_to?;
    let mut recorder = Recorder::from(followed.played.ok_or("the program did not tell what it did")?);
    match finding {
        Finding::Race(race) => recorder.end_in_race(&as_met(race, &led_to)),
        _ => finding.end(&mut recorder),
    }
    Ok(recorder.finish(of))
}

/// A race as its witness has brought it about. The report may name iterations of a worksharing
/// loop, which any thread can execute, and the replay names threads; the same lines may have met on
/// another cell.
fn as_met(race: &Race, replayed: &Report) -> Race {
    let fits = |one: &RaceAccess, other: &RaceAccess| (one.access, &one.at) == (other.access, &other.at);
    let mut all: Vec<&Race> = replayed.races.iter().collect();
    all.sort_by_key(|met| met.location != race.location);
    let met = all.into_iter().find_map(|met| {
        let sides = [[&met.first, &met.second], [&met.second, &met.first]];
        let [first, second] = sides
            .into_iter()
            .find(|[first, second]| fits(&race.first, first) && fits(&race.second, second))?;
        Some((&met.location, first.clone(), second.clone()))
    });
    met.map_or_else(
        || race.clone(),
        |(location, first, second)| Race { location: location.clone(), first, second, ..race.clone() },
    )
}

/// A replay that ended.
struct Followed {
    played: Option<Playback>,
    /// What it led to, or why it led nowhere.
    led_to: Result<Report, String>,
}

fn follow(
    program: &NativeProgram,
    witness: Witness,
    actions: u64,
    limits: ExecutionLimits,
    streams: Streams,
) -> Result<Followed, String> {
    let interrupted = interrupt::watch();
    let order = Order::Replay { witness, actions };
    let over = program.execute(&order, limits, streams, &|| interrupted.load(Ordering::Relaxed));
    let (ended, answer) = over.map_err(|failed| match failed {
        Failed::Wrong(why) | Failed::Limit(why) => why,
        Failed::Late => "the program did not end".to_owned(),
        Failed::Stopped => "interrupted".to_owned(),
    })?;
    let Answer { played, replayed, .. } = answer.ok_or("the program ended without telling what happened")?;
    let nothing = || {
        "at the end of the schedule no two tasks are about to race, some can go on and none has failed"
            .to_owned()
    };
    let led_to = |mut report: Report| {
        // A status is known only once the program has ended.
        if report.errors.is_empty() && report.deadlocks.is_empty() && report.races.is_empty() {
            report.errors.extend(ended.error(""));
            report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
        }
        let found = !report.races.is_empty() || !report.errors.is_empty() || !report.deadlocks.is_empty();
        if found { Ok(report) } else { Err(nothing()) }
    };
    Ok(Followed { played, led_to: replayed.unwrap_or_else(|| Err(nothing())).and_then(led_to) })
}
