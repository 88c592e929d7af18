//! A compiler's command line, taken apart: what is an option, what is its value, what is an input.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Options whose value is the next word, as long as it is not joined to them.
const WITH_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-J",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-Xassembler",
    "-Xclang",
    "-Xflang",
    "-Xlinker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-cxx-isystem",
    "-dumpdir",
    "-e",
    "-fintrinsic-modules-path",
    "-framework",
    "-gcc-toolchain",
    "-idirafter",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-mllvm",
    "-module-dir",
    "-o",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "-target",
    "-u",
    "-working-directory",
    "-x",
    "-z",
    "--config",
    "--language",
    "--output",
    "--param",
    "--serialize-diagnostics",
    "--sysroot",
    "--target",
];

/// Extensions of what the compiler proper reads; it is what can be instrumented.
const COMPILED: &[&str] = &[
    "c", "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "ii", "m", "mi", "mm", "mii", "h", "hh", "hpp",
    "hxx", "H", "cppm", "ixx", "ll", "bc",
];

/// The same of Fortran.
const FORTRAN: &[&str] = &[
    "f", "F", "for", "FOR", "ftn", "f77", "F77", "f90", "F90", "f95", "F95", "f03", "F03", "f08", "F08",
    "f18", "F18", "fpp", "FPP",
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// An option, with its value if that is a word of its own.
    Option(Vec<OsString>),
    /// A file that is compiled or linked; `-` is standard input.
    Input { path: OsString, compiled: bool },
}

/// The whole command line, in its order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arguments {
    pub items: Vec<Item>,
}

impl Arguments {
    pub fn parse(words: Vec<OsString>) -> Arguments {
        let mut items = Vec::new();
        let mut words = words.into_iter();
        // The language that `-x` sets for the inputs after it.
        let mut language: Option<String> = None;
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            if text == "-" || !text.starts_with('-') {
                let compiled = match language.as_deref() {
                    Some(language) => !language.starts_with("assembler"),
                    None => extension_is_compiled(&word),
                };
                items.push(Item::Input { path: word, compiled });
                continue;
            }
            let mut option = vec![word];
            if WITH_VALUE.contains(&text.as_str()) || text.starts_with("-Xarch_") {
                option.extend(words.next());
            }
            if let Some(named) = value(&option, "-x").or_else(|| value(&option, "--language")) {
                language = Some(named.trim_start_matches('=').to_owned()).filter(|named| named != "none");
            }
            items.push(Item::Option(option));
        }
        Arguments { items }
    }

    /// The options, each by its first word.
    pub fn options(&self) -> impl Iterator<Item = &[OsString]> {
        self.items.iter().filter_map(|item| match item {
            Item::Option(words) => Some(words.as_slice()),
            Item::Input { .. } => None,
        })
    }

    /// Whether one of these options is given, just so.
    pub fn has(&self, names: &[&str]) -> bool {
        self.options().any(|words| names.iter().any(|name| words[0] == *name))
    }

    pub fn inputs(&self) -> impl Iterator<Item = (&OsStr, bool)> {
        self.items.iter().filter_map(|item| match item {
            Item::Input { path, compiled } => Some((path.as_os_str(), *compiled)),
            Item::Option(_) => None,
        })
    }

    /// What goes to the linker word by word, whichever way it was written: `-Wl,a,b`, `-Xlinker a`,
    /// `-z a`.
    pub fn linker_words(&self) -> Vec<String> {
        let mut found = Vec::new();
        for words in self.options() {
            let first = words[0].to_string_lossy();
            if let Some(list) = first.strip_prefix("-Wl,") {
                found.extend(list.split(',').map(str::to_owned));
            } else if first == "-Xlinker" {
                found.extend(words.get(1).map(|word| word.to_string_lossy().into_owned()));
            } else if first == "-z" {
                found.extend(words.iter().map(|word| word.to_string_lossy().into_owned()));
            }
        }
        found
    }
}

/// The value of an option that takes one, joined to it or not.
pub(super) fn value(option: &[OsString], name: &str) -> Option<String> {
    let first = option[0].to_str()?;
    let joined = first.strip_prefix(name)?;
    if joined.is_empty() { option.get(1)?.to_str().map(str::to_owned) } else { Some(joined.to_owned()) }
}

fn extension_is_compiled(path: &OsStr) -> bool {
    extension_is(path, COMPILED) || is_fortran(path)
}

/// Whether a file is Fortran by its name.
pub(super) fn is_fortran(path: &OsStr) -> bool {
    extension_is(path, FORTRAN)
}

/// Whether a file is of a language that clang compiles.
pub(super) fn is_clangs(path: &OsStr) -> bool {
    const EITHER: &[&str] = &["ll", "bc"];
    extension_is(path, COMPILED) && !extension_is(path, EITHER)
}

fn extension_is(path: &OsStr, one_of: &[&str]) -> bool {
    Path::new(path).extension().and_then(OsStr::to_str).is_some_and(|known| one_of.contains(&known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Arguments {
        Arguments::parse(line.split_whitespace().map(OsString::from).collect())
    }

    fn inputs(line: &str) -> Vec<(String, bool)> {
        let arguments = parse(line);
        arguments.inputs().map(|(path, compiled)| (path.to_string_lossy().into_owned(), compiled)).collect()
    }

    #[test]
    fn values_are_no_inputs() {
        let line = "-o out.c -I inc.c -MF d.c -Xlinker x.c -include y.c -Dz.c -target t a.c b.o";
        assert_eq!(inputs(line), [("a.c".into(), true), ("b.o".into(), false)]);
    }

    #[test]
    fn the_language_holds_for_what_follows() {
        assert_eq!(
            inputs("a.o -x c - -x none b.o"),
            [("a.o".into(), false), ("-".into(), true), ("b.o".into(), false)]
        );
        assert_eq!(inputs("-xassembler-with-cpp a.c"), [("a.c".into(), false)]);
        assert_eq!(inputs("--language=c++ a"), [("a".into(), true)]);
    }

    #[test]
    fn an_option_without_its_value_is_no_disaster() {
        assert_eq!(parse("-o").items, [Item::Option(vec!["-o".into()])]);
    }

    #[test]
    fn the_linker_is_spoken_to_in_several_ways() {
        assert_eq!(parse("-Wl,-z,defs -Xlinker -r -z now").linker_words(), ["-z", "defs", "-r", "-z", "now"]);
    }
}
