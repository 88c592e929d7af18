//! Whose code a frame is. A race inside `push_back` is not a bug of the standard library: the
//! report begins at the innermost frame of the user's own code, and so does what makes two races
//! one bug.

use raceproof_core::finding::{Frame, Place, RaceAccess};

/// The code a source file belongs to, as far as its path tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    User,
    /// The standard library of C, C++ or Rust, and what the compiler brings.
    Standard,
    Rayon,
    /// A crate or header that was installed, not written here.
    Dependency,
    /// No file is known.
    Unknown,
}

/// Parts of paths, with what they mean; the first that occurs decides.
const FOLDERS: &[(&str, Origin)] = &[
    ("/rayon-core-", Origin::Rayon),
    ("/rayon-", Origin::Rayon),
    // Where `cargo raceproof` has its drop-in.
    ("/raceproof/rayon-core/", Origin::Rayon),
    ("/rustc/", Origin::Standard),
    ("/rust/deps/", Origin::Standard),
    ("rustlib/src/", Origin::Standard),
    ("include/c++/", Origin::Standard),
    ("c++/v1/", Origin::Standard),
    ("/usr/lib/gcc/", Origin::Standard),
    ("/usr/lib/llvm", Origin::Standard),
    ("/lib/clang/", Origin::Standard),
    (".cargo/registry/", Origin::Dependency),
    (".cargo/git/", Origin::Dependency),
    ("registry/src/", Origin::Dependency),
];

/// Where installed files live; below `/usr/local` only headers and libraries.
const INSTALLED: &[(&str, Origin)] = &[
    ("/usr/include/", Origin::Standard),
    ("/usr/lib/", Origin::Standard),
    ("/usr/lib64/", Origin::Standard),
    ("/usr/local/include/", Origin::Dependency),
    ("/usr/local/lib/", Origin::Dependency),
    ("/opt/homebrew/", Origin::Dependency),
];

pub(crate) fn origin(file: &str) -> Origin {
    if file.is_empty() || file == "?" || file == "??" {
        return Origin::Unknown;
    }
    let by_folder = FOLDERS.iter().find(|(part, origin)| match origin {
        // A project of the user's may be called `rayon-something`: the crate comes from a registry.
        Origin::Rayon => file.contains(part) && (file.contains("registry/") || part.ends_with('/')),
        _ => file.contains(part),
    });
    let installed = || INSTALLED.iter().find(|(start, _)| file.starts_with(start));
    by_folder.or_else(installed).map_or(Origin::User, |(_, origin)| *origin)
}

/// How many frames lie below the innermost one of the user's own code; 0 if that made the access,
/// or if there is none.
pub(crate) fn library_depth(at: &Place, stack: &[Frame]) -> usize {
    if origin(&at.file) == Origin::User {
        return 0;
    }
    stack
        .iter()
        .position(|frame| frame.call.line > 0 && origin(&frame.call.file) == Origin::User)
        .map_or(0, |i| i + 1)
}

/// Where the user's own code made the access, directly or by a call into a library; the place of
/// the access itself if no frame is the user's.
pub fn user_place(access: &RaceAccess) -> &Place {
    place_at(&access.at, &access.stack, library_depth(&access.at, &access.stack))
}

pub(crate) fn place_at<'a>(at: &'a Place, stack: &'a [Frame], depth: usize) -> &'a Place {
    depth.checked_sub(1).and_then(|i| stack.get(i)).map_or(at, |frame| &frame.call)
}

/// The function of the user's that [`user_place`] is in; empty in the body of a TP task.
pub fn user_function(access: &RaceAccess) -> &str {
    let depth = library_depth(&access.at, &access.stack);
    access.stack.get(depth).map_or("", |frame| &frame.function)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str, line: u32) -> Place {
        Place { file: file.into(), line, column: 1 }
    }

    #[test]
    fn files_are_told_apart_by_their_folders() {
        for (file, expected) in [
            ("src/main.rs", Origin::User),
            ("/home/me/rayon-demo/src/main.rs", Origin::User),
            ("/home/me/project/include/c.h", Origin::User),
            ("/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/vector.tcc", Origin::Standard),
            ("/usr/include/x86_64-linux-gnu/bits/stdio2.h", Origin::Standard),
            ("/usr/lib/llvm-19/bin/../include/c++/v1/vector", Origin::Standard),
            ("/rustc/0123abc/library/core/src/ptr/mod.rs", Origin::Standard),
            ("/h/.rustup/toolchains/stable/lib/rustlib/src/rust/library/std/src/io.rs", Origin::Standard),
            ("/h/.cargo/registry/src/index/rayon-1.12.0/src/iter/mod.rs", Origin::Rayon),
            ("/h/.cargo/registry/src/index/rayon-core-1.13.0/src/job.rs", Origin::Rayon),
            ("/p/target/raceproof/rayon-core/join.rs", Origin::Rayon),
            ("/rust/deps/hashbrown-0.16.1/src/raw/mod.rs", Origin::Standard),
            ("/h/.cargo/registry/src/index/smallvec-1.0.0/src/lib.rs", Origin::Dependency),
            ("/usr/local/include/eigen3/Eigen/Core", Origin::Dependency),
            ("", Origin::Unknown),
        ] {
            assert_eq!(origin(file), expected, "{file}");
        }
    }

    #[test]
    fn the_users_frame_is_the_innermost_outside_of_libraries() {
        let frame = |function: &str, call| Frame { function: function.into(), call };
        let header = place("/usr/include/c++/12/bits/vector.tcc", 114);
        let stack = [
            frame("emplace_back", place("/usr/include/c++/12/bits/stl_vector.h", 9)),
            frame("push_back", place("a.cpp", 12)),
            frame("add", place("a.cpp", 20)),
            frame("main", place("", 0)),
        ];
        assert_eq!(library_depth(&header, &stack), 2);
        assert_eq!(place_at(&header, &stack, 2).line, 12);
        assert_eq!(library_depth(&place("a.cpp", 3), &stack), 0);
        // Nobody's own code: the access itself.
        assert_eq!(library_depth(&header, &stack[..1]), 0);
    }
}
