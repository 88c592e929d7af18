//! The invariants that ARCHITECTURE.md states, and that README.md shows what really happens.

use crate::common;

use common::command::root;
use std::fs;
use std::path::{Path, PathBuf};

/// The files, and folders of files, that may contain unsafe code; ARCHITECTURE.md lists the same.
const UNSAFE: [&str; 3] =
    ["crates/runtime/src/closures/coroutine.rs", "crates/native/src/", "crates/rayon/src/"];

/// The files, and folders of files, that write to the world or start what does; ARCHITECTURE.md
/// lists the same.
const WRITERS: [&str; 32] = [
    "crates/host/src/",
    "crates/cc/src/",
    "crates/pass/src/",
    "crates/prelink/src/",
    "crates/embed/src/",
    "crates/cli/src/doctor/",
    "crates/cli/src/manual/command.rs",
    "crates/cli/src/commands.rs",
    "crates/cli/src/analyze/command.rs",
    "crates/cli/src/check/command.rs",
    "crates/cli/src/diff/command.rs",
    "crates/cli/src/explain/command.rs",
    "crates/cli/src/graph/command.rs",
    "crates/cli/src/replay/command.rs",
    "crates/cli/src/replay/native.rs",
    "crates/cli/src/trace/command.rs",
    "crates/cli/src/trace/mod.rs",
    "crates/cli/src/verify/progress.rs",
    "crates/cli/src/verify/ranks.rs",
    "crates/cli/src/verify/search.rs",
    "crates/cli/src/run/mod.rs",
    "crates/cli/src/run/execute.rs",
    "crates/cli/src/cargo/",
    "crates/cli/src/shared/harness.rs",
    "crates/cli/src/shared/present.rs",
    "crates/cli/src/shared/process.rs",
    "crates/native/src/process/",
    "crates/native/src/report/delivery.rs",
    "crates/native/src/search/code.rs",
    "crates/native/src/search/server.rs",
    "crates/native/src/abi/interpose/mod.rs",
    "crates/rayon/src/builder.rs",
];

/// How Rust code writes a file or a stream, or starts a program. The system calls of
/// `crates/native/src/abi`, which are the program's own, are none of these.
const WRITING: [&str; 17] = [
    "fs::write",
    "fs::copy",
    "fs::rename",
    "fs::remove",
    "fs::create_dir",
    "File::create",
    "File::options",
    "OpenOptions",
    "tempfile",
    "println!",
    "print!",
    "io::stdout",
    "io::stderr",
    "Command::new",
    "host::output",
    "host::note",
    "host::{",
];

/// Uses of a stream that write nothing.
const ASKING: [&str; 2] = ["io::stdout().is_terminal()", "io::stderr().is_terminal()"];

const LONGEST: usize = 800;

/// Every file under a folder of the repository with one of the extensions, with its text.
pub(crate) fn files(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let root = root().canonicalize().unwrap();
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // What a link leads to is a file of another folder.
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
                let short = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                found.push((short, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{folder} has no such file: the test would check nothing");
    found
}

pub(crate) fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A source without its comments.
pub(crate) fn code(text: &str) -> String {
    let uncommented = text.lines().map(|line| line.find("//").map_or(line, |at| &line[..at]));
    uncommented.collect::<Vec<_>>().join("\n")
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn the_core_is_pure() {
    assert!(document("crates/core/src/lib.rs").contains("#![forbid(unsafe_code)]"));
    for (name, text) in files("crates/core/src", &["rs"]) {
        // The trace codec works on readers and writers that it is handed; it opens none.
        let codec = name.starts_with("crates/core/src/trace/");
        for forbidden in
            ["std::fs", "std::io", "std::process", "println!", "print!", "dbg!", "stdin", "stdout"]
        {
            let allowed = codec && forbidden == "std::io";
            assert!(allowed || !code(&text).contains(forbidden), "{name} has {forbidden}");
        }
    }
    let manifest = document("crates/core/Cargo.toml");
    for forbidden in ["clap", "serde_json", "ctrlc", "annotate"] {
        assert!(!manifest.contains(forbidden), "the core depends on {forbidden}");
    }
}

#[test]
fn unsafe_code_stands_in_the_listed_files_only() {
    let keyword = ["un", "safe"].concat();
    for (name, text) in files("crates", &["rs"]) {
        let listed = UNSAFE.iter().any(|listed| name.starts_with(listed));
        let used = words(&code(&text)).any(|word| word == keyword);
        assert!(listed || !used, "{name} has the keyword and is not listed");
        assert!(!UNSAFE.contains(&name.as_str()) || used, "{name} is listed and does without");
    }
    let architecture = document("ARCHITECTURE.md");
    UNSAFE
        .iter()
        .for_each(|name| assert!(architecture.contains(name), "ARCHITECTURE.md does not list {name}"));
}

#[test]
fn only_the_listed_modules_write_to_the_world() {
    let architecture = document("ARCHITECTURE.md");
    let mut used = [false; WRITERS.len()];
    for (name, text) in files("crates", &["rs"]).into_iter().filter(|(name, _)| name.contains("/src/")) {
        let code = ASKING.iter().fold(code(&text), |code, asking| code.replace(asking, ""));
        let Some(writes) = WRITING.iter().find(|writing| code.contains(**writing)) else { continue };
        let listed = WRITERS.iter().position(|listed| name.starts_with(listed));
        let Some(listed) = listed else { panic!("{name} has {writes} and is not listed") };
        used[listed] = true;
    }
    for (listed, used) in WRITERS.iter().zip(used) {
        assert!(used, "{listed} is listed and does not write");
        assert!(architecture.contains(&format!("`{listed}`")), "ARCHITECTURE.md does not list {listed}");
    }
}

#[test]
fn no_source_is_too_long() {
    for (name, text) in files("crates", &["rs"]) {
        let lines = text.lines().count();
        assert!(name.contains("/tests/") || lines <= LONGEST, "{name} has {lines} lines");
    }
}

#[test]
fn theory_comes_first() {
    let folders = ["crates/core/src/order", "crates/core/src/detect", "crates/runtime/src/strategy"];
    for (name, text) in folders.into_iter().flat_map(|folder| files(folder, &["rs"])) {
        let header: usize = text.lines().take_while(|line| line.starts_with("//!")).map(str::len).sum();
        assert!(header > 100, "{name} opens with {header} characters of explanation");
    }
}

#[test]
fn nothing_is_left_to_do() {
    let marks = [["TO", "DO"].concat(), ["FIX", "ME"].concat()];
    for (name, text) in files("crates", &["rs", "toml"]).into_iter().chain(files("docs", &["md"])) {
        let marked = words(&text).any(|word| marks.iter().any(|mark| word == mark));
        assert!(!marked, "{name} has a note of something left to do");
    }
}

/// The names under `[dependencies]` and its like.
pub(crate) fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim_matches(['[', ']']).ends_with("dependencies");
        } else if inside && !line.starts_with('#') {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            names.extend((!name.is_empty()).then(|| name.to_owned()));
        }
    }
    names
}

#[test]
fn every_dependency_is_explained() {
    let architecture = document("ARCHITECTURE.md");
    let manifests =
        files("crates", &["toml"]).into_iter().chain([("Cargo.toml".into(), document("Cargo.toml"))]);
    let mut all = 0;
    for (manifest, text) in manifests.filter(|(name, _)| name.ends_with("Cargo.toml")) {
        for name in dependencies(&text) {
            all += 1;
            assert!(
                architecture.contains(&format!("`{name}`")),
                "ARCHITECTURE.md does not say why {manifest} has {name}"
            );
        }
    }
    assert!(all > 10, "{all} dependencies found: the manifests were not understood");
}

#[test]
fn the_rooms_of_the_house_exist() {
    let architecture = document("ARCHITECTURE.md");
    let named =
        architecture.split('`').filter(|text| text.starts_with("crates/") || text.starts_with("programs/"));
    let mut count = 0;
    for name in named {
        count += 1;
        assert!(root().join(name).exists(), "ARCHITECTURE.md names {name}");
    }
    assert!(count > 15, "{count} places named");
}

/// The links of the documents, and the programs and tests GUARANTEES.md points to.
#[test]
fn what_the_documents_point_to_exists() {
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/GUARANTEES.md",
        "docs/TP.md",
        "docs/JSON.md",
        "docs/OPENMP.md",
        "docs/FORTRAN.md",
        "docs/HCLIB.md",
        "docs/RAYON.md",
        "docs/TRACE.md",
        "docs/BENCHMARKS.md",
        "docs/GLOSSARY.md",
        "docs/INSTALL.md",
        "docs/CI.md",
    ] {
        let folder = root().join(Path::new(name).parent().unwrap());
        let text = document(name);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
            let file = link.split('#').next().unwrap();
            assert!(folder.join(file).exists(), "{name} links to {link}");
        }
    }
    let guarantees = document("docs/GUARANTEES.md");
    let mut count = 0;
    for name in guarantees.split('`') {
        let file = if name.starts_with("crates/") {
            root().join(name)
        } else if name.ends_with(".rs") {
            // Of one group, or of one that is named.
            let groups = ["cli", "native", "oracle", "rayon", "tp", "trace", ""];
            let paths = groups.map(|group| root().join("crates/cli/tests").join(group).join(name));
            paths.iter().find(|path| path.exists()).unwrap_or(&paths[0]).clone()
        } else if name.ends_with(".tp") {
            root().join("programs/tp/examples").join(name)
        } else {
            continue;
        };
        count += 1;
        assert!(file.exists(), "GUARANTEES.md points to {name}");
    }
    assert!(count > 15, "{count} pointers found");
}

/// The modules of the native runtime: each imports only itself and those after it.
const NATIVE: [&str; 6] = ["abi", "search", "tasks", "report", "detect", "process"];

/// The first names of the paths of a source that begin at the root of its crate.
fn paths_from_root(code: &str) -> Vec<&str> {
    let mut firsts = Vec::new();
    for path in code.split("crate::").skip(1) {
        let Some(list) = path.strip_prefix('{') else {
            firsts.extend(words(path).next());
            continue;
        };
        // Of `{a::{b, c}, d}` these are `a` and `d`.
        let (mut depth, mut start) = (0, 0);
        for (at, c) in list.char_indices() {
            if depth == 0 && matches!(c, ',' | '}') {
                firsts.extend(words(list[start..at].trim()).next());
                start = at + 1;
            }
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    firsts.retain(|first| !first.is_empty());
    firsts
}

/// The module of the native runtime that a name at the root of its crate is of: by itself, or by a
/// `use` there.
fn native_module(root: &str, name: &str) -> Option<usize> {
    let index = |name: &str| NATIVE.iter().position(|module| *module == name);
    index(name).or_else(|| {
        let uses = root.split(';').filter_map(|statement| statement.split("use ").nth(1));
        let of_modules = uses.filter_map(|path| Some((index(words(path).next()?)?, path)));
        of_modules.into_iter().find(|(_, path)| words(path).any(|word| word == name)).map(|(of, _)| of)
    })
}

#[test]
fn the_native_runtime_imports_one_way() {
    assert_eq!(
        paths_from_root("use crate::{a::{b, c}, d};\nuse crate::e::f; crate::g()"),
        ["a", "d", "e", "g"]
    );
    let folder = "crates/native/src";
    let root = code(&document(&format!("{folder}/lib.rs")));
    let mut checked = 0;
    for (name, text) in files(folder, &["rs"]) {
        let module = name.strip_prefix(folder).and_then(|rest| rest.split('/').nth(1));
        let Some(own) = module.and_then(|module| NATIVE.iter().position(|known| *known == module)) else {
            assert_eq!(name, format!("{folder}/lib.rs"), "a file of no module");
            continue;
        };
        for first in paths_from_root(&code(&text)) {
            let Some(of) = native_module(&root, first) else { continue };
            checked += 1;
            assert!(of >= own, "{name} imports `{first}` of {}, which builds on {}", NATIVE[of], NATIVE[own]);
        }
    }
    assert!(checked > 300, "{checked} imports found");
}
