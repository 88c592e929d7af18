//! Types: how big something is, and which part of it stands at an offset, in the words of the
//! source.

use super::debug::{Debug, Entry, Offset, Reader};
use gimli::{AttributeValue, Unit};
use std::fmt::Write;

/// Types that are looked through; they may be damaged.
const DEEP: u32 = 64;

/// A part of an object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Part {
    /// What is written after the name of the object: `.v[1]`.
    pub(crate) suffix: String,
    /// Whether that names all there is to name: no member of a union had to be chosen.
    pub(crate) is_whole: bool,
    /// What is there, if it is one number.
    pub(crate) scalar: Option<Scalar>,
}

/// How the bytes of a number are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Signed,
    Unsigned,
    Float,
    Bool,
    Char,
    Pointer,
}

impl Debug {
    /// The size of what has this type.
    pub(super) fn size(&self, unit: &Unit<Reader>, of: Offset) -> Option<u64> {
        self.size_within(unit, of, DEEP)
    }

    fn size_within(&self, unit: &Unit<Reader>, of: Offset, deep: u32) -> Option<u64> {
        let entry = unit.entry(of).ok()?;
        if let Some(size) = number(&entry, gimli::DW_AT_byte_size) {
            return Some(size);
        }
        match entry.tag() {
            _ if deep == 0 => None,
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => Some(8),
            gimli::DW_TAG_array_type => {
                let one = self.size_within(unit, self.type_of(unit, &entry)?, deep - 1)?;
                self.counts(unit, of)?.iter().try_fold(one, |all, count| all.checked_mul((*count)?))
            }
            _ => self.size_within(unit, self.type_of(unit, &entry)?, deep - 1),
        }
    }

    /// How many elements an array has along each dimension, where that is constant.
    fn counts(&self, unit: &Unit<Reader>, array: Offset) -> Option<Vec<Option<u64>>> {
        let mut tree = unit.entries_tree(Some(array)).ok()?;
        let mut dimensions = tree.root().ok()?.children();
        let mut counts = Vec::new();
        while let Ok(Some(dimension)) = dimensions.next() {
            let entry = dimension.entry();
            if entry.tag() == gimli::DW_TAG_subrange_type {
                let bound = || number(entry, gimli::DW_AT_upper_bound)?.checked_add(1);
                counts.push(number(entry, gimli::DW_AT_count).or_else(bound));
            }
        }
        Some(counts)
    }

    /// The part of something of this type that stands at an offset. As far down as there is only
    /// one.
    pub(super) fn part(&self, unit: &Unit<Reader>, of: Offset, offset: u64) -> Part {
        let mut part = Part { suffix: String::new(), is_whole: true, scalar: None };
        let (mut of, mut offset) = (of, offset);
        for _ in 0..DEEP {
            let Ok(entry) = unit.entry(of) else { break };
            let next = match entry.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type => self.type_of(unit, &entry).map(|of| (of, offset)),
                gimli::DW_TAG_array_type => self.element(unit, &entry, offset, &mut part.suffix),
                gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                    let member = self.member(unit, of, offset, &mut part.suffix);
                    part.is_whole = member.is_some();
                    member
                }
                _ => {
                    part.scalar = scalar(&entry).filter(|_| offset == 0);
                    None
                }
            };
            let Some(next) = next else { break };
            (of, offset) = next;
        }
        part
    }

    fn element(
        &self,
        unit: &Unit<Reader>,
        array: &Entry<'_>,
        offset: u64,
        suffix: &mut String,
    ) -> Option<(Offset, u64)> {
        let of = self.type_of(unit, array)?;
        let mut stride = self.size(unit, of)?;
        let counts = self.counts(unit, array.offset())?;
        // Along the outermost dimension the number of elements is of no interest.
        for count in counts.iter().skip(1) {
            stride = stride.checked_mul((*count)?)?;
        }
        let (mut indices, mut rest) = (String::new(), offset);
        for inner in (1..=counts.len()).map(|dimension| counts.get(dimension)) {
            let index = rest.checked_div(stride)?;
            rest -= index * stride;
            write!(indices, "[{index}]").ok()?;
            if let Some(count) = inner {
                stride = stride.checked_div((*count)?)?;
            }
        }
        suffix.push_str(&indices);
        Some((of, rest))
    }

    /// The one member at an offset, if there is exactly one.
    fn member(
        &self,
        unit: &Unit<Reader>,
        record: Offset,
        offset: u64,
        suffix: &mut String,
    ) -> Option<(Offset, u64)> {
        let mut tree = unit.entries_tree(Some(record)).ok()?;
        let mut members = tree.root().ok()?.children();
        let mut found = None;
        while let Ok(Some(member)) = members.next() {
            let entry = member.entry();
            if !matches!(entry.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance)
                || matches!(entry.attr_value(gimli::DW_AT_external), Ok(Some(AttributeValue::Flag(true))))
            {
                continue;
            }
            // Where a virtual base is depends on the object.
            if matches!(entry.attr_value(gimli::DW_AT_virtuality), Ok(Some(_))) {
                continue;
            }
            let Some(of) = self.type_of(unit, entry) else { continue };
            let (from, size) = match number(entry, gimli::DW_AT_bit_size) {
                Some(bits) => {
                    // There are two encodings of where the bits are; in the older one they are
                    // somewhere in a unit of storage.
                    let at = number(entry, gimli::DW_AT_data_bit_offset)?;
                    (at / 8, (at + bits).div_ceil(8) - at / 8)
                }
                None => {
                    let from = number(entry, gimli::DW_AT_data_member_location).unwrap_or(0);
                    (from, self.size(unit, of).unwrap_or(0))
                }
            };
            if (from..from.saturating_add(size)).contains(&offset) {
                if found.is_some() {
                    return None;
                }
                let name = (entry.tag() == gimli::DW_TAG_member).then(|| self.name(unit, entry)).flatten();
                found = Some((name, of, offset - from));
            }
        }
        let (name, of, rest) = found?;
        // The array in a `std::array` is not written.
        if let Some(name) = name.filter(|name| !["_M_elems", "__elems_"].contains(&name.as_ref())) {
            suffix.push('.');
            suffix.push_str(field_name(&name));
        }
        Some((of, rest))
    }
}

fn scalar(entry: &Entry<'_>) -> Option<Scalar> {
    match entry.tag() {
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
            Some(Scalar::Pointer)
        }
        gimli::DW_TAG_enumeration_type => Some(Scalar::Signed),
        gimli::DW_TAG_base_type => match entry.attr_value(gimli::DW_AT_encoding).ok().flatten()? {
            AttributeValue::Encoding(gimli::DW_ATE_signed) => Some(Scalar::Signed),
            AttributeValue::Encoding(gimli::DW_ATE_unsigned | gimli::DW_ATE_unsigned_char) => {
                Some(Scalar::Unsigned)
            }
            AttributeValue::Encoding(gimli::DW_ATE_float) => Some(Scalar::Float),
            AttributeValue::Encoding(gimli::DW_ATE_boolean) => Some(Scalar::Bool),
            AttributeValue::Encoding(gimli::DW_ATE_signed_char) => Some(Scalar::Char),
            _ => None,
        },
        _ => None,
    }
}

/// The name of a field as the source has it: rustc calls those of tuples `__0`, `__1`.
fn field_name(name: &str) -> &str {
    match name.strip_prefix("__") {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => digits,
        _ => name,
    }
}

fn number(entry: &Entry<'_>, attribute: gimli::DwAt) -> Option<u64> {
    entry.attr_value(attribute).ok().flatten().and_then(|value| value.udata_value())
}
