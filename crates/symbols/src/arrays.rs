//! Variables of Fortran programs: elements of arrays by their subscripts, blocks of memory by the
//! array they were allocated for.

use super::declared::{self, Bounds};
use super::fortran_locals::{Entry, Slice, name, size};
use addr2line::gimli::{self, AttributeValue, Dwarf, EndianSlice, LittleEndian, Operation, Unit};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub(super) const FORTRAN: [gimli::DwLang; 5] = [
    gimli::DW_LANG_Fortran77,
    gimli::DW_LANG_Fortran90,
    gimli::DW_LANG_Fortran95,
    gimli::DW_LANG_Fortran03,
    gimli::DW_LANG_Fortran08,
];

/// What debug information says of an array, if it is one.
#[derive(Clone, Debug, Default)]
struct Shape {
    element: u64,
    /// How many elements each dimension has, where that does not change.
    counts: Vec<Option<u64>>,
    /// Whether the variable is a descriptor that says where the array is.
    is_described: bool,
}

/// Calls a function with each unit in Fortran, until it has an answer.
pub(super) fn find_in_units<T>(
    file: &object::File<'_>,
    mut ask: impl FnMut(&Dwarf<Slice<'_>>, &Unit<Slice<'_>>) -> Option<T>,
) -> Option<T> {
    let section = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
        let section = file.section_by_name(id.name());
        Ok(section.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section).ok()?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        if is_fortran(&unit)
            && let Some(answer) = ask(&dwarf, &unit)
        {
            return Some(answer);
        }
    }
    None
}

/// The same with each entry of these units.
fn find<T>(
    file: &object::File<'_>,
    mut ask: impl FnMut(&Dwarf<Slice<'_>>, &Unit<Slice<'_>>, &Entry<'_, '_, '_>) -> Option<T>,
) -> Option<T> {
    find_in_units(file, |dwarf, unit| {
        let mut entries = unit.entries();
        while let Ok(Some((_, entry))) = entries.next_dfs() {
            if let Some(answer) = ask(dwarf, unit, entry) {
                return Some(answer);
            }
        }
        None
    })
}

fn is_fortran(unit: &Unit<Slice<'_>>) -> bool {
    let mut entries = unit.entries();
    let Ok(Some((_, root))) = entries.next_dfs() else { return false };
    matches!(root.attr_value(gimli::DW_AT_language), Ok(Some(AttributeValue::Language(language))) if FORTRAN.contains(&language))
}

/// Whether any unit of a file is in Fortran.
pub(super) fn has_fortran(file: &object::File<'_>) -> bool {
    find(file, |_, _, _| Some(())).is_some()
}

/// A variable with subscripts, if an address so far into it is of a known element.
pub(super) fn element(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    entry: &Entry<'_, '_, '_>,
    into: u64,
) -> Option<String> {
    let name = name(dwarf, unit, entry)?;
    let shape = shape(unit, entry)?;
    if shape.is_described {
        return Some(format!("the descriptor of {name}"));
    }
    let (file, line) = place(dwarf, unit, entry)?;
    let bounds = declared::bounds_of(&declared::statement(&file, line)?, &name)?;
    subscripts(&name, &shape, &bounds, into)
}

/// The static variable at an address of the file, as `element`.
pub(super) fn of_static(file: &object::File<'_>, address: u64) -> Option<String> {
    find(file, |dwarf, unit, entry| {
        if entry.tag() != gimli::DW_TAG_variable {
            return None;
        }
        let into = address.checked_sub(static_address(unit, entry)?)?;
        // A descriptor has no more than 15 dimensions of three words behind its six.
        let size = size(unit, entry, super::fortran_locals::DEEP).or_else(|| {
            let shape = shape(unit, entry).filter(|shape| shape.is_described)?;
            Some(24 + 24 * shape.counts.len() as u64)
        })?;
        if into < size { Some(element(dwarf, unit, entry, into)) } else { None }
    })
    .flatten()
}

/// The array that a block of memory was allocated for by a statement, and the element so far into
/// it.
pub(super) fn of_block(
    file: &object::File<'_>,
    source: &Path,
    line: u32,
    into: u64,
) -> Option<(String, String)> {
    let statement = declared::statement(source, line.into())?;
    let [(object, bounds)] = &declared::allocated(&statement)[..] else { return None };
    let bare =
        object.rsplit('%').next().unwrap_or(object).split('(').next().unwrap_or_default().trim().to_owned();
    let mut shapes = Vec::new();
    find(file, |dwarf, unit, entry| {
        let is_variable = matches!(entry.tag(), gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter);
        if is_variable && name(dwarf, unit, entry).is_some_and(|name| name == bare) {
            shapes.extend(shape(unit, entry).filter(|shape| shape.is_described));
        }
        None::<()>
    });
    let element = bounds.as_ref().and_then(|bounds| {
        // Arrays of one name whose elements differ in size are not distinguished.
        let first = shapes.first()?;
        let same = shapes.iter().all(|shape| shape.element == first.element);
        (same && *object == bare).then(|| subscripts(object, first, bounds, into)).flatten()
    });
    let whole = if into == 0 { object.clone() } else { format!("{object}+{into}") };
    Some((bare, element.unwrap_or(whole)))
}

/// `a(3, 4)`, in the order of memory: the first subscript runs fastest.
fn subscripts(name: &str, shape: &Shape, bounds: &Bounds, into: u64) -> Option<String> {
    if bounds.len() != shape.counts.len() || shape.element == 0 {
        return None;
    }
    let mut left = i64::try_from(into / shape.element).ok()?;
    let mut list = Vec::new();
    for (at, (bound, count)) in bounds.iter().zip(&shape.counts).enumerate() {
        let is_last = at + 1 == bounds.len();
        let own = match count {
            _ if is_last => left,
            Some(count) => {
                let count = i64::try_from(*count).ok().filter(|count| *count > 0)?;
                let own = left % count;
                left /= count;
                own
            }
            None => return None,
        };
        list.push((own + (*bound)?).to_string());
    }
    Some(format!("{name}({})", list.join(",")))
}

fn type_of<'a, 'u, 's>(unit: &'u Unit<Slice<'s>>, entry: &Entry<'a, 'u, 's>) -> Option<Entry<'u, 'u, 's>> {
    let of = match (entry.attr_value(gimli::DW_AT_type), entry.attr_value(gimli::DW_AT_abstract_origin)) {
        (Ok(Some(AttributeValue::UnitRef(of))), _) => of,
        (_, Ok(Some(AttributeValue::UnitRef(origin)))) => {
            let origin = unit.entry(origin).ok()?;
            match origin.attr_value(gimli::DW_AT_type) {
                Ok(Some(AttributeValue::UnitRef(of))) => of,
                _ => return None,
            }
        }
        _ => return None,
    };
    unit.entry(of).ok()
}

fn shape(unit: &Unit<Slice<'_>>, entry: &Entry<'_, '_, '_>) -> Option<Shape> {
    let array = type_of(unit, entry)?;
    if array.tag() != gimli::DW_TAG_array_type {
        return None;
    }
    let element =
        type_of(unit, &array).and_then(|of| size(unit, &of, super::fortran_locals::DEEP)).unwrap_or(0);
    let is_described = matches!(array.attr_value(gimli::DW_AT_data_location), Ok(Some(_)));
    let mut tree = unit.entries_tree(Some(array.offset())).ok()?;
    let mut children = tree.root().ok()?.children();
    let mut counts = Vec::new();
    while let Ok(Some(dimension)) = children.next() {
        let count = dimension.entry().attr_value(gimli::DW_AT_count).ok().flatten();
        counts.push(count.and_then(|count| count.udata_value()));
    }
    Some(Shape { element, counts, is_described })
}

fn static_address(unit: &Unit<Slice<'_>>, entry: &Entry<'_, '_, '_>) -> Option<u64> {
    let Ok(Some(AttributeValue::Exprloc(expression))) = entry.attr_value(gimli::DW_AT_location) else {
        return None;
    };
    match expression.operations(unit.encoding()).next() {
        Ok(Some(Operation::Address { address })) => Some(address),
        _ => None,
    }
}

/// Where a variable is declared.
fn place(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    entry: &Entry<'_, '_, '_>,
) -> Option<(PathBuf, u64)> {
    let line = entry.attr_value(gimli::DW_AT_decl_line).ok()??.udata_value()?;
    let AttributeValue::FileIndex(index) = entry.attr_value(gimli::DW_AT_decl_file).ok()?? else {
        return None;
    };
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let text = |value| Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned());
    let mut path =
        PathBuf::from(unit.comp_dir.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default());
    if file.directory_index() != 0
        && let Some(folder) = file.directory(header).and_then(text)
    {
        path.push(folder);
    }
    path.push(text(file.path_name())?);
    Some((path, line))
}
