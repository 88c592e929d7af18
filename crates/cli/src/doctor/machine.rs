//! The machine: its system, its limits, the folder for what is kept, the terminal.

use super::{Check, Outcome};
use crate::args::FrontEnd;
use raceproof_host::cache;
use std::env::consts::{ARCH, OS};
use std::io::{self, IsTerminal};

/// Shadow memory is reserved, not used: a limit of address space below this is too little.
#[cfg(target_os = "linux")]
const LEAST_ADDRESS_SPACE: u64 = 1 << 40;

pub(super) fn checks() -> Vec<Check> {
    let mut checks = system();
    #[cfg(target_os = "linux")]
    {
        checks.extend(processes());
        checks.push(randomisation());
        checks.extend(address_space());
    }
    checks.push(kept());
    checks.push(terminal());
    checks
}

/// Native programs run on one system; TP programs and traces on any.
fn system() -> Vec<Check> {
    let name = format!("{OS} on {ARCH}");
    if (OS, ARCH) == ("linux", "x86_64") {
        return vec![Check::new(FrontEnd::All, "system", Outcome::Ok, name)];
    }
    let areas = [FrontEnd::Openmp, FrontEnd::Fortran, FrontEnd::Rust];
    let detail = format!("{name} is not supported: native programs need Linux on x86-64");
    areas.map(|area| Check::new(area, "system", Outcome::Missing, detail.clone())).into()
}

/// A program that is run finds the memory that it shares with the command below `/proc`.
#[cfg(target_os = "linux")]
fn processes() -> Vec<Check> {
    if std::path::Path::new("/proc/self/fd").exists() {
        return Vec::new();
    }
    let detail =
        "not mounted: programs cannot tell the command what they found; run `mount -t proc proc /proc`";
    let areas = [FrontEnd::Openmp, FrontEnd::Fortran, FrontEnd::Rust];
    areas.map(|area| Check::new(area, "/proc", Outcome::Missing, detail)).into()
}

/// Programs are run without address space randomisation, if the system allows it.
#[cfg(target_os = "linux")]
fn randomisation() -> Check {
    use nix::sys::personality::{Persona, get, set};
    let turned_off = get().and_then(|now| {
        set(now | Persona::ADDR_NO_RANDOMIZE)?;
        set(now).map(drop)
    });
    match turned_off {
        Ok(()) => Check::new(
            FrontEnd::Openmp,
            "addresses",
            Outcome::Ok,
            "randomisation can be turned off for the programs that are run",
        ),
        Err(error) => Check::new(
            FrontEnd::Openmp,
            "addresses",
            Outcome::Note,
            format!(
                "randomisation cannot be turned off ({error}): programs that depend on addresses are not deterministic; in a container, allow \
                 the system call personality"
            ),
        ),
    }
}

#[cfg(target_os = "linux")]
fn address_space() -> Option<Check> {
    use nix::sys::resource::{Resource, getrlimit};
    let (limit, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    (limit < LEAST_ADDRESS_SPACE).then(|| {
        let detail = format!(
            "limited to {} GB, and the runtime reserves more for its shadow memory; run `ulimit -v unlimited`",
            limit >> 30
        );
        Check::new(FrontEnd::Openmp, "address space", Outcome::Missing, detail)
    })
}

fn kept() -> Check {
    match cache::folder() {
        Ok(folder) => Check::new(
            FrontEnd::All,
            "cache",
            Outcome::Ok,
            format!("{}, for what is made once", folder.display()),
        ),
        Err(wrong) => Check::new(FrontEnd::All, "cache", Outcome::Note, wrong),
    }
}

fn terminal() -> Check {
    let detail = match (io::stdout().is_terminal(), std::env::var_os("NO_COLOR").is_some()) {
        (false, _) => "standard output is none: reports are without colour and progress",
        (true, true) => "NO_COLOR is set: reports are without colour",
        (true, false) => "reports have colour; NO_COLOR=1 turns it off",
    };
    Check::new(FrontEnd::All, "terminal", Outcome::Ok, detail)
}
