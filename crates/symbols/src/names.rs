//! Names of functions as the program's author knows them.
//!
//! clang turns the body of a construct into functions of its own: `f.omp_outlined` for a parallel
//! region in `f` (and `f.omp_outlined_debug__` inside it, if there is debug information),
//! `.omp_outlined.` for the body of a task, called by `.omp_task_entry.`, and for a reduction
//! `f.omp.reduction.reduction_func`. C++ names before the dot are mangled. flang's are `f..omp_par`
//! for regions and tasks alike.

use super::{Frame, fortran};
use std::borrow::Cow;

/// What the body of a task is called, which has no name in the program.
const TASK: &str = "omp task";

/// A name without mangling and without what clang appends for a construct.
pub(super) fn demangled(name: &str) -> String {
    let base = construct_of(name).unwrap_or(name);
    if base.is_empty() {
        // Kept for `tidy`, which needs to tell the two apart.
        return name.to_owned();
    }
    // The optimiser numbers the parts of a variable of Rust that it has taken apart.
    let part = base.rsplit_once('.').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    if let Some((whole, _)) = part.filter(|(whole, _)| is_rust(whole)) {
        return demangled(whole);
    }
    if let Some(plain) = fortran::demangled(fortran::target_of(base)) {
        return plain + &name[base.len()..];
    }
    // A demangler takes any text for a type: `x` would be `long long`.
    let mangled = base.starts_with("_Z") || base.starts_with("_R");
    let plain = if mangled {
        addr2line::demangle_auto(Cow::Borrowed(base), None).into_owned()
    } else {
        base.to_owned()
    };
    if base.len() == name.len() { plain } else { format!("{plain}{}", &name[base.len()..]) }
}

/// The name of a type of C++, of which `typeid` gives this one.
pub fn type_name(name: &str) -> String {
    let whole = demangled(&format!("_ZTI{name}"));
    whole.strip_prefix("typeinfo for ").unwrap_or(name).to_owned()
}

/// The function a construct stands in, if the name is that of a construct's body.
fn construct_of(name: &str) -> Option<&str> {
    name.find(".omp_outlined")
        .or_else(|| name.find("..omp_par"))
        .or_else(|| name.find(".omp_task_entry"))
        .or_else(|| name.find(".omp."))
        .map(|at| &name[..at])
}

/// Whether the name is one of the runtime's entry points, or of what is below `main`.
pub(super) fn is_runtime(name: &str) -> bool {
    let prefixes = ["__kmp", "__tsan_", "__raceproof_", "__wrap_", "__libc_start"];
    let names = ["_start", "__libc_start_main", "__libc_start_call_main", "__rust_try"];
    // Assembly of the runtime has no debug information that says so. Of our headers, the functions
    // that run the body of a task.
    let of_headers =
        ["hclib::raceproof::", "_ZN5hclib9raceproof", "_ZNK5hclib9raceproof", "_ZN11__raceproof"];
    // Types of these headers stand also in names of the program's functions.
    let called = name.split(['<', '(']).next().unwrap_or_default();
    let calls = called.contains("__raceproof::") || name.contains("::_M_call(__raceproof::");
    if calls || of_headers.iter().any(|part| name.contains(part)) {
        return true;
    }
    // Nor has the runtime itself, if it was built without.
    let is_own = ["raceproof_native::", "_ZN16raceproof_native"].iter().any(|own| called.starts_with(own));
    is_own || prefixes.iter().any(|prefix| name.starts_with(prefix)) || names.contains(&name)
}

/// Whether a function of a Rust program, by its demangled name and the file it stands in, is not
/// its own but the standard library's or rayon's. Their generic functions are compiled with the
/// program, so the module does not show it.
pub(super) fn is_library(name: &str, file: &str) -> bool {
    const CRATES: [&str; 5] = ["std", "core", "alloc", "rayon", "rayon_core"];
    if file.starts_with("/rustc/") || file.contains("/rustlib/src/rust/library/") || name == "main" {
        return true;
    }
    // `<Vec<T> as core::ops::Index<I>>::index` is of the type's crate; of a bare `T`, of the
    // trait's.
    let of_type = name.trim_start_matches(['<', '&', '*', '[', '(']).trim_start_matches("mut ");
    let of_trait = name.split_once(" as ").map(|(_, of_trait)| of_trait);
    let owner = match of_trait {
        Some(of_trait) if !of_type.split(" as ").next().is_some_and(|owner| owner.contains("::")) => of_trait,
        _ => of_type,
    };
    CRATES.contains(&owner.split("::").next().unwrap_or_default()) || name.starts_with("__rust")
}

/// Whether a file is a header that comes with the compiler or the system: `std::vector` is there.
pub(super) fn is_system_header(file: &str) -> bool {
    ["/usr/include/", "/usr/lib/", "/usr/local/include/"].iter().any(|folder| file.starts_with(folder))
        || file.contains("/include/c++/")
}

/// A part of a variable of Rust without the inside of `UnsafeCell` and the atomic types, which have
/// one field each.
pub(super) fn without_cells(part: &str) -> &str {
    let cell = part.strip_suffix(".value").map(|cell| cell.strip_suffix(".v").unwrap_or(cell));
    cell.unwrap_or(part)
}

/// A mangled Rust name; in the older mangling it looks like C++ up to its hash:
/// `_ZN…17h0123456789abcdefE`.
pub(super) fn is_rust(name: &str) -> bool {
    if name.starts_with("_RNv") || name.starts_with("_RIN") {
        return true;
    }
    let hash = name.strip_suffix('E').and_then(|name| name.get(name.len().checked_sub(19)?..));
    hash.and_then(|hash| hash.strip_prefix("17h"))
        .is_some_and(|hash| hash.chars().all(|c| c.is_ascii_hexdigit()))
}

/// Leaves out what the compiler wrapped around the body of a construct, and names the body after
/// the function it stands in.
pub(super) fn tidy(frames: impl Iterator<Item = Frame>) -> Vec<Frame> {
    let mut tidied: Vec<Frame> = Vec::new();
    // What clang called the frame before this one.
    let mut inner: Option<String> = None;
    for mut frame in frames {
        let name = frame.function.clone();
        let wrapper = inner.as_deref().is_some_and(|inner| wraps(&name, inner));
        inner = Some(name);
        if wrapper {
            continue;
        }
        frame.function = match construct_of(&frame.function) {
            Some("") => TASK.to_owned(),
            Some(function) => function.to_owned(),
            None => frame.function,
        };
        let last = frame.function == "main" && inner.as_deref() == Some("main");
        tidied.push(frame);
        // What started the program concerns no user, and in a libc without symbols has wrong names.
        if last {
            break;
        }
    }
    tidied
}

/// Whether a construct's function only calls another one for the same construct.
fn wraps(outer: &str, inner: &str) -> bool {
    let (Some(of), Some(within)) = (construct_of(outer), construct_of(inner)) else { return false };
    let task = outer.starts_with(".omp_task_entry") && inner.starts_with(".omp_outlined");
    let debug = inner[within.len()..].starts_with(".omp_outlined_debug__")
        && !outer[of.len()..].starts_with(".omp_outlined_debug__");
    task || (debug && of == within)
}
