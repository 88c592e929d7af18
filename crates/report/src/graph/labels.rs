//! Short texts of nodes: what a node is, and what it accesses, `w x  r a[0..4]`.

use super::{Picture, sync_word};
use crate::style::safe;
use raceproof_core::event::AccessKind;
use raceproof_core::graph::NodeKind;
use raceproof_core::ids::NodeId;

/// Accesses listed in a tooltip.
const TOOLTIP: usize = 20;

impl Picture<'_> {
    /// What the node is, where it is more than a plain step: `finish {`, `get`.
    pub(super) fn title(&self, id: NodeId) -> &'static str {
        let node = self.node(id);
        match (node.kind, node.sync) {
            (NodeKind::Entry, _) => "entry",
            (NodeKind::Exit, _) => "exit",
            (NodeKind::FinishBegin, _) => "finish {",
            (NodeKind::FinishEnd, _) => "} finish",
            (_, Some(sync)) => sync_word(sync.op, sync.kind),
            (_, None) => "",
        }
    }

    /// The accesses of a node by location, runs of neighbouring array cells as one: at most `most`,
    /// and how many distinct locations there are beyond those.
    pub(super) fn accesses(&self, id: NodeId, most: usize) -> (Vec<String>, usize) {
        let mut runs: Vec<CellRange> = Vec::new();
        let mut beyond = 0;
        // Sorted by location and then kind, so that the accesses of one location stand together.
        for same in self.graph.accesses(id).chunk_by(|a, b| a.location == b.location) {
            let reads = same.iter().any(|a| a.kind == AccessKind::Read);
            let writes = same.iter().any(|a| a.kind == AccessKind::Write);
            let how = match (reads, writes) {
                (true, true) => "rw",
                (true, false) => "r",
                (false, _) => "w",
            };
            let name = safe(&self.names.location(same[0].location));
            let bytes = self.names.are_bytes();
            let goes_on = |run: &mut CellRange| run.extend(how, &name) || bytes && run.has(how, &name);
            if runs.last_mut().is_some_and(goes_on) {
                continue;
            }
            if runs.len() < most {
                runs.push(CellRange::new(how, name));
            } else {
                beyond += 1;
            }
        }
        (runs.iter().map(CellRange::text).collect(), beyond)
    }

    /// Everything about a node, a line each.
    pub(super) fn tooltip(&self, id: NodeId) -> Vec<String> {
        let node = self.node(id);
        let title = self.title(id);
        let mut lines = vec![format!(
            "node {}{}{} of {}{}",
            id.0,
            if title.is_empty() { "" } else { ": " },
            title,
            self.task(node.task),
            if self.racy.contains(&id) { " (racy)" } else { "" }
        )];
        let task = &self.graph.tasks[node.task.index()];
        if let (true, Some((_, site))) = (task.first == id, task.spawned) {
            lines.push(format!("spawned at {}", self.site_text(site)));
        }
        let accesses = self.named_accesses(id);
        for access in accesses.iter().take(TOOLTIP) {
            let verb = match access.kind {
                AccessKind::Read => "reads",
                AccessKind::Write => "writes",
            };
            let atomically = if access.atomic { ", atomically," } else { "" };
            let name = safe(&access.name());
            lines.push(format!("{verb} {name}{atomically} at {}", self.site_text(access.site)));
        }
        if accesses.len() > TOOLTIP {
            lines.push(format!("and {} more accesses", accesses.len() - TOOLTIP));
        }
        lines
    }

    fn site_text(&self, site: raceproof_core::ids::SiteId) -> String {
        let site = self.names.site(site);
        let place = crate::snippet::place_name(&site.place);
        if site.label.is_empty() { place } else { format!("{place}: {}", safe(&site.label)) }
    }
}

/// One location, or a run of neighbouring cells accessed in the same way.
struct CellRange {
    how: &'static str,
    name: String,
    /// The base and first and last index, if the name is that of a cell.
    cells: Option<(String, u64, u64)>,
}

impl CellRange {
    fn new(how: &'static str, name: String) -> CellRange {
        let cells = cell(&name).map(|(base, index)| (base.to_owned(), index, index));
        CellRange { how, name, cells }
    }

    /// Takes one more location in, if it is the next cell.
    fn extend(&mut self, how: &str, name: &str) -> bool {
        match (&mut self.cells, cell(name)) {
            (Some((base, _, last)), Some((other, index)))
                if self.how == how && base == other && last.checked_add(1) == Some(index) =>
            {
                *last = index;
                true
            }
            _ => false,
        }
    }

    /// Whether the location is in it: another byte of the same variable or cell.
    fn has(&self, how: &str, name: &str) -> bool {
        match (&self.cells, cell(name)) {
            (Some((base, _, last)), Some((other, index))) => {
                self.how == how && base == other && *last == index
            }
            _ => self.how == how && self.name == name,
        }
    }

    fn text(&self) -> String {
        match &self.cells {
            Some((base, first, last)) if first != last && base.ends_with('+') => {
                format!("{} {base}{first}..{}", self.how, last.saturating_add(1))
            }
            Some((base, first, last)) if first != last => {
                // The upper bound is excluded, as in the loops of TP.
                format!("{} {base}[{first}..{}]", self.how, last.saturating_add(1))
            }
            _ => format!("{} {}", self.how, self.name),
        }
    }
}

/// `a[3]` as `a` and 3; byte 3 of something without a name, `heap@f.c:1+3`, as `heap@f.c:1+` and 3.
fn cell(name: &str) -> Option<(&str, u64)> {
    let (base, index) = match name.strip_suffix(']') {
        Some(cell) => cell.rsplit_once('[')?,
        None => name.split_at(name.rfind('+')? + 1),
    };
    Some((base, index.parse().ok()?))
}

/// The text cut to `most` characters, in the middle: both ends of a name tell cells apart.
pub(super) fn shorten(text: &str, most: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= most {
        return text.to_owned();
    }
    let head = most.saturating_sub(1).div_ceil(2);
    let tail = most.saturating_sub(1) - head;
    let mut out: String = chars[..head].iter().collect();
    out.push('…');
    out.extend(&chars[chars.len() - tail..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_join_neighbouring_cells_only() {
        let mut run = CellRange::new("w", "a[3]".into());
        assert_eq!(run.text(), "w a[3]");
        assert!(run.extend("w", "a[4]") && run.extend("w", "a[5]"));
        assert!(!run.extend("w", "a[7]") && !run.extend("r", "a[6]") && !run.extend("w", "b[6]"));
        assert_eq!(run.text(), "w a[3..6]");
        assert!(!CellRange::new("w", "x".into()).extend("w", "y"));
        assert!(run.has("w", "a[5]") && !run.has("w", "a[4]") && !run.has("r", "a[5]"));
        let mut bytes = CellRange::new("r", "heap@f.c:1+8".into());
        assert!(bytes.extend("r", "heap@f.c:1+9") && !bytes.extend("r", "heap@f.c:2+10"));
        assert_eq!(bytes.text(), "r heap@f.c:1+8..10");
        assert!(!CellRange::new("w", format!("a[{}]", u64::MAX)).extend("w", "a[0]"));
    }

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shorten("abc", 3), "abc");
        assert_eq!(shorten("abcdefgh", 5), "ab…gh");
        assert_eq!(shorten("abcdefgh", 1), "…");
    }
}
