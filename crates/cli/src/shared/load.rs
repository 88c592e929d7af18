//! Loads input: reads and compiles TP programs, and tells native programs from sources.

use crate::shared::input;
use crate::shared::look;
use crate::shared::status::{BadInput, bad};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;

/// What `verify` and `replay` were given: a source, or a program that can be run with its
/// arguments. `./prog` is as good as `-- ./prog`, and may have arguments behind `--`.
pub(crate) fn program_or_source<'a>(
    file: Option<&'a Path>,
    program: &[OsString],
) -> Result<(Option<&'a Path>, Vec<OsString>), BadInput> {
    match file {
        None => Ok((None, program.to_vec())),
        Some(file) if input::is_native(file) => {
            // A bare name would be searched in PATH.
            let here =
                if file.components().count() > 1 { file.to_owned() } else { Path::new(".").join(file) };
            let words = [here.into_os_string()].into_iter().chain(program.iter().cloned());
            Ok((None, words.collect()))
        }
        Some(file) if program.is_empty() => Ok((Some(file), Vec::new())),
        Some(file) => {
            let name = file.display();
            Err(bad(format!("{name} is no program that can be run, so nothing can follow `--`")))
        }
    }
}

/// What is for another command.
pub(crate) fn refuse(file: &Path, verb: &input::Verb) -> Result<(), BadInput> {
    input::refuse(file, verb).map_or(Ok(()), |message| Err(bad(message)))
}

/// Reads and compiles a program.
pub(crate) fn load(file: &Path, verb: &input::Verb) -> Result<(Source, Code), BadInput> {
    refuse(file, verb)?;
    let (name, bytes) = input::source(file).map_err(bad)?;
    let source = Source::from_bytes(name, bytes).map_err(bad)?;
    match tp::parse(&source.text) {
        Ok(program) => {
            let code = compile(&program, &source);
            Ok((source, code))
        }
        Err(diagnostics) => {
            let style = look::style(io::stderr().is_terminal());
            Err(BadInput(tp::render(&source.name, &source.text, &diagnostics, style.color)))
        }
    }
}
