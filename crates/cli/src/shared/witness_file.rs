//! Witnesses as files: a report in JSON, or the witness alone.

use raceproof::witness::path_numbers;
use raceproof_core::finding::Witness;
use serde_json::Value;

/// The fingerprint of a program: a hash of its source text (FNV-1a).
pub fn fingerprint(text: &str) -> String {
    fingerprint_of(text.bytes())
}

/// The same for anything.
pub fn fingerprint_of(bytes: impl Iterator<Item = u8>) -> String {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// The witness in the text of a file called `name`: the `which`th (from 1) of a report, races
/// first, then deadlocks, then errors; or the file is a witness itself. It must be of the program
/// with the given fingerprint.
pub fn read(name: &str, text: &str, which: usize, program: &str) -> Result<Witness, String> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| format!("{name}:{}:{}: expected JSON: {error}", error.line(), error.column()))?;
    let found = if value.get("schedule").is_some() {
        value
    } else if value.get("tool").is_some_and(|tool| tool == "raceproof") {
        let listed =
            ["races", "deadlocks", "errors"].iter().filter_map(|kind| value.get(kind)?.as_array()).flatten();
        let mut witnesses =
            listed.filter_map(|finding| finding.get("witness").filter(|witness| !witness.is_null()));
        let count = witnesses.clone().count();
        match which.checked_sub(1).and_then(|at| witnesses.nth(at)) {
            Some(witness) => witness.clone(),
            None if count == 0 => return Err(format!("{name}: the report has no finding with a witness")),
            None => {
                return Err(format!(
                    "{name}: the report has {count} findings with a witness; --finding takes 1 to {count}"
                ));
            }
        }
    } else {
        return Err(format!(
            "{name}: expected a report of raceproof or one of its witnesses (an object with a `schedule`)"
        ));
    };
    let witness: Witness = serde_json::from_value(found)
        .map_err(|error| format!("{name}: not a witness: {error}; expected \"schedule\": [{{\"task\": \"main/1\", \"actions\": 2}}, …]"))?;
    for (at, segment) in witness.schedule.iter().enumerate() {
        if path_numbers(&segment.task).is_err() {
            return Err(format!(
                "{name}: segment {} of the schedule: expected a task such as main/2/1, found {:?}",
                at + 1,
                segment.task
            ));
        }
    }
    match &witness.program {
        Some(other) if other != program => {
            Err(format!("{name}: the witness is of another program, or of the program before it was changed"))
        }
        _ => Ok(witness),
    }
}
