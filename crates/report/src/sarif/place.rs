//! Places as SARIF has them: files relative to the top of the project, regions with their text.

use crate::snippet::extent;
use crate::sources::{Sources, character};
use raceproof_core::finding::Place;
use serde_json::{Value, json};
use std::path::Path;

/// The files of a log, each listed once.
pub(super) struct Files<'a> {
    pub(super) sources: &'a Sources,
    /// As places name them.
    named: Vec<String>,
}

impl<'a> Files<'a> {
    pub(super) fn new(sources: &'a Sources) -> Files<'a> {
        Files { sources, named: Vec::new() }
    }

    /// The URI of the top of the project, if there is one.
    pub(super) fn root(&self) -> Option<String> {
        let root = self.sources.project.root();
        root.is_absolute()
            .then(|| format!("file://{}/", encoded(root.to_string_lossy().trim_end_matches('/'))))
    }

    /// Short where it can be.
    pub(super) fn short(&self, file: &str) -> String {
        self.sources.project.below(file).unwrap_or_else(|| file.to_owned())
    }

    /// A place as a location object.
    pub(super) fn location(&mut self, at: &Place) -> Value {
        let mut physical = json!({ "artifactLocation": self.artifact(&at.file) });
        if at.line > 0 {
            let mut region = json!({ "startLine": at.line });
            let line = self.sources.line(at);
            if at.column > 0 {
                let column = line.map_or(at.column, |line| character(at, line));
                region["startColumn"] = json!(column);
                let chars: Vec<char> = line.unwrap_or_default().chars().collect();
                let from = column as usize - 1;
                if from < chars.len() {
                    let end = (from + extent(&chars[from..])).min(chars.len());
                    region["endColumn"] = json!(end + 1);
                    region["snippet"] = json!({ "text": chars[from..end].iter().collect::<String>() });
                }
            }
            physical["region"] = region;
            if let Some(line) = line {
                physical["contextRegion"] = json!({ "startLine": at.line, "snippet": { "text": line } });
            }
        }
        json!({ "physicalLocation": physical })
    }

    /// The program as a whole. Code scanning wants a line of everything.
    pub(super) fn program(&mut self, program: &str) -> Value {
        let artifact = self.artifact(if program.is_empty() { "program" } else { program });
        json!({ "physicalLocation": { "artifactLocation": artifact, "region": { "startLine": 1 } } })
    }

    fn artifact(&mut self, file: &str) -> Value {
        let index = match self.named.iter().position(|known| known == file) {
            Some(index) => index,
            None => {
                self.named.push(file.to_owned());
                self.named.len() - 1
            }
        };
        let mut artifact = self.name(file);
        artifact["index"] = json!(index);
        artifact
    }

    fn name(&self, file: &str) -> Value {
        match self.sources.project.below(file) {
            Some(below) => json!({ "uri": encoded(&below), "uriBaseId": "%SRCROOT%" }),
            None if Path::new(file).is_absolute() => json!({ "uri": format!("file://{}", encoded(file)) }),
            None => json!({ "uri": encoded(file) }),
        }
    }

    /// The list of all files that places name.
    pub(super) fn artifacts(&self) -> Value {
        let artifact = |file: &String| {
            let mut artifact = json!({ "location": self.name(file) });
            if let Some(language) = language(file) {
                artifact["sourceLanguage"] = json!(language);
            }
            artifact
        };
        self.named.iter().map(artifact).collect()
    }
}

fn language(file: &str) -> Option<&'static str> {
    Some(match Path::new(file).extension()?.to_str()? {
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "C" | "hpp" | "hh" => "cplusplus",
        "f" | "F" | "f90" | "F90" | "for" | "f95" | "f03" | "f08" => "fortran",
        "rs" => "rust",
        _ => return None,
    })
}

/// A path in a URI.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b'@' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn paths_become_uris() {
        assert_eq!(encoded("a b/ä:%.c"), "a%20b/%C3%A4%3A%25.c");
        assert_eq!(encoded("<stdin>"), "%3Cstdin%3E");
    }
}
