//! What findings about native programs say beyond those about TP programs: constructs, memory,
//! operations.
//!
//! Serialised, all of it is additive: a report about a TP program has none of these fields.

use super::{Frame, Place};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A construct of OpenMP, as the program writes it after `#pragma omp`, or what stands beside
/// OpenMP.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Construct {
    Parallel,
    Teams,
    Task,
    Taskloop,
    Target,
    For,
    Distribute,
    Sections,
    Single,
    Masked,
    Critical,
    Ordered,
    /// A thread made without OpenMP: `pthread_create`, `std::thread`.
    Thread,
    /// A closure that rayon runs.
    Rayon,
    /// A task of HClib: `async` and its relatives.
    Async,
}

impl Construct {
    /// Whether it makes a team: tasks that each run the whole region, distinguished by a thread
    /// number.
    pub fn makes_team(self) -> bool {
        matches!(self, Construct::Parallel | Construct::Teams)
    }
}

impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Construct::Parallel => "omp parallel",
            Construct::Teams => "omp teams",
            Construct::Task => "omp task",
            Construct::Taskloop => "omp taskloop",
            Construct::Target => "omp target",
            Construct::For => "omp for",
            Construct::Distribute => "omp distribute",
            Construct::Sections => "omp sections",
            Construct::Single => "omp single",
            Construct::Masked => "omp masked",
            Construct::Critical => "omp critical",
            Construct::Ordered => "omp ordered",
            Construct::Thread => "thread",
            Construct::Rayon => "rayon job",
            Construct::Async => "async",
        })
    }
}

/// A place that has to do with a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Related {
    pub what: String,
    #[serde(flatten)]
    pub at: Place,
}

/// A promise that does not order the accesses of a race, since it was set before one of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetBefore {
    /// The task that has set it, and made one of the accesses after that.
    pub task: String,
    pub created: Place,
    pub set: Place,
}

/// The worksharing construct an access stands in, the innermost one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Region {
    pub construct: Construct,
    #[serde(flatten)]
    pub at: Place,
}

/// How an access came about, where it is no plain load or store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    #[default]
    Plain,
    Atomic,
    /// The memory was freed: `free`, `delete`, the end of a `realloc`ed block.
    Free,
    /// `memcpy`, `memset` and their like.
    Range,
    /// By an iteration of a simd loop, which may be executed in one vector with others.
    Lane,
}

impl Operation {
    pub(super) fn is_plain(&self) -> bool {
        *self == Operation::Plain
    }
}

/// The variable or block of memory that a location is a part of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Object {
    /// A global or static variable.
    Global { name: String, offset: u64, size: u64 },
    /// A block from `malloc`, `new` or their like.
    Heap {
        offset: u64,
        size: u64,
        /// Who allocated it, and where.
        task: String,
        #[serde(flatten)]
        at: Place,
        stack: Vec<Frame>,
    },
    /// A local variable of a task or thread.
    Stack {
        /// Whose stack it is.
        task: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A thread-local or threadprivate variable of a task or thread.
    ThreadLocal {
        task: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
}

/// Turns a call stack, innermost function first, each with where in it the execution was, into the
/// place of the access and the calls that led there. The outermost function was called by nobody
/// that is known: its call has line 0.
pub fn place_and_calls(frames: impl IntoIterator<Item = (String, Place)>) -> (Place, Vec<Frame>) {
    let unknown = || Place { file: String::new(), line: 0, column: 0 };
    let (functions, mut places): (Vec<String>, Vec<Place>) = frames.into_iter().unzip();
    places.push(unknown());
    let mut places = places.into_iter();
    let at = places.next().unwrap_or_else(unknown);
    (at, functions.into_iter().zip(places).map(|(function, call)| Frame { function, call }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Place {
        Place { file: "f.c".into(), line, column: 1 }
    }

    #[test]
    fn a_call_stands_beside_the_function_it_called() {
        let (place, calls) = place_and_calls([("add".to_owned(), at(3)), ("main".to_owned(), at(9))]);
        assert_eq!(place, at(3));
        assert_eq!((calls[0].function.as_str(), calls[0].call.line), ("add", 9));
        assert_eq!((calls[1].function.as_str(), calls[1].call.line), ("main", 0));
        assert_eq!(calls.len(), 2);
    }

    #[test]
    fn an_empty_stack_is_an_unknown_place() {
        let (place, calls) = place_and_calls([]);
        assert_eq!((place.line, calls.len()), (0, 0));
    }
}
