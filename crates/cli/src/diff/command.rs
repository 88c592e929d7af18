//! `raceproof diff`.

use super::Difference;
use crate::args::{DiffArgs, DiffFormat};
use crate::shared::input;
use crate::shared::status::{BadInput, FOUND, bad};
use raceproof_host::output::deliver;

pub(crate) fn command(args: &DiffArgs) -> Result<u8, BadInput> {
    let [before, after] = [input::findings(&args.before), input::findings(&args.after)];
    let (before, after) = (before.map_err(bad)?, after.map_err(bad)?);
    let difference = Difference::between(&before, &after);
    let text = match args.format {
        DiffFormat::Text => difference.text(),
        DiffFormat::Json => difference.json(),
    };
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    Ok(if difference.is_worse() { FOUND } else { 0 })
}
