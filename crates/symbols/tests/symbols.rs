//! Symbolisation, of a C++ program that prints its own addresses.

use raceproof_symbols::{Frame, Symbols};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the program printed: lines of words, and its memory map.
struct Printed {
    lines: Vec<Vec<String>>,
    symbols: Symbols,
    folder: PathBuf,
}

impl Drop for Printed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Printed {
    fn by(name: &str, options: &[&str]) -> Printed {
        Printed::of_source("addresses.cpp", name, options)
    }

    fn of_source(source: &str, name: &str, options: &[&str]) -> Printed {
        let folder = env::temp_dir().join(format!("raceproof-symbols-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source);
        let program = folder.join("program");
        let mut compile = Command::new("clang++-19");
        let compiled =
            compile.args(options).arg(source).arg("-o").arg(&program).output().expect("clang++-19 runs");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let text = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
        let (lines, maps) = text.split_once("maps\n").expect("the map is printed last");
        let lines = lines.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
        Printed { lines, symbols: Symbols::from_maps(maps), folder }
    }

    fn of(&self, kind: &str) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().filter(move |words| words[0] == kind).map(|words| {
            let number = words[1].trim_start_matches("0x");
            (usize::from_str_radix(number, 16).unwrap(), words.last().unwrap().as_str())
        })
    }
}

fn line_of(text: &str) -> u32 {
    line_in(include_str!("addresses.cpp"), text)
}

fn line_in(source: &str, text: &str) -> u32 {
    1 + source.lines().position(|line| line.contains(text)).unwrap() as u32
}

const WAYS: [&[&str]; 4] =
    [&["-g", "-O0"], &["-g", "-O2"], &["-g", "-O1", "-no-pie"], &["-gdwarf-4", "-static"]];

#[test]
fn inlined_functions_stand_inside_those_they_were_inlined_into() {
    for (n, options) in WAYS.iter().enumerate() {
        let printed = Printed::by(&format!("frames{n}"), options);
        let (pc, _) = printed.of("pc").next().unwrap();
        let frames = printed.symbols.frames(pc);
        let names: Vec<&str> = frames.iter().map(|frame| frame.function.as_str()).collect();
        assert_eq!(names, ["inlined(int)", "void outer<int>(int)"], "{options:?}");
        let lines: Vec<u32> = frames.iter().map(|frame| frame.line).collect();
        assert_eq!(lines, [line_of("// line 19"), line_of("// line 23")], "{options:?}");
        assert!(frames.iter().all(|frame| frame.file.ends_with("addresses.cpp") && frame.column > 0));
    }
}

#[test]
fn files_below_the_working_folder_are_named_from_there() {
    let printed = Printed::by("relative", &["-g"]);
    let (pc, _) = printed.of("pc").next().unwrap();
    assert_eq!(printed.symbols.frames(pc)[0].file, "tests/addresses.cpp");
}

#[test]
fn variables_with_and_without_initial_value() {
    for (n, options) in WAYS.iter().enumerate() {
        let printed = Printed::by(&format!("variables{n}"), options);
        let offsets = [0, 0, 13, 8, 0, 0];
        for ((address, name), offset) in printed.of("var").zip(offsets) {
            let variable = printed.symbols.variable(address).unwrap_or_else(|| panic!("{name}, {options:?}"));
            assert_eq!((variable.name.as_str(), variable.offset), (name, offset), "{options:?}");
        }
        let (beyond, _) = printed.of("none").next().unwrap();
        assert_eq!(printed.symbols.variable(beyond), None);
    }
}

#[test]
fn without_debug_information_there_are_still_symbols() {
    let printed = Printed::by("bare", &["-O0"]);
    let (pc, _) = printed.of("pc").next().unwrap();
    let frames = printed.symbols.frames(pc);
    assert_eq!(frames[0].function, "void outer<int>(int)");
    assert_eq!((frames[0].line, frames.len()), (0, 1));
    let stripped = Printed::by("stripped", &["-s"]);
    let (pc, _) = stripped.of("pc").next().unwrap();
    assert_eq!(stripped.symbols.frames(pc).len(), 1, "unknown, but there");
}

#[test]
fn what_is_nowhere_is_unknown() {
    let unknown = Frame { function: "?".into(), file: String::new(), line: 0, column: 0 };
    for symbols in [Symbols::from_maps(""), Symbols::from_maps("nonsense\n1-2 r\n"), Symbols::load()] {
        assert_eq!(symbols.frames(0), std::slice::from_ref(&unknown));
        assert_eq!(symbols.frames(usize::MAX).len(), 1);
        assert_eq!(symbols.variable(8), None);
    }
}

/// The stack of a construct ends where the runtime called it, and shows nothing of how clang
/// compiles it.
#[test]
fn bodies_of_constructs_are_named_after_their_function() {
    let line = |text: &str| line_in(include_str!("constructs.cpp"), text);
    for level in ["-O0", "-O2"] {
        let options = ["-g", "-fopenmp", "-rdynamic", level];
        let printed = Printed::of_source("constructs.cpp", &format!("constructs{level}"), &options);
        let stack = |label: &str| {
            let words =
                printed.lines.iter().find(|words| words.last().is_some_and(|word| word == label)).unwrap();
            let pcs = words[1..words.len() - 1].iter();
            let pcs = pcs.map(|word| usize::from_str_radix(word.trim_start_matches("0x"), 16).unwrap());
            printed.symbols.stack(pcs)
        };
        let shown = |label: &str| -> Vec<(String, u32)> {
            stack(label).into_iter().map(|frame| (frame.function, frame.line)).collect()
        };
        assert_eq!(shown("parallel"), [("n::work(int)".into(), line("// in parallel"))], "{level}");
        assert_eq!(shown("task"), [("omp task".into(), line("// in task"))], "{level}");
        assert_eq!(shown("main"), [("main".into(), line("// in main"))], "{level}");
    }
}
