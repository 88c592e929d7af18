//! Access paths: what the source calls the memory of an access. The pass writes them
//! (`crates/pass/plugin/AccessPaths.h` has the form).

/// Where the leftmost name of a path leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Root {
    /// A variable of a function, declared at this line; 0 where that is not known.
    Local(u64),
    Global,
    /// What a pointer or reference points to; the memory is so many bytes behind that.
    Pointer(i64),
    /// The same, where that is the start of a block.
    Block(i64),
}

/// An access path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    pub(crate) root: Root,
    /// What is written, up to and with the opening bracket of an index, the index, and the bytes
    /// from one element to the next.
    indexed: Vec<(String, String, u64)>,
    /// What is written after the last index.
    rest: String,
}

impl Path {
    /// None of what is no path.
    pub(crate) fn parse(text: &str) -> Option<Path> {
        let (head, mut text) = text.split_once(' ')?;
        let (kind, number) = head.split_at_checked(1)?;
        let root = match kind {
            "v" => Root::Local(number.parse().ok()?),
            "g" => Root::Global,
            "p" => Root::Pointer(number.parse().ok()?),
            "b" => Root::Block(number.parse().ok()?),
            _ => return None,
        };
        let mut indexed = Vec::new();
        while let Some((before, after)) = text.split_once('{') {
            let (hole, rest) = after.split_once('}')?;
            let (index, stride) = hole.rsplit_once(':')?;
            indexed.push((before.to_owned(), index.to_owned(), stride.parse().ok()?));
            text = rest;
        }
        Some(Path { root, indexed, rest: text.to_owned() })
    }

    /// As the source has it.
    pub(crate) fn text(&self) -> String {
        let written = self.indexed.iter().map(|(before, index, _)| format!("{before}{index}"));
        written.collect::<String>() + &self.rest
    }

    /// The variable, or the pointer, that it begins with.
    pub(crate) fn first_name(&self) -> &str {
        let text = self.indexed.first().map_or(self.rest.as_str(), |(before, ..)| before);
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$' || c == ':'));
        &text[..end.unwrap_or(text.len())]
    }

    /// Whether it says more than that a pointer is followed.
    pub(crate) fn names_part(&self) -> bool {
        !self.text().starts_with('*')
    }

    /// With the indices of an address, so many bytes behind the start of the block; none if these
    /// are unknown.
    pub(crate) fn in_block(&self, offset: u64) -> Option<String> {
        let Root::Block(fixed) = self.root else { return None };
        let mut rest = u64::try_from(i64::try_from(offset).ok()?.checked_sub(fixed)?).ok()?;
        let mut text = String::new();
        let mut above = u64::MAX;
        for (before, _, stride) in &self.indexed {
            // An inner index of a greater stride would be any number.
            (*stride < above).then_some(())?;
            above = *stride;
            let index = rest.checked_div(*stride)?;
            rest -= index * stride;
            text += &format!("{before}{index}");
        }
        Some(text + &self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        Path::parse(text).unwrap_or_else(|| panic!("{text} is no path"))
    }

    #[test]
    fn a_path_is_written_as_in_the_source() {
        for (text, written, first) in [
            ("v12 s", "s", "s"),
            ("v3 w.energy", "w.energy", "w"),
            ("g table[{i + 1:20}][2]", "table[i + 1][2]", "table"),
            ("p16 p->in.z[{i % 3:4}]", "p->in.z[i % 3]", "p"),
            ("p0 **pp", "**pp", ""),
            ("p0 (*rows)[{k:4}]", "(*rows)[k]", ""),
            ("v0 a[{b ? c : d:4}]", "a[b ? c : d]", "a"),
        ] {
            assert_eq!(path(text).text(), written);
            assert_eq!(path(text).first_name(), first, "{text}");
        }
    }

    #[test]
    fn what_is_no_path_is_none() {
        for text in ["", "v", "v s", "x0 s", "p a", "p1", "v1 a[{i:4]", "v1 a[{i}]", "v1 a[{i:x}]"] {
            assert_eq!(Path::parse(text), None, "{text}");
        }
    }

    #[test]
    fn indices_in_a_block_are_told_by_the_offset() {
        let bodies = path("b8 bodies[{i:40}].v[{j:8}]");
        assert_eq!(bodies.in_block(40 * 4 + 8 + 16).as_deref(), Some("bodies[4].v[2]"));
        assert_eq!(bodies.in_block(0), None, "before the first element's field");
        assert_eq!(path("b12 v[3]").in_block(12).as_deref(), Some("v[3]"));
        for unknown in ["p0 a[{i:8}]", "b0 a[{i:0}]", "b0 a[{i:4}][{j:8}]", "v1 a[{i:8}]"] {
            assert_eq!(path(unknown).in_block(16), None, "{unknown}");
        }
    }
}
