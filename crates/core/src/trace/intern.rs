//! Names to dense ids, fast for the names that traces are full of: letters and a number, `T12`,
//! `V345`, `678`.

use rustc_hash::FxHashMap;

/// A table for numbered names with one prefix grows to this, and beyond only with the names there
/// are.
const FREE: usize = 1 << 16;

#[derive(Debug, Default)]
pub(super) struct Intern {
    /// For names of at most one letter and a number without leading zeros: by letter (0 for none),
    /// then number, the id plus one.
    numbered: Vec<Vec<u32>>,
    others: FxHashMap<Box<[u8]>, u32>,
    count: u32,
}

impl Intern {
    /// The id of a name, and whether it is new.
    #[inline]
    pub(super) fn id(&mut self, name: &[u8]) -> (u32, bool) {
        if let Some((letter, number)) = numbered(name) {
            if let Some(&id) = self.numbered.get(letter as usize).and_then(|table| table.get(number as usize))
                && id != 0
            {
                return (id - 1, false);
            }
            if (number as usize) < FREE + 4 * self.count as usize {
                let before = self.count;
                return (self.add_numbered(letter, number), self.count > before);
            }
        }
        if let Some(&id) = self.others.get(name) {
            return (id, false);
        }
        let id = self.next();
        self.others.insert(name.into(), id);
        (id, true)
    }

    /// The id of something that is a number by itself.
    pub(super) fn number(&mut self, number: u64) -> (u32, bool) {
        if number < FREE as u64 {
            let known = self.numbered.first().and_then(|table| table.get(number as usize));
            if let Some(&id) = known.filter(|&&id| id != 0) {
                return (id - 1, false);
            }
        }
        self.id(number.to_string().as_bytes())
    }

    #[cold]
    fn add_numbered(&mut self, letter: u8, number: u32) -> u32 {
        // It may have come when the table was not yet allowed to be so long.
        let mut name = if letter == 0 { Vec::new() } else { vec![letter] };
        name.extend(number.to_string().bytes());
        let id = self.others.get(&name[..]).copied().unwrap_or_else(|| self.next());
        if self.numbered.is_empty() {
            self.numbered.resize(128, Vec::new());
        }
        let table = &mut self.numbered[letter as usize];
        if table.len() <= number as usize {
            table.resize(number as usize + 1, 0);
        }
        table[number as usize] = id + 1;
        id
    }

    fn next(&mut self) -> u32 {
        let id = self.count;
        self.count += 1;
        id
    }
}

#[inline]
fn numbered(name: &[u8]) -> Option<(u8, u32)> {
    let (letter, digits) = match name {
        [letter, digits @ ..] if letter.is_ascii_alphabetic() => (*letter, digits),
        digits => (0, digits),
    };
    if digits.is_empty() || digits.len() > 8 || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    let mut number = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u32::from(digit);
    }
    Some((letter, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_id_however_the_table_grows() {
        let mut intern = Intern::default();
        assert_eq!(intern.id(b"V99999"), (0, true));
        assert_eq!(intern.id(b"V7"), (1, true));
        assert_eq!(intern.id(b"V07"), (2, true));
        assert_eq!(intern.id(b"7"), (3, true));
        for number in 100_000..120_000u32 {
            assert!(intern.id(format!("x.y[{number}]").as_bytes()).1);
        }
        assert_eq!(intern.id(b"V99999").0, 0);
        assert_eq!(intern.id(b"V99999"), (0, false));
        assert_eq!(intern.id(b"V7"), (1, false));
        assert_eq!(intern.id(b"V07"), (2, false));
        assert_eq!(intern.count, 20_004);
    }
}
