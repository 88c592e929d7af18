//! Internal control variables of OpenMP (ICVs): what the environment and the program ask for, as
//! OpenMP 5.2 (section 2) and libomp have them.
//!
//! The environment gives the first values ([`Environment`]). A task that sets one has values of its
//! own from then on (`tasks/icvs.rs`). A value that is not understood is said, and ignored; where
//! libomp takes the nearest one instead, so do we.
//!
//! Departures from libomp: a team has four threads unless something says otherwise, and a league
//! two teams, whatever the machine has; `OMP_DYNAMIC` never makes a team smaller; places, binding,
//! waiting, devices and tools have no effect, since one OS thread runs all.

use std::env;

/// Those of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Icvs {
    /// nthreads-var, at the level of the task.
    pub(crate) threads: u32,
    /// Whether the program has set it.
    pub(crate) sets_threads: bool,
    pub(crate) dynamic: bool,
    pub(crate) max_active_levels: u32,
    /// run-sched-var, and whether the program has set it.
    pub(crate) sets_schedule: bool,
    pub(crate) schedule: Schedule,
    pub(crate) thread_limit: u32,
}

/// A schedule, as `omp_set_schedule` has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Schedule {
    pub(crate) kind: Kind,
    pub(crate) monotonic: bool,
    /// 0: not said.
    pub(crate) chunk: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Static = 1,
    Dynamic = 2,
    Guided = 3,
    Auto = 4,
}

/// `omp_sched_monotonic`
const MONOTONIC: i32 = i32::MIN;

impl Schedule {
    pub(crate) const STATIC: Schedule = Schedule { kind: Kind::Static, monotonic: false, chunk: 0 };

    /// From the arguments of `omp_set_schedule`.
    pub(crate) fn of(kind: i32, chunk: i32) -> Option<Self> {
        let monotonic = kind & MONOTONIC != 0;
        let kind = match kind & !MONOTONIC {
            1 => Kind::Static,
            2 => Kind::Dynamic,
            3 => Kind::Guided,
            4 => Kind::Auto,
            _ => return None,
        };
        Some(Schedule { kind, monotonic, chunk: default_chunk(kind, chunk) })
    }

    /// As `omp_get_schedule` says it.
    pub(crate) fn said(self) -> (i32, i32) {
        (self.kind as i32 | if self.monotonic { MONOTONIC } else { 0 }, self.chunk)
    }

    /// `[modifier:]kind[,chunk]`
    fn parse(text: &str) -> Result<(Self, Option<String>), String> {
        let (modifier, rest) = match text.split_once(':') {
            Some((modifier, rest)) => (modifier.trim(), rest),
            None => ("", text),
        };
        let (name, chunk) = match rest.split_once(',') {
            Some((name, chunk)) => (name.trim(), Some(chunk.trim())),
            None => (rest.trim(), None),
        };
        let is = |name: &str, word: &str| name.eq_ignore_ascii_case(word);
        let kinds = [
            ("static", Kind::Static),
            ("dynamic", Kind::Dynamic),
            ("guided", Kind::Guided),
            ("auto", Kind::Auto),
        ];
        let kind = kinds.iter().find(|(word, _)| is(name, word)).map(|&(_, kind)| kind);
        let expected =
            || "expected [monotonic:|nonmonotonic:]static|dynamic|guided|auto[,CHUNK]; ignored".to_owned();
        let (Some(kind), true) =
            (kind, ["", "monotonic", "nonmonotonic"].iter().any(|word| is(modifier, word)))
        else {
            return Err(expected());
        };
        let mut note = None;
        let chunk = match chunk {
            None => 0,
            Some(_) if kind == Kind::Auto => {
                note = Some("auto has no chunk size; it is ignored".to_owned());
                0
            }
            Some(digits) => match number(digits) {
                Ok(0) => {
                    note = Some("the chunk size is too small; 1 is used".to_owned());
                    1
                }
                Ok(chunk) => chunk as i32,
                Err(_) => return Err(expected()),
            },
        };
        let monotonic = is(modifier, "monotonic");
        Ok((Schedule { kind, monotonic, chunk: default_chunk(kind, chunk) }, note))
    }
}

fn default_chunk(kind: Kind, chunk: i32) -> i32 {
    match kind {
        Kind::Static => chunk.max(0),
        Kind::Auto => 1,
        _ => chunk.max(1),
    }
}

/// The size of a task's stack, unless the environment says another.
pub(crate) const STACK: usize = 8 << 20;

/// What the environment says.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    /// By level; the last is for all beyond. Empty: not said.
    threads: Vec<u32>,
    icvs: Icvs,
    /// The active levels that `omp_set_nested` asks for.
    pub(crate) nested_levels: u32,
    pub(crate) cancellation: bool,
    /// 0: not said.
    pub(crate) teams: u32,
    pub(crate) teams_thread_limit: u32,
    pub(crate) max_task_priority: u32,
    pub(crate) default_device: u32,
    pub(crate) stack_bytes: Option<usize>,
    display: Option<bool>,
    /// What was not understood, by variable.
    pub(crate) warnings: Vec<String>,
}

/// libomp's most: no limit.
pub(crate) const MOST: u32 = i32::MAX as u32;

impl Environment {
    pub(crate) fn read() -> Self {
        let mut reader = Reader { warnings: Vec::new() };
        let threads = reader.list("OMP_NUM_THREADS");
        let bindings = reader.bindings();
        // As libomp: lists for several levels ask for several, OMP_MAX_ACTIVE_LEVELS overrules
        // them, and OMP_NESTED=false all.
        let nested = reader.truth("OMP_NESTED");
        let levels = reader.number("OMP_MAX_ACTIVE_LEVELS", 0);
        let several = threads.len() > 1 || bindings > 1 || nested == Some(true);
        let max_active_levels = match (nested, levels) {
            (Some(false), _) => 1,
            (_, Some(levels)) => levels,
            _ if several => MOST,
            _ => 1,
        };
        let icvs = Icvs {
            threads: threads.first().copied().unwrap_or(1),
            sets_threads: false,
            sets_schedule: false,
            dynamic: reader.truth("OMP_DYNAMIC").unwrap_or(false),
            max_active_levels,
            schedule: reader.schedule("OMP_SCHEDULE").unwrap_or(Schedule::STATIC),
            thread_limit: reader.number("OMP_THREAD_LIMIT", 1).unwrap_or(MOST),
        };
        let environment = Environment {
            threads,
            icvs,
            nested_levels: levels.filter(|_| nested.is_none()).unwrap_or(MOST),
            cancellation: reader.truth("OMP_CANCELLATION").unwrap_or(false),
            teams: reader.number("OMP_NUM_TEAMS", 1).unwrap_or(0),
            teams_thread_limit: reader.number("OMP_TEAMS_THREAD_LIMIT", 1).unwrap_or(0),
            max_task_priority: reader.number("OMP_MAX_TASK_PRIORITY", 0).unwrap_or(0),
            default_device: reader.number("OMP_DEFAULT_DEVICE", 0).unwrap_or(0),
            stack_bytes: reader.bytes("OMP_STACKSIZE"),
            display: reader.display("OMP_DISPLAY_ENV"),
            warnings: Vec::new(),
        };
        // Those without effect, so that a mistake in them is noticed all the same.
        reader.word("OMP_WAIT_POLICY", &["active", "passive"]);
        reader.word("OMP_TARGET_OFFLOAD", &["mandatory", "disabled", "default"]);
        reader.word("OMP_TOOL", &["enabled", "disabled"]);
        reader.truth("OMP_DISPLAY_AFFINITY");
        reader.places("OMP_PLACES");
        Environment { warnings: reader.warnings, ..environment }
    }

    /// The size of teams outside of others, if the environment says one.
    pub(crate) fn threads(&self) -> Option<u32> {
        self.threads.first().copied()
    }

    /// Sets that size.
    pub(crate) fn set_threads(&mut self, threads: u32) {
        match self.threads.first_mut() {
            Some(first) => *first = threads,
            None => self.threads.push(threads),
        }
    }

    /// The size of teams at a level, if the environment says one for it.
    pub(crate) fn threads_at(&self, level: u32) -> Option<u32> {
        self.threads.get(level as usize).copied()
    }

    /// What holds at a level where nobody has set anything.
    pub(crate) fn at(&self, level: u32) -> Icvs {
        let threads = self.threads.get(level as usize).or(self.threads.last());
        Icvs { threads: threads.copied().unwrap_or(self.icvs.threads), ..self.icvs }
    }

    /// Prints warnings about settings, and all settings if `OMP_DISPLAY_ENV` asks for them.
    pub(crate) fn print(&self) {
        for warning in &self.warnings {
            crate::say(warning);
        }
        if let Some(verbose) = self.display {
            self.show(verbose);
        }
    }

    /// `omp_display_env`. A `verbose` one would add variables of the implementation, of which there
    /// are none.
    pub(crate) fn show(&self, _verbose: bool) {
        let truth = |value: bool| if value { "TRUE" } else { "FALSE" };
        let threads: Vec<String> = self.threads.iter().map(u32::to_string).collect();
        let Icvs { dynamic, max_active_levels, schedule, thread_limit, .. } = self.icvs;
        let chunk = if schedule.chunk > 1 { format!(",{}", schedule.chunk) } else { String::new() };
        let modifier = if schedule.monotonic { "monotonic:" } else { "" };
        let schedule = format!("{modifier}{:?}{chunk}", schedule.kind).to_lowercase();
        let stack = self.stack_bytes.unwrap_or(STACK);
        eprint!(
            "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n   _OPENMP='201611'\n\
             \x20 [host] OMP_CANCELLATION='{}'\n\
             \x20 [host] OMP_DEFAULT_DEVICE='{}'\n\
             \x20 [host] OMP_DYNAMIC='{}'\n\
             \x20 [host] OMP_MAX_ACTIVE_LEVELS='{max_active_levels}'\n\
             \x20 [host] OMP_MAX_TASK_PRIORITY='{}'\n\
             \x20 [host] OMP_NUM_TEAMS='{}'\n\
             \x20 [host] OMP_NUM_THREADS='{}'\n\
             \x20 [host] OMP_SCHEDULE='{schedule}'\n\
             \x20 [host] OMP_STACKSIZE='{stack}B'\n\
             \x20 [host] OMP_TEAMS_THREAD_LIMIT='{}'\n\
             \x20 [host] OMP_THREAD_LIMIT='{thread_limit}'\n\
             OPENMP DISPLAY ENVIRONMENT END\n\n",
            truth(self.cancellation),
            self.default_device,
            truth(dynamic),
            self.max_task_priority,
            self.teams,
            threads.join(","),
            self.teams_thread_limit,
        );
    }
}

/// Reads variables, and keeps what to say of them.
struct Reader {
    warnings: Vec<String>,
}

/// Why a number is none, in libomp's words.
fn number(text: &str) -> Result<u32, &'static str> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("not a number");
    }
    text.parse().ok().filter(|&number| number <= MOST).ok_or("value too large")
}

/// Whether a word is the beginning of another, at least so long; with 0 all of it.
fn begins(word: &str, least: usize, whole: &str) -> bool {
    let enough = if least == 0 { whole.len() } else { least };
    word.len() >= enough
        && word.len() <= whole.len()
        && word.eq_ignore_ascii_case(whole.get(..word.len()).unwrap_or_default())
}

impl Reader {
    fn get(&self, name: &str) -> Option<String> {
        env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn warn(&mut self, name: &str, value: &str, what: &str) {
        self.warnings.push(format!("{name}=\"{value}\": {what}"));
    }

    /// A number; one that is less than the `least` counts as that.
    fn number(&mut self, name: &str, least: u32) -> Option<u32> {
        let value = self.get(name)?;
        match number(&value) {
            Ok(small) if small < least => {
                self.warn(name, &value, &format!("value too small; {least} is used"));
                Some(least)
            }
            Ok(number) => Some(number),
            Err(why) => {
                self.warn(name, &value, &format!("{why}; ignored"));
                None
            }
        }
    }

    /// Numbers of threads, by level; a comma at the end is allowed.
    fn list(&mut self, name: &str) -> Vec<u32> {
        let Some(value) = self.get(name) else { return Vec::new() };
        let whole = value.trim();
        let items = whole.strip_suffix(',').unwrap_or(whole).split(',');
        let numbers: Result<Vec<u32>, _> = items.map(number).collect();
        match numbers {
            Ok(numbers) => {
                if numbers.contains(&0) {
                    self.warn(name, &value, "value too small; 1 is used");
                }
                numbers.into_iter().map(|threads| threads.max(1)).collect()
            }
            Err(why) => {
                self.warn(name, &value, &format!("{why}; expected N or N,N,…; ignored"));
                Vec::new()
            }
        }
    }

    fn truth(&mut self, name: &str) -> Option<bool> {
        let value = self.get(name)?;
        let truth = truth(&value);
        if truth.is_none() {
            let words = "expected true, yes, on, 1 or false, no, off, 0; ignored";
            self.warn(name, &value, words);
        }
        truth
    }

    /// Whether the environment is shown, and with everything.
    fn display(&mut self, name: &str) -> Option<bool> {
        let value = self.get(name)?;
        if value.trim().eq_ignore_ascii_case("verbose") {
            return Some(true);
        }
        self.truth(name).filter(|&wanted| wanted).map(|_| false)
    }

    fn schedule(&mut self, name: &str) -> Option<Schedule> {
        let value = self.get(name)?;
        match Schedule::parse(&value) {
            Ok((schedule, note)) => {
                if let Some(note) = note {
                    self.warn(name, &value, &note);
                }
                Some(schedule)
            }
            Err(why) => {
                self.warn(name, &value, &why);
                None
            }
        }
    }

    fn bytes(&mut self, name: &str) -> Option<usize> {
        let value = self.get(name)?;
        let size = bytes(&value).filter(|&size| size > 0);
        if size.is_none() {
            self.warn(name, &value, "expected a number with B, K, M or G; ignored");
        }
        size
    }

    fn word(&mut self, name: &str, known: &[&str]) {
        if let Some(value) = self.get(name)
            && !known.iter().any(|word| value.trim().eq_ignore_ascii_case(word))
        {
            self.warn(name, &value, &format!("expected {}; ignored", known.join(" or ")));
        }
    }

    /// How many levels OMP_PROC_BIND is for.
    fn bindings(&mut self) -> usize {
        const NAME: &str = "OMP_PROC_BIND";
        let Some(value) = self.get(NAME) else { return 0 };
        if truth(&value).is_some() {
            return 1;
        }
        let is_known = |word: &str| {
            ["primary", "master", "close", "spread"]
                .iter()
                .any(|known| word.trim().eq_ignore_ascii_case(known))
        };
        if !value.split(',').all(is_known) {
            self.warn(NAME, &value, "expected true, false, or a list of primary, close, spread; ignored");
            return 0;
        }
        value.split(',').count()
    }

    fn places(&mut self, name: &str) {
        let Some(value) = self.get(name) else { return };
        let text = value.trim();
        let word = text.split('(').next().unwrap_or_default().trim();
        let named = ["threads", "cores", "ll_caches", "numa_domains", "sockets"];
        let is_list = text.starts_with(['{', '!']) || text.starts_with(|c: char| c.is_ascii_digit());
        if !is_list && !named.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            self.warn(name, &value, "expected threads, cores, sockets, … or a list of places; ignored");
        }
    }
}

/// As libomp: words may be cut short.
pub(crate) fn truth(value: &str) -> Option<bool> {
    let value = value.trim();
    let among = |words: &[(&str, usize)]| words.iter().any(|&(word, least)| begins(value, least, word));
    if among(&[("true", 1), ("on", 2), ("1", 1), (".true.", 2), (".t.", 2), ("yes", 1), ("enabled", 0)]) {
        return Some(true);
    }
    among(&[("false", 1), ("off", 2), ("0", 1), (".false.", 2), (".f.", 2), ("no", 1), ("disabled", 0)])
        .then_some(false)
}

/// A size as OMP_STACKSIZE has it: kilobytes unless a letter says otherwise.
pub(crate) fn bytes(text: &str) -> Option<usize> {
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
