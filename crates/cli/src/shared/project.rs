//! The project file, `raceproof.toml`: options, suppressions and the baseline of a project.
//!
//! It is looked for in the current directory and above, up to the top of the repository (where
//! `.git` is); without a repository in the current directory only. What the command line says comes
//! before what the file says. `docs/schema/raceproof.toml.json` is its schema, and docs/CI.md
//! describes it.

use crate::args::{Args, Color, Command, KnownArgs, ProjectSuppression, ReportFormat};
use crate::shared::input::is_native;
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs};
use strsim::jaro_winkler;

/// What the file is called.
pub const NAME: &str = "raceproof.toml";

/// How near a key must be to be suggested.
const NEAR: f64 = 0.75;

/// What a project file can say.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ProjectFile {
    /// What reports look like, as `--format`.
    pub format: Option<ReportFormat>,
    /// Whether text reports have colours, as `--color`.
    pub color: Option<Color>,
    /// How many findings a text report shows, as `--max-findings`.
    pub max_findings: Option<usize>,
    /// The sizes of teams or pools that native programs run with, as `--threads`. `verify` takes
    /// the first.
    pub threads: Option<Threads>,
    /// Whether uninstrumented parts of a native program make the verdict inconclusive, as
    /// `--strict`.
    pub strict: Option<bool>,
    /// The baseline, as `--baseline`, relative to this file.
    pub baseline: Option<PathBuf>,
    /// Findings that are left out.
    pub suppress: Vec<Suppress>,
}

/// One size or several.
#[derive(Clone, PartialEq, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number of threads, or a list of them")]
pub enum Threads {
    One(u32),
    Several(Vec<u32>),
}

/// A suppression. One of `race`, `race-top` and `id` says what it names.
#[derive(Clone, PartialEq, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Suppress {
    /// A pattern for functions and files of both stacks and for the variable.
    pub race: Option<String>,
    /// The same, for the innermost function and file only.
    pub race_top: Option<String>,
    /// The id of a finding.
    pub id: Option<String>,
    /// Why it is no problem.
    pub reason: Option<String>,
}

/// The command line, with what the project file adds to it. The error says what is wrong with the
/// file; a command line that is wrong ends the process, as clap has it.
pub fn parse(command: clap::Command, words: Vec<OsString>) -> Result<Args, String> {
    let matches = command.get_matches_from(words);
    let mut args = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    complete(&mut args, &matches)?;
    Ok(args)
}

/// Adds what the project file around the current directory says to what the command line does not.
pub(crate) fn complete(args: &mut Args, matches: &ArgMatches) -> Result<(), String> {
    let Some((_, given)) = matches.subcommand() else { return Ok(()) };
    let reports = matches!(
        args.command,
        Command::Check(_) | Command::Verify(_) | Command::Run(_) | Command::Analyze(_)
    );
    let Some(file) = reports.then(find).flatten() else { return Ok(()) };
    let text = fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", shown(&file)))?;
    let project = read(&text).map_err(|wrong| format!("{}:{wrong}", shown(&file)))?;
    let is_free = |name: &str| given.value_source(name) != Some(ValueSource::CommandLine);
    if let Some(color) = project.color.filter(|_| is_free("color")) {
        args.look.color = color;
    }
    if let Some(most) = project.max_findings.filter(|_| is_free("max_findings")) {
        args.look.max_findings = most;
    }
    project.apply(&mut args.command, &file, &is_free).map_err(|wrong| format!("{}: {wrong}", shown(&file)))
}

/// The project file of the current directory.
fn find() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let top = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
    let within = here.ancestors().take_while(|folder| folder.starts_with(top));
    within.map(|folder| folder.join(NAME)).find(|file| file.is_file())
}

/// Its name, short if it is right here.
fn shown(file: &Path) -> String {
    let here = env::current_dir().ok();
    let below = here.as_deref().and_then(|here| file.strip_prefix(here).ok());
    below.unwrap_or(file).display().to_string()
}

/// Reads the text of a file; the error begins with the line and column.
pub fn read(text: &str) -> Result<ProjectFile, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let project: ProjectFile = toml::from_str(text).map_err(|error| {
        let (line, column) = position(text, error.span());
        format!("{line}:{column}: {}", explained(error.message()))
    })?;
    for (number, entry) in project.suppress.iter().enumerate() {
        if let Err(wrong) = entry.line() {
            let line = nth_entry(text, number);
            return Err(format!("{line}:1: {wrong}"));
        }
    }
    Ok(project)
}

fn position(text: &str, span: Option<Range<usize>>) -> (usize, usize) {
    let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// The line of the `number`th `[[suppress]]`; 1 if they are written otherwise.
fn nth_entry(text: &str, number: usize) -> usize {
    let is_entry = |line: &str| line.trim_start().starts_with("[[suppress]]");
    let mut entries = text.lines().zip(1..).filter(|(line, _)| is_entry(line));
    entries.nth(number).map_or(1, |(_, line)| line)
}

/// An error of the parser, with a suggestion for a key or value that is not known.
fn explained(message: &str) -> String {
    let message = message.trim().replace('\n', "; ");
    let message = message.replace("unknown field", "unknown key");
    let mut quoted = message.split('`').skip(1).step_by(2);
    let is_unknown = message.starts_with("unknown key") || message.starts_with("unknown variant");
    let Some(wrong) = quoted.next().filter(|_| is_unknown) else { return message };
    let near = quoted.map(|known| (jaro_winkler(known, wrong), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    match near.filter(|(likeness, _)| *likeness > NEAR) {
        Some((_, known)) => format!("{message}; did you mean `{known}`?"),
        None => message,
    }
}

impl Suppress {
    /// As a line of a suppressions file.
    fn line(&self) -> Result<String, String> {
        match (&self.race, &self.race_top, &self.id) {
            (Some(pattern), None, None) if !pattern.is_empty() => Ok(format!("race:{pattern}")),
            (None, Some(pattern), None) if !pattern.is_empty() => Ok(format!("race_top:{pattern}")),
            (None, None, Some(id)) if !id.trim().is_empty() => Ok(format!("id:{id}")),
            _ => Err("expected one of `race`, `race-top` and `id`, with what it names".to_owned()),
        }
    }
}

impl ProjectFile {
    /// Adds what it says to a command, where the command line leaves it open.
    fn apply(self, command: &mut Command, file: &Path, is_free: &dyn Fn(&str) -> bool) -> Result<(), String> {
        let sizes = match &self.threads {
            None => Vec::new(),
            Some(Threads::One(size)) => vec![*size],
            Some(Threads::Several(sizes)) => sizes.clone(),
        };
        if sizes.contains(&0) {
            return Err("threads: expected numbers from 1 on".to_owned());
        }
        let strict = self.strict == Some(true);
        let (format, known) = match command {
            Command::Check(args) => (&mut args.format, &mut args.known),
            Command::Analyze(args) => (&mut args.format, &mut args.known),
            Command::Run(args) => {
                if is_free("threads") {
                    args.threads = sizes;
                }
                args.strict |= strict;
                (&mut args.format, &mut args.known)
            }
            Command::Verify(args) => {
                // For a TP program these would be mistakes.
                let native = !args.program.is_empty() || args.file.as_deref().is_some_and(is_native);
                if native && is_free("threads") {
                    args.threads = sizes.first().copied();
                }
                args.strict |= strict && native;
                (&mut args.format, &mut args.known)
            }
            _ => return Ok(()),
        };
        if let Some(wanted) = self.format.filter(|_| is_free("format")) {
            *format = wanted;
        }
        self.known(known, file, is_free)
    }

    fn known(self, known: &mut KnownArgs, file: &Path, is_free: &dyn Fn(&str) -> bool) -> Result<(), String> {
        let folder = file.parent().unwrap_or(Path::new(""));
        if let Some(baseline) = self.baseline.filter(|_| is_free("baseline")) {
            known.baseline = Some(folder.join(baseline));
        }
        for (number, entry) in self.suppress.into_iter().enumerate() {
            let line = entry.line()?;
            let place = format!("{}, entry {}", shown(file), number + 1);
            known.of_project.push(ProjectSuppression { line, place, reason: entry.reason });
        }
        Ok(())
    }
}

/// The schema of project files, as JSON Schema (draft 2020-12).
pub fn schema() -> String {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<ProjectFile>();
    schema.insert("title".to_owned(), "The project file of raceproof, raceproof.toml".into());
    schema.insert("description".to_owned(), "docs/CI.md describes every key.".into());
    raceproof_report::json::pretty(&schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_can() {
        let text = "format = \"sarif\"\nthreads = [2, 8]\nstrict = true\nbaseline = \"known.txt\"\n\
                    [[suppress]]\nrace = \"^x$\"\nreason = \"a counter\"\n[[suppress]]\nid = \"b25a926475\"\n";
        let project = read(text).unwrap();
        assert_eq!(project.format, Some(ReportFormat::Sarif));
        assert_eq!(project.threads, Some(Threads::Several(vec![2, 8])));
        let lines: Vec<String> = project.suppress.iter().map(|entry| entry.line().unwrap()).collect();
        assert_eq!(lines, ["race:^x$", "id:b25a926475"]);
        assert_eq!(read("").unwrap(), ProjectFile::default());
        assert_eq!(read("threads = 4").unwrap().threads, Some(Threads::One(4)));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (text, wrong) in [
            ("strict = true\nfromat = \"text\"\n", "2:1: unknown key `fromat`"),
            ("fromat = \"text\"\n", "did you mean `format`?"),
            ("format = \"jsno\"\n", "did you mean `json`?"),
            ("format = 3\n", "1:10: "),
            ("threads = \"two\"\n", "expected a number of threads, or a list of them"),
            ("[[suppress]]\nrace = \"x\"\n\n[[suppress]]\nreason = \"y\"\n", "4:1: expected one of `race`"),
            ("[[suppress]]\nrace = \"x\"\nid = \"y\"\n", "1:1: expected one of `race`"),
            ("[[suppress]]\nrcae = \"x\"\n", "2:1: unknown key `rcae`"),
            ("format = \"text\n", "1:"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(wrong), "{text}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
