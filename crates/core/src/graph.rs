//! The computation graph of a run.
