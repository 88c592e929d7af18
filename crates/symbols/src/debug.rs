//! The debug information of a module, read once, when something other than a line is first asked of
//! it.

use gimli::{Dwarf, EndianReader, LineRow, LittleEndian, Reader as _, Unit};
use object::{Object, ObjectSection};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

pub(super) type Reader = EndianReader<LittleEndian, Rc<[u8]>>;
pub(super) type Entry<'a> = gimli::DebuggingInformationEntry<'a, 'a, Reader>;
pub(super) type Offset = gimli::UnitOffset<usize>;

/// A variable that is always in memory, by the number of its unit and its entry there.
pub(super) struct Global {
    pub(super) address: u64,
    pub(super) unit: usize,
    pub(super) entry: Offset,
    /// Whether a function declares it.
    pub(super) is_local: bool,
}

pub(super) struct Debug {
    pub(super) dwarf: Dwarf<Reader>,
    pub(super) units: Vec<Unit<Reader>>,
    /// By hash; none where two texts have the same.
    paths: HashMap<u32, Option<String>>,
    /// By address.
    globals: OnceCell<Vec<Global>>,
}

/// Where the pass writes access paths.
const PATHS: &str = ".raceproof.paths";

impl Debug {
    pub(super) fn read(file: &object::File<'_>) -> Option<Debug> {
        let section = |name: &str| -> Rc<[u8]> {
            let section = file.section_by_name(name).and_then(|section| section.uncompressed_data().ok());
            section.map(Rc::from).unwrap_or_default()
        };
        let load = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
            Ok(EndianReader::new(section(id.name()), LittleEndian))
        };
        let dwarf = Dwarf::load(load).ok()?;
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            units.extend(dwarf.unit(header));
        }
        let mut paths = HashMap::new();
        for text in section(PATHS).split(|&byte| byte == 0) {
            let text = String::from_utf8_lossy(text).into_owned();
            let known = paths.entry(hash(&text)).or_insert_with(|| Some(text.clone()));
            if known.as_ref().is_some_and(|known| *known != text) {
                *known = None;
            }
        }
        Some(Debug { dwarf, units, paths, globals: OnceCell::new() })
    }

    /// The unit that the code at an address is of.
    pub(super) fn unit_at(&self, pc: u64) -> Option<&Unit<Reader>> {
        self.units.iter().find(|unit| {
            let Ok(mut ranges) = self.dwarf.unit_ranges(unit) else { return false };
            while let Ok(Some(range)) = ranges.next() {
                if (range.begin..range.end).contains(&pc) {
                    return true;
                }
            }
            false
        })
    }

    /// The access path of the code at an address, as the pass has written it.
    pub(super) fn path(&self, pc: u64) -> Option<&str> {
        if self.paths.is_empty() {
            return None;
        }
        let program = self.unit_at(pc)?.line_program.clone()?;
        let mut rows = program.rows();
        let mut last: Option<LineRow> = None;
        while let Ok(Some((_, row))) = rows.next_row() {
            let ends = last.as_ref().is_some_and(|last| (last.address()..row.address()).contains(&pc));
            if ends {
                break;
            }
            last = (!row.end_sequence()).then_some(*row);
        }
        let discriminator = last.filter(|row| row.address() <= pc)?.discriminator();
        self.paths.get(&u32::try_from(discriminator).ok()?)?.as_deref()
    }

    /// The variable whose beginning is the last one at or before an address. It may end before
    /// that.
    pub(super) fn global(&self, address: u64) -> Option<&Global> {
        let globals = self.globals.get_or_init(|| self.all_globals());
        let after = globals.partition_point(|global| global.address <= address);
        globals[..after].last()
    }

    fn all_globals(&self) -> Vec<Global> {
        let mut found = Vec::new();
        for (number, unit) in self.units.iter().enumerate() {
            let mut entries = unit.entries();
            // Depths of the functions around an entry.
            let (mut depth, mut functions) = (0, Vec::new());
            while let Ok(Some((by, entry))) = entries.next_dfs() {
                depth += by;
                functions.retain(|&function| function < depth);
                if entry.tag() == gimli::DW_TAG_subprogram {
                    functions.push(depth);
                }
                if entry.tag() == gimli::DW_TAG_variable
                    && let Some(address) = self.address(unit, entry)
                {
                    let is_local = !functions.is_empty();
                    found.push(Global { address, unit: number, entry: entry.offset(), is_local });
                }
            }
        }
        found.sort_by_key(|global| (global.address, global.unit));
        found.dedup_by_key(|global| global.address);
        found
    }

    fn address(&self, unit: &Unit<Reader>, entry: &Entry<'_>) -> Option<u64> {
        let location = entry.attr_value(gimli::DW_AT_location).ok()??;
        let gimli::AttributeValue::Exprloc(expression) = location else { return None };
        let mut operations = expression.operations(unit.encoding());
        let address = match operations.next().ok()?? {
            gimli::Operation::Address { address } => address,
            gimli::Operation::AddressIndex { index } => self.dwarf.address(unit, index).ok()?,
            _ => return None,
        };
        matches!(operations.next(), Ok(None)).then_some(address)
    }

    /// The name of a variable or member; of one that is declared elsewhere or inlined, that of its
    /// declaration.
    pub(super) fn name(&self, unit: &Unit<Reader>, entry: &Entry<'_>) -> Option<String> {
        let named = self.declared(unit, entry, gimli::DW_AT_name)?;
        Some(self.dwarf.attr_string(unit, named).ok()?.to_string_lossy().ok()?.into_owned())
    }

    /// An attribute of an entry, or of what it is an instance of.
    pub(super) fn declared(
        &self,
        unit: &Unit<Reader>,
        entry: &Entry<'_>,
        attribute: gimli::DwAt,
    ) -> Option<gimli::AttributeValue<Reader>> {
        if let Ok(Some(value)) = entry.attr_value(attribute) {
            return Some(value);
        }
        for origin in [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification] {
            if let Ok(Some(gimli::AttributeValue::UnitRef(origin))) = entry.attr_value(origin) {
                return unit.entry(origin).ok()?.attr_value(attribute).ok()?;
            }
        }
        None
    }

    /// The type of an entry, by its own entry.
    pub(super) fn type_of(&self, unit: &Unit<Reader>, entry: &Entry<'_>) -> Option<Offset> {
        match self.declared(unit, entry, gimli::DW_AT_type)? {
            gimli::AttributeValue::UnitRef(of) => Some(of),
            _ => None,
        }
    }
}

/// FNV-1a, folded to 28 bits and never 0, as the pass computes it.
fn hash(text: &str) -> u32 {
    let hash =
        text.bytes().fold(2_166_136_261, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    ((hash >> 28) ^ (hash & 0xfff_ffff)).max(1)
}
