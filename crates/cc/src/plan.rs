//! The command line for clang: the user's, with what we add and what we leave out.

use super::Language;
use super::arguments::{Arguments, Item};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Optimisations that we disable. The first hoists reads out of a loop that may not execute them:
/// on another thread a race that the program does not have. The second makes the instrumentation
/// take escaping local variables for private ones. The last merges accesses to elements that are
/// not adjacent into one that also covers the gap. The others merge accesses of two branches into
/// one without a line.
pub const INVENTIVE: [&str; 6] = [
    "-disable-licm-promotion",
    "-capture-tracking-max-uses-to-explore=0",
    "-simplifycfg-sink-common=false",
    "-simplifycfg-hoist-common=false",
    "-sink-common-insts=false",
    "-enable-interleaved-mem-accesses=false",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// A question to the compiler, or nothing to do.
    Query,
    /// Up to objects, assembly, preprocessed text or dependencies.
    Compile,
    Executable,
    SharedLibrary,
    /// Objects joined to one object.
    Relocatable,
}

impl Action {
    pub fn links(self) -> bool {
        matches!(self, Action::Executable | Action::SharedLibrary | Action::Relocatable)
    }

    pub(super) fn compiles(self) -> bool {
        self != Action::Query
    }
}

/// A command line for clang.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    pub action: Action,
    pub language: Language,
    /// Further options for the compiler proper.
    pub added: Vec<OsString>,
    /// The user's words that stay.
    pub kept: Vec<Item>,
    /// Further options for the linker.
    pub linked: Vec<OsString>,
    /// Whether OpenMP was asked for.
    pub openmp: bool,
    /// Whether what is compiled is instrumented.
    pub instrumented: bool,
    /// Whether our pass instruments, where there is one.
    pub own_pass: bool,
    /// Whether redundant checks are eliminated.
    pub eliminates: bool,
    /// Whether the user has not asked for debug information, which reports need.
    pub adds_debug: bool,
    pub warnings: Vec<String>,
}

/// The libraries that ours takes the place of, as after `-l`.
const REPLACED: &[&str] = &["omp", "iomp5", "gomp", "tsan", "hclib", "hclib_system"];

impl Plan {
    pub fn new(arguments: &Arguments, language: Language) -> Result<Plan, String> {
        let action = action(arguments);
        let mut plan = Plan {
            action,
            language,
            added: Vec::new(),
            kept: Vec::new(),
            linked: Vec::new(),
            openmp: false,
            instrumented: true,
            own_pass: true,
            eliminates: true,
            adds_debug: false,
            warnings: Vec::new(),
        };
        if action == Action::Query {
            plan.kept = arguments.items.clone();
            return Ok(plan);
        }
        if action == Action::Executable && arguments.has(&["-static", "-static-pie", "--static"]) {
            return Err("-static cannot be used: raceproof's runtime takes the place of functions of the C library, which \
                        has to be a shared one; leave it out"
                .to_owned());
        }
        let compiled = arguments.inputs().any(|(_, compiled)| compiled);
        let mut instrument = true;
        let mut openmp_options = Vec::new();
        for item in &arguments.items {
            let first = words(item)[0].to_string_lossy().into_owned();
            match item {
                Item::Input { path, .. } if action.links() && replaced_file(path) => {
                    plan.warn_replaced(&first);
                    continue;
                }
                Item::Option(option) if action.links() && replaced_library(option) => continue,
                _ => {}
            }
            match first.as_str() {
                "-fno-openmp" => plan.openmp = false,
                "-fopenmp" => plan.openmp = true,
                _ if first.starts_with("-fopenmp=") => plan.openmp = true,
                "-fopenmp-simd" | "-fno-openmp-simd" => plan.push(item),
                _ if first.starts_with("-fopenmp-targets=") || first.starts_with("--offload-arch=") => {
                    plan.warnings.push(format!("{first} is left out: target regions run on the host"));
                }
                // For the driver's own link only.
                "-fopenmp-implicit-rpath" | "-fno-openmp-implicit-rpath" | "-static-openmp" => {}
                _ if first.starts_with("-fopenmp-")
                    || first.starts_with("-fno-openmp-")
                    || first.starts_with("-fnoopenmp-") =>
                {
                    openmp_options.extend(language.proper(&[&first]));
                }
                _ if first.starts_with("-fsanitize=") => sanitizer(&first)?,
                "-fno-sanitize=thread" | "-fno-sanitize=all" => {
                    instrument = false;
                    // flang does not know it.
                    if language != Language::Fortran {
                        plan.push(item);
                    }
                }
                // Places are known from debug information, and what the clauses of a Fortran
                // program copy.
                "-g0" if language == Language::Fortran => {}
                "-static-libsan" | "-shared-libsan" => {}
                "-fraceproof-pass" => plan.own_pass = true,
                "-fno-raceproof-pass" if language == Language::Fortran => {
                    return Err("-fno-raceproof-pass cannot be used: flang has no pass of its own that could instrument".to_owned());
                }
                "-fno-raceproof-pass" => plan.own_pass = false,
                "-fraceproof-check-elimination" => plan.eliminates = true,
                "-fno-raceproof-check-elimination" => plan.eliminates = false,
                _ => plan.push(item),
            }
        }
        plan.instrumented = instrument;
        if compiled {
            plan.instrument(arguments, instrument, openmp_options);
        }
        let strict = ["--no-undefined", "defs", "-no-undefined"];
        if action == Action::SharedLibrary
            && arguments.linker_words().iter().any(|word| strict.contains(&word.as_str()))
        {
            // Our symbols are in the executable that will load it.
            plan.linked.push("-Wl,-z,undefs".into());
        }
        Ok(plan)
    }

    fn push(&mut self, item: &Item) {
        self.kept.push(item.clone());
    }

    /// Whether anything is compiled.
    pub(super) fn has_sources(&self) -> bool {
        self.kept.iter().any(|item| matches!(item, Item::Input { compiled: true, .. }))
    }

    /// The whole command line. Options for the compiler proper stand before the inputs, so that the
    /// user's own `-Xclang` can undo it.
    pub fn words(&self) -> Vec<OsString> {
        self.added
            .iter()
            .cloned()
            .chain(self.kept.iter().flat_map(words))
            .chain(self.linked.iter().cloned())
            .collect()
    }

    fn warn_replaced(&mut self, file: &str) {
        self.warnings.push(format!("{file} is not linked: raceproof's runtime takes its place"));
    }

    /// The options for the compiler proper.
    fn instrument(&mut self, arguments: &Arguments, instrument: bool, openmp_options: Vec<OsString>) {
        let mut added: Vec<OsString> = Vec::new();
        if instrument {
            // So that a local variable can be found, and named, in its frame.
            added.push("-fno-omit-frame-pointer".into());
            // The second, so that a frame that is larger than the guard of a stack does not reach
            // over it into the next. flang has neither: the pass does it.
            if self.language != Language::Fortran {
                added.extend(self.language.proper(&["-fsanitize=thread", "-fstack-clash-protection"]));
            }
        } else {
            self.warnings.push(
                "-fno-sanitize=thread: accesses of what is compiled here are not seen, nor are races with them"
                    .to_owned(),
            );
        }
        if self.openmp {
            added.extend(self.language.proper(&["-fopenmp"]));
            added.extend(openmp_options);
        }
        let debug = |option: &OsStr| {
            let option = option.to_string_lossy();
            option.starts_with("-g") && !option.starts_with("-gcc") && !option.starts_with("-gz")
        };
        let is_left_out = |option: &OsStr| self.language == Language::Fortran && option == "-g0";
        if !arguments.options().any(|option| debug(&option[0]) && !is_left_out(&option[0])) {
            added.push("-g".into());
            self.adds_debug = true;
        }
        self.added = added;
    }

    /// Disables optimisations that invent accesses or lose their lines, where clang's own pass
    /// instruments, which runs last.
    pub(super) fn restrain(&mut self) {
        if !self.added.is_empty() {
            let words = INVENTIVE.iter().flat_map(|pass| ["-Xclang", "-mllvm", "-Xclang", pass]);
            self.added.extend(words.map(OsString::from));
        }
    }

    /// Has the linker send calls of the C library through the runtime, where no pass has done so.
    /// It cannot tell who calls: this is for executables of which all parts are instrumented. A
    /// shared library may have functions of such names that the executable does not see. Left out
    /// is what clang's own pass sees, and the runtime itself uses.
    pub(super) fn wrap_library(&mut self) {
        const LEFT_OUT: [&str; 3] = ["memcpy", "memmove", "memset"];
        if self.action == Action::Executable {
            let names = raceproof_pass::LIBRARY.iter().filter(|name| !LEFT_OUT.contains(name));
            let options: String = names.map(|name| format!(",--wrap={name}")).collect();
            self.linked.push(format!("-Wl{options}").into());
        }
    }

    /// Tells the runtime that nothing of the program asks for OpenMP: a test program of
    /// `configure`, or a tool that a Makefile builds. If it runs by itself and nothing is found, it
    /// says nothing.
    pub(super) fn mark_sequential(&mut self) {
        self.linked.push("-Wl,--defsym=__raceproof_sequential=1".into());
    }

    /// Links an executable with our library.
    pub fn link_runtime(&mut self, library: &Path) {
        // Nothing else refers to a `main` in an archive.
        self.linked.extend(["-Wl,--wrap=main", "-Wl,-u,main"].map(OsString::from));
        // A language set by `-x` would be taken for the library's.
        self.linked.extend(["-x".into(), "none".into(), library.into()]);
        // Shared libraries and plugins that were compiled by us find our symbols in the executable.
        self.linked.push("-rdynamic".into());
        self.linked.extend(["-lpthread", "-ldl", "-lrt", "-lm"].map(OsString::from));
    }
}

pub(super) fn words(item: &Item) -> Vec<OsString> {
    match item {
        Item::Option(words) => words.clone(),
        Item::Input { path, .. } => vec![path.clone()],
    }
}

fn action(arguments: &Arguments) -> Action {
    const ASKS: &[&str] = &["--version", "--help", "-help", "-cc1", "-cc1as", "-dumpversion", "-dumpmachine"];
    const COMPILES: &[&str] = &[
        "-c",
        "-S",
        "-E",
        "-M",
        "-MM",
        "-fsyntax-only",
        "--precompile",
        "--analyze",
        "-emit-ast",
        "-extract-api",
    ];
    let asks = |option: &[OsString]| {
        let first = option[0].to_string_lossy();
        ASKS.contains(&&*first) || first.starts_with("-print-") || first.starts_with("--print-")
    };
    let linker = arguments.linker_words();
    let relocatable = ["-r", "--relocatable", "-i"];
    if arguments.options().any(asks) || arguments.inputs().next().is_none() {
        Action::Query
    } else if arguments.has(COMPILES) || headers_only(arguments) {
        Action::Compile
    } else if arguments.has(&["-shared", "--shared"]) || linker.iter().any(|word| word == "-shared") {
        Action::SharedLibrary
    } else if arguments.has(&["-r"]) || linker.iter().any(|word| relocatable.contains(&word.as_str())) {
        Action::Relocatable
    } else {
        Action::Executable
    }
}

/// Headers alone are precompiled, not linked.
fn headers_only(arguments: &Arguments) -> bool {
    const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx", "H"];
    let header = |path: &OsStr| {
        Path::new(path).extension().is_some_and(|extension| HEADERS.iter().any(|known| extension == *known))
    };
    arguments.inputs().all(|(path, _)| header(path))
}

/// Other sanitizers bring a runtime of their own, which cannot live beside ours.
fn sanitizer(option: &str) -> Result<(), String> {
    let list = option.trim_start_matches("-fsanitize=");
    match list.split(',').find(|name| *name != "thread") {
        None => Ok(()),
        Some(other) => Err(format!(
            "-fsanitize={other} cannot be used together with raceproof, which instruments the program itself; \
             leave it out, and check with that sanitizer in another build"
        )),
    }
}

fn replaced_library(option: &[OsString]) -> bool {
    super::arguments::value(option, "-l").is_some_and(|name| REPLACED.contains(&name.as_str()))
}

/// `libomp.so`, `/usr/lib/libgomp.so.1`, as CMake writes them.
fn replaced_file(path: &OsStr) -> bool {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    let Some(name) = name.strip_prefix("lib") else { return false };
    REPLACED
        .iter()
        .any(|library| name.strip_prefix(library).is_some_and(|rest| rest.starts_with(".so") || rest == ".a"))
}
