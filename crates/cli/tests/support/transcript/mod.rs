//! Pages of the book as scripts: the commands they show are run, and what they show as output is
//! compared with what the commands print.
//!
//! In a page,
//!
//! - a block ```` ```console ```` holds commands, each after `$ ` (continued after `> `), and under
//!   each the lines that it prints, standard error included. A line `…` stands for any lines, and
//!   `…` in a line for any text;
//! - a block with `file=NAME` after its language is a file, written before the next commands run;
//! - a comment that begins with `<!-- file=NAME` is a file as well, and one that begins with `<!--
//!   run` holds commands that the page does not show;
//! - a comment `<!-- not run: WHY -->` before a block excuses its commands.
//!
//! The commands of a page share a folder. `BLESS=1` writes the output of commands that print
//! something else into the page, for a person to shorten.
#![allow(dead_code, unreachable_pub)]

use crate::common::command::{Folder, finish_within, root};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs};

/// A command of a page may call cargo on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A command, where its output is shown, and the lines shown.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    command: String,
    /// Index of the first line of output, and one past the last.
    lines: (usize, usize),
}

/// What a page asks for, in its order.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    File { name: String, text: String },
    Hidden(String),
    Command(Shown),
}

/// Runs the commands of a page, with these settings besides the usual ones; panics with the places
/// where it is wrong.
pub fn check_page(page: &str, settings: &[(&str, &Path)]) {
    let path = root().join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let lines: Vec<&str> = text.lines().collect();
    let parts = parts(&lines).unwrap_or_else(|wrong| panic!("{page}:{wrong}"));
    assert!(parts.iter().any(|part| matches!(part, Part::Command(_))), "{page} has no commands");
    let folder = Folder::new("page");
    let mut corrected = Vec::new();
    let mut wrong = Vec::new();
    for part in &parts {
        match part {
            Part::File { name, text } => {
                let file = folder.path(name);
                fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a new folder");
                fs::write(file, text).expect("the temporary folder can be written");
            }
            Part::Hidden(commands) => {
                let (status, said) = execute(&format!("set -e\n{commands}"), &folder, settings);
                assert_eq!(status, Some(0), "{page}: {commands}\n{said}");
            }
            Part::Command(shown) => {
                let (_, said) = execute(&shown.command, &folder, settings);
                let said: Vec<&str> = said.lines().map(str::trim_end).collect();
                let (from, to) = shown.lines;
                if !alike(&lines[from..to], &said) {
                    let text = said.join("\n");
                    wrong.push(format!("{page}:{}: `{}` prints\n{text}\n", from, shown.command));
                    corrected.push((from, to, said.iter().map(|line| lasting(line)).collect::<Vec<_>>()));
                }
            }
        }
    }
    if env::var_os("BLESS").is_some_and(|v| !v.is_empty() && v != "0") && !corrected.is_empty() {
        let mut lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        for (from, to, said) in corrected.into_iter().rev() {
            lines.splice(from..to, said);
        }
        fs::write(&path, lines.join("\n") + "\n").unwrap_or_else(|error| panic!("{page}: {error}"));
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a page has commands that a test runs.
pub fn has_commands(page: &str) -> bool {
    let text = fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
    text.lines().any(|line| line == "```console")
}

/// Blocks of a page with commands that nobody runs, by their lines.
pub fn unrun(page: &str) -> Vec<usize> {
    let text = fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut excused = false;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let end = at + 1 + lines[at + 1..].iter().position(|l| l.starts_with("```")).unwrap_or(0);
        if let Some(info) = line.strip_prefix("```") {
            let words = ["raceproof", "cargo", "make", "cmake", "./"];
            let is_command = |line: &&str| {
                let line = line.strip_prefix("$ ").unwrap_or(line);
                words.iter().any(|word| line.starts_with(word))
            };
            let commands = lines[at + 1..end].iter().any(is_command);
            if commands && info != "console" && !info.contains("file=") && !excused {
                found.push(at + 1);
            }
            at = end;
        } else if line.starts_with("    raceproof ") || line.starts_with("    cargo ") {
            found.push(at + 1);
        }
        excused = line.starts_with("<!-- not run: ") || (excused && line.is_empty());
        at += 1;
    }
    found
}

fn execute(command: &str, folder: &Folder, settings: &[(&str, &Path)]) -> (Option<i32>, String) {
    let binaries = Path::new(env!("CARGO_BIN_EXE_raceproof")).parent().expect("a folder");
    let mut path = vec![binaries.to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let mut bash = Command::new("bash");
    bash.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(folder.path(""));
    bash.env("PATH", env::join_paths(path).expect("folders")).env("HOME", folder.path(""));
    bash.env_remove("LD_LIBRARY_PATH").env_remove("RACEPROOF_OPTIONS").env_remove("OMP_NUM_THREADS");
    // Cargo's own folders, which it looks for at home.
    for (name, at_home) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        bash.env(name, env::var_os(name).unwrap_or_else(|| home.join(at_home).into()));
    }
    bash.envs(settings.iter().map(|(name, value)| (name, value)));
    bash.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = finish_within(&mut bash, PATIENCE).unwrap_or_else(|wrong| panic!("{command}: {wrong}"));
    (done.status, done.stdout)
}

fn parts(lines: &[&str]) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let (end, closing) = match line {
            _ if line.starts_with("```") => ("```", true),
            _ if line.starts_with("<!-- file=") || line == "<!-- run" => ("-->", true),
            _ => ("", false),
        };
        if !closing {
            at += 1;
            continue;
        }
        let length = lines[at + 1..].iter().position(|l| l.trim_end() == end);
        let last = at + 1 + length.ok_or_else(|| format!("{}: the block does not end", at + 1))?;
        let text = || lines[at + 1..last].iter().map(|l| format!("{l}\n")).collect::<String>();
        let file = line.split([' ', ',']).find_map(|word| word.strip_prefix("file="));
        if let Some(name) = file {
            parts.push(Part::File { name: name.to_owned(), text: text() });
        } else if line == "<!-- run" {
            parts.push(Part::Hidden(text()));
        } else if line == "```console" {
            parts.extend(commands(lines, at + 1, last)?.into_iter().map(Part::Command));
        }
        at = last + 1;
    }
    Ok(parts)
}

fn commands(lines: &[&str], from: usize, to: usize) -> Result<Vec<Shown>, String> {
    let mut all: Vec<Shown> = Vec::new();
    let mut at = from;
    while at < to {
        let Some(command) = lines[at].strip_prefix("$ ") else {
            return Err(format!("{}: a command after `$ ` expected", at + 1));
        };
        let mut command = command.to_owned();
        at += 1;
        while let Some(more) = lines.get(at).filter(|_| at < to).and_then(|l| l.strip_prefix("> ")) {
            command = format!("{command}\n{more}");
            at += 1;
        }
        let begin = at;
        while at < to && !lines[at].starts_with("$ ") {
            at += 1;
        }
        all.push(Shown { command, lines: (begin, at) });
    }
    Ok(all)
}

/// Whether what is shown stands for what was printed.
fn alike(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "…" => {
            (0..=printed.len()).any(|skipped| alike(rest, &printed[skipped..]))
        }
        Some((line, rest)) => match printed.split_first() {
            Some((first, others)) => same_line(line.trim_end(), first) && alike(rest, others),
            None => false,
        },
    }
}

fn same_line(shown: &str, printed: &str) -> bool {
    let Some((before, after)) = shown.split_once('…') else { return shown == printed };
    let Some(rest) = printed.strip_prefix(before) else { return false };
    (0..=rest.len()).filter(|&at| rest.is_char_boundary(at)).any(|at| same_line(after, &rest[at..]))
}

/// A line without what differs from run to run: the seconds at its end.
fn lasting(line: &str) -> String {
    match line.rsplit_once(", ") {
        Some((before, time)) if time.ends_with(" s") => format!("{before}, …"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stand_for_lines_and_for_text() {
        assert!(alike(&["a", "…", "b …"], &["a", "x", "y", "b 7"]));
        assert!(alike(&["…"], &[]));
        assert!(alike(&["x … z"], &["x … z"]));
        assert!(!alike(&["a", "…"], &["b"]));
        assert!(!alike(&["a"], &["a", "b"]));
        assert!(!alike(&["a … c"], &["a b"]));
    }

    #[test]
    fn a_page_is_files_and_commands() {
        let page = "text\n```c file=a.c\nint x;\n```\n<!-- run\ntrue\n-->\n```console\n$ echo a\\\n> b\nab\n$ true\n```\n";
        let lines: Vec<&str> = page.lines().collect();
        let expected = vec![
            Part::File { name: "a.c".into(), text: "int x;\n".into() },
            Part::Hidden("true\n".into()),
            Part::Command(Shown { command: "echo a\\\nb".into(), lines: (10, 11) }),
            Part::Command(Shown { command: "true".into(), lines: (12, 12) }),
        ];
        assert_eq!(parts(&lines).unwrap(), expected);
        assert!(parts(&["```console", "no command", "```"]).is_err());
        assert!(parts(&["```console", "$ true"]).is_err());
    }
}
