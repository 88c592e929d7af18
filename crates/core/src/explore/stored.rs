//! The nodes and exports of a tree as they are written down.
//!
//! The sequences of one execution refer to one record of it, and an execution can leave as many
//! sequences as it has transitions. Written with each of them, records take transitions ×
//! transitions: 10 GB for 4,000 sections that conflict. So each record is written once, and of each
//! sequence which one is its own.

use super::node::Node;
use super::sequence::{Record, Sequence};
use rustc_hash::FxHashMap;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// What has sequences.
pub(super) trait Owner: Serialize + DeserializeOwned {
    fn sequences(&self) -> impl Iterator<Item = &Sequence>;
    fn sequences_mut(&mut self) -> impl Iterator<Item = &mut Sequence>;
}

impl Owner for Node {
    fn sequences(&self) -> impl Iterator<Item = &Sequence> {
        Node::sequences(self)
    }

    fn sequences_mut(&mut self) -> impl Iterator<Item = &mut Sequence> {
        Node::sequences_mut(self)
    }
}

#[derive(Serialize)]
struct Written<'a, T> {
    records: Vec<&'a Record>,
    /// The record of each sequence, in the order of the nodes.
    of: Vec<usize>,
    nodes: &'a [T],
}

#[derive(Deserialize)]
struct Read<T> {
    records: Vec<Arc<Record>>,
    of: Vec<usize>,
    nodes: Vec<T>,
}

pub(super) fn serialize<S: Serializer>(nodes: &[impl Owner], serializer: S) -> Result<S::Ok, S::Error> {
    let mut numbers = FxHashMap::default();
    let mut records = Vec::new();
    let mut of = Vec::new();
    for sequence in nodes.iter().flat_map(Owner::sequences) {
        let record = sequence.record();
        of.push(*numbers.entry(Arc::as_ptr(record)).or_insert_with(|| {
            records.push(&**record);
            records.len() - 1
        }));
    }
    Written { records, of, nodes }.serialize(serializer)
}

pub(super) fn deserialize<'de, T: Owner, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let Read { records, of, mut nodes } = Read::<T>::deserialize(deserializer)?;
    let mut of = of.into_iter();
    for sequence in nodes.iter_mut().flat_map(T::sequences_mut) {
        let record = of.next().and_then(|number| records.get(number));
        sequence.belong_to(record.ok_or_else(|| D::Error::custom("a sequence is of no execution"))?.clone());
    }
    Ok(nodes)
}
