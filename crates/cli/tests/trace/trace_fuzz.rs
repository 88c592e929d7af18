//! Random damage to traces of all three formats: no panic, no memory beyond what the bytes can ask
//! for, an offset inside the file, and events that every analysis can take.
//!
//! `FUZZ_ITERS=1000000 FUZZ_SEED=7 cargo test --release -p raceproof-cli --test trace trace_fuzz::`
//! runs longer or elsewhere. Every input follows from the seed and its number; a failure prints
//! both. Keep the input in `trace-corpus/`.

use crate::common;

use common::mutate::Random;
use common::seeds::setting;
use raceproof_core::debug::witness::Witnesses;
use raceproof_core::detect::epochs::Epochs;
use raceproof_core::detect::predict::Predictor;
use raceproof_core::event::Event;
use raceproof_core::order::{Order, dc::Dc, hb::Hb, shb::Shb, wcp::Wcp};
use raceproof_core::trace::parallel::{self, Workers};
use raceproof_core::trace::sections::atomics_as_sections;
use raceproof_core::trace::{AnySource, Batch, Source};
use std::fs;
use std::panic::{self, AssertUnwindSafe};

const FILE_HEADER: usize = 16;
const BLOCK_HEADER: usize = 20;

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/trace-corpus");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let file = |path: std::path::PathBuf| (path.display().to_string(), fs::read(&path).unwrap());
    paths.into_iter().map(file).collect()
}

/// What became of a trace.
struct Outcome {
    events: Vec<Event>,
    failed: bool,
}

fn read(bytes: &[u8]) -> Outcome {
    let mut events = Vec::new();
    let mut batch = Batch::default();
    let error = match AnySource::open(bytes) {
        Err(error) => Some(error),
        Ok(mut source) => loop {
            let more = source.next(&mut batch);
            events.append(&mut batch.events);
            match more {
                Ok(true) => {}
                Ok(false) => break None,
                Err(error) => break Some(error),
            }
        },
    };
    if let Some(error) = &error {
        assert!(error.offset <= bytes.len() as u64, "{error} in {} bytes", bytes.len());
        assert!(!error.message.is_empty());
    }
    Outcome { events, failed: error.is_some() }
}

/// Several workers read and find what one does.
fn shared_out(bytes: &[u8], alone: &Outcome) {
    let mut detector = Epochs::<Hb>::default();
    detector.observe(&alone.events);
    for count in 2..=3 {
        let Ok(mut source) = AnySource::open(bytes) else { continue };
        let workers = Workers { count, ended: None };
        let found = parallel::analyse::<Hb, _>(&mut source, workers, |_| (), || true);
        let (found, ended) = found.expect("accesses do not change happens-before");
        assert_eq!(ended.is_err(), alone.failed);
        assert_eq!(found.races, detector.races());
        assert_eq!(
            found.reads + found.writes,
            alone
                .events
                .iter()
                .filter(|event| matches!(event, Event::Access { .. } | Event::Atomic { .. }))
                .count() as u64
        );
    }
}

fn analyses<O: Order + Default>(events: &[Event]) {
    let mut fast = Epochs::<O>::default();
    let mut slow = Predictor::<O>::default();
    events.iter().for_each(|event| event.deliver(&mut fast));
    // Damage can make an access atomic.
    let sections = atomics_as_sections(events.to_vec()).events;
    sections.iter().for_each(|event| event.deliver(&mut slow));
    if sections.len() == events.len() {
        let mut racy = fast.racy().to_vec();
        racy.sort();
        assert_eq!(racy, slow.racy());
    }
    let witnesses = Witnesses::new(&sections);
    for race in slow.predictions().iter().take(3) {
        witnesses.confirm(race);
    }
}

#[test]
fn the_corpus_itself() {
    let files = corpus();
    for extension in [".std", ".bin", ".rpt"] {
        assert!(files.iter().filter(|(name, _)| name.ends_with(extension)).count() >= 2, "{extension}");
    }
    let mut atomics = 0;
    for (name, bytes) in files {
        let outcome = read(&bytes);
        assert!(!outcome.failed && outcome.events.len() > 3, "{name}");
        atomics += outcome.events.iter().filter(|event| matches!(event, Event::Atomic { .. })).count();
        analyses::<Hb>(&outcome.events);
        shared_out(&bytes, &outcome);
    }
    assert!(atomics > 0, "no trace has atomic accesses");
}

/// The beginnings of the blocks of a trace of ours.
fn blocks(bytes: &[u8]) -> Vec<usize> {
    let mut at = FILE_HEADER;
    let mut starts = Vec::new();
    while let Some(header) = bytes.get(at..at + BLOCK_HEADER) {
        starts.push(at);
        let stored = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        at += BLOCK_HEADER + stored as usize;
    }
    starts
}

/// A block with what is in it damaged and its checksum right, so that the damage is met by the
/// decoder.
fn damaged_inside(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let starts = blocks(bytes);
    let at = starts[random.below(starts.len())];
    let word =
        |offset: usize| u32::from_le_bytes(bytes[at + offset..at + offset + 4].try_into().unwrap()) as usize;
    let (stored, plain) = (word(4), word(8));
    let payload = bytes.get(at + BLOCK_HEADER..at + BLOCK_HEADER + stored)?;
    let payload =
        if bytes[at + 1] == 1 { zstd::bulk::decompress(payload, plain).ok()? } else { payload.to_vec() };
    let payload = damaged(&payload, &payload, random);
    let mut count = word(12) as u32;
    if random.below(4) == 0 {
        count = [0, 1, count + 1, count.wrapping_sub(1), u32::MAX][random.below(5)];
    }
    let mut block = vec![bytes[at], 0, 0, 0];
    block.extend((payload.len() as u32).to_le_bytes());
    block.extend((payload.len() as u32).to_le_bytes());
    block.extend(count.to_le_bytes());
    let mut check = crc32fast::Hasher::new();
    check.update(&block);
    check.update(&payload);
    block.extend(check.finalize().to_le_bytes());
    block.extend(payload);
    Some([&bytes[..at], &block, &bytes[at + BLOCK_HEADER + stored..]].concat())
}

fn damaged(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let at = random.below(out.len() + 1);
    let len = random.below((out.len() - at).min(24) + 1);
    match random.below(9) {
        0 | 1 => {
            if let Some(byte) = out.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        2 => out.truncate(at),
        3 => drop(out.drain(at..at + len)),
        4 => {
            let copy = out[at..at + len].to_vec();
            let to = random.below(out.len() + 1);
            out.splice(to..to, copy);
        }
        5 => out[at..at + len].fill([0, 0x7f, 0x80, 0xff][random.below(4)]),
        6 => {
            let from = random.below(other.len() + 1);
            let upto = from + random.below((other.len() - from).min(40) + 1);
            out.splice(at..at + len, other[from..upto].iter().copied());
        }
        7 => {
            let bad: &[&[u8]] = &[
                b"|",
                b"(",
                b")|",
                b"\n",
                b"\r\n",
                b"99999999",
                b"T1|end|0\n",
                b"T1|fork(T1)|0\n",
                b"\nT0|fork(T1)|0\n",
                b"\nT0|join(T1)|0\n",
                b"\nT1|join(T0)|0\n",
                b"T1|req(L0)|0\n",
                b"branch",
                b"T0|begin(raceproof:part-of-a-run)|0\n",
                b"T0|begin(raceproof:initial-values)|0\n",
            ];
            out.splice(at..at, bad[random.below(bad.len())].iter().copied());
        }
        _ => {
            let byte = random.below(256) as u8;
            out.insert(at, byte);
        }
    }
    out
}

#[test]
fn damaged_traces() {
    let iterations = setting("FUZZ_ITERS", 20_000);
    let seed = setting("FUZZ_SEED", 1);
    let files = corpus();
    let (mut failed, mut good) = (0u64, 0u64);
    for number in 0..iterations {
        let mut random = Random::new(seed, number);
        let (name, bytes) = &files[random.below(files.len())];
        let other = &files[random.below(files.len())].1;
        let mut input = bytes.clone();
        for _ in 0..=random.below(3) {
            let inside = name.ends_with(".rpt") && random.below(3) > 0;
            let inside = inside.then(|| damaged_inside(bytes, &mut random)).flatten();
            input = inside.unwrap_or_else(|| damaged(&input, other, &mut random));
        }
        let tried = panic::catch_unwind(AssertUnwindSafe(|| {
            let outcome = read(&input);
            // An event of text becomes at most six: late forks of threads that were joined.
            assert!(outcome.events.len() <= 6 * input.len() + 6 || name.ends_with(".rpt"));
            analyses::<Hb>(&outcome.events);
            analyses::<Shb>(&outcome.events);
            analyses::<Wcp>(&outcome.events);
            analyses::<Dc>(&outcome.events);
            outcome.failed
        }));
        match tried {
            Ok(true) => failed += 1,
            Ok(false) => good += 1,
            Err(_) => panic!("FUZZ_SEED={seed}, input {number}, from {name}: {input:02x?}"),
        }
    }
    println!("{iterations} inputs: {failed} with an offence, {good} without");
    assert!(iterations < 1000 || failed > iterations / 4, "{failed} offences: the damage is too small");
    assert!(iterations < 1000 || good > iterations / 50, "{good} good ones: the damage is too large");
}

/// What is before the damage is read all the same.
#[test]
fn truncated_traces_keep_their_beginning() {
    for (name, bytes) in corpus() {
        let whole = read(&bytes).events;
        for end in 0..bytes.len() {
            let Outcome { events, .. } = read(&bytes[..end]);
            // The last line of a text may be cut to another that is one as well.
            let sure = if name.ends_with(".std") { events.len().saturating_sub(6) } else { events.len() };
            assert!(whole.starts_with(&events[..sure]), "{name}, {end} bytes");
        }
    }
}
