//! `raceproof --help`: the verbs in groups, and where to begin.

use crate::args::Args;
use clap::{Command, CommandFactory};
use std::fmt::Write;

/// The verbs as people look for them. One that is in no group comes last.
const GROUPS: [(&str, &[&str]); 4] = [
    ("C, C++ and Fortran programs with OpenMP", &["cc", "c++", "fc", "run", "toolchain"]),
    ("TP programs", &["check", "graph"]),
    ("Every kind of program", &["verify", "replay", "trace", "analyze", "diff", "explain"]),
    ("This installation", &["doctor", "completions", "man"]),
];

const EXAMPLES: &str = "\
Rust programs with rayon:
  cargo raceproof  cargo's build, run, test and bench, instrumented: `cargo raceproof --help`

Examples:
  raceproof cc -fopenmp prog.c -o prog && raceproof run -- ./prog
  make CC=raceproof-cc CXX=raceproof-c++ && raceproof run --threads 2,8 -- ./prog
  cargo raceproof test
  raceproof check prog.tp
  raceproof doctor";

/// The command line, with its help in groups.
pub fn command() -> Command {
    let command = Args::command();
    let groups = groups(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{EXAMPLES}\n\nOptions:\n{{options}}{{after-help}}\n"
    ))
}

fn groups(command: &Command) -> String {
    let verbs: Vec<(String, String)> = command
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set())
        .map(|verb| {
            (verb.get_name().to_owned(), verb.get_about().map(ToString::to_string).unwrap_or_default())
        })
        .collect();
    let width = verbs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> =
        verbs.iter().map(|(name, _)| name.as_str()).filter(|name| !is_grouped(name)).collect();
    let mut text = String::new();
    for (title, names) in GROUPS.into_iter().chain([("Others", others.as_slice())]) {
        let of_group = |name: &&str| verbs.iter().find(|(verb, _)| verb == name);
        let lines: Vec<_> = names.iter().filter_map(of_group).collect();
        if lines.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{title}:");
        for (name, about) in lines {
            let _ = writeln!(text, "  {name:width$}  {about}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_is_in_the_help_once() {
        let command = command();
        let text = command.clone().render_help().to_string();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let line = format!("\n  {} ", verb.get_name());
            assert_eq!(text.matches(&line).count(), 1, "{}: {text}", verb.get_name());
        }
        assert!(text.contains("cargo raceproof --help"), "{text}");
    }
}
