//! Functions of the C library that the program calls: which of its memory they read and write.
//!
//! The C library is not instrumented, and what it does on the program's behalf the program does: a
//! `strcpy` writes the buffer as a loop would. What each function accesses is a row of a table
//! ([`functions`]).
//!
//! Only calls of instrumented code are judged. The pass makes of a call of `strcpy` one of
//! `__raceproof_strcpy`, and hands over the address of `strcpy` beside the arguments
//! (`Library.cpp`). Where there is no pass the linker does it (`--wrap`), if all that it links is
//! instrumented. The C library's own calls, those of other libraries and of this one stay what they
//! are.
//!
//! A program may have a function of such a name for its own. Then that is what it calls, and what
//! it does is seen since it is instrumented: a call is judged only if the address is in the C
//! library. A call synchronises nothing, and ends no step.

mod extents;
mod formats;
mod functions;
mod list;
mod scans;
mod shared;
mod tokens;
mod vectors;

use crate::abi;
use crate::abi::interpose::{blocking, descriptors};
use crate::abi::tsan;
use crate::detect::frames;
use crate::process::real;
use crate::report;
use list::List;
use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::mem::offset_of;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A function of the table.
pub(crate) struct Function {
    name: &'static CStr,
    /// The function that takes the further arguments as a list, and how many arguments stand before
    /// that.
    as_list: Option<(&'static CStr, usize)>,
    before: fn(&Call),
    after: fn(&Call),
    /// An address of a function of this name that is the C library's, and what to call for it.
    known: AtomicUsize,
    target: AtomicUsize,
    /// An address that is not the C library's.
    foreign: AtomicUsize,
}

/// The registers that hold arguments, in the order in which a list of further arguments has them.
#[repr(C)]
struct Registers {
    integers: [usize; 6],
    vectors: [[u64; 2]; 8],
}

/// A call that is under way: in the frame of [`call`].
#[repr(C)]
pub(crate) struct Call {
    function: &'static Function,
    /// What is called in the end.
    target: usize,
    registers: Registers,
    /// The arguments that are passed on: with a list in place of further arguments.
    passed: [usize; 6],
    result: usize,
    vector_result: [u64; 2],
    /// The address it returns to.
    pc: usize,
    /// Where arguments are that have no register.
    stack: usize,
    list: List,
    /// A list of the program's as it was before the call, which uses it up.
    kept: Cell<List>,
    /// How many vector registers hold arguments, if there may be further ones.
    vectors: usize,
}

impl Call {
    /// The function reads so many bytes.
    fn read(&self, address: usize, size: usize) {
        if address != 0 && size != 0 {
            tsan::read_range(address, size, 0, self.pc);
        }
    }

    /// The function writes so many bytes.
    fn write(&self, address: usize, size: usize) {
        if address != 0 && size != 0 {
            tsan::write_range(address, size, 0, self.pc);
        }
    }
}

/// Whether a call is to be judged. If so what it reads and writes is noted, as far as that is known
/// before it.
extern "C" fn before(call: &mut Call) -> bool {
    let function = call.function;
    if !abi::is_up() || is_runtime(call.pc) {
        return false;
    }
    if call.target != function.known.load(Ordering::Relaxed) && !is_librarys(function, call.target) {
        return false;
    }
    call.target = function.target.load(Ordering::Relaxed);
    call.passed = call.registers.integers;
    if let Some((_, fixed)) = function.as_list {
        call.list = List::new(fixed, call.stack, &raw const call.registers as usize);
        call.passed[fixed] = &raw const call.list as usize;
    }
    report::state().library.insert(call.pc, function.name);
    if keeping_errno(|| descriptors::before(function.name, &call.registers.integers)) {
        call.target = descriptors::interrupted as *const () as usize;
    }
    keeping_errno(|| (function.before)(call));
    UNDER_WAY.store(call.pc, Ordering::Relaxed);
    true
}

/// Where the call that is under way returns to.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Where the program is that has memory allocated by a call from `pc`: the call of the C library
/// that is under way, if the C library allocates for that (`strdup`).
pub(crate) fn allocates_for(pc: usize) -> usize {
    let call = UNDER_WAY.load(Ordering::Relaxed);
    let is_librarys = |code: &Range<usize>| code.contains(&pc);
    if call != 0 && abi::state().library_code.as_ref().is_some_and(is_librarys) { call } else { pc }
}

/// Notes what is known after a call.
extern "C" fn after(call: &Call) {
    UNDER_WAY.store(0, Ordering::Relaxed);
    keeping_errno(|| descriptors::after(call.function.name, &call.registers.integers));
    keeping_errno(|| (call.function.after)(call));
}

fn keeping_errno<T>(act: impl FnOnce() -> T) -> T {
    // SAFETY: the C library's error number, of the running thread.
    let before = unsafe { *libc::__errno_location() };
    let done = act();
    // SAFETY: the C library's error number, of the thread that runs now: another virtual thread may
    // have run since, so that it is looked up again.
    unsafe { *libc::__errno_location() = before };
    done
}

std::arch::global_asm!(".weak __raceproof_text", ".weak __raceproof_text_end");

/// Whether this library has made a call: the linker has it call the wrapped functions, too.
fn is_runtime(pc: usize) -> bool {
    let (from, to): (usize, usize);
    // SAFETY: reads addresses that the linker has put there; null where the runtime is not one
    // object, and nothing is wrapped.
    unsafe {
        std::arch::asm!(
            "mov {}, [rip + __raceproof_text@GOTPCREL]",
            "mov {}, [rip + __raceproof_text_end@GOTPCREL]",
            out(reg) from,
            out(reg) to,
            options(nostack, pure, readonly, preserves_flags),
        );
    }
    (from..to).contains(&pc)
}

/// The description of a symbol, for `dladdr1`.
const RTLD_DL_SYMENT: i32 = 1;

unsafe extern "C" {
    fn dladdr1(
        address: *const c_void,
        info: *mut libc::Dl_info,
        extra: *mut *const libc::Elf64_Sym,
        flags: i32,
    ) -> i32;
}

/// Whether an address that the program calls is that of the C library's function.
#[cold]
fn is_librarys(function: &Function, address: usize) -> bool {
    if function.foreign.load(Ordering::Relaxed) == address {
        return false;
    }
    let found = library_function(function, address);
    let target = match function.as_list {
        Some((name, _)) if found != 0 => real(name) as usize,
        _ => found,
    };
    if target == 0 {
        function.foreign.store(address, Ordering::Relaxed);
        return false;
    }
    if abi::state().library_code.is_none() {
        let memory = real(c"strdup") as usize;
        abi::state().library_code = frames::code().into_iter().find(|code| code.contains(&memory));
    }
    function.target.store(target, Ordering::Relaxed);
    function.known.store(address, Ordering::Relaxed);
    true
}

/// The address in the C library that is meant by one in the program; zero if it is no function of
/// the C library.
fn library_function(function: &Function, address: usize) -> usize {
    // What waits is the runtime's own, in the place of the library's.
    if blocking::functions().contains(&address) {
        return address;
    }
    // SAFETY: asks the dynamic linker about an address; it writes the descriptions.
    let (info, symbol) = unsafe {
        let (mut info, mut symbol): (libc::Dl_info, _) = (std::mem::zeroed(), std::ptr::null());
        if dladdr1(address as *const c_void, &mut info, &mut symbol, RTLD_DL_SYMENT) == 0 {
            return 0;
        }
        (info, symbol)
    };
    // SAFETY: a symbol of a loaded module, or null.
    let is_stub = !symbol.is_null() && unsafe { (*symbol).st_shndx == 0 };
    if is_stub {
        // An executable at a fixed address has a jump to the function, whose address counts as the
        // function's.
        let found = real(function.name) as usize;
        return if found != 0 && found != address { library_function(function, found) } else { 0 };
    }
    if info.dli_fname.is_null() {
        return 0;
    }
    // SAFETY: the name of a module, which ends with a zero.
    let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes();
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    // The system itself has functions for the time.
    const LIBRARIES: [&[u8]; 3] = [b"libc.so", b"libm.so", b"linux-vdso.so"];
    if LIBRARIES.iter().any(|library| name.starts_with(library)) { address } else { 0 }
}

const FRAME: usize = size_of::<Call>().next_multiple_of(16) + STACK;
/// Bytes of arguments without a register that are passed on: two of type `long double`.
const STACK: usize = 32;

/// Calls a function of the table, with its row in `r11` and its address in `r10`.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn call() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, {frame}",
        "mov [rsp + {stack} + {function}], r11",
        "mov [rsp + {stack} + {target}], r10",
        "mov [rsp + {stack} + {integers}], rdi",
        "mov [rsp + {stack} + {integers} + 8], rsi",
        "mov [rsp + {stack} + {integers} + 16], rdx",
        "mov [rsp + {stack} + {integers} + 24], rcx",
        "mov [rsp + {stack} + {integers} + 32], r8",
        "mov [rsp + {stack} + {integers} + 40], r9",
        "mov [rsp + {stack} + {vectors}], rax",
        "movups [rsp + {stack} + {registers}], xmm0",
        "movups [rsp + {stack} + {registers} + 16], xmm1",
        "movups [rsp + {stack} + {registers} + 32], xmm2",
        "movups [rsp + {stack} + {registers} + 48], xmm3",
        "movups [rsp + {stack} + {registers} + 64], xmm4",
        "movups [rsp + {stack} + {registers} + 80], xmm5",
        "movups [rsp + {stack} + {registers} + 96], xmm6",
        "movups [rsp + {stack} + {registers} + 112], xmm7",
        "mov rax, [rbp + 8]",
        "mov [rsp + {stack} + {pc}], rax",
        "lea rax, [rbp + 16]",
        "mov [rsp + {stack} + {on_stack}], rax",
        "lea rdi, [rsp + {stack}]",
        "call {before}",
        "movups xmm0, [rsp + {stack} + {registers}]",
        "movups xmm1, [rsp + {stack} + {registers} + 16]",
        "movups xmm2, [rsp + {stack} + {registers} + 32]",
        "movups xmm3, [rsp + {stack} + {registers} + 48]",
        "movups xmm4, [rsp + {stack} + {registers} + 64]",
        "movups xmm5, [rsp + {stack} + {registers} + 80]",
        "movups xmm6, [rsp + {stack} + {registers} + 96]",
        "movups xmm7, [rsp + {stack} + {registers} + 112]",
        "mov r11, [rsp + {stack} + {target}]",
        "test al, al",
        "mov rax, [rsp + {stack} + {vectors}]",
        "jz 2f",
        "mov rdi, [rbp + 16]",
        "mov [rsp], rdi",
        "mov rdi, [rbp + 24]",
        "mov [rsp + 8], rdi",
        "mov rdi, [rbp + 32]",
        "mov [rsp + 16], rdi",
        "mov rdi, [rbp + 40]",
        "mov [rsp + 24], rdi",
        "mov rdi, [rsp + {stack} + {passed}]",
        "mov rsi, [rsp + {stack} + {passed} + 8]",
        "mov rdx, [rsp + {stack} + {passed} + 16]",
        "mov rcx, [rsp + {stack} + {passed} + 24]",
        "mov r8, [rsp + {stack} + {passed} + 32]",
        "mov r9, [rsp + {stack} + {passed} + 40]",
        "call r11",
        "mov [rsp + {stack} + {result}], rax",
        "movups [rsp + {stack} + {vector_result}], xmm0",
        "lea rdi, [rsp + {stack}]",
        "call {after}",
        "mov rax, [rsp + {stack} + {result}]",
        "movups xmm0, [rsp + {stack} + {vector_result}]",
        "leave",
        ".cfi_remember_state",
        ".cfi_def_cfa rsp, 8",
        "ret",
        // Not judged: as if it had been called at once.
        "2:",
        ".cfi_restore_state",
        "mov rdi, [rsp + {stack} + {integers}]",
        "mov rsi, [rsp + {stack} + {integers} + 8]",
        "mov rdx, [rsp + {stack} + {integers} + 16]",
        "mov rcx, [rsp + {stack} + {integers} + 24]",
        "mov r8, [rsp + {stack} + {integers} + 32]",
        "mov r9, [rsp + {stack} + {integers} + 40]",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "jmp r11",
        ".cfi_endproc",
        frame = const FRAME,
        stack = const STACK,
        function = const offset_of!(Call, function),
        target = const offset_of!(Call, target),
        integers = const offset_of!(Call, registers.integers),
        registers = const offset_of!(Call, registers.vectors),
        vectors = const offset_of!(Call, vectors),
        passed = const offset_of!(Call, passed),
        result = const offset_of!(Call, result),
        vector_result = const offset_of!(Call, vector_result),
        pc = const offset_of!(Call, pc),
        on_stack = const offset_of!(Call, stack),
        before = sym before,
        after = sym after,
    )
}

/// Makes of each row the function's description and its two entry points: `__raceproof_NAME`,
/// called by what the pass has compiled, with the address of the program's `NAME` in `r10`; and
/// `__wrap_NAME`, for the linker.
///
/// Arguments are numbered as they stand among the integer registers: floating-point numbers have
/// others.
macro_rules! library {
    ($(
        $name:ident $(as $list:ident)? ($($argument:pat_param),*)
        { $($access:ident($($value:expr),*)),* }
        $(=> |$result:ident| { $($later:ident($($last:expr),*)),* })?
    )*) => { $(
        #[allow(non_snake_case, unused_variables, unused_imports, clippy::too_many_arguments)]
        mod $name {
            use super::*;

            fn before(call: &Call) {
                let [$($argument,)* ..] = call.passed;
                $(call.$access($($value),*);)*
            }

            fn after(call: &Call) {
                let [$($argument,)* ..] = call.passed;
                $(
                    let $result = call.result;
                    $(call.$later($($last),*);)*
                )?
            }

            static FUNCTION: Function = Function {
                name: name(concat!(stringify!($name), "\0")),
                as_list: as_list!([$(stringify!($argument)),*].len() - 1 $(, $list)?),
                before,
                after,
                known: AtomicUsize::new(0),
                target: AtomicUsize::new(0),
                foreign: AtomicUsize::new(0),
            };

            std::arch::global_asm!(
                concat!(".weak __real_", stringify!($name)),
                concat!(".globl __wrap_", stringify!($name), ", __raceproof_", stringify!($name)),
                concat!(".type __wrap_", stringify!($name), ", @function"),
                concat!(".type __raceproof_", stringify!($name), ", @function"),
                concat!("__wrap_", stringify!($name), ":"),
                concat!("mov r10, [rip + __real_", stringify!($name), "@GOTPCREL]"),
                concat!("__raceproof_", stringify!($name), ":"),
                "lea r11, [rip + {function}]",
                "jmp {call}",
                function = sym FUNCTION,
                call = sym call,
            );
        }
    )* };
}
use library;

macro_rules! as_list {
    ($fixed:expr) => {
        None
    };
    ($fixed:expr, $list:ident) => {
        Some((name(concat!(stringify!($list), "\0")), $fixed))
    };
}
use as_list;

/// A name that ends with a zero.
const fn name(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name that ends with a zero"),
    }
}
