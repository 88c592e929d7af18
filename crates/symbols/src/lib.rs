//! From addresses of the running program to what its author wrote: functions, files, lines,
//! variables.
//!
//! The modules of the process are known from its memory map; each is read when an address in it is
//! first asked about. What cannot be read (no debug information, a file that is gone) gives unknown
//! names, never an error: a report without names is better than none.

#![forbid(unsafe_code)]

mod arrays;
mod debug;
mod declared;
mod fortran;
mod fortran_locals;
mod locals;
mod module;
mod names;
mod paths;
pub mod raw;
mod sites;
mod sums;
mod types;

pub use names::type_name;
pub use sums::unchanged;
pub use types::Scalar;

use locals::Local;
use module::{Kind, Language, Module};
use paths::Path as AccessPath;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{self, Place};
use std::env;
use std::path::{Path, PathBuf};
use std::{fs, iter};
use types::Part;

/// A function, and where in it the execution was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Demangled; `?` where it is not known.
    pub function: String,
    /// As the compiler was given it, relative to the working folder if it is below that; empty
    /// where it is not known.
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A global variable, and where in it an address is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub offset: u64,
    pub size: u64,
}

/// The symbols of a process.
pub struct Symbols {
    /// By address.
    modules: Vec<Module>,
    language: Language,
    folder: PathBuf,
}

impl Symbols {
    /// Those of this process. Libraries loaded later are not among them: load again.
    pub fn load() -> Symbols {
        Symbols::from_maps(&fs::read_to_string("/proc/self/maps").unwrap_or_default())
    }

    /// Those of a process with this memory map, in the format of `/proc/PID/maps`.
    pub fn from_maps(maps: &str) -> Symbols {
        // As the kernel knows it, without links. (`canonicalize` would use the heap of a program
        // that may have crashed over it.)
        let folder = env::current_dir().unwrap_or_default();
        Symbols::from_maps_in(maps, folder)
    }

    /// The same, with files named from a folder.
    pub fn from_maps_in(maps: &str, folder: PathBuf) -> Symbols {
        let modules = module::in_maps(maps);
        Symbols { language: Language::of(&modules), modules, folder }
    }

    /// Reads all modules at once, as long as they can be read.
    pub fn read_all(&self) {
        self.modules.iter().for_each(Module::read_ahead);
    }

    /// The functions at the call that returns to `pc`, innermost first: those inlined there, then
    /// the one they are inlined into. Never empty.
    pub fn frames(&self, pc: usize) -> Vec<Frame> {
        self.all_frames(pc).into_iter().map(|(frame, _)| frame).collect()
    }

    /// The call stack of an access, given as the address its call of the runtime returns to and the
    /// return addresses of the calls that led there, innermost first. Ends where the runtime called
    /// the program; what the compiler wrapped around the body of a construct is left out, and so
    /// are the libraries of a Rust program, unless they are all there is.
    pub fn stack(&self, pcs: impl IntoIterator<Item = usize>) -> Vec<Frame> {
        let mut pcs: Vec<usize> = pcs.into_iter().collect();
        // A thread begins in a library of the system.
        let is_of_system = |pc: usize| self.module(pc).is_some_and(Module::is_of_system);
        while pcs.len() > 1 && pcs.last().is_some_and(|&last| is_of_system(last)) {
            pcs.pop();
        }
        let all = pcs.into_iter().flat_map(|pc| self.all_frames(pc));
        // What the program has called may be a function of the runtime, in the place of a
        // library's.
        let all = all.skip_while(|(_, kind)| *kind == Kind::Runtime);
        let mut all: Vec<_> = all.take_while(|(_, kind)| *kind != Kind::Runtime).collect();
        if all.iter().any(|(_, kind)| *kind == Kind::Program) {
            all.retain(|(_, kind)| *kind == Kind::Program);
        }

        names::tidy(all.into_iter().map(|(frame, _)| frame))
    }

    /// Whether any of a call stack is the program's own.
    pub fn is_own(&self, pcs: impl IntoIterator<Item = usize>) -> bool {
        let mut all = pcs.into_iter().flat_map(|pc| self.all_frames(pc));
        all.any(|(_, kind)| kind == Kind::Program)
    }

    /// As [`Symbols::stack`], in the form of a finding: the place of the access, and the calls that
    /// led there.
    pub fn site(&self, pcs: impl IntoIterator<Item = usize>) -> (Place, Vec<finding::Frame>) {
        let frames = self.stack(pcs).into_iter();
        finding::place_and_calls(
            frames.map(|Frame { function, file, line, column }| (function, Place { file, line, column })),
        )
    }

    /// The accesses that the one of this kind at this site, whose call returns to `pc`, represents:
    /// each is made whenever it is, in the same step.
    fn made_with(&self, pc: usize, kind: AccessKind, at: &Place) -> Vec<(AccessKind, Place)> {
        let probe = pc.saturating_sub(1);
        self.module(probe).map(|module| module.made_with(probe as u64, kind, at)).unwrap_or_default()
    }

    /// The global variable an address is in.
    pub fn variable(&self, address: usize) -> Option<Variable> {
        self.module(address)?.variable(address as u64)
    }

    /// Which part of a global variable an address is, and the variable's name in the function that
    /// declares it.
    fn global_part(&self, address: usize) -> Option<(Option<String>, Part)> {
        self.module(address)?.global_part(address as u64)
    }

    /// How to read the number that begins at an address, in a global variable or in a frame of the
    /// function at `pc` with this base, if it is known.
    pub fn scalar(&self, address: usize, frame: Option<(usize, usize)>) -> Option<Scalar> {
        if let Some((_, part)) = self.global_part(address) {
            return part.scalar;
        }
        let (pc, base) = frame?;
        self.local(pc, (address as i64).wrapping_sub(base as i64))?.part.scalar
    }

    /// The local variable of the function at `pc` that stands at a distance from its frame.
    fn local(&self, pc: usize, distance: i64) -> Option<Local> {
        self.module(pc)?.local(pc as u64, distance)
    }

    /// The local variable that a path of the access at `pc` begins with, if it is at an address:
    /// its function's frame is one of these.
    fn declared_local(
        &self,
        pc: usize,
        path: &AccessPath,
        address: usize,
        ends: &[(usize, Option<usize>)],
    ) -> Option<Local> {
        self.module(pc)?.declared_local(pc as u64, path, address as u64, ends)
    }

    /// The local variable at an address, of a function that is at one of these.
    fn local_of_callee(
        &self,
        pcs: &[usize],
        address: usize,
        ends: &[(usize, Option<usize>)],
    ) -> Option<Local> {
        // What calls have left on the stack may be of any module.
        ends.iter().find_map(|&(base, callee)| {
            let distance = (address as i64).wrapping_sub(base as i64);
            self.module(callee?)?.local_of_callee(pcs, callee? as u64, distance)
        })
    }

    /// A part as the source writes it.
    fn written<'a>(&self, part: &'a Part) -> &'a str {
        if self.language == Language::Rust { names::without_cells(&part.suffix) } else { &part.suffix }
    }

    /// What the source calls the memory of the access whose call of the runtime returns to `pc`.
    fn path(&self, pc: usize) -> Option<AccessPath> {
        let probe = pc.saturating_sub(1);
        AccessPath::parse(self.module(probe)?.path(probe as u64)?)
    }

    /// The local variable that the access whose call of the runtime returns to `pc` names, if it
    /// names one.
    pub fn local_at(&self, pc: usize) -> Option<String> {
        let path = self.path(pc).filter(|path| matches!(path.root, paths::Root::Local(_)))?;
        Some(path.first_name().to_owned()).filter(|name| !name.is_empty())
    }

    /// The functions that the module of an address exports, by address.
    pub fn exported_functions(&self, of: usize) -> Vec<(usize, String)> {
        self.module(of).map(Module::exported_functions).unwrap_or_default()
    }

    /// The local variable of the Fortran procedure at `pc` that stands at a distance from its
    /// frame, how far into it that is, and what is there, if it is an element of an array.
    fn fortran_local(&self, pc: usize, distance: i64) -> Option<(String, u64, Option<String>)> {
        self.module(pc)?.fortran_local(pc as u64, distance)
    }

    /// Whether code was compiled by flang.
    fn is_fortran(&self, pc: usize) -> bool {
        self.module(pc).is_some_and(|module| module.is_fortran(pc as u64))
    }

    /// An element of a static array of Fortran, as the program would write it.
    fn element(&self, address: usize) -> Option<String> {
        self.module(address)?.element(address as u64)
    }

    /// The array of Fortran that a block was allocated for by code at `pc`, at a place of the
    /// source, and what is so far into it.
    fn of_block(&self, pc: usize, at: &Place, into: u64) -> Option<(String, String)> {
        self.module(pc)?.of_block(&self.folder.join(&at.file), at.line, into)
    }

    fn all_frames(&self, pc: usize) -> Vec<(Frame, Kind)> {
        // The call is before the address it returns to, which may already belong to another line or
        // function.
        let probe = pc.saturating_sub(1);
        let found =
            self.module(probe).map(|module| module.frames(probe as u64, self.language)).unwrap_or_default();
        if found.is_empty() {
            let unknown = Frame { function: "?".to_owned(), file: String::new(), line: 0, column: 0 };
            let kind = if self.language == Language::Rust { Kind::Library } else { Kind::Program };
            return iter::once((unknown, kind)).collect();
        }
        found.into_iter().map(|(frame, kind)| (self.nearby(frame), kind)).collect()
    }

    fn module(&self, address: usize) -> Option<&Module> {
        let after = self.modules.partition_point(|module| module.start <= address as u64);
        self.modules[..after].last()
    }

    fn nearby(&self, mut frame: Frame) -> Frame {
        // An empty folder is one that is not known; everything would be below it.
        if self.folder.parent().is_some()
            && let Ok(near) = Path::new(&frame.file).strip_prefix(&self.folder)
        {
            frame.file = near.to_string_lossy().into_owned();
        }
        frame
    }
}
