//! Checkpoints: a search as text, to be resumed later.

use super::{OrderName, Search};
use raceproof_core::finding::Report;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// Incremented whenever the format changes.
const FORMAT: u32 = 8;

/// Behind the fingerprint of a program that is searched with this switch: other transitions are
/// dependent then.
pub(super) const NO_COMMUTING: &str = " --no-commuting";

#[derive(Serialize, Deserialize)]
struct Checkpoint<S> {
    tool: String,
    checkpoint: u32,
    /// The fingerprint of the program.
    program: String,
    order: String,
    search: S,
}

/// Writes a checkpoint, piece by piece: its whole text can take more memory than the search.
pub fn write(search: &Search, program: &str, order: OrderName, out: impl Write) -> io::Result<()> {
    let checkpoint = Checkpoint {
        tool: Report::TOOL.into(),
        checkpoint: FORMAT,
        program: program.into(),
        order: order.name().into(),
        search,
    };
    Ok(serde_json::to_writer(out, &checkpoint)?)
}

/// The text of a checkpoint.
pub fn text(search: &Search, program: &str, order: OrderName) -> io::Result<String> {
    let mut text = Vec::new();
    write(search, program, order, &mut text)?;
    String::from_utf8(text).map_err(io::Error::other)
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
    let [kept, asked] = [&*head.program, program].map(|program| program.strip_suffix(NO_COMMUTING));
    if kept.unwrap_or(&head.program) == asked.unwrap_or(program) && kept.is_some() != asked.is_some() {
        let how = if kept.is_some() { "with" } else { "without" };
        return Err(format!(
            "{name}: a checkpoint of a search {how} --no-commuting; do the same, or remove it to start anew"
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
