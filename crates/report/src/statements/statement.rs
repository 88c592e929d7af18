//! What a statement does with the memory that two tasks race for.

use super::Token;
use raceproof_core::event::AccessKind;

/// The part of one access in its statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// `x += e`, `x++`, `x = x + e`, as `atomic` takes it: the operator and `x`.
    Update { operator: String, target: String },
    /// `x = e`, where `e` does not have `x`; whether `e` is a literal.
    Write { target: String, literal: bool },
    /// `v = x`.
    Read,
    /// Anything else.
    Other,
}

impl Role {
    /// The operator of a reduction that does the same: none for `x /= e`.
    pub(crate) fn reduction(&self) -> Option<&'static str> {
        let Role::Update { operator, .. } = self else { return None };
        match operator.as_str() {
            "+" | "-" => Some("+"),
            "*" => Some("*"),
            "&" => Some("&"),
            "|" => Some("|"),
            "^" => Some("^"),
            _ => None,
        }
    }
}

/// The variable that an expression begins with: `s` of `s.f[3]`, `p` of `*p`.
pub(crate) fn base(expression: &str) -> &str {
    let start = expression.trim_start_matches(['*', '&', '(']);
    let end = start.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(start.len());
    &start[..end]
}

/// Of an access of this kind, at this column of its line, to memory of this name.
pub(crate) fn role(statement: &[&Token], kind: AccessKind, column: u32, name: &str) -> Role {
    let words: Vec<&Token> = match statement.split_last() {
        Some((last, rest)) if last.is(";") => rest.to_vec(),
        _ => return Role::Other,
    };
    if words.iter().any(|word| word.directive.is_some() || word.is("?")) || is_declaration(&words) {
        return Role::Other;
    }
    if let [first, target @ ..] = words.as_slice()
        && (first.is("++") || first.is("--"))
    {
        return update(&first.text[..1], target);
    }
    let Some(at) = assignment(&words) else { return Role::Other };
    let (target, sign, value) = (&words[..at], words[at], &words[at + 1..]);
    let named = joined(target);
    // An update reads and writes at its sign.
    let at_sign = sign.column == column && (kind == AccessKind::Write || !sign.is("="));
    let is_target = base(&named) == base(name) || at_sign;
    // `a[i] += a[i - 1]`: only what is at the sign is sure to be part of the update. What is read of
    // another cell has to be there first.
    if is_target && names_again(target, value, base(name)) && !at_sign && !target.is_empty() {
        return Role::Write { target: named, literal: false };
    }
    match sign.text.as_str() {
        _ if target.is_empty() => Role::Other,
        "++" | "--" if !is_target || !value.is_empty() => Role::Other,
        "++" | "--" => update(&sign.text[..1], target),
        "=" if is_target => assigned(target, value),
        "=" if joined(value) == joined_path(value) && base(&joined(value)) == base(name) => Role::Read,
        "=" => Role::Other,
        _ if is_target && !contains(value, target) && !contains_call(target) => {
            update(sign.text.trim_end_matches('='), target)
        }
        _ => Role::Other,
    }
}

fn update(operator: &str, target: &[&Token]) -> Role {
    match joined_path(target) {
        path if !path.is_empty() && !contains_call(target) => {
            Role::Update { operator: operator.to_owned(), target: joined(target) }
        }
        _ => Role::Other,
    }
}

fn assigned(target: &[&Token], value: &[&Token]) -> Role {
    if contains_call(target) {
        return Role::Other;
    }
    if !contains(value, target) {
        let literal = value.iter().all(|word| {
            !word.is_word() || ["NULL", "nullptr", "true", "false"].contains(&word.text.as_str())
        });
        return Role::Write { target: joined(target), literal };
    }
    let length = target.len();
    let same = |words: &[&Token]| joined(words) == joined(target);
    // `x = x + e` and `x = e + x`, with nothing in `e` that binds less.
    let parts = if value.len() > length + 1 && same(&value[..length]) {
        Some((value[length], &value[length + 1..]))
    } else if value.len() > length + 1 && same(&value[value.len() - length..]) {
        let sign = value[value.len() - length - 1];
        (sign.is("+") || sign.is("*")).then_some((sign, &value[..value.len() - length - 1]))
    } else {
        None
    };
    match parts {
        Some((sign, rest))
            if ["+", "-", "*", "&", "|", "^"].contains(&sign.text.as_str())
                && !contains(rest, target)
                && is_operand(rest, sign) =>
        {
            update(&sign.text, target)
        }
        _ => Role::Other,
    }
}

/// Whether an expression is one operand of the sign before it.
fn is_operand(words: &[&Token], sign: &Token) -> bool {
    let mut depth = 0u32;
    for (at, word) in words.iter().enumerate() {
        match word.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "*" | "/" | "%" if sign.is("+") || sign.is("-") => {}
            // A sign of its own, as in `x + -1`.
            "-" | "+" | "!" | "~" | "&" | "*" if at == 0 => {}
            "." | "->" => {}
            text if depth == 0 && text.starts_with(|c: char| "+-*/%&|^<>=!".contains(c)) => return false,
            _ => {}
        }
    }
    !words.is_empty()
}

/// The sign of the assignment, outside of parentheses.
fn assignment(words: &[&Token]) -> Option<usize> {
    const SIGNS: [&str; 13] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];
    let mut depth = 0u32;
    words.iter().position(|word| {
        match word.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && SIGNS.contains(&word.text.as_str())
    })
}

/// Whether it declares, or leaves the block: no directive may be put before it that takes it as its
/// block.
pub(crate) fn is_declaration(words: &[&Token]) -> bool {
    match words {
        [first, second, ..] if first.is_word() && second.is_word() => true,
        [first, second, third, ..]
            if first.is_word() && (second.is("*") || second.is("&") || second.is("::")) =>
        {
            third.is_word() && words.iter().any(|word| word.is("=")) && assignment(words) > Some(2)
        }
        [first, second, ..] => first.is_word() && second.is("<"),
        _ => false,
    }
}

/// Whether a value uses another part of the variable that its target is a part of.
fn names_again(target: &[&Token], value: &[&Token], variable: &str) -> bool {
    let named = |words: &[&Token]| words.iter().filter(|word| word.is(variable)).count();
    let whole = value.windows(target.len().max(1)).filter(|part| joined(part) == joined(target)).count();
    named(target) > 0 && named(value) > whole * named(target)
}

fn joined(words: &[&Token]) -> String {
    words.iter().map(|word| word.text.as_str()).collect()
}

/// The words, if they are a variable or a part of one; empty if not.
fn joined_path(words: &[&Token]) -> String {
    let mut depth = 0u32;
    for (at, word) in words.iter().enumerate() {
        match word.text.as_str() {
            "[" => depth += 1,
            "]" => depth = depth.saturating_sub(1),
            "." | "->" | "::" | ":" => {}
            "*" if at == 0 => {}
            _ if depth > 0 || word.is_word() => {}
            _ => return String::new(),
        }
    }
    joined(words)
}

fn contains(words: &[&Token], part: &[&Token]) -> bool {
    !part.is_empty() && words.windows(part.len()).any(|window| joined(window) == joined(part))
}

fn contains_call(words: &[&Token]) -> bool {
    words.iter().any(|word| word.is("(") || word.is("++") || word.is("--"))
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens;
    use super::*;

    fn of(text: &str, kind: AccessKind, name: &str) -> Role {
        let tokens = tokens(&[text.to_owned()]);
        role(&tokens.iter().collect::<Vec<_>>(), kind, 0, name)
    }

    #[test]
    fn updates_are_those_that_atomic_takes() {
        let update = |text| matches!(of(text, AccessKind::Write, "x"), Role::Update { .. });
        for text in
            ["x++;", "--x;", "x += 2 * y;", "x = x + y;", "x = y * 2 + x;", "x[i] |= f(y);", "x.f -= 1;"]
        {
            assert!(update(text), "{text}");
        }
        for text in [
            "x = 0;",
            "x += x;",
            "x = x - y + z;",
            "x = y - x;",
            "int x = 1;",
            "y = x++;",
            "x = x * y + z;",
            "f(x);",
            "x[i++] += 1;",
            "if (x) x++;",
            "return x;",
            "x = x ? 1 : 2;",
            "x = x < y;",
        ] {
            assert!(!update(text), "{text}");
        }
    }

    #[test]
    fn what_a_value_reads_of_another_cell_is_no_part_of_the_update() {
        let tokens = tokens(&["a[i] += a[i - 1];".to_owned()]);
        let words: Vec<_> = tokens.iter().collect();
        let at = |kind, column| matches!(role(&words, kind, column, "a[3]"), Role::Update { .. });
        assert!(at(AccessKind::Write, 6) && at(AccessKind::Read, 6));
        assert!(!at(AccessKind::Read, 9) && !at(AccessKind::Read, 1));
        assert!(matches!(of("a[i] = a[i] + a[j];", AccessKind::Write, "a[3]"), Role::Write { .. }));
        assert!(matches!(of("a[i] = a[i] + 1;", AccessKind::Read, "a[3]"), Role::Update { .. }));
    }

    #[test]
    fn a_literal_is_an_initialisation() {
        let role = of("x = 0;", AccessKind::Write, "x");
        assert_eq!(role, Role::Write { target: "x".into(), literal: true });
        let role = of("x = y + 1;", AccessKind::Write, "x");
        assert_eq!(role, Role::Write { target: "x".into(), literal: false });
        assert_eq!(of("y = x;", AccessKind::Read, "x"), Role::Read);
        assert_eq!(of("y = x + 1;", AccessKind::Read, "x"), Role::Other);
        assert_eq!(of("int y = x;", AccessKind::Read, "x"), Role::Other);
    }
}
