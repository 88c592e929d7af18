//! The analyses on hand-made and generated events.

mod support;

mod detector_examples;
mod detectors;
mod graph;
mod last_access;
mod netzer;
mod orders;
mod traces;
mod witnesses;
