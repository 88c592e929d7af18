//! Programs of tasks and promises made at random, as the words that `promises.cpp` runs on HClib's
//! interface, and as TP. No value decides what a task does, so that every schedule makes the same
//! accesses.

use super::generate::Random;
use std::fmt::Write;

/// Promises that a program has, and variables.
pub const PROMISES: u64 = 5;
pub const VARIABLES: u64 = 3;
/// `promises.cpp` has so many lines for reads, and so many for writes.
pub const ACCESSES: usize = 64;

pub enum Item {
    /// A read or a write of a variable.
    Access {
        writes: bool,
        variable: u64,
    },
    Set(u64),
    Get(u64),
    Task(Vec<Item>),
    Await(u64, Vec<Item>),
    Finish(Vec<Item>),
    /// A future, by its number, and a wait for it.
    Future(u64, Vec<Item>),
    Join(u64),
    /// A finish that puts into a promise when its tasks, which create no others, have ended.
    Nonblocking(u64, Vec<Item>),
}

/// Makes a program.
pub struct Maker<'a> {
    pub random: &'a mut Random,
    /// Statements that are left.
    pub budget: u32,
    /// Promises that nobody sets yet.
    unset: Vec<u64>,
    futures: u64,
}

impl<'a> Maker<'a> {
    pub fn new(random: &'a mut Random) -> Maker<'a> {
        let budget = 8 + random.below(28) as u32;
        Maker { random, budget, unset: (0..PROMISES).collect(), futures: 0 }
    }

    /// The body of `main`. Mostly it sets what nobody else does, so that deadlocks are not the
    /// rule.
    pub fn program(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.budget > 0 {
            items.extend(self.body(0, &mut Vec::new()));
        }
        let forgotten = std::mem::take(&mut self.unset);
        items.extend(forgotten.into_iter().filter(|_| self.random.below(8) > 0).map(Item::Set));
        items
    }

    fn access(&mut self) -> Item {
        Item::Access { writes: self.random.below(4) == 0, variable: self.random.below(VARIABLES) }
    }

    /// A promise to set: one that is not set yet, but for one time in forty.
    fn set(&mut self) -> Option<Item> {
        if self.random.below(40) == 0 {
            return Some(Item::Set(self.random.below(PROMISES)));
        }
        let at = self.random.below(self.unset.len().max(1) as u64) as usize;
        (at < self.unset.len()).then(|| Item::Set(self.unset.swap_remove(at)))
    }

    fn body(&mut self, depth: u32, known: &mut Vec<u64>) -> Vec<Item> {
        let mut items = Vec::new();
        for _ in 0..=self.random.below(5) {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let inner = |maker: &mut Self, known: &[u64]| maker.body(depth + 1, &mut known.to_vec());
            let item = match self.random.below(24) {
                0..=7 => self.access(),
                8..=10 => match self.set() {
                    Some(item) => item,
                    None => self.access(),
                },
                11 | 12 => Item::Get(self.random.below(PROMISES)),
                13 if !known.is_empty() => Item::Join(known[self.random.below(known.len() as u64) as usize]),
                _ if depth >= 4 => continue,
                14..=17 => Item::Task(inner(self, known)),
                18 | 19 => Item::Await(self.random.below(PROMISES), inner(self, known)),
                20 => Item::Finish(inner(self, known)),
                21 | 22 => {
                    let number = self.futures;
                    self.futures += 1;
                    let body = inner(self, known);
                    known.push(number);
                    Item::Future(number, body)
                }
                _ => match self.unset.pop() {
                    Some(promise) => Item::Nonblocking(promise, self.leaves()),
                    None => self.access(),
                },
            };
            items.push(item);
        }
        items
    }

    /// What a nonblocking finish has inside: accesses, and tasks that create no others.
    fn leaves(&mut self) -> Vec<Item> {
        let count = 1 + self.random.below(3);
        let leaf = |maker: &mut Self| match maker.random.below(4) {
            0 => Item::Get(maker.random.below(PROMISES)),
            _ => maker.access(),
        };
        (0..count)
            .map(|_| match self.random.below(4) {
                0 => self.access(),
                _ => Item::Task((0..=self.random.below(2)).map(|_| leaf(self)).collect()),
            })
            .collect()
    }
}

/// A program as words, and as TP with the line of every access.
#[derive(Default)]
pub struct Written {
    pub words: String,
    pub tp: String,
    /// By the numbers of the accesses: whether it writes, and its line in TP.
    pub accesses: Vec<(bool, u32)>,
    fresh: u32,
}

impl Written {
    pub fn of(items: &[Item]) -> Written {
        let mut written = Written::default();
        for variable in 0..VARIABLES {
            written.line(&format!("var x{variable};"));
        }
        written.line("proc main() {");
        for promise in 0..PROMISES {
            written.line(&format!("let p{promise} = promise();"));
        }
        written.line("finish {");
        written.items(items, &mut None);
        written.line("}");
        written.line("}");
        written
    }

    fn line(&mut self, text: &str) {
        writeln!(self.tp, "{text}").unwrap();
    }

    /// `leaves`: the futures of the tasks of a nonblocking finish, if these are its items.
    fn items(&mut self, items: &[Item], leaves: &mut Option<Vec<u32>>) {
        for item in items {
            self.fresh += 1;
            let fresh = self.fresh;
            match item {
                Item::Access { writes, variable } => {
                    let number = self.accesses.len();
                    self.accesses.push((*writes, self.tp.lines().count() as u32 + 1));
                    let letter = if *writes { 'w' } else { 'r' };
                    write!(self.words, "{letter}{variable}:{number};").unwrap();
                    match writes {
                        true => self.line(&format!("x{variable} = 1;")),
                        false => self.line(&format!("let v{fresh} = x{variable};")),
                    }
                }
                Item::Set(promise) => {
                    write!(self.words, "s{promise};").unwrap();
                    self.line(&format!("p{promise}.set();"));
                }
                Item::Get(promise) => {
                    write!(self.words, "g{promise};").unwrap();
                    self.line(&format!("p{promise}.get();"));
                }
                Item::Join(future) => {
                    write!(self.words, "j{future};").unwrap();
                    self.line(&format!("f{future}.get();"));
                }
                Item::Task(body) => match leaves {
                    Some(leaves) => {
                        leaves.push(fresh);
                        self.block("t", &format!("let c{fresh} = future {{"), body, "};");
                    }
                    None => self.block("t", "async {", body, "}"),
                },
                Item::Await(promise, body) => {
                    self.block(&format!("a{promise}"), &format!("async await(p{promise}) {{"), body, "}");
                }
                Item::Finish(body) => self.block("f", "finish {", body, "}"),
                Item::Future(number, body) => {
                    self.block(&format!("u{number}"), &format!("let f{number} = future {{"), body, "};");
                }
                Item::Nonblocking(promise, body) => {
                    write!(self.words, "n{promise}{{").unwrap();
                    let mut ends = Some(Vec::new());
                    self.items(body, &mut ends);
                    self.words.push('}');
                    self.line("async {");
                    for end in ends.into_iter().flatten() {
                        self.line(&format!("c{end}.get();"));
                    }
                    self.line(&format!("p{promise}.set();"));
                    self.line("}");
                }
            }
        }
    }

    fn block(&mut self, word: &str, begin: &str, body: &[Item], end: &str) {
        write!(self.words, "{word}{{").unwrap();
        self.line(begin);
        self.items(body, &mut None);
        self.line(end);
        self.words.push('}');
    }
}
