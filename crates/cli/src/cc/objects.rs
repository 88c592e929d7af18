//! Looks at what is linked: objects that were not compiled by us run, but what they access is not seen.

use super::arguments::{Arguments, value};
use object::read::archive::ArchiveFile;
use object::{File, Object, ObjectSection, ObjectSymbol, SectionKind};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Members of an archive that are named before "and N more".
const NAMED: usize = 3;

/// What one object gives away about how it was compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Origin {
    /// Instrumented, or without code.
    Fine,
    /// Code that tells us nothing.
    Plain,
    /// Calls of gcc's OpenMP runtime.
    Gcc { call: String },
}

/// Warnings about the inputs; an error for those that cannot be linked.
pub(super) fn inspect(arguments: &Arguments) -> Result<Vec<String>, String> {
    let mut warnings = Vec::new();
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
        if !plain.is_empty() {
            warnings.push(format!(
                "{} not compiled by `raceproof cc`: what it accesses is not seen, nor are races with it",
                subject(&name, &plain)
            ));
        }
    }
    Ok(warnings)
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

/// Objects, archives and shared libraries among the inputs, and those that `-l` finds in a folder the user gives.
pub(super) fn linked(arguments: &Arguments) -> Vec<PathBuf> {
    let inputs = arguments.inputs().filter(|(path, compiled)| !compiled && *path != "-");
    let mut files: Vec<PathBuf> = inputs.map(|(path, _)| PathBuf::from(path)).collect();
    let folders: Vec<String> = arguments.options().filter_map(|option| value(option, "-L")).collect();
    for library in arguments.options().filter_map(|option| value(option, "-l")) {
        let names = [format!("lib{library}.so"), format!("lib{library}.a")];
        let paths =
            folders.iter().flat_map(|folder| names.iter().map(move |name| Path::new(folder).join(name)));
        files.extend(paths.into_iter().find(|path| path.is_file()));
    }
    let assembly = |path: &Path| {
        path.extension().and_then(OsStr::to_str).is_some_and(|ext| matches!(ext, "s" | "S" | "sx" | "asm"))
    };
    files.retain(|path| !assembly(path));
    files
}

/// The objects in a file, with their names if it is an archive. What is none of these has no parts: a linker script, say.
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
