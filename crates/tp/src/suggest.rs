//! The name someone may have meant.

/// The candidate closest to `name`, if it is close enough to be meant; the first in the alphabet of
/// those equally close.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Short names are all close to each other, and nobody mistypes half a name.
    let allowed = (name.len() / 3).min(2);
    candidates
        .filter_map(|candidate| distance(name, candidate, allowed).map(|edits| (edits, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Longer names are not compared: the comparison takes time quadratic in the length.
const LONGEST: usize = 64;

/// How many characters to insert, delete, replace or swap with their neighbour to get from one name
/// to the other (the optimal string alignment distance), if at most `allowed`.
fn distance(a: &str, b: &str, allowed: usize) -> Option<usize> {
    if a.len().max(b.len()) > LONGEST || a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    Some(strsim::osa_distance(a, b)).filter(|&edits| edits <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("count", "count", 2), Some(0));
        assert_eq!(distance("count", "coutn", 2), Some(1));
        assert_eq!(distance("count", "counts", 2), Some(1));
        assert_eq!(distance("count", "cost", 2), Some(2));
        assert_eq!(distance("count", "amount", 2), Some(2));
        assert_eq!(distance("count", "amount", 1), None);
        assert_eq!(distance("count", "index", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
    }

    #[test]
    fn the_closest_is_suggested_and_only_if_close() {
        let names = ["total", "totals", "main", "x"];
        assert_eq!(nearest("totl", names.into_iter()), Some("total"));
        assert_eq!(nearest("totlas", names.into_iter()), Some("totals"));
        assert_eq!(nearest("y", names.into_iter()), None);
        assert_eq!(nearest("result", names.into_iter()), None);
        assert_eq!(nearest(&"x".repeat(100_000), names.into_iter()), None);
    }
}
