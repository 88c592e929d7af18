//! How many signals DRDP's search visits: the paper's Table 3, breadth first or depth first, newest
//! or oldest join first.

use crate::Section;
use crate::document::{Table, number};
use crate::programs::{events, text, with_size};
use raceproof_core::detect::drdp::Drdp;
use raceproof_core::event::Event;
use raceproof_core::order::dpst::{GraphOrder, JoinOrder, SearchStats};

const ORDERS: [(&str, GraphOrder, JoinOrder); 4] = [
    ("breadth, newest", GraphOrder::BreadthFirst, JoinOrder::NewestFirst),
    ("breadth, oldest", GraphOrder::BreadthFirst, JoinOrder::OldestFirst),
    ("depth, newest", GraphOrder::DepthFirst, JoinOrder::NewestFirst),
    ("depth, oldest", GraphOrder::DepthFirst, JoinOrder::OldestFirst),
];

/// Programs whose tasks are ordered by promises; a size for those that grow.
const PROGRAMS: [(&str, Option<u64>); 5] = [
    ("examples/strassen_edges", None),
    ("examples/stencil_promises", None),
    ("bench/stencil", Some(2048)),
    ("bench/pipeline", Some(1000)),
    ("bench/pipeline_blocked", Some(1000)),
];

fn stats(events: &[Event], graph_order: GraphOrder, join_order: JoinOrder) -> SearchStats {
    let mut detector = Drdp::new(graph_order, join_order);
    for event in events {
        event.deliver(&mut detector);
    }
    detector.stats()
}

pub(crate) fn measure() -> Section {
    let mut columns = vec!["program", "searches"];
    columns.extend(ORDERS.map(|(name, ..)| name));
    let mut table = Table::new(&columns);
    for (program, size) in PROGRAMS {
        let text = text(program);
        let text = size.map_or(text.clone(), |size| with_size(&text, size));
        let events = events(program, &text);
        let all = ORDERS.map(|(_, graph_order, join_order)| stats(&events, graph_order, join_order));
        let name = size.map_or(program.to_owned(), |size| format!("{program}, N = {size}"));
        let mut cells = vec![name, all[0].searches.to_string()];
        let visited = |s: SearchStats| {
            format!("{} / {} / {}", s.min_visited, s.max_visited, number(s.average_visited()))
        };
        cells.extend(all.map(visited));
        table.row(&cells);
    }
    Section { text: table.into_text(), missed: Vec::new() }
}
