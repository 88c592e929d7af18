//! The programs of the Zipper paper's Table 3: the time of detection alone, all detectors side by
//! side.
//!
//! The events of one depth-first run are recorded once and given to each detector up to its
//! verdict; building a graph belongs to that for the detectors that need one. The detectors take
//! turns for [`ROUNDS`] rounds, a turn repeats the work until it takes [`TURN`], and the fastest
//! turn counts.

use crate::Section;
use crate::document::{Table, number};
use crate::programs::{self, repository};
use raceproof_core::detect::Detector;
use raceproof_core::detect::closure::Closure;
use raceproof_core::detect::drdp::Drdp;
use raceproof_core::detect::esp_bags::EspBags;
use raceproof_core::detect::last_access::LastAccess;
use raceproof_core::detect::pairs::Pairs;
use raceproof_core::detect::zipper::Zipper;
use raceproof_core::event::{Event, Observer, SyncKind};
use raceproof_core::graph::GraphBuilder;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 100;
const TURN: Duration = Duration::from_micros(200);

/// From this many nodes on the zipper has to beat the closure.
const SMALL: usize = 37;
/// How many times as fast as the zipper the default has to be on the largest programs.
const LARGE: usize = 2005;
const LARGE_RATIO: f64 = 20.0;

fn tell<O: Observer>(mut observer: O, events: &[Event]) -> O {
    for event in events {
        event.deliver(&mut observer);
    }
    observer
}

/// Whether there is a race; nothing if the detector refuses the run.
fn published<D: Detector + Default>(events: &[Event]) -> Option<bool> {
    let detector = tell(D::default(), events);
    if detector.refusal().is_some() {
        return None;
    }
    Some(!detector.finish().is_empty())
}

fn default(events: &[Event]) -> Option<bool> {
    Some(!tell(LastAccess::default(), events).racy().is_empty())
}

/// The default as `check` uses it: if there is a race, the run is told again to gather the pairs.
fn default_with_pairs(events: &[Event]) -> Option<bool> {
    let detector = tell(LastAccess::default(), events);
    if detector.racy().is_empty() {
        return Some(false);
    }
    Some(!tell(Pairs::new(detector.racy()), events).gather().pairs.is_empty())
}

type Detect = fn(&[Event]) -> Option<bool>;

const CLOSURE: usize = 0;
const ZIPPER: usize = 1;
const ESP_BAGS: usize = 2;
const DEFAULT: usize = 4;
const WITH_PAIRS: usize = 5;

const DETECTORS: [(&str, Detect); 6] = [
    ("closure", published::<Closure>),
    ("zipper", published::<Zipper>),
    ("esp-bags", published::<EspBags>),
    ("drdp", published::<Drdp>),
    ("default", default),
    ("default with pairs", default_with_pairs),
];

fn repeat(detect: Detect, events: &[Event], times: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        black_box(detect(black_box(events)));
    }
    start.elapsed()
}

/// The microseconds each detector takes; nothing for those that refuse.
fn times(events: &[Event]) -> Vec<Option<f64>> {
    let prepare = |&(_, detect): &(&str, Detect)| {
        detect(events)?;
        let mut turns = 1;
        while repeat(detect, events, turns) < TURN {
            turns *= 2;
        }
        Some((detect, turns, Duration::MAX))
    };
    let mut best: Vec<_> = DETECTORS.iter().map(prepare).collect();
    for _ in 0..ROUNDS {
        for (detect, turns, fastest) in best.iter_mut().flatten() {
            *fastest = repeat(*detect, events, *turns).min(*fastest);
        }
    }
    best.into_iter()
        .map(|entry| entry.map(|(_, turns, time)| time.as_secs_f64() * 1e6 / f64::from(turns)))
        .collect()
}

struct Row {
    name: String,
    nodes: usize,
    race: String,
    times: Vec<Option<f64>>,
}

pub(crate) fn measure() -> Section {
    let mut rows: Vec<Row> = names().iter().map(|name| row(name)).collect();
    rows.sort_by(|a, b| (a.nodes, &a.name).cmp(&(b.nodes, &b.name)));
    let mut columns = vec!["program", "nodes", "race"];
    columns.extend(DETECTORS.map(|(name, _)| name));
    columns.extend(["closure / zipper", "zipper / default"]);
    let mut table = Table::new(&columns);
    for row in &rows {
        let ratio = |a: usize, b: usize| Some(row.times[a]? / row.times[b]?);
        let mut cells = vec![row.name.clone(), row.nodes.to_string(), row.race.clone()];
        let ratios = [ratio(CLOSURE, ZIPPER), ratio(ZIPPER, DEFAULT)];
        cells.extend(row.times.iter().copied().chain(ratios).map(|value| value.map_or("–".into(), number)));
        table.row(&cells);
    }
    Section { text: table.into_text(), missed: rows.iter().flat_map(missed).collect() }
}

fn names() -> Vec<String> {
    let folder = repository().join("programs/tp/zipper");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned())).collect();
    assert_eq!(names.len(), 27, "the table has 27 programs");
    names
}

fn row(name: &str) -> Row {
    let text = programs::text(&format!("zipper/{name}"));
    let events = programs::events(name, &text);
    let nodes = tell(GraphBuilder::new(), &events).finish().nodes.len();
    assert_eq!(header(&text, "nodes"), Some(nodes.to_string().as_str()), "{name}: nodes");
    let expected = header(&text, "check").or(header(&text, "expect")) == Some("race");
    let isolated = events.iter().any(|event| matches!(event, Event::Join { kind: SyncKind::Isolated, .. }));
    let mut race = if expected { "yes" } else { "no" }.to_owned();
    for (at, (detector, detect)) in DETECTORS.into_iter().enumerate() {
        match detect(&events) {
            Some(found) if found == expected => {}
            // It knows no order of sections and so may say yes where the run's order says no.
            Some(true) if at == ESP_BAGS && isolated => race.push_str(" (esp-bags: yes)"),
            None if at == ESP_BAGS => {}
            other => panic!("{name}: {detector} says {other:?}, expected {expected}"),
        }
    }
    Row { name: name.to_owned(), nodes, race, times: times(&events) }
}

/// The value of a line `// KEY: VALUE` of the header.
fn header<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
}

fn missed(row: &Row) -> Vec<String> {
    let mut missed = Vec::new();
    let time = |at: usize| row.times[at].unwrap_or(f64::INFINITY);
    if row.nodes > SMALL && time(ZIPPER) >= time(CLOSURE) {
        missed.push(format!("{}: the zipper is not faster than the closure", row.name));
    }
    let ratio = time(ZIPPER) / time(DEFAULT);
    if row.nodes >= LARGE && ratio < LARGE_RATIO {
        missed.push(format!(
            "{}: the default is {ratio:.1} times as fast as the zipper, {LARGE_RATIO} wanted",
            row.name
        ));
    }
    for (at, (detector, _)) in DETECTORS.into_iter().enumerate() {
        if at != DEFAULT && at != WITH_PAIRS && time(at) <= time(DEFAULT) {
            missed.push(format!("{}: {detector} is as fast as the default", row.name));
        }
    }
    missed
}
