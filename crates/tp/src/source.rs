//! A source file and its lines: from byte offsets to the lines and columns people read.

/// Byte offset → line and column.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// The offset at which each line starts, ascending; never empty, the first is 0.
    starts: Vec<u32>,
    /// Without other characters a column needs no counting, so that a place costs one binary search
    /// however long the line is.
    ascii: bool,
}

impl LineIndex {
    pub fn new(text: &str) -> Self {
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        LineIndex { starts, ascii: text.is_ascii() }
    }

    /// The line and the column of `offset` in `text`, both counted from 1; columns count
    /// characters. An offset past the end is taken for the end, one inside a character for its
    /// beginning.
    pub fn place(&self, text: &str, offset: u32) -> (u32, u32) {
        let offset = (offset as usize).min(text.len());
        let line = self.starts.partition_point(|&start| start as usize <= offset);
        let start = self.starts[line - 1] as usize;
        let before = if self.ascii {
            offset - start
        } else {
            text[start..].char_indices().take_while(|(at, c)| start + at + c.len_utf8() <= offset).count()
        };
        (line as u32, before as u32 + 1)
    }
}

/// A source file: its name as the user gave it, and its text.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: String,
    lines: LineIndex,
}

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Source { name: name.into(), lines: LineIndex::new(&text), text }
    }

    /// A source from the bytes of a file; the error says where they stop being UTF-8.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, String> {
        let name = name.into();
        match String::from_utf8(bytes) {
            // Some editors mark a text in UTF-8 by a first character that is none.
            Ok(text) => Ok(Source::new(name, text.strip_prefix('\u{feff}').unwrap_or(&text))),
            Err(error) => {
                let bytes = error.as_bytes();
                let valid = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(&bytes[..valid]);
                let (line, column) = LineIndex::new(&text).place(&text, valid as u32);
                Err(format!(
                    "{name}:{line}:{column}: expected UTF-8 text, found the byte 0x{:02x}; save the file as UTF-8",
                    bytes[valid]
                ))
            }
        }
    }

    /// The line and the column of a byte offset, both counted from 1; columns count characters.
    pub fn place(&self, offset: u32) -> (u32, u32) {
        self.lines.place(&self.text, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = Source::new("f.tp", "ab\r\n\té=ß;\n\nx");
        let at = |needle: &str| source.place(source.text.find(needle).unwrap() as u32);
        assert_eq!(at("a"), (1, 1));
        assert_eq!(at("b"), (1, 2));
        assert_eq!(at("\t"), (2, 1));
        assert_eq!(at("é"), (2, 2));
        assert_eq!(at("="), (2, 3));
        assert_eq!(at(";"), (2, 5));
        assert_eq!(at("x"), (4, 1));
        assert_eq!(source.place(u32::MAX), (4, 2));
    }

    #[test]
    fn an_offset_inside_a_character_is_its_beginning() {
        let source = Source::new("f.tp", "aé");
        assert_eq!(source.place(1), (1, 2));
        assert_eq!(source.place(2), (1, 2));
        assert_eq!(source.place(3), (1, 3));
    }

    #[test]
    fn ascii_and_other_texts_agree() {
        let ascii = "var x;\n\n proc main() {\n}\n";
        let (fast, slow) = (LineIndex::new(ascii), LineIndex { ascii: false, ..LineIndex::new(ascii) });
        for offset in 0..=ascii.len() as u32 + 2 {
            assert_eq!(fast.place(ascii, offset), slow.place(ascii, offset));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_place() {
        let error = Source::from_bytes("f.tp", b"var x;\nvar \xff;".to_vec()).unwrap_err();
        assert!(error.starts_with("f.tp:2:5: "), "{error}");
        assert!(error.contains("0xff"), "{error}");
        assert!(Source::from_bytes("f.tp", "é".into()).is_ok());
    }
}
