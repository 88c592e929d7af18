//! Inspects the linker's inputs for objects that are not instrumented: they run, but their accesses
//! are not seen.

use super::Language;
use super::arguments::{Arguments, value};
use object::read::archive::ArchiveFile;
use object::{File, Object, ObjectSection, ObjectSymbol, SectionKind};
use raceproof_core::finding::{Note, PartKind, Uninstrumented};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// How LLVM's bitcode begins, which `-flto` makes objects of; names of symbols stand in it as they
/// are.
const BITCODE: &[u8] = b"BC\xc0\xde";
const INSTRUMENTED: &[u8] = b"__tsan_init";

/// Members of an archive that are named before "and N more".
const NAMED: usize = 3;

/// How an object was compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Origin {
    /// Instrumented, or without code.
    Fine,
    /// Code that is not instrumented.
    Plain,
    /// Calls of gcc's OpenMP runtime.
    Gcc { call: String },
}

/// Warnings about the inputs, and the parts of what is linked that are not instrumented; an error
/// for those that cannot be linked. `instrumented`: whether sources among the inputs are. Shared
/// libraries are warned of only: which are loaded the runtime finds out.
pub(super) fn inspect(
    arguments: &Arguments,
    language: Language,
    instrumented: bool,
) -> Result<(Vec<String>, Vec<Uninstrumented>), String> {
    let (mut warnings, mut left_out) = (Vec::new(), Vec::new());
    for (path, compiled) in arguments.inputs().filter(|(path, _)| *path != "-") {
        if compiled && !instrumented || is_assembly(Path::new(path)) {
            let name = path.to_string_lossy().into_owned();
            left_out.push(Uninstrumented { kind: PartKind::Object, name, parts: Vec::new() });
        }
    }
    let of_flang = (language == Language::Fortran).then(|| PathBuf::from(FORTRAN_RUNTIME));
    for path in of_system(arguments).into_iter().chain(of_flang) {
        let parts = vec![path.file_name().unwrap_or_default().to_string_lossy().into_owned()];
        left_out.push(Uninstrumented { kind: PartKind::System, name: SYSTEM.to_owned(), parts });
    }
    for path in linked(arguments) {
        // The linker says what is wrong with a file that cannot be read.
        let Ok(bytes) = fs::read(&path) else { continue };
        let name = path.display().to_string();
        let mut plain = Vec::new();
        for (part, origin) in parts(&bytes) {
            match origin {
                Origin::Fine => {}
                Origin::Plain => plain.push(part),
                Origin::Gcc { call } => return Err(by_gcc(&name, part.as_deref(), &call)),
            }
        }
        if !plain.is_empty() && !is_shared(&bytes) {
            let parts: Vec<String> = plain.iter().flatten().cloned().collect();
            let kind = if parts.is_empty() { PartKind::Object } else { PartKind::Archive };
            left_out.push(Uninstrumented { kind, name: name.clone(), parts });
        }
        if !plain.is_empty() {
            warnings.push(format!(
                "{} not compiled by `raceproof cc`: what it accesses is not seen, nor are races with it",
                subject(&name, &plain)
            ));
        }
    }
    Ok((warnings, left_out))
}

/// What the libraries of the system are called together, here and in the runtime.
const SYSTEM: &str = "system libraries";

/// What flang links with every program: input and output, and intrinsic procedures.
const FORTRAN_RUNTIME: &str = "libFortranRuntime.a";

/// Folders that the linker looks into by itself.
const FOLDERS: [&str; 5] =
    ["/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib/x86_64-linux-gnu"];

fn is_assembly(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|ext| matches!(ext, "s" | "S" | "sx" | "asm"))
}

fn is_shared(bytes: &[u8]) -> bool {
    File::parse(bytes).is_ok_and(|file| file.kind() == object::ObjectKind::Dynamic)
}

/// Static libraries of the system: those that `-l` names and the system has no shared library of,
/// and the compiler's own.
fn of_system(arguments: &Arguments) -> Vec<PathBuf> {
    let own = folders(arguments);
    let names = arguments.options().filter_map(|option| value(option, "-l"));
    let names = names.filter(|library| in_folders(library, own.iter().map(String::as_str)).is_none());
    let mut files: Vec<PathBuf> = names.filter_map(|library| in_folders(&library, FOLDERS)).collect();
    // Some are empty, for programs that name what is part of the C library today.
    let has_code = |path: &PathBuf| {
        fs::read(path).is_ok_and(|bytes| parts(&bytes).iter().any(|(_, origin)| *origin == Origin::Plain))
    };
    files.retain(|path| path.extension().is_some_and(|extension| extension == "a") && has_code(path));
    if arguments.has(&["-static-libstdc++"]) {
        files.push("libstdc++.a".into());
    }
    files
}

fn folders(arguments: &Arguments) -> Vec<String> {
    arguments.options().filter_map(|option| value(option, "-L")).collect()
}

/// The library that `-l` finds in the first of the folders that has one.
fn in_folders<'a>(library: &str, folders: impl IntoIterator<Item = &'a str>) -> Option<PathBuf> {
    let names = match library.strip_prefix(':') {
        Some(whole) => vec![whole.to_owned()],
        None => vec![format!("lib{library}.so"), format!("lib{library}.a")],
    };
    let paths =
        folders.into_iter().flat_map(|folder| names.iter().map(move |name| Path::new(folder).join(name)));
    paths.into_iter().find(|path| path.is_file())
}

fn by_gcc(name: &str, member: Option<&str>, call: &str) -> String {
    let name = member.map_or_else(|| name.to_owned(), |member| format!("{name}({member})"));
    format!(
        "{name} was compiled by gcc with -fopenmp: it calls {call}, which raceproof's runtime does not have; compile \
         it with `raceproof cc`"
    )
}

fn subject(name: &str, members: &[Option<String>]) -> String {
    let named: Vec<&str> = members.iter().flatten().take(NAMED).map(String::as_str).collect();
    match members.len() {
        1 if named.is_empty() => format!("{name} was"),
        n if n > named.len() => {
            format!("{name}: {} and {} more of its objects were", named.join(", "), n - named.len())
        }
        1 => format!("{name}: {} was", named[0]),
        _ => format!("{name}: {} were", named.join(", ")),
    }
}

/// Objects, archives and shared libraries among the inputs, and those that `-l` finds in a folder
/// the user gives.
pub(super) fn linked(arguments: &Arguments) -> Vec<PathBuf> {
    let inputs = arguments.inputs().filter(|(path, compiled)| !compiled && *path != "-");
    let mut files: Vec<PathBuf> = inputs.map(|(path, _)| PathBuf::from(path)).collect();
    let folders = folders(arguments);
    for library in arguments.options().filter_map(|option| value(option, "-l")) {
        files.extend(in_folders(&library, folders.iter().map(String::as_str)));
    }
    // Files that are handed to the linker past the compiler.
    let words = arguments.linker_words().into_iter().filter(|word| !word.starts_with('-'));
    let is_code = |path: &PathBuf| fs::read(path).is_ok_and(|bytes| !parts(&bytes).is_empty());
    files.extend(words.map(PathBuf::from).filter(is_code));
    files.retain(|path| !is_assembly(path));
    files
}

/// Whether one of the files calls the OpenMP runtime, or has notes of pragmas that were passed
/// over.
pub(super) fn have_openmp(files: &[PathBuf]) -> bool {
    files.iter().filter_map(|path| fs::read(path).ok()).any(|bytes| match ArchiveFile::parse(&*bytes) {
        Ok(archive) => {
            let members = archive.members().filter_map(|member| member.ok()?.data(&*bytes).ok());
            members.into_iter().any(has_openmp)
        }
        Err(_) => has_openmp(&bytes),
    })
}

fn has_openmp(object: &[u8]) -> bool {
    // What is in bitcode is not known.
    let Ok(file) = File::parse(object) else { return object.starts_with(BITCODE) };
    let calls = |name: &str| name.starts_with("__kmpc_") || name.starts_with("omp_");
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    symbols.any(|symbol| symbol.is_undefined() && symbol.name().is_ok_and(calls))
        || file.section_by_name(Note::SECTION).is_some()
}

/// The objects in a file, with their names if it is an archive. What is none of these has no parts:
/// a linker script, say.
fn parts(bytes: &[u8]) -> Vec<(Option<String>, Origin)> {
    if let Ok(archive) = ArchiveFile::parse(bytes) {
        let members = archive.members().filter_map(Result::ok);
        return members
            .filter_map(|member| {
                let name = String::from_utf8_lossy(member.name()).into_owned();
                Some((Some(name), origin(member.data(bytes).ok()?)?))
            })
            .collect();
    }
    origin(bytes).map(|origin| (None, origin)).into_iter().collect()
}

fn origin(bytes: &[u8]) -> Option<Origin> {
    if bytes.starts_with(BITCODE) {
        let instrumented = bytes.windows(INSTRUMENTED.len()).any(|name| name == INSTRUMENTED);
        return Some(if instrumented { Origin::Fine } else { Origin::Plain });
    }
    let file = File::parse(bytes).ok()?;
    let undefined = || file.symbols().chain(file.dynamic_symbols()).filter(|symbol| symbol.is_undefined());
    let named = |prefix: &str| {
        let mut names = undefined().filter_map(|symbol| symbol.name().ok());
        names.find(|name| name.starts_with(prefix)).map(str::to_owned)
    };
    // Every unit that clang instruments calls `__tsan_init`, even if it accesses nothing.
    if named("__tsan_").is_some() {
        return Some(Origin::Fine);
    }
    // A shared library brings its own libgomp along.
    if file.kind() == object::ObjectKind::Relocatable
        && let Some(call) = named("GOMP_")
    {
        return Some(Origin::Gcc { call });
    }
    let code = file.sections().any(|section| section.kind() == SectionKind::Text && section.size() > 0);
    Some(if code { Origin::Plain } else { Origin::Fine })
}
