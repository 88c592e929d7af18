// expect: race-free all-schedules
//! Cilksort: quarters, sorted in parallel, then merged in parallel.

use corpus::numbers;
use rayon::join;

const SMALL: usize = 16;

fn sort(data: &mut [u32], space: &mut [u32]) {
    if data.len() <= SMALL {
        return data.sort_unstable();
    }
    let half = data.len() / 2;
    let quarter = half / 2;
    let (left, right) = data.split_at_mut(half);
    let (left_space, right_space) = space.split_at_mut(half);
    let halves = |data: &mut [u32], space: &mut [u32]| {
        let (a, b) = data.split_at_mut(quarter);
        let (c, d) = space.split_at_mut(quarter);
        join(|| sort(a, c), || sort(b, d));
    };
    join(|| halves(left, left_space), || halves(right, right_space));
    {
        let ((a, b), (c, d)) = (left.split_at(quarter), right.split_at(quarter));
        join(|| merge(a, b, left_space), || merge(c, d, right_space));
    }
    merge(left_space, right_space, data);
}

fn merge(a: &[u32], b: &[u32], to: &mut [u32]) {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    if short.len() <= SMALL {
        let (mut long, mut short) = (long.iter().peekable(), short.iter().peekable());
        for to in to {
            let first = match (long.peek(), short.peek()) {
                (Some(a), Some(b)) => a <= b,
                (Some(_), None) => true,
                _ => false,
            };
            *to = *if first { long.next() } else { short.next() }.unwrap();
        }
        return;
    }
    let middle = long.len() / 2;
    let other = short.partition_point(|value| *value < long[middle]);
    let (before, after) = to.split_at_mut(middle + other);
    join(
        || merge(&long[..middle], &short[..other], before),
        || merge(&long[middle..], &short[other..], after),
    );
}

fn main() {
    let mut data = numbers(500);
    let mut expected = data.clone();
    expected.sort_unstable();
    let mut space = vec![0; data.len()];
    sort(&mut data, &mut space);
    assert_eq!(data, expected);
}
