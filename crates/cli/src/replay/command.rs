//! `raceproof replay`.

use super::{native, replay};
use crate::args::{KnownArgs, ReplayArgs, ReportFormat};
use crate::shared::known::Known;
use crate::shared::load::{load, program_or_source};
use crate::shared::present::{Wanted, render_native};
use crate::shared::status::{BadInput, FOUND, bad};
use crate::shared::{input, witness_file};
use raceproof::limits::Limits;
use raceproof_host::interrupt;
use raceproof_host::output::deliver;
use raceproof_report::html::Extras;
use raceproof_report::replay::render;

pub(crate) fn command(args: &ReplayArgs) -> Result<u8, BadInput> {
    let (file, program) = program_or_source(args.file.as_deref(), &args.program)?;
    let Some(file) = file else {
        let report = native::replay(args, &program).map_err(bad)?;
        let known = Known::load(&KnownArgs::default())?;
        let (format, program) = (ReportFormat::Text, program[0].as_os_str());
        let wanted = Wanted { format, output: None, known: &known, strict: false, program };
        return Ok(render_native(report, wanted, |_, _| Extras::default())?.status);
    };
    let (source, code) = load(file, &input::REPLAY)?;
    let name = args.witness.display().to_string();
    let text = input::report(&args.witness).map_err(bad)?;
    let program = witness_file::fingerprint(&source.text);
    let witness = witness_file::read(&name, &text, args.finding.get(), &program).map_err(bad)?;
    let limits = Limits { interrupt: Some(interrupt::watch()), ..Limits::default() };
    let replayed =
        replay(&code, &source, &witness, limits).map_err(|wrong| bad(format!("{name}: {wrong}")))?;
    deliver(&render(&replayed, &source.text, args.step), None).map_err(bad)?;
    Ok(FOUND)
}
