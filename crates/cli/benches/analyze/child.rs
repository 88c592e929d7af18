//! One analysis in a process of its own, so that its peak memory can be read: this program runs
//! itself again.

use crate::common::process::{peak, processor_time, processor_time_of_thread, run_itself};
use crate::plain::Plain;
use raceproof_core::debug::netzer::{Level, Options, analyse};
use raceproof_core::detect::epochs::Epochs;
use raceproof_core::event::Event;
use raceproof_core::order::{Order, dc::Dc, hb::Hb, shb::Shb, wcp::Wcp};
use raceproof_core::trace::parallel::{Workers, analyse as analyse_shared};
use raceproof_core::trace::{AnySource, Batch, Source};
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

/// What one analysis took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Of processor time, reading included.
    pub(crate) seconds: f64,
    pub(crate) events: u64,
    /// Races, or what the analysis counts.
    pub(crate) found: u64,
    pub(crate) steps: u64,
    /// The peak of the resident memory of the process, in bytes.
    pub(crate) peak: u64,
}

impl Cost {
    /// Millions of events a second.
    pub(crate) fn rate(&self) -> f64 {
        self.events as f64 / self.seconds / 1e6
    }

    pub(crate) fn megabytes(&self) -> f64 {
        self.peak as f64 / 1e6
    }
}

/// The fastest of some rounds in which the analyses of one trace take turns.
pub(crate) fn interleaved(jobs: &[(&str, &Path)], rounds: usize) -> Vec<Cost> {
    let mut best: Vec<Cost> = jobs.iter().map(|(name, file)| run(name, file)).collect();
    for _ in 1..rounds {
        for (best, (name, file)) in best.iter_mut().zip(jobs) {
            let cost = run(name, file);
            best.seconds = best.seconds.min(cost.seconds);
            best.steps = best.steps.min(cost.steps);
            best.peak = best.peak.min(cost.peak);
        }
    }
    best
}

fn run(name: &str, file: &Path) -> Cost {
    let said = run_itself(&[name.as_ref(), file.as_os_str()]);
    let fields: Vec<f64> = said.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let [seconds, events, found, steps, peak] = fields[..] else {
        panic!("a child prints five numbers: {said}")
    };
    Cost { seconds, events: events as u64, found: found as u64, steps: steps as u64, peak: peak as u64 }
}

fn each(file: &str, mut some: impl FnMut(&[Event])) -> u64 {
    let mut source =
        AnySource::open(File::open(file).expect("the trace can be read")).expect("it is a trace");
    let (mut batch, mut events) = (Batch::default(), 0);
    while source.next(&mut batch).expect("the trace is well-formed") {
        events += batch.events.len() as u64;
        some(&batch.events);
    }
    events
}

fn ordered<O: Order + Default>(file: &str) -> (u64, u64, u64) {
    let mut detector = Epochs::<O>::default();
    let events = each(file, |events| detector.observe(events));
    (events, detector.races().iter().map(|race| race.count).sum(), 0)
}

fn validated(file: &str, level: Level) -> (u64, u64, u64) {
    let mut all = Vec::new();
    let events = each(file, |events| all.extend_from_slice(events));
    let analysis = analyse(&all, Options { level, ..Options::default() }).expect("not too many races");
    (events, analysis.races.len() as u64, analysis.steps.into())
}

/// Happens-before by two workers; the processor time of the slower one takes the place of the
/// number of steps, in microseconds.
fn shared(file: &str) -> (u64, u64, u64) {
    let mut source =
        AnySource::open(File::open(file).expect("the trace can be read")).expect("it is a trace");
    let taken = Mutex::new(Vec::new());
    let ended = || taken.lock().expect("nobody panics").push(processor_time_of_thread());
    let workers = Workers { count: 2, ended: Some(&ended) };
    let mut others = 0;
    let found = analyse_shared::<Hb, _>(&mut source, workers, |_| others += 1, || true);
    let (found, ended) = found.expect("accesses do not change happens-before");
    ended.expect("the trace is well-formed");
    let slowest: Duration = taken.into_inner().expect("nobody panics").into_iter().max().unwrap_or_default();
    let races = found.races.iter().map(|race| race.count).sum();
    (found.reads + found.writes + others, races, slowest.as_micros() as u64)
}

/// The child: analyses, and prints the cost.
pub(crate) fn serve(job: &[String]) -> ExitCode {
    let [name, file] = job else { panic!("a child is given an analysis and a trace") };
    let start = processor_time();
    let (events, found, steps) = match name.as_str() {
        "hb" => ordered::<Hb>(file),
        "hb, shared" => shared(file),
        "shb" => ordered::<Shb>(file),
        "wcp" => ordered::<Wcp>(file),
        "dc" => ordered::<Dc>(file),
        "complete" => validated(file, Level::Complete),
        "approximate" => validated(file, Level::Approximate),
        "plain" => {
            let mut plain = Plain::default();
            (each(file, |events| events.iter().for_each(|event| plain.event(event))), plain.races, 0)
        }
        other => panic!("{other} is no analysis"),
    };
    let seconds = (processor_time() - start).as_secs_f64();
    println!("{seconds} {events} {found} {steps} {}", peak());
    ExitCode::SUCCESS
}
