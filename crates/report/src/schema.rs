//! The JSON outputs as JSON Schema (draft 2020-12), derived from the types that are serialised.
//!
//! A schema says what is written: fields that may be left out are not required, unknown ones are
//! allowed (docs/JSON.md, "Compatibility"). `docs/schema` has both, and a test keeps them current.

use crate::graph::json::GraphJson;
use crate::json::pretty;
use crate::trace::Analyzed;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// The schema of reports, those of `analyze` included.
pub fn report() -> String {
    schema::<Analyzed>("A report of raceproof")
}

/// The schema of graphs.
pub fn graph() -> String {
    schema::<GraphJson<'static>>("A computation graph of raceproof")
}

fn schema<T: JsonSchema>(title: &str) -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.insert("description".to_owned(), "docs/JSON.md describes every field.".into());
    pretty(&schema)
}
