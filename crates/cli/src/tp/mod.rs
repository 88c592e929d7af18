//! TP, the small task-parallel language.
//!
//! `lexer` → `parser` → [`ast`] → `check` (names, arities, places) → `compile` → `vm`.

pub mod ast;
