//! The addresses of task descriptors in one function: where they go, and which checks are of them.
//!
//! Every value that is computed from a descriptor is either known with the part that it leads to, or its part counts as let out. Known
//! are offsets in a structure or an array, the address of the shareds, and the copies that `memcpy` returns; not so a phi,
//! a select, a number, or what was stored and loaded again.

use super::flow::Flow;
use super::ir::{self, Check, Function, Instruction, What};
use super::values::Values;
use rustc_hash::{FxHashMap, FxHashSet};

/// A descriptor as a function has it: the value, and the entry of the task that it is for.
pub(super) struct Held<'a> {
    pub(super) root: &'a str,
    pub(super) entry: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    /// `kmp_task_t`.
    Head,
    /// What follows it, the bounds of a `taskloop` among it.
    Privates,
    Shareds,
}

/// The bytes of `kmp_task_t`, and of the address of the shareds, with which it begins.
const HEAD: i64 = 40;
const SHAREDS: i64 = 8;

/// Runtime calls with the descriptor as third argument. With these, it is handed over, or freed:
const HANDING: [&str; 5] = [
    "@__kmpc_omp_task",
    "@__kmpc_omp_task_with_deps",
    "@__kmpc_omp_task_complete_if0",
    "@__kmpc_taskloop",
    "@__kmpc_taskloop_5",
];
/// These do not pass it on: the creator runs the task itself, or has a wish.
const LOOKING: [&str; 2] = ["@__kmpc_omp_task_begin_if0", "@__kmpc_omp_reg_task_with_affinity"];
/// Of these the fifth and sixth are addresses in the descriptor, of the loop's bounds, and the last is what copies the privates for each task.
const LOOP: &str = "@__kmpc_taskloop";

/// Calls that copy or set bytes and give the first address back, and some that do nothing.
const COPYING: [&str; 6] = [
    "@__tsan_memcpy",
    "@__tsan_memmove",
    "@__tsan_memset",
    "@llvm.memcpy.",
    "@llvm.memmove.",
    "@llvm.memset.",
];
const MARKING: [&str; 3] = ["@llvm.dbg.", "@llvm.lifetime.", "@llvm.assume"];

#[derive(Clone, Copy)]
struct Pointer<'a> {
    held: usize,
    part: Part,
    /// What its offset is counted from: the descriptor, or the address of the shareds.
    base: &'a str,
    /// Unless it is somewhere in its part.
    offset: Option<i64>,
}

/// A check of a descriptor.
pub(super) struct Checked<'a> {
    pub(super) line: usize,
    pub(super) entry: &'a str,
    pub(super) part: Part,
}

#[derive(Default)]
pub(super) struct Found<'a> {
    /// The parts of which addresses get out, by the entries of their tasks.
    pub(super) out: FxHashSet<(&'a str, Part)>,
    /// Entries that are called with their own descriptor, once for each call.
    pub(super) run: Vec<&'a str>,
    pub(super) checks: Vec<Checked<'a>>,
}

pub(super) fn follow<'a>(
    function: &Function<'a>,
    flow: &Flow,
    mut values: Values<'a, '_>,
    lines: &[&'a str],
    held: Vec<Held<'a>>,
) -> Found<'a> {
    let root = |(number, held): (usize, &Held<'a>)| {
        (held.root, Pointer { held: number, part: Part::Head, base: held.root, offset: Some(0) })
    };
    let known = held.iter().enumerate().map(root).collect();
    let mut pointers = Pointers { lines, held, known, handing: Vec::new(), found: Found::default() };
    // A value is defined before it is used, but for phis, and these are not looked into.
    for &block in &flow.order {
        for instruction in &function.blocks[block].instructions {
            pointers.define(instruction, &mut values);
        }
    }
    for (block, of) in function.blocks.iter().enumerate() {
        for (at, instruction) in of.instructions.iter().enumerate() {
            pointers.use_in(instruction, (block, at));
        }
    }
    pointers.use_after(function);
    pointers.check(function);
    pointers.found
}

struct Pointers<'a, 'f> {
    lines: &'f [&'a str],
    held: Vec<Held<'a>>,
    known: FxHashMap<&'a str, Pointer<'a>>,
    /// Which descriptor is handed over, in which block by which instruction.
    handing: Vec<(usize, (usize, usize))>,
    found: Found<'a>,
}

impl<'a> Pointers<'a, '_> {
    /// The first line of an instruction, which has all of its operands: on others are labels and constants.
    fn text(&self, instruction: &Instruction) -> &'a str {
        ir::result(self.lines[instruction.line]).1
    }

    fn define(&mut self, instruction: &Instruction<'a>, values: &mut Values<'a, '_>) {
        let Some(result) = instruction.result else { return };
        let pointer = match instruction.what {
            What::Offset { base, .. } => self.known.get(base).and_then(|from| {
                let start = values.address(from.base);
                let offset = values.address(result).minus(&start).and_then(|offset| offset.as_constant());
                from.moved(offset)
            }),
            What::Call { callee: Some(callee), text } if is_one_of(callee, &COPYING) => {
                let first = ir::arguments(text, callee).and_then(|arguments| last_word(arguments.first()?));
                let copied = first.and_then(|first| self.known.get(first));
                copied.map(|to| Pointer { offset: None, ..*to })
            }
            _ => loaded(self.text(instruction)).and_then(|(kind, address)| {
                let from = self.known.get(address)?;
                let is_shareds = kind == "ptr" && from.part == Part::Head && from.offset == Some(0);
                let shareds = Pointer { part: Part::Shareds, base: result, ..*from };
                is_shareds.then_some(shareds)
            }),
        };
        if let Some(pointer) = pointer {
            self.known.insert(result, pointer);
        }
    }

    fn use_in(&mut self, instruction: &Instruction<'a>, place: (usize, usize)) {
        let text = self.text(instruction);
        for name in ir::names(text) {
            let Some(&pointer) = self.known.get(name) else { continue };
            if !self.keeps(name, pointer, instruction, text, place) {
                self.let_out(pointer, instruction);
            }
        }
    }

    fn let_out(&mut self, pointer: Pointer<'a>, instruction: &Instruction) {
        let entry = self.held[pointer.held].entry;
        // From an offset that is not in its part, and from the head, everything can be reached.
        let is_lost = pointer.part == Part::Head || matches!(instruction.what, What::Offset { .. });
        let parts =
            if is_lost { vec![Part::Head, Part::Privates, Part::Shareds] } else { vec![pointer.part] };
        self.found.out.extend(parts.into_iter().map(|part| (entry, part)));
    }

    /// Whether an instruction that has this address as an operand lets nobody else know of it.
    fn keeps(
        &mut self,
        name: &str,
        pointer: Pointer<'a>,
        instruction: &Instruction<'a>,
        text: &'a str,
        place: (usize, usize),
    ) -> bool {
        let is_known = || instruction.result.is_some_and(|result| self.known.contains_key(result));
        let in_head = pointer.part == Part::Head;
        let beyond_shareds = || pointer.offset.is_some_and(|offset| offset >= SHAREDS);
        if let What::Call { callee: Some(callee), text } = instruction.what {
            return self.keeps_in_call(name, pointer, callee, text, place);
        }
        if let Some((_, address)) = loaded(text) {
            return address == name && (!in_head || beyond_shareds() || is_known());
        }
        if let Some((value, address)) = stored(text) {
            let is_address = address == name && !ir::names(value).any(|other| other == name);
            // Other than numbers, it may be the address of a function that gets the descriptor as well.
            return is_address && (!in_head || beyond_shareds() && value.starts_with("i32 "));
        }
        match instruction.what {
            What::Check(_) | What::Compare { .. } => true,
            What::Offset { base, .. } => base == name && is_known(),
            _ => false,
        }
    }

    fn keeps_in_call(
        &mut self,
        name: &str,
        pointer: Pointer<'a>,
        callee: &'a str,
        text: &'a str,
        place: (usize, usize),
    ) -> bool {
        if is_one_of(callee, &MARKING) {
            return true;
        }
        if is_one_of(callee, &COPYING) {
            return pointer.part != Part::Head;
        }
        let Some(arguments) = ir::arguments(text, callee) else { return false };
        let has = |argument: &str| ir::names(argument).any(|other| other == name);
        let mut given = (0..arguments.len()).filter(|at| has(arguments[*at]));
        let (Some(at), None) = (given.next(), given.next()) else { return false };
        if last_word(arguments[at]) != Some(name) {
            return false;
        }
        let is_whole = pointer.part == Part::Head && pointer.offset == Some(0);
        let entry = self.held[pointer.held].entry;
        if callee == entry && is_whole && at == 1 {
            self.found.run.push(entry);
            return true;
        }
        if callee.starts_with(LOOP) && (arguments.last() != Some(&"ptr null") || at == 4 || at == 5) {
            return arguments.last() == Some(&"ptr null");
        }
        let is_handed = HANDING.contains(&callee);
        if is_handed {
            self.handing.push((pointer.held, place));
        }
        is_whole && at == 2 && (is_handed || LOOKING.contains(&callee))
    }

    /// What is done with a descriptor after it was handed over, is done beside the task.
    fn use_after(&mut self, function: &Function<'a>) {
        for held in 0..self.held.len() {
            for instruction in self.after(function, held) {
                let is_harmless = match instruction.what {
                    What::Offset { .. } | What::Compare { .. } => true,
                    What::Call { callee: Some(callee), .. } => is_one_of(callee, &MARKING),
                    _ => false,
                };
                let names = ir::names(self.text(instruction)).filter(|_| !is_harmless);
                let used: Vec<Pointer> = names.filter_map(|name| self.known.get(name).copied()).collect();
                for pointer in used.into_iter().filter(|pointer| pointer.held == held) {
                    self.let_out(pointer, instruction);
                }
            }
        }
    }

    /// The checks of a known part.
    fn check(&mut self, function: &Function<'a>) {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let What::Check(Check { address, size, fixed: false, .. }) = instruction.what else { continue };
            let Some(&Pointer { held, part, offset: Some(offset), .. }) = self.known.get(address) else {
                continue;
            };
            if part != Part::Head || offset + i64::from(size) <= HEAD {
                let entry = self.held[held].entry;
                self.found.checks.push(Checked { line: instruction.line, entry, part });
            }
        }
    }

    /// What may be reached with a descriptor that was handed over, until another is allocated in its place.
    fn after<'g>(&self, function: &'g Function<'a>, held: usize) -> Vec<&'g Instruction<'a>> {
        let root = self.held[held].root;
        let mut reached = Vec::new();
        let mut entered = vec![false; function.blocks.len()];
        let handing = self.handing.iter().filter(|(of, _)| *of == held);
        let mut open: Vec<(usize, usize)> = handing.map(|&(_, (block, at))| (block, at + 1)).collect();
        while let Some((block, from)) = open.pop() {
            let block = &function.blocks[block];
            let rest = &block.instructions[from..];
            let anew = rest.iter().position(|instruction| instruction.result == Some(root));
            reached.extend(&rest[..anew.unwrap_or(rest.len())]);
            if anew.is_none() {
                let next =
                    block.successors.iter().filter(|next| !std::mem::replace(&mut entered[**next], true));
                open.extend(next.map(|next| (*next, 0)));
            }
        }
        reached
    }
}

impl<'a> Pointer<'a> {
    /// This far from its base, or somewhere else in its part.
    fn moved(self, offset: Option<i64>) -> Option<Pointer<'a>> {
        let part = match (self.part, offset) {
            (Part::Head, None) => return None,
            (part, None) => part,
            (_, Some(offset)) if offset < 0 => return None,
            (Part::Shareds, Some(_)) => Part::Shareds,
            (_, Some(offset)) => {
                if offset < HEAD {
                    Part::Head
                } else {
                    Part::Privates
                }
            }
        };
        Some(Pointer { part, offset, ..self })
    }
}

fn is_one_of(callee: &str, names: &[&str]) -> bool {
    names.iter().any(|name| if name.ends_with('.') { callee.starts_with(name) } else { callee == *name })
}

/// The value of an argument, behind its type and attributes.
fn last_word(argument: &str) -> Option<&str> {
    argument.rsplit(' ').next()
}

/// The type and the address of a load that is not atomic.
fn loaded(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("load ")?.trim_start_matches("volatile ");
    let [kind, address, ..] = ir::split(rest)[..] else { return None };
    Some((kind, address.strip_prefix("ptr ")?))
}

/// The value, with its type, and the address of a store that is not atomic.
fn stored(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("store ")?.trim_start_matches("volatile ");
    let [value, address, ..] = ir::split(rest)[..] else { return None };
    Some((value, address.strip_prefix("ptr ")?))
}
