//! Mutual exclusion: `atomic`, `critical`, a lock.
//!
//! It mends a race only where either order of the two accesses is right. Two updates commute. A
//! plain write does not: an `atomic` around an initialisation hides that somebody must wait for it,
//! so it is never advised there.

use super::super::fix::{EITHER_ORDER, Fix, Template};
use super::super::{Advice, one_sided};
use super::sides::{Side, needs_order, variable};
use crate::statements::{Directive, Role};
use raceproof_core::finding::Operation;

pub(super) fn fixes(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>) -> Vec<Fix> {
    if needs_order(a, b) {
        return Vec::new();
    }
    let race = advice.race;
    let commute = a.role.reduction().is_some() && a.role.reduction() == b.role.reduction();
    let fix = if let Some((guarded, _)) = one_sided(race) {
        let (guarded, bare) = if *guarded == *a.access { (a, b) } else { (b, a) };
        too(advice, guarded, bare)
    } else if !race.first.locks.is_empty() {
        same_critical(advice, a, b)
    } else {
        match (race.first.operation, race.second.operation) {
            (Operation::Atomic, Operation::Plain) => atomic_too(advice, b),
            (Operation::Plain, Operation::Atomic) => atomic_too(advice, a),
            (Operation::Atomic, Operation::Atomic) => None,
            _ => around(advice, a, b, commute),
        }
    };
    let conditional = |fix: Fix| if commute { fix } else { fix.only_if(EITHER_ORDER) };
    fix.map(conditional).into_iter().collect()
}

/// `atomic` or `critical` for both.
fn around(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>, commute: bool) -> Option<Fix> {
    let tree = a.editor.tree;
    let one_file = a.editor.file == b.editor.file;
    let mut nodes = vec![(a, a.node), (b, b.node)];
    let (template, word) = if commute && [a, b].iter().all(|side| is_atomic(advice, side)) {
        (Template::Atomic, "atomic")
    } else {
        // What is tested by one and written by the other belongs together.
        if one_file && tree.is_inside(b.node, a.node) {
            nodes = vec![(a, a.node)];
        } else if one_file && tree.is_inside(a.node, b.node) {
            nodes = vec![(b, b.node)];
        } else if is_one_use(a, b) {
            return None;
        }
        if !nodes.iter().all(|(side, _)| side.can_be_block() && !calls_own(side)) || in_teams(a) {
            return None;
        }
        (Template::Critical, "critical")
    };
    let directive = format!("#pragma omp {word}");
    let edits = nodes.iter().flat_map(|(side, node)| side.editor.onto(*node, &directive)).collect();
    let mut lines: Vec<String> = nodes.iter().map(|(side, _)| side.line(&advice.lines)).collect();
    lines.dedup();
    let text = match lines.as_slice() {
        [line] => format!("put `{directive}` before the statement at {line}"),
        _ => format!("put `{directive}` before the statements at {}", lines.join(" and at ")),
    };
    Some(Fix::new(template, text, edits))
}

/// Whether one thread or task executes both statements: what it reads by the one it may need for
/// the other, so that excluding each alone is not enough.
fn is_one_use(a: &Side<'_>, b: &Side<'_>) -> bool {
    let innermost =
        |side: &Side<'_>| side.directives().find(|d| !d.has("critical") && !d.has("atomic")).map(|d| d.node);
    a.editor.file == b.editor.file
        && a.node != b.node
        && innermost(a).is_some()
        && innermost(a) == innermost(b)
}

/// Whether the statement calls a function of its file, which may wait or take the same section.
fn calls_own(side: &Side<'_>) -> bool {
    let tree = side.editor.tree;
    let defined = |name: &str| {
        tree.nodes[0].children.iter().any(|&node| {
            let header = tree.own_text(node);
            !tree.nodes[node].children.is_empty()
                && header.windows(2).any(|pair| pair[0].is(name) && pair[1].is("("))
        })
    };
    tree.text_of(side.node)
        .windows(2)
        .any(|pair| pair[0].is_word() && pair[1].is("(") && defined(&pair[0].text))
}

/// Whether `atomic` takes the statement. Bit-fields have no address: their updates are no atomics.
fn is_atomic(advice: &Advice<'_>, side: &Side<'_>) -> bool {
    let Role::Update { target, .. } = &side.role else { return false };
    let member = target.rsplit_once(['.', '>']).map(|(_, member)| member);
    side.can_be_block() && member.is_none_or(|member| variable(advice.race).ends_with(member))
}

/// `critical` excludes the threads of one team of a league, and no others.
fn in_teams(side: &Side<'_>) -> bool {
    side.directives().any(|directive| directive.has("teams"))
}

/// The lock of the one around the other as well.
fn too(advice: &Advice<'_>, guarded: &Side<'_>, bare: &Side<'_>) -> Option<Fix> {
    let lock = guarded.access.locks.first()?;
    // A section around a statement that is in it already, by a caller, would be one in itself.
    if guarded.editor.file == bare.editor.file && guarded.node == bare.node {
        return None;
    }
    if !bare.can_be_block() || calls_own(bare) || in_teams(bare) {
        return None;
    }
    let at = bare.line(&advice.lines);
    if lock == "critical" || lock.starts_with("critical(") {
        let directive = format!("#pragma omp {lock}");
        let text = format!("put `{directive}` before the statement at {at} too");
        return Some(Fix::new(Template::CriticalToo, text, bare.editor.onto(bare.node, &directive)));
    }
    // The lock as the program names it, where it is a variable that both can name.
    let tokens = &guarded.editor.tree.tokens;
    let call = tokens.windows(5).find(|words| {
        words[0].is("omp_set_lock") && words[2].is("&") && words[3].is(lock) && words[4].is(")")
    });
    call?;
    let is_global = bare.editor.tree.nodes[0].children.iter().any(|&node| {
        let text = bare.editor.tree.text_of(node);
        text.iter().any(|word| word.is(lock))
            && text.iter().any(|word| word.is("omp_lock_t"))
            && !text.iter().any(|word| word.is("{"))
    });
    if !is_global {
        return None;
    }
    let (open, close) = (format!("{{ omp_set_lock(&{lock});"), format!("omp_unset_lock(&{lock}); }}"));
    let text = format!("hold `{lock}` around the statement at {at} too");
    Some(Fix::new(Template::LockToo, text, bare.editor.around(bare.node, &open, &close)))
}

fn critical<'a>(side: &Side<'a>) -> Option<Directive<'a>> {
    side.directives().find(|directive| directive.has("critical"))
}

/// One name for two critical sections.
fn same_critical(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>) -> Option<Fix> {
    let (first, second) = (critical(a)?, critical(b)?);
    let name = |d: &Directive<'_>| d.words.iter().skip(1).map(|word| word.text.as_str()).collect::<String>();
    let (wanted, there) = (name(&first), name(&second));
    let plain = |text: &str| {
        text.is_empty() || text.starts_with('(') && text.ends_with(')') && !text.contains("hint")
    };
    if wanted == there || !plain(&wanted) || !plain(&there) {
        return None;
    }
    let directive = format!("#pragma omp critical{wanted}");
    let mut edit = b.editor.without(&second)?;
    edit.inserted.clone_from(&directive);
    let place = advice.lines.line(b.editor.file, second.line);
    let text = format!("make the critical section at {place} `{directive}`, as the other one is");
    Some(Fix::new(Template::SameCritical, text, vec![edit]))
}

fn atomic_too(advice: &Advice<'_>, plain: &Side<'_>) -> Option<Fix> {
    if !plain.can_be_block() {
        return None;
    }
    let word = match &plain.role {
        Role::Update { .. } => "atomic",
        Role::Write { .. } => "atomic write",
        Role::Read => "atomic read",
        Role::Other => return None,
    };
    let directive = format!("#pragma omp {word}");
    let text = format!("put `{directive}` before the statement at {} too", plain.line(&advice.lines));
    Some(Fix::new(Template::AtomicToo, text, plain.editor.onto(plain.node, &directive)))
}
