//! What orders two accesses of a TP program, or excludes one while the other is made.
//!
//! A `finish` waits for everything below it, so it deadlocks if a task in it waits for what is only
//! done after it. Around one spawn it is advised only for a task that waits for nothing. For others
//! it has to reach over what they wait for, or a promise is set right after the access.

use super::super::edit::{Edit, Editor};
use super::super::fix::{EITHER_ORDER, Fix, Template};
use super::super::{Advice, Parting, alternatives, noun, one_sided};
use crate::statements::{NodeId, Role, Token, Tree, base, role};
use raceproof_core::finding::{Place, RaceAccess, Spawned};

/// Words by which a task waits for what another does.
const WAITS: [&str; 4] = ["get", "await", "P", "wait"];
/// What must not happen inside an isolated section, or would change what it means.
const NOT_ISOLATED: [&str; 13] = [
    "async", "finish", "forall", "forasync", "get", "P", "wait", "future", "with", "let", "return",
    "isolated", "set",
];

/// An access with its statement, and the calls that led to it.
struct Side<'a> {
    access: &'a RaceAccess,
    editor: Editor<'a>,
    node: NodeId,
    role: Role,
    calls: Vec<NodeId>,
}

impl<'a> Side<'a> {
    fn of(advice: &Advice<'a>, access: &'a RaceAccess) -> Option<Side<'a>> {
        let (file, tree) = advice.sources.file(&access.at.file)?;
        let node = tree.at(&access.at)?;
        let role = match tree.nodes[node].children.is_empty() {
            true => role(&tree.own_text(node), access.access, access.at.column, &advice.race.location),
            false => Role::Other,
        };
        let calls = access.stack.iter().filter(|frame| frame.call.line > 0);
        let calls = calls.filter_map(|frame| tree.at(&frame.call));
        let calls = std::iter::once(node).chain(calls).collect();
        // A test and what follows from it are one use.
        let test =
            tree.test_of(node, base(&advice.race.location)).filter(|_| matches!(role, Role::Write { .. }));
        let (node, role) = test.map_or((node, role), |test| (test, Role::Other));
        Some(Side { access, editor: Editor { file, tree }, node, role, calls })
    }

    fn is_write(&self) -> bool {
        matches!(self.role, Role::Write { .. })
    }

    /// The statement among its calls that is inside of a node.
    fn inside(&self, node: NodeId) -> Option<NodeId> {
        self.calls.iter().copied().find(|&call| self.editor.tree.is_inside(call, node))
    }
}

pub(crate) fn fixes(advice: &Advice<'_>) -> Vec<Fix> {
    let race = advice.race;
    let sides = (Side::of(advice, &race.first), Side::of(advice, &race.second));
    let mut fixes = Vec::new();
    if let (Some(a), Some(b)) = &sides {
        let side = |access: &RaceAccess| if *access == race.first { a } else { b };
        let exclusion = exclusion(advice, a, b);
        let order = match &advice.parting {
            Parting::Spawner { child, below, own } => order(advice, child, None, side(below), side(own)),
            Parting::Siblings { older, younger, accesses: [x, y] } => {
                order(advice, older, Some(younger), side(x), side(y))
            }
            Parting::Thread { .. } | Parting::Unknown => Vec::new(),
        };
        fixes.extend(order);
        // Locks that are there already say that either order will do.
        let locked = !race.first.locks.is_empty() || !race.second.locks.is_empty();
        if locked {
            fixes.splice(0..0, exclusion);
        } else if fixes.is_empty() || !(a.is_write() || b.is_write()) {
            // Who writes a value for others wants to be waited for.
            fixes.extend(exclusion);
        }
    }
    if fixes.is_empty() {
        fixes.push(hint(advice));
    }
    fixes
}

/// Where nothing can be said as an edit.
fn hint(advice: &Advice<'_>) -> Fix {
    if !advice.race.first.locks.is_empty() && one_sided(advice.race).is_none() {
        let locks = alternatives(advice.race.first.locks.iter().chain(&advice.race.second.locks));
        return Fix::hint(format!("hold the same lock on both sides ({locks}), if either order will do"));
    }
    Fix::hint(match &advice.parting {
        Parting::Siblings { older, younger, .. } if older.at == younger.at => {
            "let the tasks use different cells, or let one wait for the other".to_owned()
        }
        _ => "let one access wait for the other: a `finish` that ends between them and holds nothing that waits for what comes \
              after it, or the `get` of a promise that is set after the first"
            .to_owned(),
    })
}

/// Whether a task that is spawned by a statement waits for anything, in procedures too.
fn waits(tree: &Tree, node: NodeId) -> bool {
    // Who holds a lock gives it back, unless it waits for something else.
    let with = tree.tokens.iter().any(|token| WAITS.iter().any(|word| token.is(word)));
    let mut procedures = Vec::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        for token in tree.text_of(node) {
            if WAITS.iter().any(|word| token.is(word)) || with && token.is("with") {
                return true;
            }
            if token.is_word() && !procedures.contains(&token.text) {
                procedures.push(token.text.clone());
                todo.extend(procedure(tree, &token.text));
            }
        }
    }
    false
}

fn procedure(tree: &Tree, name: &str) -> Option<NodeId> {
    let is_it =
        |&&node: &&NodeId| matches!(tree.text_of(node), [proc, own, ..] if proc.is("proc") && own.is(name));
    tree.nodes[0].children.iter().find(is_it).copied()
}

/// The statement that spawns, if it spawns one task: not `forall` or `forasync`.
fn spawn(tree: &Tree, at: &Place) -> Option<NodeId> {
    let node = tree.at(at)?;
    tree.text_of(node)[0].is("async").then_some(node)
}

/// Makes the later access wait: by a finish, or by a promise. `before` is by the task that `child`
/// spawned, or one below it.
fn order(
    advice: &Advice<'_>,
    child: &Spawned,
    younger: Option<&Spawned>,
    before: &Side<'_>,
    after: &Side<'_>,
) -> Vec<Fix> {
    let editor = before.editor;
    let tree = editor.tree;
    let Some(spawn) = spawn(tree, &child.at) else { return Vec::new() };
    let in_section =
        tree.upwards(spawn).any(|up| ["with", "isolated"].iter().any(|word| tree.text_of(up)[0].is(word)));
    // Who waits with a lock in its hands may wait for one that wants it.
    if in_section {
        return Vec::new();
    }
    let at = advice.lines.line(editor.file, child.at.line);
    let mut fixes = Vec::new();
    if !waits(tree, spawn) {
        let edits = editor.around(spawn, "finish {", "}");
        let text = format!("put a `finish` around the spawn at {at}");
        fixes.push(Fix::new(Template::Finish, text, edits));
    }
    // Where the later access, or the spawn of its task, stands beside the earlier spawn.
    let target = match younger {
        Some(younger) if younger.at == child.at => return fixes,
        Some(younger) => tree.at(&younger.at),
        None => after.calls.iter().copied().find(|&call| tree.definition(call) == tree.definition(spawn)),
    };
    let Some((list, from, to)) = target.and_then(|target| tree.parting(spawn, target)) else { return fixes };
    if from != spawn || tree.nodes[from].first > tree.nodes[to].first {
        return fixes;
    }
    if fixes.is_empty() {
        fixes.extend(finish_over(advice, editor, (list, from, to)));
    }
    fixes.extend(promise(advice, editor, (from, to), younger.is_some(), before, after));
    if younger.is_none() && child.task == before.access.task && !waits(tree, spawn) {
        fixes.extend(future(advice, editor, from, to));
    }
    fixes
}

/// A finish from the spawn to the statement before the later access.
fn finish_over(
    advice: &Advice<'_>,
    editor: Editor<'_>,
    (list, from, to): (NodeId, NodeId, NodeId),
) -> Option<Fix> {
    let tree = editor.tree;
    let children = &tree.nodes[list].children;
    let place = |node| children.iter().position(|&child| child == node);
    let (first, end) = (place(from)?, place(to)?);
    let range = &children[first..end];
    let last = *range.last()?;
    // A local of the range would not be known after it.
    if range.len() < 2 || range.iter().any(|&node| tree.text_of(node)[0].is("let")) {
        return None;
    }
    // What the task waits for has to be done before the finish ends, by this task itself.
    let text = tree.text_of(from);
    let before = &tree.tokens[..tree.nodes[to].first];
    let done = |name: &str| {
        // A cell of an array may be another one each time.
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        is_name
            && before.windows(3).any(|words| {
                let is_set = words[0].is(name) && words[1].is(".") && words[2].is("set");
                let is_call =
                    (words[0].is("V") || words[0].is("post")) && words[1].is("(") && words[2].is(name);
                let place = Place { file: String::new(), line: words[0].line, column: words[0].column };
                let is_own = tree.at(&place).is_some_and(|node| {
                    let mut around = tree.upwards(node).skip(1).filter(|&up| !tree.is_inside(from, up));
                    around.all(|up| tree.text_of(up)[0].is("{"))
                });
                (is_set || is_call) && is_own
            })
    };
    let waited = text.windows(3).filter_map(|words| {
        if words[1].is(".") && words[2].is("get") {
            Some(words[0].text.as_str())
        } else if ["P", "wait", "await"].iter().any(|word| words[0].is(word)) {
            Some(words[2].text.as_str())
        } else {
            None
        }
    });
    let mut names = waited.peekable();
    if names.peek().is_none() || !names.all(done) || text.iter().any(|word| word.is("with") || word.is(",")) {
        return None;
    }
    let line = |node| tree.first_token(node).line;
    let words = format!(
        "put a `finish` around what stands from line {} to line {}",
        line(from),
        tree.last_token(last).line
    );
    debug_assert!(line(from) <= line(to), "{}", advice.race.location);
    Some(Fix::new(Template::FinishOver, words, editor.around_all(from, last, "finish {", "}")))
}

/// A promise that is set after the one access and got before the other.
fn promise(
    advice: &Advice<'_>,
    editor: Editor<'_>,
    (from, to): (NodeId, NodeId),
    is_task: bool,
    before: &Side<'_>,
    after: &Side<'_>,
) -> Option<Fix> {
    let tree = editor.tree;
    // Both inside what stands here, executed once, and not in a section.
    let earlier = before.inside(from).filter(|&node| is_plain(tree, node, from))?;
    let later = if is_task { after.inside(to).filter(|&node| is_plain(tree, node, to))? } else { to };
    let waits_first = tree.tokens[tree.nodes[from].first..tree.nodes[earlier].first].iter();
    let ends = |token: &Token| token.is("return") || WAITS.iter().any(|word| token.is(word));
    if waits_first.into_iter().any(ends) || waits(tree, earlier) {
        return None;
    }
    let is_spawn = ["async", "future"].iter().any(|word| tree.text_of(to).iter().any(|token| token.is(word)));
    if !tree.is_listed(later) || !tree.is_listed(earlier) || (!is_task && is_spawn) {
        return None;
    }
    let name = format!("done{}", tree.first_token(from).line);
    if tree.tokens.iter().any(|token| token.is(&name)) {
        return None;
    }
    let mut edits = editor.before(from, &format!("let {name} = promise();"));
    edits.extend(editor.after(earlier, &format!("{name}.set();")));
    edits.extend(editor.before(later, &format!("{name}.get();")));
    let line = |node| advice.lines.line(editor.file, tree.first_token(node).line);
    let text = format!(
        "`set` a promise after the {} at {} and `get` it before {}",
        noun(before.access.access),
        line(earlier),
        line(later)
    );
    Some(Fix::new(Template::Promise, text, edits))
}

/// Whether a statement is executed exactly once by what stands around it: in the body of the task,
/// in no branch, loop, section or further task.
fn is_plain(tree: &Tree, node: NodeId, around: NodeId) -> bool {
    const THROUGH: [&str; 2] = ["{", "finish"];
    tree.upwards(node).skip(1).take_while(|&up| up != around).all(|up| {
        let first = &tree.text_of(up)[0];
        THROUGH.iter().any(|word| first.is(word))
    }) && !["if", "while", "for", "forall", "forasync", "with", "isolated", "return"]
        .iter()
        .any(|word| tree.text_of(node)[0].is(word))
}

/// The task as a future that is got.
fn future(advice: &Advice<'_>, editor: Editor<'_>, from: NodeId, to: NodeId) -> Option<Fix> {
    let tree = editor.tree;
    let text = tree.text_of(from);
    let name = format!("task{}", tree.first_token(from).line);
    let is_free = !tree.tokens.iter().any(|token| token.is(&name));
    if !text.get(1).is_some_and(|second| second.is("{")) || !tree.is_listed(to) || !is_free {
        return None;
    }
    let mut edits: Vec<Edit> = vec![editor.word(&text[0], &format!("let {name} = future"))];
    let last = tree.last_token(from);
    edits.push(Edit {
        file: editor.file.to_owned(),
        line: last.line,
        column: last.end(),
        removed: 0,
        inserted: ";".to_owned(),
    });
    edits.extend(editor.before(to, &format!("{name}.get();")));
    let line = |node| advice.lines.line(editor.file, tree.first_token(node).line);
    let text = format!("make the task at {} a `future` and `get` it before {}", line(from), line(to));
    Some(Fix::new(Template::Get, text, edits))
}

/// Mutual exclusion: see the same of OpenMP for when it is advised.
fn exclusion(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>) -> Option<Fix> {
    let commute = a.role.reduction().is_some() && a.role.reduction() == b.role.reduction();
    let read = |side: &Side<'_>| {
        side.access.access == raceproof_core::event::AccessKind::Read
            && !matches!(side.role, Role::Update { .. })
    };
    if (a.is_write() && !read(b)) || (b.is_write() && !read(a)) {
        return None;
    }
    let fix = if let Some((guarded, _)) = one_sided(advice.race) {
        let (guarded, bare) = if *guarded == *a.access { (a, b) } else { (b, a) };
        too(advice, guarded, bare)
    } else if !a.access.locks.is_empty() {
        same_lock(advice, a, b)
    } else {
        isolated(advice, a, b)
    };
    fix.map(|fix| if commute { fix } else { fix.only_if(EITHER_ORDER) })
}

/// Whether a section can be put around a statement.
fn can_be_section(side: &Side<'_>, node: NodeId) -> bool {
    let tree = side.editor.tree;
    let text = tree.text_of(node);
    let calls = text.windows(2).any(|pair| pair[1].is("(") && procedure(tree, &pair[0].text).is_some());
    !calls && !text.iter().any(|token| NOT_ISOLATED.iter().any(|word| token.is(word))) && !text[0].is("proc")
}

/// Whether one task executes both statements: what it reads by the one it may need for the other.
fn is_one_use(tree: &Tree, a: NodeId, b: NodeId) -> bool {
    let task = |node| {
        let spawns = ["async", "forall", "forasync"];
        tree.upwards(node).find(|&up| spawns.iter().any(|word| tree.text_of(up)[0].is(word)))
    };
    a != b && task(a).is_some() && task(a) == task(b)
}

fn isolated(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>) -> Option<Fix> {
    let tree = a.editor.tree;
    let nodes = if tree.is_inside(b.node, a.node) {
        vec![(a, a.node)]
    } else if tree.is_inside(a.node, b.node) {
        vec![(b, b.node)]
    } else if is_one_use(tree, a.node, b.node) {
        return None;
    } else {
        vec![(a, a.node), (b, b.node)]
    };
    if !nodes.iter().all(|(side, node)| can_be_section(side, *node)) {
        return None;
    }
    let edits = nodes.iter().flat_map(|(side, node)| side.editor.around(*node, "isolated {", "}")).collect();
    let mut lines: Vec<String> = nodes
        .iter()
        .map(|(side, node)| advice.lines.line(side.editor.file, tree.first_token(*node).line))
        .collect();
    lines.dedup();
    let text =
        format!("put the whole statement at {} into an `isolated` section", lines.join(" and the one at "));
    Some(Fix::new(Template::Isolated, text, edits))
}

fn too(advice: &Advice<'_>, guarded: &Side<'_>, bare: &Side<'_>) -> Option<Fix> {
    let lock = guarded.access.locks.first()?;
    let tree = bare.editor.tree;
    // Where both call one procedure, the section goes around the call of the one without.
    let node = bare.calls.iter().copied().find(|call| !guarded.calls.contains(call))?;
    let is_call =
        node != bare.node && tree.own_text(node).iter().all(|token| !token.is("let") && !token.is("return"));
    if !is_call && !can_be_section(bare, node) {
        return None;
    }
    let at = advice.lines.line(bare.editor.file, tree.first_token(node).line);
    if lock == "isolated" {
        let text = format!("put the whole statement at {at} into an `isolated` section too");
        let edits = bare.editor.around(node, "isolated {", "}");
        return Some(Fix::new(Template::IsolatedToo, text, edits));
    }
    if !is_leaf(tree, lock) {
        return None;
    }
    let text = format!("hold `{lock}` around the whole statement at {at} too");
    let edits = bare.editor.around(node, &format!("with {lock} {{"), "}");
    Some(Fix::new(Template::WithToo, text, edits))
}

/// Whether nobody who holds a lock waits for anything: more may take it then without a deadlock.
fn is_leaf(tree: &Tree, lock: &str) -> bool {
    let all = ["finish", "forall", "with", "get", "await", "P", "wait", "return"];
    (1..tree.nodes.len())
        .filter(|&node| matches!(tree.text_of(node), [with, own, ..] if with.is("with") && own.is(lock)))
        .all(|node| {
            let inside = &tree.text_of(node)[1..];
            let calls = inside.iter().filter_map(|token| procedure(tree, &token.text));
            !inside.iter().any(|token| all.iter().any(|word| token.is(word)))
                && calls.into_iter().all(|called| {
                    !tree.text_of(called).iter().any(|token| all[..7].iter().any(|word| token.is(word)))
                })
        })
}

/// The lock of the first around the second as well.
fn same_lock(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>) -> Option<Fix> {
    let tree = b.editor.tree;
    let lock = a.access.locks.first().filter(|_| a.access.locks.len() == 1 && b.access.locks.len() == 1)?;
    if b.access.locks.iter().chain([lock]).any(|lock| lock != "isolated" && !is_leaf(tree, lock)) {
        return None;
    }
    let section = tree.upwards(b.node).find(|&up| tree.text_of(up)[0].is("with"))?;
    let at = advice.lines.line(b.editor.file, tree.first_token(section).line);
    let words = tree.text_of(section);
    let edits = match lock.as_str() {
        "isolated" if can_be_section(b, b.node) => b.editor.around(b.node, "isolated {", "}"),
        "isolated" => return None,
        lock => vec![b.editor.word(words.get(1)?, lock)],
    };
    let text = match lock.as_str() {
        "isolated" => format!("put an `isolated` section inside the one at {at}"),
        lock => format!("hold `{lock}` in the section at {at}, as the other side does"),
    };
    Some(Fix::new(Template::SameLock, text, edits))
}
