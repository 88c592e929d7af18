//! The words of the reports, explained by the rows of docs/GLOSSARY.md.

use strsim::jaro_winkler;

/// A link to docs/GLOSSARY.md.
const GLOSSARY: &str = include_str!("GLOSSARY.md");

/// How near a word must be to be suggested.
const NEAR: f64 = 0.8;

/// A row of the glossary.
struct Entry {
    /// As it stands there: `verdict, scope`.
    terms: String,
    meaning: String,
}

/// What a word means; the error names the nearest words.
pub(super) fn explain(word: &str) -> Result<String, String> {
    let wanted = normal(word);
    let entries = entries();
    let rows: Vec<&Entry> = entries.iter().filter(|entry| names(&entry.terms).contains(&wanted)).collect();
    // A value, such as `apparent`, stands in the meaning of what it is a value of.
    let quoted = format!("`{}`", word.trim().to_lowercase());
    let values = || entries.iter().filter(|entry| entry.meaning.contains(&quoted)).collect();
    let rows: Vec<&Entry> = if rows.is_empty() { values() } else { rows };
    if rows.is_empty() {
        return Err(unknown(word, &wanted, &entries));
    }
    let text = rows.iter().map(|entry| format!("{}: {}\n", entry.terms, entry.meaning));
    Ok(text.collect::<Vec<_>>().join("\n"))
}

fn unknown(word: &str, wanted: &str, entries: &[Entry]) -> String {
    let mut near: Vec<(f64, String)> = entries
        .iter()
        .flat_map(|entry| names(&entry.terms))
        .map(|name| (jaro_winkler(&name, wanted), name))
        .filter(|(likeness, _)| *likeness > NEAR)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let suggestions: Vec<String> = near.into_iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
    let hint = match suggestions.len() {
        0 => "it is neither the id of a finding nor a word of docs/GLOSSARY.md".to_owned(),
        _ => format!("did you mean {}?", suggestions.join(" or ")),
    };
    format!("cannot explain `{}`: {hint}", word.trim())
}

/// The rows of all tables whose first column is a term.
fn entries() -> Vec<Entry> {
    let row = |line: &str| {
        let line = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let mut columns = line.split(" | ");
        let (terms, meaning) = (columns.next()?, columns.next()?);
        let is_head = meaning == "meaning" || terms.starts_with("---");
        let links = without_links(meaning);
        (!is_head).then(|| Entry { terms: terms.replace('`', ""), meaning: links.replace('*', "") })
    };
    GLOSSARY.lines().filter_map(row).collect()
}

/// The terms of a row, each as it is looked for.
fn names(terms: &str) -> Vec<String> {
    let mut names = Vec::new();
    for term in terms.split(',') {
        names.push(normal(term));
        // `happens-before (HB)` is known by both.
        if let Some((before, inside)) = term.split_once('(') {
            names.push(normal(before));
            names.push(normal(inside.trim_end().trim_end_matches(')')));
        }
    }
    names
}

/// Without case and hyphens.
fn normal(term: &str) -> String {
    let words = term.trim().trim_matches('`').to_lowercase().replace(['-', '_'], " ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `[text](target)` as `text`.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let Some((open, link)) = before.rsplit_once('[') else { break };
        let Some((_, behind)) = after.split_once(')') else { break };
        out += open;
        out += link;
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_they_are_written() {
        for word in [
            "data race",
            "data-race",
            "Data_Race",
            "HB",
            "happens-before",
            "apparent",
            "observed-schedule",
            "all-schedules",
            "feasible",
            "actual",
            "infeasible",
            "witness",
            "grade",
            "scope",
            "artifact",
            "coverage",
            "deadlock",
            "program-error",
            "nondeterminism",
            "inconclusive",
            "race-free",
            "baseline",
            "suppression",
            "cause",
        ] {
            let text = explain(word).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert!(text.contains(": "), "{word}: {text}");
        }
    }

    #[test]
    fn near_words_are_suggested() {
        assert_eq!(explain("witnes").unwrap_err(), "cannot explain `witnes`: did you mean `witness`?");
        assert!(explain("xyzzy").unwrap_err().contains("docs/GLOSSARY.md"));
    }

    #[test]
    fn links_become_their_text() {
        assert_eq!(without_links("a ([TP.md](TP.md#x)) b"), "a (TP.md) b");
        assert_eq!(without_links("a[3] b"), "a[3] b");
    }
}
