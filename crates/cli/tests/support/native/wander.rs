//! Loops whose counters go where data leads them, made at random, as C and as the bytes that they
//! access: scans, merges, partitions and what else comes of moving a few places in an array, each
//! time or now and then, up or down, until the data says that it is enough.

use super::generate::Random;
use super::loops::{Given, KINDS, Loops};
use std::collections::HashMap;
use std::fmt::Write;

/// Bytes by which the loops decide; those of one run begin so many further for each `m`.
const DATA: usize = 4096;
const APART: i64 = 97;
/// A loop that looks at more of them makes a poor test.
const MOST: usize = 200;

/// What the data looks like, in C.
pub const PROLOGUE: &str = "static unsigned char data[4096];\n\
    static void prepare(void) {\n  unsigned long long x = 1;\n  for (int i = 0; i < 4096; i++) {\n    \
    x = x * 6364136223846793005u + 1442695040888963407u;\n    data[i] = x >> 56;\n  }\n}\n";

fn data() -> Vec<u8> {
    let mut x = 1u64;
    let next = || {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 56) as u8
    };
    std::iter::repeat_with(next).take(DATA).collect()
}

/// A place in the array: a pointer, or an index of a type.
#[derive(Debug)]
struct Place {
    index: Option<&'static str>,
    start: i64,
    from_n: bool,
}

/// If all of these bits are set in the byte looked at.
type Bits = u8;

#[derive(Debug)]
enum Statement {
    Access {
        place: usize,
        writes: bool,
        offset: i64,
    },
    Move {
        place: usize,
        by: i64,
        when: Option<Bits>,
        branches: bool,
    },
    /// Both, or neither.
    AccessAndMove {
        place: usize,
        writes: bool,
        by: i64,
        when: Bits,
    },
    Leave(Bits),
    Scan {
        place: usize,
        writes: bool,
        by: i64,
        when: Bits,
        form: Form,
    },
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// Accesses and moves at least once.
    Do,
    /// Or never.
    While,
    /// Accesses once more than it moves, as a partition does.
    Look,
    /// The same, and moves on.
    LookAndPass,
}

/// A function with a loop of such statements.
#[derive(Debug)]
pub struct Wander {
    kind: &'static str,
    size: i64,
    places: Vec<Place>,
    body: Vec<Statement>,
    /// It is looked before the first time whether there is anything to do.
    guarded: bool,
}

struct Run<'w> {
    of: &'w Wander,
    data: Vec<u8>,
    at: usize,
    places: Vec<i64>,
    bytes: HashMap<i64, bool>,
}

impl Wander {
    fn element(&self, place: usize, offset: i64) -> String {
        let member = if self.size == 12 { ".y" } else { "" };
        match self.places[place].index {
            Some(_) => format!("a[p{place} + {offset}]{member}"),
            None => format!("p{place}[{offset}]{member}"),
        }
    }

    fn access_c(&self, place: usize, offset: i64, writes: bool) -> String {
        let element = self.element(place, offset);
        if writes { format!("{element} = 1") } else { format!("sum += {element}") }
    }
}

fn bits(when: Bits) -> String {
    format!("(d[t] & {when}) == {when}")
}

impl Statement {
    fn c(&self, of: &Wander) -> String {
        match *self {
            Statement::Access { place, writes, offset } => format!("{};", of.access_c(place, offset, writes)),
            Statement::Move { place, by, when: None, .. } => format!("p{place} += {by};"),
            Statement::Move { place, by, when: Some(when), branches: true } => {
                format!("if ({}) p{place} += {by};", bits(when))
            }
            Statement::Move { place, by, when: Some(when), branches: false } => {
                format!("p{place} += ({}) * {by};", bits(when))
            }
            Statement::AccessAndMove { place, writes, by, when } => {
                format!("if ({}) {{ {}; p{place} += {by}; }}", bits(when), of.access_c(place, 0, writes))
            }
            Statement::Leave(when) => format!("if ({}) break;", bits(when)),
            Statement::Scan { place, writes, by, when, form } => {
                let (access, test) = (of.access_c(place, 0, writes), format!("(d[t++] & {when}) == {when}"));
                match form {
                    Form::Do => format!("do {{ {access}; p{place} += {by}; }} while ({test});"),
                    Form::While => format!("while ({test}) {{ {access}; p{place} += {by}; }}"),
                    Form::Look => format!("while ({access}, {test}) p{place} += {by};"),
                    Form::LookAndPass => {
                        format!("while ({access}, {test}) p{place} += {by};\n    p{place} += {by};")
                    }
                }
            }
        }
    }
}

impl Loops for Wander {
    fn new(random: &mut Random) -> Wander {
        let (kind, size) = KINDS[[2, 2, 3, 0, 1, 4, 5][random.below(7) as usize]];
        let place = |random: &mut Random| Place {
            index: [None, None, Some("int"), Some("long"), Some("unsigned")][random.below(5) as usize],
            start: random.below(3) as i64,
            from_n: random.below(3) == 0,
        };
        let places: Vec<Place> = (0..=random.below(3)).map(|_| place(random)).collect();
        // Mostly one way for each place: this is what can be told of at the end.
        let ways: Vec<i64> = places.iter().map(|_| [1, 1, 1, -1, -1, 2][random.below(6) as usize]).collect();
        let statement = |random: &mut Random| {
            let place = random.below(places.len() as u64) as usize;
            let writes = random.below(2) == 0;
            let by = if random.below(12) == 0 { -ways[place] } else { ways[place] };
            let when = [1, 2, 4, 3][random.below(4) as usize];
            match random.below(9) {
                0 | 1 => Statement::Access { place, writes, offset: random.below(3) as i64 - 1 },
                2 => Statement::Move { place, by, when: None, branches: false },
                3 => Statement::Move { place, by, when: Some(when), branches: random.below(2) == 0 },
                4 | 5 => Statement::AccessAndMove { place, writes, by, when },
                6 => Statement::Leave([56, 24, 112][random.below(3) as usize]),
                _ => {
                    let form =
                        [Form::Do, Form::While, Form::Look, Form::LookAndPass][random.below(4) as usize];
                    Statement::Scan { place, writes, by, when, form }
                }
            }
        };
        let mut body: Vec<Statement> = (0..2 + random.below(3)).map(|_| statement(random)).collect();
        // A place that is accessed and moves every time.
        if random.below(2) == 0 {
            let place = random.below(places.len() as u64) as usize;
            body.push(Statement::Access { place, writes: random.below(2) == 0, offset: 0 });
            body.push(Statement::Move { place, by: ways[place], when: None, branches: false });
        }
        Wander { kind, size, places, body, guarded: random.below(2) == 0 }
    }

    fn c(&self, name: &str) -> String {
        let mut text = format!(
            "static __attribute__((noinline)) void {name}({0} *a, long n, long m) {{\n  long sum = m, t = 0;\n  \
             const unsigned char *d = data + {APART} * m;\n",
            self.kind
        );
        for (number, place) in self.places.iter().enumerate() {
            let from = if place.from_n { format!("n + {}", place.start) } else { place.start.to_string() };
            let _ = match place.index {
                Some(kind) => writeln!(text, "  {kind} p{number} = {from};"),
                None => writeln!(text, "  {} *p{number} = a + {from};", self.kind),
            };
        }
        text.push_str(if self.guarded { "  while (t < n) {\n" } else { "  for (;;) {\n" });
        for statement in &self.body {
            let _ = writeln!(text, "    {}", statement.c(self));
        }
        text.push_str(if self.guarded { "    t++;\n  }\n" } else { "    if (++t >= n) break;\n  }\n" });
        for number in 0..self.places.len() {
            let _ = writeln!(text, "  __asm__ volatile(\"\" ::\"r\"(p{number}));");
        }
        text.push_str("  __asm__ volatile(\"\" ::\"r\"(sum));\n}\n");
        text
    }

    fn bytes(&self, given: Given) -> Option<HashMap<i64, bool>> {
        let start = |place: &Place| place.start + if place.from_n { given.n } else { 0 };
        let data = data()[(APART * given.m) as usize..].to_vec();
        let places = self.places.iter().map(start).collect();
        let mut run = Run { of: self, data, at: 0, places, bytes: HashMap::new() };
        while !self.guarded || (run.at as i64) < given.n {
            for statement in &self.body {
                if !run.does(statement)? {
                    return Some(run.bytes);
                }
            }
            run.at += 1;
            if !self.guarded && run.at as i64 >= given.n {
                break;
            }
        }
        Some(run.bytes)
    }

    fn alignment(&self) -> i64 {
        if self.size == 12 { 4 } else { self.size }
    }
}

impl Run<'_> {
    fn is_set(&self, when: Bits) -> Option<bool> {
        (self.at < MOST).then(|| self.data[self.at] & when == when)
    }

    fn access(&mut self, place: usize, offset: i64, writes: bool) -> Option<()> {
        let element = self.places[place] + offset;
        // As a number without a sign it would be another one.
        if self.of.places[place].index == Some("unsigned") && element < 0 {
            return None;
        }
        let (from, size) =
            if self.of.size == 12 { (element * 12 + 4, 4) } else { (element * self.of.size, self.of.size) };
        for byte in from..from + size {
            *self.bytes.entry(byte).or_insert(false) |= writes;
        }
        Some(())
    }

    /// Whether the loop goes on; nothing if it would for too long.
    fn does(&mut self, statement: &Statement) -> Option<bool> {
        match *statement {
            Statement::Access { place, writes, offset } => self.access(place, offset, writes)?,
            Statement::Move { place, by, when, .. } => {
                if when.is_none_or(|when| self.is_set(when) == Some(true)) {
                    self.places[place] += by;
                }
            }
            Statement::AccessAndMove { place, writes, by, when } => {
                if self.is_set(when)? {
                    self.access(place, 0, writes)?;
                    self.places[place] += by;
                }
            }
            Statement::Leave(when) => return Some(!self.is_set(when)?),
            Statement::Scan { place, writes, by, when, form } => {
                if matches!(form, Form::Do) {
                    self.access(place, 0, writes)?;
                    self.places[place] += by;
                }
                loop {
                    let looks = matches!(form, Form::Look | Form::LookAndPass);
                    if looks {
                        self.access(place, 0, writes)?;
                    }
                    let goes_on = self.is_set(when)?;
                    self.at += 1;
                    if !goes_on {
                        break;
                    }
                    if !looks {
                        self.access(place, 0, writes)?;
                    }
                    self.places[place] += by;
                }
                if matches!(form, Form::LookAndPass) {
                    self.places[place] += by;
                }
            }
        }
        self.is_set(0)
    }
}
