//! The programs in four ways: time, memory, ratios, and the targets.

use crate::build::{Tools, WAYS, Way, small_input};
use crate::document::{Table, number};
use crate::programs::{ALL, Program};
use crate::run::{Cost, Job, interleaved};
use crate::{Options, Section};

/// Of ThreadSanitizer's time, in geometric mean over all programs; and on nine of ten of them.
const OF_TSAN: f64 = 0.4;
const OF_TSAN_MOSTLY: f64 = 0.8;

/// Of ThreadSanitizer's memory, where a million tasks are alive at once. Else no more than all of
/// it.
const OF_MEMORY: f64 = 2.0;
const ALIVE: [&str; 3] = ["list_nodes", "tasks_flat", "tasks_chain"];

/// The floor of one call an access, times the plain build: what a sketch has cost on such programs
/// that did no more than that, and how many times that is wanted at most. What it costs on our own
/// programs is a column beside it.
const SKETCH: [(&str, f64); 4] = [("sort", 2.2), ("health", 4.0), ("strassen", 8.0), ("sparselu", 13.0)];
const OF_FLOOR: f64 = 1.5;

struct Row {
    program: &'static Program,
    plain: Cost,
    raceproof: Result<Cost, String>,
    /// With one thread, and with several.
    tsan: [Result<Cost, String>; 2],
    floor: Result<Cost, String>,
}

impl Row {
    fn measure(tools: &Tools, program: &'static Program, options: &Options) -> Result<Row, String> {
        let arguments = if options.quick { small_input(program.name)? } else { Vec::new() };
        let [plain, raceproof, tsan, floor] = WAYS.map(|way| tools.compile(program.name, way));
        let (plain, raceproof, tsan, floor) = (plain?, raceproof?, tsan?, floor?);
        let job = |program: &std::path::PathBuf, way, threads| Job {
            program: program.clone(),
            way,
            threads,
            arguments: arguments.clone(),
        };
        let jobs = [
            job(&plain, Way::Plain, 1),
            job(&raceproof, Way::Raceproof, options.threads),
            job(&tsan, Way::Tsan, 1),
            job(&tsan, Way::Tsan, options.threads),
            job(&floor, Way::Floor, 1),
        ];
        let mut costs = interleaved(tools, &jobs, options.repeats).into_iter();
        let mut next = || costs.next().unwrap_or_else(|| Err("not measured".into()));
        let plain = next().map_err(|wrong| format!("{}, plain: {wrong}", program.name))?;
        Ok(Row { program, plain, raceproof: next(), tsan: [next(), next()], floor: next() })
    }

    /// ThreadSanitizer's run with several threads: with one it can find nothing.
    fn tsan(&self) -> Option<&Cost> {
        self.tsan[1].as_ref().ok()
    }

    fn slowdown(&self) -> Option<f64> {
        Some(self.raceproof.as_ref().ok()?.seconds / self.plain.seconds)
    }

    fn floor(&self) -> Option<f64> {
        Some(self.floor.as_ref().ok()?.seconds / self.plain.seconds)
    }

    fn of_floor(&self) -> Option<f64> {
        Some(self.slowdown()? / self.floor()?)
    }

    fn of_tsan(&self) -> Option<f64> {
        Some(self.raceproof.as_ref().ok()?.seconds / self.tsan()?.seconds)
    }

    fn of_tsan_alone(&self) -> Option<f64> {
        Some(self.raceproof.as_ref().ok()?.seconds / self.tsan[0].as_ref().ok()?.seconds)
    }

    fn memory_of_tsan(&self) -> Option<f64> {
        Some(self.raceproof.as_ref().ok()?.megabytes / self.tsan()?.megabytes)
    }

    fn cells(&self) -> Vec<String> {
        let raceproof = self.raceproof.as_ref().ok();
        let [one, many] = self.tsan.each_ref().map(|cost| cost.as_ref().ok());
        vec![
            self.program.name.to_owned(),
            shown(Some(self.plain.seconds)),
            shown(raceproof.map(|cost| cost.seconds)),
            shown(self.slowdown()),
            shown(self.program.drdp),
            shown(self.floor()),
            shown(self.of_floor()),
            shown(many.map(|cost| cost.seconds)),
            shown(self.of_tsan()),
            shown(one.map(|cost| cost.seconds)),
            shown(self.of_tsan_alone()),
            shown(Some(self.plain.megabytes)),
            shown(raceproof.map(|cost| cost.megabytes)),
            shown(many.map(|cost| cost.megabytes)),
            shown(self.memory_of_tsan()),
            shown(one.map(|cost| cost.megabytes)),
        ]
    }

    fn missed(&self) -> Vec<String> {
        let (program, mut missed) = (self.program, Vec::new());
        let name = program.name;
        if let Err(wrong) = &self.raceproof {
            missed.push(format!("{name}: raceproof's {wrong}"));
        }
        let mut above = |value: Option<f64>, most: f64, what: &str| {
            if let Some(value) = value.filter(|value| *value > most) {
                missed.push(format!("{name}: {what} {}, at most {} wanted", number(value), number(most)));
            }
        };
        above(self.of_tsan(), 1.0, "raceproof's time as a part of ThreadSanitizer's is");
        let memory = if ALIVE.contains(&name) { OF_MEMORY } else { 1.0 };
        above(self.memory_of_tsan(), memory, "raceproof's memory as a part of ThreadSanitizer's is");
        if let Some((_, floor)) = SKETCH.iter().find(|(known, _)| *known == name) {
            above(
                self.slowdown(),
                OF_FLOOR * floor,
                "against the floor of one call an access, the slowdown is",
            );
        }
        if let Some(published) = program.drdp.filter(|_| program.compiled) {
            above(self.slowdown(), published, "the slowdown over the plain program is");
        }
        missed
    }
}

/// The targets of all programs together.
fn missed_together(rows: &[Row]) -> Vec<String> {
    let mut missed = Vec::new();
    let times: Vec<f64> = rows.iter().filter_map(Row::of_tsan).collect();
    if let Some(value) = mean(times.iter().copied()).filter(|value| *value > OF_TSAN) {
        let value = number(value);
        missed.push(format!("in geometric mean {value} of ThreadSanitizer's time, at most {OF_TSAN} wanted"));
    }
    let above = times.iter().filter(|value| **value > OF_TSAN_MOSTLY).count();
    if 10 * above > times.len() {
        missed.push(format!(
            "{above} of {} programs take more than {OF_TSAN_MOSTLY} of ThreadSanitizer's time, at most one in ten wanted",
            times.len()
        ));
    }
    missed
}

fn shown(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), number)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    let count = logarithms.len() as f64;
    (count > 0.0).then(|| (logarithms.iter().sum::<f64>() / count).exp())
}

pub(crate) fn measure(tools: &Tools, options: &Options) -> Result<Section, String> {
    let many = options.threads;
    let mut table = Table::new(&[
        "program",
        "plain s",
        "raceproof s",
        "× plain",
        "DRDP × plain",
        "floor × plain",
        "raceproof / floor",
        &format!("TSan s, {many} threads"),
        "raceproof / TSan",
        "TSan s, 1 thread",
        "/ TSan, 1 thread",
        "plain MB",
        "raceproof MB",
        &format!("TSan MB, {many} threads"),
        "MB / TSan",
        "TSan MB, 1 thread",
    ]);
    let chosen =
        |program: &&Program| options.only.is_empty() || options.only.iter().any(|name| name == program.name);
    let mut rows = Vec::new();
    for program in ALL.iter().filter(chosen) {
        eprintln!("{} …", program.name);
        let row = Row::measure(tools, program, options)?;
        eprintln!("  of TSan's time {}, memory {}", shown(row.of_tsan()), shown(row.memory_of_tsan()));
        table.row(&row.cells());
        rows.push(row);
    }
    let mut missed: Vec<String> = rows.iter().flat_map(Row::missed).collect();
    for (name, seven) in [("*the seven*", true), ("*the others*", false)] {
        let rows = || rows.iter().filter(|row| row.program.drdp.is_some() == seven);
        let of_tsan = mean(rows().filter_map(Row::of_tsan));
        let slowdown = shown(mean(rows().filter_map(Row::slowdown)));
        let alone = shown(mean(rows().filter_map(Row::of_tsan_alone)));
        let memory = shown(mean(rows().filter_map(Row::memory_of_tsan)));
        let drdp = shown(mean(rows().filter_map(|row| row.program.drdp)));
        let ratio = shown(of_tsan);
        let (floor, of_floor) =
            (shown(mean(rows().filter_map(Row::floor))), shown(mean(rows().filter_map(Row::of_floor))));
        let cells = [
            name, "", "", &slowdown, &drdp, &floor, &of_floor, "", &ratio, "", &alone, "", "", "", &memory,
            "",
        ];
        table.row(&cells);
    }
    if options.only.is_empty() {
        missed.extend(missed_together(&rows));
    }
    Ok(Section { text: table.into_text(), missed })
}
