//! How a text report looks: colours, width, and the page it is written on.

use raceproof_core::finding::Place;
use std::env;

/// How a text report looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    pub color: bool,
    /// Columns to stay within; places and names longer than that stand on lines of their own.
    pub width: usize,
    /// Whether to say how a witness is replayed.
    pub replay: bool,
    /// Whether to say of every race that is nobody's consequence that it is to be fixed first.
    pub ranks: bool,
    /// Findings shown before "and N more".
    pub findings: usize,
}

impl Style {
    /// No colours: for files, pipes and golden tests.
    pub fn plain() -> Style {
        Style { color: false, width: 80, replay: false, ranks: false, findings: 20 }
    }

    /// ANSI colours, whatever the output is.
    pub fn colored() -> Style {
        Style { color: true, ..Style::plain() }
    }

    /// As the stream and the environment have it: colours on a terminal that can show them, unless
    /// `NO_COLOR` is set, and anywhere if `CLICOLOR_FORCE` is; as wide as `COLUMNS` says.
    pub fn for_stream(is_terminal: bool) -> Style {
        let text = |name: &str| env::var(name).unwrap_or_default();
        let wishes = Wishes {
            no_color: !text("NO_COLOR").is_empty(),
            force: !["", "0"].contains(&text("CLICOLOR_FORCE").as_str()),
            dumb: text("TERM") == "dumb" || text("CLICOLOR") == "0",
        };
        let columns = text("COLUMNS").parse().ok();
        Style { color: wishes.color(is_terminal), replay: true, ..Style::plain() }.within(columns)
    }

    /// Within so many columns, where that is known and text of that width can be read.
    #[must_use]
    pub fn within(self, columns: Option<usize>) -> Style {
        let width = columns.filter(|&columns| columns > 0).map(|columns| columns.clamp(40, 120));
        Style { width: width.unwrap_or(self.width), ..self }
    }
}

/// What the environment says of colours.
struct Wishes {
    no_color: bool,
    force: bool,
    /// The terminal has none.
    dumb: bool,
}

impl Wishes {
    fn color(&self, is_terminal: bool) -> bool {
        !self.no_color && (self.force || is_terminal && !self.dumb)
    }
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Plain,
    /// The headline of something bad.
    Bad,
    /// The headline of something good.
    Good,
    /// The headline of something undecided.
    Doubt,
    /// A line that introduces a place in the program.
    Strong,
    /// Line numbers and rules beside source text.
    Gutter,
    /// The mark under a write or an error.
    Write,
    /// The mark under a read or a wait.
    Read,
    /// The word that opens an explanation.
    Label,
}

impl Role {
    /// By hand and not by `anstyle`: that writes one escape sequence for each attribute, and
    /// reports have one for both.
    fn code(self) -> &'static str {
        match self {
            Role::Plain => "0",
            Role::Bad => "1;31",
            Role::Good => "1;32",
            Role::Doubt => "1;33",
            Role::Strong => "1",
            Role::Gutter => "34",
            Role::Write => "1;31",
            Role::Read => "1;33",
            Role::Label => "1;36",
        }
    }
}

/// The page a report is written on: wraps prose, leaves no trailing spaces, colours if asked to.
pub(super) struct Page {
    pub(super) style: Style,
    out: String,
}

impl Page {
    pub(super) fn new(style: Style) -> Page {
        Page { style, out: String::new() }
    }

    pub(super) fn paint(&self, role: Role, text: &str) -> String {
        if self.style.color && role != Role::Plain && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", role.code())
        } else {
            text.to_owned()
        }
    }

    /// One line as it is; whoever calls has made it fit.
    pub(super) fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    /// `file:line:column: error: text` on one line however long, as compilers write it.
    pub(super) fn finding(&mut self, at: &Place, severity: &str, text: &str) {
        let place = if at.file.is_empty() { "raceproof".to_owned() } else { place_name(at) };
        let role = if severity == "error" { Role::Bad } else { Role::Label };
        let (place, severity) = (self.paint(Role::Strong, &place), self.paint(role, &format!("{severity}:")));
        self.line(&format!("{place}: {severity} {text}"));
    }

    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// Wrapped text all in one role, continued further in.
    pub(super) fn headline(&mut self, role: Role, indent: usize, text: &str) {
        for (i, line) in wrap(text, self.style.width.saturating_sub(indent + 2)).iter().enumerate() {
            let margin = " ".repeat(if i == 0 { indent } else { indent + 2 });
            let painted = self.paint(role, line);
            self.line(&format!("{margin}{painted}"));
        }
    }

    /// `label text`, the text wrapped in the column after the label; a long label does not push it
    /// aside.
    pub(super) fn statement(&mut self, role: Role, label: &str, text: &str) {
        if label.chars().count() < self.style.width / 4 {
            return self.prose(0, role, label, text);
        }
        for (i, line) in wrap(&format!("{label} {text}"), self.style.width - 2).iter().enumerate() {
            match line.strip_prefix(label) {
                Some(rest) if i == 0 => self.line(&format!("{}{rest}", self.paint(role, label))),
                _ => self.line(&format!("{}{line}", if i == 0 { "" } else { "  " })),
            }
        }
    }

    /// `label text`, the text wrapped in the column after the label.
    pub(super) fn prose(&mut self, indent: usize, role: Role, label: &str, text: &str) {
        let gap = usize::from(!label.is_empty());
        let hang = indent + label.chars().count() + gap;
        let lines = wrap(text, self.style.width.saturating_sub(hang));
        for (i, line) in lines.iter().enumerate() {
            let start = if i == 0 {
                let label = self.paint(role, label);
                format!("{}{label}{}", " ".repeat(indent), " ".repeat(gap))
            } else {
                " ".repeat(hang)
            };
            self.line(&format!("{start}{line}"));
        }
    }

    pub(super) fn into_string(self) -> String {
        self.out
    }
}

/// Breaks text at spaces so that no line is wider than `width`, except for a word that is.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let len = word.chars().count();
        if used > 0 && used + 1 + len > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += len;
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Text from the program under test, made safe to print: a control character could move the cursor
/// or recolour the terminal.
pub(super) fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// `f.tp:4:5`, as editors and terminals understand it.
pub(super) fn place_name(place: &Place) -> String {
    let file = if place.file.is_empty() { "?".to_owned() } else { safe(&place.file) };
    match (place.line, place.column) {
        (0, _) => file,
        (line, 0) => format!("{file}:{line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

/// `1 task`, `2 tasks`, `12,345 tasks`.
pub(super) fn count(n: u64, one: &str) -> String {
    format!("{} {one}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `12,345`.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_need_a_terminal_that_wants_them() {
        let color = |no_color, force, dumb, terminal| Wishes { no_color, force, dumb }.color(terminal);
        assert!(color(false, false, false, true));
        assert!(!color(false, false, false, false));
        assert!(!color(true, false, false, true));
        assert!(!color(false, false, true, true));
        assert!(color(false, true, false, false));
        assert!(!color(true, true, false, true));
    }

    #[test]
    fn a_width_is_taken_if_it_can_be_read_in() {
        let width = |columns| Style::plain().within(columns).width;
        assert_eq!([None, Some(0), Some(10), Some(100), Some(400)].map(width), [80, 80, 40, 100, 120]);
    }

    #[test]
    fn wrapping_keeps_every_word_and_the_width() {
        let text = "nothing between there and line 8 waits for it";
        for width in 1..50 {
            let lines = wrap(text, width);
            assert_eq!(lines.join(" "), text);
            assert!(lines.iter().all(|l| l.len() <= width || !l.contains(' ')), "{width}: {lines:?}");
        }
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(count(1, "task"), "1 task");
        assert_eq!(count(0, "task"), "0 tasks");
        assert_eq!(count(999, "read"), "999 reads");
        assert_eq!(count(1_234_567, "read"), "1,234,567 reads");
    }
}
