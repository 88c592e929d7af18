//! C and C++ programs, compiled by clang and run.
#![cfg(unix)]

#[path = "../support/advice/mod.rs"]
mod advice_support;
#[path = "../support/browser/mod.rs"]
mod browser;
#[path = "../support/common/mod.rs"]
mod common;
#[path = "../support/native/mod.rs"]
mod native;
#[path = "../support/oracle/mod.rs"]
mod oracle;
#[path = "../support/transcript/mod.rs"]
mod transcript;

mod advice;
mod cc;
mod contexts;
mod coverage;
mod endings;
mod exceptions;
mod fortran;
mod install;
mod large_blocks;
mod levels;
mod library;
mod lock_names;
mod names;
mod native_atomics;
mod native_budget;
mod native_corpus;
mod native_formats;
mod native_generated;
mod native_graph;
mod native_html;
mod native_loops;
mod native_pages;
mod native_reports;
mod native_traces;
mod native_verify;
mod native_verify_generated;
mod outlive;
mod own_functions;
mod pages;
mod prelink;
mod privileged;
mod promises;
mod publication;
mod run;
mod search;
mod search_workers;
mod settings;
mod team_sizes;
mod thread_memory;
mod threads_generated;
mod witnesses;
