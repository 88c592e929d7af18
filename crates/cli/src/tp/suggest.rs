//! The name someone may have meant.

/// The candidate closest to `name` by edits of one character, if it is close enough to be meant; the
/// first in the alphabet of those equally close.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // One-letter names are all one edit apart, and nobody mistypes half a name.
    let allowed = name.len().min(LONGEST).saturating_sub(1).min(2);
    candidates
        .filter_map(|candidate| distance(name, candidate, allowed).map(|edits| (edits, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Longer names are not compared: the comparison takes time quadratic in the length.
const LONGEST: usize = 64;

/// The number of insertions, deletions and replacements between two names, if at most `allowed`.
fn distance(a: &str, b: &str, allowed: usize) -> Option<usize> {
    if a.len().max(b.len()) > LONGEST || a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Some(row[b.len()]).filter(|&edits| edits <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("count", "count", 2), Some(0));
        assert_eq!(distance("count", "coutn", 2), Some(2));
        assert_eq!(distance("count", "counts", 2), Some(1));
        assert_eq!(distance("count", "amount", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
    }

    #[test]
    fn the_closest_is_suggested_and_only_if_close() {
        let names = ["total", "totals", "main", "x"];
        assert_eq!(nearest("totl", names.into_iter()), Some("total"));
        assert_eq!(nearest("y", names.into_iter()), None);
        assert_eq!(nearest("result", names.into_iter()), None);
        assert_eq!(nearest(&"x".repeat(100_000), names.into_iter()), None);
    }
}
