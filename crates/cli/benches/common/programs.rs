//! The programs that are measured.

use raceproof::strategy::DepthFirst;
use raceproof_core::event::Event;
use raceproof_tp::code::Code;
use raceproof_tp::compile::compile;
use raceproof_tp::execute::{Bounds, execute};
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, diagnostic};
use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of `programs/tp/NAME.tp`.
pub(crate) fn text(name: &str) -> String {
    let path = repository().join("programs/tp").join(name).with_extension("tp");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The same with another number in the line of N.
pub(crate) fn with_size(text: &str, size: u64) -> String {
    let is_size = |line: &str| line.starts_with("proc N()");
    assert!(text.lines().any(is_size), "the program has no line of N");
    let resize = |line| {
        if is_size(line) { format!("proc N() {{ return {size}; }}\n") } else { format!("{line}\n") }
    };
    text.lines().map(resize).collect()
}

pub(crate) fn compiled(name: &str, text: &str) -> Code {
    let program =
        tp::parse(text).unwrap_or_else(|errors| panic!("{}", diagnostic::render(name, text, &errors, false)));
    compile(&program, &Source::new(name, text))
}

/// The events of the program's depth-first run.
pub(crate) fn events(name: &str, text: &str) -> Vec<Event> {
    let code = compiled(name, text);
    let execution = execute(&code, name, Vec::new(), &mut DepthFirst, Bounds::default());
    assert!(execution.is_complete(), "{name} did not come to its end");
    execution.run.kernel.observer
}
