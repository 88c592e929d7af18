//! One trace by two workers against one: happens-before, from text and from our binary form.
//!
//! The machine may have other load, so that times by the clock say little: the processor time of
//! one worker is compared with that of the slower of two.

use crate::Section;
use crate::child::interleaved;
use crate::document::Table;
use crate::rates::Traces;
use std::collections::BTreeMap;
use std::fs;

const ROUNDS: usize = 3;
const THREADS: [u64; 2] = [8, 64];
pub(crate) const EVENTS: u64 = 10_000_000;

/// What two workers are to reach.
const TARGET: f64 = 1.7;

/// How much more memory the larger trace may take.
const FLAT: f64 = 1.3;

/// With traces of `larger` events as well, if that is asked for: these take gigabytes of disk.
pub(crate) fn measure(larger: Option<u64>) -> Section {
    let traces = Traces::new();
    let columns = [
        "threads, events, format",
        "one worker, s",
        "the slower of two, s",
        "×",
        "one, peak MB",
        "two, peak MB",
    ];
    let mut table = Table::new(&columns);
    let mut missed = Vec::new();
    // The memory of the smaller traces, by threads and format.
    let mut small = BTreeMap::new();
    let sizes = [EVENTS].into_iter().chain(larger);
    for (events, threads) in sizes.flat_map(|events| THREADS.map(|threads| (events, threads))) {
        let text = traces.text(threads, events);
        let binary = traces.binary(&text);
        for (format, file) in [("text", &text), ("binary", &binary)] {
            let rounds = if events > EVENTS { 1 } else { ROUNDS };
            let costs = interleaved(&[("hb", file), ("hb, shared", file)], rounds);
            let [one, two] = costs[..] else { panic!("two analyses a trace") };
            assert_eq!((one.events, one.found), (two.events, two.found), "the same is found");
            let slower = two.steps as f64 / 1e6;
            let gain = one.seconds / slower;
            table.row(&[
                format!("{threads}, {:.0}·10⁷, {format}", events as f64 / 1e7),
                format!("{:.3}", one.seconds),
                format!("{slower:.3}"),
                format!("{gain:.2}"),
                format!("{:.1}", one.megabytes()),
                format!("{:.1}", two.megabytes()),
            ]);
            if gain < TARGET {
                missed.push(format!(
                    "two workers, {threads} threads, {events} events, {format}: {gain:.2} times one"
                ));
            }
            let peak = two.megabytes();
            let before = *small.entry((threads, format)).or_insert(peak);
            if peak > FLAT * before {
                missed.push(format!(
                    "memory of two workers, {threads} threads, {format}: {before:.1} to {peak:.1} MB"
                ));
            }
        }
        let _ = (fs::remove_file(&text), fs::remove_file(&binary));
    }
    Section { name: "workers", text: table.into_text(), missed }
}
