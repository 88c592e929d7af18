//! The table: which memory each function of the C library reads and writes.
//!
//! A row names the integer and pointer arguments of a function and its accesses before the call,
//! and after it (`=>`) those that its result decides. `as` names the function that takes the
//! further arguments as a list: it is what is called.
//!
//! An access is of what the function has to look at, not of what an implementation happens to:
//! `strcmp` reads up to the first difference. Where the standard leaves that open, of what the GNU
//! library does: `sscanf` reads all of the string.
//!
//! `crates/pass/build.rs` reads the names, for the pass and the linker: a row begins a line.

use super::extents::*;
use super::*;
use crate::report::hidden::{CALENDAR, DATE, ENVIRONMENT, GROUP, HOST, NAME, PASSWD, RANDOM48};

const POINTER: usize = size_of::<usize>();
const STAT: usize = size_of::<libc::stat>();
const TIMESPEC: usize = size_of::<libc::timespec>();
const TIMEVAL: usize = size_of::<libc::timeval>();
const EVENT: usize = size_of::<libc::epoll_event>();
/// Of a set of signals, what the kernel has: a bit for each of 64.
const MASK: usize = 8;
const TM: usize = size_of::<libc::tm>();

library! {
    // Strings.
    strlen(s) { read(s, string(s)) }
    strnlen(s, n) { read(s, up_to(s, n)) }
    strcpy(to, from) { read(from, string(from)), write(to, string(from)) }
    stpcpy(to, from) { read(from, string(from)), write(to, string(from)) }
    __strcpy_chk(to, from) { read(from, string(from)), write(to, string(from)) }
    __stpcpy_chk(to, from) { read(from, string(from)), write(to, string(from)) }
    strncpy(to, from, n) { read(from, up_to(from, n)), write(to, n) }
    stpncpy(to, from, n) { read(from, up_to(from, n)), write(to, n) }
    __strncpy_chk(to, from, n) { read(from, up_to(from, n)), write(to, n) }
    __stpncpy_chk(to, from, n) { read(from, up_to(from, n)), write(to, n) }
    strcat(to, from) { read(to, string(to)), read(from, string(from)), write(end(to), string(from)) }
    __strcat_chk(to, from) { read(to, string(to)), read(from, string(from)), write(end(to), string(from)) }
    strncat(to, from, n) { read(to, string(to)), read(from, up_to(from, n)), write(end(to), length(from, n) + 1) }
    __strncat_chk(to, from, n) { read(to, string(to)), read(from, up_to(from, n)), write(end(to), length(from, n) + 1) }
    strlcpy(to, from, n) { read(from, string(from)), write(to, n.min(string(from))) }
    strlcat(to, from, n) { read(to, up_to(to, n)), read(from, string(from)) } => |all| { write(to, if length(to, n) < n { n.min(all + 1) } else { 0 }) }
    strcmp(a, b) { read(a, compared(a, b, usize::MAX)), read(b, compared(a, b, usize::MAX)) }
    strncmp(a, b, n) { read(a, compared(a, b, n)), read(b, compared(a, b, n)) }
    strcasecmp(a, b) { read(a, compared_folded(a, b, usize::MAX)), read(b, compared_folded(a, b, usize::MAX)) }
    strncasecmp(a, b, n) { read(a, compared_folded(a, b, n)), read(b, compared_folded(a, b, n)) }
    strcoll(a, b) { read(a, string(a)), read(b, string(b)) }
    strverscmp(a, b) { read(a, string(a)), read(b, string(b)) }
    strxfrm(to, from, n) { read(from, string(from)) } => |all| { write(to, n.min(all + 1)) }
    strchr(s, _) {} => |found| { read(s, searched(s, found, 1)) }
    index(s, _) {} => |found| { read(s, searched(s, found, 1)) }
    strchrnul(s, _) {} => |found| { read(s, searched(s, found, 1)) }
    strrchr(s, _) { read(s, string(s)) }
    rindex(s, _) { read(s, string(s)) }
    strstr(s, part) { read(part, string(part)) } => |found| { read(s, searched(s, found, string(part) - 1)) }
    strcasestr(s, part) { read(part, string(part)) } => |found| { read(s, searched(s, found, string(part) - 1)) }
    strpbrk(s, set) { read(set, string(set)) } => |found| { read(s, searched(s, found, 1)) }
    strspn(s, set) { read(set, string(set)) } => |count| { read(s, count + 1) }
    strcspn(s, set) { read(set, string(set)) } => |count| { read(s, count + 1) }
    strdup(s) { read(s, string(s)) } => |copy| { write(copy, string(copy)) }
    __strdup(s) { read(s, string(s)) } => |copy| { write(copy, string(copy)) }
    strndup(s, n) { read(s, up_to(s, n)) } => |copy| { write(copy, string(copy)) }
    __strndup(s, n) { read(s, up_to(s, n)) } => |copy| { write(copy, string(copy)) }
    strtok(s, separators) { token(s, separators) }
    strtok_r(s, separators, next) { token_of(s, separators, next) }
    __strtok_r(s, separators, next) { token_of(s, separators, next) }
    strsep(next, separators) { separated(next, separators) }
    strerror_r(_, to, _) {} => |text| { write(to, if text == to { string(to) } else { 0 }) }
    __xpg_strerror_r(_, to, _) {} => |result| { write(to, done(result, string(to))) }

    // Memory.
    memcmp(a, b, n) { read(a, compared_memory(a, b, n)), read(b, compared_memory(a, b, n)) }
    bcmp(a, b, n) { read(a, compared_memory(a, b, n)), read(b, compared_memory(a, b, n)) }
    memchr(s, _, n) {} => |found| { read(s, searched_memory(s, found, n)) }
    memrchr(s, _, n) {} => |found| { read(if found == 0 { s } else { found }, if found == 0 { n } else { s + n - found }) }
    rawmemchr(s, _) {} => |found| { read(s, found - s + 1) }
    memmem(s, n, part, size) { read(part, size) } => |found| { read(s, if found == 0 { n } else { found - s + size }) }
    memcpy(to, from, n) { read(from, n), write(to, n) }
    memmove(to, from, n) { read(from, n), write(to, n) }
    mempcpy(to, from, n) { read(from, n), write(to, n) }
    __mempcpy(to, from, n) { read(from, n), write(to, n) }
    __memcpy_chk(to, from, n) { read(from, n), write(to, n) }
    __memmove_chk(to, from, n) { read(from, n), write(to, n) }
    __mempcpy_chk(to, from, n) { read(from, n), write(to, n) }
    bcopy(from, to, n) { read(from, n), write(to, n) }
    memccpy(to, from, _, n) {} => |after| { read(from, copied(to, after, n)), write(to, copied(to, after, n)) }
    memset(to, _, n) { write(to, n) }
    __memset_chk(to, _, n) { write(to, n) }
    bzero(to, n) { write(to, n) }
    explicit_bzero(to, n) { write(to, n) }
    __explicit_bzero_chk(to, n) { write(to, n) }
    swab(from, to, n) { read(from, signed(n) & !1), write(to, signed(n) & !1) }
    qsort(array, count, size, _) { sorts(array, count, size) }
    qsort_r(array, count, size, _, _) { sorts(array, count, size) }

    // Strings of wide characters.
    wcslen(s) { read(s, wide(s)) }
    wcsnlen(s, n) { read(s, wide_up_to(s, n)) }
    wcscpy(to, from) { read(from, wide(from)), write(to, wide(from)) }
    wcpcpy(to, from) { read(from, wide(from)), write(to, wide(from)) }
    __wcscpy_chk(to, from) { read(from, wide(from)), write(to, wide(from)) }
    wcsncpy(to, from, n) { read(from, wide_up_to(from, n)), write(to, WIDE * n) }
    wcpncpy(to, from, n) { read(from, wide_up_to(from, n)), write(to, WIDE * n) }
    __wcsncpy_chk(to, from, n) { read(from, wide_up_to(from, n)), write(to, WIDE * n) }
    wcscat(to, from) { read(to, wide(to)), read(from, wide(from)), write(wide_end(to), wide(from)) }
    __wcscat_chk(to, from) { read(to, wide(to)), read(from, wide(from)), write(wide_end(to), wide(from)) }
    wcsncat(to, from, n) { read(to, wide(to)), read(from, wide_up_to(from, n)), write(wide_end(to), WIDE * (wide_length(from, n) + 1)) }
    __wcsncat_chk(to, from, n) { read(to, wide(to)), read(from, wide_up_to(from, n)), write(wide_end(to), WIDE * (wide_length(from, n) + 1)) }
    wcscmp(a, b) { read(a, compared_wide(a, b, usize::MAX)), read(b, compared_wide(a, b, usize::MAX)) }
    wcsncmp(a, b, n) { read(a, compared_wide(a, b, n)), read(b, compared_wide(a, b, n)) }
    wcscoll(a, b) { read(a, wide(a)), read(b, wide(b)) }
    wcschr(s, _) {} => |found| { read(s, searched_wide(s, found, WIDE)) }
    wcsrchr(s, _) { read(s, wide(s)) }
    wcsstr(s, part) { read(part, wide(part)) } => |found| { read(s, searched_wide(s, found, wide(part) - WIDE)) }
    wcspbrk(s, set) { read(set, wide(set)) } => |found| { read(s, searched_wide(s, found, WIDE)) }
    wcsspn(s, set) { read(set, wide(set)) } => |count| { read(s, WIDE * (count + 1)) }
    wcscspn(s, set) { read(set, wide(set)) } => |count| { read(s, WIDE * (count + 1)) }
    wcsdup(s) { read(s, wide(s)) } => |copy| { write(copy, wide(copy)) }
    wmemcpy(to, from, n) { read(from, WIDE * n), write(to, WIDE * n) }
    wmemmove(to, from, n) { read(from, WIDE * n), write(to, WIDE * n) }
    wmempcpy(to, from, n) { read(from, WIDE * n), write(to, WIDE * n) }
    __wmemcpy_chk(to, from, n) { read(from, WIDE * n), write(to, WIDE * n) }
    __wmemmove_chk(to, from, n) { read(from, WIDE * n), write(to, WIDE * n) }
    wmemset(to, _, n) { write(to, WIDE * n) }
    __wmemset_chk(to, _, n) { write(to, WIDE * n) }
    wmemcmp(a, b, n) { read(a, compared_wide_memory(a, b, n)), read(b, compared_wide_memory(a, b, n)) }
    wmemchr(s, _, n) {} => |found| { read(s, if found == 0 { WIDE * n } else { found - s + WIDE }) }
    mbstowcs(to, from, n) { read(from, if to == 0 { string(from) } else { 0 }) } => |count| { write(to, WIDE * n.min(count.wrapping_add(1))), read(from, if to != 0 && count < n { string(from) } else { 0 }) }
    wcstombs(to, from, n) { read(from, if to == 0 { wide(from) } else { 0 }) } => |count| { write(to, n.min(count.wrapping_add(1))), read(from, if to != 0 && count < n { wide(from) } else { 0 }) }
    mbtowc(to, _, _) {} => |size| { write(to, if int(size) > 0 { WIDE } else { 0 }) }
    wctomb(to, _) {} => |size| { write(to, int(size)) }

    // Numbers.
    atoi(s) { read(s, integer(s, 10)) }
    atol(s) { read(s, integer(s, 10)) }
    atoll(s) { read(s, integer(s, 10)) }
    atof(s) { read(s, float(s)) }
    strtol(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    __isoc23_strtol(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    strtoul(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    __isoc23_strtoul(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    strtoll(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    __isoc23_strtoll(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    strtoull(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    __isoc23_strtoull(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    strtoq(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    strtouq(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    strtoimax(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    __isoc23_strtoimax(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    strtoumax(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    __isoc23_strtoumax(s, end, base) { read(s, integer(s, base)), write(end, POINTER) }
    strtod(s, end) { read(s, float(s)), write(end, POINTER) }
    strtof(s, end) { read(s, float(s)), write(end, POINTER) }
    strtold(s, end) { read(s, float(s)), write(end, POINTER) }
    wcstol(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    __isoc23_wcstol(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    wcstoul(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    __isoc23_wcstoul(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    wcstoll(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    __isoc23_wcstoll(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    wcstoull(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    __isoc23_wcstoull(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    wcstoimax(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    __isoc23_wcstoimax(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    wcstoumax(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    __isoc23_wcstoumax(s, end, base) { read(s, wide_integer(s, base)), write(end, POINTER) }
    wcstod(s, end) { read(s, wide_float(s)), write(end, POINTER) }
    wcstof(s, end) { read(s, wide_float(s)), write(end, POINTER) }
    wcstold(s, end) { read(s, wide_float(s)), write(end, POINTER) }

    // printf.
    printf as vprintf(format, list) { formatted(format, list) }
    vprintf(format, list) { formatted(format, list) }
    __printf_chk as __vprintf_chk(_, format, list) { formatted(format, list) }
    __vprintf_chk(_, format, list) { formatted(format, list) }
    fprintf as vfprintf(_, format, list) { formatted(format, list) }
    vfprintf(_, format, list) { formatted(format, list) }
    __fprintf_chk as __vfprintf_chk(_, _, format, list) { formatted(format, list) }
    __vfprintf_chk(_, _, format, list) { formatted(format, list) }
    dprintf as vdprintf(_, format, list) { formatted(format, list) }
    vdprintf(_, format, list) { formatted(format, list) }
    __dprintf_chk as __vdprintf_chk(_, _, format, list) { formatted(format, list) }
    __vdprintf_chk(_, _, format, list) { formatted(format, list) }
    sprintf as vsprintf(to, format, list) { formatted(format, list) } => |size| { write(to, printed(size, usize::MAX)) }
    vsprintf(to, format, list) { formatted(format, list) } => |size| { write(to, printed(size, usize::MAX)) }
    __sprintf_chk as __vsprintf_chk(to, _, _, format, list) { formatted(format, list) } => |size| { write(to, printed(size, usize::MAX)) }
    __vsprintf_chk(to, _, _, format, list) { formatted(format, list) } => |size| { write(to, printed(size, usize::MAX)) }
    snprintf as vsnprintf(to, n, format, list) { formatted(format, list) } => |size| { write(to, printed(size, n)) }
    vsnprintf(to, n, format, list) { formatted(format, list) } => |size| { write(to, printed(size, n)) }
    __snprintf_chk as __vsnprintf_chk(to, n, _, _, format, list) { formatted(format, list) } => |size| { write(to, printed(size, n)) }
    __vsnprintf_chk(to, n, _, _, format, list) { formatted(format, list) } => |size| { write(to, printed(size, n)) }
    asprintf as vasprintf(to, format, list) { formatted(format, list) } => |size| { allocated(to, size) }
    vasprintf(to, format, list) { formatted(format, list) } => |size| { allocated(to, size) }
    __asprintf_chk as __vasprintf_chk(to, _, format, list) { formatted(format, list) } => |size| { allocated(to, size) }
    __vasprintf_chk(to, _, format, list) { formatted(format, list) } => |size| { allocated(to, size) }
    syslog as vsyslog(_, format, list) { formatted(format, list) }
    vsyslog(_, format, list) { formatted(format, list) }
    __syslog_chk as __vsyslog_chk(_, _, format, list) { formatted(format, list) }
    __vsyslog_chk(_, _, format, list) { formatted(format, list) }
    warn as vwarn(format, list) { formatted(format, list) }
    vwarn(format, list) { formatted(format, list) }
    warnx as vwarnx(format, list) { formatted(format, list) }
    vwarnx(format, list) { formatted(format, list) }
    err as verr(_, format, list) { formatted(format, list) }
    verr(_, format, list) { formatted(format, list) }
    errx as verrx(_, format, list) { formatted(format, list) }
    verrx(_, format, list) { formatted(format, list) }
    wprintf as vwprintf(format, list) { formatted_wide(format, list) }
    vwprintf(format, list) { formatted_wide(format, list) }
    fwprintf as vfwprintf(_, format, list) { formatted_wide(format, list) }
    vfwprintf(_, format, list) { formatted_wide(format, list) }
    swprintf as vswprintf(to, _, format, list) { formatted_wide(format, list) } => |size| { write(to, WIDE * printed(size, usize::MAX)) }
    vswprintf(to, _, format, list) { formatted_wide(format, list) } => |size| { write(to, WIDE * printed(size, usize::MAX)) }
    __wprintf_chk as __vwprintf_chk(_, format, list) { formatted_wide(format, list) }
    __vwprintf_chk(_, format, list) { formatted_wide(format, list) }
    __fwprintf_chk as __vfwprintf_chk(_, _, format, list) { formatted_wide(format, list) }
    __vfwprintf_chk(_, _, format, list) { formatted_wide(format, list) }
    __swprintf_chk as __vswprintf_chk(to, _, _, _, format, list) { formatted_wide(format, list) } => |size| { write(to, WIDE * printed(size, usize::MAX)) }
    __vswprintf_chk(to, _, _, _, format, list) { formatted_wide(format, list) } => |size| { write(to, WIDE * printed(size, usize::MAX)) }

    // scanf.
    scanf as vscanf(format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    vscanf(format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    fscanf as vfscanf(_, format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    vfscanf(_, format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    sscanf as vsscanf(from, format, list) { read(from, string(from)), read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    vsscanf(from, format, list) { read(from, string(from)), read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    swscanf as vswscanf(from, format, list) { read(from, wide(from)), read(format, wide(format)), keep(list) } => |count| { scanned_wide(format, count) }
    vswscanf(from, format, list) { read(from, wide(from)), read(format, wide(format)), keep(list) } => |count| { scanned_wide(format, count) }
    __isoc99_scanf as __isoc99_vscanf(format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc99_vscanf(format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc99_fscanf as __isoc99_vfscanf(_, format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc99_vfscanf(_, format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc99_sscanf as __isoc99_vsscanf(from, format, list) { read(from, string(from)), read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc99_vsscanf(from, format, list) { read(from, string(from)), read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc99_swscanf as __isoc99_vswscanf(from, format, list) { read(from, wide(from)), read(format, wide(format)), keep(list) } => |count| { scanned_wide(format, count) }
    __isoc99_vswscanf(from, format, list) { read(from, wide(from)), read(format, wide(format)), keep(list) } => |count| { scanned_wide(format, count) }
    __isoc23_scanf as __isoc23_vscanf(format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc23_vscanf(format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc23_fscanf as __isoc23_vfscanf(_, format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc23_vfscanf(_, format, list) { read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc23_sscanf as __isoc23_vsscanf(from, format, list) { read(from, string(from)), read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc23_vsscanf(from, format, list) { read(from, string(from)), read(format, string(format)), keep(list) } => |count| { scanned(format, count) }
    __isoc23_swscanf as __isoc23_vswscanf(from, format, list) { read(from, wide(from)), read(format, wide(format)), keep(list) } => |count| { scanned_wide(format, count) }
    __isoc23_vswscanf(from, format, list) { read(from, wide(from)), read(format, wide(format)), keep(list) } => |count| { scanned_wide(format, count) }

    // Streams.
    puts(s) { read(s, string(s)) }
    fputs(s, _) { read(s, string(s)) }
    fputs_unlocked(s, _) { read(s, string(s)) }
    perror(s) { read(s, string(s)) }
    fgets(to) {} => |line| { write(line, string(line)) }
    fgets_unlocked(to) {} => |line| { write(line, string(line)) }
    __fgets_chk(to) {} => |line| { write(line, string(line)) }
    __fgets_unlocked_chk(to) {} => |line| { write(line, string(line)) }
    gets(to) {} => |line| { write(line, string(line)) }
    fread(to, size, _, _) {} => |count| { write(to, size * count) }
    fread_unlocked(to, size, _, _) {} => |count| { write(to, size * count) }
    __fread_chk(to, _, size, _, _) {} => |count| { write(to, size * count) }
    __fread_unlocked_chk(to, _, size, _, _) {} => |count| { write(to, size * count) }
    fwrite(from, size, count, _) { read(from, size.saturating_mul(count)) }
    fwrite_unlocked(from, size, count, _) { read(from, size.saturating_mul(count)) }
    getline(buffer, size, _) {} => |count| { line(buffer, size, count) }
    getdelim(buffer, size, _, _) {} => |count| { line(buffer, size, count) }
    __getdelim(buffer, size, _, _) {} => |count| { line(buffer, size, count) }
    fopen(path, mode) { read(path, string(path)), read(mode, string(mode)) }
    fopen64(path, mode) { read(path, string(path)), read(mode, string(mode)) }
    popen(path, mode) { read(path, string(path)), read(mode, string(mode)) }
    freopen(path, mode, _) { read(path, string(path)), read(mode, string(mode)) }
    freopen64(path, mode, _) { read(path, string(path)), read(mode, string(mode)) }
    fdopen(_, mode) { read(mode, string(mode)) }
    system(command) { read(command, string(command)) }
    fgetc(_) {}
    getc(_) {}
    fputc(_, _) {}
    putc(_, _) {}
    fflush(_) {}
    fclose(_) {}
    fgetpos(_, to) {} => |result| { write(to, done(result, size_of::<libc::fpos_t>())) }
    fgetpos64(_, to) {} => |result| { write(to, done(result, size_of::<libc::fpos_t>())) }
    fsetpos(_, from) { read(from, size_of::<libc::fpos_t>()) }
    fsetpos64(_, from) { read(from, size_of::<libc::fpos_t>()) }
    tmpnam(to) {} => |name| { shares_unless(to, &NAME, name, string(name)) }

    // Descriptors.
    read(_, to, _) {} => |count| { write(to, signed(count)) }
    recv(_, to, _) {} => |count| { write(to, signed(count)) }
    __read_chk(_, to, _) {} => |count| { write(to, signed(count)) }
    __recv_chk(_, to, _) {} => |count| { write(to, signed(count)) }
    pread(_, to, _) {} => |count| { write(to, signed(count)) }
    pread64(_, to, _) {} => |count| { write(to, signed(count)) }
    __pread_chk(_, to, _) {} => |count| { write(to, signed(count)) }
    __pread64_chk(_, to, _) {} => |count| { write(to, signed(count)) }
    write(_, from, n) { read(from, n) }
    send(_, from, n) { read(from, n) }
    pwrite(_, from, n) { read(from, n) }
    pwrite64(_, from, n) { read(from, n) }
    readv(_, vector, count) { reads_vector(vector, count) } => |size| { scatters(vector, count, signed(size)) }
    preadv(_, vector, count, _) { reads_vector(vector, count) } => |size| { scatters(vector, count, signed(size)) }
    writev(_, vector, count) { gathers(vector, count) }
    pwritev(_, vector, count, _) { gathers(vector, count) }
    recvfrom(_, to, _, _, address, length) {} => |count| { write(to, signed(count)), address(address, length, count) }
    sendto(_, from, n, _, address, length) { read(from, n), read(address, length as u32 as usize) }
    recvmsg(_, message, _) { awaits(message) } => |count| { receives(message, count) }
    sendmsg(_, message, _) { sends(message) }
    bind(_, address, length) { read(address, length as u32 as usize) }
    connect(_, address, length) { read(address, length as u32 as usize) }
    accept(_, address, length) {} => |result| { address(address, length, result as i32 as isize as usize) }
    getsockname(_, address, length) {} => |result| { address(address, length, result as i32 as isize as usize) }
    getpeername(_, address, length) {} => |result| { address(address, length, result as i32 as isize as usize) }
    accept4(_, address, length, _) {} => |result| { address(address, length, result as i32 as isize as usize) }
    setsockopt(_, _, _, value, length) { read(value, length as u32 as usize) }
    getsockopt(_, _, _, value, length) {} => |result| { address(value, length, result as i32 as isize as usize) }
    pipe(to) {} => |result| { write(to, done(result, 8)) }
    pipe2(to, _) {} => |result| { write(to, done(result, 8)) }
    socketpair(_, _, _, to) {} => |result| { write(to, done(result, 8)) }
    poll(list, count, _) { polls(list, count) }
    __poll_chk(list, count, _, _) { polls(list, count) }
    ppoll(list, count, time, mask) { polls(list, count), read(time, TIMESPEC), read(mask, MASK) }
    __ppoll_chk(list, count, time, mask, _) { polls(list, count), read(time, TIMESPEC), read(mask, MASK) }
    select(count, ready, room, news, time) { awaits_sets(count, ready, room, news), read(time, TIMEVAL) } => |result| { fills_sets(result, count, ready, room, news), write(time, TIMEVAL) }
    pselect(count, ready, room, news, time, mask) { awaits_sets(count, ready, room, news), read(time, TIMESPEC), read(mask, MASK) } => |result| { fills_sets(result, count, ready, room, news) }
    epoll_ctl(_, operation, _, event) { read(event, if operation as i32 == libc::EPOLL_CTL_DEL { 0 } else { EVENT }) }
    epoll_wait(_, events, _, _) {} => |count| { write(events, EVENT * int(count)) }
    epoll_pwait(_, events, _, _, mask) { read(mask, MASK) } => |count| { write(events, EVENT * int(count)) }

    // Files.
    open(path) { read(path, string(path)) }
    open64(path) { read(path, string(path)) }
    creat(path) { read(path, string(path)) }
    access(path) { read(path, string(path)) }
    chdir(path) { read(path, string(path)) }
    mkdir(path) { read(path, string(path)) }
    rmdir(path) { read(path, string(path)) }
    unlink(path) { read(path, string(path)) }
    remove(path) { read(path, string(path)) }
    chmod(path) { read(path, string(path)) }
    truncate(path) { read(path, string(path)) }
    opendir(path) { read(path, string(path)) }
    openat(_, path) { read(path, string(path)) }
    openat64(_, path) { read(path, string(path)) }
    unlinkat(_, path) { read(path, string(path)) }
    mkdirat(_, path) { read(path, string(path)) }
    faccessat(_, path) { read(path, string(path)) }
    rename(from, to) { read(from, string(from)), read(to, string(to)) }
    link(from, to) { read(from, string(from)), read(to, string(to)) }
    symlink(from, to) { read(from, string(from)), read(to, string(to)) }
    stat(path, to) { read(path, string(path)) } => |result| { write(to, done(result, STAT)) }
    stat64(path, to) { read(path, string(path)) } => |result| { write(to, done(result, STAT)) }
    lstat(path, to) { read(path, string(path)) } => |result| { write(to, done(result, STAT)) }
    lstat64(path, to) { read(path, string(path)) } => |result| { write(to, done(result, STAT)) }
    fstat(_, to) {} => |result| { write(to, done(result, STAT)) }
    fstat64(_, to) {} => |result| { write(to, done(result, STAT)) }
    fstatat(_, path, to, _) { read(path, string(path)) } => |result| { write(to, done(result, STAT)) }
    fstatat64(_, path, to, _) { read(path, string(path)) } => |result| { write(to, done(result, STAT)) }
    getcwd(to, _) {} => |path| { write(path, string(path)) }
    __getcwd_chk(to, _, _) {} => |path| { write(path, string(path)) }
    realpath(path, to) { read(path, string(path)) } => |result| { write(result, string(result)) }
    __realpath_chk(path, to, _) { read(path, string(path)) } => |result| { write(result, string(result)) }
    readlink(path, to) { read(path, string(path)) } => |count| { write(to, signed(count)) }
    __readlink_chk(path, to) { read(path, string(path)) } => |count| { write(to, signed(count)) }
    readlinkat(_, path, to, _) { read(path, string(path)) } => |count| { write(to, signed(count)) }
    gethostname(to, n) {} => |result| { write(to, done(result, up_to(to, n))) }
    uname(to) {} => |result| { write(to, done(result, size_of::<libc::utsname>())) }
    readdir(_) {} => |entry| { write(entry, entry_size(entry)) }
    readdir64(_) {} => |entry| { write(entry, entry_size(entry)) }
    mkstemp(name) { read(name, string(name)) } => |result| { write(unique(name), 6) }
    mkstemp64(name) { read(name, string(name)) } => |result| { write(unique(name), 6) }
    mkdtemp(name) { read(name, string(name)) } => |result| { write(unique(name), 6) }

    // Time.
    time(to) { write(to, size_of::<libc::time_t>()) }
    gettimeofday(to, _) { write(to, size_of::<libc::timeval>()) }
    clock_gettime(_, to) {} => |result| { write(to, done(result, TIMESPEC)) }
    clock_getres(_, to) {} => |result| { write(to, done(result, TIMESPEC)) }
    timespec_get(to, _) {} => |base| { write(to, given(base, TIMESPEC)) }
    nanosleep(time, left) { read(time, TIMESPEC) } => |result| { write(left, if result as i32 == 0 { 0 } else { TIMESPEC }) }
    clock_nanosleep(_, _, time, left) { read(time, TIMESPEC) } => |result| { write(left, if result as i32 == libc::EINTR { TIMESPEC } else { 0 }) }
    localtime(time) { read(time, size_of::<libc::time_t>()), looks_at(&ENVIRONMENT) } => |date| { shares(&CALENDAR, date, TM) }
    gmtime(time) { read(time, size_of::<libc::time_t>()) } => |date| { shares(&CALENDAR, date, TM) }
    localtime_r(time, to) { read(time, size_of::<libc::time_t>()), looks_at(&ENVIRONMENT) } => |date| { write(date, TM) }
    gmtime_r(time, to) { read(time, size_of::<libc::time_t>()) } => |date| { write(date, TM) }
    asctime(date) { read(date, TM) } => |text| { shares(&DATE, text, string(text)) }
    ctime(time) { read(time, size_of::<libc::time_t>()), looks_at(&ENVIRONMENT) } => |text| { shares(&DATE, text, string(text)) }
    asctime_r(date, to) { read(date, TM) } => |text| { write(text, string(text)) }
    ctime_r(time, to) { read(time, size_of::<libc::time_t>()), looks_at(&ENVIRONMENT) } => |text| { write(text, string(text)) }
    strftime(to, n, format, date) { read(format, string(format)), read(date, TM) } => |size| { write(to, given(size, size + 1)) }
    strptime(s, format, to) { read(format, string(format)) } => |end| { read(s, given(end, end.wrapping_sub(s) + 1)), write(to, given(end, TM)) }
    mktime(date) { write(date, TM), looks_at(&ENVIRONMENT) }
    timegm(date) { write(date, TM) }
    timelocal(date) { write(date, TM) }
    times(to) { write(to, size_of::<libc::tms>()) }
    getrusage(_, to) {} => |result| { write(to, done(result, size_of::<libc::rusage>())) }

    // The environment.
    getopt(count, list, letters) { options(count, list, letters) }
    getopt_long(count, list, letters, _, _) { options(count, list, letters) }
    getopt_long_only(count, list, letters, _, _) { options(count, list, letters) }
    getenv(name) { read(name, string(name)), looks_at(&ENVIRONMENT) }
    secure_getenv(name) { read(name, string(name)), looks_at(&ENVIRONMENT) }
    setenv(name, value, _) { read(name, string(name)), read(value, string(value)), changes(&ENVIRONMENT) }
    putenv(s) { read(s, string(s)), changes(&ENVIRONMENT) }
    unsetenv(name) { read(name, string(name)), changes(&ENVIRONMENT) }
    clearenv() { changes(&ENVIRONMENT) }
    setlocale(_, name) { read(name, string(name)), locale(name) }

    // Results and state that all calls share.
    drand48() { changes(&RANDOM48) }
    lrand48() { changes(&RANDOM48) }
    mrand48() { changes(&RANDOM48) }
    srand48(_) { changes(&RANDOM48) }
    erand48(numbers) { write(numbers, 6) }
    nrand48(numbers) { write(numbers, 6) }
    jrand48(numbers) { write(numbers, 6) }
    rand_r(seed) { write(seed, 4) }
    getpwnam(name) { read(name, string(name)) } => |found| { shares(&PASSWD, found, size_of::<libc::passwd>()) }
    getpwuid(_) {} => |found| { shares(&PASSWD, found, size_of::<libc::passwd>()) }
    getgrnam(name) { read(name, string(name)) } => |found| { shares(&GROUP, found, size_of::<libc::group>()) }
    getgrgid(_) {} => |found| { shares(&GROUP, found, size_of::<libc::group>()) }
    gethostbyname(name) { read(name, string(name)) } => |found| { shares(&HOST, found, size_of::<libc::hostent>()) }

    // Mathematics: results through pointers.
    frexp(exponent) { write(exponent, 4) }
    modf(whole) { write(whole, 8) }
    sincos(sin, cos) { write(sin, 8), write(cos, 8) }
    remquo(quotient) { write(quotient, 4) }
    lgamma_r(sign) { write(sign, 4) }
    frexpf(exponent) { write(exponent, 4) }
    modff(whole) { write(whole, 4) }
    sincosf(sin, cos) { write(sin, 4), write(cos, 4) }
    remquof(quotient) { write(quotient, 4) }
    lgammaf_r(sign) { write(sign, 4) }
    frexpl(exponent) { write(exponent, 4) }
    modfl(whole) { write(whole, 16) }
    sincosl(sin, cos) { write(sin, 16), write(cos, 16) }
    remquol(quotient) { write(quotient, 4) }
    lgammal_r(sign) { write(sign, 4) }
}
