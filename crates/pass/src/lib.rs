//! The LLVM pass that instruments programs, as a plugin for each version of clang.
//!
//! The pass is written in C++, in `plugin/`. `build.rs` compiles it for each LLVM whose `llvm-config-NN` is installed; a
//! plugin fits the clang of its own version only. Where there is none, programs are compiled with clang's own pass.

include!(concat!(env!("OUT_DIR"), "/plugins.rs"));

/// The plugin for a version of clang: what its file has to contain.
pub fn plugin(version: u32) -> Option<&'static [u8]> {
    PLUGINS.iter().find(|(of, _)| *of == version).map(|(_, bytes)| *bytes)
}

/// The functions of the C library whose accesses the runtime knows. The pass sends calls of them through it; where there is no pass, the linker can.
pub const LIBRARY: &[&str] = include!(concat!(env!("OUT_DIR"), "/library.rs"));
