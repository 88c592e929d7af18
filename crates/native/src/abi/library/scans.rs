//! The formats of `scanf`: which arguments are written, and how many bytes of each.

use super::Call;
use super::extents::{WIDE, string, wide, word};
use super::formats::{Format, Modifier};
use super::list::List;

/// What is written through a pointer.
enum Written {
    Bytes(usize),
    String,
    WideString,
    /// A string that was allocated for it, and the pointer to it.
    Allocated {
        is_wide: bool,
        characters: Option<usize>,
    },
}

/// A part of a format.
enum Part {
    /// What was matched need not be known: white space always is.
    Space,
    Text,
    /// An assignment, and whether it counts as one (`%n` does not).
    Assigns {
        position: Option<usize>,
        written: Written,
        counts: bool,
    },
    /// A conversion whose result nobody gets (`%*d`).
    Passes,
    End,
}

fn part(format: &mut Format) -> Part {
    match format.next() {
        0 => Part::End,
        b' ' | b'\t'..=b'\r' => Part::Space,
        b'%' if !format.skip(b'%') => conversion(format),
        _ => Part::Text,
    }
}

fn conversion(format: &mut Format) -> Part {
    let position = format.position();
    let (mut passes, mut allocates) = (false, false);
    loop {
        match format.peek() {
            b'*' => passes = true,
            b'm' => allocates = true,
            b'\'' | b'I' => {}
            _ => break,
        }
        format.next();
    }
    let width = format.number();
    allocates |= format.skip(b'm');
    let modifier = format.modifier();
    let kind = format.next();
    if kind == b'[' {
        set(format);
    }
    let is_wide = modifier == Modifier::Long || matches!(kind, b'S' | b'C');
    let written = match kind {
        0 => return Part::End,
        b'c' | b'C' if allocates => Written::Allocated { is_wide, characters: Some(width.unwrap_or(1)) },
        b's' | b'S' | b'[' if allocates => Written::Allocated { is_wide, characters: None },
        b'c' | b'C' => Written::Bytes(width.unwrap_or(1) * if is_wide { WIDE } else { 1 }),
        b's' | b'S' | b'[' if is_wide => Written::WideString,
        b's' | b'S' | b'[' => Written::String,
        b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => Written::Bytes(modifier.float()),
        b'p' => Written::Bytes(size_of::<usize>()),
        _ => Written::Bytes(modifier.integer()),
    };
    if passes { Part::Passes } else { Part::Assigns { position, written, counts: kind != b'n' } }
}

/// Passes over the characters of a set, up to the `]` that ends it: not the first.
fn set(format: &mut Format) {
    format.skip(b'^');
    format.skip(b']');
    while !matches!(format.next(), b']' | 0) {}
}

impl Call {
    /// Keeps a list as it is before the call.
    pub(super) fn keep(&self, list: usize) {
        if let Some(list) = List::at(list) {
            self.kept.set(list);
        }
    }

    /// A function of the `scanf` family has assigned so many values.
    pub(super) fn scanned(&self, format: usize, assigned: usize) {
        self.assigned(Format::narrow(format), assigned as i32);
    }

    pub(super) fn scanned_wide(&self, format: usize, assigned: usize) {
        self.assigned(Format::wide(format), assigned as i32);
    }

    fn assigned(&self, mut format: Format, assigned: i32) {
        let mut list = self.kept.get();
        // The pointers that were taken, by number.
        let mut taken = Vec::new();
        let (mut next, mut left) = (0, assigned.max(0));
        loop {
            match part(&mut format) {
                Part::Space => {}
                Part::Assigns { position, written, counts } if left > 0 || !counts => {
                    let number = position.unwrap_or(next);
                    next += 1;
                    if number >= taken.len() + MOST {
                        return;
                    }
                    while taken.len() <= number {
                        taken.push(list.integer());
                    }
                    self.assign(taken[number], &written);
                    left -= i32::from(counts);
                }
                // Whether that was matched is not known if it comes after the last assignment.
                Part::Text | Part::Passes if left > 0 => {}
                _ => return,
            }
        }
    }

    fn assign(&self, address: usize, written: &Written) {
        match *written {
            Written::Bytes(size) => self.write(address, size),
            Written::String => self.write(address, string(address)),
            Written::WideString => self.write(address, wide(address)),
            Written::Allocated { is_wide, characters } => {
                self.write(address, size_of::<usize>());
                let at = word(address);
                let size = match (is_wide, characters) {
                    (true, Some(count)) => WIDE * count,
                    (false, Some(count)) => count,
                    (true, None) => wide(at),
                    (false, None) => string(at),
                };
                self.write(at, size);
            }
        }
    }
}

/// Pointers that a position may pass over.
const MOST: usize = 64;
