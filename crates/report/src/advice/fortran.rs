//! The words of OpenMP as a Fortran program writes them.

use raceproof_core::finding::Race;

/// A text of OpenMP's, in Fortran's words if the construct that made the tasks is in a Fortran
/// source.
pub(super) fn words(text: String, race: &Race) -> String {
    let constructs = race.first.spawned.iter().chain(&race.second.spawned);
    match constructs.map(|spawn| &spawn.at).next() {
        Some(at) if at.is_fortran() => translated(&text),
        _ => text,
    }
}

/// A directive has another sentinel, a loop another name, and a clause takes a variable of a module
/// by its name alone.
pub(crate) fn translated(text: &str) -> String {
    let text = text.replace("#pragma omp", "!$omp").replace("omp for", "omp do");
    // Names of modules stand before `::` in clauses, which are between backquotes.
    let parts = text.split('`').enumerate().map(|(at, part)| match part.split_once("::") {
        Some((before, name)) if at % 2 == 1 => {
            let kept = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
            format!("{kept}{name}")
        }
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_and_clauses_are_fortrans() {
        assert_eq!(
            translated("`reduction(…: grid::sum)` in grid::add; or `#pragma omp atomic` in the omp for at 3"),
            "`reduction(…: sum)` in grid::add; or `!$omp atomic` in the omp do at 3"
        );
    }
}
