//! `doctor`: what raceproof finds on this machine, what it misses, and the command that installs
//! it. It looks first, and then tries: it builds and runs a racy program for each front end.

pub(crate) mod command;
mod compilers;
mod links;
mod machine;
mod packages;
mod render;
mod rust;
mod trial;

use crate::args::FrontEnd;
use serde::Serialize;

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Ok,
    /// It works without, less well.
    Note,
    /// The front end does not work without.
    Missing,
}

/// One thing that was looked for or tried.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    /// The front end that needs it.
    #[serde(rename = "for")]
    pub(crate) area: FrontEnd,
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    pub(crate) detail: String,
    /// The command that installs what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) install: Option<String>,
}

impl Check {
    fn new(area: FrontEnd, name: impl Into<String>, outcome: Outcome, detail: impl Into<String>) -> Check {
        Check { area, name: name.into(), outcome, detail: detail.into(), install: None }
    }

    fn with_install(mut self, install: Option<String>) -> Check {
        self.install = install;
        self
    }
}

/// All checks, and what they come to.
#[derive(Debug, Serialize)]
pub(crate) struct Diagnosis {
    tool: &'static str,
    version: &'static str,
    schema: u32,
    /// Whether every front end that was asked for works.
    pub(crate) usable: bool,
    /// The front ends that were asked for.
    wanted: Vec<FrontEnd>,
    /// Those that work.
    working: Vec<FrontEnd>,
    pub(crate) checks: Vec<Check>,
}

impl Diagnosis {
    fn new(wanted: Vec<FrontEnd>, checks: Vec<Check>) -> Diagnosis {
        let works = |area: FrontEnd| {
            let of = |check: &&Check| check.area == area || check.area == FrontEnd::All;
            checks.iter().filter(of).all(|check| check.outcome != Outcome::Missing)
        };
        let working: Vec<FrontEnd> = FrontEnd::EACH.into_iter().filter(|area| works(*area)).collect();
        let usable = wanted.iter().all(|area| working.contains(area));
        Diagnosis {
            tool: "raceproof",
            version: env!("CARGO_PKG_VERSION"),
            schema: 1,
            usable,
            wanted,
            working,
            checks,
        }
    }
}

/// Looks and tries. Without a wish, what the machine has the compilers for is wanted: C programs
/// always, Rust programs if there is a cargo.
pub(crate) fn diagnose(wanted: &[FrontEnd], tries: bool) -> Diagnosis {
    let mut checks = machine::checks();
    let supported = checks.iter().all(|check| check.outcome != Outcome::Missing);
    checks.extend(compilers::clangs());
    checks.extend(compilers::flangs());
    checks.extend(links::checks());
    checks.extend(rust::checks());
    if tries {
        checks.push(trial::tp());
        if supported {
            let ready = |area: FrontEnd| {
                checks.iter().all(|check| check.area != area || check.outcome != Outcome::Missing)
            };
            let (c, fortran, rust) =
                (ready(FrontEnd::Openmp), ready(FrontEnd::Fortran), ready(FrontEnd::Rust));
            checks.extend(c.then(trial::openmp));
            checks.extend(fortran.then(trial::fortran));
            checks.extend(rust.then(trial::rayon));
        }
    }
    let wanted = match wanted {
        [] if rust::has_cargo() => vec![FrontEnd::Tp, FrontEnd::Openmp, FrontEnd::Rust],
        [] => vec![FrontEnd::Tp, FrontEnd::Openmp],
        some => some.to_vec(),
    };
    Diagnosis::new(wanted, checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(area: FrontEnd, outcome: Outcome) -> Check {
        Check::new(area, "x", outcome, "")
    }

    #[test]
    fn what_is_missing_makes_its_front_end_unusable_and_no_other() {
        let checks = vec![check(FrontEnd::Openmp, Outcome::Missing), check(FrontEnd::Rust, Outcome::Note)];
        assert!(!Diagnosis::new(vec![FrontEnd::Openmp], checks.clone()).usable);
        assert!(Diagnosis::new(vec![FrontEnd::Rust, FrontEnd::Tp], checks.clone()).usable);
        let all = vec![check(FrontEnd::All, Outcome::Missing)];
        assert!(Diagnosis::new(vec![FrontEnd::Tp], all).working.is_empty());
    }
}
