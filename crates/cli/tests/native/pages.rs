//! The pages about C, C++ and Fortran show what the commands print.

use crate::native::toolchain::runtime;
use crate::transcript::check_page;

#[test]
fn first_steps() {
    check_page("docs/START.md", &[("RACEPROOF_RUNTIME", runtime())]);
}

#[test]
fn installing() {
    check_page("docs/INSTALL.md", &[("RACEPROOF_RUNTIME", runtime())]);
}

#[test]
fn openmp() {
    check_page("docs/OPENMP.md", &[("RACEPROOF_RUNTIME", runtime())]);
}

#[test]
fn hclib() {
    check_page("docs/HCLIB.md", &[("RACEPROOF_RUNTIME", runtime())]);
}

#[test]
fn promises() {
    check_page("docs/PROMISES.md", &[("RACEPROOF_RUNTIME", runtime())]);
}

#[test]
fn fortran() {
    check_page("docs/FORTRAN.md", &[("RACEPROOF_RUNTIME", runtime())]);
}
