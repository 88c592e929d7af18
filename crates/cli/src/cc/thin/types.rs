//! Sizes of types, as laid out on x86-64.

use super::ir::split;
use rustc_hash::FxHashMap;

/// The structures that a module names.
#[derive(Default)]
pub(super) struct Types<'a>(FxHashMap<&'a str, &'a str>);

#[derive(Clone, Copy)]
struct Layout {
    size: u64,
    alignment: u64,
}

impl<'a> Types<'a> {
    pub(super) fn of(lines: &[&'a str]) -> Types<'a> {
        let named =
            lines.iter().filter(|line| line.starts_with('%')).filter_map(|line| line.split_once(" = type "));
        Types(named.collect())
    }

    /// The bytes from one element of an array to the next.
    pub(super) fn size(&self, kind: &str) -> Option<i64> {
        i64::try_from(self.layout(kind, 0)?.size).ok()
    }

    /// What one index into a type is worth: bytes an element, or a fixed number of bytes, and the type that it leads to.
    pub(super) fn step<'b>(&'b self, kind: &'b str, index: &str) -> Option<(Step, &'b str)> {
        let kind = self.0.get(kind).copied().unwrap_or(kind);
        if let Some((_, element)) = array(kind) {
            return Some((Step::Each(self.size(element)?), element));
        }
        let (members, packed) = members(kind)?;
        let chosen: usize = index.parse().ok()?;
        let (mut offset, members) = (0, split(members));
        for (number, member) in members.iter().enumerate() {
            let layout = self.layout(member, 1)?;
            if !packed {
                offset = u64::next_multiple_of(offset, layout.alignment);
            }
            if number == chosen {
                return Some((Step::Fixed(i64::try_from(offset).ok()?), member));
            }
            offset += layout.size;
        }
        None
    }

    fn layout(&self, kind: &str, depth: u32) -> Option<Layout> {
        let plain = |size| Some(Layout { size, alignment: size });
        match kind {
            "i1" | "i8" => return plain(1),
            "i16" | "half" | "bfloat" => return plain(2),
            "i32" | "float" => return plain(4),
            "i64" | "double" | "ptr" => return plain(8),
            "x86_fp80" | "fp128" => return plain(16),
            _ if depth > 20 => return None,
            _ => {}
        }
        if let Some(named) = self.0.get(kind) {
            return self.layout(named, depth + 1);
        }
        if let Some((count, element)) = array(kind) {
            let Layout { size, alignment } = self.layout(element, depth + 1)?;
            return Some(Layout { size: size.checked_mul(count)?, alignment });
        }
        let (members, packed) = members(kind)?;
        let mut whole = Layout { size: 0, alignment: 1 };
        for member in split(members).into_iter().filter(|member| !member.is_empty()) {
            let Layout { size, alignment } = self.layout(member, depth + 1)?;
            let alignment = if packed { 1 } else { alignment };
            whole.size = whole.size.next_multiple_of(alignment).checked_add(size)?;
            whole.alignment = whole.alignment.max(alignment);
        }
        whole.size = whole.size.next_multiple_of(whole.alignment);
        Some(whole)
    }
}

pub(super) enum Step {
    Each(i64),
    Fixed(i64),
}

fn array(kind: &str) -> Option<(u64, &str)> {
    let (count, element) = kind.strip_prefix('[')?.strip_suffix(']')?.split_once(" x ")?;
    Some((count.parse().ok()?, element))
}

fn members(kind: &str) -> Option<(&str, bool)> {
    if let Some(packed) = kind.strip_prefix("<{").and_then(|kind| kind.strip_suffix("}>")) {
        return Some((packed, true));
    }
    Some((kind.strip_prefix('{')?.strip_suffix('}')?, false))
}
