//! clang and flang: which versions there are, whether the pass fits each, and what belongs to them.

use super::packages::{Wanted, install};
use super::{Check, Outcome};
use crate::args::FrontEnd;
use raceproof_cc::installed::{Compiler, PassPlace, compilers, llvm_config, tool, versions_inside};
use raceproof_cc::{Language, runtime};

pub(super) fn clangs() -> Vec<Check> {
    let mut checks = vec![library(), inside()];
    checks.extend(binutils());
    let (found, why) = compilers(Language::C);
    if let Some(why) = why {
        let missing = Check::new(FrontEnd::Openmp, "clang", Outcome::Missing, why);
        checks.push(missing.with_install(install(Wanted::Clang)));
    }
    for compiler in &found {
        checks.extend(clang(compiler));
    }
    checks
}

/// One clang; what another than the one in use lacks is no loss.
fn clang(compiler: &Compiler) -> Vec<Check> {
    let version = compiler.version;
    let name = format!("clang {version}");
    let used = if compiler.is_used { ", in use" } else { "" };
    let path = compiler.program.display();
    let mut checks = Vec::new();
    if !compiler.is_used {
        let detail = format!("{path}; RACEPROOF_CLANG={path} would use it; {}", pass(compiler).0);
        return vec![Check::new(FrontEnd::Openmp, name, Outcome::Ok, detail)];
    }
    checks.push(Check::new(FrontEnd::Openmp, name, Outcome::Ok, format!("{path}{used}")));
    let (detail, fits) = pass(compiler);
    let config = match llvm_config(version) {
        Some(config) => format!("; {} is there", config.display()),
        None => String::new(),
    };
    let outcome = if fits { Outcome::Ok } else { Outcome::Note };
    let check = Check::new(
        FrontEnd::Openmp,
        format!("pass for clang {version}"),
        outcome,
        format!("{detail}{config}"),
    );
    checks.push(check.with_install(if fits { None } else { install(Wanted::LlvmHeaders(version)) }));
    checks.push(if compiler.has_omp_header {
        Check::new(FrontEnd::Openmp, "omp.h", Outcome::Ok, "clang finds it")
    } else {
        let detail = "not found: programs that include it do not compile";
        Check::new(FrontEnd::Openmp, "omp.h", Outcome::Note, detail)
            .with_install(install(Wanted::OmpHeader(version)))
    });
    checks
}

/// Where the pass for a compiler is, in words, and whether there is one.
fn pass(compiler: &Compiler) -> (String, bool) {
    match compiler.pass() {
        PassPlace::Inside => ("raceproof's pass for it is part of this program".to_owned(), true),
        PassPlace::Compiled(path) => (format!("raceproof's pass was compiled to {}", path.display()), true),
        PassPlace::Missing(why) => (
            format!("no pass of raceproof's: {why}; clang's own is used, which is slower and loses lines"),
            false,
        ),
    }
}

/// flang is an extra: without it Fortran programs cannot be checked, and all others can.
pub(super) fn flangs() -> Vec<Check> {
    let (found, why) = compilers(Language::Fortran);
    if let Some(why) = why {
        let missing = Check::new(FrontEnd::Fortran, "flang", Outcome::Missing, why);
        return vec![missing.with_install(install(Wanted::Flang))];
    }
    let Some(compiler) = found.iter().find(|compiler| compiler.is_used) else { return Vec::new() };
    let (path, version) = (compiler.program.display(), compiler.version);
    let (detail, fits) = match compiler.pass() {
        PassPlace::Missing(why) => (format!("{path}, without a pass of raceproof's: {why}"), false),
        _ => (format!("{path}, with raceproof's pass"), true),
    };
    let outcome = if fits { Outcome::Ok } else { Outcome::Missing };
    let check = Check::new(FrontEnd::Fortran, format!("flang {version}"), outcome, detail);
    vec![check.with_install(if fits { None } else { install(Wanted::LlvmHeaders(version)) })]
}

fn library() -> Check {
    match runtime::find() {
        Ok(path) => Check::new(FrontEnd::Openmp, "runtime", Outcome::Ok, path.display().to_string()),
        Err(wrong) => Check::new(FrontEnd::Openmp, "runtime", Outcome::Missing, wrong),
    }
}

fn inside() -> Check {
    let versions: Vec<String> = versions_inside().iter().map(u32::to_string).collect();
    let detail = if versions.is_empty() {
        "none was compiled when raceproof was built; it is compiled when a clang first needs it".to_owned()
    } else {
        format!(
            "for clang {} in this program; for another it is compiled when first needed",
            versions.join(", ")
        )
    };
    Check::new(FrontEnd::Openmp, "LLVM pass", Outcome::Ok, detail)
}

fn binutils() -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, outcome, without) in [
        ("ld", Outcome::Missing, "nothing can be linked without it"),
        ("objcopy", Outcome::Note, "objects cannot be given notes about what they lack"),
    ] {
        if tool(name).is_none() {
            let check = Check::new(FrontEnd::Openmp, name, outcome, format!("not in PATH: {without}"));
            checks.push(check.with_install(install(Wanted::Binutils)));
        }
    }
    let detail = "functions, lines and variables are read by raceproof itself: no llvm-symbolizer is needed";
    checks.push(Check::new(FrontEnd::Openmp, "symbolizer", Outcome::Ok, detail));
    checks
}
