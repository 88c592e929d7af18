//! Checks the assumptions of the pass against the link: functions that it took for the C library's
//! (`Steps.cpp`), and that the program defines itself.

use object::{File, Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where an object names the functions it relies on, each followed by a zero.
const SECTION: &str = ".raceproof.assumes";

/// Functions that the program defines though some unit relied on the C library's: in what was
/// linked to `output` or in a library among the `inputs`. What cannot be read was not relied on.
pub(super) fn wrong(output: &Path, inputs: &[PathBuf]) -> Vec<String> {
    let (mut assumed, mut defined) = (BTreeSet::new(), BTreeSet::new());
    let is_stripped = look(output, &mut assumed, &mut defined);
    for input in inputs {
        let is_shared = input.extension().is_some_and(|extension| extension == "so")
            || input.to_string_lossy().contains(".so.");
        // Objects are in the output, which does not name what they define if it was stripped.
        if is_shared || is_stripped {
            look(input, &mut assumed, &mut defined);
        }
    }
    assumed.intersection(&defined).cloned().collect()
}

/// Adds what a file relies on and what it defines; whether it says no more of that than what it
/// exports.
fn look(path: &Path, assumed: &mut BTreeSet<String>, defined: &mut BTreeSet<String>) -> bool {
    let Ok(bytes) = fs::read(path) else { return false };
    let Ok(file) = File::parse(&*bytes) else { return false };
    if let Some(section) = file.section_by_name(SECTION)
        && let Ok(names) = section.data()
    {
        let names = names.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        assumed.extend(names.map(|name| String::from_utf8_lossy(name).into_owned()));
    }
    let symbols = file.symbols().chain(file.dynamic_symbols());
    let functions = symbols.filter(|symbol| {
        symbol.is_definition()
            && symbol.is_global()
            && matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown)
    });
    defined.extend(functions.filter_map(|symbol| symbol.name().ok()).map(str::to_owned));
    file.symbols().next().is_none()
}

/// What to say of it.
pub(super) fn message(names: &[String]) -> String {
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let options = names.iter().map(|name| format!("-fno-builtin-{name}")).collect::<Vec<_>>().join(" ");
    format!(
        "the program defines {list}, which another of its units, compiled before, took for the C library's: what it does between \
         tasks would not be seen; compile the units that call it with {options}, or with -fno-raceproof-check-elimination, and link again"
    )
}
