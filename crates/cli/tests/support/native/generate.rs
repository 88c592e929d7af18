//! Task programs made at random, as the words that `tasks.c` runs and as TP: a taskwait is the
//! `get` of all children, a group a `finish`, a dependence a `get` at the start.

use std::collections::HashMap;
use std::fmt::Write;

pub enum Item {
    Read(u64),
    Write(u64),
    Wait,
    /// A task, group or the like: its letter, its key, its body.
    Block(char, u64, Vec<Item>),
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// What programs are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    Tasks,
    /// Locks and branches as well.
    Locks,
    /// And locks as signals: a task that is created under a lock takes it.
    Signals,
}

/// The body of a task.
pub fn body(random: &mut Random, depth: u32, budget: &mut u32, parts: Parts) -> Vec<Item> {
    let mut items = Vec::new();
    let kinds = match parts {
        Parts::Tasks => 16,
        Parts::Locks => 22,
        Parts::Signals => 28,
    };
    for _ in 0..=random.below(5) {
        if *budget == 0 {
            break;
        }
        *budget -= 1;
        items.push(match random.below(kinds) {
            0..=4 => Item::Read(random.below(3)),
            5..=7 => Item::Write(random.below(3)),
            8 | 9 => Item::Wait,
            choice @ ..16 if depth < 4 => {
                let letter = ['t', 't', 'i', 'o', 'g', 'f'][choice as usize - 10];
                Item::Block(letter, random.below(2), body(random, depth + 1, budget, parts))
            }
            16 | 17 => Item::Block('l', random.below(2), body(random, depth + 1, budget, parts)),
            18 => Item::Block('l', random.below(2), branch(random, depth + 1, budget)),
            19 => {
                // One inside the other: two such tasks may wait for each other.
                let key = random.below(2);
                let inner = Item::Block('l', 1 - key, branch(random, depth + 1, budget));
                Item::Block('l', key, vec![inner])
            }
            20 | 21 => Item::Block('q', random.below(3), branch(random, depth + 1, budget)),
            22.. if depth < 3 => signal(random, depth, budget),
            _ => continue,
        });
    }
    items
}

/// A region that creates many small tasks, most of which have ended long before they are waited
/// for, if they are. Mostly they read: most programs would have a race otherwise.
pub fn siblings(random: &mut Random, depth: u32, budget: &mut u32, parts: Parts) -> Vec<Item> {
    let mut items = Vec::new();
    for _ in 0..3 + random.below(8) {
        if *budget == 0 {
            break;
        }
        *budget -= 1;
        let kinds = if parts == Parts::Tasks { 20 } else { 22 };
        items.push(match random.below(kinds) {
            0..=7 => Item::Block('t', 0, few(random, depth, budget, parts)),
            8..=11 => Item::Block(
                if random.below(2) == 0 { 'i' } else { 'o' },
                random.below(2),
                few(random, depth, budget, parts),
            ),
            12 | 13 => Item::Wait,
            14 if depth < 2 => Item::Block('g', 0, siblings(random, depth + 1, budget, parts)),
            15 => Item::Block('f', 0, few(random, depth, budget, parts)),
            20.. => Item::Block('l', random.below(2), few(random, 3, budget, Parts::Tasks)),
            _ => access(random),
        });
    }
    items
}

fn access(random: &mut Random) -> Item {
    let variable = random.below(3);
    if random.below(9) == 0 { Item::Write(variable) } else { Item::Read(variable) }
}

/// The body of a small task, now and then one that creates others.
fn few(random: &mut Random, depth: u32, budget: &mut u32, parts: Parts) -> Vec<Item> {
    let mut items = vec![access(random)];
    match random.below(8) {
        0 | 1 if depth < 2 => items.extend(siblings(random, depth + 1, budget, parts)),
        2 => items.push(access(random)),
        3 if parts != Parts::Tasks => items.push(Item::Block('l', random.below(2), vec![access(random)])),
        _ => {}
    }
    items
}

/// A task that is created under a lock, and goes on when its creator has given the lock back.
fn signal(random: &mut Random, depth: u32, budget: &mut u32) -> Item {
    let key = random.below(2);
    let mut task = vec![Item::Block('l', key, branch(random, depth + 2, budget))];
    task.extend(branch(random, depth + 2, budget));
    let mut section = vec![Item::Block('t', 0, task)];
    section.extend(branch(random, depth + 1, budget));
    Item::Block('l', key, section)
}

/// What is done under a condition: nothing that changes what the rest of the region waits for, but
/// for tasks.
fn branch(random: &mut Random, depth: u32, budget: &mut u32) -> Vec<Item> {
    let mut items = Vec::new();
    for _ in 0..=random.below(3) {
        *budget = budget.saturating_sub(1);
        items.push(match random.below(8) {
            0..=2 => Item::Read(random.below(3)),
            3..=5 => Item::Write(random.below(3)),
            6 if depth < 4 => Item::Block('t', 0, body(random, depth + 1, budget, Parts::Locks)),
            7 if depth < 4 => Item::Block('l', random.below(2), branch(random, depth + 1, budget)),
            _ => continue,
        });
    }
    items
}

/// As the C program reads it.
pub fn words(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items {
        match item {
            Item::Read(x) => write!(text, "r{x}").unwrap(),
            Item::Write(x) => write!(text, "w{x}").unwrap(),
            Item::Wait => text.push('j'),
            Item::Block(letter @ ('i' | 'o' | 'l' | 'q'), key, body) => {
                write!(text, "{letter}{key}{{{}}}", words(body)).unwrap()
            }
            Item::Block(letter, _, body) => write!(text, "{letter}{{{}}}", words(body)).unwrap(),
        }
    }
    text
}

/// A task region: its children that were not waited for, and by key what came last and before that.
#[derive(Default)]
struct Region {
    children: Vec<u32>,
    keys: HashMap<u64, (char, Vec<u32>, Vec<u32>)>,
}

/// Waits for a task, if there is one: it may have been created under a condition.
fn get(task: u32, text: &mut String) {
    writeln!(text, "if (f[{task}] != 0) {{ f[{task}].get(); }}").unwrap();
}

/// As TP.
pub fn tp(items: &[Item]) -> String {
    let (mut text, mut next) = (String::new(), 0);
    tp_body(items, &mut Region::default(), &mut next, &mut text);
    let variables = "var x0; var x1; var x2; var f[200]; lock l0; lock l1;";
    format!("{variables}\nproc main() {{\nfinish {{\n{text}}}\n}}\n")
}

fn tp_body(items: &[Item], region: &mut Region, next: &mut u32, text: &mut String) {
    for item in items {
        match item {
            Item::Read(x) => {
                *next += 1;
                writeln!(text, "let v{next} = x{x};").unwrap();
            }
            Item::Write(x) => writeln!(text, "x{x} = 1;").unwrap(),
            Item::Wait => {
                region.children.drain(..).for_each(|child| get(child, text));
            }
            Item::Block('g', _, body) => {
                text.push_str("finish {\n");
                tp_body(body, region, next, text);
                text.push_str("}\n");
            }
            Item::Block('l', key, body) => {
                writeln!(text, "with l{key} {{").unwrap();
                tp_body(body, region, next, text);
                text.push_str("}\n");
            }
            Item::Block('q', key, body) => {
                *next += 1;
                writeln!(text, "let v{next} = x{key};\nif (v{next} == 0) {{").unwrap();
                tp_body(body, region, next, text);
                text.push_str("}\n");
            }
            Item::Block('f', _, body) => tp_body(body, &mut Region::default(), next, text),
            Item::Block(letter, key, body) => {
                *next += 1;
                let own = *next;
                let mut waits = Vec::new();
                if *letter != 't' {
                    let (last, before, present) =
                        region.keys.entry(*key).or_insert((' ', Vec::new(), Vec::new()));
                    if !(*letter == 'i' && *last == 'i') {
                        *before = std::mem::take(present);
                    }
                    *last = *letter;
                    present.push(own);
                    waits.clone_from(before);
                }
                writeln!(text, "f[{own}] = future {{").unwrap();
                waits.into_iter().for_each(|before| get(before, text));
                tp_body(body, &mut Region::default(), next, text);
                text.push_str("};\n");
                region.children.push(own);
            }
        }
    }
}
