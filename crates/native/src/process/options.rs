//! What the environment asks for: `RACEPROOF_OPTIONS` and the variables of OpenMP and rayon.

use crate::process::openmp::{Environment, STACK, bytes};
use raceproof::env_options;
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
    /// Which thread executes what, where the standard leaves it open: one way for each number.
    pub(crate) assignment: u32,
    pub(crate) stack_bytes: usize,
    /// The variables of OpenMP.
    pub(crate) openmp: Environment,
    pub(crate) detect: bool,
    /// Whether Rust's test harness runs one test: in a thread, for which `main` waits.
    pub(crate) harness: bool,
    /// Whether the verdict is to hold for every size of the teams, not only for those that run.
    pub(crate) all_sizes: bool,
    /// Whether the detector collects at every occasion: for tests.
    pub(crate) collect: bool,
    /// Whether a search has condition waits end without a notification.
    pub(crate) spurious: bool,
    /// Whether all readers of a location are remembered.
    pub(crate) all_readers: bool,
    /// Every pair of sites of the places that the channel names.
    pub(crate) all_pairs: bool,
    /// The channel of a search that this is an execution of.
    pub(crate) explore: Option<PathBuf>,
    /// The pipes of a search that this is to serve: executions are its children.
    pub(crate) requests: Option<PathBuf>,
    pub(crate) replies: Option<PathBuf>,
    pub(crate) children: Option<PathBuf>,
}

/// As thread sanitizer's.
const STATUS: i32 = 66;
const THREADS: u32 = 4;
const UNSET: u32 = 0;

impl Options {
    pub(crate) fn from_environment() -> Self {
        let openmp = Environment::read();
        let rayon = || env::var("RAYON_NUM_THREADS").ok()?.trim().parse().ok().filter(|&threads| threads > 0);
        let mut options = Options {
            findings: None,
            report: None,
            suppressions: None,
            trace: None,
            color: None,
            status: STATUS,
            threads: UNSET,
            assignment: 0,
            stack_bytes: openmp.stack_bytes.unwrap_or(STACK),
            openmp,
            detect: true,
            harness: false,
            all_sizes: true,
            collect: false,
            spurious: false,
            all_readers: false,
            all_pairs: false,
            explore: None,
            requests: None,
            replies: None,
            children: None,
        };
        if let Some(text) = env::var_os("RACEPROOF_OPTIONS").filter(|_| !is_privileged()) {
            let Some(words) = env_options::split(text.as_bytes()) else {
                crate::fatal("RACEPROOF_OPTIONS: a quote (' or \") is not closed")
            };
            for word in words {
                options.set(&word);
            }
        }
        if options.threads == UNSET {
            // A team of one shows nothing of what its size decides.
            let openmp =
                options.openmp.threads().map(|size| if options.all_sizes { size.max(2) } else { size });
            options.threads = openmp.or_else(rayon).unwrap_or(THREADS);
        }
        if options.findings.is_some() {
            // Whoever reads the findings needs no status for them; the program's own stands.
            options.status = 0;
        }
        options.openmp.set_threads(options.threads);
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
                "RACEPROOF_OPTIONS: `{word}` is not understood; expected words like report=FILE, trace=FILE, threads=N, sizes=all|ran, stack=SIZE, \
                 suppressions=FILE, exitcode=N, color=auto|always|never, separated by `:`; a file with a colon or space in its name \
                 stands in quotes"
            ));
        }
    }

    /// A file, whose name may be of any bytes. The program may go elsewhere: what is relative is so
    /// to where it began.
    fn set_path(&mut self, name: &[u8], value: Option<&[u8]>) -> bool {
        let to = match name {
            b"report" => &mut self.report,
            b"suppressions" => &mut self.suppressions,
            b"trace" => &mut self.trace,
            _ if name == raceproof::channel::OPTION.as_bytes() => &mut self.findings,
            _ if name == raceproof::remote::OPTION.as_bytes() => &mut self.explore,
            _ if name == raceproof::remote::REQUESTS.as_bytes() => &mut self.requests,
            _ if name == raceproof::remote::REPLIES.as_bytes() => &mut self.replies,
            _ if name == raceproof::remote::CHILDREN.as_bytes() => &mut self.children,
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
            _ if word == raceproof::channel::ALL_PAIRS => {
                self.all_pairs = true;
                true
            }
            _ if word == raceproof::channel::HARNESS => {
                self.harness = true;
                true
            }
            Some(("spurious", "on" | "off")) => {
                self.spurious = word.ends_with("on");
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
            Some(("sizes", sizes @ ("all" | "ran"))) => {
                self.all_sizes = sizes == "all";
                true
            }
            Some((name, number)) if name == raceproof::remote::ASSIGNMENT => {
                number.parse().map(|number| self.assignment = number).is_ok()
            }
            Some(("stack", size)) => bytes(size).map(|size| self.stack_bytes = size).is_some(),
            Some(("collect", "always")) => {
                self.collect = true;
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

/// Whether the program has rights that whoever started it lacks (setuid, setgid, capabilities): it
/// would write files where the options say, with these rights.
fn is_privileged() -> bool {
    // SAFETY: asks for a number that the system gave the process at its start; has no conditions.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

fn is_true(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "true" | "1" | "yes" | "on")
}
