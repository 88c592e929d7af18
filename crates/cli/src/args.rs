//! The command line: what can be asked, and what values are good.

mod installation;
mod known;

pub use installation::{
    BuildSystem, CompletionsArgs, DoctorArgs, DoctorFormat, FrontEnd, ManArgs, ToolchainArgs,
};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
pub use known::{DiffArgs, DiffFormat, ExplainArgs, KnownArgs, ProjectSuppression};
use raceproof_core::order::OrderName;
use std::ffi::OsString;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Find the data races of task-parallel programs, in all their schedules
#[derive(Parser, Debug)]
#[command(name = "raceproof", version, after_help = EXIT_STATUS)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub look: LookArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set; anywhere if CLICOLOR_FORCE is
    Auto,
    Always,
    Never,
}

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct LookArgs {
    /// Whether text reports have colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
    /// Show so many findings in a text report; a table lists the others
    #[arg(long, value_name = "N", default_value = "20", global = true)]
    pub max_findings: usize,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  no race
  1  a race, a deadlock or a program error was found
  2  bad usage or bad input
  3  inconclusive: a limit was reached first, or nothing ran in parallel";

const GRAPH_STATUS: &str = "\
Exit status:
  0  the graph is drawn
  2  bad usage or bad input
  3  the graph is drawn up to where a limit was reached";

const TRACE_STATUS: &str = "\
Exit status:
  0  done; with --check, the trace is well-formed
  2  bad usage or bad input: a damaged trace, with the offset of the first offence
  3  a limit was reached first: a run is recorded up to there, a trace is not decided or not converted";

const DIFF_STATUS: &str = "\
Exit status:
  0  nothing is new
  1  B has findings that A has not
  2  bad usage or bad input";

const REPLAY_STATUS: &str = "\
Exit status:
  1  the witness shows a race, a deadlock or a program error
  2  bad usage or bad input, or the witness does not fit the program";

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a TP program once and judge all its schedules
    ///
    /// Without mutual exclusion (async, finish, futures, promises, events) one run decides all
    /// schedules. With isolated sections, locks or semaphores the verdict covers the observed order
    /// of these only.
    #[command(after_help = EXIT_STATUS)]
    Check(CheckArgs),
    /// Run a program under every schedule that can make a difference
    ///
    /// A TP program, or one that `raceproof cc` or `cargo raceproof` built, each execution of which
    /// is a process of its own. Stops at the first execution with a race. A race-free verdict
    /// covers all schedules of this input.
    #[command(after_help = EXIT_STATUS)]
    Verify(VerifyArgs),
    /// Run a program under the schedule of a witness
    ///
    /// The schedule is followed to the letter, to where two tasks are about to race, nobody can go
    /// on, or a task fails.
    #[command(after_help = REPLAY_STATUS)]
    Replay(ReplayArgs),
    /// Draw the computation graph of one run of a program
    ///
    /// Of a TP program, of one that `raceproof cc` or `cargo raceproof` built, which is run once and
    /// recorded, or of a trace. Steps with an access that races are marked. A run that fails,
    /// deadlocks or is cut short by a limit is drawn up to there. What a native program prints goes
    /// to standard error, unless standard output is a terminal or there is -o.
    #[command(after_help = GRAPH_STATUS)]
    Graph(GraphArgs),
    /// Say what this machine has, what it lacks and how to install it, and try the front ends
    ///
    /// Looks for clang, flang, the LLVM pass, the runtime and cargo, then builds and runs a racy
    /// program for each front end. docs/INSTALL.md tells what each is for.
    #[command(after_help = installation::DOCTOR_STATUS)]
    Doctor(DoctorArgs),
    /// Print the file that makes CMake or Meson build with raceproof
    Toolchain(ToolchainArgs),
    /// Print the completions of the command for a shell
    Completions(CompletionsArgs),
    /// Print the man page of the command, or write those of all verbs to a folder
    Man(ManArgs),
    /// clang for C programs with OpenMP, instrumented and linked with raceproof's runtime
    ///
    /// All arguments are clang's: use it in place of the compiler (`make CC=raceproof-cc`, or
    /// `raceproof-clang` for a Makefile that looks for that in the name). Beside them
    /// there are two: with `-fno-raceproof-check-elimination`, or RACEPROOF_CHECK_ELIMINATION=off
    /// in the environment, every access is checked, also where the check is redundant; with
    /// `-fno-raceproof-pass` clang's own pass instruments.
    #[command(disable_help_flag = true)]
    Cc(CompilerArgs),
    /// clang for C++ programs, the same way; by one word `raceproof-c++`
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(CompilerArgs),
    /// flang for Fortran programs with OpenMP, instrumented and linked with raceproof's runtime
    ///
    /// All arguments are flang's: use it in place of the compiler (`make FC=raceproof-fc`).
    /// `-fno-raceproof-check-elimination` is as
    /// for `raceproof cc`. docs/FORTRAN.md says what is judged.
    #[command(disable_help_flag = true)]
    Fc(CompilerArgs),
    /// Run a program that `raceproof cc` or `cargo raceproof` built, and report
    ///
    /// Without mutual exclusion one run decides all schedules, for every team size. A program
    /// that crashes or ends with another status than 0 has a program error. What was found before
    /// is reported whichever way it ends. The report goes to standard output, and what the program
    /// prints to standard error, unless standard output is a terminal or there is -o.
    #[command(after_help = EXIT_STATUS)]
    Run(RunArgs),
    /// Record one run of a TP program as a trace, or look after traces
    ///
    /// With --convert, --stat or --check FILE is a trace: raceproof's own, or RAPID's text (STD) or
    /// binary; which, its first bytes tell. docs/TRACE.md describes the formats. What RAPID's tools
    /// tolerate and no run does (a read that nobody wrote, a thread forked after its first event)
    /// is an offence to --check.
    #[command(after_help = TRACE_STATUS)]
    Trace(TraceArgs),
    /// Find the races of a recorded trace under an order
    ///
    /// Races are counted by pair of source locations. The trace is read once, from any of the
    /// formats of `trace`, in memory that grows with tasks, locks and variables and not with its
    /// length.
    #[command(after_help = EXIT_STATUS)]
    Analyze(AnalyzeArgs),
    /// Compare two reports: what is new, what is gone, what is still there
    ///
    /// Findings are compared by the ids of their causes, which stay the same when lines are inserted
    /// elsewhere.
    #[command(after_help = DIFF_STATUS)]
    Diff(DiffArgs),
    /// Tell the whole story of one finding, or what a word of the reports means
    ///
    /// Of a finding: every pair of accesses with its stacks, why nothing orders them, what would,
    /// the command that replays it and the line that suppresses it. Write the report with
    /// `--format json -o raceproof-report.json`.
    Explain(ExplainArgs),
}

/// The team sizes that a verdict is to hold for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum TeamSizes {
    All,
    Ran,
}

#[derive(clap::Args, Clone, Debug)]
pub struct RunArgs {
    /// What the report looks like
    #[arg(long, value_enum, default_value = "text")]
    pub format: ReportFormat,
    /// Run once for each of these team sizes, and join what is found [default: OMP_NUM_THREADS, or
    /// 4]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Vec<u32>,
    /// Team sizes that the verdict is to hold for: all that the program allows, or those that ran
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all")]
    pub sizes: TeamSizes,
    /// Write the report to a file instead of standard output, which is the program's then
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub known: KnownArgs,
    /// End each run after so many seconds, with what was found by then
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Record the run in a file, for `raceproof analyze`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Inconclusive, not race-free, if a part of the program is not instrumented (libraries of the
    /// system aside), or has OpenMP that was compiled without -fopenmp
    #[arg(long)]
    pub strict: bool,
    /// Do not run a program that has races again: of each racing location, name the pairs of
    /// accesses that were met, not all
    #[arg(long)]
    pub once: bool,
    /// Where the program's own standard output goes, if `cargo raceproof` keeps it.
    #[arg(skip)]
    pub stdout: Option<Arc<File>>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

#[derive(clap::Args, Debug)]
pub struct CompilerArgs {
    /// What the compiler is asked to do
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

/// The words of the command line; a program called `raceproof-cc` is `raceproof cc`, since build
/// tools want a compiler that is one word.
pub fn words(mut words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let program = words.next().unwrap_or_default();
    let name = Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let verbs =
        [("cc", "cc"), ("c++", "c++"), ("cxx", "c++"), ("fc", "fc"), ("clang", "cc"), ("clang++", "c++")];
    let named = |(ending, _): &(&str, &str)| name.ends_with(&format!("raceproof-{ending}"));
    let subcommand = verbs.into_iter().find(named).map(|(_, verb)| verb);
    [program].into_iter().chain(subcommand.map(OsString::from)).chain(words).collect()
}

/// The detectors by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DetectorName {
    /// raceproof's own: the last write and the reads since, over the tree of tasks and the joins
    /// outside it
    Default,
    /// Nakade: the transitive closure of the graph; slow and obviously right
    Closure,
    /// Storey et al.: zippers over the graph
    Zipper,
    /// Raman et al.: for async, finish and isolated only; can raise false alarms with isolated
    EspBags,
    /// Jin et al.: the detector for promises, its precedence check mended
    Drdp,
    /// Run the program and look for no race
    None,
}

impl DetectorName {
    pub const ALL: [DetectorName; 5] = [
        DetectorName::Default,
        DetectorName::Closure,
        DetectorName::Zipper,
        DetectorName::EspBags,
        DetectorName::Drdp,
    ];

    pub fn name(self) -> &'static str {
        match self {
            DetectorName::Default => "default",
            DetectorName::Closure => "closure",
            DetectorName::Zipper => "zipper",
            DetectorName::EspBags => "esp-bags",
            DetectorName::Drdp => "drdp",
            DetectorName::None => "none",
        }
    }
}

#[derive(clap::Args, Debug)]
pub struct CheckArgs {
    /// The program; `-` reads it from standard input
    pub file: PathBuf,
    /// How races are looked for
    #[arg(long, value_enum, default_value = "default")]
    pub detector: DetectorName,
    /// Look for the races a predictive order allows in other schedules than the one that was run
    #[arg(long, value_parser = order(PREDICTIVE), conflicts_with = "detector")]
    pub order: Option<OrderName>,
    /// What the report looks like
    #[arg(long, value_enum, default_value = "text")]
    pub format: ReportFormat,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub known: KnownArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Report nondeterminism that is no data race as well: conflicting sections in either order,
    /// clashing sets
    #[arg(long)]
    pub determinism: bool,
    /// Show on standard error what the program prints
    #[arg(long)]
    pub show_output: bool,
}

/// The most seconds of one execution of a native program in `verify`, unless another number is
/// asked for.
pub(crate) const TIME_LIMIT: f64 = 60.0;

/// Takes the name of one of these orders.
fn order(known: &'static [OrderName]) -> impl TypedValueParser<Value = OrderName> {
    let value = |order: &OrderName| PossibleValue::new(order.name()).help(order.summary());
    PossibleValuesParser::new(known.iter().map(value)).map(|name| {
        let order = known.iter().find(|order| order.name() == name);
        *order.expect("the parser lets only these names pass")
    })
}

const PREDICTIVE: &[OrderName] =
    &[OrderName::Hb, OrderName::Shb, OrderName::Wcp, OrderName::Dc, OrderName::Weak];
const STREAMED: &[OrderName] = &[OrderName::Hb, OrderName::Shb, OrderName::Wcp, OrderName::Dc];

#[derive(clap::Args, Debug)]
pub struct VerifyArgs {
    /// The TP program, `-` reads it from standard input; or one that `raceproof cc` or `cargo
    /// raceproof` built
    #[arg(required_unless_present = "program")]
    pub file: Option<PathBuf>,
    /// What orders sections of a lock, and so which schedules count as the same
    #[arg(long, value_parser = order(&OrderName::EXPLORED), default_value = "dc")]
    pub order: OrderName,
    /// Give up after so many executions
    #[arg(long, value_name = "N")]
    pub max_executions: Option<u64>,
    /// Go on after the first execution with a race
    #[arg(long)]
    pub all: bool,
    /// Leave out what takes more than so many preemptions, switches away from a task that could have
    /// gone on: for programs with too many schedules to run all that differ
    #[arg(long, value_name = "N", conflicts_with_all = ["checkpoint", "random"])]
    pub preemptions: Option<u32>,
    /// Run schedules that chance picks, for so many seconds: for programs with too many schedules
    /// to run all that differ. Shows races, never that there are none
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = seconds,
        conflicts_with_all = ["checkpoint", "determinism", "max_seconds"]
    )]
    pub random: Option<f64>,
    /// Of --random: what the schedules follow from. The same seed and number of executions give the
    /// same report [default: 0]
    #[arg(long, value_name = "N", requires = "random")]
    pub seed: Option<u64>,
    /// Report nondeterminism that is no data race as well: conflicting sections in either order,
    /// clashing sets
    #[arg(long)]
    pub determinism: bool,
    /// Of a TP program: explore every order of sections that only add to the same variables, too
    #[arg(long)]
    pub no_commuting: bool,
    /// Keep the search in a file as far as it has come, and go on from there if the file exists
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How many executions run at the same time [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: ReportFormat,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub known: KnownArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Of a native program: the most seconds that one execution may take [default: 60]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Of a native program: the size of its teams or pools [default: OMP_NUM_THREADS or
    /// RAYON_NUM_THREADS, or 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Of a native program: inconclusive, not race-free, if a part of it is not instrumented
    /// (libraries of the system aside), or has OpenMP that was compiled without -fopenmp
    #[arg(long)]
    pub strict: bool,
    /// A program that `raceproof cc` or `cargo raceproof` built, and its arguments; or the
    /// arguments of FILE, if that is one
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

#[derive(clap::Args, Debug)]
pub struct LimitArgs {
    /// End the run after so many seconds; to explain its races can take as long again
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub max_seconds: Option<f64>,
    /// End the run after so many accesses and synchronisations
    #[arg(long, value_name = "N")]
    pub max_events: Option<u64>,
    /// End the run when more memory is in use (on Linux)
    #[arg(long, value_name = "GB", default_value = "4", value_parser = gigabytes)]
    pub max_memory: u64,
}

impl LimitArgs {
    /// The most bytes of memory, unless another number is asked for.
    pub const MEMORY: u64 = 4_000_000_000;
}

#[derive(clap::Args, Debug)]
pub struct ReplayArgs {
    /// The TP program, `-` reads it from standard input; or one that `raceproof cc` or `cargo
    /// raceproof` built
    #[arg(required_unless_present = "program")]
    pub file: Option<PathBuf>,
    /// A report in JSON, or one of its witnesses
    #[arg(long, value_name = "W.json")]
    pub witness: PathBuf,
    /// Which of the report's findings with a witness: races first, then deadlocks, then errors
    #[arg(long, value_name = "N", default_value = "1")]
    pub finding: NonZeroUsize,
    /// Show every action on the way
    #[arg(long)]
    pub step: bool,
    /// A program that `raceproof cc` or `cargo raceproof` built, and its arguments; or the
    /// arguments of FILE, if that is one
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

#[derive(clap::Args, Debug)]
pub struct TraceArgs {
    /// The program to run, or the trace; `-` reads it from standard input
    pub file: PathBuf,
    /// Write the trace here
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// FILE is a trace: write it in another format
    #[arg(long, conflicts_with_all = ["stat", "check"], group = "as trace")]
    pub convert: bool,
    /// FILE is a trace: tell what is in it
    #[arg(long, conflicts_with_all = ["check", "output"], group = "as trace")]
    pub stat: bool,
    /// FILE is a trace: tell whether it is well-formed, and where the first offence is if not
    #[arg(long, conflicts_with = "output")]
    pub check: bool,
    /// With --convert and --stat: make do with what can be read before the first offence
    #[arg(long, conflicts_with = "check", requires = "as trace")]
    pub recover: bool,
    /// The format to write [default: std if OUT ends in .std, else raceproof]
    #[arg(long, value_enum)]
    pub to: Option<TraceFormat>,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(clap::Args, Clone, Debug)]
pub struct AnalyzeArgs {
    /// The trace: raceproof's own, or RAPID's text (STD) or binary; `-` reads it from standard
    /// input
    pub file: PathBuf,
    /// What orders the sections of a lock
    #[arg(long, value_parser = order(STREAMED), default_value = "hb")]
    pub order: OrderName,
    /// Find every pair of sites and look for a witness of each: a reordering of the trace that ends
    /// in the race. The whole trace is kept in memory
    #[arg(long)]
    pub witness: bool,
    /// Tell which races can happen by themselves and which may only be consequences of others
    /// (Netzer's analysis). The whole trace is kept in memory; the order is happens-before
    #[arg(long, conflicts_with = "order")]
    pub validate: bool,
    /// With --validate: how much of the order of accesses is used
    #[arg(long, value_enum, default_value = "complete", requires = "validate")]
    pub level: TemporalLevel,
    /// With --validate: take every value that a step read to decide what it does, even if the trace
    /// tells which did
    #[arg(long, requires = "validate")]
    pub coarse: bool,
    /// With --validate: what a race is between
    #[arg(long, value_enum, default_value = "step", requires = "validate")]
    pub grain: Grain,
    /// Report conflicting accesses whose order posts, waits, spawns and joins do not guarantee as
    /// well, locks aside. The whole trace is kept in memory
    #[arg(long)]
    pub general: bool,
    /// Make do with what can be read before the first offence
    #[arg(long)]
    pub recover: bool,
    /// How many threads read and analyse the trace; what is found is the same for any number
    /// [default: 1, which is faster for most traces]
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    #[command(flatten)]
    pub limits: AnalysisLimits,
    /// What the report looks like
    #[arg(long, value_enum, default_value = "text")]
    pub format: ReportFormat,
    /// Write the report to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub known: KnownArgs,
}

#[derive(clap::Args, Clone, Debug)]
pub struct AnalysisLimits {
    /// End the analysis after so many seconds, with what is known by then
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub max_seconds: Option<f64>,
    /// End it when more memory is in use (on Linux)
    #[arg(long, value_name = "GB", default_value = "4", value_parser = gigabytes)]
    pub max_memory: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TemporalLevel {
    /// Which access came first is known
    Complete,
    /// Only what synchronisation orders is, and what each step read and wrote
    Approximate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Grain {
    /// Steps: a task's accesses between two synchronisations
    Step,
    /// Single accesses
    Access,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TraceFormat {
    /// Compact, with all events
    Raceproof,
    /// RAPID's text
    Std,
}

#[derive(clap::Args, Debug)]
pub struct GraphArgs {
    /// The TP program, `-` reads it from standard input; one that `raceproof cc` or `cargo raceproof`
    /// built; or a trace
    #[arg(required_unless_present = "program")]
    pub file: Option<PathBuf>,
    /// What the graph is written as
    #[arg(long, value_enum, default_value = "dot")]
    pub format: GraphFormat,
    /// Write the graph to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Of a native program: the size of its teams or pools [default: OMP_NUM_THREADS or
    /// RAYON_NUM_THREADS, or 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// A program that `raceproof cc` or `cargo raceproof` built, and its arguments; or the
    /// arguments of FILE, if that is one
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReportFormat {
    /// For people
    Text,
    /// One object, for programs
    Json,
    /// A page for the browser, in one file
    Html,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands of GitHub Actions, and a job summary where there is one
    Github,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum GraphFormat {
    /// For Graphviz
    Dot,
    /// A picture, as it is
    Svg,
    /// For programs
    Json,
}

fn gigabytes(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(gigabytes) if gigabytes > 0.0 && gigabytes.is_finite() => Ok((gigabytes * 1e9) as u64),
        _ => Err("expected a number of gigabytes, such as 8 or 0.5".into()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("expected a number of seconds, such as 10 or 0.5".into()),
    }
}
