//! From characters to tokens.
//!
//! The lexer never gives up: what is no token becomes [`Tok::Invalid`] with a diagnostic, and the
//! parser stays silent about such tokens. A name or a number that is merely wrong keeps its kind,
//! so that the parser can go on behind it.

use super::ast::Span;
use super::diagnostic::Diagnostic;
use super::limits::MAX_ERRORS;

macro_rules! tokens {
    (reserved { $($word:ident $word_text:literal)* } symbols { $($symbol:ident $symbol_text:literal)* }) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Tok {
            $($word,)*
            $($symbol,)*
            Ident,
            /// The value is at most 2⁶³, which fits only behind a minus.
            Int(u64),
            /// Something that has been reported already.
            Invalid,
            End,
        }

        impl Tok {
            /// The token as it is written; empty for those that can be written in more than one
            /// way.
            pub(crate) fn text(self) -> &'static str {
                match self {
                    $(Tok::$word => $word_text,)*
                    $(Tok::$symbol => $symbol_text,)*
                    _ => "",
                }
            }

            pub(crate) fn is_reserved(self) -> bool {
                matches!(self, $(Tok::$word)|*)
            }
        }

        fn word(text: &str) -> Tok {
            match text {
                $($word_text => Tok::$word,)*
                _ => Tok::Ident,
            }
        }

        /// Longer symbols stand before their prefixes.
        const SYMBOLS: &[(Tok, &str)] = &[$((Tok::$symbol, $symbol_text)),*];
    };
}

tokens! {
    reserved {
        Var "var" Lock "lock" Sem "sem" Event "event" Proc "proc"
        Let "let" If "if" Else "else" While "while" For "for" In "in"
        Async "async" Await "await" Finish "finish" Forall "forall" Forasync "forasync"
        Isolated "isolated" With "with" Set "set" Get "get"
        P "P" V "V" Post "post" Wait "wait"
        Print "print" Assert "assert" Return "return" Skip "skip"
        True "true" False "false" Promise "promise" Future "future" New "new" Len "len"
    }
    symbols {
        OrOr "||" AndAnd "&&" EqEq "==" NotEq "!=" LessEq "<=" GreaterEq ">=" DotDot ".."
        Less "<" Greater ">" Assign "=" Plus "+" Minus "-" Star "*" Slash "/" Percent "%" Not "!"
        LParen "(" RParen ")" LBracket "[" RBracket "]" LBrace "{" RBrace "}"
        Comma "," Semi ";" Dot "."
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) span: Span,
}

/// The tokens of `source`, the last being [`Tok::End`]. The source has at most `MAX_SOURCE` bytes.
pub(crate) fn lex(source: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { source, at: 0, diagnostics };
    let mut tokens = Vec::new();
    if source.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let tok = lexer.next();
        if tok == Tok::End {
            // Where the text ends and not where the file does: blank lines are nothing to point at.
            let end = tokens.last().map_or(0, |last: &Token| last.span.end);
            tokens.push(Token { tok, span: Span { start: end, end } });
            return tokens;
        }
        tokens.push(Token { tok, span: lexer.since(start) });
    }
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() >= MAX_ERRORS {
            self.at = self.source.len();
        }
    }

    fn since(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                self.block_comment();
            } else {
                return;
            }
        }
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn next(&mut self) -> Tok {
        let Some(first) = self.rest().chars().next() else {
            return Tok::End;
        };
        if first.is_ascii_digit() {
            return self.number();
        }
        if is_word(first) {
            return self.name();
        }
        if matches!(first, '"' | '\'' | '“') {
            return self.string(first);
        }
        for &(tok, text) in SYMBOLS {
            if self.rest().starts_with(text) {
                self.at += text.len();
                return tok;
            }
        }
        self.unknown(first)
    }

    fn name(&mut self) -> Tok {
        let start = self.at;
        let text = self.take_while(is_word);
        if !text.is_ascii() {
            self.report(
                Diagnostic::new(self.since(start), "a name with characters outside ASCII", "not a name")
                    .help("names are made of the letters a-z and A-Z, digits and `_`"),
            );
        }
        word(text)
    }

    fn number(&mut self) -> Tok {
        let start = self.at;
        let text = self.take_while(is_word);
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            self.report(
                Diagnostic::new(self.since(start), format!("`{text}` is no number"), "expected digits only")
                    .help("numbers are decimal digits; a name cannot start with a digit"),
            );
            return Tok::Int(0);
        }
        let mut behind = self.rest().chars();
        if behind.next() == Some('.') && behind.next().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            self.take_while(is_word);
            self.report(
                Diagnostic::new(self.since(start), "TP has no fractional numbers", "expected an integer")
                    .help("scale the values so that integers serve"),
            );
            return Tok::Int(0);
        }
        match text.parse::<u64>() {
            Ok(value) if value <= 1 << 63 => Tok::Int(value),
            _ => {
                self.report(too_large(self.since(start)));
                Tok::Int(0)
            }
        }
    }

    /// Skips what someone used to C wrote as a comment; were it taken for code, errors would
    /// cascade.
    fn block_comment(&mut self) {
        let start = self.at;
        self.at += 2;
        let opening = self.since(start);
        self.at += self.rest().find("*/").map_or(self.rest().len(), |end| end + 2);
        self.report(
            Diagnostic::new(opening, "TP has no `/* … */` comments", "expected `//`")
                .help("start every line of the comment with `//`"),
        );
    }

    fn string(&mut self, open: char) -> Tok {
        let start = self.at;
        let close = if open == '“' { '”' } else { open };
        self.at += open.len_utf8();
        self.take_while(|c| c != close && c != '\n');
        if self.rest().starts_with(close) {
            self.at += close.len_utf8();
        }
        self.report(
            Diagnostic::new(self.since(start), "TP has no strings", "expected a number or a name")
                .help("`print` takes numbers: print(x, y);"),
        );
        Tok::Int(0)
    }

    fn unknown(&mut self, first: char) -> Tok {
        let start = self.at;
        self.take_while(|c| c == first);
        let shown = match u32::from(first) {
            code if first.is_control() => format!("control character U+{code:04X}"),
            code if !first.is_ascii() => format!("character `{first}` (U+{code:04X})"),
            _ => format!("character `{first}`"),
        };
        let diagnostic =
            Diagnostic::new(self.since(start), format!("unexpected {shown}"), "not part of the language");
        let help = match first {
            '&' => Some("for \"and\" write `&&`"),
            '|' => Some("for \"or\" write `||`"),
            '#' => Some("comments start with `//`"),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => Some("for minus write `-`"),
            _ => None,
        };
        self.report(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
        Tok::Invalid
    }
}

/// The error for a literal outside of 64 bits.
pub(crate) fn too_large(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this number does not fit in 64 bits", "too large")
        .help("integers go from -9223372036854775808 to 9223372036854775807")
}
