//! Programs of the language TP: parsed, checked, verified.

#[path = "../support/advice/mod.rs"]
mod advice_support;
#[path = "../support/common/mod.rs"]
mod common;
#[path = "../support/expect/mod.rs"]
mod expect;
#[path = "../support/oracle/mod.rs"]
mod oracle;

mod advice;
mod check_fuzz;
mod corpus;
mod corpus_check;
mod corpus_reports;
mod parser;
mod parser_errors;
mod parser_fuzz;
mod verify_corpus;
mod verify_random;
mod verify_search;
