//! One quoted source line with a mark under the column of interest.
//!
//! Columns of compilers count bytes, and the mark counts characters. Every character is taken to be
//! one cell wide, so a mark to the right of double-width characters stands too far left.

use super::frames;
use super::sources::{Sources, character};
pub(super) use super::style::place_name;
use super::style::{Page, Role, count, safe};
use super::view::{self, Inside};
use raceproof_core::finding::{Construct, Frame, Place, Spawned};

const TAB: usize = 4;

/// What stands beside and above the source line: ` --> f.tp:4:5` and the rules of the gutter.
pub(super) struct Snippet {
    /// Width of the line number column, the same for both sides of a race.
    pub(super) digits: usize,
}

impl Snippet {
    pub(super) fn for_places<'a>(places: impl IntoIterator<Item = &'a Place>) -> Snippet {
        let digits = places.into_iter().map(|p| p.line.to_string().len()).max();
        Snippet { digits: digits.unwrap_or(1) }
    }

    pub(super) fn show(&self, page: &mut Page, sources: &Sources, place: &Place, mark: Role) {
        let arrow = page.paint(Role::Gutter, "-->");
        page.line(&format!("  {}{arrow} {}", " ".repeat(self.digits), place_name(place)));
        let Some(source) = sources.line(place) else { return };
        let edge = format!("  {} |", " ".repeat(self.digits));
        let room = page.style.width.saturating_sub(edge.len() + 1).max(20);
        let view = View::of(source, character(place, source), room);
        let number = format!("  {:>width$} |", place.line, width = self.digits);
        let number = page.paint(Role::Gutter, &number);
        page.line(&format!("{number} {}", view.text));
        if view.mark_len > 0 {
            let edge = page.paint(Role::Gutter, &edge);
            let carets = page.paint(mark, &"^".repeat(view.mark_len));
            page.line(&format!("{edge} {}{carets}", " ".repeat(view.mark_at)));
        }
    }

    /// A remark about the place just shown.
    pub(super) fn note(&self, page: &mut Page, text: &str) {
        page.prose(2 + self.digits + 1, Role::Gutter, "=", text);
    }

    /// The spawns that led to a task, as remarks: the task's own first, it is the one the reader
    /// looks for. A site that is shown already is counted only: recursion, and rayon, which splits
    /// its work by jobs that create jobs for one place of the program.
    pub(super) fn spawns(&self, page: &mut Page, spawned: &[Spawned]) {
        const SHOWN: usize = 5;
        let spawned: Vec<&Spawned> = spawned.iter().rev().collect();
        let runs = folded(&spawned, |a, b| (&a.at, a.construct) == (&b.at, b.construct));
        for (i, (spawn, more)) in runs.iter().enumerate() {
            if i == SHOWN && i + 1 < runs.len() {
                let rest: usize = runs[i..].iter().map(|(_, more)| 1 + more).sum();
                return self.note(page, &format!("and {rest} more spawns on the way from main"));
            }
            self.note(page, &origin(spawn));
            // What rayon makes of one call is one thing.
            if *more > 0 && spawn.construct != Some(Construct::Rayon) {
                self.note(page, &format!("… {more} more of the same"));
            }
        }
    }

    /// The calls that led to the place, innermost first. `at` is the place.
    pub(super) fn calls(&self, page: &mut Page, at: &Place, stack: &[Frame]) {
        const SHOWN: usize = 10;
        // Each function with the place in it.
        let places = std::iter::once(at).chain(stack.iter().map(|frame| &frame.call));
        let frames: Vec<(&Place, &Frame)> = places.zip(stack).collect();
        let mut rest = frames.as_slice();
        let mut shown = 0;
        while !rest.is_empty() {
            if shown == SHOWN && rest.len() > 1 {
                return self.note(page, &format!("and {} more calls", rest.len()));
            }
            shown += 1;
            // Frames of libraries between those of the user.
            let library = rest.iter().take_while(|(at, _)| is_library(at)).count();
            if library > 0 {
                let whose = view::library(rest[..library].iter().map(|(at, _)| *at));
                let frames = count(library as u64, "frame");
                let call = called_at(&rest[library - 1].1.call);
                self.note(page, &format!("… {frames} of {whose}{call}"));
                rest = &rest[library..];
                continue;
            }
            let (_, frame) = rest[0];
            // Where a library calls it nobody needs to know.
            let call = if is_library(&frame.call) { String::new() } else { called_at(&frame.call) };
            self.note(page, &format!("in {}{call}", safe(&frame.function)));
            rest = &rest[1..];
            let seen = &frames[..frames.len() - rest.len()];
            let same =
                rest.iter().take_while(|(_, next)| seen.iter().any(|(_, frame)| *frame == *next)).count();
            if same > 0 {
                self.note(page, &format!("… {same} more of the same"));
                rest = &rest[same..];
            }
        }
    }

    /// What a library did below the line that was shown: `what` is `writes values`.
    pub(super) fn inside(&self, page: &mut Page, inside: &Inside, what: &str) {
        let called = safe(&inside.called);
        let place = place_name(&inside.at);
        if inside.frames == 1 {
            return self.note(page, &format!("calls {called}, which {what} at {place}"));
        }
        self.note(
            page,
            &format!("calls {called}, … {} of {}", count(inside.frames as u64, "frame"), inside.library),
        );
        self.note(page, &format!("… to {}, which {what} at {place}", safe(&inside.function)));
    }
}

pub(crate) fn is_library(at: &Place) -> bool {
    !matches!(frames::origin(&at.file), frames::Origin::User | frames::Origin::Unknown)
}

/// Nobody that is known called the outermost function of a native stack.
fn called_at(call: &Place) -> String {
    let known = call.line > 0 || !call.file.is_empty();
    if known { format!(", called at {}", place_name(call)) } else { String::new() }
}

/// The items, those equal to one before them counted with the last that is kept.
fn folded<'a, T>(items: &[&'a T], same: impl Fn(&T, &T) -> bool) -> Vec<(&'a T, usize)> {
    let mut kept: Vec<(&T, usize)> = Vec::new();
    for item in items {
        match kept.iter().any(|(before, _)| same(before, item)) {
            true => kept.last_mut().into_iter().for_each(|(_, more)| *more += 1),
            false => kept.push((item, 0)),
        }
    }
    kept
}

/// How a task came to be: `main/1 spawned at f.tp:4:5`, `main/2 is thread 1 of the omp parallel at
/// f.c:3:1`.
fn origin(spawn: &Spawned) -> String {
    let (task, at) = (safe(&spawn.task), place_name(&spawn.at));
    match (spawn.construct, spawn.thread) {
        (None, _) => format!("{task} spawned at {at}"),
        (Some(Construct::Thread), _) => match &spawn.name {
            Some(name) => format!("{task} is thread `{}`, created at {at}", safe(name)),
            None => format!("{task} is a thread, created at {at}"),
        },
        (Some(Construct::Rayon), None) => format!("{task} created by rayon at {at}"),
        (Some(construct), None) => format!("{task} created by the {construct} at {at}"),
        (Some(construct @ Construct::Teams), Some(n)) => {
            format!("{task} is team {n} of the {construct} at {at}")
        }
        (Some(construct), Some(n)) => format!("{task} is thread {n} of the {construct} at {at}"),
    }
}

/// The part of a source line that is shown, and where the mark goes under it.
#[derive(PartialEq, Eq, Debug)]
struct View {
    text: String,
    mark_at: usize,
    mark_len: usize,
}

impl View {
    fn of(source: &str, column: u32, room: usize) -> View {
        let chars: Vec<char> = source.chars().collect();
        let from = (column as usize).wrapping_sub(1);
        // A place past the end (the text changed since) still shows its line, without a mark.
        let marked = (from <= chars.len()).then(|| from..from + extent(&chars[from.min(chars.len())..]));
        let mut cells: Vec<char> = Vec::new();
        let (mut start, mut end) = (0, 0);
        for i in 0..=chars.len() {
            if let Some(marked) = &marked {
                if i == marked.start {
                    (start, end) = (cells.len(), cells.len() + 1);
                } else if i == marked.end {
                    end = cells.len();
                }
            }
            match chars.get(i) {
                Some('\t') => cells.resize(cells.len() + TAB - cells.len() % TAB, ' '),
                Some(c) if c.is_control() => cells.push('\u{fffd}'),
                Some(&c) => cells.push(c),
                None => {}
            }
        }
        cut(&cells, start..end.max(start), room)
    }
}

/// How many characters the expression at the start of `rest` covers: a name and the indices after
/// it, on this line; at least one.
pub(super) fn extent(rest: &[char]) -> usize {
    let word = rest.iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
    let mut end = word;
    while word > 0 && rest.get(end) == Some(&'[') {
        let mut depth = 0usize;
        let close = rest[end..].iter().position(|c| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        match close {
            Some(at) => end += at + 1,
            None => break,
        }
    }
    end.max(1)
}

/// Cuts a line that is wider than `room` so that the mark and some text on both sides of it stay.
fn cut(cells: &[char], mark: std::ops::Range<usize>, room: usize) -> View {
    let len = cells.iter().rposition(|c| *c != ' ').map_or(0, |i| i + 1);
    let (mut from, mut to) = (0, len);
    if len > room {
        // Indentation goes first, then whatever is farther than half the room from the mark.
        from = mark.start.saturating_sub(room / 2).min(len.saturating_sub(room));
        if mark.end.max(mark.start + 1) <= room {
            from = 0;
        }
        to = (from + room).min(len);
    }
    let mut shown: Vec<char> = cells[from..to].to_vec();
    if from > 0 {
        shown[0] = '…';
    }
    if to < len
        && let Some(last) = shown.last_mut()
    {
        *last = '…';
    }
    let mark_at = mark.start.saturating_sub(from);
    let mark_len = mark.len().min(room.saturating_sub(mark_at));
    View { text: shown.into_iter().collect(), mark_at, mark_len }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str, column: u32, room: usize) -> String {
        let view = View::of(source, column, room);
        assert!(view.text.chars().count() <= room, "{view:?}");
        assert!(view.mark_at + view.mark_len <= room, "{view:?}");
        format!("{}\n{}{}", view.text, " ".repeat(view.mark_at), "^".repeat(view.mark_len))
    }

    #[test]
    fn the_mark_covers_a_name_and_its_indices() {
        assert_eq!(shown("x = 1;", 1, 60), "x = 1;\n^");
        assert_eq!(shown("  a[b[i]] = 1;", 3, 60), "  a[b[i]] = 1;\n  ^^^^^^^");
        assert_eq!(shown("m[i][j+1]", 1, 60), "m[i][j+1]\n^^^^^^^^^");
        assert_eq!(shown("a[i +", 1, 60), "a[i +\n^");
        assert_eq!(shown("(x)[0]", 1, 60), "(x)[0]\n^");
    }

    #[test]
    fn tabs_become_spaces_and_the_mark_follows() {
        assert_eq!(shown("\tx = 1;", 2, 60), "    x = 1;\n    ^");
        assert_eq!(shown("ab\tx\ty", 4, 60), "ab  x   y\n    ^");
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(shown("x\x1b[31m = 1;", 1, 60), "x\u{fffd}[31m = 1;\n^");
    }

    #[test]
    fn places_outside_the_text_have_no_mark() {
        assert_eq!(shown("x = 1;", 0, 60), "x = 1;\n");
        assert_eq!(shown("x = 1;", 40, 60), "x = 1;\n");
        assert_eq!(shown("x = 1;", u32::MAX, 60), "x = 1;\n");
        assert_eq!(shown("", 1, 60), "\n^");
    }

    #[test]
    fn wide_lines_are_cut_around_the_mark() {
        let line = format!("{}target = 1;{}", "a + ".repeat(40), " + b".repeat(40));
        let text = shown(&line, 161, 60);
        let (source, mark) = text.split_once('\n').unwrap();
        assert!(source.starts_with('…') && source.ends_with('…'), "{source}");
        let at = mark.find('^').unwrap();
        let under: String = source.chars().skip(at).take(mark.len() - at).collect();
        assert_eq!(under, "target");
        for column in 0..400 {
            for room in 20..70 {
                shown(&line, column, room);
            }
        }
    }
}
