//! Fewer checks: calls of the runtime that the program's code proves to be needless are taken out of it.
//!
//! The detector needs to be told once for each step, location and kind of access. clang tells it of every access, one call each.
//! Between the two stands this: the text of the LLVM IR that clang has optimised and instrumented is read
//! (`ir`), and calls are removed that are of a task's own descriptor (`descriptors`), are of a variable that only `main` writes
//! (`statics`), repeat another of the same step (`repeated`) or leave their loops, to be made before (`runs`) or after (`after`) them.
//! Neither LLVM's libraries nor its binary formats are needed, so that any clang will do. Whatever is not understood stays as it is.
//!
//! Why it is sound: a step is what a task does between two synchronisations. All of its accesses are equally ordered with those of
//! other tasks, so within it a check may move and one that is repeated may go. What may end a step is decided by `quiet`: any call
//! that is not known to do no such thing. Why descriptors and such variables need no checks is said there.
//!
//! Reports: a call that has moved keeps its line and function. Of several accesses of one step to a location the first is shown,
//! and which of two in one loop is the first may change: the read of an element that the loop itself has written an iteration ago, as in
//! `a[i] = a[i - 1]`, now counts as a read.

mod after;
mod counts;
mod descriptors;
mod emit;
mod flow;
mod ir;
mod library;
mod pointers;
mod poly;
mod quiet;
mod repeated;
mod runs;
mod statics;
#[cfg(test)]
mod tests;
mod types;
mod values;

use emit::Edits;
use flow::Flow;
pub(super) use library::SECTION;
use quiet::Quiet;
use types::Types;
use values::Values;

/// What moves out of a loop may repeat what is before it.
const ROUNDS: usize = 2;

/// Entries of the runtime that tell of many accesses: first address, size, and count and stride of one or two dimensions; or the
/// addresses from which and up to which there are elements of a size.
const ENTRIES: [(&str, usize); 6] = [
    ("@__raceproof_read_run", 4),
    ("@__raceproof_write_run", 4),
    ("@__raceproof_read_runs", 6),
    ("@__raceproof_write_runs", 6),
    ("@__raceproof_read_span", 3),
    ("@__raceproof_write_span", 3),
];

/// The same module with fewer checks.
pub(super) fn thin(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let assumptions = library::Library::of(&lines).assumptions(&lines);
    let mut text = without_needless(text).unwrap_or_else(|| text.to_owned());
    for _ in 0..ROUNDS {
        match round(&text) {
            Some(thinner) => text = thinner,
            None => break,
        }
    }
    let mut declarations = String::new();
    for (name, parameters) in ENTRIES {
        if text.contains(&format!(" {name}(")) {
            declarations
                .push_str(&format!("declare void {name}({}) nounwind\n", vec!["i64"; parameters].join(", ")));
        }
    }
    text.push_str(&declarations);
    text.push_str(&assumptions);
    text
}

/// The module without checks that no step needs; nothing if it has none.
fn without_needless(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut needless = descriptors::needless(&lines);
    needless.extend(statics::needless(&lines));
    if needless.is_empty() {
        return None;
    }
    let mut left = String::with_capacity(text.len());
    for (_, line) in lines.iter().enumerate().filter(|(number, _)| !needless.contains(number)) {
        left.push_str(line);
        left.push('\n');
    }
    Some(left)
}

/// Once over the module; nothing if nothing changes.
fn round(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let functions = ir::functions(&lines);
    let (types, quiet) = (Types::of(&lines), Quiet::of(&lines, &functions));
    let mut edits = Edits::after(text);
    for function in &functions {
        let flow = Flow::new(function);
        let mut values = Values::new(function, &types, |block| flow.is_reached(block));
        let repeated = repeated::lines(function, &flow, &mut values, &quiet);
        edits.lines.extend(repeated.iter().map(|line| (*line, None)));
        let runs = runs::find(function, &flow, &mut values, &quiet, &repeated);
        let gone: Vec<usize> =
            repeated.iter().chain(runs.iter().flat_map(|run| &run.lines)).copied().collect();
        let spans = after::find(function, &flow, &mut values, &quiet, &gone);
        edits.apply(&lines, function, &flow, &values, &runs, &spans);
    }
    if edits.lines.is_empty() {
        return None;
    }
    let mut edited = String::with_capacity(text.len());
    for (number, line) in lines.iter().enumerate() {
        if let Some(before) = edits.before.get(&number) {
            edited.push_str(before);
        }
        match edits.lines.get(&number) {
            None => edited.push_str(line),
            Some(Some(new)) => edited.push_str(new),
            Some(None) => continue,
        }
        edited.push('\n');
    }
    Some(edited)
}
