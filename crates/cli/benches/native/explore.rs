//! `raceproof verify` on a native program: how many executions a second, and what one takes beside
//! starting the plain program.

use crate::build::{Tools, Way};
use crate::document::{Table, number};
use crate::{Options, Section};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Sizes of the team, and how many executions there are.
const SIZES: [(u32, u64); 3] = [(12, 8), (13, 64), (14, 512)];
/// The most milliseconds one execution may take.
const MOST: f64 = 5.0;

pub(crate) fn measure(tools: &Tools, options: &Options) -> Result<Section, String> {
    let name = "indexer";
    let (plain, ours) =
        (tools.compile_verified(name, Way::Plain)?, tools.compile_verified(name, Way::Raceproof)?);
    let mut table = Table::new(&[
        "team",
        "executions",
        "s",
        "executions/s a core",
        "ms/execution",
        "plain ms",
        "× plain",
    ]);
    let mut missed = Vec::new();
    let sizes = if options.quick { &SIZES[..1] } else { &SIZES };
    for &(team, expected) in sizes {
        eprintln!("{name} with {team} …");
        // What else the machine does makes a run slower, never faster.
        let runs: Result<Vec<_>, String> = (0..options.repeats).map(|_| verify(tools, &ours, team)).collect();
        let (executions, seconds) =
            runs?.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no run was asked for")?;
        let each = seconds * 1e3 / executions as f64;
        let start =
            (0..options.repeats).map(|_| start(&plain, team)).collect::<Result<Vec<f64>, String>>()?;
        let start = start.into_iter().fold(f64::INFINITY, f64::min);
        table.row(&[
            team.to_string(),
            executions.to_string(),
            number(seconds),
            number(executions as f64 / seconds),
            number(each),
            number(start),
            number(each / start),
        ]);
        if executions != expected {
            missed.push(format!("{name} with {team}: {executions} executions, {expected} wanted"));
        }
        if each > MOST {
            missed.push(format!("{name} with {team}: {} ms for an execution, {MOST} wanted", number(each)));
        }
    }
    Ok(Section { text: table.into_text(), missed })
}

/// The executions of a search on one core, and its seconds.
fn verify(tools: &Tools, program: &Path, team: u32) -> Result<(u64, f64), String> {
    let mut command = Command::new(tools.raceproof());
    command.args(["verify", "--workers", "1", "--format", "json", "--"]).arg(program);
    let done = command.env("OMP_NUM_THREADS", team.to_string()).output();
    let done = done.map_err(|error| format!("{command:?}: {error}"))?;
    let report: Value = serde_json::from_slice(&done.stdout)
        .map_err(|error| format!("{command:?}: {error}: {}", String::from_utf8_lossy(&done.stderr)))?;
    let stats = &report["stats"];
    stats["executions"]
        .as_u64()
        .zip(report["measured"]["seconds"].as_f64())
        .ok_or_else(|| format!("{command:?}: no counts"))
}

/// Milliseconds from the start of the plain program to its end.
fn start(program: &Path, team: u32) -> Result<f64, String> {
    const TIMES: u32 = 50;
    let before = Instant::now();
    for _ in 0..TIMES {
        let mut command = Command::new(program);
        command.env("OMP_NUM_THREADS", team.to_string()).stdin(Stdio::null()).stdout(Stdio::null());
        command.status().map_err(|error| format!("{command:?}: {error}"))?;
    }
    Ok(before.elapsed().as_secs_f64() * 1e3 / f64::from(TIMES))
}
