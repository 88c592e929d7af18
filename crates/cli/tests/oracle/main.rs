//! Detectors, orders and the explorer against the naive oracle.

#[path = "../support/common/mod.rs"]
mod common;
#[path = "../support/counts/mod.rs"]
mod counts;
#[path = "../support/expect/mod.rs"]
mod expect;
#[path = "../support/oracle/mod.rs"]
mod oracle;

mod against_oracle;
mod corpus_oracle;
mod harness;
mod netzer_oracle;
mod oracle_generate;
mod oracle_self;
mod predict_oracle;
mod replay;
mod verify_counts;
mod verify_oracle;
