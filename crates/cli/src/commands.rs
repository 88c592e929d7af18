//! The subcommands: read, run, render, write, and the exit status.

use crate::analyze::{self, Analyzed};
use crate::args::{
    AnalyzeArgs, Args, CheckArgs, Command, GraphArgs, LimitArgs, ReplayArgs, ReportFormat, RunArgs,
    TraceArgs, VerifyArgs,
};
use crate::budget::Watchdog;
use crate::cc::{self, Language};
use crate::check::{self, Checked, Options};
use crate::draw::{self, Drawn};
use crate::input;
use crate::interrupt;
use crate::native;
use crate::next;
use crate::output::{deliver, note};
use crate::replay;
use crate::report::{self, Sources, Style};
use crate::run;
use crate::search;
use crate::tp::code::Code;
use crate::tp::execute::Bounds;
use crate::tp::source::Source;
use crate::tp::{self, compile::compile};
use crate::traces;
use crate::witness_file;
use raceproof::limits::Limits;
use raceproof_core::finding::{Report, Verdict};
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::{self, ExitCode};

const FOUND: u8 = 1;
const BAD_INPUT: u8 = 2;
const INCONCLUSIVE: u8 = 3;

/// Something the user has to hear; status 2.
struct BadInput(String);

/// Does what was asked for; errors go to standard error.
pub fn run(args: Args) -> ExitCode {
    ExitCode::from(act(args))
}

/// As [`run`]: the status.
pub(crate) fn act(args: Args) -> u8 {
    interrupt::install();
    let done = match args.command {
        Command::Check(args) => check(&args),
        Command::Verify(args) => verify(&args),
        Command::Replay(args) => replay(&args),
        Command::Graph(args) => graph(&args),
        Command::Cc(args) => return cc::run(Language::C, &args.args),
        Command::Cxx(args) => return cc::run(Language::Cxx, &args.args),
        Command::Fc(args) => return cc::run(Language::Fortran, &args.args),
        Command::Run(args) => run_program(&args),
        Command::Trace(args) => trace(&args),
        Command::Analyze(args) => analyze(&args),
    };
    match done {
        Ok(status) => status,
        Err(BadInput(message)) => {
            note(&message);
            BAD_INPUT
        }
    }
}

/// How a program ended that cargo has started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Status(u8),
    /// Nothing ran in parallel, and nothing was found: inconclusive if it was the only one.
    Sequential,
}

/// As [`act`], for `raceproof run`.
pub(crate) fn started_by_cargo(args: Args) -> Outcome {
    let Command::Run(run) = &args.command else { return Outcome::Status(act(args)) };
    let report = run::run(run).map_err(bad);
    let done = report.and_then(|report| {
        let status = render_native(&report, run.format, run.output.as_deref())?;
        let sequential = report.coverage.as_ref().is_some_and(|coverage| coverage.parallel == Some(false));
        let only = status == INCONCLUSIVE && sequential && report.limits.len() == 1;
        Ok(if only { Outcome::Sequential } else { Outcome::Status(status) })
    });
    done.unwrap_or_else(|BadInput(message)| {
        note(&message);
        Outcome::Status(BAD_INPUT)
    })
}

fn check(args: &CheckArgs) -> Result<u8, BadInput> {
    let (source, code) = load(&args.file, &input::CHECK)?;
    let LimitArgs { max_seconds, max_events, max_memory } = args.limits;
    let options = Options {
        detector: args.detector,
        order: args.order,
        max_seconds,
        max_events,
        max_memory: Some(max_memory),
        interrupt: Some(interrupt::watch()),
        keep_output: args.show_output,
        determinism: args.determinism,
    };
    let Checked { mut report, output } = check::check(&code, &source.name, &options).map_err(bad)?;
    // What the program says is for the terminal; nobody reading it is no reason to keep the report back.
    let _ = io::stderr().write_all(output.as_bytes());
    next::name(&mut report, |_| Some(next::after_check(args)));
    present(report, &source, args.format, args.output.as_deref())
}

fn verify(args: &VerifyArgs) -> Result<u8, BadInput> {
    let (file, program) = program_or_source(args.file.as_deref(), &args.program)?;
    let Some(file) = file else {
        let mut report = native::verify(args, &program).map_err(bad)?;
        next::name(&mut report, |report| next::after_verify(args, &program, report));
        return render_native(&report, args.format, args.output.as_deref());
    };
    if args.time_limit.is_some() {
        return Err(bad(
            "--time-limit is for native programs; for TP programs there are --max-events and --max-seconds",
        ));
    }
    let (source, code) = load(file, &input::VERIFY)?;
    if args.threads.is_some() || args.strict {
        return Err(bad("--threads and --strict are for native programs"));
    }
    let mut report = search::run(args, &code, &source).map_err(bad)?;
    next::name(&mut report, |report| next::after_verify(args, &[], report));
    present(report, &source, args.format, args.output.as_deref())
}

fn run_program(args: &RunArgs) -> Result<u8, BadInput> {
    let report = run::run(args).map_err(bad)?;
    render_native(&report, args.format, args.output.as_deref())
}

/// Renders a report about a native program, with the sources it names.
fn render_native(report: &Report, format: ReportFormat, output: Option<&Path>) -> Result<u8, BadInput> {
    let mut sources = Sources::new();
    sources.load_for(report);
    render(report, &sources, format, output)
}

/// Renders a report about a TP program, writes it, and gives the exit status.
fn present(
    mut report: Report,
    source: &Source,
    format: ReportFormat,
    output: Option<&Path>,
) -> Result<u8, BadInput> {
    report.stamp(&witness_file::fingerprint(&source.text));
    let mut sources = Sources::new();
    sources.insert(source.name.clone(), &source.text);
    render(&report, &sources, format, output)
}

fn render(
    report: &Report,
    sources: &Sources,
    format: ReportFormat,
    output: Option<&Path>,
) -> Result<u8, BadInput> {
    let text = match format {
        ReportFormat::Json => report::json::render(report),
        ReportFormat::Text => {
            let terminal = output.is_none() && io::stdout().is_terminal();
            report::text::render(report, sources, Style::for_stream(terminal))
        }
    };
    deliver(&text, output).map_err(bad)?;
    Ok(status(report))
}

fn replay(args: &ReplayArgs) -> Result<u8, BadInput> {
    let (file, program) = program_or_source(args.file.as_deref(), &args.program)?;
    let Some(file) = file else {
        let report = native::replay(args, &program).map_err(bad)?;
        return render_native(&report, ReportFormat::Text, None);
    };
    let (source, code) = load(file, &input::REPLAY)?;
    let name = args.witness.display().to_string();
    let text = input::report(&args.witness).map_err(bad)?;
    let program = witness_file::fingerprint(&source.text);
    let witness = witness_file::read(&name, &text, args.finding.get(), &program).map_err(bad)?;
    let limits = Limits { interrupt: Some(interrupt::watch()), ..Limits::default() };
    let replayed =
        replay::replay(&code, &source, &witness, limits).map_err(|wrong| bad(format!("{name}: {wrong}")))?;
    deliver(&replay::render(&replayed, &source, args.step), None).map_err(bad)?;
    Ok(FOUND)
}

fn graph(args: &GraphArgs) -> Result<u8, BadInput> {
    let (source, code) = load(&args.file, &input::GRAPH)?;
    let bounds = bounds(&args.limits);
    let Drawn { text, notes, cut_short } = draw::draw(&code, &source.name, args.format, bounds);
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    for text in notes {
        note(&format!("raceproof: {text}"));
    }
    Ok(if cut_short { INCONCLUSIVE } else { 0 })
}

fn trace(args: &TraceArgs) -> Result<u8, BadInput> {
    if args.convert || args.stat || args.check {
        refuse(&args.file, &input::TRACES)?;
        let LimitArgs { max_seconds, max_memory, .. } = args.limits;
        let limit = traces::look_after(args, limits(max_seconds, max_memory)).map_err(bad)?;
        if let Some(limit) = &limit {
            note(&format!("raceproof: {}: inconclusive: {limit}", args.file.display()));
        }
        return Ok(if limit.is_some() { INCONCLUSIVE } else { 0 });
    }
    refuse(&args.file, &input::TRACE)?;
    let Some(output) = &args.output else { return Err(bad(MISSING_OUTPUT)) };
    let (source, code) = load(&args.file, &input::TRACE)?;
    let bounds = bounds(&args.limits);
    let notes = traces::record(&code, &source.name, bounds, output, args.to).map_err(bad)?;
    for text in &notes {
        note(&format!("raceproof: {text}"));
    }
    Ok(if notes.is_empty() { 0 } else { INCONCLUSIVE })
}

fn analyze(args: &AnalyzeArgs) -> Result<u8, BadInput> {
    refuse(&args.file, &input::ANALYZE)?;
    let limits = limits(args.limits.max_seconds, args.limits.max_memory);
    let asked = args.clone();
    let watchdog = Watchdog::start(limits, move |known, reached| {
        let analyzed = analyze::given_up(&asked, known, reached);
        let status = show(&analyzed, &asked).unwrap_or_else(|BadInput(message)| {
            note(&message);
            BAD_INPUT
        });
        process::exit(status.into());
    });
    let analyzed = analyze::run(args, limits, &watchdog);
    watchdog.end();
    show(&analyzed.map_err(bad)?, args)
}

fn show(analyzed: &Analyzed, args: &AnalyzeArgs) -> Result<u8, BadInput> {
    let text = match args.format {
        ReportFormat::Json => report::json::pretty(analyzed),
        ReportFormat::Text => report::trace::render(analyzed),
    };
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    Ok(status(&analyzed.report))
}

fn limits(max_seconds: Option<f64>, max_memory: u64) -> Limits<'static> {
    Limits {
        deadline: max_seconds.and_then(check::deadline),
        interrupt: Some(interrupt::watch()),
        memory: Some(max_memory),
        looks: None,
    }
}

fn bounds(args: &LimitArgs) -> Bounds<'static> {
    let LimitArgs { max_seconds, max_events, max_memory } = *args;
    let limits = limits(max_seconds, max_memory);
    Bounds { actions: max_events.unwrap_or(u64::MAX), limits, ..Bounds::default() }
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

/// What `verify` and `replay` were given: a source, or a program that can be run with its arguments. `./prog` is as good as
/// `-- ./prog`, and may have arguments behind `--`.
fn program_or_source<'a>(
    file: Option<&'a Path>,
    program: &[OsString],
) -> Result<(Option<&'a Path>, Vec<OsString>), BadInput> {
    match file {
        None => Ok((None, program.to_vec())),
        Some(file) if input::is_native(file) => {
            // By its name alone it would be looked for in PATH.
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
fn refuse(file: &Path, verb: &input::Verb) -> Result<(), BadInput> {
    input::refuse(file, verb).map_or(Ok(()), |message| Err(bad(message)))
}

const MISSING_OUTPUT: &str = "-o OUT is missing: where to write the trace";

/// Reads and compiles a program.
fn load(file: &Path, verb: &input::Verb) -> Result<(Source, Code), BadInput> {
    refuse(file, verb)?;
    let (name, bytes) = input::source(file).map_err(bad)?;
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
