//! Netzer's analysis on traces that grow: time against the number of steps.

use crate::Section;
use crate::child::interleaved;
use crate::document::Table;
use crate::rates::Traces;

const THREADS: u64 = 64;
const EVENTS: [u64; 4] = [160_000, 320_000, 640_000, 1_280_000];

pub(crate) fn measure() -> Section {
    let traces = Traces::new();
    let mut table = Table::new(&["steps", "apparent races", "complete, s", "approximate, s", "growth"]);
    let mut missed = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for events in EVENTS {
        let text = traces.text(THREADS, events);
        let costs = interleaved(&[("complete", &text), ("approximate", &text)], 3);
        let [complete, approximate] = costs[..] else { panic!("two analyses a trace") };
        let steps = complete.steps as f64;
        // The exponent of the time by the number of steps.
        let growth = before
            .map(|(steps_before, before)| (approximate.seconds / before).ln() / (steps / steps_before).ln());
        table.row(&[
            complete.steps.to_string(),
            complete.found.to_string(),
            format!("{:.2}", complete.seconds),
            format!("{:.2}", approximate.seconds),
            growth.map_or("–".to_owned(), |growth| format!("{growth:.2}")),
        ]);
        if growth.is_some_and(|growth| growth > 1.7) || approximate.seconds > 10.0 {
            missed.push(format!("validation of {steps} steps: {:.1} s", approximate.seconds));
        }
        before = Some((steps, approximate.seconds));
    }
    Section { name: "validation", text: table.into_text(), missed }
}
