//! The text report, as golden files and by properties that must hold of every report.

use crate::common;

use common::{golden, sample};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{
    EnteredSection, Frame, GeneralRace, GeneralSide, Grade, Place, Report, Scope, Verdict,
};
use raceproof_report::{Sources, Style, text};
use std::time::{Duration, SystemTime};

/// Renders plainly and checks what holds of every report.
fn plain(report: &Report, sources: &Sources) -> String {
    let text = text::render(report, sources, Style::plain());
    for line in text.lines() {
        assert_eq!(line, line.trim_end(), "trailing space");
        // What editors read is never broken.
        let is_finding =
            [": error: ", ": warning: ", ": note: "].iter().any(|severity| line.contains(severity));
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

fn frame(function: &str, file: &str, line: u32) -> Frame {
    Frame { function: function.into(), call: Place { file: file.into(), line, column: 5 } }
}

/// The user's line is shown, and what a library does below it in two remarks.
#[test]
fn a_library_is_folded_below_the_users_line() {
    let mut report = sample::spawner();
    let race = &mut report.races[0];
    let header = "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/vector.tcc";
    race.location = "values._M_impl._M_finish".into();
    for (side, line) in [(&mut race.first, 4), (&mut race.second, 8)] {
        let user = std::mem::replace(&mut side.at, Place { file: header.into(), line: 114, column: 6 });
        side.stack = vec![
            frame("int& std::vector<int, std::allocator<int> >::emplace_back<int>(int&&)", header, 1294),
            frame("std::vector<int, std::allocator<int> >::push_back(int&&)", "f.tp", line),
            frame("add", "/usr/include/c++/12/bits/stl_algo.h", 30),
            frame("void std::for_each<int*, main::{lambda(int)#1}>(int*, int*)", "f.tp", 20),
            frame("main", "", 0),
        ];
        side.stack[1].call = user;
    }
    golden::check("text/library.txt", &plain(&report, &sample::sources(sample::SPAWNER)));
}

#[test]
fn recursion_is_told_once() {
    let mut report = sample::spawner();
    let side = &mut report.races[0].first;
    side.stack = (0..40).map(|_| frame("walk", "f.tp", 6)).chain([frame("start", "f.tp", 7)]).collect();
    side.task = "main/1/1/2/1/1".into();
    side.spawned = ["main/1", "main/1/1", "main/1/1/2", "main/1/1/2/1", "main/1/1/2/1/1"]
        .into_iter()
        .zip([3, 5, 5, 5, 5])
        .map(|(task, line)| sample::spawned(task, sample::at(line, 3)))
        .collect();
    golden::check("text/recursion.txt", &plain(&report, &sample::sources(sample::SPAWNER)));
}

#[test]
fn the_order_of_sections_is_told() {
    let mut report = sample::locks();
    let tasks = [&report.races[0].first.task, &report.races[0].second.task];
    let [one, other] = tasks.map(|task| EnteredSection {
        task: task.clone(),
        lock: "l".into(),
        at: Some(sample::at(3, 15)),
    });
    let witness = report.races[0].witness.get_or_insert_default();
    witness.keep_sections(vec![other.clone(), one, other]);
    let text = plain(&report, &sample::sources(sample::LOCKS));
    let told = unwrapped(text.split("witness: ").nth(1).expect("a witness"));
    let expected = format!(
        "leads here. In it {} enters l at f.tp:3:15 before {} at f.tp:3:15.",
        report.races[0].first.task, report.races[0].second.task
    );
    assert!(told.contains(&expected), "{told}");
}

fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Nondeterminism has its line for editors, its id, its excerpts and its row in the table, as any
/// finding.
#[test]
fn nondeterminism_is_a_finding_like_others() {
    let (mut report, sources) = (sample::locks(), sample::sources(sample::LOCKS));
    let side = |task: &str, access, at| GeneralSide { task: task.into(), access, at };
    report.general_races = vec![
        GeneralRace {
            id: String::new(),
            kind: "sections".into(),
            on: "l".into(),
            location: Some("total[0]".into()),
            first: side("main/1", Some(AccessKind::Write), Some(sample::at(3, 15))),
            second: side("main/2", Some(AccessKind::Read), Some(sample::at(3, 26))),
        },
        GeneralRace {
            id: String::new(),
            kind: "gives".into(),
            on: "s".into(),
            location: None,
            first: side("main/1", None, None),
            second: side("main/2", None, None),
        },
    ];
    let text = plain(&report, &sources);
    golden::check("text/nondeterminism.txt", &text);
    let mut identified = report.clone();
    raceproof_report::listed::identify(&mut identified, &sources);
    for race in &identified.general_races {
        assert_eq!(text.matches(&race.id).count(), 2, "in its headline and in the table: {text}");
    }
    let one = text::render(&report, &sources, Style { findings: 1, ..Style::plain() });
    assert!(!one.contains("come in either order") && one.contains("2 findings not shown above"), "{one}");
}

/// A native program that was built without `-g` has places without lines.
#[test]
fn missing_debug_information_is_said() {
    let mut report = sample::spawner();
    let asked = |report: &Report| {
        let text = text::render(report, &sample::sources(sample::SPAWNER), Style::plain());
        unwrapped(&text).contains("the places of some accesses have no line: compile with -g")
    };
    report.threads = vec![4];
    assert!(!asked(&report));
    report.races[0].first.at = Place { file: String::new(), line: 0, column: 0 };
    assert!(asked(&report));
    report.threads.clear();
    assert!(!asked(&report), "of a program in TP every line is known");
}

/// A source that is newer than the program is named once, and no line of it is shown.
#[test]
fn sources_that_changed_since_are_not_shown() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/text.rs");
    let mut report = sample::spawner();
    report.races[0].first.at = Place { file: here.into(), line: 1, column: 1 };
    for (built, shown) in [
        (None, true),
        (Some(SystemTime::now() + Duration::from_secs(3600)), true),
        (Some(SystemTime::UNIX_EPOCH), false),
    ] {
        report.built = built;
        let mut sources = Sources::new();
        sources.load_for(&report);
        let text = text::render(&report, &sources, Style::plain());
        assert_eq!(text.contains("1 | //! The text report"), shown, "{text}");
        assert_eq!(
            unwrapped(&text).matches("changed since the program").count(),
            usize::from(!shown),
            "{text}"
        );
    }
    report.built = None;
    report.races[0].first.at.line = 1_000_000;
    let mut sources = Sources::new();
    sources.load_for(&report);
    let text = text::render(&report, &sources, Style::plain());
    assert!(unwrapped(&text).contains("changed since the program"), "a line beyond the end: {text}");
}

#[test]
fn the_width_is_the_readers() {
    let (report, sources) = (sample::spawner(), sample::sources(sample::SPAWNER));
    for width in [40, 60, 120] {
        let text = text::render(&report, &sources, Style { width, ..Style::plain() });
        let prose = text.lines().filter(|line| !line.contains(": error: ") && !line.contains("-->"));
        assert!(prose.clone().all(|line| line.chars().count() <= width), "{width}: {text}");
        assert!(prose.clone().any(|line| line.chars().count() + 20 > width), "{width}: {text}");
    }
}
