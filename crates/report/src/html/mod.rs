//! The report as one HTML page that needs no network: `--format html`; docs/HTML.md describes it.
//!
//! The page is a constant (`page.html`, `style.css` and the files of `script/`), with the data in
//! it as JSON. Each part that may be large has an element of its own (the graph, each playback),
//! which the script parses when it is looked at: the first finding is on the screen before that.

mod data;
mod sha256;

use crate::Sources;
use crate::playback::Playback;
use crate::sources::built_before;
use crate::trace::Analyzed;
use raceproof_core::finding::Report;
use serde::Serialize;

/// What the page shows beside the report, as far as the command has it.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// The computation graph of a run, as [`compact`](crate::graph::json::compact) writes it.
    pub graph: Option<String>,
    /// Why there is no graph, or not the whole of it; shown in its place.
    pub graph_note: Option<String>,
    /// The witnesses of findings, played back.
    pub playbacks: Vec<Playback>,
    /// Why findings with a witness have no playback; shown in its place.
    pub playback_note: Option<String>,
}

/// The page of a report.
pub fn render(report: &Report, sources: &Sources, extras: &Extras) -> String {
    let report = without_schedules(report.clone());
    page(&report, &report, sources, extras)
}

/// The page of a trace's analysis.
pub fn render_trace(analyzed: &Analyzed, sources: &Sources, extras: &Extras) -> String {
    let mut analyzed = analyzed.clone();
    analyzed.report = without_schedules(analyzed.report);
    page(&analyzed.report, &analyzed, sources, extras)
}

/// The schedule of each witness can be as long as the run. The page plays playbacks and asks only
/// whether there is a witness.
fn without_schedules(mut report: Report) -> Report {
    let races = report.races.iter_mut().map(|race| &mut race.witness);
    let deadlocks = report.deadlocks.iter_mut().map(|deadlock| &mut deadlock.witness);
    let errors = report.errors.iter_mut().map(|error| &mut error.witness);
    races.chain(deadlocks).chain(errors).flatten().for_each(|witness| witness.schedule.clear());
    report
}

/// Reads the files that the page shows and a text report does not: those of calls and spawns, and
/// of the actions of playbacks.
pub fn load_sources(sources: &mut Sources, report: &Report, extras: &Extras) {
    let files = data::places(report, extras).into_keys();
    files.for_each(|file| sources.load_file(file, built_before(report, file)));
}

/// The files that a report names.
pub fn files(report: &Report) -> Vec<String> {
    data::places(report, &Extras::default()).into_keys().map(str::to_owned).collect()
}

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
/// In the order in which they stand in the one script; the last one starts.
const SCRIPT: [&str; 6] = [
    include_str!("script/base.js"),
    include_str!("script/source.js"),
    include_str!("script/graph.js"),
    include_str!("script/player.js"),
    include_str!("script/detail.js"),
    include_str!("script/main.js"),
];

fn page(report: &Report, whole: &impl Serialize, sources: &Sources, extras: &Extras) -> String {
    let script = format!("\n(() => {{\n\"use strict\";\n{}}})();\n", SCRIPT.concat());
    let data = element("data", &json(&data::Data::new(report, whole, sources, extras)));
    // After the script, which runs before the browser has read them.
    let mut more = String::new();
    for (number, playback) in extras.playbacks.iter().enumerate() {
        more += &element(&format!("playback-{number}"), &json(playback));
    }
    if let Some(graph) = &extras.graph {
        more += &element("graph", graph);
    }
    let mut out =
        String::with_capacity(PAGE.len() + STYLE.len() + script.len() + data.len() + more.len() + 64);
    // Each name once, in the order of the page: what is put in is not looked at again.
    let mut rest = PAGE;
    let digest = sha256::base64(&script);
    for (name, text) in [
        ("{digest}", digest.as_str()),
        ("{title}", &escape(&data::title(report))),
        ("{style}", STYLE),
        ("{data}", &data),
        ("{script}", &script),
        ("{more}", &more),
    ] {
        let (before, after) = rest.split_once(name).unwrap_or((rest, ""));
        out += before;
        out += text;
        rest = after;
    }
    out += rest;
    out
}

fn element(id: &str, json: &str) -> String {
    format!("<script type=\"application/json\" id=\"{id}\">{}</script>\n", json.replace('<', "\\u003c"))
}

fn json(value: &impl Serialize) -> String {
    // Cannot fail: the types written here have string keys only.
    serde_json::to_string(value).expect("plain data serialises")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_of_the_page_is_filled() {
        let page = render(&Report::new("default"), &Sources::new(), &Extras::default());
        for slot in ["{digest}", "{title}", "{style}", "{data}", "{script}", "{more}"] {
            assert_eq!(PAGE.matches(slot).count(), 1, "{slot} in page.html");
            // The script has templates of its own, `${style}`.
            assert!(!page.replace("${", "$").contains(slot), "{slot} in the page");
        }
        assert!(page.ends_with("</html>\n"));
    }
}
