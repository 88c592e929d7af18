//! `verify` as a command: the search with its progress line, and with a checkpoint to resume from.

use super::checkpoint;
use super::progress::ProgressLine;
use super::ranks::World;
use super::{Options, Progress, Search, Verified, verify_from};
use crate::args::{LimitArgs, VerifyArgs};
use crate::shared::witness_file::fingerprint;
use raceproof_core::finding::{Report, Stats};
use raceproof_host::interrupt;
use raceproof_host::output::{OutFile, deliver_by};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use std::fs;
use std::io::{self, ErrorKind, IsTerminal};
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::Instant;

/// Seconds between two checkpoints, at most; the first ones come sooner: a rank of a job that is killed
/// has little time to write another.
const SLICE: f64 = 10.0;
const FIRST_SLICE: f64 = 0.25;

/// Searches a TP program as the arguments say; the report, or what is wrong with the checkpoint.
/// None on a rank that has no report.
pub(crate) fn run(
    args: &VerifyArgs,
    code: &Code,
    source: &Source,
    world: Option<&World>,
) -> Result<Option<Report>, String> {
    let verify =
        |search: &mut Search, options: &Options<'_>| Ok(verify_from(search, code, &source.name, options));
    let mut program = fingerprint(&source.text);
    if args.no_commuting {
        program += checkpoint::NO_COMMUTING;
    }
    search(args, &program, &verify, world)
}

/// Continues a search; an error is for the user.
pub(crate) type Resume<'a> = dyn Fn(&mut Search, &Options<'_>) -> Result<Verified, String> + 'a;

/// Searches as the arguments say, by `verify`; `program` is the fingerprint of what is searched.
/// None on a rank that has no report.
pub(crate) fn search(
    args: &VerifyArgs,
    program: &str,
    verify: &Resume<'_>,
    world: Option<&World>,
) -> Result<Option<Report>, String> {
    let verified = with_options(args, &Stats::default(), world, |options| {
        if let Some(world) = world.filter(|world| world.follows()) {
            // When it is over is for rank 0 to say.
            let options = Options { max_seconds: None, progress: None, ..*options };
            let verified = verify(&mut Search::default(), &options)?;
            world.died(&verified.dead, false);
            return Ok(None);
        }
        match &args.checkpoint {
            None => verify(&mut Search::default(), options).map(Some),
            Some(file) => with_checkpoint(file, program, verify, options).map(Some),
        }
    });
    let Some(mut verified) = verified? else { return Ok(None) };
    let world = world.filter(|_| !verified.report.limits.is_empty());
    let died = world.and_then(|world| world.died(&verified.dead, args.checkpoint.is_some()));
    verified.report.limits.extend(died);
    Ok(Some(verified.report))
}

/// Searches in another way, with what an earlier search has left of the budgets.
pub(crate) fn search_further(
    args: &VerifyArgs,
    spent: &Stats,
    verify: &Resume<'_>,
) -> Result<Report, String> {
    Ok(with_options(args, spent, None, |options| verify(&mut Search::default(), options))?.report)
}

fn with_options<T>(
    args: &VerifyArgs,
    spent: &Stats,
    world: Option<&World>,
    search: impl FnOnce(&Options<'_>) -> T,
) -> T {
    let LimitArgs { max_seconds, max_events, max_memory } = args.limits;
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let line = ProgressLine::default();
    let show = |progress: &Progress| line.show(progress);
    let options = Options {
        order: args.order,
        max_executions: args.max_executions.map(|most| most.saturating_sub(spent.executions)),
        max_seconds: args.random.or(max_seconds).map(|most| (most - spent.seconds).max(0.0)),
        max_events,
        max_memory: Some(max_memory),
        all: args.all,
        determinism: args.determinism,
        commuting: !args.no_commuting,
        preemptions: args.preemptions,
        random: args.random.map(|_| args.seed.unwrap_or(0)),
        workers: args.workers.map_or(world.map_or(cores, |world| world.workers(cores)), NonZeroUsize::get),
        interrupt: Some(world.map_or_else(interrupt::watch, World::interrupt)),
        progress: io::stderr().is_terminal().then_some(&show as &dyn Fn(&Progress)),
        ranks: world.map(World::ranks),
        ..Options::default()
    };
    let searched = search(&options);
    line.erase();
    searched
}

/// Resumes the search in `file`, if there is one, and saves it there every few seconds.
fn with_checkpoint(
    file: &Path,
    program: &str,
    verify: &Resume<'_>,
    options: &Options<'_>,
) -> Result<Verified, String> {
    let order = options.order;
    let (mut search, is_new) = begin(file, program, options)?;
    let keep = |search: &Search| {
        let write = |out: &mut OutFile| checkpoint::write(search, program, order, out);
        deliver_by(file, &write)
    };
    // A search of hours must not find out at its end that it cannot be saved.
    keep(&search)?;
    let start = Instant::now();
    let mut slice = FIRST_SLICE;
    loop {
        let left = options.max_seconds.map_or(f64::INFINITY, |most| most - start.elapsed().as_secs_f64());
        let before = search.executions();
        let last = left <= slice;
        let options = Options { max_seconds: Some(left.min(slice).max(0.0)), ..*options };
        let verified = verify(&mut search, &options);
        if verified.is_err() && is_new && search.executions() == 0 {
            let _ = fs::remove_file(file);
        }
        let mut verified = verified?;
        verified.report.stats.seconds = start.elapsed().as_secs_f64();
        if search.is_done() {
            // A finished search has nothing to resume. A file that is already gone is no error.
            let _ = fs::remove_file(file);
            return Ok(verified);
        }
        if let Err(error) = keep(&search) {
            return Ok(not_kept(verified, &error));
        }
        if last || !verified.out_of_time || !verified.dead.is_empty() {
            return Ok(verified);
        }
        // One execution may take longer than a slice.
        if slice < SLICE || search.executions() == before {
            slice *= 2.0;
        }
    }
}

/// The search in a file, or a new one if the file does not exist; and whether it is new.
fn begin(file: &Path, program: &str, options: &Options<'_>) -> Result<(Search, bool), String> {
    let name = file.display().to_string();
    let cannot_read = |error| format!("cannot read {name}: {error}");
    let about = match fs::metadata(file) {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Search::default(), true)),
        Err(error) => return Err(cannot_read(error)),
    };
    if !about.is_file() {
        let what = if about.is_dir() { "a folder" } else { "a device or pipe" };
        return Err(format!(
            "cannot keep a checkpoint in {name}: it is {what}, expected a file or the name of a new one"
        ));
    }
    // A parsed checkpoint takes several times its size.
    if options.max_memory.is_some_and(|most| about.len() > most / 4) {
        return Err(format!(
            "{name}: a checkpoint of {} MB is too large for the limit of memory; raise --max-memory",
            about.len() >> 20
        ));
    }
    let text = fs::read_to_string(file).map_err(cannot_read)?;
    Ok((checkpoint::read(&name, &text, program, options.order)?, false))
}

/// The result of a search that ends because its checkpoint cannot be written: to continue would be
/// to lose more.
fn not_kept(mut verified: Verified, error: &str) -> Verified {
    let report = &mut verified.report;
    let executions = report.stats.executions;
    let why = format!(
        "the search ended after {executions} executions because its checkpoint could not be kept: {error}"
    );
    if verified.out_of_time {
        // The end of a slice is no limit that the user has set.
        report.limits.pop();
    }
    report.limits.push(why);
    verified
}
