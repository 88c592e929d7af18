//! Two threads of one team: iterations, sections, or the same code.

use super::super::Advice;
use super::super::fix::{Fix, ITS_OWN, Template};
use super::sides::{Side, clause_name, is_loop, variable};
use crate::statements::{Directive, Kind, NodeId, Role, Token, Tree, role};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Construct, Place, Region};

/// Every thread of a team does as often as the others.
const SAME_ROUNDS: &str = "every thread of the team makes as many rounds";

pub(super) fn fixes(advice: &Advice<'_>, team: &Place, a: &Side<'_>, b: &Side<'_>) -> Vec<Fix> {
    let (Some((x, region)), Some((y, other))) = (a.inside(advice, team), b.inside(advice, team)) else {
        return Vec::new();
    };
    if region.node != other.node {
        return Vec::new();
    }
    let mut fixes = Vec::new();
    if let Some(shared) = worksharing(a, b, &region) {
        fixes.extend(iterations(advice, a, b, &shared));
    } else if a.node == b.node && !a.directives().any(|d| d.has("task")) {
        fixes.extend(reduction(advice, a, b, &region));
        fixes.extend(single(advice, a, b, x, &region));
        fixes.extend(temporary(advice, a, &region));
    }
    if fixes.is_empty() && x != y && a.node != b.node {
        fixes.extend(temporary(advice, a, &region));
    }
    if x != y && fixes.iter().all(|fix| fix.template == Template::Private) {
        fixes.extend(barrier(advice, a, (x, y), &region));
    }
    fixes
}

/// The loop, sections or combined construct that gives each access to one thread.
fn worksharing<'t>(a: &Side<'t>, b: &Side<'t>, region: &Directive<'t>) -> Option<Directive<'t>> {
    let of = |side: &Side<'t>| {
        side.directives()
            .take_while(|d| {
                !["task", "critical", "single", "master", "masked", "atomic"].iter().any(|name| d.has(name))
            })
            .find(|d| is_loop(d) || d.has("sections") || d.node == region.node)
            .filter(|d| is_loop(d) || d.has("sections"))
    };
    let (of_a, of_b) = (of(a)?, of(b)?);
    (of_a.node == of_b.node).then_some(of_a)
}

/// Of two iterations or sections of one construct.
pub(super) fn iterations(
    advice: &Advice<'_>,
    a: &Side<'_>,
    b: &Side<'_>,
    shared: &Directive<'_>,
) -> Vec<Fix> {
    let mut fixes: Vec<Fix> = reduction(advice, a, b, shared).into_iter().collect();
    if fixes.is_empty() {
        fixes.extend(temporary(advice, a, shared));
    }
    if fixes.is_empty() && !(a.is_update() && b.is_update()) {
        if shared.has("sections") {
            fixes.extend(one_section(advice, a, b, shared));
        } else {
            fixes.extend(ordered(advice, a, b, shared));
        }
    }
    fixes
}

/// All that the construct does with the variable is to update it by one operator.
pub(super) fn reduction(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>, d: &Directive<'_>) -> Option<Fix> {
    if !a.access.locks.is_empty() || !b.access.locks.is_empty() {
        return None;
    }
    let operator = a.role.reduction().filter(|_| a.role.reduction() == b.role.reduction())?;
    let name = clause_name(advice.race, a.editor, d)?;
    let takes = ["for", "parallel", "sections", "taskloop", "simd", "loop", "teams", "distribute"];
    if !takes.iter().any(|takes| d.has(takes))
        || d.has("target")
        || d.clauses("nowait").len() + d.clauses("nogroup").len() > 0
    {
        return None;
    }
    // `distribute` alone does not reduce.
    if d.has("distribute") && !d.has("parallel") && !d.has("teams") || d.mentions(name) {
        return None;
    }
    let tree = a.editor.tree;
    // A pointer that is counted up does not add.
    let is_pointer = |words: &[Token]| words[0].is_word() && words[1].is("*") && words[2].is(name);
    if tree.tokens.windows(3).any(is_pointer) {
        return None;
    }
    let first = tree.nodes[d.node].first;
    let updates =
        tree.text_of(d.node).iter().enumerate().filter(|(_, token)| token.is(name)).all(|(at, token)| {
            let place = Place { file: String::new(), line: token.line, column: token.column };
            debug_assert!(tree.tokens[first + at].is(name));
            tree.at(&place).is_some_and(|node| {
                let role = role(&tree.own_text(node), AccessKind::Write, 0, name);
                matches!(&role, Role::Update { target, .. } if target == name)
                    && role.reduction() == Some(operator)
            })
        });
    let clause = format!("reduction({operator}: {name})");
    let text =
        format!("add `{clause}` to the `{}` at {}", d.name(), advice.lines.line(a.editor.file, d.line));
    updates.then(|| Fix::new(Template::Reduction, text, vec![a.editor.clause(d, &clause)]))
}

/// Whether only blocks stand between a node and the directive: every thread gets there, once.
fn is_unconditional(side: &Side<'_>, node: NodeId, d: &Directive<'_>) -> bool {
    let tree = side.editor.tree;
    tree.upwards(node).skip(1).take_while(|&up| up != d.node).all(|up| tree.nodes[up].kind == Kind::Block)
}

/// One value for all, written by each: one thread is enough, and the others wait for it.
fn single(
    advice: &Advice<'_>,
    a: &Side<'_>,
    b: &Side<'_>,
    node: NodeId,
    region: &Directive<'_>,
) -> Option<Fix> {
    let same = a.node == b.node && node == a.node && a.access.access == b.access.access;
    let literal = matches!(a.role, Role::Write { literal: true, .. });
    if !same || !literal || !is_unconditional(a, node, region) || region.has("teams") || !a.can_be_block() {
        return None;
    }
    let text = format!(
        "let one thread do it: `#pragma omp single` before {}, whose end is a barrier",
        a.line(&advice.lines)
    );
    Some(Fix::new(Template::Single, text, a.editor.onto(a.node, "#pragma omp single")))
}

fn at_token(tree: &Tree, token: &Token) -> Option<NodeId> {
    tree.at(&Place { file: String::new(), line: token.line, column: token.column })
}

/// Whether a statement is a sequential loop.
fn is_loop_of(tree: &Tree, node: NodeId) -> bool {
    tree.nodes[node].kind == Kind::Statement
        && ["for", "while", "do"].iter().any(|word| tree.first_token(node).is(word))
}

/// The statement with the first use of a variable in a text, if that writes it, and whether it writes
/// a literal: an assignment, or a loop that begins with one.
fn written_first(tree: &Tree, text: &[Token], name: &str) -> Option<(NodeId, bool)> {
    let node = at_token(tree, text.iter().find(|token| token.is(name))?)?;
    let own = tree.own_text(node);
    let counts = own.len() > 3 && own[0].is("for") && own[2].is(name) && own[3].is("=");
    if counts && own.get(4).is_some_and(|word| !word.is(name)) {
        return Some((node, false));
    }
    match role(&own, AccessKind::Write, 0, name) {
        Role::Write { target, literal } if target == name => Some((node, literal)),
        _ => None,
    }
}

/// A variable that each iteration, or thread, writes before it reads it.
pub(super) fn temporary(advice: &Advice<'_>, a: &Side<'_>, d: &Directive<'_>) -> Option<Fix> {
    let tree = a.editor.tree;
    let name = clause_name(advice.race, a.editor, d).filter(|name| !d.mentions(name))?;
    if d.has("target") || d.has("sections") {
        return None;
    }
    let text = tree.text_of(d.node);
    let inner = |token: &&Token| token.is(name);
    let (node, literal) = written_first(tree, text, name)?;
    // Whoever comes to another use has come by the first: it is in the same block, or further in.
    let parent = tree.nodes[node].parent?;
    let scope = if tree.nodes[parent].kind == Kind::Block { parent } else { node };
    let jumps = |token: &Token| ["case", "goto"].iter().any(|word| token.is(word));
    let follows = |token: &Token| at_token(tree, token).is_some_and(|other| tree.is_inside(other, scope));
    if tree.text_of(scope).iter().any(jumps) || !text.iter().filter(inner).all(follows) {
        return None;
    }
    // Directly in the body of the loop, so that every iteration writes it.
    let conditional = |&up: &NodeId| {
        tree.nodes[up].kind == Kind::Statement
            && !tree.nodes[up]
                .parent
                .is_some_and(|parent| tree.nodes[parent].kind == Kind::Directive && is_loop(d))
    };
    let is_conditional = tree
        .upwards(node)
        .take_while(|&up| up != d.node)
        .any(|up| (up != node || is_loop_of(tree, up)) && conditional(&up));
    // A value for all is no temporary.
    if !is_loop(d) && literal {
        return None;
    }
    let last = tree.nodes[d.node].last;
    let definition = tree.definition(d.node)?;
    let is_local = tree.text_of(definition).windows(2).any(|pair| {
        (pair[0].is_word() || pair[0].is(","))
            && pair[1].is(name)
            && !["return", "else", "static"].contains(&pair[0].text.as_str())
    }) && !matches!(advice.race.object, Some(raceproof_core::finding::Object::Global { .. }));
    let end = if is_local { tree.nodes[definition].last + 1 } else { tree.tokens.len() };
    let rest = (last + 1).min(end)..end;
    // In a loop around it, what comes before comes after as well.
    let in_round = |up: NodeId| {
        let is_first = |(first, _): (NodeId, bool)| tree.nodes[first].last < tree.nodes[d.node].first;
        let is_used = tree.text_of(up).iter().filter(inner).count() > text.iter().filter(inner).count();
        is_loop_of(tree, up) && is_used && !written_first(tree, tree.text_of(up), name).is_some_and(is_first)
    };
    let used_after =
        tree.tokens[rest].iter().any(|token| token.is(name)) || tree.upwards(d.node).skip(1).any(in_round);
    if is_conditional && (!is_local || used_after) {
        return None;
    }
    let is_private = is_local && !used_after;
    let (template, clause) = match is_private {
        true => (Template::Private, format!("private({name})")),
        false if is_loop(d) && !d.has("loop") => (Template::Lastprivate, format!("lastprivate({name})")),
        false => return None,
    };
    let text =
        format!("add `{clause}` to the `{}` at {}", d.name(), advice.lines.line(a.editor.file, d.line));
    let fix = Fix::new(template, text, vec![a.editor.clause(d, &clause)]);
    // `lastprivate` keeps what a sequential loop leaves behind.
    Some(if is_private && !is_loop(d) { fix.only_if(ITS_OWN) } else { fix })
}

/// Iterations that need each other's results, one after the other.
fn ordered(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>, d: &Directive<'_>) -> Option<Fix> {
    let tree = a.editor.tree;
    let excluded = ["simd", "distribute", "loop", "taskloop", "teams"].iter().any(|name| d.has(name));
    if excluded
        || d.mentions("ordered")
        || d.mentions("nonmonotonic")
        || d.mentions("collapse")
        || a.editor.file != b.editor.file
    {
        return None;
    }
    let the_loop = *tree.nodes[d.node].children.first()?;
    let body = *tree.nodes[the_loop].children.first()?;
    // Nothing in it may be unable to stand in an ordered region.
    if tree.text_of(body).iter().any(|token| {
        token.directive.is_some() || ["break", "continue", "return"].contains(&token.text.as_str())
    }) {
        return None;
    }
    let blocks = |node: NodeId| {
        tree.upwards(node)
            .skip(1)
            .take_while(|&up| up != the_loop)
            .all(|up| tree.nodes[up].kind == Kind::Block)
    };
    let (target, words) = if a.node == b.node && a.can_be_block() && blocks(a.node) && a.node != body {
        (a.node, format!("the statement at {}", a.line(&advice.lines)))
    } else {
        (body, "the body of the loop".to_owned())
    };
    let mut edits = a.editor.onto(target, "#pragma omp ordered");
    edits.push(a.editor.clause(d, "ordered"));
    let text = format!(
        "run {words} in the order of the iterations: `ordered` for the `{}` at {}, and `#pragma omp ordered` there",
        d.name(),
        advice.lines.line(a.editor.file, d.line)
    );
    Some(Fix::new(Template::Ordered, text, edits))
}

/// Sections that need each other's results.
fn one_section(advice: &Advice<'_>, a: &Side<'_>, b: &Side<'_>, d: &Directive<'_>) -> Option<Fix> {
    let tree = a.editor.tree;
    let block = *tree.nodes[d.node].children.first()?;
    let index = |side: &Side<'_>| {
        tree.nodes[block].children.iter().position(|&child| tree.is_inside(side.node, child))
    };
    let (from, to) = (index(a)?, index(b)?);
    let (from, to) = (from.min(to), from.max(to));
    let between = &tree.nodes[block].children[from + 1..=to];
    let directives: Vec<Directive<'_>> =
        between.iter().filter_map(|&child| tree.directive(child)).filter(|d| d.has("section")).collect();
    let edits: Option<Vec<_>> = directives.iter().map(|d| a.editor.without(d)).collect();
    let places: Vec<String> = directives.iter().map(|d| advice.lines.line(a.editor.file, d.line)).collect();
    // The statements that are joined have to be blocks or statements of one block.
    let first = tree.nodes[block].children[from];
    let (open, last) = match tree.directive(first) {
        Some(d) => (*tree.nodes[d.node].children.first()?, tree.nodes[block].children[to]),
        None => (first, tree.nodes[block].children[to]),
    };
    let mut edits = edits.filter(|edits| !edits.is_empty())?;
    edits.extend(a.editor.around_all(open, last, "{", "}"));
    let text = format!(
        "put both into one section: leave out the `#pragma omp section` at {}, with a block around both",
        places.join(" and ")
    );
    Some(Fix::new(Template::OneSection, text, edits))
}

/// A barrier between two statements that every thread executes.
fn barrier(advice: &Advice<'_>, a: &Side<'_>, (x, y): (NodeId, NodeId), region: &Directive<'_>) -> Vec<Fix> {
    let tree = a.editor.tree;
    if region.has("teams") || is_loop(region) || region.has("sections") {
        return Vec::new();
    }
    let Some((list, one, two)) = tree.parting(x, y) else { return Vec::new() };
    if tree.nodes[list].kind != Kind::Block {
        return Vec::new();
    }
    let (earlier, later) =
        if tree.nodes[one].first < tree.nodes[two].first { (one, two) } else { (two, one) };
    // Only blocks around the list, up to the region; a loop that every thread runs, at most.
    let around: Vec<NodeId> = tree.upwards(list).take_while(|&up| up != region.node).collect();
    let is_sequential_loop = |up: NodeId| {
        let text = tree.own_text(up);
        tree.nodes[up].kind == Kind::Statement
            && ["for", "while"].iter().any(|word| text.first().is_some_and(|first| first.is(word)))
            && !tree.nodes[up]
                .parent
                .is_some_and(|parent| tree.nodes[parent].kind == Kind::Directive && parent != region.node)
            && !text.iter().any(|word| word.text.contains("thread_num"))
    };
    let loops = around.iter().filter(|&&up| is_sequential_loop(up)).count();
    if around.iter().any(|&up| tree.nodes[up].kind != Kind::Block && !is_sequential_loop(up)) || loops > 1 {
        return Vec::new();
    }
    if let Some(d) = tree.directive(earlier)
        && let Some((word, _)) = d.clauses("nowait").first()
        && loops == 0
    {
        let text = format!("leave out the `nowait` at {}", advice.lines.line(a.editor.file, d.line));
        return vec![Fix::new(Template::Nowait, text, vec![a.editor.word(word, "")])];
    }
    let directive = "#pragma omp barrier";
    let at = advice.lines.line(a.editor.file, tree.first_token(later).line);
    let mut edits = a.editor.before(later, directive);
    if loops == 0 {
        let text = format!("put a `{directive}` before {at}");
        return vec![Fix::new(Template::Barrier, text, edits)];
    }
    edits.extend(a.editor.at_end(list, directive));
    let text = format!("put a `{directive}` before {at} and another at the end of the loop around it");
    vec![Fix::new(Template::BarrierInLoop, text, edits).only_if(SAME_ROUNDS)]
}

/// What helps where no edit does.
pub(super) fn hints(advice: &Advice<'_>, a: Option<&Side<'_>>, b: Option<&Side<'_>>) -> Vec<Fix> {
    let race = advice.race;
    let mut hints = Vec::new();
    if (a.is_none() || b.is_none()) && race.first.at.line == race.second.at.line {
        hints.push(Fix::hint(
            "if all that is done with it is to add to it or the like, give the construct a `reduction`, or put \
             `#pragma omp atomic` before each update",
        ));
    }
    // Of functions that the loop calls, nothing around them says so.
    let is_loop_region = |region: &Region| matches!(region.construct, Construct::For | Construct::Sections);
    let of_one_loop =
        race.first.region == race.second.region && race.first.region.as_ref().is_some_and(is_loop_region);
    let shared = match (a, b) {
        (Some(a), Some(b)) => {
            let loops =
                |side: &Side<'_>| side.directives().find(|d| is_loop(d) || d.has("sections")).map(|d| d.node);
            loops(a).is_some() && loops(a) == loops(b) || of_one_loop
        }
        _ => race.first.region.is_some() && race.first.region == race.second.region,
    };
    hints.push(if shared {
        Fix::hint("let every iteration use cells of its own, or run what they share in one thread")
    } else if race.first.at == race.second.at {
        Fix::hint(format!("let every thread have its own {}", crate::style::safe(variable(race))))
    } else {
        Fix::hint(
            "let a barrier that every thread of the team reaches stand between the two, outside of loops, sections, \
             `single` and other constructs that share the work",
        )
    });
    hints
}
