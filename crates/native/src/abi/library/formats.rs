//! The formats of `printf`: which arguments are strings that are read, and which are written
//! (`%n`).
//!
//! An argument is known by its number. If a format has no numbers (`%1$s`), the next one counts.

use super::Call;
use super::extents::{byte, string, up_to, wide, wide_up_to};
use super::list::List;

/// A format that is gone through: of bytes, or of wide characters.
pub(super) struct Format {
    at: usize,
    width: usize,
}

impl Format {
    pub(super) fn narrow(at: usize) -> Format {
        Format { at, width: 1 }
    }

    pub(super) fn wide(at: usize) -> Format {
        Format { at, width: super::extents::WIDE }
    }

    /// The next character; zero at the end. What is no byte stands for itself.
    pub(super) fn peek(&self) -> u8 {
        if self.width == 1 {
            return byte(self.at);
        }
        // SAFETY: a format of the program's, which the function reads.
        u8::try_from(unsafe { (self.at as *const u32).read_unaligned() }).unwrap_or(b'?')
    }

    pub(super) fn next(&mut self) -> u8 {
        let next = self.peek();
        // The end stays the end.
        self.at += if next == 0 { 0 } else { self.width };
        next
    }

    /// Passes over a character if it is the next.
    pub(super) fn skip(&mut self, character: u8) -> bool {
        let is_next = self.peek() == character;
        if is_next {
            self.next();
        }
        is_next
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        let mut number = None;
        while self.peek().is_ascii_digit() {
            let digit = usize::from(self.next() - b'0');
            number = Some(number.unwrap_or(0usize).saturating_mul(10).saturating_add(digit));
        }
        number
    }

    /// `n$`, if that is next: the number of an argument, from zero on.
    pub(super) fn position(&mut self) -> Option<usize> {
        let before = self.at;
        match self.number() {
            Some(number @ 1..) if self.skip(b'$') => Some(number - 1),
            _ => {
                self.at = before;
                None
            }
        }
    }

    /// The size of an integer by its modifier, and whether it was `l` and `L`.
    pub(super) fn modifier(&mut self) -> Modifier {
        let modifier = self.peek();
        match modifier {
            b'h' | b'l' => {
                self.next();
                match (modifier, self.skip(modifier)) {
                    (b'h', false) => Modifier::Short,
                    (b'h', true) => Modifier::Char,
                    (_, false) => Modifier::Long,
                    (_, true) => Modifier::LongLong,
                }
            }
            b'L' | b'q' => {
                self.next();
                Modifier::LongLong
            }
            b'j' | b'z' | b't' | b'Z' => {
                self.next();
                Modifier::Word
            }
            _ => Modifier::None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Modifier {
    None,
    Char,
    Short,
    Long,
    /// Of a floating-point number: `long double`.
    LongLong,
    Word,
}

impl Modifier {
    /// The bytes of an integer.
    pub(super) fn integer(self) -> usize {
        match self {
            Modifier::Char => 1,
            Modifier::Short => 2,
            Modifier::None => 4,
            Modifier::Long | Modifier::LongLong | Modifier::Word => 8,
        }
    }

    /// The bytes of a floating-point number that is read in.
    pub(super) fn float(self) -> usize {
        match self {
            Modifier::Long => 8,
            Modifier::LongLong => 16,
            _ => 4,
        }
    }
}

/// How an argument is passed.
#[derive(Clone, Copy)]
enum Class {
    Integer,
    Float,
    LongFloat,
}

enum Most {
    All,
    Number(usize),
    Argument(usize),
}

/// What a conversion does with the memory its argument points to.
enum Use {
    String(Most),
    Wide(Most),
    Write(usize),
}

/// The arguments of a format and how they are used.
#[derive(Default)]
struct Arguments {
    classes: Vec<Class>,
    uses: Vec<(usize, Use)>,
    next: usize,
}

/// Arguments of a format that are looked at: a position may be any number.
const MOST: usize = 4096;

impl Arguments {
    /// An argument of this class; the next, if there is no position.
    fn take(&mut self, position: Option<usize>, class: Class) -> usize {
        let number = position.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        if number < MOST {
            if self.classes.len() <= number {
                self.classes.resize(number + 1, Class::Integer);
            }
            self.classes[number] = class;
        }
        number
    }

    fn of(mut format: Format) -> Arguments {
        let mut all = Arguments::default();
        loop {
            match format.next() {
                0 => return all,
                b'%' if !format.skip(b'%') => all.conversion(&mut format),
                _ => {}
            }
        }
    }

    /// A width or precision: a number, or an argument.
    fn most(&mut self, format: &mut Format) -> Option<Most> {
        if format.skip(b'*') {
            let position = format.position();
            return Some(Most::Argument(self.take(position, Class::Integer)));
        }
        format.number().map(Most::Number)
    }

    fn conversion(&mut self, format: &mut Format) {
        let position = format.position();
        while matches!(format.peek(), b'-' | b'+' | b' ' | b'#' | b'0' | b'\'' | b'I') {
            format.next();
        }
        self.most(format);
        let mut precision = Most::All;
        if format.skip(b'.') {
            precision = self.most(format).unwrap_or(Most::Number(0));
        }
        let modifier = format.modifier();
        match format.next() {
            b's' if modifier == Modifier::Long => self.points(position, Use::Wide(precision)),
            b'S' => self.points(position, Use::Wide(precision)),
            b's' => self.points(position, Use::String(precision)),
            b'n' => self.points(position, Use::Write(modifier.integer())),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                let is_long = modifier == Modifier::LongLong;
                self.take(position, if is_long { Class::LongFloat } else { Class::Float });
            }
            // `%m` is the text of the error number.
            b'm' | b'%' | 0 => {}
            _ => {
                self.take(position, Class::Integer);
            }
        }
    }

    fn points(&mut self, position: Option<usize>, what: Use) {
        let number = self.take(position, Class::Integer);
        self.uses.push((number, what));
    }

    /// The values of the integers and pointers.
    fn values(&self, mut list: List) -> Vec<usize> {
        let value = |class: &Class| match class {
            Class::Integer => list.integer(),
            Class::Float => {
                list.skip_float();
                0
            }
            Class::LongFloat => {
                list.skip_long_float();
                0
            }
        };
        self.classes.iter().map(value).collect()
    }
}

impl Call {
    /// A function of the `printf` family: reads its format, and what that says.
    pub(super) fn formatted(&self, format: usize, list: usize) {
        self.read(format, string(format));
        self.printed(Format::narrow(format), list);
    }

    /// The same with a format of wide characters.
    pub(super) fn formatted_wide(&self, format: usize, list: usize) {
        self.read(format, wide(format));
        self.printed(Format::wide(format), list);
    }

    fn printed(&self, format: Format, list: usize) {
        let Some(list) = List::at(list).filter(|_| format.at != 0) else { return };
        let arguments = Arguments::of(format);
        if arguments.uses.is_empty() {
            return;
        }
        let values = arguments.values(list);
        let value = |number: usize| values.get(number).copied().unwrap_or(0);
        // A negative precision is none.
        let most = |most: &Most| match *most {
            Most::All => usize::MAX,
            Most::Number(number) => number,
            Most::Argument(number) => usize::try_from(value(number) as i32).unwrap_or(usize::MAX),
        };
        for (number, what) in &arguments.uses {
            let address = value(*number);
            match what {
                Use::String(precision) => self.read(address, up_to(address, most(precision))),
                Use::Wide(precision) => self.read(address, wide_up_to(address, most(precision))),
                Use::Write(size) => self.write(address, *size),
            }
        }
    }
}
