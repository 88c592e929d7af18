//! Strings that are taken apart where they are: `strtok`, `strtok_r`, `strsep`.

use super::Call;
use super::extents::{byte, string, word};
use crate::report::hidden;
use std::ffi::c_char;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the next token of `strtok` begins: what the C library remembers, too, and does not say.
static NEXT: AtomicUsize = AtomicUsize::new(0);

const POINTER: usize = size_of::<usize>();

impl Call {
    pub(super) fn token(&self, s: usize, separators: usize) {
        self.changes(&hidden::STRTOK);
        let next = self.cut(if s == 0 { NEXT.load(Ordering::Relaxed) } else { s }, separators, true);
        NEXT.store(next, Ordering::Relaxed);
    }

    pub(super) fn token_of(&self, s: usize, separators: usize, next: usize) {
        let from = if s == 0 {
            self.read(next, POINTER);
            word(next)
        } else {
            s
        };
        self.cut(from, separators, true);
        self.write(next, POINTER);
    }

    pub(super) fn separated(&self, next: usize, separators: usize) {
        self.read(next, POINTER);
        let from = word(next);
        if from != 0 {
            self.cut(from, separators, false);
            self.write(next, POINTER);
        }
    }

    /// Reads a string up to the end of its first token, and ends that there. Returns where the next begins.
    fn cut(&self, s: usize, separators: usize, skips: bool) -> usize {
        self.read(separators, string(separators));
        if s == 0 || separators == 0 {
            return 0;
        }
        let separators = separators as *const c_char;
        // SAFETY: two strings of the program's, which the function is about to read.
        let end = unsafe {
            let token = if skips { s + libc::strspn(s as *const c_char, separators) } else { s };
            token + libc::strcspn(token as *const c_char, separators)
        };
        self.read(s, end - s + 1);
        if byte(end) == 0 {
            return end;
        }
        self.write(end, 1);
        end + 1
    }
}
