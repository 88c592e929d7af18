//! The subcommands: read, run, render, write, and the exit status.

use crate::args::{Args, CheckArgs, Command, GraphArgs, ReportFormat, VerifyArgs};
use crate::check::{self, Checked, Options};
use crate::report::{self, Sources, Style};
use crate::tp::code::Code;
use crate::tp::source::Source;
use crate::tp::{self, compile::compile};
use crate::verify;
use raceproof_core::finding::{Report, Verdict};
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

const FOUND: u8 = 1;
const BAD_INPUT: u8 = 2;
const INCONCLUSIVE: u8 = 3;

/// Something the user has to hear; status 2.
struct BadInput(String);

/// Does what was asked for; errors go to standard error.
pub fn run(args: Args) -> ExitCode {
    let done = match args.command {
        Command::Check(args) => check(&args),
        Command::Verify(args) => verify(&args),
        Command::Graph(args) => graph(&args),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(BadInput(message)) => {
            let message = message.trim_end();
            eprintln!("{message}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn check(args: &CheckArgs) -> Result<u8, BadInput> {
    let (source, code) = load(&args.file)?;
    let options = Options {
        detector: args.detector,
        max_seconds: args.limits.max_seconds,
        max_events: args.limits.max_events,
        interrupt: None,
        keep_output: args.show_output,
    };
    let Checked { report, output } = check::check(&code, &source.name, &options).map_err(bad)?;
    eprint!("{output}");
    present(&report, &source, args.format, args.output.as_deref())
}

fn verify(args: &VerifyArgs) -> Result<u8, BadInput> {
    let (source, code) = load(&args.file)?;
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let options = verify::Options {
        order: args.order,
        max_executions: args.max_executions,
        max_seconds: args.limits.max_seconds,
        max_events: args.limits.max_events,
        all: args.all,
        workers: args.workers.map_or(cores, NonZeroUsize::get),
        interrupt: None,
        progress: None,
    };
    let verified = verify::verify(&code, &source.name, &options);
    present(&verified.report, &source, args.format, args.output.as_deref())
}

/// Renders a report, writes it, and gives the exit status.
fn present(
    report: &Report,
    source: &Source,
    format: ReportFormat,
    output: Option<&Path>,
) -> Result<u8, BadInput> {
    let text = match format {
        ReportFormat::Json => report::json::render(report),
        ReportFormat::Text => {
            let mut sources = Sources::new();
            sources.insert(source.name.clone(), &source.text);
            let terminal = output.is_none() && io::stdout().is_terminal();
            report::text::render(report, &sources, Style::for_stream(terminal))
        }
    };
    deliver(&text, output)?;
    Ok(status(report))
}

fn graph(_args: &GraphArgs) -> Result<u8, BadInput> {
    Err(bad("not yet"))
}

fn status(report: &Report) -> u8 {
    match report.verdict {
        Verdict::RaceFree => 0,
        Verdict::Race | Verdict::Deadlock | Verdict::ProgramError => FOUND,
        Verdict::Inconclusive => INCONCLUSIVE,
    }
}

fn bad(message: impl Into<String>) -> BadInput {
    BadInput(format!("raceproof: {}", message.into()))
}

/// Reads and compiles a program.
fn load(file: &Path) -> Result<(Source, Code), BadInput> {
    let (name, bytes) = if file == Path::new("-") {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        ("<stdin>".to_owned(), read.map(|_| bytes))
    } else {
        (file.display().to_string(), fs::read(file))
    };
    let bytes = bytes.map_err(|error| bad(format!("cannot read {name}: {error}")))?;
    let source = Source::from_bytes(name, bytes).map_err(bad)?;
    match tp::parse(&source.text) {
        Ok(program) => {
            let code = compile(&program, &source);
            Ok((source, code))
        }
        Err(diagnostics) => {
            let style = Style::for_stream(io::stderr().is_terminal());
            Err(BadInput(tp::render(&source.name, &source.text, &diagnostics, style.color)))
        }
    }
}

/// Writes to standard output, or whole and at once to a file: beside it first, so that a failure leaves no half of it.
fn deliver(text: &str, file: Option<&Path>) -> Result<(), BadInput> {
    let Some(file) = file else {
        return match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(bad(format!("cannot write: {error}")))
            }
            _ => Ok(()),
        };
    };
    let fail = |error: io::Error| bad(format!("cannot write {}: {error}", file.display()));
    let name = file.file_name().ok_or_else(|| bad(format!("{} is no name for a file", file.display())))?;
    // A device or pipe cannot be replaced; it is written to as it is.
    if fs::metadata(file).is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(file, text).map_err(fail);
    }
    let beside = file.with_file_name(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, file));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        fail(error)
    })
}
