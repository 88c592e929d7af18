//! Does with rayon what its argument says: `r0` and `w0` read and write a cell, `j(… | …)` joins, `s(…)` opens a scope, `p1(…)` spawns into the
//! scope of that number (0 is the outermost), `d(…)` spawns for nobody to wait, `i3(…)` does something for three items.
//!
//! `crates/cli/tests/rayon/rayon_generated.rs` makes the words, and knows whether they race.

use corpus::Shared;
use rayon::Scope;
use rayon::prelude::*;

enum Item {
    Read(usize),
    Write(usize),
    Join(Vec<Item>, Vec<Item>),
    Scope(Vec<Item>),
    Spawn(usize, Vec<Item>),
    Alone(Vec<Item>),
    Items(usize, Vec<Item>),
}

static CELLS: [Shared<u32>; 3] = [const { Shared::new(0) }; 3];

fn run(items: &'static [Item], scopes: &[&Scope<'static>]) {
    for item in items {
        match item {
            Item::Read(cell) => drop(unsafe { CELLS[*cell].at().read_volatile() }),
            Item::Write(cell) => unsafe { CELLS[*cell].at().write_volatile(1) },
            Item::Join(a, b) => drop(rayon::join(|| run(a, scopes), || run(b, scopes))),
            Item::Scope(body) => rayon::in_place_scope(|scope| {
                let scopes: Vec<&Scope<'static>> = scopes.iter().copied().chain([scope]).collect();
                run(body, &scopes);
            }),
            Item::Spawn(number, body) => {
                // A scope outlives those that are inside of it; the others are not for the job to use.
                let outer: Vec<usize> =
                    scopes[..*number].iter().map(|&scope| std::ptr::from_ref(scope) as usize).collect();
                scopes[*number].spawn(move |own| {
                    let outer = outer.iter().map(|&at| unsafe { &*(at as *const Scope<'static>) });
                    run(body, &outer.chain([own]).collect::<Vec<_>>());
                });
            }
            Item::Alone(body) => rayon::spawn(|| run(body, &[])),
            Item::Items(count, body) => (0..*count).into_par_iter().for_each(|_| run(body, scopes)),
        }
    }
}

/// Items up to the closing bracket or bar, and what follows that.
fn parse(mut text: &str) -> (Vec<Item>, &str) {
    let mut items = Vec::new();
    loop {
        text = text.trim_start();
        let Some(letter) = text.chars().next() else { return (items, text) };
        text = &text[1..];
        if "|)".contains(letter) {
            return (items, text);
        }
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let number = text[..digits].parse().unwrap_or(0);
        text = &text[digits..];
        let mut block = || {
            let (body, rest) = parse(text.strip_prefix('(').or(text.strip_prefix(' ')).unwrap_or(text));
            text = rest;
            body
        };
        items.push(match letter {
            'r' => Item::Read(number),
            'w' => Item::Write(number),
            'j' => Item::Join(block(), block()),
            's' => Item::Scope(block()),
            'p' => Item::Spawn(number, block()),
            'd' => Item::Alone(block()),
            'i' => Item::Items(number, block()),
            other => panic!("`{other}` is no word"),
        });
    }
}

fn main() {
    let text = std::env::args().nth(1).expect("words");
    let (items, rest) = parse(&text);
    assert!(rest.is_empty(), "{rest}");
    run(Box::leak(items.into_boxed_slice()), &[]);
}
