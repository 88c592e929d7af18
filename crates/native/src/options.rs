//! What the environment asks for: `RACEPROOF_OPTIONS` and the variables of OpenMP and rayon.

use raceproof::words;
use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(crate) struct Options {
    /// Where findings go as they are found, for `raceproof run`.
    pub(crate) findings: Option<PathBuf>,
    /// Where the JSON report goes; none: a text report on standard error.
    pub(crate) report: Option<PathBuf>,
    pub(crate) suppressions: Option<PathBuf>,
    /// Where the run is recorded, if it is.
    pub(crate) trace: Option<PathBuf>,
    pub(crate) color: Option<String>,
    /// The exit status if something was found.
    pub(crate) status: i32,
    pub(crate) threads: u32,
    pub(crate) stack_bytes: usize,
    pub(crate) cancellation: bool,
    pub(crate) nested: bool,
    pub(crate) dynamic: bool,
    pub(crate) detect: bool,
    /// Whether the detector collects at every occasion: for tests.
    pub(crate) collect: bool,
    /// Whether all readers of a location are remembered.
    pub(crate) all_readers: bool,
    /// Whether the program is told that there are no more threads, instead of ended when it asks for one.
    pub(crate) refuse_threads: bool,
    /// The channel of a search that this is an execution of.
    pub(crate) explore: Option<PathBuf>,
}

/// As thread sanitizer's.
const STATUS: i32 = 66;
const THREADS: u32 = 4;
const STACK: usize = 8 << 20;

impl Options {
    pub(crate) fn from_environment() -> Self {
        let mut options = Options {
            findings: None,
            report: None,
            suppressions: None,
            trace: None,
            color: None,
            status: STATUS,
            threads: openmp("OMP_NUM_THREADS")
                .or_else(|| env::var("RAYON_NUM_THREADS").ok())
                .and_then(|list| list.split(',').next()?.trim().parse().ok())
                .filter(|&threads| threads > 0)
                .unwrap_or(THREADS),
            stack_bytes: openmp("OMP_STACKSIZE").and_then(|size| bytes(&size)).unwrap_or(STACK),
            cancellation: openmp("OMP_CANCELLATION").is_some_and(|value| is_true(&value)),
            nested: openmp("OMP_NESTED").is_none_or(|value| is_true(&value)),
            dynamic: openmp("OMP_DYNAMIC").is_some_and(|value| is_true(&value)),
            detect: true,
            collect: false,
            all_readers: false,
            refuse_threads: false,
            explore: None,
        };
        if let Some(text) = env::var_os("RACEPROOF_OPTIONS") {
            let Some(words) = words::split(text.as_bytes()) else {
                crate::fatal("RACEPROOF_OPTIONS: a quote (' or \") is not closed")
            };
            for word in words {
                options.set(&word);
            }
        }
        if options.findings.is_some() {
            // Whoever reads the findings needs no status for them; the program's own stands.
            options.status = 0;
        }
        options
    }

    fn set(&mut self, word: &[u8]) {
        let equals = word.iter().position(|&byte| byte == b'=');
        let (name, value) = equals.map_or((word, None), |at| (&word[..at], Some(&word[at + 1..])));
        let known =
            self.set_path(name, value) || std::str::from_utf8(word).is_ok_and(|word| self.set_value(word));
        if !known {
            let word = String::from_utf8_lossy(word);
            crate::fatal(&format!(
                "RACEPROOF_OPTIONS: `{word}` is not understood; expected words like report=FILE, trace=FILE, threads=N, stack=SIZE, \
                 suppressions=FILE, exitcode=N, color=auto|always|never, separated by `:`; a file with a colon or space in its name \
                 stands in quotes"
            ));
        }
    }

    /// A file, whose name may be of any bytes. The program may go elsewhere: what is relative is so to where it began.
    fn set_path(&mut self, name: &[u8], value: Option<&[u8]>) -> bool {
        let to = match name {
            b"report" => &mut self.report,
            b"suppressions" => &mut self.suppressions,
            b"trace" => &mut self.trace,
            _ if name == raceproof::channel::OPTION.as_bytes() => &mut self.findings,
            _ if name == raceproof::remote::OPTION.as_bytes() => &mut self.explore,
            _ => return false,
        };
        let Some(value) = value.filter(|value| !value.is_empty()) else { return false };
        let path = Path::new(OsStr::from_bytes(value));
        *to = Some(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        true
    }

    fn set_value(&mut self, word: &str) -> bool {
        match word.split_once('=') {
            _ if word == raceproof::remote::ALL_READERS => {
                self.all_readers = true;
                true
            }
            Some(("color", when @ ("auto" | "always" | "never"))) => {
                self.color = Some(when.to_owned());
                true
            }
            Some(("exitcode", status)) => status.parse().map(|status| self.status = status).is_ok(),
            Some(("threads", threads)) => {
                threads.parse().ok().filter(|&n| n > 0).map(|threads| self.threads = threads).is_some()
            }
            Some(("stack", size)) => bytes(size).map(|size| self.stack_bytes = size).is_some(),
            Some(("collect", "always")) => {
                self.collect = true;
                true
            }
            Some(("spawn", "refuse")) => {
                self.refuse_threads = true;
                true
            }
            Some(("detect", value)) => {
                self.detect = is_true(value);
                true
            }
            _ => false,
        }
    }
}

fn openmp(name: &str) -> Option<String> {
    env::var(name).ok()
}

fn is_true(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "true" | "1" | "yes" | "on")
}

/// A size as OMP_STACKSIZE has it: kilobytes unless a letter says otherwise.
fn bytes(text: &str) -> Option<usize> {
    let text = text.trim();
    let (number, unit) = match text.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        Some((at, _)) => (&text[..at], text[at..].trim()),
        None => (text, "K"),
    };
    let unit = match unit {
        "B" | "b" => 1,
        "K" | "k" => 1 << 10,
        "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        _ => return None,
    };
    number.parse::<usize>().ok()?.checked_mul(unit)
}
