//! The text report, as golden files and by properties that must hold of every report.

use crate::common;

use common::{golden, sample};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Grade, Report, Scope, Verdict};
use raceproof_report::{Sources, Style, text};

/// Renders plainly and checks what holds of every report.
fn plain(report: &Report, sources: &Sources) -> String {
    let text = text::render(report, sources, Style::plain());
    for line in text.lines() {
        assert_eq!(line, line.trim_end(), "trailing space");
        // What editors read is never broken.
        let is_finding = [": error: ", ": note: "].iter().any(|severity| line.contains(severity));
        assert!(line.chars().count() <= 80 || is_finding, "wider than 80 columns: {line}");
    }
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    // Colour must add nothing but colour.
    let colored = text::render(report, sources, Style::colored());
    assert_eq!(strip(&colored), text);
    text
}

/// Removes ANSI colours.
fn strip(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        out.push_str(before);
        rest = after.split_once('m').expect("a colour ends in m").1;
    }
    out + rest
}

#[test]
fn a_child_against_its_spawner() {
    let (report, sources) = (sample::spawner(), sample::sources(sample::SPAWNER));
    golden::check("text/spawner.txt", &plain(&report, &sources));
    golden::check("text/spawner.ansi", &text::render(&report, &sources, Style::colored()));
}

#[test]
fn the_replay_hint_needs_a_witness_and_the_flag() {
    let sources = sample::sources(sample::SPAWNER);
    let style = Style { replay: true, ..Style::plain() };
    let mut report = sample::spawner();
    assert!(text::render(&report, &sources, style).contains("--witness report.json"));
    assert!(!text::render(&report, &sources, Style::plain()).contains("replay"));
    report.races[0].witness = None;
    assert!(!text::render(&report, &sources, style).contains("replay"));
}

#[test]
fn one_side_forgets_the_lock() {
    golden::check("text/locks.txt", &plain(&sample::locks(), &sample::sources(sample::LOCKS)));
}

#[test]
fn two_sides_hold_different_locks() {
    let mut report = sample::locks();
    report.races[0].second.locks = vec!["m".into()];
    golden::check("text/two_locks.txt", &plain(&report, &sample::sources(sample::LOCKS)));
}

#[test]
fn siblings_spawned_at_two_places() {
    let mut report = sample::spawner();
    let race = &mut report.races[0];
    race.second.task = "main/2".into();
    race.second.spawned = vec![sample::spawned("main/2", sample::at(7, 1))];
    golden::check("text/siblings.txt", &plain(&report, &sample::sources(sample::SPAWNER)));
}

#[test]
fn many_cells_are_one_block() {
    golden::check("text/many_cells.txt", &plain(&sample::many_cells(), &sample::sources(sample::LOOP)));
}

#[test]
fn which_access_came_first_does_not_part_a_block() {
    let mut report = sample::many_cells();
    for race in report.races.iter_mut().step_by(2) {
        std::mem::swap(&mut race.first, &mut race.second);
    }
    let text = plain(&report, &sample::sources(sample::LOOP));
    assert!(text.contains("… and 995 more cells") && !text.contains("race 2"), "{text}");
}

#[test]
fn sources_are_read_from_disk_where_they_are_there() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/text.rs");
    let mut report = sample::spawner();
    report.races[0].first.at.file = here.into();
    report.races[0].first.at.line = 1;
    let mut sources = Sources::new();
    sources.load_for(&report);
    let text = text::render(&report, &sources, Style::plain());
    assert!(text.contains("1 | //! The text report, as golden"), "{text}");
    assert!(text.contains("--> f.tp:8:9\n\n"), "a file that is not there is no error: {text}");
}

#[test]
fn many_blocks_are_cut() {
    let at_line = |line| {
        let mut write = sample::access(AccessKind::Write, "main/1", sample::at(line, 1));
        write.spawned = vec![sample::spawned("main/1", sample::at(1, 1))];
        sample::race("x", write, sample::access(AccessKind::Write, "main", sample::at(1000 + line, 1)))
    };
    let report = sample::report((1..=45).map(at_line).collect());
    let text = plain(&report, &Sources::new());
    assert!(text.contains("race 20 on x") && !text.contains("race 21 on x"), "{text}");
    assert!(text.contains("25 findings not shown above: `--max-findings 45`"), "{text}");
    // The table lists some of these, and counts the rest.
    assert!(text.contains("race 40 ") && text.contains("… and 5 more findings"), "{text}");
    assert!(text.contains("45 races"), "{text}");
}

#[test]
fn the_races_to_fix_first_come_first() {
    let mut report = sample::spawner();
    let mut cause = report.races[0].clone();
    cause.location = "y".into();
    cause.first.at.column = 1;
    report.races[0].partition = 2;
    report.races[0].artifact_of = vec![1];
    report.races.push(cause);
    let text = plain(&report, &sample::sources(sample::SPAWNER));
    assert!(text.contains("\nrace 1 on y"), "{text}");
    let second = text.split("race 2 on x").nth(1).expect("both are shown");
    assert!(second.contains("consequence of race 1;"), "{text}");
}

#[test]
fn deadlocks() {
    golden::check("text/circle.txt", &plain(&sample::circle(), &sample::sources(sample::CIRCLE)));
    golden::check("text/stuck.txt", &plain(&sample::stuck(), &sample::sources(sample::STUCK)));
}

#[test]
fn program_errors() {
    golden::check("text/fails.txt", &plain(&sample::fails(), &sample::sources(sample::FAILS)));
}

#[test]
fn race_free_says_what_it_claims() {
    let mut report = sample::report(vec![]);
    let mut all = plain(&report, &Sources::new());
    report.scope = Scope::ObservedSchedule;
    report.determinate = None;
    all += &plain(&report, &Sources::new());
    report.verdict = Verdict::Inconclusive;
    report.limits = vec!["stopped after 1,000 executions; raise --max-executions to go on".into()];
    report.scope = Scope::AllSchedules;
    all += &plain(&report, &Sources::new());
    golden::check("text/race_free.txt", &all);
}

#[test]
fn odd_input_is_shown_not_obeyed() {
    let mut report = sample::spawner();
    let race = &mut report.races[0];
    race.location = "x\x1b[2J".into();
    race.grade = Grade::Apparent;
    race.witness = None;
    race.fork = "nobody".into();
    race.first.spawned.clear();
    race.second.at.column = 0;
    race.second.at.line = u32::MAX;
    race.first.at.column = u32::MAX;
    let text = plain(&report, &sample::sources(sample::SPAWNER));
    assert!(!text.contains('\x1b'));
    golden::check("text/odd.txt", &text);
}

#[test]
fn a_long_line_is_cut_around_the_access() {
    let long = format!("{}x = 1;{}\n", "y = 2; ".repeat(30), " z = 3;".repeat(30));
    let mut report = sample::spawner();
    report.races[0].first.at = sample::at(1, 211);
    golden::check("text/long_line.txt", &plain(&report, &sample::sources(&long)));
}
