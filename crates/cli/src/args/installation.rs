//! The arguments of the verbs about this installation: `doctor`, `completions`, `man` and
//! `toolchain`.

use clap::ValueEnum;
use std::path::PathBuf;

pub(super) const DOCTOR_STATUS: &str = "\
Exit status:
  0  the front ends that were asked for work
  1  something that one of them needs is missing
  2  bad usage";

#[derive(clap::Args, Debug)]
pub struct DoctorArgs {
    /// The front ends that have to work for status 0 [default: tp, openmp, and rust if there is a
    /// cargo]
    #[arg(long = "for", value_enum, value_name = "NAME,…", value_delimiter = ',')]
    pub wanted: Vec<FrontEnd>,
    /// What the answer looks like
    #[arg(long, value_enum, default_value = "text")]
    pub format: DoctorFormat,
    /// Write it to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Look only: build and run nothing
    #[arg(long)]
    pub no_trial: bool,
    /// Make the links `raceproof-c++` and `raceproof-clang++` beside this program, which `cargo
    /// install` cannot
    #[arg(long, conflicts_with_all = ["wanted", "output", "no_trial"])]
    pub links: bool,
}

/// A kind of programs that raceproof checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FrontEnd {
    /// All of them.
    #[value(skip)]
    All,
    /// TP programs
    Tp,
    /// C and C++ programs with OpenMP
    Openmp,
    /// Fortran programs with OpenMP
    Fortran,
    /// Rust programs with rayon
    Rust,
}

impl FrontEnd {
    pub(crate) const EACH: [FrontEnd; 4] =
        [FrontEnd::Tp, FrontEnd::Openmp, FrontEnd::Fortran, FrontEnd::Rust];

    pub(crate) fn name(self) -> &'static str {
        match self {
            FrontEnd::All => "all",
            FrontEnd::Tp => "tp",
            FrontEnd::Openmp => "openmp",
            FrontEnd::Fortran => "fortran",
            FrontEnd::Rust => "rust",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            FrontEnd::All => "this machine",
            FrontEnd::Tp => "TP programs (tp)",
            FrontEnd::Openmp => "C and C++ programs with OpenMP (openmp)",
            FrontEnd::Fortran => "Fortran programs with OpenMP (fortran)",
            FrontEnd::Rust => "Rust programs with rayon (rust)",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DoctorFormat {
    /// For people
    Text,
    /// One object, for programs
    Json,
}

#[derive(clap::Args, Debug)]
pub struct ToolchainArgs {
    /// The build system
    #[arg(value_enum)]
    pub system: BuildSystem,
    /// Write it to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BuildSystem {
    /// A toolchain file, for `cmake -B build --toolchain FILE`
    Cmake,
    /// A machine file, for `meson setup build --native-file FILE`
    Meson,
}

#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
    /// Write them to a file instead of standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// Write the pages of the command and of each verb to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
