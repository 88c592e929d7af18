//! The text reports of the corpus, as a person sees them: golden files under
//! `tests/golden/reports`.

use crate::common;
use crate::expect;

use common::golden;
use raceproof_cli::check::{Options, check};
use raceproof_report::{Sources, Style, text};
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};

#[test]
fn reports() {
    for folder in ["zipper", "examples"] {
        for program in expect::programs(folder) {
            let name = format!("programs/tp/{}.tp", program.name);
            let parsed = tp::parse(&program.source).expect("the corpus parses");
            let code = compile(&parsed, &Source::new(name.clone(), program.source.clone()));
            let mut report = check(&code, &name, &Options::default()).expect("the default takes all").report;
            // How long it took differs from run to run.
            report.stats.seconds = 0.0;
            let mut sources = Sources::new();
            sources.insert(name.clone(), &program.source);
            let rendered = text::render(&report, &sources, Style::plain());
            golden::check(&format!("reports/{}.txt", program.name), &rendered);
        }
    }
}
