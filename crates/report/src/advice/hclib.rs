//! The words of HClib: tasks created by `async`, finishes, promises.
//!
//! A `finish` waits for everything below it, so it deadlocks if a task in it waits for what is only
//! done after it. It is advised only around a task that waits for nothing, as far as its source
//! shows: neither its own statement nor a function of the same file that this names.

use super::edit::Editor;
use super::fix::{Fix, Template};
use super::promises::{self, Set};
use super::{Advice, Parting, lineage, locks, noun};
use crate::statements::{NodeId, Token, Tree, is_declaration};
use crate::style::safe;
use raceproof_core::finding::{Operation, Place, Spawned};
use std::collections::BTreeSet;
use std::ops::Range;

const PUT: Set = Set { was: "put into", is: "put into", noun: "put", template: Template::PutLater };

/// What would have made the later access wait.
const NO_WAIT: &str = "no finish around it ends, and nobody waits for a promise that is put into after it";

/// Words by which a task waits for what another does, beside those with `await`.
const WAITS: [&str; 4] = ["wait", "test", "hclib_future_wait", "hclib_future_is_satisfied"];

/// Functions that await the futures they are given, and the arguments among which these are.
const AWAITING: [(&str, Range<usize>); 4] = [
    ("hclib_async", 2..4),
    ("hclib_async_future", 2..4),
    ("hclib_async_copy", 5..7),
    ("forasync", 3..usize::MAX),
];

/// Arguments that are no future.
const NO_FUTURE: [&str; 7] =
    ["NULL", "0", "nullptr", "NO_FUTURE", "FORASYNC_MODE_FLAT", "FORASYNC_MODE_RECURSIVE", "ANY_PLACE"];

pub(super) fn why(advice: &Advice<'_>) -> String {
    let fork = safe(&advice.race.fork);
    let at = |place| advice.at(place);
    let mut text = match &advice.parting {
        Parting::Spawner { child, below, own } => format!(
            "{fork} created {} at {}. Nothing from there to {} waits for that {}: {NO_WAIT}.",
            lineage(child, below),
            at(&child.at),
            at(&own.at),
            noun(below.access),
        ),
        Parting::Siblings { older, younger, .. } => {
            let (a, b) = (safe(&older.task), safe(&younger.task));
            let spawns = if older.at == younger.at {
                format!("{fork} created both {a} and {b} at {}.", at(&older.at))
            } else {
                format!("{fork} created {a} at {} and {b} at {}.", at(&older.at), at(&younger.at))
            };
            format!("{spawns} Neither waits for the other's access: {NO_WAIT}.")
        }
        Parting::Thread { .. } | Parting::Unknown => {
            format!("the ways to the two accesses part in {fork}, and neither waits for the other.")
        }
    };
    if let Some(promise) = promises::why(advice, &PUT) {
        text = promise;
    }
    if let Some(locks) = locks(advice, ", so neither keeps the other out") {
        text.push(' ');
        text.push_str(&locks);
    }
    text
}

pub(super) fn fixes(advice: &Advice<'_>) -> Vec<Fix> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    if [first, second].iter().any(|access| access.operation == Operation::Free) {
        return vec![Fix::hint("free it when everybody who uses it was waited for")];
    }
    let mut fixes = Vec::from_iter(promises::set_later(advice, &PUT));
    if fixes.is_empty() {
        fixes.extend(match &advice.parting {
            Parting::Spawner { child, own, .. } => finish(advice, child, &own.at),
            Parting::Siblings { older, younger, .. } if older.at != younger.at => {
                finish(advice, older, &younger.at)
            }
            _ => None,
        });
    }
    if fixes.is_empty() {
        fixes.push(Fix::hint(
            "let one access wait for the other: a finish that ends between them and holds nothing that waits for what comes \
             after it, or a promise that is put into after the first and waited for before the second",
        ));
    }
    fixes
}

/// A finish around the statement that creates a task, if what it races with comes after that.
fn finish(advice: &Advice<'_>, child: &Spawned, later: &Place) -> Option<Fix> {
    let (file, tree) = advice.sources.file(&child.at.file)?;
    if advice.sources.file(&later.file)?.0 != file {
        return None;
    }
    let (creates, later) = (tree.at(&child.at)?, tree.at(later)?);
    let (_, creates, later) = tree.parting(creates, later)?;
    if tree.nodes[creates].first > tree.nodes[later].first
        || declares(&tree.own_text(creates))
        || waits(tree, creates)
        || !tree.is_listed(creates)
    {
        return None;
    }
    let (open, close, name) = match is_c(file) {
        true => (
            "hclib_start_finish();",
            "hclib_end_finish();",
            "between `hclib_start_finish` and `hclib_end_finish`",
        ),
        false => ("hclib::finish([&]() {", "});", "inside of a `hclib::finish`"),
    };
    let edits = Editor { file, tree }.around(creates, open, close);
    let text = format!("create the task at {} {name}, which waits for it", advice.at(&child.at));
    Some(Fix::new(Template::FinishAround, text, edits))
}

/// Whether a statement declares a variable, which would be gone at the end of the finish: one with
/// `hclib::future_t<int> *f = …` too.
fn declares(words: &[&Token]) -> bool {
    let value = words.iter().position(|word| word.is("="));
    is_declaration(words) || value.is_some_and(|at| words[..at].iter().any(|word| word.is("<")))
}

/// Whether a file is in C, where there are no function objects.
fn is_c(file: &str) -> bool {
    file.ends_with(".c")
}

/// What has a body and is no function.
const WITH_BODIES: [&str; 5] = ["if", "for", "while", "switch", "catch"];

/// Whether what a statement creates waits for anything, as far as it shows.
fn waits(tree: &Tree, node: NodeId) -> bool {
    let tokens = &tree.tokens;
    let own = tree.nodes[node].first..(tree.nodes[node].last + 1).min(tokens.len());
    let (mut parts, mut known) = (vec![own], BTreeSet::new());
    while let Some(part) = parts.pop() {
        for at in part.filter(|&at| tokens[at].is_word()) {
            if waits_at(tokens, at) {
                return true;
            }
            let word = tokens[at].text.as_str();
            if !WITH_BODIES.contains(&word) && known.insert(word) {
                parts.extend(bodies(tokens, &tokens[at].text));
            }
        }
    }
    false
}

fn waits_at(tokens: &[Token], at: usize) -> bool {
    let word = tokens[at].text.as_str();
    let given =
        AWAITING.iter().find(|(name, _)| word == *name || *name == "forasync" && word.starts_with(name));
    WAITS.contains(&word)
        || word.contains("await")
        || given.is_some_and(|(_, among)| {
            let all = arguments(tokens, at + 1).into_iter().enumerate();
            all.filter(|(number, _)| among.contains(number)).any(|(_, argument)| match argument {
                [] => false,
                [only] => !NO_FUTURE.contains(&only.text.as_str()),
                _ => true,
            })
        })
}

/// Past the bracket that closes the one at an index.
fn closed(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// The arguments of a call, whose parenthesis is at an index.
fn arguments(tokens: &[Token], open: usize) -> Vec<&[Token]> {
    if !tokens.get(open).is_some_and(|token| token.is("(")) {
        return Vec::new();
    }
    let end = closed(tokens, open) - 1;
    let (mut all, mut from, mut at) = (Vec::new(), open + 1, open + 1);
    while at < end {
        match tokens[at].text.as_str() {
            "(" | "[" | "{" => at = closed(tokens, at),
            "," => {
                all.push(&tokens[from..at]);
                (from, at) = (at + 1, at + 1);
            }
            _ => at += 1,
        }
    }
    all.push(&tokens[from..end.max(from)]);
    all
}

/// The bodies of the functions of a name, and of the function objects.
fn bodies(tokens: &[Token], name: &str) -> Vec<Range<usize>> {
    const BETWEEN: [&str; 4] = ["const", "noexcept", "override", "mutable"];
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.is(text));
    let body = |at: usize| {
        let mut at = match is(at, "=") && is(at + 1, "[") {
            true => closed(tokens, at + 1),
            false if is(at, "(") => at,
            false => return None,
        };
        if is(at, "(") {
            at = closed(tokens, at);
        }
        while tokens.get(at).is_some_and(|token| BETWEEN.contains(&token.text.as_str())) {
            at += 1;
        }
        is(at, "{").then(|| at..closed(tokens, at))
    };
    let named = tokens.iter().enumerate().filter(|(_, token)| token.is(name));
    named.filter_map(|(at, _)| body(at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the first statement of `main` waits, among functions that do.
    fn waits_in(statement: &str) -> bool {
        let text = format!(
            "void last(void *p) {{ hclib_future_wait(p); }}\nvoid body(void *p) {{ last(p); }}\n\
             void quiet(void *p) {{ x = 1; }}\nvoid rounds(void *p) {{ for (;;) {{ last(p); }} }} void main() {{\nauto named = [=]() mutable {{ f->wait(); }};\n{statement}\n}}\n"
        );
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let tree = Tree::new(&lines);
        let at = Place { file: String::new(), line: 6, column: 1 };
        waits(&tree, tree.at(&at).expect("a statement is there"))
    }

    #[test]
    fn a_finish_is_advised_around_what_waits_for_nothing() {
        for waiting in [
            "hclib::async_await_at([=]() { x = 1; }, f, place);",
            "hclib::async_nb_await_at([=]() { x = 1; }, f, place);",
            "hclib::async_nb_future_await([=]() { x = 1; }, f);",
            "hclib::async_nb_future_await_at([=]() { x = 1; }, f, place);",
            "hclib::async_future_await_at([=]() { x = 1; }, f, place);",
            "hclib_async(quiet, NULL, &f, 1, NULL);",
            "hclib_async_future((future_fct_t)quiet, NULL, futures, count, NULL);",
            "hclib_async_copy(here, to, here, from, 4, &f, 1);",
            "hclib_async(body, NULL, NULL, 0, NULL);",
            "hclib::async([=]() { body(f); });",
            "hclib::async(named);",
            "hclib::async([=]() { while (!f->test()) hclib::yield(); });",
            "hclib::forasync2D(&loop, [=](int i, int j) { x = i; }, FORASYNC_MODE_FLAT, nullptr, f);",
        ] {
            assert!(waits_in(waiting), "{waiting}");
        }
        for quiet in [
            "hclib_async(quiet, &x, NULL, 0, NULL);",
            "hclib_async_future((future_fct_t)quiet, NULL, nullptr, 0, place);",
            "hclib_async_copy(here, to, here, from, 4, NULL, 0);",
            "hclib::async([=]() { quiet(f); });",
            "hclib::async([=]() { for (int i = 0; i < n; i++) { x += i; } });",
            "hclib::async_future([=]() { promise->put(1); });",
            "hclib::forasync2D(&loop, [=](int i, int j) { x = i; }, FORASYNC_MODE_FLAT, nullptr);",
        ] {
            assert!(!waits_in(quiet), "{quiet}");
        }
    }
}
