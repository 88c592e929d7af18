//! Further arguments of a call as a list: `va_list` of the System V ABI for x86-64.

use super::Registers;

/// What a `va_list` points to.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct List {
    /// How far the integer and the vector registers are used up, in bytes from the beginning of the
    /// saved ones.
    integers: u32,
    vectors: u32,
    /// The next argument that is on the stack.
    stack: usize,
    /// Where the registers are saved: [`Registers`].
    saved: usize,
}

const INTEGERS: u32 = 48;
const ALL: u32 = size_of::<Registers>() as u32;

impl List {
    /// What follows `fixed` arguments, all of them integers.
    pub(super) fn new(fixed: usize, stack: usize, saved: usize) -> List {
        List { integers: 8 * fixed as u32, vectors: INTEGERS, stack, saved }
    }

    /// A copy of the program's.
    pub(super) fn at(address: usize) -> Option<List> {
        // SAFETY: the program passes it to a function that reads it.
        (address != 0).then(|| unsafe { *(address as *const List) })
    }

    fn on_stack(&mut self, size: usize) -> usize {
        self.stack += size;
        self.stack - size
    }

    /// An integer or a pointer.
    pub(super) fn integer(&mut self) -> usize {
        let address = if self.integers < INTEGERS {
            self.integers += 8;
            self.saved + self.integers as usize - 8
        } else {
            self.on_stack(8)
        };
        // SAFETY: an argument of the program's, where the ABI has put it.
        unsafe { *(address as *const usize) }
    }

    /// Passes over a floating-point number.
    pub(super) fn skip_float(&mut self) {
        if self.vectors < ALL {
            self.vectors += 16;
        } else {
            self.on_stack(8);
        }
    }

    /// Passes over a `long double`.
    pub(super) fn skip_long_float(&mut self) {
        self.stack = self.stack.next_multiple_of(16);
        self.on_stack(16);
    }
}
