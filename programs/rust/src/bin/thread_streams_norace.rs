// expect: race-free observed-schedule
//! Threads lock standard output. The lock comes compiled with the standard library, its end is inlined.

use std::io::Write;
use std::thread;

fn main() {
    let print = |number| {
        let mut output = std::io::stdout().lock();
        writeln!(output, "thread {number}").unwrap();
        writeln!(std::io::stderr().lock(), "and again {number}").unwrap();
    };
    let threads: Vec<_> = (0..3).map(|number| thread::spawn(move || print(number))).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
