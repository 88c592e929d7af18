//! A diagnosis as text or JSON.

use super::{Check, Diagnosis, Outcome};
use crate::args::FrontEnd;
use std::fmt::Write;

pub(super) fn text(diagnosis: &Diagnosis) -> String {
    let mut text = format!("raceproof {}\n", diagnosis.version);
    let areas = [FrontEnd::All].into_iter().chain(FrontEnd::EACH);
    for area in areas {
        let checks: Vec<&Check> = diagnosis.checks.iter().filter(|check| check.area == area).collect();
        if checks.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{}", area.title());
        for check in checks {
            let mark = match check.outcome {
                Outcome::Ok => "ok     ",
                Outcome::Note => "note   ",
                Outcome::Missing => "missing",
            };
            let _ = writeln!(text, "  {mark}  {}: {}", check.name, check.detail);
            if let Some(install) = &check.install {
                let _ = writeln!(text, "           install: {install}");
            }
        }
    }
    let names = |areas: &[FrontEnd]| areas.iter().map(|area| area.name()).collect::<Vec<_>>().join(", ");
    let _ = writeln!(text);
    if diagnosis.usable {
        let _ = writeln!(text, "usable: {}", names(&diagnosis.working));
    } else {
        let broken: Vec<FrontEnd> =
            diagnosis.wanted.iter().copied().filter(|area| !diagnosis.working.contains(area)).collect();
        let _ = writeln!(text, "not usable: {}; see `missing` above", names(&broken));
    }
    text
}

pub(super) fn json(diagnosis: &Diagnosis) -> String {
    let mut text = serde_json::to_string_pretty(diagnosis).unwrap_or_default();
    text.push('\n');
    text
}
