//! C++ exceptions that nobody catches: where one was thrown, of what type, and what it says.
//!
//! When `std::terminate` ends the program, the stack is mostly unwound up to the construct or the
//! `noexcept` function that the exception would have left. So the place is noted when the exception
//! is thrown: `__cxa_allocate_exception` gets its memory by `malloc`, which is ours, and the block
//! is noted as allocated at the `throw` ([`thrown_at`]). That needs no symbol of the C++ library to
//! be taken over at link time, holds for throws inside of the library (`vector::at`), for a library
//! that is linked statically, and for shared libraries of other compilers; and what was noted goes
//! with the exception, when that is freed.
//!
//! Whether an `abort` is the end of an exception is decided by the stack, since the C++ library
//! counts one that `std::terminate` is called for as caught: there must be a frame of
//! `std::terminate`, or of what stands for it, that no function of the program has called itself
//! ([`terminated`]). An exception that was thrown again is named by its first throw.
//!
//! Cost: a comparison in each `malloc`; a `throw` walks the stack up to the innermost function of
//! the program, a few frames. The layout of an exception is that of GNU's library; with another one
//! (libc++), or if the memory came from the library's reserve, the report names neither type nor
//! place.

use crate::detect::{callers, detector, modules};
use crate::process::state;
use crate::report::{self, calls, raw, raw_related};
use crate::symbols;
use crate::symbols::raw::RawError;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the C++ library allocates exceptions, zero if it is not there; and its code, if that is a
/// module of its own.
static ALLOCATES: AtomicUsize = AtomicUsize::new(0);
static LIBRARY: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Within so many bytes from its start the function calls `malloc`. If another function is there
/// too, the place of its blocks is more exact than needed.
const CALLS_WITHIN: usize = 128;

/// Finds the C++ library.
pub(crate) fn look() {
    // SAFETY: looks a name up.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_allocate_exception".as_ptr()) } as usize;
    if found == 0 {
        return;
    }
    ALLOCATES.store(found, Ordering::Relaxed);
    callers::look();
    let module = modules::module_of(found);
    if !module.contains(&(look as *const () as usize)) {
        LIBRARY[0].store(module.start, Ordering::Relaxed);
        LIBRARY[1].store(module.end, Ordering::Relaxed);
    }
}

/// Where the program is that has got memory by a call that returns to `pc`: for that of an
/// exception, at the `throw`; for that of another object, at the `new`.
#[inline(always)]
pub(crate) fn thrown_at(pc: usize) -> usize {
    let from = ALLOCATES.load(Ordering::Relaxed);
    if from == 0 {
        pc
    } else if pc.wrapping_sub(from) < CALLS_WITHIN {
        throw(pc)
    } else {
        callers::new_at(pc)
    }
}

/// The innermost function outside of the C++ library; if that is no module of its own, the
/// innermost one of the program.
#[cold]
fn throw(pc: usize) -> usize {
    let told = detector().contexts.call();
    let library = LIBRARY[0].load(Ordering::Relaxed)..LIBRARY[1].load(Ordering::Relaxed);
    let mut inner = pc;
    let found = calls::find_above(pc, &mut |at| {
        if library.is_empty() {
            // `at` is where the function returns to that has called from `inner`.
            let called_from = std::mem::replace(&mut inner, at);
            return (at == told).then_some(called_from);
        }
        (!library.contains(&at)).then_some(at)
    });
    found.unwrap_or(pc)
}

/// What GNU's library has before each exception, as far as it is of interest.
#[repr(C)]
struct Header {
    /// Of an exception that shares another one's object (`std::rethrow_exception`): that object.
    kind: *const Kind,
    others: [usize; 9],
    class: u64,
    unwinder: [usize; 3],
}

const CLASS: u64 = u64::from_be_bytes(*b"GNUCC++\0");
const CLASS_OF_SHARING: u64 = CLASS | 1;

const _: () = assert!(size_of::<Header>() == 112);

/// A type of C++ at run time; the last word only if it is of a class with one base class.
#[repr(C)]
struct Kind {
    table: usize,
    name: *const c_char,
    base: *const Kind,
}

/// What `std::terminate` was called for, as an error; none if it was not. Asked by `abort`.
pub(crate) fn terminated() -> Option<RawError> {
    let stack = calls::addresses();
    let at = stack.iter().position(|&at| TERMINATES.contains(&function(at)))?;
    let above = &stack[at + 1..];
    let task = detector().current();
    let Some(head) = state().threads.caught_exception().filter(|_| !is_wanted(above)) else {
        return Some(raw::error("abort", "the program called std::terminate", task, calls::joined(above)));
    };
    let end = "it would have left a task, a parallel region, a function that is noexcept, or the program";
    // SAFETY: the record of the running thread names it, so that the C++ library has not freed it.
    let Some(exception) = (unsafe { Exception::new(head as *const Header) }) else {
        let text = format!("an exception was not caught: {end}");
        return Some(raw::error("exception", &text, task, calls::joined(above)));
    };
    let name = exception.type_name();
    let says = exception.what().map_or_else(String::new, |what| format!(", {what:?},"));
    let text = format!("an exception of type {name}{says} was not caught: {end}");
    let error = match detector().memory.find_live(exception.header as usize) {
        Some((_, block)) => {
            let site = detector().site(block.site);
            raw::error("exception", &text, block.task, raw::calls(site).0)
        }
        None => raw::error("exception", &text, task, calls::joined(above)),
    };
    // SAFETY: an exception of this type has a code.
    let is_second_set = name == FUTURE_ERROR && unsafe { exception.code() } == ALREADY_SATISFIED;
    let second_set = report::state().second_set.take();
    let places = second_set.filter(|(by, _)| is_second_set && *by == detector().identity());
    Some(RawError { related: places.map_or_else(Vec::new, |(_, places)| raw_related(places)), ..error })
}

/// What promises of the standard library throw, and its code for a second set.
const FUTURE_ERROR: &str = "std::future_error";
const ALREADY_SATISFIED: i32 = 2;

/// The functions of the C++ library that end a program, one of which is on the stack then.
const TERMINATES: [&[u8]; 3] = [b"_ZSt9terminatev", b"__cxa_call_terminate", b"__gxx_personality_v0"];

/// Whether a function of the program has called `std::terminate` itself, maybe in a handler: by the
/// stack from there on.
fn is_wanted(stack: &[usize]) -> bool {
    // Called for a virtual function that is not there.
    const OTHERS: [&[u8]; 2] = [b"__cxa_pure_virtual", b"__cxa_deleted_virtual"];
    // What clang lets a function call that an exception must not leave. It tells that it was
    // entered, like those of the program.
    const OF_CLANG: &str = "__clang_call_terminate";
    let &[caller, returns_to, ..] = stack else { return false };
    if returns_to != detector().contexts.call() {
        return OTHERS.contains(&function(caller));
    }
    let frame = symbols::Symbols::load().frames(caller).remove(0);
    frame.function != "?" && frame.function != OF_CLANG
}

/// The name of the exported function that a call returns to; empty if there is none.
fn function(returns_to: usize) -> &'static [u8] {
    // SAFETY: asks the linker about an address; it writes the description, whose name is there as
    // long as the module.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr((returns_to - 1) as *const c_void, &mut info) == 0 || info.dli_sname.is_null() {
            return b"";
        }
        CStr::from_ptr(info.dli_sname).to_bytes()
    }
}

struct Exception {
    header: *const Header,
}

impl Exception {
    /// The exception of a header that the C++ library handles; none if another library has thrown
    /// it.
    ///
    /// # Safety
    /// The header is one of the running thread's record.
    unsafe fn new(header: *const Header) -> Option<Self> {
        // SAFETY: the caller's promise. One that shares an object has a pointer to that, and that
        // is behind its own header.
        unsafe {
            match (*header).class {
                CLASS => Some(Exception { header }),
                CLASS_OF_SHARING => Some(Exception { header: (*header).kind.cast::<Header>().sub(1) }),
                _ => None,
            }
        }
    }

    fn kind(&self) -> &Kind {
        // SAFETY: the compiler has passed its type to `__cxa_throw`. What is behind the name of one
        // without a base class is not looked at.
        unsafe { &*(*self.header).kind }
    }

    fn type_name(&self) -> String {
        // SAFETY: the compiler has put a string there. A type that is known to one module only has
        // a star before its name.
        let name = unsafe { CStr::from_ptr(self.kind().name) }.to_string_lossy();
        symbols::type_name(name.trim_start_matches('*'))
    }

    /// The number of the code of a `std::future_error`.
    ///
    /// # Safety
    /// It is one.
    unsafe fn code(&self) -> i32 {
        // SAFETY: behind its base class, which has a table and a pointer to its text, it has a
        // code, which begins with the number.
        unsafe { *self.header.add(1).cast::<[usize; 2]>().add(1).cast::<i32>() }
    }

    /// What it says, if it is a `std::exception` and the function that knows is one of the standard
    /// library: one of the program may do anything.
    fn what(&self) -> Option<String> {
        const LONGEST: usize = 1000;
        type What = unsafe extern "C" fn(*const c_void) -> *const c_char;
        if !self.is_standard() {
            return None;
        }
        // SAFETY: an object whose only base class, at its start, is in the end `std::exception`
        // begins with a table of functions, of which the third is `what`. That of the standard
        // library returns a string, which lives as long as the object.
        unsafe {
            let object = self.header.add(1);
            let function = *(*object.cast::<*const usize>()).add(2);
            if !self::function(function + 1).starts_with(b"_ZNKSt") {
                return None;
            }
            let text = std::mem::transmute::<usize, What>(function)(object.cast());
            let bytes = (!text.is_null()).then(|| CStr::from_ptr(text).to_bytes())?;
            Some(String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]).into_owned())
        }
    }

    /// Whether its only base class, or that one's, and so on, is `std::exception`.
    fn is_standard(&self) -> bool {
        const TABLE: &CStr = c"_ZTVN10__cxxabiv120__si_class_type_infoE";
        // SAFETY: looks a name up.
        let table = unsafe { libc::dlsym(libc::RTLD_DEFAULT, TABLE.as_ptr()) } as usize;
        let mut kind = self.kind();
        loop {
            // SAFETY: the compiler has put a string there.
            if unsafe { CStr::from_ptr(kind.name) } == c"St9exception" {
                return true;
            }
            // The pointer to a table leads to its first function, behind two other words.
            if table == 0 || kind.table != table + 2 * size_of::<usize>() {
                return false;
            }
            // SAFETY: the table says that it is a class with one base class.
            kind = unsafe { &*kind.base };
        }
    }
}
