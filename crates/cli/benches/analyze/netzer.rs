//! Netzer's programs in small: a table like Figures 9.2 and 9.3 of the thesis.

use crate::Section;
use crate::document::{Table, repository};
use raceproof::program::Program;
use raceproof::strategy::DepthFirst;
use raceproof_cli::analyze::Validation;
use raceproof_core::debug::netzer::{self, Level, Options, Uses, analyse};
use raceproof_core::event::Event;
use raceproof_tp::execute::{Bounds, execute};
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use std::fs;

const PROGRAMS: [&str; 8] = ["fig2_1", "chol", "join", "pnet", "shpath", "tycho", "parq", "workq"];

pub(crate) fn measure() -> Section {
    let columns = [
        "program",
        "steps",
        "apparent",
        "tangled (tangles)",
        "by G_D",
        "by G_E",
        "partitions",
        "first partitions",
        "first races (validated)",
    ];
    let mut table = Table::new(&columns);
    for name in PROGRAMS {
        let path = repository().join(format!("programs/tp/examples/netzer_{name}.tp"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let program = tp::parse(&text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let code = compile(&program, &Source::new(name, &text));
        let bounds = Bounds { keep_uses: true, ..Bounds::default() };
        let mut execution = execute(&code, name, Vec::new(), &mut DepthFirst, bounds);
        let events: Vec<Event> = std::mem::take(&mut execution.run.kernel.observer);
        let uses = execution.program.uses::<Vec<Event>>(&execution.run.machine).expect("they were kept");
        let used = netzer::by_event(&events, &uses);
        let [close, coarse] = [Uses::Exact(&used), Uses::Unknown].map(|uses| {
            let options = Options { level: Level::Approximate, uses, ..Options::default() };
            Validation::new(&analyse(&events, options).expect("few races"))
        });
        let both = |a: usize, b: usize| format!("{a}/{b}");
        table.row(&[
            name.to_owned(),
            close.steps.to_string(),
            close.apparent.to_string(),
            format!("{} ({})", close.tangled, close.tangles),
            close.by_data.to_string(),
            both(close.by_control, coarse.by_control),
            both(close.partitions, coarse.partitions),
            both(close.first_partitions, coarse.first_partitions),
            format!(
                "{} ({})",
                both(close.first_races, coarse.first_races),
                both(close.first_validated, coarse.first_validated)
            ),
        ]);
    }
    Section { name: "netzer", text: table.into_text(), missed: Vec::new() }
}
