//! The line on the terminal that says how far a search has come.

use raceproof::verify::Progress;
use std::cell::{Cell, OnceCell};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// See the module.
#[derive(Default)]
pub(crate) struct ProgressLine {
    /// When it was first shown, and the executions there were then: a resumed search begins with
    /// some.
    begun: OnceCell<(Instant, u64)>,
    shown: Cell<bool>,
}

impl ProgressLine {
    pub(crate) fn show(&self, progress: &Progress) {
        let &(start, before) = self.begun.get_or_init(|| (Instant::now(), progress.executions));
        let text = text(progress, before, start.elapsed());
        self.shown.set(true);
        let _ = write!(io::stderr(), "\r\x1b[K{text}");
    }

    pub(crate) fn erase(&self) {
        if self.shown.get() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// What the line says, `elapsed` after there were `before` executions.
fn text(progress: &Progress, before: u64, elapsed: Duration) -> String {
    let &Progress { executions, left } = progress;
    let rate = executions.saturating_sub(before) as f64 / elapsed.as_secs_f64();
    let has_rate = rate.is_finite() && rate > 0.0;
    match left {
        Some(left) if has_rate => {
            let (seconds, left) = (time(left / rate), count(left));
            format!("{executions} executions, {rate:.0} a second, about {left} left, {seconds}")
        }
        Some(left) => format!("{executions} executions, about {} left", count(left)),
        None if has_rate => format!("{executions} executions, {rate:.0} a second"),
        None => format!("{executions} executions"),
    }
}

/// A number of executions of which no more than the size is known.
fn count(number: f64) -> String {
    if number < 1e9 { format!("{number:.0}") } else { format!("{number:.0e}") }
}

/// `M:SS`, `H:MM:SS`, or days.
fn time(seconds: f64) -> String {
    const DAY: f64 = 24.0 * 3600.0;
    if seconds >= 1000.0 * 365.0 * DAY {
        return "thousands of years".into();
    }
    if seconds >= 2.0 * DAY {
        return format!("{:.0} days", seconds / DAY);
    }
    let seconds = seconds.round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line() {
        let line = |executions, left, before, seconds| {
            text(&Progress { executions, left }, before, Duration::from_secs_f64(seconds))
        };
        let said = |executions, left, before, seconds| line(executions, Some(left), before, seconds);
        assert_eq!(said(1000, 3000.4, 0, 2.0), "1000 executions, 500 a second, about 3000 left, 0:06");
        // A resumed search: the rate counts only executions of this session.
        assert_eq!(
            said(11_000, 70_000.0, 10_000, 1.0),
            "11000 executions, 1000 a second, about 70000 left, 1:10"
        );
        assert_eq!(said(2, 1e9, 0, 2.0), "2 executions, 1 a second, about 1e9 left, 11574 days");
        assert_eq!(said(7, 5.0, 7, 0.0), "7 executions, about 5 left");
        // A random search has no end of its own.
        assert_eq!(line(1000, None, 0, 2.0), "1000 executions, 500 a second");
        assert_eq!(said(7, f64::MAX, 0, 1.0).split(", ").last(), Some("thousands of years"));
        assert_eq!(said(10, 36_620.0, 0, 1.0).split(", ").last(), Some("1:01:02"));
    }
}
