//! How many bytes a function accesses. Null has none: what the function makes of it is its own
//! affair.

use std::ffi::{c_char, c_int, c_void};

/// The bytes of a string, with the zero at its end.
pub(super) fn string(s: usize) -> usize {
    // SAFETY: a string of the program's, which the function is about to read or has written.
    if s == 0 { 0 } else { unsafe { libc::strlen(s as *const c_char) + 1 } }
}

/// The same of a string of which at most `most` bytes are looked at.
pub(super) fn up_to(s: usize, most: usize) -> usize {
    // SAFETY: a string of the program's, which the function reads up to its zero or to `most`
    // bytes.
    if s == 0 { 0 } else { most.min(unsafe { libc::strnlen(s as *const c_char, most) }.saturating_add(1)) }
}

/// The length of a string of at most `most` bytes, without a zero.
pub(super) fn length(s: usize, most: usize) -> usize {
    // SAFETY: a string of the program's, which the function reads up to its zero or to `most`
    // bytes.
    if s == 0 { 0 } else { unsafe { libc::strnlen(s as *const c_char, most) } }
}

/// Where a string ends.
pub(super) fn end(s: usize) -> usize {
    s + string(s).saturating_sub(1)
}

/// The byte at an address.
pub(super) fn byte(at: usize) -> u8 {
    // SAFETY: memory that the function is about to read.
    unsafe { *(at as *const u8) }
}

/// The word at an address; zero at none.
pub(super) fn word(at: usize) -> usize {
    // SAFETY: a word that the function is about to read.
    if at == 0 { 0 } else { unsafe { (at as *const usize).read_unaligned() } }
}

pub(super) const WIDE: usize = size_of::<libc::wchar_t>();

fn wide_at(s: usize, index: usize) -> libc::wchar_t {
    // SAFETY: characters of a string that the function is about to read; the callers stop at its
    // end.
    unsafe { (s as *const libc::wchar_t).add(index).read_unaligned() }
}

/// The length of a string of wide characters of which at most `most` are looked at, without a zero.
pub(super) fn wide_length(s: usize, most: usize) -> usize {
    if s == 0 { 0 } else { (0..most).take_while(|&index| wide_at(s, index) != 0).count() }
}

/// Its bytes, with the zero at its end.
pub(super) fn wide_up_to(s: usize, most: usize) -> usize {
    if s == 0 { 0 } else { WIDE * most.min(wide_length(s, most) + 1) }
}

pub(super) fn wide(s: usize) -> usize {
    wide_up_to(s, usize::MAX)
}

/// Where it ends.
pub(super) fn wide_end(s: usize) -> usize {
    s + wide(s).saturating_sub(WIDE)
}

/// The bytes up to where two strings differ or end, that included.
pub(super) fn compared(a: usize, b: usize, most: usize) -> usize {
    compared_by(a, b, most, |byte| byte)
}

/// The same if upper and lower case are alike.
pub(super) fn compared_folded(a: usize, b: usize, most: usize) -> usize {
    // SAFETY: any byte may be asked about.
    compared_by(a, b, most, |byte| unsafe { libc::tolower(c_int::from(byte)) as u8 })
}

fn compared_by(a: usize, b: usize, most: usize, folded: impl Fn(u8) -> u8) -> usize {
    if a == 0 || b == 0 {
        return 0;
    }
    let alike = |&at: &usize| byte(a + at) != 0 && folded(byte(a + at)) == folded(byte(b + at));
    most.min((0..most).take_while(alike).count() + 1)
}

/// The bytes up to where two memories differ, that included.
pub(super) fn compared_memory(a: usize, b: usize, size: usize) -> usize {
    if a == 0 || b == 0 {
        return 0;
    }
    size.min((0..size).take_while(|&at| byte(a + at) == byte(b + at)).count() + 1)
}

pub(super) fn compared_wide(a: usize, b: usize, most: usize) -> usize {
    compared_wide_by(a, b, most, |at| wide_at(a, at) != 0)
}

pub(super) fn compared_wide_memory(a: usize, b: usize, count: usize) -> usize {
    compared_wide_by(a, b, count, |_| true)
}

fn compared_wide_by(a: usize, b: usize, most: usize, goes_on: impl Fn(usize) -> bool) -> usize {
    if a == 0 || b == 0 {
        return 0;
    }
    let alike = |&at: &usize| goes_on(at) && wide_at(a, at) == wide_at(b, at);
    WIDE * most.min((0..most).take_while(alike).count() + 1)
}

/// The bytes that a search in a string has read that has found something there, or nothing.
pub(super) fn searched(s: usize, found: usize, size: usize) -> usize {
    if found == 0 { string(s) } else { found - s + size }
}

/// The same in so many bytes.
pub(super) fn searched_memory(s: usize, found: usize, size: usize) -> usize {
    if found == 0 { size } else { found - s + 1 }
}

pub(super) fn searched_wide(s: usize, found: usize, size: usize) -> usize {
    if found == 0 { wide(s) } else { found - s + size }
}

/// The bytes that were copied up to a character that ended it; all, if there was none.
pub(super) fn copied(to: usize, after: usize, size: usize) -> usize {
    if after == 0 { size } else { after - to }
}

/// What a conversion of a string to a number reads: white space, a sign, the digits, and what
/// follows them.
fn number(s: usize, converted: impl FnOnce(*const c_char, *mut *mut c_char)) -> usize {
    if s == 0 {
        return 0;
    }
    let mut end = std::ptr::null_mut();
    converted(s as *const c_char, &mut end);
    let mut at = s;
    while matches!(byte(at), b' ' | b'\t'..=b'\r') {
        at += 1;
    }
    if matches!(byte(at), b'+' | b'-') {
        at += 1;
    }
    at.max(end as usize) - s + 1
}

/// As an integer to a base.
pub(super) fn integer(s: usize, base: usize) -> usize {
    // SAFETY: a string of the program's, which the function is about to read; the end is ours.
    number(s, |s, end| unsafe {
        libc::strtoll(s, end, base as c_int);
    })
}

/// As a floating-point number.
pub(super) fn float(s: usize) -> usize {
    // SAFETY: a string of the program's, which the function is about to read; the end is ours.
    number(s, |s, end| unsafe {
        libc::strtod(s, end);
    })
}

/// The same of wide characters.
fn wide_number(s: usize, converted: impl FnOnce(*const c_void, *mut *mut c_void)) -> usize {
    if s == 0 {
        return 0;
    }
    let mut end = std::ptr::null_mut();
    converted(s as *const c_void, &mut end);
    // What follows the number, or the first character if there is none.
    (end as usize).max(s) - s + WIDE
}

unsafe extern "C" {
    fn wcstoll(s: *const c_void, end: *mut *mut c_void, base: c_int) -> i64;
    fn wcstod(s: *const c_void, end: *mut *mut c_void) -> f64;
}

pub(super) fn wide_integer(s: usize, base: usize) -> usize {
    // SAFETY: a string of the program's, which the function is about to read; the end is ours.
    wide_number(s, |s, end| unsafe {
        wcstoll(s, end, base as c_int);
    })
}

pub(super) fn wide_float(s: usize) -> usize {
    // SAFETY: a string of the program's, which the function is about to read; the end is ours.
    wide_number(s, |s, end| unsafe {
        wcstod(s, end);
    })
}

/// A result that is negative if there is none.
pub(super) fn signed(result: usize) -> usize {
    (result as isize).max(0) as usize
}

/// The same of type `int`.
pub(super) fn int(result: usize) -> usize {
    (result as c_int).max(0) as usize
}

/// So many bytes, if an `int` says that all went well.
pub(super) fn done(result: usize, size: usize) -> usize {
    if result as c_int == 0 { size } else { 0 }
}

/// So many bytes, if there is a result.
pub(super) fn given(result: usize, size: usize) -> usize {
    if result == 0 { 0 } else { size }
}

/// The characters that `printf` has put into a buffer for `most`: it says how many there would be
/// without the zero.
pub(super) fn printed(result: usize, most: usize) -> usize {
    if (result as c_int) < 0 { 0 } else { most.min(int(result) + 1) }
}

/// The entry of a folder.
pub(super) fn entry_size(entry: usize) -> usize {
    // SAFETY: null, or an entry that the C library has just returned.
    unsafe { (entry as *const libc::dirent).as_ref() }.map_or(0, |entry| usize::from(entry.d_reclen))
}

/// The end of a template for the name of a file.
pub(super) fn unique(name: usize) -> usize {
    end(name).saturating_sub(6)
}
