//! A search written down, to be gone on with later.

use crate::verify::{OrderName, Search};
use serde::{Deserialize, Serialize};

/// Goes up whenever what is written changes.
const FORMAT: u32 = 4;

#[derive(Serialize, Deserialize)]
struct Checkpoint<S> {
    tool: String,
    checkpoint: u32,
    /// The fingerprint of the program.
    program: String,
    order: String,
    search: S,
}

/// The text of a checkpoint.
pub fn write(search: &Search, program: &str, order: OrderName) -> Result<String, String> {
    let checkpoint = Checkpoint {
        tool: "raceproof".into(),
        checkpoint: FORMAT,
        program: program.into(),
        order: order.name().into(),
        search,
    };
    serde_json::to_string(&checkpoint).map_err(|error| format!("cannot write the checkpoint: {error}"))
}

/// The search in the text of a file called `name`, if it is of this program and order.
pub fn read(name: &str, text: &str, program: &str, order: OrderName) -> Result<Search, String> {
    let bad = |error: serde_json::Error| {
        format!(
            "{name}:{}:{}: not a checkpoint of raceproof: {error}; remove it to start anew",
            error.line(),
            error.column()
        )
    };
    // What kind of file it is first: the rest of another version may look like anything.
    let head: Checkpoint<serde::de::IgnoredAny> = serde_json::from_str(text).map_err(bad)?;
    if head.tool != "raceproof" || head.checkpoint != FORMAT {
        return Err(format!(
            "{name}: a checkpoint of another version of raceproof (format {}, this one reads {FORMAT}); remove it to start anew",
            head.checkpoint
        ));
    }
    if head.program != program {
        return Err(format!(
            "{name}: a checkpoint of another program, or of the program before it was changed; remove it to start anew"
        ));
    }
    if head.order != order.name() {
        return Err(format!(
            "{name}: a checkpoint of --order {}; use that, or remove it to start anew",
            head.order
        ));
    }
    let checkpoint: Checkpoint<Search> = serde_json::from_str(text).map_err(bad)?;
    checkpoint
        .search
        .check()
        .map_err(|wrong| format!("{name}: damaged: {wrong}; remove it to start anew"))?;
    Ok(checkpoint.search)
}
