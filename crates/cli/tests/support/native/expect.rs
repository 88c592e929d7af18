//! What a program of `programs/c` or `programs/fortran` says about itself in its comments; the
//! README there describes the format.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// A line of a file of the program, by the file's name without its folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Line {
    pub file: String,
    pub line: u64,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Two lines that race, the smaller one first; the same one twice if it races with itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    pub location: String,
    pub first: Line,
    pub second: Line,
    /// Whether it has to be reported, or only may be.
    pub certain: bool,
}

impl Pair {
    /// The variable: `a` of `a[]`, `s` of `s.field`.
    pub fn variable(&self) -> &str {
        self.location.split(['[', '.', '(', '%']).next().unwrap_or_default()
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} and {}", self.location, self.first, self.second)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    pub verdict: String,
    /// None where either is right.
    pub scope: Option<String>,
    /// A fragment of what has to be said besides, in small letters.
    pub message: Option<String>,
    pub threads: Option<String>,
    pub flags: Vec<String>,
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub pairs: Vec<Pair>,
    /// Of `verify`: the verdict of one run, how many executions are needed, and the TP program that
    /// is the same.
    pub run: Option<String>,
    pub executions: Option<u64>,
    pub twin: Option<String>,
}

impl Expected {
    /// Of a program that may have several files.
    pub fn read(files: &[&Path]) -> Result<Self, String> {
        let mut sources = Vec::new();
        for path in files {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
            sources.push((name, text));
        }
        Self::parse(&sources)
    }

    pub fn parse(sources: &[(String, String)]) -> Result<Self, String> {
        let mut expected = Expected::default();
        let mut marks: BTreeMap<u32, Mark> = BTreeMap::new();
        for (file, text) in sources {
            for (line, number) in text.lines().zip(1..) {
                let here = Line { file: file.clone(), line: number };
                expected.header(line).map_err(|e| format!("{here}: {e}"))?;
                if let Some((_, marker)) = line.split_once("//~").or_else(|| line.split_once("!~")) {
                    read_marker(marker, &here, &mut marks).map_err(|e| format!("{here}: {e}"))?;
                }
            }
        }
        expected.pairs = marks.into_values().map(Mark::pair).collect();
        expected.consistent()?;
        Ok(expected)
    }

    fn header(&mut self, line: &str) -> Result<(), String> {
        let comment = line.strip_prefix("// ").or_else(|| line.strip_prefix("! "));
        let Some((key, value)) = comment.and_then(|rest| rest.split_once(": ")) else {
            return Ok(());
        };
        let value = value.trim();
        match key {
            "expect" => {
                let mut words = value.split_whitespace().map(str::to_owned);
                self.verdict = words.next().unwrap_or_default();
                self.scope = words.next();
            }
            "message" => self.message = Some(value.to_lowercase()),
            "run" => self.run = Some(value.to_owned()),
            "twin" => self.twin = Some(value.to_owned()),
            "executions" => {
                self.executions = Some(value.parse().map_err(|_| "`// executions: N` expected")?);
            }
            "threads" => self.threads = Some(value.to_owned()),
            "flags" => self.flags = value.split_whitespace().map(str::to_owned).collect(),
            "args" => self.arguments = value.split_whitespace().map(str::to_owned).collect(),
            "env" => {
                let (name, value) = value.split_once('=').ok_or("`// env: NAME=VALUE` expected")?;
                self.environment.push((name.to_owned(), value.to_owned()));
            }
            _ => {}
        }
        Ok(())
    }

    fn consistent(&self) -> Result<(), String> {
        let scope = self.scope.as_deref();
        match self.verdict.as_str() {
            "race" if !self.pairs.iter().any(|pair| pair.certain) => {
                Err("a race without a marked pair".into())
            }
            "race" | "deadlock" | "program-error" | "inconclusive" if scope.is_some() => {
                Err("a scope is for race-free programs".into())
            }
            "race-free" if !matches!(scope, None | Some("all-schedules" | "observed-schedule")) => {
                Err(format!("no such scope: {scope:?}"))
            }
            "race" => Ok(()),
            "race-free" | "deadlock" | "program-error" | "inconclusive" if !self.pairs.is_empty() => {
                Err("marked pairs without `expect: race`".into())
            }
            "race-free" | "deadlock" | "program-error" | "inconclusive" => Ok(()),
            other => Err(format!("`// expect: VERDICT` expected, with a verdict that is not {other:?}")),
        }
    }
}

/// What the markers of one number say.
struct Mark {
    location: String,
    certain: bool,
    lines: Vec<Line>,
}

impl Mark {
    fn pair(mut self) -> Pair {
        self.lines.sort();
        let second = self.lines.pop().expect("a mark has a line");
        let first = self.lines.pop().unwrap_or_else(|| second.clone());
        Pair { location: self.location, first, second, certain: self.certain }
    }
}

/// `race x #1 #2 race? a[] #3`
fn read_marker(marker: &str, here: &Line, marks: &mut BTreeMap<u32, Mark>) -> Result<(), String> {
    let mut words = marker.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let certain = match word {
            "race" => true,
            "race?" => false,
            other => return Err(format!("`race` or `race?` expected, not `{other}`")),
        };
        let location =
            words.next().filter(|w| !w.starts_with('#')).ok_or("the name of a location expected")?;
        let mut any = false;
        while let Some(number) = words.next_if(|w| w.starts_with('#')) {
            any = true;
            let number =
                number[1..].parse().map_err(|_| format!("a number expected after #, not {number}"))?;
            let mark = marks.entry(number).or_insert(Mark {
                location: location.to_owned(),
                certain,
                lines: Vec::new(),
            });
            if mark.location != location || mark.certain != certain || mark.lines.len() == 2 {
                return Err(format!("#{number} is another pair already"));
            }
            mark.lines.push(here.clone());
        }
        if !any {
            return Err("the number of a pair expected: #1".into());
        }
    }
    Ok(())
}
