//! `raceproof explain`.

use super::{REPORT, find, may_be_id, terms};
use crate::args::ExplainArgs;
use crate::shared::status::{BadInput, bad};
use crate::shared::{input, look};
use raceproof_host::output::deliver;
use raceproof_report::{Project, Sources, explain};
use std::io::{self, IsTerminal};
use std::path::Path;

pub(crate) fn command(args: &ExplainArgs) -> Result<u8, BadInput> {
    let text = if args.report.is_none() && !may_be_id(&args.what) {
        terms::explain(&args.what).map_err(bad)?
    } else {
        finding(args)?
    };
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    Ok(0)
}

fn finding(args: &ExplainArgs) -> Result<String, BadInput> {
    let file = args.report.as_deref().unwrap_or(Path::new(REPORT));
    if args.report.is_none() && !file.exists() {
        // `feed` is a word as well.
        return terms::explain(&args.what).map_err(|_| {
            bad(format!(
                "there is no {REPORT} here; write one with `--format json -o {REPORT}`, or name another: \
                 `raceproof explain {} REPORT.json`",
                args.what
            ))
        });
    }
    let report = input::findings(file).map_err(bad)?;
    let name = file.display().to_string();
    let finding = find(&report, &args.what, &name).map_err(bad)?;
    let mut sources = Sources::of(Project::here());
    sources.load_for(&report);
    let terminal = args.output.is_none() && io::stdout().is_terminal();
    Ok(explain::render(&report, &finding, &sources, look::style(terminal), &name))
}
