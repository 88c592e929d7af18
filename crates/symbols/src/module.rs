//! One module of a process: the executable or a shared library.

use super::debug::Debug;
use super::locals::{End, Local};
use super::names::{demangled, is_library, is_runtime, is_rust};
use super::paths::Path;
use super::sites::{Site, Sites};
use super::types::Part;
use super::{Frame, Variable, arrays, fortran, fortran_locals};
use addr2line::{Loader, gimli};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::Place;
use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;

/// Whose code a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Program,
    /// In a Rust program: the standard library, or what rayon does on the way to the program's
    /// closures.
    Library,
    Runtime,
}

/// Which language the program is in, and so whose code in Rust is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    /// The runtime is the only part in Rust.
    C,
    /// The runtime is a library of its own.
    Rust,
}

/// The runtime beside a Rust program.
const LIBRARY: &str = "libraceproof_native.so";

impl Language {
    pub(super) fn of(modules: &[Module]) -> Language {
        if modules.iter().any(Module::is_runtime) { Language::Rust } else { Language::C }
    }

    fn kind(self, name: &str, in_rust: bool, file: &str) -> Kind {
        match self {
            Language::C if in_rust || is_runtime(name) => Kind::Runtime,
            Language::Rust if is_library(name, file) => Kind::Library,
            _ => Kind::Program,
        }
    }
}

/// Bases that the frame around an address may have, and the functions called there, where the calls
/// name them.
type Ends = [(usize, Option<usize>)];

pub(super) struct Module {
    path: PathBuf,
    /// Where its first mapping begins.
    pub(super) start: u64,
    /// Which part of the file that mapping shows.
    offset: u64,
    contents: OnceCell<Option<Contents>>,
    /// What is known of variables and types, which most addresses are not asked for.
    debug: OnceCell<Option<Debug>>,
}

/// What is read from its file.
struct Contents {
    /// What is added to an address in the file to get the one in memory.
    bias: u64,
    /// Where its last segment ends in memory; variables without initial value stand beyond what is
    /// mapped of the file.
    end: u64,
    lines: Option<Loader>,
    /// By address in the file.
    variables: Vec<Symbol>,
    sites: Sites,
    /// Whether a part of it was compiled by flang.
    has_fortran: bool,
}

struct Symbol {
    address: u64,
    size: u64,
    name: String,
}

/// The modules of a memory map, by address.
pub(super) fn in_maps(maps: &str) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    for line in maps.lines() {
        let Some((start, offset, path)) = mapping(line) else { continue };
        if !modules.iter().any(|known| known.path == path) {
            modules.push(Module { path, start, offset, contents: OnceCell::new(), debug: OnceCell::new() });
        }
    }
    modules.sort_by_key(|module| module.start);
    modules
}

/// `start-end perms offset device inode path`; none if no file is mapped.
fn mapping(line: &str) -> Option<(u64, u64, PathBuf)> {
    let mut rest = line;
    let mut field = || {
        let (field, after) = rest.trim_start().split_once(' ')?;
        rest = after;
        Some(field)
    };
    let (range, _perms, offset, _device, _inode) = (field()?, field()?, field()?, field()?, field()?);
    let path = rest.trim_start();
    let number = |text| u64::from_str_radix(text, 16).ok();
    path.starts_with('/').then_some(())?;
    Some((number(range.split('-').next()?)?, number(offset)?, path.into()))
}

/// How many bytes away a line is looked for.
const NEARBY: u64 = 96;

impl Module {
    /// Whether it comes with the system.
    pub(super) fn is_of_system(&self) -> bool {
        ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].iter().any(|folder| self.path.starts_with(folder))
    }

    /// The functions at an address. The optimiser gives no line to code that represents several;
    /// then the nearest line of the same function has to do.
    pub(super) fn frames(&self, address: u64, language: Language) -> Vec<(Frame, Kind)> {
        let found = self.frames_at(address, language);
        let Some((inner, _)) = found.first().filter(|(inner, _)| inner.line == 0 && !inner.file.is_empty())
        else {
            return found;
        };
        let nearby = (1..=NEARBY).flat_map(|by| [address.saturating_sub(by), address.saturating_add(by)]);
        let with_line = nearby.map(|address| self.frames_at(address, language)).find(|other| {
            other.first().is_some_and(|(other, _)| other.line != 0 && other.function == inner.function)
        });
        with_line.unwrap_or(found)
    }

    fn is_runtime(&self) -> bool {
        self.path.file_name().is_some_and(|name| name == LIBRARY)
    }

    fn frames_at(&self, address: u64, program: Language) -> Vec<(Frame, Kind)> {
        if self.is_runtime() {
            let unknown = Frame { function: "?".to_owned(), file: String::new(), line: 0, column: 0 };
            return vec![(unknown, Kind::Runtime)];
        }
        let Some(contents) = self.contents().filter(|contents| address < contents.end) else {
            return Vec::new();
        };
        let probe = address.wrapping_sub(contents.bias);
        let Some(lines) = &contents.lines else { return Vec::new() };
        let mut found = Vec::new();
        if let Ok(mut frames) = lines.find_frames(probe) {
            while let Ok(Some(frame)) = frames.next() {
                let language = frame.function.as_ref().and_then(|function| function.language);
                let name = frame.function.as_ref().and_then(|function| function.raw_name().ok());
                // Code without debug information still has its symbol.
                let name = name
                    .map(|name| name.into_owned())
                    .or_else(|| lines.find_symbol(probe).map(str::to_owned));
                let name = name.unwrap_or_else(|| "?".to_owned());
                let in_rust = language == Some(gimli::DW_LANG_Rust) || is_rust(&name);
                let is_fortran = language.is_some_and(|language| arrays::FORTRAN.contains(&language));
                let name = if is_fortran { fortran::procedure(&name) } else { name };
                let location = frame.location.as_ref();
                let frame = Frame {
                    function: demangled(&name),
                    file: location.and_then(|at| at.file).unwrap_or_default().to_owned(),
                    line: location.and_then(|at| at.line).unwrap_or(0),
                    column: location.and_then(|at| at.column).unwrap_or(0),
                };
                let kind = program.kind(&frame.function, in_rust, &frame.file);
                found.push((frame, kind));
            }
        }
        if found.is_empty()
            && let Some(name) = lines.find_symbol(probe)
        {
            let frame = Frame { function: demangled(name), file: String::new(), line: 0, column: 0 };
            let kind = program.kind(&frame.function, is_rust(name), "");
            found.push((frame, kind));
        }
        found
    }

    /// The accesses that the one of this kind at an address represents, if that is the site which
    /// is shown for it.
    pub(super) fn made_with(
        &self,
        address: u64,
        kind: AccessKind,
        shown: &Place,
    ) -> Vec<(AccessKind, Place)> {
        let Some(contents) = self.contents().filter(|contents| address < contents.end) else {
            return Vec::new();
        };
        let inner = || {
            let frame = contents
                .lines
                .as_ref()?
                .find_frames(address.wrapping_sub(contents.bias))
                .ok()?
                .next()
                .ok()??;
            let (function, at) = (frame.function?, frame.location?);
            let site = Site { kind, line: at.line?, column: at.column? };
            let is_shown = (site.line, site.column) == (shown.line, shown.column);
            is_shown.then_some(contents.sites.others(at.file?, &function.raw_name().ok()?, site))
        };
        let others = inner().unwrap_or_default().into_iter();
        others
            .map(|Site { kind, line, column }| (kind, Place { file: shown.file.clone(), line, column }))
            .collect()
    }

    pub(super) fn variable(&self, address: u64) -> Option<Variable> {
        let contents = self.contents().filter(|contents| address < contents.end)?;
        let probe = address.wrapping_sub(contents.bias);
        let after = contents.variables.partition_point(|symbol| symbol.address <= probe);
        let symbol = contents.variables[..after].last()?;
        let offset = probe - symbol.address;
        if offset >= symbol.size {
            return None;
        }
        let name = match contents.has_fortran.then(|| fortran::common_block(&symbol.name)).flatten() {
            Some(block) => block,
            // What is in a namespace without a name is written without one.
            None => demangled(&symbol.name).replace("_GLOBAL__N_1::", ""),
        };
        Some(Variable { name, offset, size: symbol.size })
    }

    /// The part of a global variable that stands at an address, and the name that its declaration
    /// has, if a function declares it.
    pub(super) fn global_part(&self, address: u64) -> Option<(Option<String>, Part)> {
        let (debug, probe) = self.debug_at(address)?;
        let global = debug.global(probe)?;
        let unit = &debug.units[global.unit];
        let entry = unit.entry(global.entry).ok()?;
        let of = debug.type_of(unit, &entry)?;
        let into = probe - global.address;
        (into < debug.size(unit, of)?).then_some(())?;
        let name = if global.is_local { debug.name(unit, &entry) } else { None };
        Some((name, debug.part(unit, of, into)))
    }

    pub(super) fn local(&self, pc: u64, distance: i64) -> Option<Local> {
        let (debug, pc) = self.debug_at(pc)?;
        debug.local(pc, distance)
    }

    /// The local variable at an address that a path of the access at `pc` begins with.
    pub(super) fn declared_local(&self, pc: u64, path: &Path, address: u64, ends: &Ends) -> Option<Local> {
        let (debug, probe) = self.debug_at(pc)?;
        debug.declared_local(probe, path, &self.ends(address, ends))
    }

    /// The local variable of a function that stands at a distance from its frame, if the function
    /// is at one of these addresses.
    pub(super) fn local_of_callee(&self, pcs: &[usize], callee: u64, distance: i64) -> Option<Local> {
        let (debug, probe) = self.debug_at(callee)?;
        let bias = callee.wrapping_sub(probe);
        let probes: Vec<u64> = pcs.iter().map(|pc| (*pc as u64).wrapping_sub(bias + 1)).collect();
        debug.local_of_callee(&probes, probe, distance)
    }

    /// Ends of frames as the debug information has addresses, and how far they are from one of the
    /// process.
    fn ends(&self, address: u64, ends: &Ends) -> Vec<End> {
        let bias = self.contents().map_or(0, |contents| contents.bias);
        let end = |&(base, callee): &(usize, Option<usize>)| End {
            distance: address.wrapping_sub(base as u64) as i64,
            callee: callee.map(|callee| (callee as u64).wrapping_sub(bias)),
        };
        ends.iter().map(end).collect()
    }

    /// The access path of the code at an address.
    pub(super) fn path(&self, pc: u64) -> Option<&str> {
        let (debug, pc) = self.debug_at(pc)?;
        debug.path(pc)
    }

    /// The debug information, and an address as it has it.
    fn debug_at(&self, address: u64) -> Option<(&Debug, u64)> {
        let contents = self.contents().filter(|contents| address < contents.end)?;
        let read = || Debug::read(&object::File::parse(&*fs::read(&self.path).ok()?).ok()?);
        Some((self.debug.get_or_init(read).as_ref()?, address.wrapping_sub(contents.bias)))
    }

    /// An element of a static array of Fortran, as the program would write it.
    pub(super) fn element(&self, address: u64) -> Option<String> {
        let contents = self.contents().filter(|contents| contents.has_fortran)?;
        let bytes = fs::read(&self.path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        arrays::of_static(&file, address.wrapping_sub(contents.bias))
    }

    /// The array of Fortran that the statement at a line of a source allocates a block for, and
    /// what is so far into it.
    pub(super) fn of_block(
        &self,
        source: &std::path::Path,
        line: u32,
        into: u64,
    ) -> Option<(String, String)> {
        self.contents().filter(|contents| contents.has_fortran)?;
        let bytes = fs::read(&self.path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        arrays::of_block(&file, source, line, into)
    }

    /// Whether the code at an address was compiled by flang.
    pub(super) fn is_fortran(&self, pc: u64) -> bool {
        let language = || {
            let contents = self.contents().filter(|contents| contents.has_fortran && pc < contents.end)?;
            let frames = contents.lines.as_ref()?.find_frames(pc.wrapping_sub(contents.bias));
            frames.ok()?.next().ok()??.function?.language
        };
        language().is_some_and(|language| arrays::FORTRAN.contains(&language))
    }

    pub(super) fn fortran_local(&self, pc: u64, distance: i64) -> Option<(String, u64, Option<String>)> {
        let contents = self.contents().filter(|contents| contents.has_fortran && pc < contents.end)?;
        let bytes = fs::read(&self.path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        fortran_locals::find(&file, pc.wrapping_sub(contents.bias), distance)
    }

    pub(super) fn exported_functions(&self) -> Vec<(usize, String)> {
        let (Some(contents), Ok(bytes)) = (self.contents(), fs::read(&self.path)) else { return Vec::new() };
        let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
        let exported = file
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition() && symbol.kind() == SymbolKind::Text);
        let at = |address: u64| address.wrapping_add(contents.bias) as usize;
        let mut functions: Vec<(usize, String)> = exported
            .filter_map(|symbol| Some((at(symbol.address()), symbol.name().ok()?.to_owned())))
            .collect();
        functions.sort_unstable();
        functions
    }

    pub(super) fn read_ahead(&self) {
        self.debug_at(self.start);
    }

    fn contents(&self) -> Option<&Contents> {
        self.contents.get_or_init(|| self.read()).as_ref()
    }

    fn read(&self) -> Option<Contents> {
        let bytes = fs::read(&self.path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        // The segment of which the first mapping shows the beginning; mappings begin at pages,
        // segments need not.
        const PAGE: u64 = 4096;
        let first = file.segments().find(|segment| {
            let (offset, size) = segment.file_range();
            (offset / PAGE * PAGE..offset + size.max(1)).contains(&self.offset)
        })?;
        let at = first.address().wrapping_add(self.offset).wrapping_sub(first.file_range().0);
        let bias = self.start.wrapping_sub(at);
        let end = file.segments().map(|segment| segment.address().saturating_add(segment.size())).max()?;
        let variables = file.symbols().chain(file.dynamic_symbols()).filter(|symbol| {
            symbol.is_definition() && symbol.kind() == SymbolKind::Data && symbol.size() > 0
        });
        let mut variables: Vec<Symbol> = variables
            .filter_map(|symbol| {
                let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_owned();
                Some(Symbol { address: symbol.address(), size: symbol.size(), name })
            })
            .collect();
        variables.sort_by(|a, b| (a.address, a.size, &a.name).cmp(&(b.address, b.size, &b.name)));
        variables.dedup_by_key(|symbol| symbol.address);
        let sites = file.section_by_name(".raceproof.sites").and_then(|section| section.data().ok());
        let sites = sites.map(Sites::parse).unwrap_or_default();
        let lines = Loader::new(&self.path).ok();
        let has_fortran = arrays::has_fortran(&file);
        Some(Contents { bias, end: bias.wrapping_add(end), lines, variables, sites, has_fortran })
    }
}
