//! The HTML page as people use it: in a real browser, with mouse and keyboard.
//!
//! `RACEPROOF_SCREENSHOTS=FOLDER` keeps pictures of what the tests see.

use crate::browser::{Tab, browser};
use crate::common;
use crate::html::{HOSTILE, hostile, page_of};

use common::{native, sample};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{GeneralRace, GeneralSide, Grade, Related, Report};
use raceproof_report::html::{self, Extras};
use raceproof_report::listed::identify;
use serde_json::json;

/// A race to fix, its consequence, another of the same cause, one in a second file that is less
/// sure, a deadlock and an error.
fn mixed() -> String {
    let place = |file: &str, line| raceproof_core::finding::Place { file: file.into(), line, column: 1 };
    let pair = |location: &str, file: &str, lines: [u32; 2]| {
        let mut write = sample::access(AccessKind::Write, "main/1", place(file, lines[0]));
        write.spawned = vec![sample::spawned("main/1", place(file, 9))];
        sample::race(location, write, sample::access(AccessKind::Read, "main", place(file, lines[1])))
    };
    let mut consequence = pair("copy", "f.tp", [3, 4]);
    (consequence.partition, consequence.artifact_of) = (2, vec![2]);
    let mut unsure = pair("other", "g.tp", [5, 6]);
    (unsure.partition, unsure.grade) = (2, Grade::Apparent);
    let cause = [pair("cell[0]", "f.tp", [1, 2]), pair("cell[1]", "f.tp", [1, 2])];
    let [one, two] = cause;
    let mut report: Report = sample::report(vec![consequence, unsure, one, two]);
    report.deadlocks = sample::circle().deadlocks;
    report.errors = sample::fails().errors;
    let mut sources = sample::sources(&(1..40).map(|n| format!("line_{n} = {n};\n")).collect::<String>());
    sources.insert("g.tp", "alpha\nbeta\n");
    html::render(&report, &sources, &Extras::default())
}

/// The titles of the list, from top to bottom.
fn titles(tab: &mut Tab<'_>) -> Vec<String> {
    let titles =
        tab.eval("[...document.querySelectorAll('#rows .row .title')].map((row) => row.textContent)");
    serde_json::from_value(titles).expect("titles are texts")
}

#[test]
fn the_races_to_fix_come_first_with_their_consequences_folded() {
    let browser = browser();
    let mut tab = browser.open(&mixed());
    assert_eq!(titles(&mut tab), ["cell[0]", "other", "x == n is false", "3 waiting tasks"]);
    assert_eq!(tab.text("#rows .head"), "FIX FIRST");
    assert_eq!(tab.text("#count"), "3 races in 4 variants, 2 other findings");
    assert!(tab.text("#verdict").contains("race in f.tp"));
    assert!(tab.text("article h2").contains("Data race on cell[0]"));
    assert!(tab.text("article .chips").contains("fix first"));
    // The other cell and the consequence are below it.
    tab.click("#rows .row .twist");
    assert_eq!(
        titles(&mut tab),
        ["cell[0]", "cell[1]", "copy", "other", "x == n is false", "3 waiting tasks"]
    );
    assert!(tab.text("#row-race-0").contains("consequence"));
    tab.click("#row-race-0");
    assert!(tab.text("article h2").contains("copy"));
    assert!(tab.text("article .artifact").contains("May be a mere consequence of cell[0]"));
    // And back by the link.
    tab.click("article .artifact .link");
    assert!(tab.text("article h2").contains("cell[0]"));
    tab.click("#row-error-0");
    assert!(tab.text("article h2").contains("Program error: assertion"));
    assert_eq!(tab.text("article .message"), "x == n is false");
    tab.click("#row-deadlock-0");
    assert!(tab.text("article").contains("main/1 waits for lock b"));
    assert!(tab.text("article").contains("held by main/2"));
    tab.screenshot("mixed");
    tab.is_clean();
}

/// What other findings have as well: the id of nondeterminism, the places that have to do with an
/// error.
#[test]
fn other_findings_are_shown_in_full() {
    let (mut report, sources) = (sample::fails(), sample::sources(sample::LOCKS));
    report.errors[0].related =
        vec![Related { what: "the lock was taken here".into(), at: sample::at(3, 15) }];
    let side = |task: &str, access, at| GeneralSide { task: task.into(), access: Some(access), at: Some(at) };
    report.general_races = vec![GeneralRace {
        id: String::new(),
        kind: "sections".into(),
        on: "l".into(),
        location: Some("total[0]".into()),
        first: side("main/1", AccessKind::Write, sample::at(3, 15)),
        second: side("main/2", AccessKind::Read, sample::at(3, 26)),
    }];
    identify(&mut report, &sources);
    let browser = browser();
    let mut tab = browser.open(&html::render(&report, &sources, &Extras::default()));
    tab.click("#row-error-0");
    assert!(tab.text("article .related").contains("the lock was taken here"));
    assert_eq!(tab.text("article .related .line.hit .number"), "3");
    tab.click("#row-general-0");
    assert!(tab.text("article .chips").contains(&report.general_races[0].id));
    tab.is_clean();
}

#[test]
fn search_and_filters_leave_what_fits() {
    let browser = browser();
    let mut tab = browser.open(&mixed());
    tab.keys(&["/"]);
    assert_eq!(tab.eval("document.activeElement.id"), "search");
    tab.types("COPY");
    // What is found below another row is shown with it.
    assert_eq!(titles(&mut tab), ["cell[0]", "copy"]);
    assert_eq!(tab.text("#count"), "1 of 6 fit");
    tab.keys(&["Enter"]);
    assert_eq!(tab.eval("document.activeElement.id"), "list");
    tab.eval("document.getElementById('search').value = ''");
    tab.click("#search");
    tab.types("lock main/2");
    assert_eq!(titles(&mut tab), ["3 waiting tasks"]);
    tab.types(" nothing has these words");
    assert_eq!(titles(&mut tab), [""; 0]);
    let set = |id: &str, value: &str| {
        format!(
            "(() => {{ const field = document.getElementById('{id}'); field.value = '{value}'; \
             field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input')); }})()"
        )
    };
    tab.eval(&set("search", ""));
    tab.eval(&set("by-grade", "apparent"));
    assert_eq!(titles(&mut tab), ["other"]);
    tab.eval(&set("by-grade", ""));
    tab.eval(&set("by-kind", "deadlock"));
    assert_eq!(titles(&mut tab), ["3 waiting tasks"]);
    tab.eval(&set("by-kind", ""));
    tab.eval(&set("by-file", "g.tp"));
    assert_eq!(titles(&mut tab), ["other"]);
    tab.is_clean();
}

#[test]
fn both_excerpts_have_their_marks() {
    let browser = browser();
    let mut tab = browser.open(&page_of("examples/bank_locks_racy.tp", &[]));
    let mark = |side: &str| format!(".access.side-{side} mark.side-{side}");
    assert_eq!(tab.text(&mark("A")), "balance[0]");
    assert_eq!(tab.text(&mark("B")), "balance[0]");
    assert_eq!(tab.text(".access.side-A .line.hit .gutter"), "A");
    assert_eq!(tab.text(".access.side-A .line.hit .number"), "18");
    assert!(tab.text(".access.side-A .facts").contains("l0"));
    let before = tab.count(".access.side-A .line");
    tab.click(".access.side-A .more");
    assert!(tab.count(".access.side-A .line") > before);
    assert!(tab.text(".advice").starts_with("Why main spawned main/1"));
    assert!(tab.text(".paths").contains("The paths part in main."));
    assert!(tab.text(".paths").contains("async {"));
    tab.is_clean();
}

#[test]
fn the_witness_steps_forward_and_back() {
    let browser = browser();
    let mut tab = browser.open(&page_of("examples/bank_locks_racy.tp", &[]));
    let position = |tab: &mut Tab<'_>| tab.text(".player .position");
    let total: usize =
        position(&mut tab).rsplit(' ').next().and_then(|n| n.parse().ok()).expect("0 of TOTAL");
    assert!(total >= 4, "{total} actions");
    assert!(position(&mut tab).starts_with("0 of"));
    assert_eq!(tab.text(".player .now"), "Before the first action.");
    let forward = ".player [aria-label^=Forward]";
    tab.click(forward);
    assert!(position(&mut tab).starts_with("1 of"));
    assert_eq!(tab.count(".player .action.current"), 1);
    assert_eq!(tab.text(".player .here .line.hit .gutter"), "▶");
    // To where a value is written, which the table then shows.
    let mut written = None;
    for _ in 1..total {
        tab.click(forward);
        let now = tab.text(".player .now");
        if let Some((_, rest)) = now.split_once(" writes ") {
            let (name, value) = rest.split_once(": ").unwrap_or((rest, ""));
            written = Some((name.to_owned(), value.split(':').next().unwrap_or_default().to_owned()));
            break;
        }
    }
    let (name, value) = written.expect("the witness writes");
    assert_eq!(tab.text(".values .changed th"), format!("▶ {name}"));
    assert_eq!(tab.text(".values .changed td"), value);
    let reached = position(&mut tab);
    tab.click(".player [aria-label^=Back]");
    assert_ne!(position(&mut tab), reached);
    assert_eq!(tab.count(".player .action.current"), 1);
    // Both racing accesses are marked, in their lanes.
    tab.click(".player [aria-label^=Last]");
    assert_eq!(position(&mut tab), format!("{total} of {total}"));
    assert_eq!([tab.count(".action.racing.side-A"), tab.count(".action.racing.side-B")], [1, 1]);
    tab.screenshot("player");
    tab.click(".player [aria-label^=First]");
    assert!(position(&mut tab).starts_with("0 of"));
    tab.click(".action[data-index='2']");
    assert!(position(&mut tab).starts_with("3 of"));
    // Played, it comes to the end by itself.
    tab.click(".player [aria-label^='Play']");
    tab.wait_for("!document.querySelector('.player .position').textContent.startsWith('3 ')");
    tab.click(".player [aria-label^='Play']");
    let stopped = position(&mut tab);
    tab.settle();
    assert_eq!(position(&mut tab), stopped);
    tab.is_clean();
}

#[test]
fn the_graph_marks_zooms_folds() {
    let browser = browser();
    let mut tab = browser.open(&page_of("examples/netzer_workq.tp", &[]));
    let badges =
        "[...document.querySelectorAll('.graph .badge text')].map((text) => text.textContent).sort()";
    assert_eq!(tab.eval(badges), json!(["A", "B", "F"]));
    assert_eq!(tab.text(".legend").split(' ').next(), Some("A"));
    let transform = "document.querySelector('.graph .layer').getAttribute('transform')";
    let before = tab.eval(transform);
    tab.click(".toolbar [aria-label^='Zoom in']");
    let zoomed = tab.eval(transform);
    assert_ne!(zoomed, before);
    tab.drag("svg.graph", 40.0, 25.0);
    assert_ne!(tab.eval(transform), zoomed);
    tab.click(".toolbar [aria-label^='Fit']");
    tab.screenshot("graph");
    // A task's own title folds it, and a stub stands for it.
    let (items, heads) = (tab.count(".graph .item"), tab.count(".graph .head"));
    assert_eq!(tab.count(".graph .stub"), 0);
    tab.click(".graph .head[aria-label='Fold main/2']");
    assert!(tab.count(".graph .item") < items && tab.count(".graph .head") < heads);
    assert_eq!(tab.count(".graph .stub"), 1);
    assert_eq!(tab.eval(badges), json!(["A", "F"]));
    tab.click(".toolbar [aria-label^='Fit']");
    tab.click(".graph .stub");
    assert_eq!(tab.eval(badges), json!(["A", "B", "F"]));
    tab.click(".toolbar [aria-label^='Fold the tasks']");
    assert!(tab.count(".graph .stub") > 0);
    tab.click(".toolbar [aria-label^='As at first']");
    assert_eq!([tab.count(".graph .item"), tab.count(".graph .head")], [items, heads]);
    // A step says what it accesses.
    tab.click(".graph .item.side-A");
    assert!(tab.text(".spoken").contains("next at programs/tp/examples/netzer_workq.tp:33"));
    tab.is_clean();
}

#[test]
fn light_and_dark() {
    let browser = browser();
    let mut tab = browser.open(&page_of("examples/bank_locks_racy.tp", &[]));
    let back = "getComputedStyle(document.body).backgroundColor";
    tab.media("", "light");
    let light = tab.eval(back);
    tab.screenshot("light");
    tab.media("", "dark");
    let dark = tab.eval(back);
    assert_ne!(light, dark);
    tab.screenshot("dark");
    // The page's own choice goes before the system's: auto, light, dark.
    tab.keys(&["t"]);
    assert_eq!(
        [tab.eval(back), tab.eval("document.getElementById('theme').textContent")],
        [light.clone(), "Theme: light".into()]
    );
    tab.media("", "light");
    tab.click("#theme");
    assert_eq!(tab.eval(back), dark);
    tab.click("#theme");
    assert_eq!(tab.eval(back), light);
    // Text is readable on its ground: the contrast that WCAG asks for, 4.5 to 1.
    for scheme in ["light", "dark"] {
        tab.media("", scheme);
        let poor = tab.eval(CONTRAST);
        assert_eq!(poor, json!([]), "in the {scheme} page");
    }
    tab.is_clean();
}

/// The elements whose text has too little contrast with the colour behind it.
const CONTRAST: &str = r#"(() => {
  const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const part = c[i] / 255;
    return sum + weight * (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const poor = new Set();
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    const style = getComputedStyle(node);
    if (!own || node.closest("svg, script, noscript, [aria-disabled=true], select") || !node.checkVisibility()) continue;
    const [a, b] = [light(rgb(style.color)), light(behind(node))];
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) poor.add(node.className || node.tagName);
  }
  return [...poor];
})()"#;

#[test]
fn the_keyboard_is_enough() {
    let browser = browser();
    let mut tab = browser.open(&page_of("examples/netzer_workq.tp", &[]));
    let focus = "document.activeElement.id || document.activeElement.className.baseVal || document.activeElement.className";
    tab.keys(&["Tab"]);
    assert_eq!(tab.eval(focus), "skip");
    // Whatever has the focus shows it.
    for _ in 0..6 {
        tab.keys(&["Tab"]);
        let outline = tab.eval("getComputedStyle(document.activeElement).outlineStyle");
        let name = tab.eval(focus);
        assert_ne!(outline, "none", "{name} has the focus and does not show it");
    }
    tab.keys(&["l"]);
    assert_eq!(tab.eval(focus), "list");
    let first = tab.eval("document.querySelector('article').dataset.key");
    tab.keys(&["ArrowRight", "ArrowDown"]);
    let second = tab.eval("document.querySelector('article').dataset.key");
    assert_ne!(first, second);
    let active = "document.getElementById('list').getAttribute('aria-activedescendant')";
    assert_eq!(tab.eval(active), format!("row-{}", second.as_str().expect("keys are texts")));
    assert_eq!(tab.eval("document.querySelectorAll('#rows .row')[1].ariaSelected"), "true");
    tab.keys(&["k"]);
    assert_eq!(tab.eval("document.querySelector('.row.chosen').getAttribute('aria-expanded')"), "true");
    tab.keys(&["ArrowLeft"]);
    assert_eq!(tab.eval("document.querySelector('.row.chosen').getAttribute('aria-expanded')"), "false");
    tab.keys(&["Enter"]);
    assert_eq!(tab.eval(focus), "finding");
    tab.keys(&["ArrowRight", "ArrowRight", "ArrowLeft"]);
    assert!(tab.text(".player .position").starts_with("1 of"));
    tab.keys(&["End"]);
    let last = tab.text(".player .position");
    let (done, total) = last.split_once(" of ").expect("DONE of TOTAL");
    assert_eq!(done, total);
    tab.keys(&["g"]);
    assert_eq!(tab.eval(focus), "graph");
    let transform = "document.querySelector('.graph .layer').getAttribute('transform')";
    let before = tab.eval(transform);
    tab.keys(&["+", "ArrowUp"]);
    assert_ne!(tab.eval(transform), before);
    // The witness stays where it was: arrows are the graph's there.
    assert_eq!(tab.text(".player .position"), last);
    tab.keys(&["?"]);
    assert_eq!(tab.eval("document.getElementById('help').open"), true);
    tab.screenshot("help");
    tab.keys(&["Escape"]);
    assert_eq!(tab.eval("document.getElementById('help').open"), false);
    // What can be pressed has a name.
    let nameless = "[...document.querySelectorAll('button, [role=button], input, select')].filter((one) => \
         !one.matches('[aria-hidden=true]') && !(one.getAttribute('aria-label') || one.textContent.trim() \
         || one.closest('label')?.textContent.trim())).map((one) => one.outerHTML)";
    assert_eq!(tab.eval(nameless), json!([]));
    tab.is_clean();
}

#[test]
fn on_paper_every_finding_is_written_out() {
    let browser = browser();
    let mut tab = browser.open(&mixed());
    assert_eq!(tab.count("#paper article"), 0);
    tab.eval("addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('#paper article').length; })");
    let pages = tab.print("paper");
    assert!(pages > 1, "{pages} pages");
    // Four causes of races and consequences less one cell that is told with its cause.
    assert_eq!(tab.eval("window.printed"), 5);
    assert_eq!(tab.count("#paper article"), 0, "the screen is as before");
    tab.media("print", "dark");
    tab.eval("dispatchEvent(new Event('beforeprint'))");
    let shown = |tab: &mut Tab<'_>, selector: &str| {
        tab.eval(&format!("document.querySelector({selector:?}).checkVisibility()")) == true
    };
    assert!(shown(&mut tab, "#paper article") && !shown(&mut tab, "#panes") && !shown(&mut tab, ".tools"));
    assert_eq!(tab.eval("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    let paper = tab.text("#paper");
    for words in [
        "Data race on cell[0]",
        "Data race on copy",
        "Data race on other",
        "x == n is false",
        "waits for lock b",
    ] {
        assert!(paper.contains(words), "{words} in {paper}");
    }
    tab.is_clean();
}

#[test]
fn a_narrow_window_needs_no_sideways_scrolling() {
    let browser = browser();
    let mut tab = browser.open(&page_of("examples/netzer_workq.tp", &[]));
    for width in [360, 700, 1000] {
        tab.resize(width, 800);
        tab.settle();
        let wide = tab.number("document.scrollingElement.scrollWidth");
        assert!(wide <= f64::from(width), "{wide} wide in a window of {width}");
        tab.screenshot(&format!("narrow-{width}"));
    }
    tab.is_clean();
}

#[test]
fn names_of_the_program_are_shown_and_not_run() {
    let browser = browser();
    let mut tab = browser.open(&hostile());
    assert!(tab.text("article h2").contains("</script><script>window.hit = 1</script>"));
    let [location, task, ..] = HOSTILE;
    assert_eq!(tab.eval("document.querySelector('.row .title').textContent"), location);
    tab.click(".player [aria-label^=Last]");
    assert_eq!(tab.eval("document.querySelector('.values .changed td').textContent"), task);
    tab.eval("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(tab.eval("typeof window.hit"), "undefined");
    assert_eq!(tab.count("img"), 0);
    tab.is_clean();
}

/// 1,000 causes, a graph of 100,000 steps in 20,001 tasks.
fn big() -> String {
    let place = |line| raceproof_core::finding::Place { file: "f.tp".into(), line, column: 1 };
    let race = |n: u32| {
        let (a, b) = (format!("main/{}", 2 * n + 1), format!("main/{}", 2 * n + 2));
        let mut write = sample::access(AccessKind::Write, &a, place(2 * n + 1));
        write.spawned = vec![sample::spawned(&a, place(1))];
        let mut read = sample::access(AccessKind::Read, &b, place(2 * n + 2));
        read.spawned = vec![sample::spawned(&b, place(1))];
        sample::race(&format!("cell_{n}"), write, read)
    };
    let report = sample::report((0..1_000).map(race).collect());
    let text: String = (1..=2_000).map(|n| format!("line {n}\n")).collect();
    let (mut tasks, mut nodes, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let step = |id: u32, task: &str, number: u32, accesses: serde_json::Value| json!({ "id": id, "kind": "step", "task": task, "task_id": number, "sync": null, "section": null, "racy": true, "accesses": accesses });
    // The steps of main come first, then four of each child: ids are in the order of a run by
    // levels.
    let children = 20_000u32;
    tasks.push(json!({ "id": 0, "task": "main", "parent": null, "spawned": null, "first": 0, "last": children, "ended": true }));
    for n in 0..=children {
        nodes.push(step(n, "main", 0, json!([])));
        if n > 0 {
            edges.push(json!({ "from": n - 1, "to": n, "kind": "continue" }));
        }
    }
    for child in 1..=children {
        let (name, first) = (format!("main/{child}"), children + 1 + (child - 1) * 4);
        tasks.push(json!({ "id": child, "task": name, "parent": 0, "spawned": { "file": "f.tp", "line": 1, "column": 1 }, "first": first, "last": first + 3, "ended": true }));
        edges.push(json!({ "from": child - 1, "to": first, "kind": "spawn" }));
        for id in first..first + 4 {
            let access = if child % 2 == 1 { "write" } else { "read" };
            let accesses = json!([{ "access": access, "location": format!("cell_{}", (child - 1) / 2), "file": "f.tp", "line": child, "column": 1, "label": "" }]);
            nodes.push(step(id, &name, child, if id == first + 2 { accesses } else { json!([]) }));
            if id > first {
                edges.push(json!({ "from": id - 1, "to": id, "kind": "continue" }));
            }
        }
    }
    let graph = json!({ "tool": "raceproof", "version": "", "schema": 1, "complete": true, "tasks": tasks, "nodes": nodes, "edges": edges });
    let extras = Extras { graph: Some(graph.to_string()), ..Extras::default() };
    html::render(&report, &sample::sources(&text), &extras)
}

#[test]
fn a_large_report_keeps_the_page_small() {
    let browser = browser();
    let page = big();
    let mut tab = browser.open(&page);
    tab.wait_for("document.querySelectorAll('.graph .badge').length === 3");
    let nodes = "document.querySelectorAll('*').length";
    let at_first = tab.number(nodes);
    assert!(at_first < 1_500.0, "{at_first} elements");
    assert_eq!(tab.text("#count"), "1,000 races");
    assert!(tab.text(".graph-frame .hint").contains("20,001 tasks, 100,001 steps"));
    tab.screenshot("big");
    // The end of the list, and the race there.
    tab.keys(&["l", "End"]);
    assert!(tab.text("article h2").contains("cell_999"));
    assert!(tab.text(".row.chosen").contains("cell_999"));
    tab.wait_for("document.querySelectorAll('.graph .badge').length === 3");
    tab.click(".toolbar [aria-label^='Unfold']");
    let unfolded = tab.number(nodes);
    assert!(unfolded < 8_000.0, "{unfolded} elements");
    tab.keys(&["/"]);
    tab.types("cell_77");
    // cell_77 and cell_770 to cell_779.
    assert_eq!(tab.text("#count"), "11 of 1,000 fit");
    let shown = tab.eval("performance.getEntriesByName('raceproof-shown')[0].startTime");
    println!("{} bytes; the first race is shown after {shown} ms", page.len());
    tab.is_clean();
}

#[test]
fn native_programs_have_constructs_memory_and_operations() {
    let browser = browser();
    let page = |report: &Report| html::render(report, &native::sources(), &Extras::default());
    let mut tab = browser.open(&page(&native::half_locked()));
    assert!(tab.text(".access.side-A .facts").contains("holds critical(sum) in for at f.c:8"));
    assert!(tab.text(".access.side-B .facts").contains("4 bytes holds no lock"));
    assert!(tab.text(".advice").contains("What the global variable sum"));
    assert!(tab.text(".paths").contains("main/1 spawned by parallel, thread 0 at f.c:6:1"));
    tab.click("#basis summary");
    assert!(tab.text("#facts").contains("Team sizes 2, 4 Suppressed 1 finding"));
    tab.is_clean();
    drop(tab);
    let mut tab = browser.open(&page(&native::freed()));
    assert!(tab.text(".access.side-B h3").contains("free by main/1/2"));
    assert!(tab.text(".advice").contains("a block of 40 bytes, allocated by main at f.c:5:12"));
    assert!(tab.text(".graph-frame, details.part .missing").contains("records no computation graph"));
    tab.is_clean();
    drop(tab);
    let mut tab = browser.open(&page(&native::grandchild()));
    assert!(tab.text(".paths").contains("The paths part in main/1."));
    assert!(tab.text(".paths").contains("main/1 goes on by itself."));
    tab.is_clean();
}

#[test]
fn pages_of_the_corpus_open_without_complaint() {
    let browser = browser();
    for program in [
        "examples/deadlock_futures.tp",
        "examples/deadlock_get_cycle.tp",
        "examples/error_assert.tp",
        "examples/matmul_rows_racy.tp",
        "examples/netzer_fig2_1.tp",
        "examples/pipeline_promises.tp",
        "examples/semaphore_mutex_racy.tp",
        "examples/stencil_promises_racy.tp",
    ] {
        let mut tab = browser.open(&page_of(program, &[]));
        let findings = tab.number("document.querySelectorAll('#rows .row').length");
        let clean = program.ends_with("pipeline_promises.tp");
        assert_eq!(findings == 0.0, clean, "{program}");
        if clean {
            assert!(tab.text("#verdict").contains("race-free"));
            assert!(tab.text("#finding").contains("Nothing was found"));
        }
        for _ in 0..8 {
            tab.keys(&["j"]);
            tab.keys(&["End", "Home"]);
        }
        tab.is_clean();
    }
}
