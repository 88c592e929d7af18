//! `raceproof cc`, `raceproof c++` and `raceproof fc`: clang, or flang for Fortran, with options
//! that instrument what it compiles and link our runtime.
//!
//! The command line goes to clang, changed as little as serves:
//!
//! - what is compiled gets `-fsanitize=thread` (and `-fopenmp`, if it was asked for) for the
//!   compiler proper only (`-Xclang`), since the driver would link the runtimes that ours replaces;
//!   and `-g`, for reports;
//! - what is linked to an executable gets our library, with `main` wrapped by it. A shared library
//!   leaves our symbols to the executable that loads it, which exports them.
//!
//! The pass that instruments is ours, a plugin (`pass`); where none fits this clang, clang's own
//! does it. flang has none of its own, so that there ours has to fit.
//!
//! What is known of the units and of what is linked beside them goes into the program (`notes`):
//! parts that are not instrumented, and `#pragma omp` without `-fopenmp` (`pragmas`).
//!
//! Whatever neither compiles nor links (`--version`, `-print-file-name=…`) is passed through as it
//! is.

#![forbid(unsafe_code)]

mod arguments;
mod assumed;
mod clang;
mod headers;
pub mod installed;
mod notes;
mod objects;
mod outputs;
pub mod pass;
mod plan;
mod pragmas;
mod prelink;
pub mod response;
pub mod runtime;
mod sources;

pub use arguments::{Arguments, Item};
pub use notes::assembly;
pub use plan::INVENTIVE;
pub use plan::{Action, Plan};

use clang::Clang;
use pass::Pass;
use pragmas::Ignored;
use raceproof_core::finding::{Note, Uninstrumented};
use raceproof_host::{note, output::private_folder};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
    Fortran,
}

impl Language {
    /// These words, for the compiler proper: not for its driver, which would also link what they
    /// ask for.
    pub(crate) fn proper(self, words: &[&str]) -> Vec<OsString> {
        let to = if self == Language::Fortran { "-Xflang" } else { "-Xclang" };
        words.iter().flat_map(|word| [to, word]).map(OsString::from).collect()
    }
}

/// Runs the compiler; the status is its own, or 2 if it was not run.
pub fn run(language: Language, args: &[OsString]) -> u8 {
    match compile(language, args) {
        Ok(status) => status,
        Err(message) => {
            note(&format!("raceproof: error: {message}"));
            2
        }
    }
}

fn compile(language: Language, args: &[OsString]) -> Result<u8, String> {
    let mut clang = Clang::find(language)?;
    let arguments = Arguments::parse(response::expand(args)?);
    others_sources(&arguments, language)?;
    let mut plan = Plan::new(&arguments, language)?;
    let plugin = match plan.own_pass && plan.action.compiles() {
        true => clang.plugin(),
        false => Err("another pass is asked for".to_owned()),
    };
    let has_pass = plugin.is_ok();
    // The notes for the program.
    let mut known = Vec::new();
    if plan.action.links() {
        let (warnings, left_out) = objects::inspect(&arguments, language, plan.instrumented)?;
        warn(&warnings);
        known.extend(left_out.into_iter().map(Note::Uninstrumented));
    }
    if plan.action == Action::Executable {
        let runtime = prelink::object(&runtime::find()?, &clang);
        plan.link_runtime(&runtime);
        // The runtime knows which calls are its own if it is one object.
        if !has_pass && known.is_empty() && runtime.extension().is_some_and(|extension| extension == "o") {
            plan.wrap_library();
        }
    }
    warn(&plan.warnings);
    let unseen = match plan.openmp && !has_pass && language != Language::Fortran {
        true => sources::inspect(&arguments),
        false => Vec::new(),
    };
    for (source, lines) in &unseen {
        lines.iter().for_each(|&line| warn(&[sources::warning(source, line)]));
    }
    let ignored = pragmas::ignored(&plan, &clang);
    let is_sequential = !plan.openmp && known.is_empty() && ignored.is_empty();
    if plan.action == Action::Executable
        && is_sequential
        && !objects::have_openmp(&objects::linked(&arguments))
    {
        plan.mark_sequential();
    }
    warn_ignored(&ignored);
    let noted = notes_of(&ignored, &unseen);
    let folder = if known.is_empty() && noted.is_empty() { None } else { Some(private_folder()?) };
    if let Some(folder) = folder.as_ref().filter(|_| plan.action.links()) {
        known.extend(noted.iter().flat_map(|(_, notes)| notes).cloned());
        plan.linked.extend(["-x".into(), "none".into(), notes::object(&known, &clang, folder.path())?]);
    }
    let is_instrumented = plan.instrumented && plan.has_sources();
    // Where they cannot be written, clang does not find them, and says so if it is asked to.
    if plan.has_sources()
        && language != Language::Fortran
        && let Ok(folder) = headers::hclib()
    {
        plan.added.extend(["-I".into(), folder.into()]);
    }
    // The compiler's own would do otherwise, but its internals are not known to be promises.
    if is_instrumented
        && language != Language::Fortran
        && let Ok(folder) = headers::std()
    {
        plan.added.extend(["-I".into(), folder.into()]);
    }
    // Until clang has run: the file is gone with it.
    let mut loaded = None;
    match plugin {
        Ok(plugin) if is_instrumented => {
            let pass = loaded.insert(Pass::of(plugin)?);
            plan.added.extend(pass.words(language));
        }
        Err(why) if is_instrumented && language == Language::Fortran => {
            return Err(pass::missing_for_flang(clang.version, &why));
        }
        Err(why) if is_instrumented => {
            plan.restrain();
            if plan.own_pass && plan.action.links() {
                note(&pass::missing(clang.version, &why));
            }
        }
        _ => {}
    }
    if !plan.eliminates {
        clang.check_everything();
    }
    if plan.adds_debug && language != Language::Fortran {
        clang.debug_for_reports();
    }
    let mut status = clang.run(&plan.words())?;
    if status == 0 && plan.action.links() {
        let (output, inputs) = (outputs::output_of_linker(&plan), objects::linked(&arguments));
        let mut wrong = assumed::wrong(&output, &inputs);
        if !wrong.is_empty() && plan.has_sources() {
            clang.check_everything();
            status = clang.run(&plan.words())?;
            wrong = assumed::wrong(&output, &inputs);
        }
        if status == 0 && !wrong.is_empty() {
            // Nobody is to run it.
            let _ = std::fs::remove_file(&output);
            return Err(assumed::message(&wrong));
        }
    }
    if let Some(folder) = folder.filter(|_| status == 0 && !plan.action.links()) {
        for (source, notes) in &noted {
            keep(&plan, &clang, source, notes, &folder)?;
        }
    }
    if status != 0
        && plan.openmp
        && language != Language::Fortran
        && plan.action.compiles()
        && !clang.has_omp_header()
    {
        note(&format!(
            "raceproof: note: {} has no omp.h; on Debian and Ubuntu the package libomp-{}-dev has it",
            clang.program.display(),
            clang.version
        ));
    }
    Ok(status)
}

/// Sources of a language that this compiler does not compile are refused: clang would have another
/// compiler do it, which does not instrument, and flang cannot.
fn others_sources(arguments: &Arguments, language: Language) -> Result<(), String> {
    for (path, _) in arguments.inputs() {
        let name = path.to_string_lossy();
        if language == Language::Fortran && arguments::is_clangs(path) {
            return Err(format!(
                "{name} is not Fortran: compile it with `raceproof cc -c` (or `raceproof c++ -c`) and link the object here"
            ));
        }
        if language != Language::Fortran && arguments::is_fortran(path) {
            return Err(format!("{name} is Fortran: compile it with `raceproof fc`"));
        }
    }
    Ok(())
}

/// The parts of what a linker is told to link that are not instrumented.
pub fn left_out(words: Vec<OsString>) -> Vec<Uninstrumented> {
    objects::inspect(&Arguments::parse(words), Language::C, true)
        .map_or_else(|_| Vec::new(), |(_, left_out)| left_out)
}

fn warn(warnings: &[String]) {
    for warning in warnings {
        note(&format!("raceproof: warning: {warning}"));
    }
}

/// Directives of a unit that a warning names.
const NAMED: usize = 3;

fn warn_ignored(ignored: &[(OsString, Vec<Ignored>)]) {
    for (source, ignored) in ignored {
        for Ignored { at, directive } in ignored.iter().take(NAMED) {
            note(&format!(
                "raceproof: warning: {}:{}: `{} {directive}` is compiled without -fopenmp: {} passes over it, so that \
                 nothing becomes parallel or ordered by it; compile with -fopenmp",
                at.file,
                at.line,
                at.sentinel(),
                if at.is_fortran() { "flang" } else { "clang" }
            ));
        }
        if let Some(more @ 1..) = ignored.len().checked_sub(NAMED) {
            let (source, sentinel) = (source.to_string_lossy(), ignored[0].at.sentinel());
            note(&format!("raceproof: warning: {source}: and {more} more `{sentinel}` without -fopenmp"));
        }
    }
}

/// What sources say of themselves: of a source, its directives that the compiler ignores, or what
/// clang's own pass does not instrument.
fn notes_of(
    ignored: &[(OsString, Vec<Ignored>)],
    unseen: &[(OsString, Vec<usize>)],
) -> Vec<(OsString, Vec<Note>)> {
    let places =
        |ignored: &[Ignored]| ignored.iter().map(|one| Note::IgnoredPragma(one.at.clone())).collect();
    let ignored = ignored.iter().map(|(source, ignored)| (source.clone(), places(ignored)));
    let unseen = unseen.iter().map(|(source, lines)| (source.clone(), vec![sources::note(source, lines)]));
    ignored.chain(unseen).collect()
}

/// Adds what a source says of itself to its object.
fn keep(plan: &Plan, clang: &Clang, source: &OsStr, notes: &[Note], folder: &TempDir) -> Result<(), String> {
    let is_text = plan.kept.iter().any(|item| matches!(item, Item::Option(option) if option[0] == "-S"));
    let made = outputs::output(plan)
        .map_or_else(|| outputs::named(source, if is_text { "s" } else { "o" }), PathBuf::from);
    let is_file = fs::metadata(&made).is_ok_and(|made| made.is_file());
    if !is_file || !notes::add(notes, &made, clang, folder.path())? {
        let source = source.to_string_lossy();
        let what = match notes.first() {
            Some(Note::IgnoredPragma(at)) => format!("`{}` without -fopenmp", at.sentinel()),
            _ => "`atomic compare`".to_owned(),
        };
        warn(&[format!("{source}: the program will not know of its {what}")]);
    }
    Ok(())
}
