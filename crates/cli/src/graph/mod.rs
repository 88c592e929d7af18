//! `graph`: one run of a program, and its computation graph with the racing steps marked.

pub(crate) mod command;

use crate::args::GraphFormat;
use raceproof::strategy::DepthFirst;
use raceproof_core::detect::racing_nodes::racing_nodes;
use raceproof_core::event::Observer;
use raceproof_core::graph::GraphBuilder;
use raceproof_core::ids::{Location, SiteId, TaskId};
use raceproof_report::graph::{Names, Picture, Site, dot, json, svg};
use raceproof_tp::code::Code;
use raceproof_tp::execute::{Bounds, Execution, execute};
use raceproof_tp::fault::Fault;

/// A graph that has been drawn.
pub(crate) struct Drawn {
    pub(crate) text: String,
    /// Why the graph is not that of a run that came to its end, for people.
    pub(crate) notes: Vec<String>,
    /// Whether a limit cut the run short.
    pub(crate) cut_short: bool,
}

/// Runs the program once, depth-first, and draws what happened.
pub(crate) fn draw(code: &Code, file: &str, format: GraphFormat, bounds: Bounds<'_>) -> Drawn {
    let mut execution = execute(code, file, GraphBuilder::new(), &mut DepthFirst, bounds);
    let graph = std::mem::take(&mut execution.run.kernel.observer).finish();
    let stop = || bounds.limits.reached().is_some();
    let (racing, whole) = racing_nodes(&graph, MOST_QUESTIONS, &stop);
    let racy = graph.ids().filter(|id| racing[id.index()]).collect();
    let names = Named(&execution);
    let picture = Picture::new(&graph, &names, &racy);
    let text = match format {
        GraphFormat::Dot => dot::render(&picture),
        GraphFormat::Svg => svg::render(&picture),
        GraphFormat::Json => json::render(&picture),
    };
    let mut notes = notes(&execution, bounds.actions);
    if !whole {
        notes.push(
            "not all steps that race are marked: it would take too long to find them; `raceproof check` finds the races".into(),
        );
    }
    Drawn { text, notes, cut_short: !execution.is_complete() || !whole }
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
