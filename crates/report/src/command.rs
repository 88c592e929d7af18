//! Command lines that a reader can paste into a shell.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The variable that has the options of the runtime.
const OPTIONS: &str = "RACEPROOF_OPTIONS";

/// A word as a POSIX shell has to be given it. Bytes that are no text are written as bash, zsh and
/// ksh read them.
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

/// Variables that the runtime of a program looks at, as they are set; `sized`: the size of teams is
/// given otherwise. `options` says what another run needs of the options of this one.
pub fn settings(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    sized: bool,
    options: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Vec<String> {
    let is_size = |name: &str| matches!(name, "OMP_NUM_THREADS" | "RAYON_NUM_THREADS");
    let is_wanted = |name: &str| (name.starts_with("OMP_") || is_size(name)) && !(sized && is_size(name));
    let variables = variables.into_iter().filter_map(|(name, value)| {
        let (name, value) = (name.to_str()?, value.into_vec());
        let value = if name == OPTIONS { options(&value)? } else { is_wanted(name).then_some(value)? };
        Some(setting(name, &value))
    });
    let mut settings: Vec<String> = variables.collect();
    settings.sort();
    settings
}

/// ` < FILE`, if standard input is a file: every execution reads it from its beginning.
pub fn input() -> String {
    let link = Path::new("/proc/self/fd/0");
    match (fs::metadata(link), fs::read_link(link)) {
        (Ok(data), Ok(file)) if data.is_file() => format!(" < {}", quoted(file.as_os_str().as_bytes())),
        _ => String::new(),
    }
}

/// The command that decides what one run of a native program leaves open: `settings` of its
/// environment, options of `verify`, then the program and its arguments.
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
