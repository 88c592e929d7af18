//! The limits of the front end, in one place. Each is an error with its place when it is passed;
//! none changes the meaning of a program that stays below.

/// How deep blocks and expressions may be nested in the source: braces, parentheses, brackets, the
/// arguments of calls, prefix operators, `else if`. It bounds the recursion of the parser, which
/// without optimisation takes up to 8 KB a level: 1 MB in all, half of an ordinary thread's stack.
pub const MAX_NESTING: u32 = 128;

/// How deep the syntax tree may be. Nesting counts as above, and every operator of a chain such as
/// `1 + 1 + 1` or `a[i][j].get()` puts what is left of it one level deeper. It bounds the recursion
/// of whoever walks the tree, or drops it; a walker may take 4 KB a level on a stack of 2 MB.
pub const MAX_DEPTH: u32 = 500;

/// How many cells the shared variables of a program may have in all.
pub const MAX_SHARED_CELLS: u64 = 1 << 28;

/// How long a source may be, in bytes: spans are 32 bits wide.
pub const MAX_SOURCE: usize = u32::MAX as usize - 1;

/// How many diagnostics are shown; the rest is counted.
pub const MAX_SHOWN: usize = 20;

/// How many errors are looked for; behind that a source is hardly a program.
pub const MAX_ERRORS: usize = 1000;

/// Calls that may be active in one task.
pub const MAX_CALLS: usize = 1 << 20;

/// Tasks that may be live at once.
pub const MAX_LIVE_TASKS: usize = 10_000_000;
