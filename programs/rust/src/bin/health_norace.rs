// expect: race-free all-schedules
//! Villages with children. Each has a list of those it sends on, which its parent empties once its children are done.

struct Village {
    waiting: u32,
    sent: u32,
    children: Vec<Village>,
}

fn build(level: u32) -> Village {
    let children = if level == 0 { Vec::new() } else { (0..3).map(|_| build(level - 1)).collect() };
    Village { waiting: level, sent: 0, children }
}

fn simulate(village: &mut Village) {
    let Village { waiting, sent, children } = village;
    rayon::scope(|scope| {
        for child in children.iter_mut() {
            scope.spawn(|_| simulate(child));
        }
    });
    *waiting += 1 + children.iter_mut().map(|child| std::mem::take(&mut child.sent)).sum::<u32>();
    *sent += *waiting / 2;
    *waiting -= *waiting / 2;
}

fn main() {
    let mut root = build(3);
    for _ in 0..5 {
        simulate(&mut root);
    }
    assert!(root.waiting > 0);
}
