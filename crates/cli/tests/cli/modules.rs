//! The boundaries that ARCHITECTURE.md draws, checked from manifests and imports.
//!
//! - A crate depends on crates of lower layers only.
//! - Of the modules in one folder none imports another in a circle. A folder is one module to its
//!   neighbours; a module and the folder it stands in may know each other.
//! - The analyses of the core, and the native detector, know no front end.
//!
//! An import is any path that begins with `crate::` or `super::`, in a `use` or not. Comments are
//! left out. Paths of macros (`$crate`) and of inline modules are not followed.

use crate::tidy::{code, dependencies, document, files, words};
use std::collections::{BTreeMap, BTreeSet};

/// The workspace's crates from the bottom up: each depends on those of the lines above its own.
const LAYERS: [&[&str]; 5] = [
    &["core", "host", "pass", "rayon", "prelink"],
    &["report", "symbols", "embed"],
    &["runtime"],
    &["tp", "native", "cc"],
    &["cli"],
];

/// The crates whose modules are checked. For another one, add its name.
const CRATES: [&str; 10] =
    ["core", "host", "rayon", "report", "symbols", "runtime", "tp", "native", "cc", "cli"];

/// Of a group: all modules of the folder.
const ALL: [&str; 0] = [];

/// Modules that do import each other, each group with the reason: a circle has to be within one of
/// them. A group in which there is none any more has to go from the list.
const MUTUAL: [(&str, &[&str], &str); 9] = [
    ("core/order", &["clock", "clock_tree"], "a clock is an array or a tree of the same entries"),
    ("core/order", &["graph", "past"], "`past` is a part of the graph's order, in a file of its own"),
    ("core/explore", &["reversal", "wcp"], "`wcp` is one of the three dependences of a reversal"),
    ("rayon", &["broadcast", "builder", "pool", "scope", "spawn"], "rayon's interface is mutual"),
    ("runtime/closures", &["coroutine", "ops"], "an operation is what a coroutine suspends with"),
    ("symbols", &["arrays", "fortran_locals"], "an array may be a local variable, and the reverse"),
    (
        "native/abi",
        &["interpose", "library"],
        "both are the C library: named by the program, called by the pass",
    ),
    (
        "native/abi/interpose",
        &["descriptors", "signals", "threads"],
        "a signal interrupts calls that wait, and these ask whether one did",
    ),
    ("native/tasks", &ALL, "each construct waits by the scheduler, which begins and ends its tasks"),
];

/// What the analyses must not name.
const FRONT_ENDS: [&str; 10] =
    ["omp", "openmp", "kmpc", "hclib", "rayon", "tsan", "fortran", "clang", "tp", "clap"];
const ANALYSES: [&str; 6] = [
    "core/src/order",
    "core/src/detect",
    "core/src/debug",
    "core/src/explore",
    "core/src/trace",
    "native/src/detect",
];

#[test]
fn crates_depend_on_lower_layers_only() {
    let package = |name: &str| match name {
        "runtime" => "raceproof".to_owned(),
        other => format!("raceproof-{other}"),
    };
    for (layer, members) in LAYERS.iter().enumerate() {
        let below: Vec<String> =
            LAYERS[..layer].iter().flat_map(|below| below.iter().copied().map(package)).collect();
        for member in *members {
            for name in dependencies(&document(&format!("crates/{member}/Cargo.toml"))) {
                // A crate's tests may turn on a feature of it.
                let own = name == package(member);
                let known = own || !name.starts_with("raceproof") || below.contains(&name);
                assert!(known, "crates/{member} depends on {name}, which is in no layer below it");
            }
        }
    }
    let listed: BTreeSet<String> =
        LAYERS.iter().flat_map(|layer| layer.iter().map(ToString::to_string)).collect();
    let manifests = files("crates", &["toml"]);
    let there =
        manifests.iter().filter_map(|(name, _)| name.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"));
    assert_eq!(listed, there.map(str::to_owned).collect(), "the layers list every crate");
}

#[test]
fn the_analyses_know_no_front_end() {
    for (name, text) in ANALYSES.iter().flat_map(|folder| files(&format!("crates/{folder}"), &["rs"])) {
        let code = code(&text);
        let named = words(&code)
            .find(|word| word.split('_').any(|part| FRONT_ENDS.contains(&part.to_lowercase().as_str())));
        assert_eq!(named, None, "{name} names a front end");
    }
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut mutual = BTreeSet::new();
    for name in CRATES {
        let modules = modules(name);
        let imports: usize = modules.values().map(|text| paths(text).len()).sum();
        assert!(imports > 0 || modules.len() < 4, "{name} has no imports: they were not understood");
        for (folder, graph) in imports_by_folder(&modules) {
            let place =
                [name].into_iter().chain(folder.iter().map(String::as_str)).collect::<Vec<_>>().join("/");
            for circle in circles(&graph) {
                let is_within = |of: &[&str]| of == ALL || circle.iter().all(|module| of.contains(module));
                let known = MUTUAL.iter().position(|(at, of, _)| *at == place && is_within(of));
                let Some(known) = known else { panic!("{place}: {}", explain(&circle, &graph)) };
                mutual.insert(known);
            }
        }
    }
    for (at, (place, modules, _)) in MUTUAL.iter().enumerate() {
        assert!(mutual.contains(&at), "{place}: {modules:?} are listed and not mutual any more");
    }
}

/// A module by its path within the crate; the crate itself is the empty path.
type Module = Vec<String>;

/// Who imports whom among the modules of one folder, each with a path that does.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// The modules of a crate, each with its code.
fn modules(name: &str) -> BTreeMap<Module, String> {
    let root = format!("crates/{name}/src/");
    let module = |(path, text): (String, String)| {
        let path = path.strip_prefix(&root).and_then(|path| path.strip_suffix(".rs")).expect("a source");
        let mut module: Module = path.split('/').map(str::to_owned).collect();
        if ["mod", "lib", "main"].iter().any(|file| module.last().is_some_and(|last| last == file)) {
            module.pop();
        }
        (module, code(&text))
    };
    files(&root, &["rs"]).into_iter().map(module).collect()
}

/// The imports of a crate between neighbours, by the folder they stand in.
fn imports_by_folder(modules: &BTreeMap<Module, String>) -> BTreeMap<Module, Graph> {
    let mut folders: BTreeMap<Module, Graph> = BTreeMap::new();
    for (from, text) in modules {
        for path in paths(text) {
            let to = resolve(from, &path, modules);
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            // Otherwise one of them contains the other.
            if let (Some(a), Some(b)) = (from.get(shared), to.get(shared)) {
                let graph = folders.entry(from[..shared].to_vec()).or_default();
                let why = format!("{} has {}", from.join("/"), path.join("::"));
                graph.entry(a.clone()).or_default().entry(b.clone()).or_insert(why);
            }
        }
    }
    folders
}

/// The module that a path leads to or into.
fn resolve(from: &Module, path: &[String], modules: &BTreeMap<Module, String>) -> Module {
    let ups = path.iter().take_while(|segment| *segment == "super").count();
    let base = if ups > 0 { &from[..from.len().saturating_sub(ups)] } else { &[] };
    let mut module: Module = base.iter().chain(&path[ups.max(1)..]).cloned().collect();
    while !modules.contains_key(&module) && !module.is_empty() {
        module.pop();
    }
    module
}

/// The modules that one imports, and those that they do.
fn reached<'a>(graph: &'a Graph, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut left = vec![from];
    while let Some(module) = left.pop() {
        let next = graph.get(module).into_iter().flat_map(|imports| imports.keys());
        left.extend(next.map(String::as_str).filter(|to| reached.insert(*to)));
    }
    reached
}

/// The groups of modules that reach each other, in order of their names.
fn circles(graph: &Graph) -> BTreeSet<Vec<&str>> {
    let all: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|from| (from.as_str(), reached(graph, from))).collect();
    let circle = |from: &&str| -> Vec<&str> {
        let back = |to: &&&str| all.get(**to).is_some_and(|onward| onward.contains(from));
        all[from].iter().filter(back).copied().collect()
    };
    all.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

fn explain(circle: &[&str], graph: &Graph) -> String {
    let inside = |from: &&str| graph[*from].iter().filter(|(to, _)| circle.contains(&to.as_str()));
    let whys: Vec<&str> = circle.iter().flat_map(inside).map(|(_, why)| why.as_str()).collect();
    format!("{circle:?} import each other in a circle: {}", whys.join("; "))
}

/// All paths of a source that begin with `crate` or `super`, with the groups of `use` taken apart.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for root in ["crate::", "super::"] {
        for (at, _) in code.match_indices(root) {
            let begins = !code[..at].ends_with(|c: char| c.is_alphanumeric() || "_:$".contains(c));
            if begins {
                tree(&code[at..], &[], &mut found);
            }
        }
    }
    found
}

/// Reads one tree of a `use`: the paths in it, each after `prefix`; what follows the tree.
fn tree<'a>(code: &'a str, prefix: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let code = code.trim_start();
    if let Some(mut rest) = code.strip_prefix('{') {
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if rest.is_empty() || rest.starts_with('}') {
                return rest.get(1..).unwrap_or_default();
            }
            // What follows a name in a group: `as`, another name.
            rest = tree(rest, prefix, found);
            rest = &rest[rest.find([',', '}']).unwrap_or(rest.len())..];
        }
    }
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len());
    let (name, rest) = code.split_at(end);
    let mut path = prefix.to_vec();
    path.extend((!name.is_empty()).then(|| name.to_owned()));
    match rest.strip_prefix("::") {
        Some(rest) if !name.is_empty() => tree(rest, &path, found),
        _ => {
            found.push(path);
            // At least one character, so that every call gets on.
            rest.get(usize::from(name.is_empty())..).unwrap_or_default()
        }
    }
}

#[test]
fn paths_are_taken_apart() {
    let text = "use crate::{a, b::{c as d, e}};\nfn f() { super::g::h(); x::crate::no; $crate::no }";
    let found: Vec<String> = paths(text).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a", "crate::b::c", "crate::b::e", "super::g::h"]);
}

#[test]
fn circles_are_found() {
    let of = |module: &str, text: &str| (module.split('/').map(str::to_owned).collect(), text.to_owned());
    let modules = BTreeMap::from([
        of("a", "use crate::b::x::y;"),
        of("b", ""),
        of("b/x", "use super::z;"),
        of("b/z", "use crate::c;"),
        of("c", "fn f() { crate::a::g() }"),
        of("d", "use crate::a;"),
    ]);
    let folders = imports_by_folder(&modules);
    assert_eq!(circles(&folders[&Vec::new()]), BTreeSet::from([vec!["a", "b", "c"]]));
    assert!(circles(&folders[&vec!["b".to_owned()]]).is_empty(), "x imports z and not the reverse");
}
