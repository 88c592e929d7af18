//! Searches that are written to a checkpoint and resumed.

use crate::common;

use common::command::Folder;
use common::mutate;
use common::seeds::setting;
use raceproof_cli::verify::checkpoint;
use raceproof_cli::verify::{Options, OrderName, Search, verify, verify_from};
use raceproof_core::finding::Verdict;
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use std::fs;
use std::process::Command;

const COUNTERS: &str = "var c; var d;
proc main() {
    finish {
        for i in 0..5 { async { isolated { c = c * 2 + i; } } }
        async { isolated { d = 1; } }
    }
    assert(c != 26);
}
";

const PROGRAM: &str = "0123";

fn compiled(text: &str) -> Code {
    compile(&tp::parse(text).expect("the program is right"), &Source::new("f.tp", text))
}

/// A search that was cut after so many executions, as text.
fn cut_after(code: &Code, executions: u64) -> String {
    let mut search = Search::default();
    let options = Options { max_executions: Some(executions), ..Options::default() };
    let verified = verify_from(&mut search, code, "f.tp", &options);
    assert_eq!(verified.report.stats.executions, executions);
    checkpoint::text(&search, PROGRAM, OrderName::Dc).expect("a search can be written")
}

#[test]
fn a_search_in_pieces_is_the_search() {
    let code = compiled(COUNTERS);
    let whole = verify(&code, "f.tp", &Options::default());
    assert_eq!(whole.report.stats.executions, 120, "5! orders of the sections");
    for piece in [1, 7, 50] {
        let mut text = checkpoint::text(&Search::default(), PROGRAM, OrderName::Dc).expect("written");
        let mut most = 0;
        loop {
            most += piece;
            let mut search = checkpoint::read("c", &text, PROGRAM, OrderName::Dc).expect("read back");
            let options = Options { max_executions: Some(most), ..Options::default() };
            let verified = verify_from(&mut search, &code, "f.tp", &options);
            if search.is_done() {
                assert_eq!(verified.report.stats.executions, 120);
                assert_eq!(verified.report.verdict, whole.report.verdict);
                assert_eq!(verified.report.errors, whole.report.errors);
                break;
            }
            assert!(matches!(verified.report.verdict, Verdict::Inconclusive | Verdict::ProgramError));
            text = checkpoint::text(&search, PROGRAM, OrderName::Dc).expect("written");
        }
    }
}

#[test]
fn what_is_no_checkpoint_of_this_search_is_refused() {
    let code = compiled(COUNTERS);
    let text = cut_after(&code, 10);
    let refused = |text: &str, program: &str, order: OrderName, why: &str| {
        let error = checkpoint::read("c.json", text, program, order).expect_err("it must not be taken");
        assert!(error.starts_with("c.json:") && error.contains(why), "{error}");
    };
    refused(&text, "4567", OrderName::Dc, "another program");
    refused(&text, PROGRAM, OrderName::Hb, "--order dc");
    refused(&text.replace("\"checkpoint\":", "\"checkpoint\":7"), PROGRAM, OrderName::Dc, "another version");
    refused(&text[..text.len() / 2], PROGRAM, OrderName::Dc, "not a checkpoint");
    refused("", PROGRAM, OrderName::Dc, "not a checkpoint");
    refused("{}", PROGRAM, OrderName::Dc, "not a checkpoint");
}

/// Damaged checkpoints are refused, or can be resumed; nothing panics.
#[test]
fn damaged_checkpoints() {
    let code = compiled(COUNTERS);
    let good = cut_after(&code, 10);
    let rounds = setting("FUZZ_ITERS", 3000);
    let mut random = mutate::Random::new(1, 0);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..rounds {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = b"0123456789[]{},:\"x"[random.below(18)],
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match checkpoint::read("c", &text, PROGRAM, OrderName::Dc) {
            Err(_) => refused += 1,
            Ok(mut search) => {
                taken += 1;
                let most = Some(search.executions().saturating_add(5));
                verify_from(
                    &mut search,
                    &code,
                    "f.tp",
                    &Options { max_executions: most, ..Options::default() },
                );
            }
        }
    }
    assert!(refused > 0 && taken > 0, "{refused} refused, {taken} taken");
}

#[test]
fn the_command_keeps_and_resumes() {
    let folder = Folder::new("checkpoint");
    let (program, kept) = (folder.write("f.tp", COUNTERS), folder.path("search.json"));
    let verify = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raceproof"));
        command.arg("verify").arg(&program).arg("--checkpoint").arg(&kept).args(more);
        let done = command.output().expect("the command runs");
        (done.status.code(), String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned())
    };
    let (status, text) = verify(&["--max-executions", "20"]);
    assert!(status == Some(3) || status == Some(1), "{status:?} {text}");
    assert!(kept.exists(), "{text}");
    let (status, text) = verify(&["--order", "hb"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("--order dc"), "{text}");
    let (status, text) = verify(&["--no-commuting"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("a search without --no-commuting"), "{text}");
    let (status, text) = verify(&[]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("120 executions"), "{text}");
    assert!(!kept.exists(), "a search that is over leaves nothing behind");
    fs::write(&kept, "nonsense").expect("written");
    let (status, text) = verify(&[]);
    assert_eq!(status, Some(2), "{text}");
}
