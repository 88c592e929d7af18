//! `#pragma omp`, in Fortran `!$omp`, in units that are compiled without `-fopenmp`: clang ignores
//! them, and what was meant to be parallel is not.
//!
//! The preprocessor knows them exactly: those that conditions leave, in headers too, and those that
//! `_Pragma` makes. Directives that make nothing parallel and keep nothing apart (`simd`,
//! `declare`, …) are left out, since ignoring them changes no order.

use super::Language;
use super::arguments::{Item, value};
use super::clang::Clang;
use super::plan::{Action, Plan, words};
use raceproof_core::finding::Place;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// Directives that neither create, order nor exclude tasks or threads, nor say whose a variable is.
const HARMLESS: &[&str] = &[
    "allocate",
    "assume",
    "assumes",
    "begin",
    "declare",
    "end",
    "error",
    "fuse",
    "interchange",
    "nothing",
    "requires",
    "reverse",
    "scan",
    "simd",
    "split",
    "stripe",
    "tile",
    "unroll",
];

/// Options that ask for another output than code, or say where it goes; with a value in the next
/// word if they have one.
const OUTPUT: &[&str] = &[
    "-###",
    "-E",
    "-MD",
    "-MF",
    "-MG",
    "-MJ",
    "-MMD",
    "-MP",
    "-MQ",
    "-MT",
    "-MV",
    "-S",
    "-Wl,",
    "-Xlinker",
    "-c",
    "-dumpdir",
    "-emit-llvm",
    "-ftime-",
    "-l",
    "-o",
    "-r",
    "-save-temps",
    "-serialize-diagnostics",
    "-shared",
    "-v",
    "-x",
    "--language",
    "--output",
    "--save-temps",
    "--serialize-diagnostics",
    "--shared",
    "--verbose",
];

/// Of those, the ones that other options begin with.
const WHOLE: &[&str] = &["-E", "-S", "-c", "-r", "-v"];

/// A directive that the compiler ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ignored {
    pub(super) at: Place,
    /// Its first word.
    pub(super) directive: String,
}

/// By source, the directives that clang ignores in it.
pub(super) fn ignored(plan: &Plan, clang: &Clang) -> Vec<(OsString, Vec<Ignored>)> {
    if plan.openmp || !generates(plan) {
        return Vec::new();
    }
    let mut language: Option<String> = None;
    let mut found = Vec::new();
    for item in &plan.kept {
        match item {
            Item::Option(option) => {
                if let Some(named) = value(option, "-x").or_else(|| value(option, "--language")) {
                    language = Some(named.trim_start_matches('=').to_owned()).filter(|named| named != "none");
                }
            }
            // What standard input has can be read once.
            Item::Input { path, compiled: true } if path != "-" && !is_ir(path) => {
                let ignored = if plan.language == Language::Fortran {
                    let Ok(text) = fs::read(path) else { continue };
                    directives_of_fortran(&String::from_utf8_lossy(&text), &path.to_string_lossy())
                } else {
                    let Some(text) = preprocessed(plan, clang, path, language.as_deref()) else { continue };
                    directives(&text, &path.to_string_lossy())
                };
                if !ignored.is_empty() {
                    found.push((path.clone(), ignored));
                }
            }
            Item::Input { .. } => {}
        }
    }
    found
}

/// Whether code is made of the sources, and by the compiler's own choice without OpenMP.
fn generates(plan: &Plan) -> bool {
    let has = |names: &[&str]| {
        plan.kept
            .iter()
            .any(|item| matches!(item, Item::Option(option) if names.iter().any(|name| option[0] == *name)))
    };
    let own = plan.kept.iter().any(
        |item| matches!(item, Item::Option(option) if option[0] == "-Xclang" && option.get(1).is_some_and(|to| to == "-fopenmp")),
    );
    !own && (plan.action.links()
        || plan.action == Action::Compile && has(&["-c", "-S"]) && !has(&["-fsyntax-only", "-E"]))
}

fn is_ir(path: &OsStr) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "ll" || extension == "bc")
}

/// What the compiler proper gets to see of a source; none if that cannot be had: clang itself will
/// say what is wrong.
fn preprocessed(plan: &Plan, clang: &Clang, source: &OsStr, language: Option<&str>) -> Option<String> {
    let by_name =
        Path::new(source).extension().is_some_and(|extension| extension == "i" || extension == "ii");
    if language.map_or(by_name, |language| language.ends_with("cpp-output")) {
        return Some(String::from_utf8_lossy(&fs::read(source).ok()?).into_owned());
    }
    let options = plan.kept.iter().filter(|item| matches!(item, Item::Option(option) if !is_output(option)));
    let mut line: Vec<OsString> = options.flat_map(words).collect();
    line.extend(["-E", "-w", "-Qunused-arguments"].map(OsString::from));
    if let Some(language) = language {
        line.extend(["-x".into(), language.into()]);
    }
    line.push(source.into());
    clang.output(&line)
}

fn is_output(option: &[OsString]) -> bool {
    let first = option[0].to_string_lossy();
    OUTPUT.iter().any(|name| if WHOLE.contains(name) { first == *name } else { first.starts_with(name) })
}

/// The directives in preprocessed text, each place once.
fn directives(text: &str, source: &str) -> Vec<Ignored> {
    let (mut file, mut line) = (source.to_owned(), 0);
    let mut found: Vec<Ignored> = Vec::new();
    for text in text.lines() {
        line += 1;
        let Some(rest) = text.trim_start().strip_prefix('#') else { continue };
        let mut words = rest.split_whitespace().map(|word| word.trim_matches(['(', ')']));
        match words.next() {
            Some("pragma") if words.next() == Some("omp") => {
                let directive = words.next().unwrap_or_default();
                let directive = directive.split(['(', ',']).next().unwrap_or_default();
                let is_simd = directive == "ordered" && words.next() == Some("simd");
                let at = Place { file: file.clone(), line, column: 0 };
                if !HARMLESS.contains(&directive) && !is_simd && !found.iter().any(|known| known.at == at) {
                    found.push(Ignored { at, directive: directive.to_owned() });
                }
            }
            Some(number) => {
                let number = if number == "line" { words.next().unwrap_or_default() } else { number };
                if let Ok(next) = number.parse::<u32>() {
                    line = next.saturating_sub(1);
                    if let Some(name) = rest.split_once('"').and_then(|(_, name)| name.rsplit_once('"')) {
                        file = name.0.replace("\\\"", "\"").replace("\\\\", "\\");
                        file = file.strip_prefix("./").unwrap_or(&file).to_owned();
                    }
                }
            }
            None => {}
        }
    }
    found
}

/// The directives of a Fortran source. What stands between conditions of the preprocessor is left
/// out: whether it is compiled is not known.
fn directives_of_fortran(text: &str, source: &str) -> Vec<Ignored> {
    let (mut found, mut conditions) = (Vec::new(), 0u32);
    for (text, line) in text.lines().zip(1..) {
        let text = text.to_ascii_lowercase();
        match text.strip_prefix('#').map(str::trim_start) {
            Some(condition) if condition.starts_with("if") => conditions += 1,
            Some(condition) if condition.starts_with("endif") => conditions = conditions.saturating_sub(1),
            _ => {}
        }
        // `c` and `*` are the fixed form's, in its first column.
        let sentinel = text.trim_start().strip_prefix("!$omp");
        let sentinel = sentinel.or_else(|| text.strip_prefix("c$omp")).or_else(|| text.strip_prefix("*$omp"));
        let Some(words) = sentinel.filter(|rest| rest.starts_with([' ', '\t']) && conditions == 0) else {
            continue;
        };
        let directive = words.split_whitespace().next().unwrap_or_default();
        let directive = directive.split(['(', ',']).next().unwrap_or_default();
        if !HARMLESS.contains(&directive) && directive.starts_with(|c: char| c.is_ascii_lowercase()) {
            let at = Place { file: source.to_owned(), line, column: 0 };
            found.push(Ignored { at, directive: directive.to_owned() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_of_fortran_have_their_sentinels() {
        let text = "#if 1\n!$omp flush\n#endif\n  !$OMP Parallel do &\n  !$omp & private(x)\n!$omp end parallel\nc$omp atomic\n! $omp x\n\
                    !$omp simd\n!$omp threadprivate(/a/)\n!$ x = 1\n";
        let show = |found: Ignored| format!("{} {}", found.at.line, found.directive);
        let found: Vec<String> = directives_of_fortran(text, "a.f90").into_iter().map(show).collect();
        assert_eq!(found, ["4 parallel", "7 atomic", "10 threadprivate"]);
    }

    fn places(text: &str) -> Vec<String> {
        let show = |found: Ignored| format!("{}:{} {}", found.at.file, found.at.line, found.directive);
        directives(text, "a.c").into_iter().map(show).collect()
    }

    #[test]
    fn places_are_those_of_the_source() {
        let text = "\
# 1 \"a.c\"
# 1 \"./h \\\"q\\\".h\" 1
static int f(void) {
#pragma omp critical(name)
}
# 2 \"a.c\" 2

#pragma omp parallel for reduction(+:s)
int x;
#line 40
#pragma omp for
";
        assert_eq!(places(text), ["h \"q\".h:2 critical", "a.c:3 parallel", "a.c:40 for"]);
    }

    #[test]
    fn what_changes_no_order_is_left_out() {
        let text = "#pragma omp simd\n#pragma omp declare simd\n#pragma omp ordered simd\n#pragma omp tile sizes(4)\n\
                    #pragma ompx parallel\n#pragma once\n#pragma omp ordered\n#pragma omp parallel for simd\n";
        assert_eq!(places(text), ["a.c:7 ordered", "a.c:8 parallel"]);
    }
}
