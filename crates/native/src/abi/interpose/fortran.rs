//! Calls that flang's runtime library makes for itself.
//!
//! It locks its units and its random numbers around what it does with them. These locks are no part of the program: the language promises no
//! order of two statements that use one unit, and what such a statement reads and writes of the program's variables is judged as if it
//! stood there without the library. So they are passed over. Tasks share one OS thread, and no task is left inside the library.

use crate::abi::world;
use crate::abi::world::is_up;
use crate::symbols::Symbols;

/// Where in the program the library is, which is linked into it.
#[derive(Default)]
pub(crate) struct Library {
    /// The exported functions by their addresses, and whether each is the library's; empty if the program has none of it.
    functions: Option<Vec<(usize, bool)>>,
}

/// How names of the library's functions begin.
const NAMES: [&str; 4] = ["_FortranA", "_ZN7Fortran", "_ZNK7Fortran", "CFI_"];

impl Library {
    fn read() -> Vec<(usize, bool)> {
        // SAFETY: asks the linker for a name.
        let known = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_FortranAProgramStart".as_ptr()) } as usize;
        if known == 0 {
            return Vec::new();
        }
        let functions = Symbols::load().exported_functions(known);
        functions
            .into_iter()
            .map(|(address, name)| (address, NAMES.iter().any(|prefix| name.starts_with(prefix))))
            .collect()
    }

    /// Whether an address is in it. Functions that are not exported are where those around them belong.
    fn has(&mut self, address: usize) -> bool {
        let functions = self.functions.get_or_insert_with(Library::read);
        let after = functions.partition_point(|(start, _)| *start <= address);
        let is = |at: usize| functions.get(at).is_some_and(|(_, is)| *is);
        after > 0 && (is(after - 1) || is(after))
    }
}

/// Whether the code that a call returns to is the library's.
pub(super) fn is_library(returns_to: usize) -> bool {
    is_up() && world::state().fortran.has(returns_to)
}
