//! The end of a thread in the middle of its routine: `pthread_exit`, a cancellation.
//!
//! The C library unwinds the stack by force, so that destructors run, and stops at frames that have
//! pushed a cleanup handler in C, which it jumps to; the handler's frame then asks to go on. The
//! same happens here, up to [`call`], which is the outermost function of the thread's stack.

use super::{Routine, outlive, running};
use std::arch::naked_asm;
use std::ffi::{c_int, c_void};

/// How a thread would be unwound, and whether it has to be.
#[derive(Default)]
pub(crate) struct Unwinding {
    /// The stack pointer inside of [`call`].
    outermost: usize,
    /// What `pthread_exit` was given.
    value: usize,
    /// The cleanup handlers that were pushed in C, the innermost last: buffers of `setjmp`.
    handlers: Vec<usize>,
    pub(crate) is_canceled: bool,
    /// `PTHREAD_CANCEL_DISABLE`.
    pub(crate) is_disabled: bool,
    pub(crate) is_asynchronous: bool,
    /// It is being unwound.
    is_under_way: bool,
}

impl Unwinding {
    pub(super) fn is_due(&self) -> bool {
        self.is_canceled && !self.is_disabled && !self.is_under_way
    }

    /// By which a request to end and its acceptance are ordered.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    pub(crate) fn push(&mut self, buffer: usize) {
        self.handlers.push(buffer);
    }

    pub(crate) fn pop(&mut self, buffer: usize) {
        if let Some(at) = self.handlers.iter().rposition(|&known| known == buffer) {
            self.handlers.truncate(at);
        }
    }
}

/// Calls a thread's routine as the outermost function of its stack.
///
/// # Safety
/// As the routine.
pub(super) unsafe fn call(routine: Routine, argument: *mut c_void) -> *mut c_void {
    let outermost = match running() {
        Some(thread) => &raw mut thread.unwinding.outermost,
        None => unreachable!("only threads that are in the table are run"),
    };
    // SAFETY: the caller's promise; the word outlives the thread.
    unsafe { call_outermost(routine as *const c_void, argument, outermost) }
}

/// Calls a function with an argument, and notes the stack pointer for [`leave`]. Where it returns
/// to itself, it does not tell an unwinder: an exception that leaves the function is caught by
/// nobody.
#[unsafe(naked)]
unsafe extern "C-unwind" fn call_outermost(
    routine: *const c_void,
    argument: *mut c_void,
    outermost: *mut usize,
) -> *mut c_void {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov [rdx], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        ".cfi_endproc",
    )
}

/// Returns from [`call_outermost`] with a value.
#[unsafe(naked)]
unsafe extern "C" fn leave(outermost: usize, value: usize) -> ! {
    naked_asm!(
        "mov rsp, rdi",
        "mov rax, rsi",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// The header of an exception, as the unwinder has it.
#[repr(C, align(16))]
struct Exception {
    class: u64,
    cleanup: Option<extern "C" fn(c_int, *mut Exception)>,
    private: [usize; 2],
}

type Stop = extern "C" fn(c_int, c_int, u64, *mut Exception, *mut c_void, *mut c_void) -> c_int;

unsafe extern "C-unwind" {
    fn _Unwind_ForcedUnwind(exception: *mut Exception, stop: Stop, data: *mut c_void) -> c_int;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

/// Somebody has caught the exception and not thrown it again, which is not allowed.
extern "C" fn caught(_: c_int, _: *mut Exception) {
    crate::report::program_error(
        "thread",
        "a catch (...) ends the exit of a thread (pthread_exit, a cancellation)",
    );
    crate::report::finish_and_fail()
}

/// The running thread ends with a value.
///
/// # Safety
/// Called by a function of the program, on the thread's stack.
pub(crate) unsafe fn exit(value: usize) -> ! {
    if running().is_none() {
        // `main`, whose frames are left where they are: nobody returns to them.
        if let Some(buffer) = super::unwinding().handlers.pop() {
            super::unwinding().is_under_way = true;
            // SAFETY: a handler that the thread has registered and not left: its frame is still on
            // the stack of this task.
            unsafe { jump(buffer) };
        }
        outlive();
        // SAFETY: the last thread has ended, which is where the C library calls `exit`.
        unsafe { libc::exit(0) }
    }
    let unwinding = super::unwinding();
    unwinding.value = value;
    unwinding.is_under_way = true;
    // SAFETY: the caller's promise.
    unsafe { next() }
}

/// Goes on with the unwinding of the running thread.
///
/// # Safety
/// As [`exit`].
pub(crate) unsafe fn next() -> ! {
    const END_OF_STACK: c_int = 16;
    const GO_ON: c_int = 0;
    extern "C" fn stop(
        _: c_int,
        actions: c_int,
        _: u64,
        _: *mut Exception,
        context: *mut c_void,
        _: *mut c_void,
    ) -> c_int {
        let unwinding = super::unwinding();
        // SAFETY: the unwinder passes its context.
        let frame = unsafe { _Unwind_GetCFA(context) };
        if let Some(&buffer) = unwinding.handlers.last()
            && (buffer < frame || actions & END_OF_STACK != 0)
        {
            unwinding.handlers.pop();
            // SAFETY: the buffer is of the frame that is unwound next.
            unsafe { jump(buffer) };
        }
        if actions & END_OF_STACK != 0 {
            // SAFETY: all frames above were unwound.
            unsafe { leave(unwinding.outermost, unwinding.value) };
        }
        GO_ON
    }
    if super::running().is_none() {
        // SAFETY: the caller's promise.
        unsafe { exit(0) };
    }
    let exception = Box::leak(Box::new(Exception { class: 0, cleanup: Some(caught), private: [0; 2] }));
    // SAFETY: the exception was leaked, so that it outlives the unwinding, and `stop` has the type
    // that the unwinder calls. It returns only if it cannot unwind the stack.
    unsafe { _Unwind_ForcedUnwind(exception, stop, std::ptr::null_mut()) };
    // Then only the handlers of C are known.
    let unwinding = super::unwinding();
    if let Some(buffer) = unwinding.handlers.pop() {
        // SAFETY: its frame is still there.
        unsafe { jump(buffer) };
    }
    // SAFETY: nobody returns to the frames above.
    unsafe { leave(unwinding.outermost, unwinding.value) }
}

/// Jumps into a frame that has pushed a cleanup handler.
///
/// # Safety
/// The buffer is one that the frame has filled by `setjmp`, and the frame is on the stack.
unsafe fn jump(buffer: usize) -> ! {
    unsafe extern "C" {
        fn _longjmp(buffer: *mut c_void, value: c_int) -> !;
    }
    // SAFETY: the caller's promise.
    unsafe { _longjmp(buffer as *mut c_void, 1) }
}
