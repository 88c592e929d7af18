//! How many executions `verify` needs: one of every class, no more and no fewer.
//!
//! The numbers are golden values (`golden/verify/counts.txt`), and where the classes can be gone
//! through or worked out, the numbers are held to that: `oracle/classes.rs` counts them by another
//! way that shares nothing with the explorer. `RACEPROOF_CASES` generated programs a profile (300
//! unless set), from seed `RACEPROOF_SEED` on.

use crate::common;
use crate::counts;
use crate::oracle;

use crate::common::seeds::seeds;
use crate::harness::{judge_generated, judge_regressions};
use common::programs::sized;
use counts::{Case, Reason, cases};
use oracle::{Limits, Profile, Sections, additions, branches, choices, classes, explore, generate};
use raceproof_cli::verify::{Options, OrderName, Pace, verify};
use raceproof_core::finding::Verdict;
use raceproof_tp::ast::Program;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use std::fmt::Write as _;

const ORDERS: [(OrderName, Sections); 2] =
    [(OrderName::Dc, Sections::Commuting), (OrderName::Hb, Sections::All)];

/// Prefixes of executions to go through at most.
const PREFIXES: usize = 300_000;

struct Count {
    executions: u64,
    pruned: u64,
    verdict: Verdict,
}

fn parse(source: &str) -> Program {
    tp::parse(source).unwrap_or_else(|errors| panic!("{errors:?}\n{source}"))
}

/// As short searches are cut into shares, too, if they are to be.
const SPLIT: [Pace; 3] = [
    Pace { short: 1, subtrees: 2, quota: 1 },
    Pace { short: 1, subtrees: 8, quota: 1 },
    Pace { short: 2, subtrees: 5, quota: 3 },
];

fn count(source: &str, order: OrderName) -> Count {
    count_at(source, order, Pace::default())
}

fn count_at(source: &str, order: OrderName, pace: Pace) -> Count {
    let code = compile(&parse(source), &Source::new("f.tp", source));
    let verified = verify(&code, "f.tp", &Options { order, pace, workers: 2, ..Options::default() });
    Count {
        executions: verified.report.stats.executions,
        pruned: verified.pruned,
        verdict: verified.report.verdict,
    }
}

impl Case {
    fn reason(&self, order: OrderName) -> Reason {
        match order {
            OrderName::Dc | OrderName::Wcp => self.dc,
            OrderName::Hb => self.hb,
            OrderName::Shb | OrderName::Weak => unreachable!("verify takes neither"),
        }
    }
}

#[test]
fn the_counts_are_golden() {
    let mut text = String::from(GOLDEN_HEAD);
    for case in cases() {
        let mut line = format!("{:<52}", case.name);
        for (order, _) in ORDERS {
            if let Reason::Beyond = case.reason(order) {
                line += &format!("{:>9}{:>8}", "-", "-");
                continue;
            }
            let Count { executions, pruned, .. } = count(&case.source, order);
            line += &format!("{executions:>9}{pruned:>8}");
        }
        let _ = writeln!(text, "{line}  {}", remark(&case));
    }
    common::golden::check("verify/counts.txt", &text);
}

const GOLDEN_HEAD: &str = "\
# What `raceproof verify` needs for the programs of tests/counts: complete executions, one of each class, and those
# it gave up because everything left to run in them was known (pruned). `classes`: both numbers of executions are
# held to a count of all classes; otherwise the reason, or that the search ends at a race.
#
# program                                                  dc  pruned       hb  pruned
";

fn remark(case: &Case) -> String {
    match case.dc {
        Reason::Counted => "classes".into(),
        Reason::Known(_, why) => why.into(),
        Reason::Race => "up to the first race".into(),
        Reason::Beyond => String::new(),
    }
}

#[test]
fn one_execution_a_class() {
    let mut wrong = Vec::new();
    for case in cases() {
        for (order, sections) in ORDERS {
            let expected = match case.reason(order) {
                Reason::Counted => {
                    let counted = classes(&parse(&case.source), sections, PREFIXES);
                    counted.unwrap_or_else(|| panic!("{}, {order:?}: too many classes to count", case.name))
                        as u64
                }
                Reason::Known(known, _) => known,
                Reason::Race | Reason::Beyond => continue,
            };
            let Count { executions, verdict, .. } = count(&case.source, order);
            if executions != expected || matches!(verdict, Verdict::Race | Verdict::Inconclusive) {
                let name = &case.name;
                wrong.push(format!(
                    "{name}, {order:?}: {executions} executions, {verdict:?}; {expected} classes"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn racy_programs_are_found_racy() {
    for case in cases() {
        for (order, _) in ORDERS {
            if let Reason::Race = case.reason(order) {
                assert_eq!(count(&case.source, order).verdict, Verdict::Race, "{}, {order:?}", case.name);
            }
        }
    }
}

/// What the paper says of its two programs: below 12 tasks of indexer, and for findmax, WCP needs
/// what DC needs.
#[test]
fn wcp_needs_what_dc_needs_for_the_programs_of_the_paper() {
    let counts = |text: &str| [OrderName::Dc, OrderName::Wcp].map(|order| count(text, order).executions);
    for tasks in [2, 5, 8, 11] {
        assert_eq!(counts(&sized("examples/indexer", "TASKS", tasks)), [1, 1], "indexer with {tasks} tasks");
    }
    let found: Vec<[u64; 2]> =
        (2..=5).map(|tasks| counts(&sized("examples/findmax", "TASKS", tasks))).collect();
    assert_eq!(found, [[2, 2], [5, 5], [15, 15], [52, 52]]);
}

/// Compares the executions of a program without races with the number of its classes; `several`
/// counts the orders with more than one class.
fn compare(text: &str, several: &mut u64) -> Result<(), String> {
    let Ok(program) = tp::parse(text) else { return Ok(()) };
    let truth = explore(&program, text, Limits { stop_at_races: true, ..Limits::default() });
    if !truth.complete || !truth.races.is_empty() {
        return Ok(());
    }
    for (order, sections) in ORDERS {
        let Some(expected) = classes(&program, sections, PREFIXES) else { continue };
        *several += u64::from(expected > 1);
        for pace in [Pace::default()].into_iter().chain(SPLIT) {
            let Count { executions, .. } = count_at(text, order, pace);
            if executions != expected as u64 {
                return Err(format!("{order:?}, {pace:?}: {executions} executions, {expected} classes"));
            }
        }
    }
    Ok(())
}

/// A random search tells executions apart as classes are: it meets no more than there are, and if
/// these are few, all.
fn compare_random(text: &str, several: &mut u64) -> Result<(), String> {
    const EXECUTIONS: u64 = 200;
    let Ok(program) = tp::parse(text) else { return Ok(()) };
    let truth = explore(&program, text, Limits { stop_at_races: true, ..Limits::default() });
    if !truth.complete || !truth.races.is_empty() {
        return Ok(());
    }
    let code = compile(&program, &Source::new("f.tp", text));
    for (order, sections) in ORDERS {
        let Some(expected) = classes(&program, sections, PREFIXES) else { continue };
        let (random, max_executions) = (Some(0), Some(EXECUTIONS));
        let options = Options { order, random, max_executions, ..Options::default() };
        let met = verify(&code, "f.tp", &options).report.stats.random.map_or(0, |random| random.distinct);
        if met > expected as u64 || (expected <= 4 && met < expected as u64) {
            return Err(format!("{order:?}: {met} classes met of {expected}"));
        }
        *several += u64::from(met > 1);
    }
    Ok(())
}

#[test]
fn classes_that_a_random_search_meets() {
    for profile in [Profile::Isolated, Profile::Locks] {
        let several = judge_generated("met", 150, |seed| generate(profile, seed), compare_random);
        assert!(several >= 10, "{profile:?}: {several}");
    }
    judge_generated("met", 150, choices, compare_random);
}

/// Compares on generated programs; at least one in ten must have more than one class.
fn generated(generator: impl Fn(u64) -> String) {
    let several = judge_generated("counts", 300, generator, compare);
    let cases = seeds(300).count() as u64;
    assert!(several * 10 >= cases, "only {several} of {cases} programs have classes to tell apart");
}

#[test]
fn generated_with_isolated() {
    generated(|seed| generate(Profile::Isolated, seed));
}

#[test]
fn generated_with_locks() {
    generated(|seed| generate(Profile::Locks, seed));
}

#[test]
fn generated_with_everything() {
    generated(|seed| generate(Profile::Mixed, seed));
}

#[test]
fn generated_choices() {
    generated(choices);
}

#[test]
fn generated_branches() {
    generated(branches);
}

#[test]
fn generated_additions() {
    generated(additions);
}

/// Programs whose classes were once miscounted, and others that were judged wrongly.
#[test]
fn regressions() {
    judge_regressions(compare);
}
