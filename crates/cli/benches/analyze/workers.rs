//! One trace by two workers against one: happens-before, from text and from our binary form.
//!
//! The machine may have other load, so that times by the clock say little: the processor time of
//! one worker is compared with that of the slower of two.

use crate::Section;
use crate::child::interleaved;
use crate::document::Table;
use crate::rates::Traces;

const ROUNDS: usize = 3;
const THREADS: [u64; 2] = [8, 64];
const EVENTS: u64 = 10_000_000;

/// What two workers are to reach.
const TARGET: f64 = 1.7;

pub(crate) fn measure() -> Section {
    let traces = Traces::new();
    let columns =
        ["threads, format", "one worker, s", "the slower of two, s", "×", "one, peak MB", "two, peak MB"];
    let mut table = Table::new(&columns);
    let mut missed = Vec::new();
    for threads in THREADS {
        let text = traces.text(threads, EVENTS);
        let binary = traces.binary(&text);
        for (format, file) in [("text", &text), ("binary", &binary)] {
            let costs = interleaved(&[("hb", file), ("hb, shared", file)], ROUNDS);
            let [one, two] = costs[..] else { panic!("two analyses a trace") };
            assert_eq!((one.events, one.found), (two.events, two.found), "the same is found");
            let slower = two.steps as f64 / 1e6;
            let gain = one.seconds / slower;
            table.row(&[
                format!("{threads}, {format}"),
                format!("{:.3}", one.seconds),
                format!("{slower:.3}"),
                format!("{gain:.2}"),
                format!("{:.1}", one.megabytes()),
                format!("{:.1}", two.megabytes()),
            ]);
            if gain < TARGET {
                missed.push(format!("two workers, {threads} threads, {format}: {gain:.2} times one"));
            }
        }
    }
    Section { name: "workers", text: table.into_text(), missed }
}
