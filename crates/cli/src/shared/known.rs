//! What the user knows of already: suppressions and baselines, read before the work begins and
//! applied to the report before it is shown.

use crate::args::KnownArgs;
use crate::shared::input;
use crate::shared::status::{BadInput, bad, status};
use raceproof_core::finding::Report;
use raceproof_report::baseline::{self, Baseline};
use raceproof_report::listed::{identify, list};
use raceproof_report::{Sources, Suppressed, Suppressions, suppress};
use std::path::{Path, PathBuf};

/// Suppressions and the baseline, as they were read.
#[derive(Clone)]
pub(crate) struct Known {
    suppressions: Suppressions,
    baseline: Option<Baseline>,
    /// Where a new baseline goes.
    pub(crate) write: Option<PathBuf>,
    print: bool,
    one_of_several: bool,
}

/// What came of it.
pub(crate) struct Settled {
    pub(crate) suppressed: Suppressed,
    /// The exit status that the report means, known findings aside.
    pub(crate) status: u8,
}

impl Known {
    /// Reads the files; what is wrong with them shows before anything runs.
    pub(crate) fn load(args: &KnownArgs) -> Result<Known, BadInput> {
        let mut suppressions = Suppressions::default();
        for entry in &args.of_project {
            suppressions
                .add(&entry.line, &entry.place, entry.reason.clone())
                .map_err(|wrong| bad(format!("{}: {wrong}", entry.place)))?;
        }
        if let Some(file) = &args.suppressions {
            let name = file.display().to_string();
            let text = input::report(file).map_err(bad)?;
            let read = Suppressions::parse(&text).map_err(|wrong| bad(format!("{name}: {wrong}")))?;
            suppressions.extend(&name, read);
        }
        let baseline = match &args.baseline {
            // The first one is yet to be written.
            Some(file) if args.write_baseline.is_some() && !file.exists() => None,
            Some(file) => Some(read_baseline(file)?),
            None => None,
        };
        Ok(Known {
            suppressions,
            baseline,
            write: args.write_baseline.clone(),
            print: args.print_suppressions,
            one_of_several: args.is_one_of_several,
        })
    }

    /// Gives findings their ids, takes out what is suppressed and says what the baseline knows.
    /// `strict` as in [`Report::bound`].
    pub(crate) fn settle(&self, report: &mut Report, sources: &Sources, strict: bool) -> Settled {
        identify(report, sources);
        let mut suppressed = self.suppressions.apply(report);
        if self.one_of_several {
            suppressed.unused.clear();
        }
        report.bound(strict);
        let found = list(report);
        let compared = match (&self.write, &self.baseline) {
            // What is written now is known from now on.
            (Some(_), before) => {
                let ids: Vec<&str> = found.iter().map(|finding| finding.id).collect();
                let gone = before.iter().flat_map(Baseline::ids);
                Some(baseline::compare(&found, ids.into_iter().chain(gone)))
            }
            (None, Some(before)) => Some(baseline::compare(&found, before.ids())),
            (None, None) => None,
        };
        report.baseline = compared;
        if let Some(baseline) = report.baseline.as_mut().filter(|_| self.one_of_several) {
            baseline.gone.clear();
        }
        Settled { suppressed, status: status(&baseline::new_only(report)) }
    }

    /// The file that a new baseline is written to when this report is shown.
    pub(crate) fn writes(&self) -> Option<&Path> {
        self.write.as_deref().filter(|_| !self.one_of_several)
    }

    /// The baseline to be written.
    pub(crate) fn baseline_of(&self, report: &Report, sources: &Sources) -> String {
        Baseline::render(&list(report), &|file| sources.portable(file))
    }

    /// Lines after a text report: what is known, what is gone, what is not used any more, and what
    /// to copy.
    pub(crate) fn notes(&self, report: &Report, settled: &Settled, sources: &Sources) -> String {
        let mut text = String::new();
        if let Some(baseline) = &report.baseline {
            let what = |id: &str| self.baseline.as_ref()?.what(id).map(str::to_owned);
            text += &baseline::notes(baseline, &what);
        }
        for note in unused(&settled.suppressed) {
            text += &format!("note: {note}\n");
        }
        let shown = baseline::new_only(report);
        let findings = list(&shown);
        if self.print && !findings.is_empty() {
            text += "\n# Lines for --suppressions FILE that name what was found:\n";
            for finding in &findings {
                text += &suppress::lines(finding, &|file| sources.portable(file));
            }
        }
        text
    }
}

/// A sentence for each suppression that named nothing.
pub(crate) fn unused(suppressed: &Suppressed) -> Vec<String> {
    let sentence = |rule: &suppress::Suppression| {
        format!("the suppression `{}` ({}) names nothing that was found", rule.line, rule.place)
    };
    suppressed.unused.iter().map(sentence).collect()
}

fn read_baseline(file: &Path) -> Result<Baseline, BadInput> {
    let name = file.display();
    if !file.exists() {
        return Err(bad(format!(
            "there is no baseline {name}; `--write-baseline {name}` writes one of what is found now"
        )));
    }
    let text = input::report(file).map_err(bad)?;
    Baseline::parse(&text).map_err(|wrong| {
        let between = if wrong.starts_with(|c: char| c.is_ascii_digit()) { ":" } else { ": " };
        bad(format!("{name}{between}{wrong}"))
    })
}
