//! Advice as a change of the source: what a test, or an editor, can apply.

use crate::statements::{Directive, NodeId, Tree};
use std::collections::BTreeMap;

/// Characters of one line that are replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edit {
    pub file: String,
    /// From 1, as the column.
    pub line: u32,
    pub column: u32,
    /// How many characters go.
    pub removed: u32,
    pub inserted: String,
}

/// The text after the edits of this file; none if one of them is outside of it.
pub fn apply(text: &str, file: &str, edits: &[Edit]) -> Option<String> {
    let mut lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
    // From the end, so that places stay valid. Of two at one place the later one ends up behind.
    let mut sorted: BTreeMap<(u32, u32), Vec<&Edit>> = BTreeMap::new();
    for edit in edits.iter().filter(|edit| edit.file == file) {
        sorted.entry((edit.line, edit.column)).or_default().push(edit);
    }
    for ((line, column), edits) in sorted.into_iter().rev() {
        let line = lines.get_mut((line as usize).checked_sub(1)?)?;
        let from = (column as usize).checked_sub(1)?;
        let removed: u32 = edits.iter().map(|edit| edit.removed).max().unwrap_or(0);
        let inserted: String = edits.iter().map(|edit| edit.inserted.as_str()).collect();
        if from + removed as usize > line.len() {
            return None;
        }
        line.splice(from..from + removed as usize, inserted.chars());
    }
    let lines: Vec<String> = lines.into_iter().map(|line| line.into_iter().collect()).collect();
    Some(lines.join("\n") + "\n")
}

/// A file whose source is known, to be edited.
#[derive(Clone, Copy)]
pub(super) struct Editor<'t> {
    pub(super) file: &'t str,
    pub(super) tree: &'t Tree,
}

impl Editor<'_> {
    fn insert(&self, (line, column): (u32, u32), inserted: String) -> Edit {
        Edit { file: self.file.to_owned(), line, column, removed: 0, inserted }
    }

    /// A line before a statement. One that is not in a list, as the body of an `if` without braces,
    /// gets a block around it.
    pub(super) fn before(&self, node: NodeId, line: &str) -> Vec<Edit> {
        let first = self.tree.first_token(node);
        if self.tree.is_listed(node) {
            return vec![self.own_line((first.line, first.column), line)];
        }
        let last = self.tree.last_token(node);
        vec![
            self.insert((first.line, first.column), format!("{{\n{line}\n")),
            self.insert((last.line, last.end()), " }".to_owned()),
        ]
    }

    /// A directive that takes the statement as its block.
    pub(super) fn onto(&self, node: NodeId, line: &str) -> Vec<Edit> {
        let first = self.tree.first_token(node);
        vec![self.own_line((first.line, first.column), line)]
    }

    /// A statement inside of a block of its own: `open … close`.
    pub(super) fn around(&self, node: NodeId, open: &str, close: &str) -> Vec<Edit> {
        self.around_all(node, node, open, close)
    }

    /// From one statement of a list to another.
    pub(super) fn around_all(&self, from: NodeId, to: NodeId, open: &str, close: &str) -> Vec<Edit> {
        let (first, last) = (self.tree.first_token(from), self.tree.last_token(to));
        vec![
            self.insert((first.line, first.column), format!("{open} ")),
            self.insert((last.line, last.end()), format!(" {close}")),
        ]
    }

    /// A line after a statement of a list.
    pub(super) fn after(&self, node: NodeId, line: &str) -> Vec<Edit> {
        let last = self.tree.last_token(node);
        vec![self.insert((last.line, last.end()), format!("\n{line}\n"))]
    }

    /// A line before the closing brace of a block.
    pub(super) fn at_end(&self, block: NodeId, line: &str) -> Vec<Edit> {
        let last = self.tree.last_token(block);
        vec![self.insert((last.line, last.column), format!("\n{line}\n"))]
    }

    /// A line before what is at a place; indented like it, if it begins its line.
    fn own_line(&self, (line, column): (u32, u32), text: &str) -> Edit {
        let is_first = !self.tree.tokens.iter().any(|token| token.line == line && token.column < column);
        let indent = " ".repeat(column as usize - 1);
        let inserted = if is_first { format!("{text}\n{indent}") } else { format!("\n{text}\n") };
        self.insert((line, column), inserted)
    }

    pub(super) fn clause(&self, directive: &Directive<'_>, clause: &str) -> Edit {
        self.insert(directive.end(), format!(" {clause}"))
    }

    /// A word of a directive, replaced.
    pub(super) fn word(&self, word: &crate::statements::Token, by: &str) -> Edit {
        Edit {
            file: self.file.to_owned(),
            line: word.line,
            column: word.column,
            removed: word.end() - word.column,
            inserted: by.to_owned(),
        }
    }

    /// All of a directive, gone.
    pub(super) fn without(&self, directive: &Directive<'_>) -> Option<Edit> {
        let (line, end) = directive.end();
        (line == directive.line).then(|| Edit {
            file: self.file.to_owned(),
            line,
            column: directive.column,
            removed: end - directive.column,
            inserted: String::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_of_one_line_do_not_move_each_other() {
        let edit = |column, removed, inserted: &str| Edit {
            file: "f".into(),
            line: 1,
            column,
            removed,
            inserted: inserted.into(),
        };
        let edits = [edit(1, 1, "y"), edit(3, 0, "{ "), edit(6, 0, " }")];
        assert_eq!(apply("x a = b\n", "f", &edits).as_deref(), Some("y { a = } b\n"));
        assert_eq!(apply("x\n", "f", &[edit(9, 0, "")]), None);
        assert_eq!(apply("x\n", "g", &edits).as_deref(), Some("x\n"));
    }
}
