//! Accesses and memory of native programs: what was done to which variable or block.

use super::advice::noun;
use super::snippet::Snippet;
use super::sources::Sources;
use super::style::{Page, Role, count, safe};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Object, Operation, RaceAccess};

/// `writes x`, `reads x atomically`, `frees x`, `writes x (4 bytes)`, `writes x by strcpy`.
pub(super) fn action(access: &RaceAccess, location: &str) -> String {
    let bytes = access.bytes.map(|n| format!(" ({})", count(n, "byte"))).unwrap_or_default();
    let by = access.library.as_ref().map(|function| format!(" by {}", safe(function))).unwrap_or_default();
    match (access.operation, access.access) {
        (Operation::Free, _) => format!("frees {location}"),
        (Operation::Atomic, kind) => format!("{}s {location} atomically{bytes}", noun(kind)),
        (Operation::Range, AccessKind::Read) => format!("copies from {location}{bytes}"),
        (Operation::Range, AccessKind::Write) => format!("copies to or sets {location}{bytes}"),
        (Operation::Plain | Operation::Lane, kind) => format!("{}s {location}{bytes}{by}", noun(kind)),
    }
}

/// The variable or block the location is a part of, and where it comes from.
pub(super) fn show(page: &mut Page, sources: &Sources, snippet: &Snippet, object: &Object) {
    let text = match object {
        Object::Global { name, offset, size } => {
            let start = if *offset == 0 { String::new() } else { inside(*offset) };
            format!("{start}the global {} of {}", safe(name), count(*size, "byte"))
        }
        Object::Heap { offset, size, task, .. } => {
            format!(
                "{}a heap block of {}, allocated by {}",
                inside(*offset),
                count(*size, "byte"),
                safe(task)
            )
        }
        Object::Stack { task, name } => format!("{} of {}", variable("local", name), safe(task)),
        Object::ThreadLocal { task, name } => {
            format!("{} of {}", variable("thread-local", name), safe(task))
        }
    };
    page.headline(Role::Strong, 2, &format!("the memory: {text}"));
    if let Object::Heap { at, stack, .. } = object {
        snippet.show(page, sources, at, Role::Read);
        snippet.calls(page, at, stack);
    }
}

fn inside(offset: u64) -> String {
    if offset == 0 { "the start of ".to_owned() } else { format!("{} into ", count(offset, "byte")) }
}

fn variable(what: &str, name: &Option<String>) -> String {
    match name {
        Some(name) => format!("the {what} variable {}", safe(name)),
        None => format!("a {what} variable"),
    }
}
