//! The functions by which a process becomes another program: what was found is delivered before,
//! since nobody can afterwards.

use crate::abi::is_up;
use crate::process::real;
use crate::report;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;

/// A list of strings that ends with null.
type List = *const *const c_char;

/// The process is about to become a program.
pub(super) fn announce(program: *const c_char) {
    if program.is_null() || !is_up() {
        return;
    }
    // SAFETY: the program passes a string.
    let name = unsafe { CStr::from_ptr(program) };
    // SAFETY: asks the system about a path.
    let cannot = name.to_bytes().contains(&b'/') && unsafe { libc::access(program, libc::X_OK) } != 0;
    if !cannot {
        report::before_exec(&name.to_string_lossy());
    }
}

/// It has not become one.
pub(super) fn renounce() {
    if is_up() {
        // SAFETY: the running thread's own variable, which the program looks at.
        let errno = unsafe { &mut *libc::__errno_location() };
        let said = *errno;
        report::after_exec();
        *errno = said;
    }
}

/// Calls the C library's function of a name, of this type, with these arguments.
macro_rules! call {
    ($name:literal, fn($($type:ty),*), $($argument:expr),*) => {{
        let found = real($name);
        if found.is_null() {
            // SAFETY: the running thread's own variable.
            unsafe { *libc::__errno_location() = libc::ENOSYS };
            return -1;
        }
        // SAFETY: that is the type of the function of this name, and the arguments are the
        // program's.
        let status = unsafe { transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> c_int>(found)($($argument),*) };
        renounce();
        status
    }};
}

#[unsafe(no_mangle)]
pub extern "C" fn execve(path: *const c_char, arguments: List, environment: List) -> c_int {
    announce(path);
    call!(c"execve", fn(*const c_char, List, List), path, arguments, environment)
}

#[unsafe(no_mangle)]
pub extern "C" fn execv(path: *const c_char, arguments: List) -> c_int {
    announce(path);
    call!(c"execv", fn(*const c_char, List), path, arguments)
}

#[unsafe(no_mangle)]
pub extern "C" fn execvp(file: *const c_char, arguments: List) -> c_int {
    announce(file);
    call!(c"execvp", fn(*const c_char, List), file, arguments)
}

#[unsafe(no_mangle)]
pub extern "C" fn execvpe(file: *const c_char, arguments: List, environment: List) -> c_int {
    announce(file);
    call!(c"execvpe", fn(*const c_char, List, List), file, arguments, environment)
}

#[unsafe(no_mangle)]
pub extern "C" fn fexecve(descriptor: c_int, arguments: List, environment: List) -> c_int {
    announce(c"a program by its descriptor".as_ptr());
    call!(c"fexecve", fn(c_int, List, List), descriptor, arguments, environment)
}

#[unsafe(no_mangle)]
pub extern "C" fn execveat(
    folder: c_int,
    path: *const c_char,
    arguments: List,
    environment: List,
    flags: c_int,
) -> c_int {
    announce(path);
    call!(
        c"execveat",
        fn(c_int, *const c_char, List, List, c_int),
        folder,
        path,
        arguments,
        environment,
        flags
    )
}

/// Defines a function that takes the arguments of the other program one by one: gathers them, as
/// `execv` and its like want them. The first five after the path come in registers, the others on
/// the stack.
macro_rules! gathered {
    ($($name:ident => $target:ident;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            ::std::arch::naked_asm!(
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "mov rsi, rsp",
                "lea rdx, [rsp + 48]",
                "call {target}",
                "add rsp, 40",
                "ret",
                target = sym $target,
            )
        }
    )* };
}

gathered! {
    execl => execl_gathered;
    execlp => execlp_gathered;
    execle => execle_gathered;
}

/// The arguments, with the null at their end, and what comes after it.
///
/// # Safety
/// `first` are five words and `rest` those after them; the arguments among them end with null.
unsafe fn gather(first: List, rest: List) -> (Vec<*const c_char>, *const c_char) {
    // SAFETY: the caller's promise.
    let word = |at: usize| unsafe { if at < 5 { *first.add(at) } else { *rest.add(at - 5) } };
    let count = (0..).take_while(|&at| !word(at).is_null()).count();
    ((0..=count).map(word).collect(), word(count + 1))
}

unsafe extern "C" fn execl_gathered(path: *const c_char, first: List, rest: List) -> c_int {
    // SAFETY: the entry point has gathered the arguments: `first` has those in registers, `rest`
    // leads to those on the stack, and the program has ended the list with a null.
    let (arguments, _) = unsafe { gather(first, rest) };
    execv(path, arguments.as_ptr())
}

unsafe extern "C" fn execlp_gathered(file: *const c_char, first: List, rest: List) -> c_int {
    // SAFETY: the entry point has gathered them: those in registers, those on the stack, and the
    // program's null at the end.
    let (arguments, _) = unsafe { gather(first, rest) };
    execvp(file, arguments.as_ptr())
}

unsafe extern "C" fn execle_gathered(path: *const c_char, first: List, rest: List) -> c_int {
    // SAFETY: the entry point has gathered the arguments in both lists. A null ends them, and the
    // environment comes after it.
    let (arguments, environment) = unsafe { gather(first, rest) };
    execve(path, arguments.as_ptr(), environment.cast())
}
