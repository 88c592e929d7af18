//! The compilers: plain clang, `raceproof cc`, clang with ThreadSanitizer and Archer, and clang
//! with the least that a call an access costs.

use crate::programs::repository;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How a program is compiled and run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Plain,
    Raceproof,
    /// ThreadSanitizer, which Archer tells of what OpenMP orders.
    Tsan,
    /// One call, one load and one compare an access, and no more.
    Floor,
}

pub(crate) const WAYS: [Way; 4] = [Way::Plain, Way::Raceproof, Way::Tsan, Way::Floor];

pub(crate) struct Tools {
    clang: String,
    pub(crate) archer: PathBuf,
    /// Where the release build is, and what is compiled here.
    target: PathBuf,
}

impl Tools {
    /// Finds clang and Archer, and builds `raceproof` and its runtime.
    pub(crate) fn find() -> Result<Tools, String> {
        let works = |name: &String| {
            let mut command = Command::new(name);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let mut versions = (14..30).rev();
        let version = versions.find(|version| works(&format!("clang-{version}")));
        let version = version.ok_or("no clang: run scripts/install-deps")?;
        let archer = PathBuf::from(format!("/usr/lib/llvm-{version}/lib/libarcher.so"));
        if !archer.exists() {
            return Err(format!("{} is not there: install libomp-{version}-dev", archer.display()));
        }
        let tsan = format!("/usr/lib/llvm-{version}/lib/clang/{version}/lib/linux/libclang_rt.tsan-x86_64.a");
        if !Path::new(&tsan).exists() {
            return Err(format!(
                "{tsan} is not there: run `scripts/install-deps bench`, or install libclang-rt-{version}-dev"
            ));
        }
        let itself = std::env::current_exe().map_err(|error| format!("cannot find itself: {error}"))?;
        let target = itself.ancestors().nth(2).ok_or("the benchmark is in TARGET/release/deps")?.to_owned();
        let build = Command::new(env!("CARGO"))
            .args(["build", "--release", "-p", "raceproof-native", "-p", "raceproof-cli", "--target-dir"])
            .arg(target.parent().ok_or("TARGET has a place")?)
            .current_dir(repository())
            .status();
        if !build.is_ok_and(|status| status.success()) {
            return Err("cargo build --release failed".into());
        }
        Ok(Tools { clang: format!("clang-{version}"), archer, target })
    }

    /// Compiles `programs/c/bench/NAME_norace.c`.
    pub(crate) fn compile(&self, name: &str, way: Way) -> Result<PathBuf, String> {
        self.compile_source(name, &source(name), way)
    }

    /// Compiles `programs/c/verify/NAME_norace.c`.
    pub(crate) fn compile_verified(&self, name: &str, way: Way) -> Result<PathBuf, String> {
        let file = repository().join("programs/c/verify").join(format!("{name}_norace.c"));
        self.compile_source(name, &file, way)
    }

    /// Compiles `programs/c/promise/NAME_norace.cpp`.
    pub(crate) fn compile_promises(&self, name: &str) -> Result<PathBuf, String> {
        let file = repository().join("programs/c/promise").join(format!("{name}_norace.cpp"));
        self.compile_source(name, &file, Way::Raceproof)
    }

    /// The compiler alone, for C or C++.
    pub(crate) fn clang(&self, cpp: bool) -> String {
        if cpp { self.clang.replace("clang", "clang++") } else { self.clang.clone() }
    }

    /// Where executables go.
    pub(crate) fn folder(&self) -> PathBuf {
        self.target.join("native-bench")
    }

    /// The command.
    pub(crate) fn raceproof(&self) -> PathBuf {
        self.target.join("raceproof")
    }

    fn compile_source(&self, name: &str, source: &Path, way: Way) -> Result<PathBuf, String> {
        let folder = self.folder();
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let output = folder.join(format!("{name}-{way:?}").to_lowercase());
        let mut command = match way {
            Way::Raceproof => {
                let mut command = Command::new(self.raceproof());
                command.arg(if source.extension().is_some_and(|kind| kind == "cpp") { "c++" } else { "cc" });
                command
            }
            _ => Command::new(&self.clang),
        };
        command.args(["-O2", "-fopenmp"]);
        match way {
            Way::Plain | Way::Raceproof => _ = command.arg(source),
            Way::Tsan => _ = command.args(["-g", "-fsanitize=thread"]).arg(source),
            // The runtime of ThreadSanitizer would be linked with it.
            Way::Floor => {
                let floor = repository().join("crates/cli/benches/native/floor.c");
                for (source, flags) in [(source, &["-fsanitize=thread"][..]), (&floor, &[])] {
                    let object = output.with_extension(if source == floor { "floor.o" } else { "o" });
                    let mut compiler = Command::new(&self.clang);
                    compiler.args(["-O2", "-fopenmp", "-c"]).args(flags);
                    succeed(compiler.arg(source).arg("-o").arg(&object))?;
                    command.arg(object);
                }
            }
        }
        succeed(command.arg("-o").arg(&output).arg("-lm"))?;
        Ok(output)
    }
}

pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    let done = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !done.status.success() {
        return Err(format!("{command:?}:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(())
}

/// A program of `programs/c/bench`, in C++ if there is such a file.
pub(crate) fn source(name: &str) -> PathBuf {
    let c = repository().join("programs/c/bench").join(format!("{name}_norace.c"));
    let cpp = c.with_extension("cpp");
    if cpp.exists() { cpp } else { c }
}

/// The small input that the program's header names.
pub(crate) fn small_input(name: &str) -> Result<Vec<String>, String> {
    let path: &Path = &source(name);
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let arguments = text.lines().find_map(|line| line.strip_prefix("// args: ")).unwrap_or_default();
    Ok(arguments.split_whitespace().map(str::to_owned).collect())
}
