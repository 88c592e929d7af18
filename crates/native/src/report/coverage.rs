//! What the verdict of a run rests on: which modules of the process are instrumented, whether
//! anything ran in parallel, in teams of which sizes.
//!
//! What the compiler driver knew, units without `-fopenmp` and objects without instrumentation, is
//! in ELF notes of each module ([`Note`]). Shared libraries are those that are loaded at the end of
//! the run, and those that were before the program closed one: one that calls `__tsan_…` is
//! instrumented.

use crate::detect::{detector, policy};
use crate::process::{self, is_shared};
use crate::report::{is_search, state};
use raceproof_core::finding::{Coverage, FrontEnd, Note, PartKind, Uninstrumented};
use std::ffi::{CStr, c_int, c_void};
use std::path::Path;
use std::slice;

/// Sizes that teams have had, ascending.
#[derive(Default)]
pub(crate) struct Teams {
    sizes: Vec<u32>,
    /// Mostly all teams have the same size.
    last: u32,
    bounds: Vec<SizeBound>,
}

/// Why a verdict holds for the sizes of the teams that ran, and not for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SizeBound {
    /// The program has asked by this routine how many threads there are.
    Size(&'static str),
    /// The program has asked by this routine on which thread it runs.
    Thread(&'static str),
    /// `masked` with a filter that is not the primary thread.
    Filter,
    /// Nothing marks the iterations of a loop.
    Unmarked,
    Nested,
    ThreadLimit,
    /// A region had one thread, or a league one team, which the program leaves open.
    Alone(&'static str),
    /// The options ask for it.
    Asked,
}

impl SizeBound {
    fn words(self) -> String {
        match self {
            SizeBound::Size(routine) | SizeBound::Thread(routine) => format!("the program calls {routine}"),
            SizeBound::Filter => "a `filter` clause names a thread".to_owned(),
            SizeBound::Unmarked => "the compiler does not mark the iterations of a loop".to_owned(),
            SizeBound::Nested => "a nested region ran with one thread".to_owned(),
            SizeBound::ThreadLimit => "a thread limit made a team smaller".to_owned(),
            SizeBound::Alone(what) => what.to_owned(),
            SizeBound::Asked => "--sizes ran".to_owned(),
        }
    }
}

impl Teams {
    pub(crate) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The verdict holds for the sizes that ran only.
    pub(crate) fn bound(&mut self, why: SizeBound) {
        if !self.bounds.contains(&why) {
            self.bounds.push(why);
        }
    }

    /// Whether the program has asked how many threads there are.
    pub(crate) fn is_size_queried(&self) -> bool {
        self.bounds.iter().any(|why| matches!(why, SizeBound::Size(_)))
    }

    /// A team runs.
    #[inline]
    pub(crate) fn ran(&mut self, size: u32) {
        if self.last != size {
            self.last = size;
            if let Err(at) = self.sizes.binary_search(&size) {
                self.sizes.insert(at, size);
            }
        }
    }
}

/// What is known of modules that may not be loaded any more.
#[derive(Default)]
pub(crate) struct Closed {
    notes: Coverage,
    system: Vec<String>,
}

/// The program is about to close a library: what is loaded now is remembered.
pub(crate) fn closing() {
    let Closed { notes, system } = &mut state().closed;
    look_at_modules(notes, system);
}

/// What was observed up to now. `complete`: the program has come to its end.
pub(crate) fn observed(complete: bool) -> Coverage {
    let options = &process::state().options;
    let mut coverage = Coverage {
        front_end: match () {
            () if is_shared() => FrontEnd::Rayon,
            () if state().uses_hclib => FrontEnd::Hclib,
            () => FrontEnd::Openmp,
        },
        complete,
        parallel: Some(detector().statistics().0 > 1 + u64::from(options.harness) || state().has_lanes),
        teams: state().teams.sizes.clone(),
        all_sizes: state().teams.bounds.is_empty() && !is_shared() && !is_search(),
        sizes_bound_by: state().teams.bounds.iter().map(|why| why.words()).collect(),
        blinded_by: if options.detect { Vec::new() } else { vec!["detect=off".to_owned()] },
        unsplit: state().found.unsplit(),
        one_deal: state().one_deal,
        no_spurious_wakeups: state().no_spurious_wakeups,
        assignments: if policy::depends_on_assignment() { vec![options.assignment] } else { Vec::new() },
        ..state().closed.notes.clone()
    };
    let mut system = state().closed.system.clone();
    look_at_modules(&mut coverage, &mut system);
    if !system.is_empty() {
        add(&mut coverage, PartKind::System, "system libraries", system);
    }
    if is_shared() {
        let parts = vec!["functions that are not generic".to_owned()];
        add(&mut coverage, PartKind::StandardLibrary, "the Rust standard library", parts);
    }
    coverage
}

/// Notes the modules that are loaded now; `system`: names of the system's libraries, sorted.
fn look_at_modules(coverage: &mut Coverage, system: &mut Vec<String>) {
    let mut modules = Modules { coverage, system };
    // SAFETY: the function below gets the pointer it expects, while it is valid.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut modules).cast()) };
    system.sort();
    system.dedup();
}

fn add(coverage: &mut Coverage, kind: PartKind, name: &str, parts: Vec<String>) {
    coverage.note(Note::Uninstrumented(Uninstrumented { kind, name: name.to_owned(), parts }));
}

struct Modules<'a> {
    coverage: &'a mut Coverage,
    system: &'a mut Vec<String>,
}

/// Folders of libraries that come with the system; others are the user's.
const SYSTEM: [&str; 5] = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/libexec/"];

/// Whether an address is in a library of the system.
pub(crate) fn is_of_system(address: usize) -> bool {
    // SAFETY: asks the linker about an address; it writes the description, whose name is a string of
    // the module's.
    let name = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return false;
        }
        CStr::from_ptr(info.dli_fname)
    };
    let name = name.to_string_lossy();
    SYSTEM.iter().any(|folder| name.starts_with(folder))
}

/// Our own library, where it is one.
const OWN: &str = "libraceproof_native.so";

/// Looks at one module of the process.
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, modules: *mut c_void) -> c_int {
    // SAFETY: the linker describes a loaded module; the pointer is the one `observed` passes.
    let (info, modules) = unsafe { (&*info, &mut *modules.cast::<Modules<'_>>()) };
    // SAFETY: its headers are in memory, that many.
    let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let of_kind = |kind: u32| headers.iter().filter(move |header| header.p_type == kind);
    for header in of_kind(libc::PT_NOTE) {
        let from = info.dlpi_addr as usize + header.p_vaddr as usize;
        // SAFETY: the segment is loaded and only read.
        let bytes = unsafe { slice::from_raw_parts(from as *const u8, header.p_memsz as usize) };
        notes(bytes, |note| modules.coverage.note(note));
    }
    // SAFETY: a string, or nothing.
    let name = if info.dlpi_name.is_null() { c"" } else { unsafe { CStr::from_ptr(info.dlpi_name) } };
    let name = name.to_string_lossy();
    let file = Path::new(&*name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    // The executable has no name, the kernel's module no path.
    if !name.contains('/') || file.starts_with(OWN) {
        return 0;
    }
    let tables = of_kind(libc::PT_DYNAMIC).map(|header| info.dlpi_addr as usize + header.p_vaddr as usize);
    if SYSTEM.iter().any(|folder| name.starts_with(folder)) {
        modules.system.push(file);
    } else if file.starts_with("libstd-") {
        add(modules.coverage, PartKind::StandardLibrary, "the Rust standard library", vec![file]);
    // SAFETY: the address of the module's dynamic section.
    } else if !tables.into_iter().any(|at| unsafe { calls_us(at, info.dlpi_addr as usize) }) {
        add(modules.coverage, PartKind::Library, &name, Vec::new());
    }
    0
}

/// Whether a module names functions that instrumented code calls.
///
/// # Safety
/// `dynamic` is the address of the dynamic section of a loaded module, whose first byte is at
/// `base`.
unsafe fn calls_us(dynamic: usize, base: usize) -> bool {
    const STRTAB: u64 = 5;
    const STRSZ: u64 = 10;
    let (mut table, mut size) = (0, 0);
    let mut entry = dynamic as *const [u64; 2];
    loop {
        // SAFETY: the entries end with one of kind 0, and none before was.
        let [kind, value] = unsafe { *entry };
        match kind {
            0 => break,
            STRTAB => table = value as usize,
            STRSZ => size = value as usize,
            _ => {}
        }
        // SAFETY: it was not the last.
        entry = unsafe { entry.add(1) };
    }
    // The C library has made the address an absolute one, unless the section cannot be written.
    let table = if table < base { table + base } else { table };
    // SAFETY: the names of the module's symbols, loaded with it.
    let names = unsafe { slice::from_raw_parts(table as *const u8, size) };
    names.windows(INSTRUMENTED.len()).any(|name| name == INSTRUMENTED)
}

/// Every unit that is instrumented calls it.
const INSTRUMENTED: &[u8] = b"\0__tsan_init\0";

/// Our notes in a segment of them.
fn notes(mut bytes: &[u8], mut found: impl FnMut(Note)) {
    let word = |bytes: &[u8], at: usize| {
        Some(u32::from_ne_bytes(bytes.get(at * 4..at * 4 + 4)?.try_into().ok()?) as usize)
    };
    while let (Some(owner), Some(size), Some(kind)) = (word(bytes, 0), word(bytes, 1), word(bytes, 2)) {
        let text = 12 + owner.next_multiple_of(4);
        let Some(content) = bytes.get(text..text + size) else { return };
        let is_ours = kind as u32 == Note::TYPE
            && bytes[12..].strip_prefix(Note::OWNER.as_bytes()).is_some_and(|rest| rest.first() == Some(&0));
        if is_ours && let Ok(note) = serde_json::from_slice(content) {
            found(note);
        }
        bytes = bytes.get(text + size.next_multiple_of(4)..).unwrap_or_default();
    }
}
