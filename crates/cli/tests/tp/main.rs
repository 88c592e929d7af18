//! Programs of the language TP: parsed, checked, verified.

#[path = "../support/common/mod.rs"]
mod common;
#[path = "../support/expect/mod.rs"]
mod expect;

mod check_fuzz;
mod corpus;
mod corpus_check;
mod corpus_reports;
mod parser;
mod parser_errors;
mod parser_fuzz;
mod verify_corpus;
mod verify_search;
