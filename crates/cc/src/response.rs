//! `@file` on a command line: the file holds more words of it.

use std::ffi::OsString;
use std::fs;

/// How deep response files may name others; a file that names itself ends here.
const DEPTH: usize = 20;

/// Replaces every `@file` by the words in the file. One that cannot be read is an argument like any
/// other, as for clang.
pub fn expand(words: &[OsString]) -> Result<Vec<OsString>, String> {
    let mut expanded = Vec::new();
    push(words, DEPTH, &mut expanded)?;
    Ok(expanded)
}

fn push(words: &[OsString], depth: usize, expanded: &mut Vec<OsString>) -> Result<(), String> {
    for word in words {
        let text = word
            .to_str()
            .and_then(|word| word.strip_prefix('@'))
            .map(|file| (file, fs::read_to_string(file)));
        match text {
            Some((file, Ok(_))) if depth == 0 => {
                return Err(format!(
                    "@{file}: response files name each other too deeply; do they name themselves?"
                ));
            }
            Some((_, Ok(text))) => push(&split(&text), depth - 1, expanded)?,
            _ => expanded.push(word.clone()),
        }
    }
    Ok(())
}

/// The words of a response file, by GNU's rules: quotes of both kinds, and a backslash before any
/// character.
fn split(text: &str) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (_, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take().map(OsString::from)),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(OsString::from));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_gnu_does() {
        let text = "-c  a.c\n'b c.c' \"d\\\"e\" f\\ g \"\" h'i'j";
        assert_eq!(split(text), ["-c", "a.c", "b c.c", "d\"e", "f g", "", "hij"].map(OsString::from));
    }

    #[test]
    fn what_is_no_file_stays() {
        let words = [OsString::from("@no/such/file"), OsString::from("-c")];
        assert_eq!(expand(&words).unwrap(), words);
    }
}
