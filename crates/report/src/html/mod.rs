//! The report as one HTML page that needs no network: `--format html`; docs/HTML.md describes it.

use crate::Sources;
use crate::playback::Playback;
use raceproof_core::finding::Report;

/// What the page shows beside the report, as far as the command has it.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// The computation graph of a run, as `graph --format json` writes it.
    pub graph: Option<String>,
    /// Why there is no graph, or not the whole of it; shown in its place.
    pub graph_note: Option<String>,
    /// The witnesses of findings, played back.
    pub playbacks: Vec<Playback>,
    /// Why findings with a witness have no playback; shown in its place.
    pub playback_note: Option<String>,
}

/// The whole page.
pub fn render(report: &Report, sources: &Sources, extras: &Extras) -> String {
    let _ = (report, sources, extras);
    String::new()
}
