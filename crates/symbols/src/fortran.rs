//! Names of Fortran's procedures and variables as flang writes them for the linker, back as the
//! program has them.
//!
//! `_Q` is followed by scopes and a name, each after a capital letter that says what it is; the
//! names themselves are in small letters. `_QMgridEcells` is the variable (E) `cells` of the module
//! (M) `grid`, `_QMgridFstepEn` the variable `n` of its procedure (F) `step`, `_QMgridPstep` the
//! procedure (P) itself, `_QFEn` a variable of the main program, `_QFPinner` a procedure inside of
//! it.

/// What flang calls the main program, whose own name it does not keep.
const MAIN: &str = "_QQmain";

/// The name of a procedure or variable; none if it is not one of flang's names.
pub(super) fn demangled(name: &str) -> Option<String> {
    if name == MAIN {
        return Some("main program".to_owned());
    }
    let scopes = name.strip_prefix("_Q").filter(|rest| rest.starts_with(|c: char| "MSFPE".contains(c)))?;
    let mut parts: Vec<(char, &str)> = Vec::new();
    let mut rest = scopes;
    while let Some(kind) = rest.chars().next() {
        let after = &rest[kind.len_utf8()..];
        let end = after.find(|c: char| c.is_ascii_uppercase()).unwrap_or(after.len());
        parts.push((kind, &after[..end]));
        rest = &after[end..];
    }
    let (_, own) = *parts.last().filter(|(kind, own)| "PE".contains(*kind) && !own.is_empty())?;
    // What belongs to a procedure is known by its name there.
    let is_in_procedure = parts.iter().any(|(kind, _)| *kind == 'F');
    match parts.iter().find(|(kind, _)| *kind == 'M') {
        Some((_, module)) if !is_in_procedure => Some(format!("{module}::{own}")),
        _ => Some(own.to_owned()),
    }
}

/// The name of a procedure that is in no module and no other procedure, behind which flang puts an
/// underscore, with what it appends for a construct.
pub(super) fn procedure(name: &str) -> String {
    let own = name.find("..").map_or(name, |at| &name[..at]);
    match own.strip_suffix('_') {
        Some(plain) if !plain.is_empty() => format!("{plain}{}", &name[own.len()..]),
        _ => name.to_owned(),
    }
}

/// The procedure that a `target` region stands in: `__omp_offloading_DEVICE_FILE_NAME_lLINE`.
pub(super) fn target_of(name: &str) -> &str {
    let named = name.strip_prefix("__omp_offloading_").and_then(|rest| rest.splitn(3, '_').nth(2));
    named.and_then(|rest| rest.rsplit_once("_l")).map_or(name, |(procedure, _)| procedure)
}

/// The name of a common block, by that of its symbol: in small letters, with an underscore behind
/// it.
pub(super) fn common_block(symbol: &str) -> Option<String> {
    if symbol == "__BLNK__" {
        return Some("//".to_owned());
    }
    let block = symbol.strip_suffix('_').filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))?;
    block
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        .then(|| format!("/{block}/"))
}

#[cfg(test)]
mod tests {
    use super::{common_block, demangled, procedure, target_of};

    #[test]
    fn common_blocks_are_written_between_slashes() {
        assert_eq!(common_block("state_").as_deref(), Some("/state/"));
        assert_eq!(common_block("__BLNK__").as_deref(), Some("//"));
        assert_eq!(common_block("state"), None);
        assert_eq!(common_block("_QFEx_"), None);
    }

    #[test]
    fn names_are_those_of_the_program() {
        for (mangled, name) in [
            ("_QQmain", "main program"),
            ("_QFEn", "n"),
            ("_QFstepEn_2", "n_2"),
            ("_QMgridEcells", "grid::cells"),
            ("_QMgridPstep", "grid::step"),
            ("_QMgridFstepEn", "n"),
            ("_QMgridFstepPinner", "inner"),
            ("_QFPinner", "inner"),
            ("_QMgridSfineEcells", "grid::cells"),
        ] {
            assert_eq!(demangled(mangled).as_deref(), Some(name), "{mangled}");
        }
        assert_eq!(target_of("__omp_offloading_fe00_98c231__QQmain_l5"), "_QQmain");
        assert_eq!(target_of("_QFPinner"), "_QFPinner");
        assert_eq!(procedure("set_"), "set");
        assert_eq!(procedure("set_..omp_par.1"), "set..omp_par.1");
        assert_eq!(procedure("_QFPinner"), "_QFPinner");
        for other in ["main", "_QQclX61", "_Qx", "_ZN1f1gEv", "step_", "_QM", "_QMgridE"] {
            assert_eq!(demangled(other), None, "{other}");
        }
    }
}
