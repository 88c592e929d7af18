//! Functions that are taken for the C library's, by their names.
//!
//! clang knows the functions of the C library and treats a call of one as a call of the library's own. So does `quiet`: `sqrt` orders nothing. But a program
//! may define a function of that name, here or in another unit, which creates tasks, waits or locks; so may what an intrinsic becomes
//! (`llvm.round.f64` is a call of `round` in the end). So a name counts only as long as the program does not define it:
//!
//! - a function that is defined in this unit is judged by what it does;
//! - of all others the unit says in a section of its object ([`SECTION`]) whose names it has relied on, and the linker's output is
//!   looked at for definitions of these (`cc/assumed.rs`). If there is one, the program is compiled without thinning, or not linked.
//!
//! `-fno-builtin`, `-fno-builtin-NAME` and `-ffreestanding` say that such a function is the program's own: then none is relied on.

use super::ir::header;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Where an object names the functions it relies on, each followed by a zero.
pub(in crate::cc) const SECTION: &str = ".raceproof.assumes";

/// Functions that compute, each also with `f` and `l` behind its name.
const COMPUTES: &str = "abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim \
    floor fma fmax fmin fmod frexp hypot ilogb labs ldexp lgamma llabs llrint llround log log10 log1p log2 logb \
    lrint lround modf nan nearbyint nextafter pow remainder rint round roundeven scalbn sin sinh sqrt tan tanh tgamma trunc";

/// Functions that clang, or the library's headers, say to write nothing.
const LOOKS: &str = "atof atoi atol atoll bcmp ffs ffsl ffsll index isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct \
    isspace isupper isxdigit memchr memcmp memrchr rindex strcasecmp strchr strcmp strcoll strcspn strlen strncasecmp strncmp strnlen \
    strpbrk strrchr strspn strstr toascii tolower toupper wcslen";

/// Intrinsics whose function has another name.
const RENAMED: [(&str, &str); 3] = [("minnum", "fmin"), ("maxnum", "fmax"), ("fmuladd", "fma")];

/// The names in a unit that are the library's, as far as it can tell.
#[derive(Default)]
pub(super) struct Library<'a> {
    /// What is defined here, by whatever means, with `@`.
    defined: FxHashSet<&'a str>,
    /// None of them is.
    none: bool,
    refused: Vec<&'a str>,
}

impl<'a> Library<'a> {
    pub(super) fn of(lines: &[&'a str]) -> Self {
        let mut library = Library::default();
        for line in lines {
            let is_definition = line.starts_with("define ")
                || line.starts_with('@') && (line.contains(" alias ") || line.contains(" ifunc "));
            if is_definition {
                library.defined.extend(header(line).map(|(_, name, _)| name));
            }
            if line.starts_with("attributes ") {
                library.none |= line.contains("\"no-builtins\"");
                library
                    .refused
                    .extend(line.split("\"no-builtin-").skip(1).filter_map(|rest| rest.split('"').next()));
            }
        }
        library
    }

    /// Whether a function, with `@`, is one of the library's that only computes.
    pub(super) fn computes(&self, name: &str) -> bool {
        computes(&name[1..]) && self.has(&name[1..])
    }

    /// Whether a function that is declared to write nothing can be taken at its word. Whose name is not the library's was declared so by the program.
    pub(super) fn may_look(&self, name: &str) -> bool {
        !is_known(&name[1..]) || self.has(&name[1..])
    }

    /// The function that an intrinsic may become a call of: whether it is the library's, if it is one at all.
    pub(super) fn keeps(&self, intrinsic: &str) -> bool {
        function_of(intrinsic).is_none_or(|function| self.has(&function))
    }

    fn has(&self, name: &str) -> bool {
        !self.none && !self.refused.contains(&name) && !self.defined.contains(format!("@{name}").as_str())
    }

    /// What tells the linker which names were relied on; nothing if none were.
    pub(super) fn assumptions(&self, lines: &[&str]) -> String {
        let declared =
            lines.iter().filter(|line| line.starts_with("declare ")).filter_map(|line| header(line));
        let names: BTreeSet<String> = declared
            .filter_map(|(_, name, _)| match name[1..].strip_prefix("llvm.") {
                Some(_) => function_of(&name[1..]),
                None => is_known(&name[1..]).then(|| name[1..].to_owned()),
            })
            .filter(|name| self.has(name))
            .collect();
        if names.is_empty() {
            return String::new();
        }
        let mut text = format!("module asm \".pushsection {SECTION},\\22\\22,@progbits\"\n");
        for name in names {
            text.push_str(&format!("module asm \".asciz \\22{name}\\22\"\n"));
        }
        text.push_str("module asm \".popsection\"\n");
        text
    }
}

fn is_among(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

fn computes(name: &str) -> bool {
    is_among(COMPUTES, name) || name.strip_suffix(['f', 'l']).is_some_and(|name| is_among(COMPUTES, name))
}

fn is_known(name: &str) -> bool {
    computes(name) || is_among(LOOKS, name)
}

/// `round` for `llvm.round.f64`, `roundf` for `llvm.round.f32`.
fn function_of(intrinsic: &str) -> Option<String> {
    let mut parts = intrinsic.strip_prefix("llvm.")?.split('.');
    let (base, of) = (parts.next()?, parts.next_back()?);
    let base = RENAMED.iter().find(|(name, _)| *name == base).map_or(base, |(_, function)| function);
    let suffix = match of {
        "f32" => "f",
        "f80" | "f128" => "l",
        _ => "",
    };
    // Integers have instructions for theirs.
    (is_among(COMPUTES, base) && of.starts_with('f')).then(|| format!("{base}{suffix}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(text: &str) -> (Library<'_>, Vec<&str>) {
        let lines: Vec<&str> = text.lines().collect();
        (Library::of(&lines), lines)
    }

    #[test]
    fn a_name_is_the_librarys_unless_the_unit_defines_it() {
        let (here, _) =
            library("define double @log(double %0) {\n}\n@erf = alias double (double), ptr @mine");
        assert!(
            !here.computes("@log")
                && !here.computes("@erf")
                && here.computes("@logf")
                && here.computes("@sin")
        );
        assert!(!here.keeps("llvm.log.f64") && here.keeps("llvm.log.f32") && here.keeps("llvm.umax.i32"));
        assert!(here.may_look("@strlen") && here.may_look("@of_the_program"));
    }

    #[test]
    fn builtins_that_are_refused_are_the_programs() {
        let (one, _) = library("attributes #0 = { nounwind \"no-builtin-log\" }");
        assert!(!one.computes("@log") && one.computes("@sin"));
        let (all, lines) =
            library("attributes #0 = { nounwind \"no-builtins\" }\ndeclare double @sin(double)");
        assert!(!all.computes("@sin") && !all.may_look("@strlen") && all.assumptions(&lines).is_empty());
    }

    #[test]
    fn what_was_relied_on_is_named() {
        let text = "declare double @llvm.round.f64(double) #1\ndeclare float @llvm.maxnum.f32(float, float)\n\
            declare i64 @strlen(ptr) #2\ndeclare void @mine(ptr)\ndeclare i32 @llvm.abs.i32(i32, i1)\n\
            declare double @log(double)\ndefine float @fmaxf(float %0, float %1) {\n}\n";
        let (here, lines) = library(text);
        let assumed = here.assumptions(&lines);
        let names: Vec<&str> =
            assumed.split("\\22").filter(|part| part.chars().all(char::is_alphanumeric)).collect();
        assert_eq!(
            names.iter().filter(|name| !name.is_empty()).collect::<Vec<_>>(),
            [&"log", &"round", &"strlen"]
        );
    }
}
