//! Tasks: two of one parent, or one and its creator.

use super::super::Advice;
use super::super::edit::Editor;
use super::super::fix::{Fix, Template};
use super::sides::{Side, is_loop, is_outer, variable};
use super::team;
use crate::statements::{Directive, NodeId, Token};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Construct, Operation, RaceAccess, Spawned};

const TASKWAIT: &str = "#pragma omp taskwait";
/// What a firstprivate copy has.
const AT_CREATION: &str = "the task should use the value at its creation";

/// The directive that created a task, in its source.
fn creation<'a>(advice: &Advice<'a>, spawn: &Spawned) -> Option<(Editor<'a>, Directive<'a>)> {
    let (file, tree) = advice.sources.file(&spawn.at.file)?;
    let directive = tree.directive_at(spawn.at.line)?;
    (directive.has("task") || directive.has("taskloop")).then_some((Editor { file, tree }, directive))
}

/// Whether a task made the access itself, and none that it created.
fn is_direct(spawn: &Spawned, access: &RaceAccess) -> bool {
    spawn.task == access.task
}

/// One task and the one that created it.
pub(super) fn of_creator(
    advice: &Advice<'_>,
    child: &Spawned,
    below: &RaceAccess,
    own: Option<&Side<'_>>,
) -> Vec<Fix> {
    let mut fixes = Vec::new();
    let created = creation(advice, child);
    if child.construct == Some(Construct::Thread) {
        return vec![Fix::hint(format!("join the thread created at {} before", advice.at(&child.at)))];
    }
    let is_child = is_direct(child, below)
        && own.is_none_or(|own| created.as_ref().is_none_or(|(editor, d)| is_child(*editor, d, own)));
    // A taskwait before the event that ends a detached task would wait for ever.
    let detached = created.as_ref().is_some_and(|(editor, _)| has_detached(*editor));
    if is_child
        && !detached
        && let Some(own) = own
    {
        let tree = own.editor.tree;
        let contains = created
            .as_ref()
            .filter(|(editor, d)| editor.file == own.editor.file && tree.is_inside(d.node, own.node));
        let (text, edits) = match contains {
            Some((editor, d)) => (
                format!("put a `{TASKWAIT}` after the task created at {}", advice.at(&child.at)),
                if tree.is_listed(d.node) { editor.after(d.node, TASKWAIT) } else { Vec::new() },
            ),
            None => {
                let node = own.waiting_place();
                let line = tree.first_token(node).line;
                let at = advice.lines.line(own.editor.file, line);
                (format!("put a `{TASKWAIT}` before {at}"), own.editor.before(node, TASKWAIT))
            }
        };
        // Nothing stands before a definition.
        if !edits.is_empty() {
            fixes.push(Fix::new(Template::Taskwait, text, edits));
        }
    }
    if let Some((editor, d)) = created {
        if !is_child && !detached {
            fixes.push(taskgroup(advice, editor, &d));
        }
        let reads = below.access == AccessKind::Read && below.operation == Operation::Plain;
        if let Some(own) = own
            && reads
        {
            fixes.extend(firstprivate(advice, editor, &d, own));
        }
    }
    fixes
}

/// Whether a task that is created by a directive is a child of the one that makes the other access,
/// as far as the source shows: an undeferred task between them would be its parent.
fn is_child(editor: Editor<'_>, d: &Directive<'_>, own: &Side<'_>) -> bool {
    let tree = editor.tree;
    editor.file != own.editor.file
        || tree.definition(d.node) != tree.definition(own.node)
        || task_around(tree.directives(d.node).skip(1)) == task_around(own.directives())
}

fn task_around<'t>(mut directives: impl Iterator<Item = Directive<'t>>) -> Option<NodeId> {
    directives.find(|d| d.has("task")).map(|d| d.node)
}

fn has_detached(editor: Editor<'_>) -> bool {
    editor
        .tree
        .tokens
        .iter()
        .filter_map(|token| token.directive.as_ref())
        .flatten()
        .any(|word| word.is("detach"))
}

fn taskgroup(advice: &Advice<'_>, editor: Editor<'_>, d: &Directive<'_>) -> Fix {
    let at = advice.lines.line(editor.file, d.line);
    let text = format!(
        "put a `#pragma omp taskgroup` around the task created at {at}: it waits for all tasks below it"
    );
    Fix::new(Template::Taskgroup, text, editor.onto(d.node, "#pragma omp taskgroup"))
}

/// The value at the creation instead of the variable.
fn firstprivate(advice: &Advice<'_>, editor: Editor<'_>, d: &Directive<'_>, own: &Side<'_>) -> Option<Fix> {
    let name = super::sides::clause_name(advice.race, editor, d)?;
    let tree = editor.tree;
    let written = tree.text_of(d.node).windows(2).any(|pair| {
        pair[0].is(name)
            && (pair[1].text.ends_with('=') && !["==", "<=", ">=", "!="].contains(&pair[1].text.as_str())
                || pair[1].is("++")
                || pair[1].is("--"))
            || pair[1].is(name) && (pair[0].is("++") || pair[0].is("--") || pair[0].is("&"))
    });
    if written || own.access.operation != Operation::Plain || d.mentions(name) {
        return None;
    }
    let clause = format!("firstprivate({name})");
    let text = format!("add `{clause}` to the `{}` at {}", d.name(), advice.lines.line(editor.file, d.line));
    Some(Fix::new(Template::Firstprivate, text, vec![editor.clause(d, &clause)]).only_if(AT_CREATION))
}

/// Two tasks of one parent, in the order of their creation.
pub(super) fn of_siblings(
    advice: &Advice<'_>,
    spawns: [&Spawned; 2],
    accesses: [&RaceAccess; 2],
    sides: Option<[&Side<'_>; 2]>,
) -> Vec<Fix> {
    let [older, younger] = spawns;
    let direct = spawns.iter().zip(accesses).all(|(spawn, access)| is_direct(spawn, access));
    let (Some((editor, d)), Some((other, e))) = (creation(advice, older), creation(advice, younger)) else {
        return Vec::new();
    };
    let same = older.at == younger.at;
    if same && is_loop(&d) {
        return match sides {
            Some([a, b]) if a.directives().any(|around| around.node == d.node) => {
                team::iterations(advice, a, b, &d)
            }
            _ => Vec::new(),
        };
    }
    let mut fixes = Vec::new();
    if has_detached(editor) {
        return fixes;
    }
    if direct {
        fixes.extend(depend(advice, [(editor, &d), (other, &e)], accesses, same));
    }
    if !same {
        if is_direct(older, accesses[0]) {
            let at = advice.lines.line(other.file, e.line);
            let text = format!("put a `{TASKWAIT}` before the task created at {at}");
            fixes.push(Fix::new(Template::Taskwait, text, other.before(e.node, TASKWAIT)));
        } else {
            fixes.push(taskgroup(advice, editor, &d));
        }
    }
    fixes
}

/// A dependence for both.
fn depend(
    advice: &Advice<'_>,
    [(editor, d), (other, e)]: [(Editor<'_>, &Directive<'_>); 2],
    accesses: [&RaceAccess; 2],
    same: bool,
) -> Option<Fix> {
    let name = crate::statements::base(variable(advice.race));
    let standing = [d, e].map(|directive| items(directive, name));
    let place = |editor: Editor<'_>, d: &Directive<'_>| advice.lines.line(editor.file, d.line);
    if standing.iter().any(Option::is_some) {
        return depend_inout(advice, [(editor, d), (other, e)], standing, accesses);
    }
    // Both name the variable itself, and neither declares it or gets a copy of it.
    let own = |editor: Editor<'_>, directive: &Directive<'_>| {
        is_outer(name, editor, directive.node)
            && !directive.mentions(name)
            && !is_pointer(advice, editor, name)
    };
    if name.is_empty() || !own(editor, d) || !own(other, e) {
        return None;
    }
    if same {
        let clause = format!("depend(inout: {name})");
        let text = format!("add `{clause}` to the `{}` at {}", d.name(), place(editor, d));
        return Some(Fix::new(Template::Depend, text, vec![editor.clause(d, &clause)]));
    }
    let kind = |access: &RaceAccess, directive: &Directive<'_>, editor: Editor<'_>| match access.access
        == AccessKind::Write
        || is_written(editor, directive, name)
    {
        true => "inout",
        false => "in",
    };
    let clauses = [(accesses[0], d, editor), (accesses[1], e, other)]
        .map(|(access, directive, editor)| format!("depend({}: {name})", kind(access, directive, editor)));
    let text = format!(
        "add `{}` to the `{}` at {} and `{}` to the one at {}",
        clauses[0],
        d.name(),
        place(editor, d),
        clauses[1],
        place(other, e)
    );
    let edits = vec![editor.clause(d, &clauses[0]), other.clause(e, &clauses[1])];
    Some(Fix::new(Template::Depend, text, edits))
}

/// Whether the task writes the variable anywhere.
fn is_written(editor: Editor<'_>, directive: &Directive<'_>, name: &str) -> bool {
    let text = editor.tree.text_of(directive.node);
    let signs = ["=", "+=", "-=", "*=", "/=", "++", "--", "[", "."];
    text.windows(2).any(|pair| pair[0].is(name) && signs.contains(&pair[1].text.as_str()))
        && text.iter().any(|word| word.text.ends_with('=') || word.is("++"))
}

/// Whether the name is one of a pointer: what it points at is raced for, and not the pointer.
fn is_pointer(advice: &Advice<'_>, editor: Editor<'_>, name: &str) -> bool {
    let declared = editor.tree.tokens.windows(2).any(|pair| pair[0].is("*") && pair[1].is(name));
    declared
        || variable(advice.race) != name
            && matches!(advice.race.object, Some(raceproof_core::finding::Object::Heap { .. }) | None)
}

/// A `depend` that stands there for the variable: its kind, and the item, if it is the only one.
struct Standing<'t> {
    kind: &'t Token,
    item: String,
    alone: bool,
}

fn items<'t>(directive: &Directive<'t>, name: &str) -> Option<Standing<'t>> {
    directive.clauses("depend").into_iter().find_map(|(_, words)| {
        if !words.iter().any(|word| word.is(name)) {
            return None;
        }
        let (kind, rest) = words.split_first()?;
        let list: String = rest.iter().skip(1).map(|word| word.text.as_str()).collect();
        Some(Standing { kind, alone: !list.contains(','), item: list })
    })
}

/// Both depend on one item, and say that they only read it.
fn depend_inout(
    advice: &Advice<'_>,
    sides: [(Editor<'_>, &Directive<'_>); 2],
    standing: [Option<Standing<'_>>; 2],
    accesses: [&RaceAccess; 2],
) -> Option<Fix> {
    let [Some(first), Some(second)] = standing else { return None };
    if first.item != second.item || !first.alone {
        return None;
    }
    let mut edits = Vec::new();
    let mut places = Vec::new();
    for ((standing, (editor, d)), access) in [first, second].iter().zip(sides).zip(accesses) {
        if standing.kind.is("in") && access.access == AccessKind::Write {
            edits.push(editor.word(standing.kind, "inout"));
            places.push(advice.lines.line(editor.file, d.line));
        }
    }
    if edits.is_empty() {
        return None;
    }
    let text = format!(
        "write `depend(inout: …)` instead of `depend(in: …)` at {}, where the task writes",
        places.join(" and ")
    );
    Some(Fix::new(Template::DependInout, text, edits))
}

/// Why the dependences of two siblings do not order them.
pub(super) fn why(advice: &Advice<'_>, spawns: [&Spawned; 2], deep: bool) -> &'static str {
    let has = |spawn: &Spawned| creation(advice, spawn).map(|(_, d)| !d.clauses("depend").is_empty());
    match (has(spawns[0]), has(spawns[1])) {
        _ if deep => "`depend` orders only tasks of one parent, not those they create",
        (Some(true), Some(true)) => "what their `depend` clauses name does not order them",
        (Some(false), Some(false)) => "neither has a `depend`",
        (Some(_), Some(_)) => "only one of them has a `depend`",
        _ => "no `depend` of theirs orders them",
    }
}

/// What helps where no edit does.
pub(super) fn hint() -> Fix {
    Fix::hint(
        "let one wait for the other: a `taskwait` or the end of a `taskgroup` between them, or `depend` on memory that both name alike",
    )
}
