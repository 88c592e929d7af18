//! Local variables of Fortran programs: which one stands at a place of a procedure's frame, and
//! which of its elements.
//!
//! `raceproof fc` keeps frame pointers, so that the frame of a procedure is an address, and flang
//! describes variables that live in memory by their distance from it. What the optimiser keeps
//! elsewhere has no address and no race.

use super::arrays::{element, find_in_units};
use addr2line::gimli::{self, AttributeValue, Dwarf, EndianSlice, LittleEndian, Operation, Unit};

pub(super) type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The variable of the function at `pc` that is `distance` from its frame, how far into it that is,
/// and what is there, if there is a name for it.
pub(super) fn find(file: &object::File<'_>, pc: u64, distance: i64) -> Option<(String, u64, Option<String>)> {
    find_in_units(file, |dwarf, unit| in_unit(dwarf, unit, pc, distance))
}

fn in_unit(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    pc: u64,
    distance: i64,
) -> Option<(String, u64, Option<String>)> {
    let mut entries = unit.entries();
    let (mut depth, mut inside) = (0, None);
    while let Ok(Some((by, entry))) = entries.next_dfs() {
        depth += by;
        if inside.is_some_and(|function| depth <= function) {
            break;
        }
        match entry.tag() {
            gimli::DW_TAG_subprogram if inside.is_none() => {
                let mut ranges = dwarf.die_ranges(unit, entry).ok()?;
                while let Ok(Some(range)) = ranges.next() {
                    if (range.begin..range.end).contains(&pc) && has_frame_pointer(unit, entry) {
                        inside = Some(depth);
                    }
                }
            }
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter if inside.is_some() => {
                let into = offset(dwarf, unit, entry).map(|at| distance - at);
                let is_in = |into: &i64| {
                    *into >= 0 && size(unit, entry, DEEP).is_some_and(|size| (*into as u64) < size)
                };
                if let Some(into) = into.filter(is_in) {
                    let into = into as u64;
                    return Some((name(dwarf, unit, entry)?, into, element(dwarf, unit, entry, into)));
                }
            }
            _ => {}
        }
    }
    None
}

pub(super) type Entry<'a, 'u, 's> = gimli::DebuggingInformationEntry<'a, 'u, Slice<'s>>;

/// Whether the frame pointer is the base of addresses in the frame.
fn has_frame_pointer(unit: &Unit<Slice<'_>>, entry: &Entry<'_, '_, '_>) -> bool {
    let Ok(Some(AttributeValue::Exprloc(expression))) = entry.attr_value(gimli::DW_AT_frame_base) else {
        return false;
    };
    let first = expression.operations(unit.encoding()).next();
    matches!(first, Ok(Some(Operation::Register { register: gimli::X86_64::RBP })))
}

/// Where in the frame a variable is, if it is there.
fn offset(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>, entry: &Entry<'_, '_, '_>) -> Option<i64> {
    let in_frame = |expression: gimli::Expression<Slice<'_>>| {
        let mut operations = expression.operations(unit.encoding());
        match (operations.next(), operations.next()) {
            (Ok(Some(Operation::FrameOffset { offset })), Ok(None)) => Some(offset),
            (Ok(Some(Operation::RegisterOffset { register: gimli::X86_64::RBP, offset, .. })), Ok(None)) => {
                Some(offset)
            }
            _ => None,
        }
    };
    let location = entry.attr_value(gimli::DW_AT_location).ok()??;
    if let AttributeValue::Exprloc(expression) = location {
        return in_frame(expression);
    }
    let mut list = dwarf.attr_locations(unit, location).ok()??;
    while let Ok(Some(part)) = list.next() {
        if let Some(offset) = in_frame(part.data) {
            return Some(offset);
        }
    }
    None
}

/// Types that are looked through for the size of one.
pub(super) const DEEP: u32 = 32;

/// The size of what has this type, or is it.
pub(super) fn size(unit: &Unit<Slice<'_>>, entry: &Entry<'_, '_, '_>, deep: u32) -> Option<u64> {
    if let Ok(Some(size)) = entry.attr_value(gimli::DW_AT_byte_size) {
        return size.udata_value();
    }
    if entry.tag() == gimli::DW_TAG_pointer_type || deep == 0 {
        return (deep > 0).then_some(8);
    }
    let of = match (entry.attr_value(gimli::DW_AT_type), entry.attr_value(gimli::DW_AT_abstract_origin)) {
        (Ok(Some(AttributeValue::UnitRef(of))), _) | (_, Ok(Some(AttributeValue::UnitRef(of)))) => of,
        _ => return None,
    };
    let one = size(unit, &unit.entry(of).ok()?, deep - 1)?;
    if entry.tag() != gimli::DW_TAG_array_type {
        return Some(one);
    }
    let mut tree = unit.entries_tree(Some(entry.offset())).ok()?;
    let mut dimensions = tree.root().ok()?.children();
    let mut all = one;
    while let Ok(Some(dimension)) = dimensions.next() {
        let dimension = dimension.entry();
        let number = |name| dimension.attr_value(name).ok().flatten().and_then(|value| value.udata_value());
        let count = number(gimli::DW_AT_count).or_else(|| number(gimli::DW_AT_upper_bound)?.checked_add(1));
        all = all.checked_mul(count?)?;
    }
    Some(all)
}

/// The name of a variable; of one that was inlined, that of where it stands in the source.
pub(super) fn name(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    entry: &Entry<'_, '_, '_>,
) -> Option<String> {
    if let Ok(Some(value)) = entry.attr_value(gimli::DW_AT_name) {
        return Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned());
    }
    let Ok(Some(AttributeValue::UnitRef(origin))) = entry.attr_value(gimli::DW_AT_abstract_origin) else {
        return None;
    };
    let origin = unit.entry(origin).ok()?;
    let value = origin.attr_value(gimli::DW_AT_name).ok()??;
    Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned())
}
