// expect: race-free all-schedules
//! Results of nested joins, without anything shared.

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn main() {
    assert_eq!(fib(14), 377);
}
