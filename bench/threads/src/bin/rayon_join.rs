//! A merge sort of `rayon::join`.

use raceproof_threads::{Random, size};

fn sort(data: &mut [u64], space: &mut [u64]) {
    if data.len() <= 1024 {
        return data.sort_unstable();
    }
    let half = data.len() / 2;
    let (left, right) = data.split_at_mut(half);
    let (left_space, right_space) = space.split_at_mut(half);
    rayon::join(|| sort(left, left_space), || sort(right, right_space));
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    for to in space.iter_mut() {
        let first = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => a <= b,
            (first, _) => first.is_some(),
        };
        *to = *if first { left.next() } else { right.next() }.unwrap();
    }
    data.copy_from_slice(space);
}

fn main() {
    let mut random = Random(3);
    let mut data: Vec<u64> = (0..size(1_000_000)).map(|_| random.next()).collect();
    let mut space = vec![0; data.len()];
    sort(&mut data, &mut space);
    assert!(data.is_sorted());
}
