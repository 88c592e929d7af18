//! Command lines that a reader can paste into a shell.

/// A word as a POSIX shell has to be given it. Bytes that are no text are written as bash, zsh and ksh read them.
pub fn quoted(word: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+=./:,@%^".contains(byte);
    match std::str::from_utf8(word) {
        Ok(text) if !word.is_empty() && word.iter().all(plain) => text.to_owned(),
        Ok(text) if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let byte = |&byte: &u8| match byte {
                b'\'' | b'\\' => format!("\\{}", char::from(byte)),
                b' '..=b'~' => char::from(byte).to_string(),
                _ => format!("\\x{byte:02x}"),
            };
            format!("$'{}'", word.iter().map(byte).collect::<String>())
        }
    }
}

/// `NAME=VALUE` before a command.
pub fn setting(name: &str, value: &[u8]) -> String {
    format!("{name}={}", if value.is_empty() { String::new() } else { quoted(value) })
}

/// The command that decides what one run of a native program leaves open: `settings` of its environment, options of `verify`, then
/// the program and its arguments.
pub fn verify<'a>(
    settings: &[String],
    options: &[String],
    program: impl IntoIterator<Item = &'a [u8]>,
) -> String {
    let mut words = settings.to_vec();
    words.extend(["raceproof".to_owned(), "verify".to_owned()]);
    words.extend_from_slice(options);
    words.push("--".to_owned());
    words.extend(program.into_iter().map(quoted));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, text) in [
            (&b"./prog"[..], "./prog"),
            (b"", "''"),
            (b"two words", "'two words'"),
            (b"it's", r"'it'\''s'"),
            (b"$HOME;*", "'$HOME;*'"),
            (b"a\nb", r"$'a\x0ab'"),
            (b"\xff'", r"$'\xff\''"),
        ] {
            assert_eq!(quoted(word), text);
        }
        assert_eq!(quoted("ä".as_bytes()), "'ä'");
    }

    #[test]
    fn a_command_is_complete() {
        let settings = [setting("OMP_NUM_THREADS", b"4,2"), setting("RACEPROOF_OPTIONS", b"")];
        assert_eq!(
            verify(&settings, &["--threads".into(), "3".into()], [&b"./a b"[..], b"-x"]),
            "OMP_NUM_THREADS=4,2 RACEPROOF_OPTIONS= raceproof verify --threads 3 -- './a b' -x"
        );
    }
}
