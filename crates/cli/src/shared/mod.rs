//! Shared by several commands: input files, limits, rendering of reports, processes of native
//! programs.

pub(crate) mod budget;
pub(crate) mod channel;
pub(crate) mod harness;
pub(crate) mod input;
pub(crate) mod known;
pub(crate) mod limits;
pub(crate) mod load;
pub(crate) mod look;
pub(crate) mod next;
pub(crate) mod present;
pub(crate) mod process;
pub(crate) mod program;
pub mod project;
pub(crate) mod server;
pub(crate) mod status;
pub(crate) mod witness;
pub mod witness_file;
