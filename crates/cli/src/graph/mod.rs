//! `graph`: one run of a program, and its computation graph with the racing steps marked. A TP
//! program is run by the interpreter; a native one as a process that records its run as a trace.

pub(crate) mod command;
mod recorded;

pub(crate) use recorded::{of_program, of_trace};

use crate::args::GraphFormat;
use raceproof::strategy::DepthFirst;
use raceproof_core::detect::racing_nodes::racing_nodes;
use raceproof_core::event::Observer;
use raceproof_core::finding::{Place, Report};
use raceproof_core::graph::{Graph, GraphBuilder};
use raceproof_core::ids::{Location, SiteId, TaskId};
use raceproof_report::graph::{Names, Picture, Site, dot, json, svg};
use raceproof_tp::code::Code;
use raceproof_tp::execute::{Bounds, Execution, execute};
use raceproof_tp::fault::Fault;
use std::collections::BTreeSet;

/// What a graph is drawn as.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DrawAs<'a> {
    File(GraphFormat),
    /// For the page of this report, which shows the accesses of its races, and few others.
    Page(&'a Report),
}

/// The most nodes of a graph on a page.
pub(crate) const LARGEST_PAGE: usize = 100_000;

/// Why a graph of so many steps is not on a page.
pub(crate) fn too_large(steps: u64) -> String {
    format!(
        "there is no graph: the run has {steps} steps, and a page shows at most {LARGEST_PAGE}; `raceproof graph` \
         draws a run of any size"
    )
}

/// A graph that has been drawn.
pub(crate) struct Drawn {
    pub(crate) text: String,
    /// Why the graph is not that of a run that came to its end, for people.
    pub(crate) notes: Vec<String>,
    /// Whether a limit cut the run short.
    pub(crate) cut_short: bool,
}

/// Runs a TP program once, depth-first, and draws what happened. The error says why it cannot be
/// drawn.
pub(crate) fn of_source(
    code: &Code,
    file: &str,
    draw_as: DrawAs<'_>,
    bounds: Bounds<'_>,
) -> Result<Drawn, String> {
    let mut execution = execute(code, file, GraphBuilder::new(), &mut DepthFirst, bounds);
    let graph = std::mem::take(&mut execution.run.kernel.observer).finish();
    let notes = notes(&execution, bounds.actions);
    let stop = || bounds.limits.reached().is_some();
    let run = DrawnRun { notes, cut_short: !execution.is_complete() };
    draw(&graph, &Named(&execution), draw_as, run, &stop)
}

/// What is known of a run beside its graph.
struct DrawnRun {
    notes: Vec<String>,
    cut_short: bool,
}

fn draw(
    graph: &Graph,
    names: &dyn Names,
    draw_as: DrawAs<'_>,
    run: DrawnRun,
    stop: &dyn Fn() -> bool,
) -> Result<Drawn, String> {
    if matches!(draw_as, DrawAs::Page(_)) && graph.nodes.len() > LARGEST_PAGE {
        return Err(too_large(graph.nodes.len() as u64));
    }
    let (racing, whole) = racing_nodes(graph, MOST_QUESTIONS, stop);
    let racy = graph.ids().filter(|id| racing[id.index()]).collect();
    let picture = Picture::new(graph, names, &racy);
    let text = match draw_as {
        DrawAs::File(GraphFormat::Dot) => dot::render(&picture),
        DrawAs::File(GraphFormat::Svg) => svg::render(&picture),
        DrawAs::File(GraphFormat::Json) => json::render(&picture),
        DrawAs::Page(report) => {
            let sides = report.races.iter().flat_map(|race| [&race.first.at, &race.second.at]);
            let racing: BTreeSet<&Place> = sides.collect();
            json::compact(&picture, &|place| racing.contains(place))
        }
    };
    let DrawnRun { mut notes, cut_short } = run;
    if !whole {
        notes.push(
            "not all steps that race are marked: it would take too long to find them; the report of the program has the races"
                .into(),
        );
    }
    Ok(Drawn { text, notes, cut_short: cut_short || !whole })
}

/// Whether two steps are ordered is asked so often, which takes a few seconds.
const MOST_QUESTIONS: u64 = 1 << 30;

fn notes<O: Observer>(execution: &Execution<'_, O>, actions: u64) -> Vec<String> {
    let mut notes = execution.limits(actions);
    let failed = |(task, fault): &(TaskId, Fault)| {
        let path = execution.task_name(*task);
        let place = fault.site.map(|site| execution.position(site)).unwrap_or_default();
        format!("{place}{path} failed: {}", fault.message)
    };
    notes.extend(execution.ending.failed.iter().map(failed));
    if execution.is_complete() && execution.ending.failed.is_empty() {
        match execution.run.waiting().count() {
            0 => {}
            1 => notes.push("deadlock: 1 task waits for ever; `raceproof check` says for what".into()),
            tasks => {
                notes.push(format!("deadlock: {tasks} tasks wait for ever; `raceproof check` says for what"))
            }
        }
    }
    if !notes.is_empty() {
        notes.push("the graph shows the run up to there".into());
    }
    notes
}

/// The names of an execution's sites and cells.
struct Named<'a, 'c, O: Observer>(&'a Execution<'c, O>);

impl<O: Observer> Names for Named<'_, '_, O> {
    fn site(&self, site: SiteId) -> Site {
        Site { place: self.0.place(site), label: String::new() }
    }

    fn location(&self, location: Location) -> String {
        self.0.location(location)
    }
}
