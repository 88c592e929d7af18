//! What several commands share: files that they are given, limits, reports on their way out, native programs as processes.

pub(crate) mod budget;
pub(crate) mod channel;
pub(crate) mod input;
pub(crate) mod limits;
pub(crate) mod load;
pub(crate) mod next;
pub(crate) mod present;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod status;
pub mod witness_file;
