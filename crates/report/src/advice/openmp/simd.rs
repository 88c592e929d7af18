//! Iterations of one simd loop, as lanes of a vector.

use super::super::Advice;
use super::super::fix::{Fix, Template};
use super::sides::Side;
use super::team;

pub(super) fn fixes(advice: &Advice<'_>, a: Option<&Side<'_>>, b: Option<&Side<'_>>) -> Vec<Fix> {
    let mut fixes = Vec::new();
    if let (Some(a), Some(b)) = (a, b)
        && let Some(d) = a.directives().find(|d| d.has("simd"))
    {
        fixes.extend(team::reduction(advice, a, b, &d));
        if fixes.is_empty() {
            fixes.extend(team::temporary(advice, a, &d));
        }
        let alone = d.names().count() == 1;
        let word = d.words.iter().find(|word| word.is("simd"));
        // Clauses that only simd has would be left behind.
        let own = ["safelen", "simdlen", "aligned", "linear", "nontemporal", "if"];
        let edit = match word {
            _ if alone => a.editor.without(&d),
            Some(word) if own.iter().all(|clause| d.clauses(clause).is_empty()) => {
                Some(a.editor.word(word, ""))
            }
            _ => None,
        };
        if let Some(edit) = edit {
            let text = format!("leave out `simd` at {}", advice.lines.line(a.editor.file, d.line));
            fixes.push(Fix::new(Template::NoSimd, text, vec![edit]));
        }
    }
    fixes.push(Fix::hint(
        "a `safelen` that is not greater than the distance between two iterations that conflict keeps them apart; so do \
         cells of its own for every iteration",
    ));
    fixes
}
