//! Local variables: which one stands at a place of a function's frame.
//!
//! `raceproof cc` keeps frame pointers, so that the frame of a function is an address, and clang
//! describes variables that live in memory by their distance from it, in optimised code too. What
//! the optimiser keeps elsewhere has no address and no race.

use super::debug::{Debug, Entry, Offset, Reader};
use super::names;
use super::paths::{Path, Root};
use super::types::Part;
use gimli::{AttributeValue, Operation, Reader as _, Unit};
use std::borrow::Cow;

/// A local variable, and which part of it stands there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) part: Part,
}

/// What may be the end of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// From there to the variable.
    pub(super) distance: i64,
    /// Where the function begins that was called there, if the call names it.
    pub(super) callee: Option<u64>,
}

impl Debug {
    /// The variable of the function at `pc` that is `distance` from its frame.
    pub(super) fn local(&self, pc: u64, distance: i64) -> Option<Local> {
        self.local_of_callee(&[pc], pc, distance)
    }

    /// The variable that a path of the access at `pc` begins with, of whichever function of the
    /// unit.
    pub(super) fn declared_local(&self, pc: u64, path: &Path, ends: &[End]) -> Option<Local> {
        let unit = self.unit_at(pc)?;
        let Root::Local(line) = path.root else { return None };
        let is_meant = |entry: &Entry<'_>| {
            let declared = self.declared(unit, entry, gimli::DW_AT_decl_line);
            (line == 0 || declared.and_then(|value| value.udata_value()) == Some(line))
                && self.name(unit, entry).as_deref() == Some(path.first_name())
                && !self.is_reference(unit, entry)
        };
        let variables = self.variables(unit, |_| true, |_| true, is_meant);
        let at = |end: &End, entry: Offset| self.local_at(unit, &unit.entry(entry).ok()?, end.distance);
        // A call that names its function says whose frame it is.
        let named = ends.iter().find_map(|end| {
            let own = variables.iter().filter(|(begin, _)| end.callee.is_some() && *begin == end.callee);
            own.into_iter().find_map(|(_, entry)| at(end, *entry))
        });
        named.or_else(|| {
            let mut unnamed = ends.iter().filter(|end| end.callee.is_none());
            unnamed.find_map(|end| variables.iter().find_map(|(_, entry)| at(end, *entry)))
        })
    }

    /// Whether a variable is a reference, as those that a construct has captured are in its body.
    /// No access of the source is of the place where the reference is.
    fn is_reference(&self, unit: &Unit<Reader>, variable: &Entry<'_>) -> bool {
        let of = self.type_of(unit, variable).and_then(|of| Some(unit.entry(of).ok()?.tag()));
        matches!(of, Some(gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type))
    }

    /// The variable that is `distance` from the frame of a function, if the function is at one of
    /// these addresses.
    pub(super) fn local_of_callee(&self, pcs: &[u64], callee: u64, distance: i64) -> Option<Local> {
        let unit = self.unit_at(callee)?;
        let is_at = |entry: &Entry<'_>| pcs.iter().any(|pc| self.covers(unit, entry, *pc));
        let of_function = |entry: &Entry<'_>| self.covers(unit, entry, callee) && is_at(entry);
        let is_programs = |entry: &Entry<'_>| !self.is_of_library(unit, entry);
        let variables = self.variables(unit, of_function, is_at, is_programs);
        let mut found: Vec<Local> = variables
            .iter()
            .filter_map(|(_, entry)| self.local_at(unit, &unit.entry(*entry).ok()?, distance))
            .collect();
        // Optimised code uses one place for variables that are not alive at the same time.
        found.dedup();
        (found.len() == 1).then(|| found.remove(0))
    }

    /// Whether Rust's standard library declares a variable: it has no name that the program gave it.
    /// Functions of the library may have functions of the program inside, and the other way round.
    fn is_of_library(&self, unit: &Unit<Reader>, entry: &Entry<'_>) -> bool {
        let text =
            |value| self.dwarf.attr_string(unit, value).ok()?.to_string_lossy().ok().map(Cow::into_owned);
        let file = || {
            let AttributeValue::FileIndex(index) = self.declared(unit, entry, gimli::DW_AT_decl_file)? else {
                return None;
            };
            let header = unit.line_program.as_ref()?.header();
            let file = header.file(index)?;
            let folder = file.directory(header).and_then(text).unwrap_or_default();
            Some(format!("{folder}/{}", text(file.path_name())?))
        };
        file().is_some_and(|file| names::is_library("", &file))
    }

    fn covers(&self, unit: &Unit<Reader>, entry: &Entry<'_>, pc: u64) -> bool {
        let Ok(mut ranges) = self.dwarf.die_ranges(unit, entry) else { return false };
        while let Ok(Some(range)) = ranges.next() {
            if (range.begin..range.end).contains(&pc) {
                return true;
            }
        }
        false
    }

    /// Variables of functions whose frames are known by a register, and of blocks of these, each
    /// with where its function begins.
    fn variables(
        &self,
        unit: &Unit<Reader>,
        of_function: impl Fn(&Entry<'_>) -> bool,
        of_block: impl Fn(&Entry<'_>) -> bool,
        is_meant: impl Fn(&Entry<'_>) -> bool,
    ) -> Vec<(Option<u64>, Offset)> {
        let mut found = Vec::new();
        let mut entries = unit.entries();
        let mut depth = 0;
        let mut inside: Option<(isize, Option<u64>)> = None;
        // The depth of a block that is passed over.
        let mut passed: Option<isize> = None;
        while let Ok(Some((by, entry))) = entries.next_dfs() {
            depth += by;
            inside = inside.filter(|(function, _)| depth > *function);
            passed = passed.filter(|block| depth > *block);
            match entry.tag() {
                gimli::DW_TAG_subprogram if has_frame_pointer(unit, entry) && of_function(entry) => {
                    let begin =
                        self.dwarf.die_ranges(unit, entry).ok().and_then(|mut all| all.next().ok()?);
                    inside = Some((depth, begin.map(|range| range.begin)));
                }
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine
                    if passed.is_none() && inside.is_some() && !of_block(entry) =>
                {
                    passed = Some(depth);
                }
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter
                    if passed.is_none() && is_meant(entry) =>
                {
                    found.extend(inside.map(|(_, begin)| (begin, entry.offset())));
                }
                _ => {}
            }
        }
        found
    }

    fn local_at(&self, unit: &Unit<Reader>, entry: &Entry<'_>, distance: i64) -> Option<Local> {
        let into = distance.checked_sub(self.in_frame(unit, entry)?)?;
        let into = u64::try_from(into).ok()?;
        let of = self.type_of(unit, entry)?;
        (into < self.size(unit, of)?).then_some(())?;
        Some(Local { name: self.name(unit, entry)?, part: self.part(unit, of, into) })
    }

    /// Where in the frame a variable is, if it is there.
    fn in_frame(&self, unit: &Unit<Reader>, entry: &Entry<'_>) -> Option<i64> {
        let offset = |expression: gimli::Expression<Reader>| {
            let mut operations = expression.operations(unit.encoding());
            match (operations.next(), operations.next()) {
                (Ok(Some(Operation::FrameOffset { offset })), Ok(None)) => Some(offset),
                (
                    Ok(Some(Operation::RegisterOffset { register: gimli::X86_64::RBP, offset, .. })),
                    Ok(None),
                ) => Some(offset),
                _ => None,
            }
        };
        let location = entry.attr_value(gimli::DW_AT_location).ok()??;
        if let AttributeValue::Exprloc(expression) = location {
            return offset(expression);
        }
        let mut list = self.dwarf.attr_locations(unit, location).ok()??;
        while let Ok(Some(part)) = list.next() {
            if let Some(offset) = offset(part.data) {
                return Some(offset);
            }
        }
        None
    }
}

/// Whether the frame pointer is the base of addresses in the frame.
fn has_frame_pointer(unit: &Unit<Reader>, entry: &Entry<'_>) -> bool {
    let Ok(Some(AttributeValue::Exprloc(expression))) = entry.attr_value(gimli::DW_AT_frame_base) else {
        return false;
    };
    let first = expression.operations(unit.encoding()).next();
    matches!(first, Ok(Some(Operation::Register { register: gimli::X86_64::RBP })))
}
