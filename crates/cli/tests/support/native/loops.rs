//! Loops over an array, made at random, as C and as the bytes that they access.

use super::generate::Random;
use std::collections::HashMap;
use std::fmt::Write;

/// What the variables of a shape stand for: `n` and `m` are arguments.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    pub n: i64,
    pub m: i64,
}

/// Functions `NAME(element *a, long n, long m)`, made at random.
pub trait Loops {
    fn new(random: &mut Random) -> Self;
    /// As a function of this name.
    fn c(&self, name: &str) -> String;
    /// The bytes it accesses, from the array's begin on, and whether it writes them. Nothing if a
    /// loop would run for too long.
    fn bytes(&self, given: Given) -> Option<HashMap<i64, bool>>;
    fn alignment(&self) -> i64;
}

/// A number that a loop starts with or ends at.
#[derive(Clone, Copy, Debug)]
enum Bound {
    Fixed(i64),
    /// `n` and something.
    N(i64),
    M(i64),
    /// The counter of the loop around and something.
    Outer(i64),
}

#[derive(Debug)]
struct Loop {
    counter: &'static str,
    from: Bound,
    to: Bound,
    relation: &'static str,
    step: i64,
}

#[derive(Debug)]
struct Access {
    writes: bool,
    /// Factors of the counters, outermost first; of the first, `m` if so.
    factors: [i64; 2],
    by_m: bool,
    offset: i64,
    /// In every second iteration only.
    sometimes: bool,
}

/// A function with one or two loops.
#[derive(Debug)]
pub struct Shape {
    kind: &'static str,
    size: i64,
    loops: Vec<Loop>,
    accesses: Vec<Access>,
    /// The inner loop is left when its counter is this.
    leaves: Option<i64>,
    calls: bool,
}

pub const KINDS: [(&str, i64); 6] =
    [("char", 1), ("short", 2), ("int", 4), ("long", 8), ("double", 8), ("struct point", 12)];

impl Bound {
    fn c(self) -> String {
        match self {
            Bound::Fixed(value) => value.to_string(),
            Bound::N(plus) => format!("n + {plus}"),
            Bound::M(plus) => format!("m + {plus}"),
            Bound::Outer(plus) => format!("(long)i + {plus}"),
        }
    }

    fn value(self, given: Given, outer: i64) -> i64 {
        match self {
            Bound::Fixed(value) => value,
            Bound::N(plus) => given.n + plus,
            Bound::M(plus) => given.m + plus,
            Bound::Outer(plus) => outer + plus,
        }
    }
}

impl Loops for Shape {
    fn new(random: &mut Random) -> Shape {
        let (kind, size) = KINDS[random.below(6) as usize];
        let depth = 1 + random.below(2) as usize;
        let loops = (0..depth).map(|level| Loop::new(random, level)).collect();
        let access = |random: &mut Random| Access {
            writes: random.below(3) == 0,
            factors: [
                random.below(5) as i64 - 1,
                if random.below(4) == 0 { random.below(5) as i64 - 2 } else { 1 },
            ],
            by_m: random.below(3) == 0,
            offset: random.below(3) as i64 - 1,
            sometimes: random.below(6) == 0,
        };
        let accesses = (0..=random.below(3)).map(|_| access(random)).collect();
        let leaves = (random.below(8) == 0).then(|| random.below(12) as i64);
        Shape { kind, size, loops, accesses, leaves, calls: random.below(12) == 0 }
    }

    fn c(&self, name: &str) -> String {
        let mut text = format!(
            "static __attribute__((noinline)) void {name}({0} *a, long n, long m) {{\n  long sum = m;\n",
            self.kind
        );
        for (counter, nested) in ["i", "j"].iter().zip(&self.loops) {
            let Loop { counter: kind, from, to, relation, step } = nested;
            let _ = writeln!(
                text,
                "  for ({kind} {counter} = {}; {counter} {relation} {}; {counter} += {step}) {{",
                from.c(),
                to.c()
            );
        }
        let inner = if self.loops.len() == 2 { "j" } else { "i" };
        if let Some(value) = self.leaves {
            let _ = writeln!(text, "    if ({inner} == {value}) break;");
        }
        for Access { writes, factors, by_m, offset, sometimes } in &self.accesses {
            let element = if self.size == 12 { ".y" } else { "" };
            let first = if *by_m { "m".to_owned() } else { factors[0].to_string() };
            let second =
                if self.loops.len() == 2 { format!(" + {} * (long)j", factors[1]) } else { String::new() };
            let place = format!("a[{first} * (long)i{second} + {offset}]{element}");
            let guard = if *sometimes { format!("if ({inner} & 1) ") } else { String::new() };
            let access = if *writes { format!("{place} = 1") } else { format!("sum += {place}") };
            let _ = writeln!(text, "    {guard}{access};");
        }
        if self.calls {
            text.push_str("    touch();\n");
        }
        text.push_str(&"  }\n".repeat(self.loops.len()));
        text.push_str("  __asm__ volatile(\"\" ::\"r\"(sum));\n}\n");
        text
    }

    fn bytes(&self, given: Given) -> Option<HashMap<i64, bool>> {
        let mut bytes = HashMap::new();
        for i in self.loops[0].values(given, 0)? {
            if self.loops.len() == 1 {
                if self.leaves == Some(i) {
                    break;
                }
                self.access(given, [i, 0], i, &mut bytes);
                continue;
            }
            for j in self.loops[1].values(given, i)? {
                if self.leaves == Some(j) {
                    break;
                }
                self.access(given, [i, j], j, &mut bytes);
            }
        }
        Some(bytes)
    }

    fn alignment(&self) -> i64 {
        if self.size == 12 { 4 } else { self.size }
    }
}

impl Shape {
    fn access(&self, given: Given, counters: [i64; 2], inner: i64, bytes: &mut HashMap<i64, bool>) {
        for Access { writes, factors, by_m, offset, sometimes } in &self.accesses {
            if *sometimes && inner & 1 == 0 {
                continue;
            }
            let first = if *by_m { given.m } else { factors[0] };
            let second = if self.loops.len() == 2 { factors[1] * counters[1] } else { 0 };
            let element = first * counters[0] + second + offset;
            // Of the structure, one member.
            let (from, size) =
                if self.size == 12 { (element * 12 + 4, 4) } else { (element * self.size, self.size) };
            for byte in from..from + size {
                *bytes.entry(byte).or_insert(false) |= writes;
            }
        }
    }
}

/// A loop that runs longer makes a poor test.
const LONGEST: usize = 60;

impl Loop {
    fn new(random: &mut Random, level: usize) -> Loop {
        let plus = |random: &mut Random| random.below(4) as i64 - 1;
        let near = |random: &mut Random| match random.below(if level == 0 { 4 } else { 6 }) {
            0 => Bound::Fixed(random.below(20) as i64),
            1 | 2 => Bound::N(plus(random)),
            3 => Bound::M(plus(random)),
            _ => Bound::Outer(plus(random)),
        };
        let start = if random.below(2) == 0 { Bound::Fixed(random.below(3) as i64) } else { near(random) };
        let counter = ["int", "long", "long", "unsigned"][random.below(4) as usize];
        let end = near(random);
        // Counters without a sign go up.
        if counter != "unsigned" && random.below(3) == 0 {
            let relation = [">", ">=", "!="][random.below(3) as usize];
            let step = if relation == "!=" { -1 } else { -1 - random.below(3) as i64 };
            return Loop { counter, from: end, to: start, relation, step };
        }
        let relation = ["<", "<", "<=", "!="][random.below(4) as usize];
        let step = if relation == "!=" { 1 } else { 1 + random.below(3) as i64 };
        Loop { counter, from: start, to: end, relation, step }
    }

    fn values(&self, given: Given, outer: i64) -> Option<Vec<i64>> {
        let (mut at, to) = (self.from.value(given, outer), self.to.value(given, outer));
        // As numbers without a sign these would be other ones.
        if self.counter == "unsigned" && (at < 0 || to < 0 || outer < 0) {
            return None;
        }
        let goes_on = |at: i64| match self.relation {
            "<" => at < to,
            "<=" => at <= to,
            ">" => at > to,
            ">=" => at >= to,
            _ => at != to,
        };
        let mut values = Vec::new();
        while goes_on(at) {
            values.push(at);
            at += self.step;
            if values.len() > LONGEST {
                return None;
            }
        }
        Some(values)
    }
}
