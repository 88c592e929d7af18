//! Options about findings that are known, and the commands `diff` and `explain`.

use clap::ValueEnum;
use std::path::PathBuf;

/// What the user knows of already; all commands that report findings have these options.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct KnownArgs {
    /// Leave out the findings that this file names, in lines such as
    /// `race:function_or_file_or_variable` or `id:ID`
    #[arg(long, value_name = "FILE")]
    pub suppressions: Option<PathBuf>,
    /// Print lines for --suppressions that name what was found, ready to be copied
    #[arg(long)]
    pub print_suppressions: bool,
    /// Fail for new findings only: not for those in this file, a report in JSON or what
    /// --write-baseline wrote
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write what was found to a file for --baseline. As it is known then, it does not fail
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Suppressions of the project file.
    #[arg(skip)]
    pub of_project: Vec<ProjectSuppression>,
    /// Whether this is one of several programs that share the files: what it does not show, another
    /// may.
    #[arg(skip)]
    pub is_one_of_several: bool,
}

/// An entry of the project file, as a line of a suppressions file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProjectSuppression {
    pub line: String,
    pub place: String,
    pub reason: Option<String>,
}

#[derive(clap::Args, Debug)]
pub struct DiffArgs {
    /// The report before, in JSON
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// The report after, in JSON
    #[arg(value_name = "B")]
    pub after: PathBuf,
    /// What the answer looks like
    #[arg(long, value_enum, default_value = "text")]
    pub format: DiffFormat,
    /// Write it to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DiffFormat {
    /// For people
    Text,
    /// One object, for programs
    Json,
}

#[derive(clap::Args, Debug)]
pub struct ExplainArgs {
    /// The id of a finding, or its beginning; or a word of the reports, such as `apparent`
    #[arg(value_name = "ID")]
    pub what: String,
    /// The report that has it, in JSON [default: raceproof-report.json]
    #[arg(value_name = "REPORT.json")]
    pub report: Option<PathBuf>,
    /// Write it to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}
