// expect: race
//! Villages with children. A child puts the patients it cannot help on the list of its parent, without a lock: siblings race.

use corpus::Shared;

struct Village {
    waiting: Shared<u32>,
    sent: Shared<u32>,
    children: Vec<Village>,
}

fn build(level: u32) -> Village {
    let children = if level == 0 { Vec::new() } else { (0..3).map(|_| build(level - 1)).collect() };
    Village { waiting: Shared::new(level), sent: Shared::new(0), children }
}

fn simulate(village: &Village, parent: Option<&Village>) {
    rayon::scope(|scope| {
        for child in &village.children {
            scope.spawn(|_| simulate(child, Some(village)));
        }
    });
    unsafe {
        *village.waiting.at() += *village.sent.at() + 1;
        if let Some(parent) = parent {
            *parent.sent.at() += *village.waiting.at() / 2; //~ race sent #1
        }
    }
}

fn main() {
    let root = build(3);
    for _ in 0..2 {
        simulate(&root, None);
    }
}
