//! Turns the records of a program's channel into a report, however the program ended.
//!
//! Several processes may write to one channel: a script starts one program after the other, a
//! program calls `exec`. Each process has a report of its own; they are joined.

use super::{join, nothing_known};
use raceproof::channel::{self, Begin, Exec, Kind, Record};
use raceproof_core::finding::{Report, Scope};
use raceproof_report::listed::identify;
use raceproof_report::{Project, Sources, Suppressions};
use raceproof_symbols::Symbols;
use raceproof_symbols::raw::{RawError, RawRace, Spot};

/// A process that has begun.
#[derive(Default)]
struct Process {
    number: u32,
    begin: Option<Begin>,
    maps: String,
    races: Vec<RawRace>,
    errors: Vec<RawError>,
    limits: Vec<String>,
    /// Its own report, if it came to that.
    report: Option<Report>,
    /// The program it has become, if nothing came after that.
    became: Option<String>,
}

/// A limit of a report that was not finished.
const UNFINISHED: &str =
    "the program ended before its report was whole: what it did after the last finding is not known";
const DAMAGED: &str = "a part of what the program has found cannot be read: it was killed in the middle of a finding, there was no room, it has written \
     over it, or it was built by another version of raceproof";

/// The report of a program by what is in its channel; none if no process of ours has begun.
pub(super) fn report(bytes: &[u8]) -> Option<Report> {
    let (records, mut whole) = channel::records(bytes);
    let mut processes: Vec<Process> = Vec::new();
    for record in records {
        if record.kind == Kind::Begin {
            // The process of the same number has become this program.
            if let Some(before) = last(&mut processes, record.process) {
                before.became = None;
            }
            processes.push(Process { number: record.process, ..Process::default() });
        }
        if let Some(process) = last(&mut processes, record.process) {
            whole &= process.take(record).is_ok();
        }
    }
    let joined = processes.into_iter().map(Process::report).reduce(|one, other| {
        let joined = join::join(one, other);
        let stats = raceproof_core::finding::Stats { executions: 1, ..joined.stats };
        Report { stats, ..joined }
    });
    joined.map(|mut report| {
        if !whole {
            report.limits.push(DAMAGED.to_owned());
        }
        report
    })
}

/// The locations of the races, if there was one process. With several, another run cannot tell
/// which is which.
pub(super) fn spots(bytes: &[u8]) -> Vec<Spot> {
    let (records, _) = channel::records(bytes);
    if records.iter().filter(|record| record.kind == Kind::Begin).count() != 1 {
        return Vec::new();
    }
    let spots = records.iter().find(|record| record.kind == Kind::Spots);
    spots.and_then(|record| serde_json::from_slice(record.content).ok()).unwrap_or_default()
}

fn last(processes: &mut [Process], number: u32) -> Option<&mut Process> {
    processes.iter_mut().rfind(|process| process.number == number)
}

impl Process {
    fn take(&mut self, record: Record<'_>) -> serde_json::Result<()> {
        let text = || String::from_utf8_lossy(record.content).into_owned();
        match record.kind {
            Kind::Begin => self.begin = Some(serde_json::from_slice(record.content)?),
            Kind::Maps => self.maps = text(),
            Kind::Race => {
                self.races.push(RawRace { count: record.count, ..serde_json::from_slice(record.content)? })
            }
            Kind::Error => self.errors.push(serde_json::from_slice(record.content)?),
            Kind::Limit => self.limits.push(text()),
            Kind::Report => self.report = Some(serde_json::from_slice(record.content)?),
            Kind::Exec => {
                let Exec { program, report } = serde_json::from_slice(record.content)?;
                (self.report, self.became) = (Some(report), Some(program));
            }
            Kind::GoesOn => (self.report, self.became) = (None, None),
            Kind::Request | Kind::Answer | Kind::Trace | Kind::Spots => {}
        }
        Ok(())
    }

    fn report(self) -> Report {
        let folder = self.begin.as_ref().map(|begin| begin.folder.clone()).unwrap_or_default();
        let symbols = Symbols::from_maps_in(&self.maps, folder.into());
        let mut report = self.report.unwrap_or_else(|| {
            let mut limits = self.limits;
            limits.push(UNFINISHED.to_owned());
            let coverage = self.begin.as_ref().map(|begin| begin.coverage.clone());
            Report { limits, coverage, detector: "default".to_owned(), ..nothing_known() }
        });
        if let Some(program) = self.became {
            let what = format!("the program became another ({program}): what comes after that is not known");
            report.limits.push(what);
            (report.scope, report.determinate) = (Scope::ObservedSchedule, None);
        }
        report.races.extend(symbols.races(&self.races));
        report.errors.splice(0..0, self.errors.iter().map(|raw| symbols.error(raw)));
        report.verdict = Report::judge(&report.races, &report.errors, &report.deadlocks, &report.limits);
        let rules = self.begin.and_then(|begin| begin.suppressions);
        if let Some(rules) = rules.and_then(|text| Suppressions::parse(&text).ok()) {
            // By the runtime's own rules; the ids are those that the command gives.
            let mut sources = Sources::of(Project::here());
            sources.load_for(&report);
            identify(&mut report, &sources);
            rules.apply(&mut report);
        }
        report
    }
}
