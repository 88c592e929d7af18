//! The findings of a report in a table, and what was left out: where to look first.

use super::cause::{Group, deadlock_id, error_id, general_id};
use super::general;
use super::snippet::place_name;
use super::sources::Sources;
use super::style::{Page, Role, count, grouped, safe};
use super::view;
use raceproof_core::finding::{Object, Place, Report};

/// Findings listed in the table; it has a line for each.
const LISTED: usize = 40;

/// The narrowest that a column may become.
const NARROW: usize = 12;

/// A line of the table: id, what, on, where, times, when to fix it.
type Row = [String; 6];

/// The table, if there is more than one finding.
pub(super) fn render(
    page: &mut Page,
    report: &Report,
    sources: &Sources,
    groups: &[Group<'_>],
    owners: &[usize],
) {
    let all = groups.len() + report.deadlocks.len() + report.errors.len() + report.general_races.len();
    let hidden = all.saturating_sub(page.style.findings);
    if hidden > 0 {
        let text = format!(
            "{} not shown above: `--max-findings {all}` shows all, and `--format json` lists every pair of accesses",
            count(hidden as u64, "finding")
        );
        page.prose(0, Role::Label, "more:", &text);
        page.blank();
    }
    if all < 2 {
        return;
    }
    // Nobody has asked what comes first in a native program's run.
    let is_ranked = report.coverage.is_none() || report.races.iter().any(|race| race.partition > 1);
    let races = groups.iter().enumerate().map(|(i, group)| {
        let [id, what, on, at, seen, fix] = race(i, group, owners, sources);
        [id, what, on, at, seen, if is_ranked { fix } else { String::new() }]
    });
    let deadlocks = report.deadlocks.iter().map(|deadlock| {
        let places: Vec<&Place> = deadlock.waiting.iter().map(|waiting| &waiting.at).collect();
        let on = deadlock.waiting.first().map_or("", |waiting| waiting.on.as_str());
        let id = deadlock_id(deadlock, sources).to_string();
        [id, "deadlock".into(), safe(on), at(&places, sources), String::new(), String::new()]
    });
    let errors = report.errors.iter().map(|error| {
        let (seen, _) = view::error(error, sources);
        let id = error_id(error, sources).to_string();
        [id, "error".into(), safe(&error.kind), short(&seen.at), String::new(), String::new()]
    });
    let general = report.general_races.iter().map(|race| {
        let known: Vec<Place> = general::places(race, sources).into_iter().flatten().collect();
        let at = match known.as_slice() {
            [first, second] => both([first, second]),
            some => some.first().map(short).unwrap_or_default(),
        };
        let id = general_id(race, sources).to_string();
        [id, "either order".into(), general::on(race), at, String::new(), String::new()]
    });
    let mut rows: Vec<Row> = vec![["id", "what", "on", "where", "seen", "fix"].map(str::to_owned)];
    rows.extend(races.chain(deadlocks).chain(errors).chain(general).take(LISTED));
    print(page, &mut rows);
    if all > LISTED {
        page.headline(Role::Plain, 2, &format!("… and {}", count((all - LISTED) as u64, "more finding")));
    }
    page.blank();
}

fn race(index: usize, group: &Group<'_>, owners: &[usize], sources: &Sources) -> Row {
    let shown = view::race(group, sources);
    let causes = group.follows_from(index, owners);
    let fix = match causes.first() {
        Some(cause) => format!("after {}", cause + 1),
        None => "first".to_owned(),
    };
    let places = [&shown.race.first.at, &shown.race.second.at];
    let on = match &shown.race.object {
        Some(Object::Heap { size, .. }) if shown.what.starts_with("a heap block") => {
            format!("a block of {}", count(*size, "byte"))
        }
        _ => safe(&shown.what),
    };
    [group.id.to_string(), format!("race {}", index + 1), on, both(places), grouped(group.seen()), fix]
}

/// Two places in as few words as say it: `f.c:4:5, 8:9`.
fn both([first, second]: [&Place; 2]) -> String {
    if first.file == second.file && first.line == second.line {
        short(first)
    } else if first.file == second.file && second.line > 0 {
        format!("{}, {}", short(first), second.line)
    } else {
        format!("{}, {}", short(first), short(second))
    }
}

fn at(places: &[&Place], sources: &Sources) -> String {
    let names: Vec<String> = places.iter().take(2).map(|at| short(&view::place(at, sources))).collect();
    names.join(", ")
}

fn short(at: &Place) -> String {
    place_name(&Place { column: 0, ..at.clone() })
}

/// Columns as wide as they need; the two that name things share what is left of the line.
fn print(page: &mut Page, rows: &mut [Row]) {
    // A column that says nothing goes.
    let is_empty = |column: usize| rows[1..].iter().all(|row| row[column].is_empty());
    let columns: Vec<usize> = (0..6).filter(|&column| !is_empty(column)).collect();
    let width =
        |rows: &[Row], column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let mut widths: Vec<usize> = columns.iter().map(|&column| width(rows, column)).collect();
    let room = page.style.width.saturating_sub(2 + 2 * (columns.len() - 1));
    let excess = widths.iter().sum::<usize>().saturating_sub(room);
    if excess > 0 {
        let wide: Vec<usize> = (0..columns.len()).filter(|&i| columns[i] == 2 || columns[i] == 3).collect();
        let given: usize = wide.iter().map(|&i| widths[i]).sum::<usize>().saturating_sub(excess);
        // Half each, unless one needs less.
        if let [on, at] = wide[..] {
            let fit = |needed: usize, room: usize| needed.min(room.max(NARROW));
            widths[on] = fit(widths[on], given.saturating_sub(widths[at].min(given / 2)));
            widths[at] = fit(widths[at], given.saturating_sub(widths[on]));
        }
    }
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::from("  ");
        for (&column, &width) in columns.iter().zip(&widths) {
            let cell = match column {
                3 => cut_left(&row[column], width),
                _ => cut_right(&row[column], width),
            };
            let pad = " ".repeat(width.saturating_sub(cell.chars().count()));
            // Numbers stand to the right.
            line += &if column == 4 { format!("{pad}{cell}  ") } else { format!("{cell}{pad}  ") };
        }
        let role = if number == 0 { Role::Label } else { Role::Plain };
        let line = page.paint(role, line.trim_end());
        page.line(&line);
    }
}

fn cut_right(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The end of a path tells most.
fn cut_left(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(length + 1 - width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Style;

    #[test]
    fn the_table_keeps_within_the_width() {
        let row = |on: &str, at: &str| ["0123456789", "race 1", on, at, "12", "first"].map(str::to_owned);
        let long = "a_very_long_name_of_something.with_a_field_of_a_field_of_a_field";
        let path = "some/long/path/to/a/file/in/a/folder/file.cpp:120, other/file.cpp:1400";
        for (on, at) in [("x", "f.c:1"), (long, path), (long, "f.c:1"), ("x", path)] {
            let mut page = Page::new(Style::plain());
            print(&mut page, &mut [row("on", "where"), row(on, at), row("x", "f.c:1")]);
            let text = page.into_string();
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(text.contains("first"), "{text}");
        }
    }

    #[test]
    fn places_are_named_once() {
        let place = |file: &str, line| Place { file: file.into(), line, column: 3 };
        assert_eq!(both([&place("f.c", 4), &place("f.c", 4)]), "f.c:4");
        assert_eq!(both([&place("f.c", 4), &place("f.c", 8)]), "f.c:4, 8");
        assert_eq!(both([&place("f.c", 4), &place("g.c", 8)]), "f.c:4, g.c:8");
    }
}
