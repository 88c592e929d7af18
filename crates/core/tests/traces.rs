//! Trace files and the analyses over them, on random event streams: what is written comes back, the
//! text format keeps every order, and the fast detector agrees with the one that finds every pair.

use crate::support;

use raceproof_core::detect::epochs::Epochs;
use raceproof_core::detect::predict::Predictor;
use raceproof_core::event::{AccessKind, Event, Observer};
use raceproof_core::ids::{Location, SiteId, SyncId};
use raceproof_core::order::{Order, dc::Dc, hb::Hb, shb::Shb, wcp::Wcp};
use raceproof_core::trace::parallel::{self, Workers};
use raceproof_core::trace::sections::atomics_as_sections;
use raceproof_core::trace::text_writer::StdWriter;
use raceproof_core::trace::writer::TraceWriter;
use raceproof_core::trace::{AnySource, Batch, Format, Named, Names, Source};
use std::collections::{BTreeSet, HashMap};
use support::sectioned::{self, Sectioned};
use support::{EVERYTHING, Rng, Schedule};

const CASES: u64 = 1_500;

fn streams() -> impl Iterator<Item = (u64, Vec<Event>)> {
    (0..CASES).map(|seed| {
        let mut rng = Rng(seed);
        let events = if seed % 3 == 0 {
            let shape = Sectioned { name: "nested", locks: 3, signals: seed % 2 == 0 };
            support::run(&sectioned::generate(&shape, &mut rng), Schedule::Random, seed)
        } else {
            support::run(&support::generate(&EVERYTHING, &mut rng), EVERYTHING.schedule, seed)
        };
        (seed, events)
    })
}

/// Numbers a kind of id in the order of first use.
struct Dense<T>(HashMap<T, u32>);

impl<T: std::hash::Hash + Eq> Dense<T> {
    fn new() -> Self {
        Dense(HashMap::new())
    }

    fn of(&mut self, id: T) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(id).or_insert(next)
    }
}

/// The events with ids as a trace has them.
fn renumbered(events: &[Event]) -> Vec<Event> {
    let (mut syncs, mut locations, mut sites) = (Dense::new(), Dense::new(), Dense::new());
    let renumber = |event: &Event| match *event {
        Event::Spawn { parent, child, scope, site } => {
            Event::Spawn { parent, child, scope, site: SiteId(sites.of(site)) }
        }
        Event::Signal { task, sync, kind } => Event::Signal { task, sync: SyncId(syncs.of(sync)), kind },
        Event::Join { task, sync, kind } => Event::Join { task, sync: SyncId(syncs.of(sync)), kind },
        Event::Access { task, kind, location, site } => {
            let location = Location(locations.of(location).into());
            Event::Access { task, kind, location, site: SiteId(sites.of(site)) }
        }
        Event::Atomic { task, kind, location, site } => {
            let location = Location(locations.of(location).into());
            Event::Atomic { task, kind, location, site: SiteId(sites.of(site)) }
        }
        other => other,
    };
    events.iter().map(renumber).collect()
}

fn written(events: &[Event]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new());
    for (at, event) in events.iter().enumerate() {
        event.deliver(&mut writer);
        // Blocks of all sizes.
        if at % 37 == 5 {
            writer.flush();
        }
    }
    for site in writer.used_sites() {
        writer.name(Named::Site(site), &format!("site{}", site.0));
    }
    for location in writer.used_locations() {
        writer.name(Named::Location(location), &format!("x{}", location.0));
    }
    writer.finish().expect("a vector takes everything")
}

fn read(bytes: &[u8]) -> (Vec<Event>, Names, Format) {
    let mut source = AnySource::open(bytes).expect("it begins like a trace");
    let (mut batch, mut events) = (Batch::default(), Vec::new());
    while source.next(&mut batch).unwrap_or_else(|error| panic!("{error}")) {
        events.append(&mut batch.events);
    }
    assert_eq!(source.note(), None);
    (events, source.names().clone(), source.format())
}

#[test]
fn what_is_written_comes_back() {
    for (seed, events) in streams() {
        let (back, names, format) = read(&written(&events));
        assert_eq!((back, format), (renumbered(&events), Format::Raceproof), "seed {seed}");
        let first = events.iter().find_map(|event| match event {
            Event::Access { location, .. } => Some(format!("x{}", location.0)),
            _ => None,
        });
        assert_eq!(names.given(Named::Location(Location(0))).map(str::to_owned), first);
    }
}

/// The streams with some of their accesses atomic.
fn with_atomics() -> impl Iterator<Item = (u64, Vec<Event>)> {
    streams().map(|(seed, mut events)| {
        let mut rng = Rng(seed);
        for event in &mut events {
            if let Event::Access { task, kind, location, site } = *event
                && rng.below(3) == 0
            {
                *event = Event::Atomic { task, kind, location, site };
            }
        }
        (seed, renumbered(&events))
    })
}

#[test]
fn atomic_accesses_come_back() {
    for (seed, events) in with_atomics() {
        assert_eq!(read(&written(&events)).0, events, "seed {seed}");
    }
}

/// By the definition: two accesses race that conflict, are not both atomic, and are not ordered.
#[test]
fn atomic_accesses_race_with_others_and_not_with_each_other() {
    let mut racy = 0;
    for (seed, events) in with_atomics() {
        let (mut order, mut fast) = (Hb::default(), Epochs::<Hb>::default());
        let mut seen = Vec::new();
        let mut expected = BTreeSet::new();
        for event in &events {
            event.deliver(&mut order);
            event.deliver(&mut fast);
            let (task, kind, location, is_atomic) = match *event {
                Event::Access { task, kind, location, .. } => (task, kind, location, false),
                Event::Atomic { task, kind, location, .. } => (task, kind, location, true),
                _ => continue,
            };
            let races = |&(epoch, was, at, was_atomic): &(_, AccessKind, Location, bool)| {
                at == location
                    && was.conflicts(kind)
                    && !(is_atomic && was_atomic)
                    && !order.knows(task, epoch)
            };
            if seen.iter().any(races) {
                expected.insert(location);
            }
            seen.push((order.epoch_of(task), kind, location, is_atomic));
        }
        racy += usize::from(!expected.is_empty());
        assert_eq!(fast.racy().iter().copied().collect::<BTreeSet<_>>(), expected, "seed {seed}");
    }
    assert!(racy > 300, "{racy} streams with races");
}

/// As sections they are kept apart all the same, and nothing is added.
#[test]
fn atomic_accesses_as_sections_add_no_race() {
    for (seed, events) in with_atomics() {
        let mut before = Epochs::<Hb>::default();
        events.iter().for_each(|event| event.deliver(&mut before));
        let events = atomics_as_sections(events).events;
        let mut after = Epochs::<Hb>::default();
        events.iter().for_each(|event| event.deliver(&mut after));
        assert!(after.racy().iter().all(|location| before.racy().contains(location)), "seed {seed}");
    }
}

/// Every prefix that ends with a block is a trace that is still being written; any other is an
/// error where it ends.
#[test]
fn a_trace_can_be_read_while_it_is_written() {
    for (seed, events) in streams().step_by(50) {
        let bytes = written(&events);
        let whole = renumbered(&events);
        for end in 0..bytes.len() {
            let Ok(mut source) = AnySource::open(&bytes[..end]) else {
                assert!(end < 16, "seed {seed}");
                continue;
            };
            let (mut batch, mut seen) = (Batch::default(), Vec::new());
            let error = loop {
                let more = source.next(&mut batch);
                seen.append(&mut batch.events);
                match more {
                    Ok(true) => {}
                    Ok(false) => break None,
                    Err(error) => break Some(error),
                }
            };
            assert!(whole.starts_with(&seen), "seed {seed}, {end} bytes");
            match error {
                Some(error) => assert_eq!(error.offset, end as u64, "seed {seed}: {error}"),
                None if source.format() == Format::Raceproof => assert!(source.note().is_some()),
                None => {}
            }
        }
    }
}

type Side = (String, AccessKind);

/// Location, first and second access of every race by name, as the detector that misses no pair
/// finds them.
fn races<O: Order + Default>(events: &[Event], names: &Names) -> BTreeSet<(String, Side, Side)> {
    let mut predictor = Predictor::<O>::default();
    events.iter().for_each(|event| event.deliver(&mut predictor));
    let side = |site, kind| (names.of(Named::Site(site)), kind);
    let told = predictor.predictions().into_iter().map(|found| {
        let pair = found.pair;
        let name = names.of(Named::Location(pair.location));
        let (first, second) =
            (side(pair.first.site, pair.first.kind), side(pair.second.site, pair.second.kind));
        (name, first.clone().min(second.clone()), first.max(second))
    });
    told.collect()
}

#[test]
fn the_text_format_keeps_every_order() {
    let mut racy = 0;
    for (seed, events) in streams() {
        let (events, names, _) = read(&written(&events));
        let mut writer = StdWriter::new(Vec::new());
        events.iter().for_each(|event| writer.event(event, &names).expect("a vector takes everything"));
        let text = writer.finish().expect("a vector takes everything");
        if text.is_empty() {
            continue;
        }
        let (back, back_names, format) = read(&text);
        assert_eq!(format, Format::Std);
        let shown = || format!("seed {seed}\n{}", String::from_utf8_lossy(&text));
        racy += usize::from(!races::<Hb>(&events, &names).is_empty());
        assert_eq!(races::<Hb>(&events, &names), races::<Hb>(&back, &back_names), "{}", shown());
        assert_eq!(races::<Shb>(&events, &names), races::<Shb>(&back, &back_names), "{}", shown());
        assert_eq!(races::<Wcp>(&events, &names), races::<Wcp>(&back, &back_names), "{}", shown());
        assert_eq!(races::<Dc>(&events, &names), races::<Dc>(&back, &back_names), "{}", shown());
    }
    assert!(racy > 300, "{racy} streams with races");
}

fn epochs_agree<O: Order + Default>(seed: u64, events: &[Event]) {
    let mut fast = Epochs::<O>::default();
    let mut slow = Predictor::<O>::default();
    for event in events {
        event.deliver(&mut fast);
        event.deliver(&mut slow);
    }
    let mut racy = fast.racy().to_vec();
    racy.sort();
    assert_eq!(racy, slow.racy(), "seed {seed}");
    let side = |access: raceproof_core::detect::Access| (access.site, access.kind);
    let predictions = slow.predictions();
    let all: BTreeSet<_> = predictions
        .iter()
        .flat_map(|found| {
            let (first, second) = (side(found.pair.first), side(found.pair.second));
            [(found.pair.location, first, second), (found.pair.location, second, first)]
        })
        .collect();
    for found in fast.races() {
        assert!(found.count > 0);
        let told = (found.location, side(found.first), side(found.second));
        assert!(all.contains(&told), "seed {seed}: {found:?} is no race of {predictions:?}");
    }
    let first = predictions.first().map(|found| (found.pair.location, side(found.pair.second)));
    assert_eq!(fast.races().first().map(|found| (found.location, side(found.second))), first, "seed {seed}");
}

#[test]
fn epochs_find_every_racy_location_and_the_first_race() {
    for (seed, events) in streams() {
        let events = renumbered(&events);
        epochs_agree::<Hb>(seed, &events);
        epochs_agree::<Shb>(seed, &events);
        epochs_agree::<Wcp>(seed, &events);
        epochs_agree::<Dc>(seed, &events);
    }
}

#[test]
fn a_writer_that_fails_is_told_of_at_the_end() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = TraceWriter::new(Full(100));
    for location in 0..100_000 {
        writer.access(raceproof_core::ids::TaskId::MAIN, AccessKind::Write, Location(location), SiteId(1));
    }
    assert_eq!(writer.finish().err().map(|error| error.kind()), Some(std::io::ErrorKind::StorageFull));
}

fn workers(count: usize) -> Workers<'static> {
    Workers { count, ended: None }
}

/// Race for race, in the same order, with the same counts.
#[test]
fn any_number_of_workers_finds_the_same() {
    let mut racy = 0;
    for (seed, events) in streams().step_by(5).chain(with_atomics().step_by(5)) {
        let bytes = written(&events);
        let events = read(&bytes).0;
        let mut alone = Epochs::<Hb>::default();
        alone.observe(&events);
        let is_write = |event: &&Event| {
            let (Event::Access { kind, .. } | Event::Atomic { kind, .. }) = event else { return false };
            *kind == AccessKind::Write
        };
        let others: Vec<Event> = events
            .iter()
            .filter(|event| !matches!(event, Event::Access { .. } | Event::Atomic { .. }))
            .copied()
            .collect();
        let writes = events.iter().filter(is_write).count();
        let reads = events.len() - others.len() - writes;
        racy += usize::from(alone.races().len() > 1);
        for count in 1..=3 {
            let mut source = AnySource::open(&bytes[..]).expect("it begins like a trace");
            let mut seen = Vec::new();
            let (found, ended) =
                parallel::analyse::<Hb, _>(&mut source, workers(count), |event| seen.push(*event), || true)
                    .expect("accesses do not change happens-before");
            assert_eq!(ended, Ok(()), "seed {seed}");
            assert_eq!(found.races, alone.races(), "seed {seed}, {count} workers");
            assert_eq!((found.reads, found.writes), (reads as u64, writes as u64));
            assert_eq!(seen, others);
        }
        let mut source = AnySource::open(&bytes[..]).expect("it begins like a trace");
        assert!(parallel::analyse::<Shb, _>(&mut source, workers(2), |_| (), || true).is_none());
    }
    assert!(racy > 60, "{racy} streams with several races");
}

/// All that a source gives: events, names, what it tolerated, its note, and how it ended.
fn given(bytes: &[u8], count: usize) -> impl PartialEq + std::fmt::Debug {
    let mut source = AnySource::open(bytes).expect("it begins like a trace");
    let mut events = Vec::new();
    let ended = if count == 0 {
        let mut batch = Batch::default();
        loop {
            let more = source.next(&mut batch);
            events.append(&mut batch.events);
            match more {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        }
    } else {
        parallel::read(&mut source, workers(count), |some| {
            events.extend_from_slice(some);
            true
        })
    };
    let names: Vec<String> = events
        .iter()
        .flat_map(|event| match *event {
            Event::Access { task, location, site, .. } => {
                vec![Named::Task(task), Named::Location(location), Named::Site(site)]
            }
            Event::Join { sync, .. } => vec![Named::Sync(sync)],
            _ => vec![],
        })
        .map(|named| source.names().of(named))
        .collect();
    (events, ended, names, source.tolerated().to_vec(), source.note().map(str::to_owned))
}

/// Text of many pieces, in which names turn up all along, with lines that are wrong or only
/// tolerated: what several workers read is what one reads.
#[test]
fn any_number_of_workers_reads_the_same_text() {
    for seed in 0..12 {
        let mut rng = Rng(seed);
        let mut text = String::new();
        let lines = 20_000 + rng.below(20_000);
        for line in 0..lines {
            let thread = rng.below(3 + line / 3000);
            let (operand, site) = (rng.below(10 + line / 3), rng.below(5 + line / 100));
            let thread_name = if thread % 4 == 3 { format!("worker.{thread}") } else { format!("T{thread}") };
            match rng.below(20) {
                0 => {
                    text += &format!(
                        "{thread_name}|acq(l{})|{site}\n{thread_name}|rel(l{})|{site}\n",
                        operand % 7,
                        operand % 7
                    )
                }
                1 if line > 10_000 => text += &format!("{thread_name}|fork(T{})|x:{site}:1\r\n", thread + 1),
                2 => text += "\n",
                3 => text += &format!("{thread_name}|begin|{site}\n"),
                4 if line == 15_000 => text += "T0|begin(raceproof:part-of-a-run)|1\n",
                5..12 => text += &format!("{thread_name}|w(V{operand})|{site}\n"),
                _ => text += &format!("{thread_name}|r(obj{}.f[{operand}])|{site}\n", operand % 3),
            }
        }
        match seed % 4 {
            // A line that is none, far from the end; a lock that nobody holds; no end of line.
            1 => text.insert_str(
                text.len() - 9_000 + text[text.len() - 9_000..].find('\n').unwrap() + 1,
                "T1|what\n",
            ),
            2 => text += "T1|rel(free)|9\nT1|r(V1)|1\n",
            _ => text += "T1|r(V1)|1",
        }
        let alone = given(text.as_bytes(), 0);
        for count in 1..=3 {
            assert_eq!(given(text.as_bytes(), count), alone, "seed {seed}, {count} workers");
        }
    }
}
