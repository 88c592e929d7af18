//! The words of a source in C, C++ or TP, with their places.
//!
//! Comments go, and so do lines of the preprocessor, but for `#pragma omp`, which is one token with
//! words of its own. Nothing is expanded: what a macro hides is not seen, and advice that would
//! need it is not given as an edit.

/// A word, a number, a literal, an operator, or a whole directive of OpenMP.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: u32,
    /// In characters, from 1.
    pub(crate) column: u32,
    /// The words after `#pragma omp`, if it is a directive.
    pub(crate) directive: Option<Vec<Token>>,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.directive.is_none() && self.text == text
    }

    pub(crate) fn is_word(&self) -> bool {
        self.directive.is_none() && self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }

    /// The column after its last character.
    pub(crate) fn end(&self) -> u32 {
        self.column + self.text.chars().count() as u32
    }
}

/// Operators of more than one character, the longest first.
const OPERATORS: [&str; 23] = [
    "<<=", ">>=", "...", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", "<=",
    ">=", "&&", "||", "<<", ">>", "..",
];

pub(crate) fn tokens(lines: &[String]) -> Vec<Token> {
    let mut lexer = Lexer { lines, tokens: Vec::new(), in_comment: false };
    let mut line = 0;
    while line < lines.len() {
        line = if lexer.in_comment { lexer.plain(line) } else { lexer.line(line) };
    }
    lexer.tokens
}

struct Lexer<'a> {
    lines: &'a [String],
    tokens: Vec<Token>,
    in_comment: bool,
}

impl Lexer<'_> {
    /// Reads a line, or all of a directive; the index of the next one.
    fn line(&mut self, index: usize) -> usize {
        let text = self.lines[index].trim_start();
        let Some(directive) = text.strip_prefix('#') else { return self.plain(index) };
        let mut last = index;
        while self.lines[last].trim_end().ends_with('\\') && last + 1 < self.lines.len() {
            last += 1;
        }
        let mut words = directive.split_whitespace();
        if words.next() == Some("pragma") && words.next() == Some("omp") {
            self.directive(index, last);
        }
        last + 1
    }

    fn directive(&mut self, index: usize, last: usize) {
        let before = self.tokens.len();
        for line in index..=last {
            self.plain(line);
        }
        self.in_comment = false;
        let mut words = self.tokens.split_off(before);
        words.retain(|word| word.text != "\\");
        // `#`, `pragma`, `omp`.
        let hash = words.remove(0);
        words.drain(..2.min(words.len()));
        self.tokens.push(Token { text: "#pragma omp".into(), directive: Some(words), ..hash });
    }

    fn plain(&mut self, index: usize) -> usize {
        let chars: Vec<char> = self.lines[index].chars().collect();
        let mut at = 0;
        while at < chars.len() {
            let rest = &chars[at..];
            if self.in_comment {
                self.in_comment = !rest.starts_with(&['*', '/']);
                at += if self.in_comment { 1 } else { 2 };
            } else if rest.starts_with(&['/', '/']) {
                break;
            } else if rest.starts_with(&['/', '*']) {
                self.in_comment = true;
                at += 2;
            } else if rest[0].is_whitespace() {
                at += 1;
            } else {
                let length = length(rest);
                let text: String = rest[..length].iter().collect();
                let (line, column) = (index as u32 + 1, at as u32 + 1);
                self.tokens.push(Token { text, line, column, directive: None });
                at += length;
            }
        }
        index + 1
    }
}

/// Of the token that these characters begin with.
fn length(chars: &[char]) -> usize {
    let first = chars[0];
    let run = |accept: fn(char) -> bool| chars.iter().take_while(|&&c| accept(c)).count();
    if first.is_alphabetic() || first == '_' {
        return run(|c| c.is_alphanumeric() || c == '_');
    }
    if first.is_ascii_digit() {
        // `0..3` of TP is a range.
        let digits = run(|c| c.is_ascii_digit());
        if chars[digits..].starts_with(&['.', '.']) {
            return digits;
        }
        return run(|c| c.is_alphanumeric() || c == '.' || c == '\'');
    }
    if first == '"' || first == '\'' {
        let mut escaped = false;
        for (at, &c) in chars.iter().enumerate().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == first => return at + 1,
                _ => {}
            }
        }
        return chars.len();
    }
    let starts =
        |operator: &&&str| operator.chars().zip(chars).filter(|(a, b)| a == *b).count() == operator.len();
    OPERATORS.iter().find(starts).map_or(1, |operator| operator.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        tokens(&lines).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_the_preprocessor_go() {
        assert_eq!(
            lex("#define X \\\n  1\nx += 1; // y\n/* z\n */ a->b"),
            ["x", "+=", "1", ";", "a", "->", "b"]
        );
        assert_eq!(
            lex("for i in 0..3 { s = \"a;\\\"b\"; }").join(" "),
            "for i in 0 .. 3 { s = \"a;\\\"b\" ; }"
        );
    }

    #[test]
    fn a_directive_is_one_token() {
        let lines = ["  #pragma omp parallel for \\".to_owned(), "   nowait // why".to_owned()];
        let all = tokens(&lines);
        assert_eq!((all.len(), all[0].column), (1, 3));
        let words = all[0].directive.as_ref().unwrap();
        assert_eq!(
            words.iter().map(|w| (w.text.as_str(), w.line)).collect::<Vec<_>>(),
            [("parallel", 1), ("for", 1), ("nowait", 2)]
        );
    }
}
