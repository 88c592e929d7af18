//! `raceproof graph`.

use super::{Drawn, draw};
use crate::args::GraphArgs;
use crate::shared::input;
use crate::shared::limits::bounds;
use crate::shared::load::load;
use crate::shared::status::{BadInput, INCONCLUSIVE, bad};
use raceproof_host::note;
use raceproof_host::output::deliver;

pub(crate) fn command(args: &GraphArgs) -> Result<u8, BadInput> {
    let (source, code) = load(&args.file, &input::GRAPH)?;
    let bounds = bounds(&args.limits);
    let Drawn { text, notes, cut_short } = draw(&code, &source.name, args.format, bounds);
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    for text in notes {
        note(&format!("raceproof: {text}"));
    }
    Ok(if cut_short { INCONCLUSIVE } else { 0 })
}
