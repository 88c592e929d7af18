//! The statements of a source, as far as advice needs them: which statement an access is in, what
//! stands around it, and where a directive can be put.
//!
//! This is no compiler. It knows blocks, statements and directives, of C, C++ and TP. Where a
//! source is none of these, or macros hide its blocks, nothing fits and the advice has no edit.

mod lexer;
mod statement;

pub(crate) use lexer::Token;
pub(crate) use statement::{Role, base, is_declaration, role};

use raceproof_core::finding::Place;

/// How deep blocks may be nested; what is deeper is one statement.
const DEEPEST: u32 = 100;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `{ … }`
    Block,
    /// A statement or definition, with the statements in it as children.
    Statement,
    /// A directive with the statement it applies to, if it has one.
    Directive,
}

pub(crate) type NodeId = usize;

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) parent: Option<NodeId>,
    /// Its tokens: from the first to the last, both included.
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) children: Vec<NodeId>,
}

/// A source file. The root, node 0, is a block of all of it.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) tokens: Vec<Token>,
    pub(crate) nodes: Vec<Node>,
}

impl Tree {
    pub(crate) fn new(lines: &[String]) -> Tree {
        let tokens = lexer::tokens(lines);
        let root = Node { kind: Kind::Block, parent: None, first: 0, last: tokens.len(), children: vec![] };
        let mut tree = Tree { tokens, nodes: vec![root] };
        let mut at = 0;
        while at < tree.tokens.len() {
            at = tree.statement(at, 0, 0);
        }
        tree
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn add(&mut self, kind: Kind, parent: NodeId, first: usize) -> NodeId {
        let node = Node { kind, parent: Some(parent), first, last: first, children: Vec::new() };
        self.nodes.push(node);
        let id = self.nodes.len() - 1;
        self.nodes[parent].children.push(id);
        id
    }

    /// Reads the statement that begins at a token; the token after it.
    fn statement(&mut self, at: usize, parent: NodeId, depth: u32) -> usize {
        let token = &self.tokens[at];
        let kind = match token.directive {
            Some(_) => Kind::Directive,
            None if token.is("{") => Kind::Block,
            None => Kind::Statement,
        };
        let keyword = token.text.clone();
        let node = self.add(kind, parent, at);
        let after = match kind {
            Kind::Directive if self.directive(node).is_some_and(|d| d.is_alone()) => at + 1,
            Kind::Directive => self.body(at + 1, node, depth),
            Kind::Block => self.block(at, node, depth),
            Kind::Statement => match keyword.as_str() {
                "if" | "while" | "for" | "switch" if self.controlled(at).is_some() => {
                    let after = self.body(self.controlled(at).unwrap_or(at + 1), node, depth);
                    if keyword == "if" && self.is(after, "else") {
                        self.body(after + 1, node, depth)
                    } else {
                        after
                    }
                }
                "else" => self.body(at + 1, node, depth),
                "do" => {
                    let after = self.body(at + 1, node, depth);
                    self.simple(after, node, depth)
                }
                "case" | "default" => {
                    (at..self.tokens.len()).find(|&i| self.is(i, ":")).map_or(at + 1, |colon| colon + 1)
                }
                _ => self.simple(at, node, depth),
            },
        };
        let after = after.max(at + 1);
        self.nodes[node].last = after - 1;
        after
    }

    /// The token after the condition of a control statement.
    fn controlled(&self, at: usize) -> Option<usize> {
        let open = if self.is(at + 1, "constexpr") { at + 2 } else { at + 1 };
        self.is(open, "(").then(|| self.closed(open))
    }

    /// The token after the parenthesis that closes the one at `open`.
    fn closed(&self, open: usize) -> usize {
        let mut depth = 0u32;
        for at in open..self.tokens.len() {
            if self.is(at, "(") {
                depth += 1;
            } else if self.is(at, ")") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
        }
        self.tokens.len()
    }

    fn body(&mut self, at: usize, parent: NodeId, depth: u32) -> usize {
        if at >= self.tokens.len() || self.is(at, "}") || depth >= DEEPEST {
            return at;
        }
        self.statement(at, parent, depth + 1)
    }

    fn block(&mut self, open: usize, node: NodeId, depth: u32) -> usize {
        let mut at = open + 1;
        while at < self.tokens.len() && !self.is(at, "}") {
            at = if depth < DEEPEST { self.statement(at, node, depth + 1) } else { at + 1 };
        }
        at + 1
    }

    /// A statement up to its semicolon, or to the end of its block.
    fn simple(&mut self, begin: usize, node: NodeId, depth: u32) -> usize {
        let (mut at, mut nested) = (begin, 0u32);
        while at < self.tokens.len() {
            let token = &self.tokens[at];
            if token.directive.is_some() && nested == 0 && at > begin {
                return at;
            }
            match token.text.as_str() {
                "(" | "[" => nested += 1,
                ")" | "]" => nested = nested.saturating_sub(1),
                ";" if nested == 0 => return at + 1,
                "}" => return at,
                "{" => {
                    const INSIDE: [&str; 6] = ["=", ",", "return", "]", "future", "("];
                    let before = at.checked_sub(1).map_or("", |before| self.tokens[before].text.as_str());
                    let inside = nested > 0 || (at > begin && INSIDE.contains(&before));
                    let block = self.add(Kind::Block, node, at);
                    let after = self.block(at, block, depth + 1);
                    self.nodes[block].last = after - 1;
                    if !inside {
                        return if self.is(after, ";") { after + 1 } else { after };
                    }
                    at = after;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// The innermost statement or directive at a place.
    pub(crate) fn at(&self, place: &Place) -> Option<NodeId> {
        let on_line = |token: &Token| {
            token.line == place.line
                || token.directive.as_ref().is_some_and(|words| words.iter().any(|w| w.line == place.line))
        };
        let mut found = None;
        for (at, token) in self.tokens.iter().enumerate() {
            if on_line(token) && (found.is_none() || token.column <= place.column) {
                found = Some(at);
            } else if token.line > place.line {
                break;
            }
        }
        let token = found?;
        let mut node = 0;
        loop {
            let holds = |&&child: &&NodeId| {
                let child = &self.nodes[child];
                child.first <= token && token <= child.last
            };
            match self.nodes[node].children.iter().find(holds) {
                Some(&child) => node = child,
                None => break,
            }
        }
        // A brace belongs to the statement around it.
        while node != 0 && self.nodes[node].kind == Kind::Block {
            node = self.nodes[node].parent?;
        }
        (node != 0).then_some(node)
    }

    /// The node and those around it, inside out, without the root.
    pub(crate) fn upwards(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |&node| self.nodes[node].parent).filter(|&node| node != 0)
    }

    pub(crate) fn directive(&self, node: NodeId) -> Option<Directive<'_>> {
        let token = &self.tokens[self.nodes[node].first];
        token.directive.as_ref().map(|words| Directive {
            node,
            words,
            line: token.line,
            column: token.column,
        })
    }

    /// The directive that stands at a line.
    pub(crate) fn directive_at(&self, line: u32) -> Option<Directive<'_>> {
        let is_there = |token: &Token| token.directive.is_some() && token.line == line;
        let token = self.tokens.iter().position(is_there)?;
        let node = self.nodes.iter().position(|node| node.kind == Kind::Directive && node.first == token)?;
        self.directive(node)
    }

    /// The directives around a node, inside out; its own if it is one.
    pub(crate) fn directives(&self, node: NodeId) -> impl Iterator<Item = Directive<'_>> {
        self.upwards(node).filter_map(|node| match self.nodes[node].kind {
            Kind::Directive => self.directive(node),
            _ => None,
        })
    }

    /// The outermost definition around a node: a function, or a class.
    pub(crate) fn definition(&self, node: NodeId) -> Option<NodeId> {
        self.upwards(node).last()
    }

    pub(crate) fn first_token(&self, node: NodeId) -> &Token {
        &self.tokens[self.nodes[node].first]
    }

    pub(crate) fn last_token(&self, node: NodeId) -> &Token {
        let last = self.nodes[node].last.min(self.tokens.len() - 1);
        let token = &self.tokens[last];
        token.directive.as_ref().and_then(|words| words.last()).unwrap_or(token)
    }

    pub(crate) fn text_of(&self, node: NodeId) -> &[Token] {
        let node = &self.nodes[node];
        &self.tokens[node.first..=node.last.min(self.tokens.len() - 1)]
    }

    /// The tokens of a statement that are in none of its children.
    pub(crate) fn own_text(&self, node: NodeId) -> Vec<&Token> {
        let inside = |at: usize| {
            let children = &self.nodes[node].children;
            children.iter().any(|&child| self.nodes[child].first <= at && at <= self.nodes[child].last)
        };
        let Node { first, last, .. } = self.nodes[node];
        (first..=last.min(self.tokens.len() - 1))
            .filter(|&at| !inside(at))
            .map(|at| &self.tokens[at])
            .collect()
    }

    pub(crate) fn is_inside(&self, node: NodeId, around: NodeId) -> bool {
        self.upwards(node).any(|node| node == around)
    }

    /// The block that two nodes have in common, and the child of it that each is in.
    pub(crate) fn parting(&self, a: NodeId, b: NodeId) -> Option<(NodeId, NodeId, NodeId)> {
        let up: Vec<NodeId> = self.upwards(a).collect();
        let mut below = b;
        for node in self.upwards(b) {
            if let Some(at) = up.iter().position(|&other| other == node) {
                return (at > 0 && node != b).then(|| (node, up[at - 1], below));
            }
            below = node;
        }
        None
    }

    /// The test that a statement follows from: the `if` around it that reads the same variable.
    pub(crate) fn test_of(&self, node: NodeId, name: &str) -> Option<NodeId> {
        let mut around = self.upwards(node).skip(1);
        let statement = around.find(|&up| self.nodes[up].kind != Kind::Block)?;
        let text = self.own_text(statement);
        let tests =
            text.first().is_some_and(|first| first.is("if")) && text.iter().any(|token| token.is(name));
        tests.then_some(statement)
    }

    /// Whether a statement stands in a list of statements, so that another can stand before it.
    pub(crate) fn is_listed(&self, node: NodeId) -> bool {
        self.nodes[node].parent.is_some_and(|parent| self.nodes[parent].kind == Kind::Block)
    }
}

/// A directive of OpenMP.
#[derive(Clone, Copy)]
pub(crate) struct Directive<'t> {
    pub(crate) node: NodeId,
    pub(crate) words: &'t [Token],
    pub(crate) line: u32,
    pub(crate) column: u32,
}

const NAMES: [&str; 27] = [
    "parallel",
    "for",
    "simd",
    "sections",
    "section",
    "single",
    "master",
    "masked",
    "critical",
    "atomic",
    "ordered",
    "task",
    "taskloop",
    "taskgroup",
    "taskwait",
    "taskyield",
    "barrier",
    "flush",
    "target",
    "teams",
    "distribute",
    "loop",
    "scope",
    "cancel",
    "cancellation",
    "scan",
    "tile",
];

const ALONE: [&str; 16] = [
    "barrier",
    "taskwait",
    "taskyield",
    "flush",
    "cancel",
    "cancellation",
    "threadprivate",
    "declare",
    "depobj",
    "requires",
    "scan",
    "error",
    "allocate",
    "interop",
    "end",
    "begin",
];

impl<'t> Directive<'t> {
    /// The words before the clauses: `parallel`, `for`.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'t str> {
        let words = self.words.iter().map(|word| word.text.as_str());
        words.take_while(|word| NAMES.contains(word))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// As a program writes it: `omp parallel for`.
    pub(crate) fn name(&self) -> String {
        self.names().fold("omp".to_owned(), |name, word| name + " " + word)
    }

    fn is_alone(&self) -> bool {
        let Some(first) = self.words.first() else { return true };
        let second = self.words.get(1).map_or("", |word| word.text.as_str());
        ALONE.contains(&first.text.as_str())
            || first.is("target") && ["update", "enter", "exit"].contains(&second)
            || first.is("ordered") && ["depend", "doacross"].contains(&second)
    }

    /// The clauses of a name, each with the words between its parentheses.
    pub(crate) fn clauses(&self, name: &str) -> Vec<(&'t Token, &'t [Token])> {
        let mut found = Vec::new();
        let mut depth = 0u32;
        for (at, word) in self.words.iter().enumerate() {
            if word.is("(") {
                depth += 1;
            } else if word.is(")") {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && word.is(name) {
                let inside = &self.words[(at + 1).min(self.words.len())..];
                let arguments = match inside.first() {
                    Some(open) if open.is("(") => arguments(&inside[1..]),
                    _ => &[],
                };
                found.push((word, arguments));
            }
        }
        found
    }

    /// Whether a variable is named in any clause.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.words.iter().any(|word| word.is(name))
    }

    /// Where another clause can be added: the line and column after its last word.
    pub(crate) fn end(&self) -> (u32, u32) {
        self.words.last().map_or((self.line, self.column), |word| (word.line, word.end()))
    }
}

/// The words up to the parenthesis that closes them.
fn arguments(words: &[Token]) -> &[Token] {
    let mut depth = 0u32;
    for (at, word) in words.iter().enumerate() {
        if word.is("(") {
            depth += 1;
        } else if word.is(")") {
            if depth == 0 {
                return &words[..at];
            }
            depth -= 1;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        Tree::new(&text.lines().map(str::to_owned).collect::<Vec<_>>())
    }

    fn at(line: u32, column: u32) -> Place {
        Place { file: String::new(), line, column }
    }

    #[test]
    fn a_statement_knows_the_directives_around_it() {
        let tree = tree(
            "int main(void) {\n#pragma omp parallel\n  {\n#pragma omp for nowait\n    for (int i = 0; i < 9; i++)\n\
             \x20     a[i] = i;\n#pragma omp barrier\n    x = 1;\n  }\n}\n",
        );
        let names = |line, column| {
            let node = tree.at(&at(line, column)).unwrap();
            tree.directives(node).map(|d| d.name()).collect::<Vec<_>>()
        };
        assert_eq!(names(6, 12), ["omp for", "omp parallel"]);
        assert_eq!(names(8, 5), ["omp parallel"]);
        let (loop_body, last) = (tree.at(&at(6, 12)).unwrap(), tree.at(&at(8, 5)).unwrap());
        let (list, one, other) = tree.parting(loop_body, last).unwrap();
        assert_eq!(tree.nodes[list].kind, Kind::Block);
        assert!(tree.directive(one).unwrap().has("for") && other == last);
        assert_eq!(tree.directive_at(4).unwrap().clauses("nowait").len(), 1);
    }

    #[test]
    fn branches_without_braces_are_no_list() {
        let tree = tree("void f(void) {\n  if (x)\n    y = 1;\n  else\n    y = 2;\n  z = 3;\n}\n");
        assert!(!tree.is_listed(tree.at(&at(3, 5)).unwrap()));
        assert!(!tree.is_listed(tree.at(&at(5, 5)).unwrap()));
        assert!(tree.is_listed(tree.at(&at(6, 3)).unwrap()));
    }

    /// Whatever a file has in it, every place of it can be asked for.
    #[test]
    fn no_text_is_too_odd() {
        let odd = [
            "{".repeat(3000),
            "}".repeat(300),
            "if (".repeat(500),
            "#pragma omp\n#pragma omp parallel".to_owned(),
            "#pragma omp task depend(in: (x\n{ ; ) ] \"".to_owned(),
            "do if else for ( ; ; { case = { , } : default".to_owned(),
            "#pragma omp for \\".to_owned(),
            "/* never closed \n int x;".to_owned(),
            "x = { { y } ; future { = } }".to_owned(),
        ];
        for text in &odd {
            let tree = tree(text);
            for line in 0..4 {
                for column in 0..40 {
                    let Some(node) = tree.at(&at(line, column)) else { continue };
                    let _ = (
                        tree.text_of(node),
                        tree.own_text(node),
                        tree.last_token(node),
                        tree.definition(node),
                    );
                    for directive in tree.directives(node) {
                        let _ = (directive.name(), directive.end(), directive.clauses("depend"));
                    }
                }
            }
        }
    }
}
