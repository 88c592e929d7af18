//! A compilation in two stages, so that checks can be left out between them: clang up to its LLVM IR, as text; [`thin`](super::thin);
//! clang from there to the object. What is linked then has objects in place of sources.
//!
//! Only command lines of which every option is known not to care are taken: the rest is one call of clang, as always. If the
//! second stage fails, the source is compiled in one as well, so that nothing fails because of what is done here.

use super::arguments::{Item, value};
use super::clang::Clang;
use super::plan::{Action, Plan, words};
use super::thin;
use crate::output::private_folder;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// Older ones write pointers with the type of what they point to.
const OLDEST: u32 = 15;

const SOURCES: &[&str] = &["c", "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii"];

/// Options that ask for other files, another machine, or another way from source to object.
const OTHER_WAYS: &str = "-### -E -M -MJ -MM -S -arch -emit-ast -emit-llvm -extract-api -fembed-bitcode -flto -fmodules \
    -fno-integrated-as -fpass-plugin -fplugin -fprofile- -fcoverage- -fcs-profile -fsave-optimization-record \
    -fsyntax-only -ftest-coverage -fthin -ftime- -gsplit-dwarf -m32 -mx32 -no-integrated-as -save- -target \
    -via-file-asm -x --analyze --coverage --language --precompile --save- --target";

/// Of those, the ones that other options begin with.
const WHOLE: &[&str] = &["-E", "-M", "-MM", "-S", "-flto"];

/// Turns thinning off, for build systems.
const SWITCH: &str = "RACEPROOF_THINNING";

/// Loops are left as they are. A copied body is no faster if it makes calls, and checks leave nested loops only where each loop is
/// one: what is lost by doing without vectors is a fraction of what a check in the inner loop costs.
const ADDED: &[&str] = &["-fno-unroll-loops", "-fno-vectorize"];

/// Whether the command line can be carried out in stages.
pub(super) fn fit(plan: &Plan, clang: &Clang) -> bool {
    let switched_off = env::var_os(SWITCH).is_some_and(|value| value == "off" || value == "0");
    let compiles_only = plan.kept.iter().any(|item| first(item) == "-c");
    plan.thins
        && !switched_off
        && clang.version >= OLDEST
        && (plan.action.links() || plan.action == Action::Compile && compiles_only)
        && plan.kept.iter().all(|item| fits(item, plan.action.links()))
}

fn fits(item: &Item, links: bool) -> bool {
    match item {
        Item::Input { path, compiled: true } => {
            extension(path).is_some_and(|extension| SOURCES.contains(&extension))
        }
        Item::Input { path, .. } => path != "-",
        Item::Option(words) => {
            let option = words[0].to_string_lossy();
            let other = OTHER_WAYS.split(' ').any(|other| {
                if WHOLE.contains(&other) {
                    option == other || option.starts_with(&format!("{other}="))
                } else {
                    option.starts_with(other)
                }
            });
            // With linking, they are named in a way of their own.
            !(other || links && option.starts_with("-M"))
        }
    }
}

fn extension(path: &OsStr) -> Option<&str> {
    Path::new(path).extension().and_then(OsStr::to_str)
}

fn first(item: &Item) -> OsString {
    words(item).swap_remove(0)
}

/// Compiles, and links if that was asked for; gives the status of the first clang that failed.
pub(super) fn run(plan: &Plan, clang: &Clang) -> Result<u8, String> {
    let folder = private_folder()?;
    let mut linked = Vec::new();
    let mut status = 0;
    for (number, item) in plan.kept.iter().enumerate() {
        let Item::Input { path, compiled: true } = item else {
            linked.push(item.clone());
            continue;
        };
        let object = if plan.action.links() {
            // The linker shows the name where symbols are missing.
            let place = folder.path().join(number.to_string());
            fs::create_dir_all(&place)
                .map_err(|error| format!("cannot make {}: {error}", place.display()))?;
            place.join(named(path, "o"))
        } else {
            output(plan).map_or_else(|| named(path, "o"), PathBuf::from)
        };
        let text = folder.path().join(format!("{number}.ll"));
        let of_one = compile(plan, clang, path, &text, &object)?;
        status = if status == 0 { of_one } else { status };
        linked.push(Item::Input { path: object.into(), compiled: false });
    }
    if status != 0 || !plan.action.links() {
        return Ok(status);
    }
    clang.run(&linked.iter().flat_map(words).chain(plan.linked.iter().cloned()).collect::<Vec<_>>())
}

/// The file that `-o` names.
pub(super) fn output(plan: &Plan) -> Option<String> {
    let mut options = plan.kept.iter().filter_map(|item| match item {
        Item::Option(words) => value(words, "-o").or_else(|| value(words, "--output")),
        Item::Input { .. } => None,
    });
    options.next_back().map(|name| name.trim_start_matches('=').to_owned())
}

/// What the linker makes.
pub(super) fn output_of_linker(plan: &Plan) -> PathBuf {
    output(plan).map_or_else(|| PathBuf::from("a.out"), PathBuf::from)
}

/// The name that clang gives what it makes of a source.
pub(super) fn named(path: &OsStr, extension: &str) -> PathBuf {
    PathBuf::from(Path::new(path).file_name().unwrap_or(path)).with_extension(extension)
}

fn compile(plan: &Plan, clang: &Clang, source: &OsStr, text: &Path, object: &Path) -> Result<u8, String> {
    let options: Vec<&Vec<OsString>> = plan
        .kept
        .iter()
        .filter_map(|item| match item {
            Item::Option(words) if !is_last(words) => Some(words),
            _ => None,
        })
        .collect();
    let mut front = plan.added.clone();
    front.extend(options.iter().copied().flatten().cloned());
    // Last, since `-O2` would ask for vectors again.
    front.extend(ADDED.iter().map(OsString::from));
    front.extend(dependencies(&options, object));
    if plan.action.links() {
        front.push("-Qunused-arguments".into());
    }
    let to = |words: &[&str], output: &Path| {
        let words = words.iter().map(OsString::from);
        words.chain(["-o".into(), output.into()]).collect::<Vec<OsString>>()
    };
    front.extend(to(&["-S", "-emit-llvm"], text));
    front.push(source.into());
    let status = clang.run(&front)?;
    if status != 0 {
        return Ok(status);
    }
    let thinned = fs::read_to_string(text).ok().and_then(|all| fs::write(text, thin::thin(&all)).ok());
    if thinned.is_some() {
        let mut back: Vec<OsString> =
            options.iter().filter(|words| is_for_code(words)).copied().flatten().cloned().collect();
        back.extend(
            ["-Xclang", "-disable-llvm-passes", "-Qunused-arguments", "-Wno-override-module"]
                .map(OsString::from),
        );
        back.extend(to(&["-c"], object));
        back.push(text.into());
        if clang.run_unheard(&back)? {
            return Ok(0);
        }
    }
    let mut whole = plan.added.clone();
    whole.extend(options.into_iter().flatten().cloned());
    whole.push("-Qunused-arguments".into());
    whole.extend(to(&["-c"], object));
    whole.push(source.into());
    clang.run(&whole)
}

/// Options that say what the last stage makes, or are for the linker.
fn is_last(words: &[OsString]) -> bool {
    let option = words[0].to_string_lossy();
    matches!(&*option, "-c" | "-o" | "--output" | "-Xlinker" | "-shared" | "--shared" | "-r" | "-z")
        || ["-o", "-l", "-L", "-Wl,", "--output="].iter().any(|prefix| option.starts_with(prefix))
}

/// Options that the way from LLVM IR to machine code may depend on.
fn is_for_code(words: &[OsString]) -> bool {
    let option = words[0].to_string_lossy();
    ["-O", "-g", "-f", "-m", "-Wa,", "-Xassembler"].iter().any(|prefix| option.starts_with(prefix))
}

/// Where dependencies are written and what they are of, which clang derives from the output.
fn dependencies(options: &[&Vec<OsString>], object: &Path) -> Vec<OsString> {
    let has = |names: &[&str]| {
        options.iter().any(|words| names.iter().any(|name| words[0].to_string_lossy().starts_with(name)))
    };
    let mut words = Vec::new();
    if has(&["-MD", "-MMD"]) {
        if !has(&["-MF"]) {
            words.extend(["-MF".into(), object.with_extension("d").into()]);
        }
        if !has(&["-MT", "-MQ"]) {
            words.extend(["-MQ".into(), object.into()]);
        }
    }
    words
}
