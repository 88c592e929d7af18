//! What a Fortran source says of an array where it is declared or allocated: flang 19 describes
//! every lower bound as 1.
//!
//! Only what can be read off the statement itself is used: bounds that are literals. A bound that
//! is an expression is not known.

use std::fs;
use std::path::Path;

/// The lower bound of each dimension, where it is known.
pub(super) type Bounds = Vec<Option<i64>>;

/// The statement that begins on a line, in small letters, with the lines that continue it and
/// without comments. In the fixed form a continued line has a character in its sixth column.
pub(super) fn statement(file: &Path, line: u64) -> Option<String> {
    let text = fs::read(file).ok()?;
    let text = String::from_utf8_lossy(&text).to_lowercase();
    let is_fixed = file
        .extension()
        .is_some_and(|extension| matches!(extension.to_str(), Some("f" | "F" | "for" | "FOR")));
    let mut lines = text.lines().skip(usize::try_from(line).ok()?.checked_sub(1)?);
    let mut whole = without_comment(lines.next()?).to_owned();
    for next in lines.take(40) {
        let goes_on = whole.trim_end().ends_with('&');
        if is_fixed
            && next.as_bytes().get(5).is_some_and(|mark| !b" 0!".contains(mark))
            && next.starts_with("     ")
        {
            whole.push_str(without_comment(&next[6..]));
        } else if goes_on {
            let next = without_comment(next).trim();
            if next.is_empty() {
                continue;
            }
            whole.truncate(whole.trim_end().len() - 1);
            whole.push_str(next.strip_prefix('&').unwrap_or(next));
        } else {
            break;
        }
    }
    Some(whole)
}

/// A character constant may have an exclamation mark; a statement that has one is of no use here
/// anyway.
fn without_comment(line: &str) -> &str {
    line.split_once('!').map_or(line, |(code, _)| code)
}

/// The bounds that a declaration gives a name: behind it, or by `dimension` for all of the
/// statement.
pub(super) fn bounds_of(statement: &str, name: &str) -> Option<Bounds> {
    let (attributes, entities) = match statement.split_once("::") {
        Some((attributes, entities)) => (attributes, entities),
        None => ("", statement),
    };
    // Without `::` the first entity follows the type, after a blank.
    let own = parts(entities).into_iter().find_map(|entity| {
        let at = find_word(entity, name)?;
        let after = entity[at + name.len()..].trim_start();
        Some(after.strip_prefix('(').and_then(inside).map(str::to_owned))
    })?;
    let list = match own {
        Some(list) => list,
        None => {
            let at = find_word(attributes, "dimension")?;
            inside(attributes[at + "dimension".len()..].trim_start().strip_prefix('(')?)?.to_owned()
        }
    };
    parts(&list).into_iter().map(lower).collect()
}

/// The objects of an `allocate` statement, each with the bounds it is given.
pub(super) fn allocated(statement: &str) -> Vec<(String, Option<Bounds>)> {
    let Some(at) = find_word(statement, "allocate") else { return Vec::new() };
    let Some(list) = statement[at + "allocate".len()..].trim_start().strip_prefix('(').and_then(inside)
    else {
        return Vec::new();
    };
    let list = list.rsplit_once("::").map_or(list, |(_, objects)| objects);
    let objects = parts(list).into_iter().filter(|part| !part.contains('='));
    objects
        .map(|object| {
            let object = object.trim();
            // The last parentheses are the bounds: `grid(3)%cells(0:n)`.
            let shape = object.ends_with(')').then(|| matching(object)).flatten();
            match shape {
                Some(open) => {
                    let bounds = parts(&object[open + 1..object.len() - 1]).into_iter().map(lower).collect();
                    (object[..open].trim().to_owned(), bounds)
                }
                None => (object.to_owned(), None),
            }
        })
        .collect()
}

/// The lower bound of one dimension; the outer none is for one that the statement leaves open.
fn lower(dimension: &str) -> Option<Option<i64>> {
    match dimension.split_once(':') {
        None => Some(Some(1)),
        Some(("", _)) => None,
        Some((lower, _)) => Some(lower.trim().parse().ok()),
    }
}

/// Where a name stands as a word of its own.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '%';
    text.match_indices(word)
        .map(|(at, _)| at)
        .find(|&at| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// What stands before the parenthesis that closes the one before the text.
fn inside(text: &str) -> Option<&str> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[..at]);
        }
    }
    None
}

/// Where the parenthesis opens that the last character closes.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The parts between commas that are in no parentheses.
fn parts(list: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_declaration() {
        for (statement, name, bounds) in [
            ("integer :: i, a(0:100)", "a", Some(vec![Some(0)])),
            ("integer :: i, a(0:100)", "i", None),
            ("real, dimension(-3:4, n) :: b, c(5)", "b", Some(vec![Some(-3), Some(1)])),
            ("real, dimension(-3:4, n) :: b, c(5)", "c", Some(vec![Some(1)])),
            ("integer a(0:9), aa(2:3)", "aa", Some(vec![Some(2)])),
            ("integer(kind=4) :: m(n0:9, f(1, 2))", "m", Some(vec![None, Some(1)])),
            ("integer, allocatable :: a(:)", "a", None),
        ] {
            assert_eq!(bounds_of(statement, name), bounds, "{name} in {statement}");
        }
    }

    #[test]
    fn allocations_name_their_objects() {
        let one = |statement: &str| allocated(statement);
        assert_eq!(one("allocate(a(0:n), stat=i)"), [("a".to_owned(), Some(vec![Some(0)]))]);
        assert_eq!(
            one("if (x) allocate (g(3)%c(2:n, m))"),
            [("g(3)%c".to_owned(), Some(vec![Some(2), Some(1)]))]
        );
        assert_eq!(one("allocate(real(8) :: b(n), p)").len(), 2);
        assert_eq!(one("a = [1, 2]"), []);
    }
}
