//! Which calls cannot end the step of the task that makes them.
//!
//! A step ends where a task is ordered with another, so with a call of the OpenMP runtime, of a lock, of anything that may call these.
//! Memory that is allocated or freed is told of in calls too. A function is *quiet* if it does none of this: it is declared
//! to touch no memory, it is one of the C library's that only compute (`library`), or it is defined here, and all that it calls is quiet.

use super::ir::{Function, What, header};
use super::library::Library;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct Quiet<'a> {
    names: FxHashSet<&'a str>,
    library: Library<'a>,
}

impl<'a> Quiet<'a> {
    pub(super) fn of(lines: &[&'a str], functions: &[Function<'a>]) -> Quiet<'a> {
        let mut quiet = Quiet { library: Library::of(lines), ..Quiet::default() };
        let groups = attribute_groups(lines);
        for line in lines.iter().filter(|line| line.starts_with("declare ")) {
            let Some((_, name, rest)) = header(line) else { continue };
            let group = rest
                .rsplit_once(") ")
                .and_then(|(_, words)| words.split(' ').find_map(|word| groups.get(word)));
            // clang knows of OpenMP's functions that they order nothing. To the detector, asking for a thread's number matters.
            let is_openmp = name.starts_with("@omp_") || name.starts_with("@__kmpc_");
            let is_taken = !is_openmp && quiet.library.may_look(name);
            if is_taken && group.is_some_and(|attributes| computes(attributes)) {
                quiet.names.insert(name);
            }
        }
        // All that is defined here, less what makes a call that is not quiet, until nothing changes.
        quiet.names.extend(functions.iter().filter(|function| stays(function)).map(|function| function.name));
        loop {
            let loud = |function: &&Function<'a>| {
                quiet.names.contains(function.name)
                    && function
                        .blocks
                        .iter()
                        .flat_map(|block| &block.instructions)
                        .any(|instruction| !quiet.keeps(&instruction.what))
            };
            let loud: Vec<&str> = functions.iter().filter(loud).map(|function| function.name).collect();
            if loud.is_empty() {
                return quiet;
            }
            for name in loud {
                quiet.names.remove(name);
            }
        }
    }

    /// Whether the step goes on, and what happens in it may be told earlier.
    pub(super) fn keeps(&self, what: &What) -> bool {
        match what {
            What::Synchronising | What::Volatile => false,
            What::Call { callee: Some(callee), text } => {
                !text.starts_with("invoke") && !text.starts_with("callbr") && self.is_quiet(callee)
            }
            What::Call { callee: None, .. } => false,
            _ => true,
        }
    }

    fn is_quiet(&self, callee: &str) -> bool {
        let name = &callee[1..];
        if let Some(of_tsan) = name.strip_prefix("__tsan_") {
            return !of_tsan.starts_with("atomic");
        }
        if name.starts_with("llvm.") {
            let is_loud =
                ["llvm.coro.", "llvm.eh.", "llvm.trap", "llvm.va_"].iter().any(|loud| name.starts_with(loud));
            return !is_loud && self.library.keeps(name);
        }
        name.starts_with("__raceproof_") || self.names.contains(callee) || self.library.computes(callee)
    }
}

/// `attributes #3 = { … }`, by `#3`.
fn attribute_groups<'a>(lines: &[&'a str]) -> FxHashMap<&'a str, &'a str> {
    let groups = lines.iter().filter_map(|line| line.strip_prefix("attributes "));
    groups.filter_map(|group| group.split_once(" = ")).collect()
}

fn computes(attributes: &str) -> bool {
    let mut words = attributes.split(' ');
    ["nounwind", "willreturn"].iter().all(|needed| attributes.contains(needed))
        && (attributes.contains("memory(none)")
            || attributes.contains("memory(read)")
            || words.any(|word| word == "readnone"))
}

/// Whether a definition is what is called in the end.
fn stays(function: &Function) -> bool {
    let may_be_replaced = ["weak ", "available_externally ", "linkonce ", "extern_weak ", "common "];
    let is_bound = ["internal ", "private ", "dso_local ", "linkonce_odr "]
        .iter()
        .any(|word| function.head.contains(word));
    is_bound && !may_be_replaced.iter().any(|word| function.head.contains(word))
}
