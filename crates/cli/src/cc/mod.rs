//! `raceproof cc` and `raceproof c++`: clang, told to instrument what it compiles and to link our runtime.
//!
//! The command line goes to clang, changed as little as serves:
//!
//! - what is compiled gets `-fsanitize=thread` (and `-fopenmp`, if it was asked for) for the compiler proper only
//!   (`-Xclang`), since the driver would link the runtimes that ours replaces; and `-g`, for reports;
//! - what is linked to an executable gets our library, with `main` wrapped by it. A shared library leaves our symbols
//!   to the executable that loads it, which exports them.
//!
//! Between clang's optimiser and its code generator, checks that are known to be needless are left out (`stages`, `thin`).
//!
//! Whatever neither compiles nor links (`--version`, `-print-file-name=…`) is passed through as it is.

mod arguments;
mod assumed;
mod clang;
mod objects;
mod plan;
mod response;
pub(crate) mod runtime;
mod sources;
mod stages;
mod thin;

pub use arguments::{Arguments, Item};
pub(crate) use plan::INVENTIVE;
pub use plan::{Action, Plan};

use crate::output::note;
use clang::Clang;
use std::ffi::OsString;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
}

/// Runs the compiler; the status is its own, or 2 if it was not run.
pub(crate) fn run(language: Language, args: &[OsString]) -> u8 {
    match compile(language, args) {
        Ok(status) => status,
        Err(message) => {
            note(&format!("raceproof: error: {message}"));
            2
        }
    }
}

fn compile(language: Language, args: &[OsString]) -> Result<u8, String> {
    let clang = Clang::find(language)?;
    let arguments = Arguments::parse(response::expand(args)?);
    let mut plan = Plan::new(&arguments)?;
    if plan.action.links() {
        for warning in objects::inspect(&arguments)? {
            note(&format!("raceproof: warning: {warning}"));
        }
    }
    if plan.action == Action::Executable {
        plan.link_runtime(&runtime::find()?);
    }
    let of_sources = if plan.openmp { sources::inspect(&arguments) } else { Vec::new() };
    for warning in plan.warnings.iter().chain(&of_sources) {
        note(&format!("raceproof: warning: {warning}"));
    }
    let in_stages = stages::fit(&plan, &clang);
    let mut status = if in_stages { stages::run(&plan, &clang)? } else { clang.run(&plan.words())? };
    if status == 0 && plan.action.links() {
        let (output, inputs) = (stages::output_of_linker(&plan), objects::linked(&arguments));
        let mut wrong = assumed::wrong(&output, &inputs);
        if !wrong.is_empty() && in_stages && plan.has_sources() {
            status = clang.run(&plan.words())?;
            wrong = assumed::wrong(&output, &inputs);
        }
        if status == 0 && !wrong.is_empty() {
            // Nobody is to run it.
            let _ = std::fs::remove_file(&output);
            return Err(assumed::message(&wrong));
        }
    }
    if status != 0 && plan.openmp && plan.action.compiles() && !clang.has_omp_header() {
        note(&format!(
            "raceproof: note: {} has no omp.h; on Debian and Ubuntu the package libomp-{}-dev has it",
            clang.program.display(),
            clang.version
        ));
    }
    Ok(status)
}
