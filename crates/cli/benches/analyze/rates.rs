//! How many events a second, and in how much memory.

use crate::Section;
use crate::child::{Cost, interleaved};
use crate::document::Table;
use crate::generate::generate;
use raceproof_core::trace::writer::TraceWriter;
use raceproof_core::trace::{AnySource, Batch, Source};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const ROUNDS: usize = 3;
const THREADS: [u64; 3] = [8, 64, 512];
const EVENTS: [u64; 3] = [100_000, 1_000_000, 10_000_000];

/// Ten times what RAPID reaches, in millions of events a second, by threads: HB, SHB, WCP.
const TARGETS: [[Option<f64>; 3]; 3] =
    [[Some(7.4), Some(4.9), Some(1.4)], [Some(4.1), Some(3.1), Some(0.1)], [Some(0.9), None, None]];

struct Row {
    threads: u64,
    events: u64,
    /// hb shb wcp dc plain, from text; hb from our binary form.
    costs: Vec<Cost>,
}

/// A trace in a folder of its own, removed at the end.
pub(crate) struct Traces {
    folder: TempDir,
}

impl Traces {
    pub(crate) fn new() -> Self {
        Traces { folder: TempDir::with_prefix("raceproof-traces-").expect("a folder for traces can be made") }
    }

    pub(crate) fn text(&self, threads: u64, events: u64) -> PathBuf {
        let file = self.folder.path().join(format!("{threads}-{events}.std"));
        let out = BufWriter::new(File::create(&file).expect("the trace can be written"));
        generate(out, threads, events).expect("the trace can be written");
        file
    }

    pub(crate) fn binary(&self, text: &Path) -> PathBuf {
        let file = text.with_extension("rpt");
        let mut source = AnySource::open(File::open(text).expect("it was written")).expect("it is a trace");
        let out = BufWriter::new(File::create(&file).expect("the trace can be written"));
        let mut writer = TraceWriter::new(out);
        let mut batch = Batch::default();
        while source.next(&mut batch).expect("the trace is well-formed") {
            batch.events.iter().for_each(|event| event.deliver(&mut writer));
        }
        writer.finish().expect("the trace can be written");
        file
    }
}

fn rows() -> Vec<Row> {
    let traces = Traces::new();
    let mut rows = Vec::new();
    for threads in THREADS {
        for events in EVENTS {
            let text = traces.text(threads, events);
            let binary = traces.binary(&text);
            let mut jobs: Vec<(&str, &Path)> =
                ["hb", "shb", "wcp", "dc", "plain"].map(|name| (name, &*text)).to_vec();
            jobs.push(("hb", &binary));
            rows.push(Row { threads, events, costs: interleaved(&jobs, ROUNDS) });
            let _ = (fs::remove_file(&text), fs::remove_file(&binary));
        }
    }
    rows
}

pub(crate) fn measure() -> [Section; 2] {
    let rows = rows();
    [rates(&rows), memory(&rows)]
}

fn rates(rows: &[Row]) -> Section {
    let columns =
        ["threads, events", "plain HB", "HB", "× plain", "SHB", "WCP", "DC", "HB, binary", "× text"];
    let mut table = Table::new(&columns);
    let mut missed = Vec::new();
    for Row { threads, events, costs } in rows {
        let [hb, shb, wcp, dc, plain, binary] = costs[..] else { panic!("six analyses a trace") };
        let rate = |cost: Cost| format!("{:.2}", cost.rate());
        table.row(&[
            format!("{threads}, 10{}", ["⁵", "⁶", "⁷"][events.ilog10() as usize - 5]),
            rate(plain),
            rate(hb),
            format!("{:.1}", plain.seconds / hb.seconds),
            rate(shb),
            rate(wcp),
            rate(dc),
            rate(binary),
            format!("{:.1}", hb.seconds / binary.seconds),
        ]);
        if Some(events) != EVENTS.last() {
            continue;
        }
        let at = THREADS.iter().position(|known| known == threads).expect("a known number of threads");
        for ((name, cost), target) in [("HB", hb), ("SHB", shb), ("WCP", wcp)].into_iter().zip(TARGETS[at]) {
            if let Some(target) = target.filter(|&target| cost.rate() < target) {
                let reached = cost.rate();
                missed.push(format!(
                    "{name}, {threads} threads: {reached:.2} of {target} million events a second"
                ));
            }
        }
        if dc.seconds > 2.0 * wcp.seconds {
            missed.push(format!("DC, {threads} threads: {:.1} times WCP's time", dc.seconds / wcp.seconds));
        }
        if hb.seconds < 3.0 * binary.seconds {
            missed.push(format!(
                "HB from binary, {threads} threads: {:.1} times text",
                hb.seconds / binary.seconds
            ));
        }
    }
    Section { name: "rates", text: table.into_text(), missed }
}

fn memory(rows: &[Row]) -> Section {
    let mut table = Table::new(&["threads, events", "HB", "SHB", "WCP", "DC", "plain HB"]);
    let mut missed = Vec::new();
    let mut before: Option<&Row> = None;
    for row in rows {
        let [hb, shb, wcp, dc, plain, _] = row.costs[..] else { panic!("six analyses a trace") };
        let mut cells =
            vec![format!("{}, 10{}", row.threads, ["⁵", "⁶", "⁷"][row.events.ilog10() as usize - 5])];
        cells.extend([hb, shb, wcp, dc, plain].map(|cost| format!("{:.1}", cost.megabytes())));
        table.row(&cells);
        if let Some(before) = before.filter(|_| Some(&row.events) == EVENTS.last()) {
            for (name, at) in [("HB", 0), ("SHB", 1)] {
                let (small, large) = (before.costs[at].megabytes(), row.costs[at].megabytes());
                if large > 1.3 * small || large > 200.0 {
                    missed.push(format!(
                        "memory of {name}, {} threads: {small:.1} to {large:.1} MB",
                        row.threads
                    ));
                }
            }
        }
        before = Some(row);
    }
    Section { name: "memory", text: table.into_text(), missed }
}
