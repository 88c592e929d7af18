//! The two accesses in the source: their statements, and the constructs around them.

use super::super::edit::Editor;
use super::super::{Advice, Lines};
use crate::sources::is_own;
use crate::statements::{Directive, Kind, NodeId, Role, Token, base, role};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Object, Place, Race, RaceAccess};

/// One access whose statement is known.
pub(super) struct Side<'a> {
    pub(super) access: &'a RaceAccess,
    pub(super) editor: Editor<'a>,
    /// The statement of the user's own code that makes the access, or the call that leads to it.
    pub(super) node: NodeId,
    pub(super) role: Role,
    /// The calls that led there, innermost first, `node` among them.
    places: Vec<(&'a str, NodeId)>,
}

impl<'a> Side<'a> {
    pub(super) fn of(advice: &Advice<'a>, access: &'a RaceAccess, in_library: bool) -> Option<Side<'a>> {
        let calls = access.stack.iter().map(|frame| &frame.call).filter(|call| call.line > 0);
        let mut places = Vec::new();
        let mut found = None;
        for place in std::iter::once(&access.at).chain(calls).filter(|place| is_own(place)) {
            let Some((file, tree)) = advice.sources.file(&place.file) else { continue };
            let Some(node) = tree.at(place) else { continue };
            places.push((file, node));
            found = found.or(Some((place, Editor { file, tree }, node)));
        }
        let (place, editor, node) = found?;
        let tree = editor.tree;
        let is_direct = *place == access.at && access.library.is_none() && !in_library;
        let role = match tree.nodes[node].kind {
            Kind::Statement if is_direct && tree.nodes[node].children.is_empty() => {
                role(&tree.own_text(node), access.access, access.at.column, variable(advice.race))
            }
            _ => Role::Other,
        };
        // A test and what follows from it are one use.
        let test =
            tree.test_of(node, base(variable(advice.race))).filter(|_| matches!(role, Role::Write { .. }));
        let (node, role) = test.map_or((node, role), |test| (test, Role::Other));
        Some(Side { access, editor, node, role, places })
    }

    /// The directives around the access in its own function, inside out.
    pub(super) fn directives(&self) -> impl Iterator<Item = Directive<'a>> + use<'a> {
        self.editor.tree.directives(self.node)
    }

    /// The node, of the access or of a call that led to it, that stands inside the directive at a
    /// place, and that directive.
    pub(super) fn inside(&self, advice: &Advice<'_>, place: &Place) -> Option<(NodeId, Directive<'a>)> {
        let (there, _) = advice.sources.file(&place.file)?;
        if self.editor.file != there {
            return None;
        }
        self.places.iter().filter(|(file, _)| *file == there).find_map(|&(_, node)| {
            let around = self.editor.tree.directives(node).find(|d| d.line == place.line)?;
            (around.node != node).then_some((node, around))
        })
    }

    /// Whether a directive can take the statement as its block.
    pub(super) fn can_be_block(&self) -> bool {
        let tree = self.editor.tree;
        let Some(parent) = tree.nodes[self.node].parent else { return false };
        if tree.nodes[self.node].kind != Kind::Statement {
            return false;
        }
        // The loop of a construct stays beside its directive.
        if tree.nodes[parent].kind == Kind::Directive
            && tree.directive(parent).is_some_and(|d| is_loop(&d) || d.has("atomic"))
        {
            return false;
        }
        let text = tree.text_of(self.node);
        let first = &text[0];
        let leaves = ["return", "break", "continue", "goto", "case", "default"];
        !text.iter().any(|token| token.directive.is_some() || leaves.contains(&token.text.as_str()))
            && !["for", "while", "do", "switch"].contains(&first.text.as_str())
            && !crate::statements::is_declaration(&text.iter().collect::<Vec<_>>())
    }

    /// The statement before which a directive can wait: outside of sections that exclude others,
    /// since what is waited for may want to enter them.
    pub(super) fn waiting_place(&self) -> NodeId {
        let excludes = |d: &Directive<'_>| ["critical", "atomic", "ordered"].iter().any(|name| d.has(name));
        let own = self
            .directives()
            .take_while(|d| !["task", "parallel", "taskloop"].iter().any(|name| d.has(name)));
        own.filter(excludes).last().map_or(self.node, |d| d.node)
    }

    pub(super) fn is_update(&self) -> bool {
        matches!(self.role, Role::Update { .. })
    }

    pub(super) fn is_write(&self) -> bool {
        matches!(self.role, Role::Write { .. })
    }

    /// The line of its statement, in words.
    pub(super) fn line(&self, lines: &Lines<'_>) -> String {
        lines.line(self.editor.file, self.editor.tree.first_token(self.node).line)
    }
}

/// Whether a directive takes a loop.
pub(super) fn is_loop(directive: &Directive<'_>) -> bool {
    ["for", "simd", "taskloop", "distribute", "loop"].iter().any(|name| directive.has(name))
}

/// The variable, without the function that a static one is named after: `calls` of `main.calls`.
pub(super) fn variable(race: &Race) -> &str {
    match &race.object {
        Some(Object::Global { name, .. }) if race.location.starts_with(name.as_str()) => {
            let inside = name.rsplit_once("::").map_or(name.as_str(), |(_, last)| last);
            let own = inside.rsplit_once('.').map_or(inside, |(_, last)| last);
            &race.location[name.len() - own.len()..]
        }
        _ => &race.location,
    }
}

/// The variable, if a clause of the directive can name it: all of it is raced for, and the construct
/// uses it by this name and does not declare it.
pub(super) fn clause_name<'r>(
    race: &'r Race,
    editor: Editor<'_>,
    directive: &Directive<'_>,
) -> Option<&'r str> {
    let name = variable(race);
    let is_identifier = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (is_identifier && is_outer(name, editor, directive.node)).then_some(name)
}

/// Whether the statements of a node use a variable that is declared outside of them.
pub(super) fn is_outer(name: &str, editor: Editor<'_>, node: NodeId) -> bool {
    let text = editor.tree.text_of(node);
    let mut used = false;
    for (at, token) in text.iter().enumerate().filter(|(_, token)| token.is(name)) {
        let before = at.checked_sub(1).map(|before| &text[before]);
        match before {
            Some(before) if before.is(".") || before.is("->") => return false,
            Some(before) if is_type(before, token) => return false,
            _ => used = true,
        }
    }
    used
}

/// Whether a word before a name declares it.
fn is_type(before: &Token, name: &Token) -> bool {
    const NOT: [&str; 6] = ["return", "else", "case", "sizeof", "delete", "throw"];
    before.is_word() && before.line == name.line && !NOT.contains(&before.text.as_str())
}

/// Whether the statement of one contains that of the other: a test, and what follows from it.
pub(super) fn are_nested(a: &Side<'_>, b: &Side<'_>) -> bool {
    let tree = a.editor.tree;
    a.editor.file == b.editor.file
        && a.node != b.node
        && (tree.is_inside(a.node, b.node) || tree.is_inside(b.node, a.node))
}

/// Whether one side writes without having read: a value that others are to see, or must not lose.
pub(super) fn needs_order(a: &Side<'_>, b: &Side<'_>) -> bool {
    // At a directive, a reduction adds what it has gathered.
    let combines = |side: &Side<'_>| side.editor.tree.nodes[side.node].kind == Kind::Directive;
    let reads =
        |side: &Side<'_>| side.access.access == AccessKind::Read && !side.is_update() && !combines(side);
    (a.is_write() && !reads(b)) || (b.is_write() && !reads(a))
}
