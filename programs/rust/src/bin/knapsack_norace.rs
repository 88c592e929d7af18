// expect: race-free all-schedules
//! Branch and bound, where each branch knows only the best of those before it.

const ITEMS: [(i64, i64); 10] =
    [(10, 3), (9, 3), (12, 5), (7, 3), (6, 4), (7, 5), (4, 3), (5, 4), (3, 3), (1, 2)];

fn search(items: &[(i64, i64)], capacity: i64, value: i64, known: i64) -> i64 {
    if capacity < 0 {
        return i64::MIN;
    }
    let Some((&(worth, weight), rest)) = items.split_first() else {
        return value;
    };
    if capacity == 0 || value + capacity * worth / weight < known {
        return value;
    }
    let (with, without) = rayon::join(
        || search(rest, capacity - weight, value + worth, known),
        || search(rest, capacity, value, known),
    );
    with.max(without)
}

fn main() {
    assert_eq!(search(&ITEMS, 20, 0, 0), 45);
}
