//! Programs of the corpus as text.

use std::path::Path;

/// The source of a program of the corpus.
pub fn corpus(name: &str) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/tp").join(name).with_extension("tp");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The same with another value for one of its constants, written as `proc NAME() { return N; }`.
pub fn sized(name: &str, constant: &str, value: u32) -> String {
    let source = corpus(name);
    let head = format!("proc {constant}() {{ return ");
    let at = source.find(&head).unwrap_or_else(|| panic!("{name} has no constant {constant}")) + head.len();
    let end = at + source[at..].find(';').expect("a return ends in a semicolon");
    format!("{}{value}{}", &source[..at], &source[end..])
}
