//! `raceproof doctor`.

use super::{diagnose, links, render};
use crate::args::{DoctorArgs, DoctorFormat};
use crate::shared::status::{BadInput, FOUND, bad};
use raceproof_host::output::deliver;

pub(crate) fn command(args: &DoctorArgs) -> Result<u8, BadInput> {
    if args.links {
        let text = links::make().map_err(bad)?;
        deliver(&text, None).map_err(bad)?;
        return Ok(0);
    }
    let diagnosis = diagnose(&args.wanted, !args.no_trial);
    let text = match args.format {
        DoctorFormat::Text => render::text(&diagnosis),
        DoctorFormat::Json => render::json(&diagnosis),
    };
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    Ok(if diagnosis.usable { 0 } else { FOUND })
}
