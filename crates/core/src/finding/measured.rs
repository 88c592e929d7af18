//! How [`Stats`] are written: what is the same in every run of a command as `stats`, and what was
//! measured as an object of its own, the last of the report, so that two reports can be compared
//! without it.

use super::Stats;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What differs from run to run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measured {
    pub seconds: f64,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Written<'a> {
    stats: &'a Stats,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Measured>,
}

#[derive(Deserialize)]
struct Read {
    stats: Stats,
    #[serde(default)]
    measured: Measured,
}

pub(super) fn serialize<S: Serializer>(stats: &Stats, serializer: S) -> Result<S::Ok, S::Error> {
    let measured = stats.seconds.is_finite().then_some(Measured { seconds: stats.seconds });
    Written { stats, measured }.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Stats, D::Error> {
    let Read { stats, measured } = Read::deserialize(deserializer)?;
    Ok(Stats { seconds: measured.seconds, ..stats })
}
