//! A pipeline of promises, right and wrong: `cargo run --example pipeline`.

use raceproof::{Promise, SharedArray, render, spawn, try_check};

/// Each stage adds its number to what the stage before it left in the buffer.
fn pipeline(stages: usize, wait: bool) {
    let buffer = SharedArray::named("buffer", stages, 0);
    let done: Vec<Promise<()>> = (0..stages).map(|_| Promise::new()).collect();
    for stage in 0..stages {
        let before = stage.checked_sub(1).map(|before| done[before]);
        let mine = done[stage];
        spawn(move || {
            let input = match before {
                Some(before) => {
                    if wait {
                        before.get();
                    }
                    buffer.get(stage - 1)
                }
                None => 0,
            };
            buffer.set(stage, input + stage);
            mine.set(());
        });
    }
}

fn main() {
    print!("waiting for the stage before: {}", render(&try_check(|| pipeline(5, true))));
    print!("not waiting: {}", render(&try_check(|| pipeline(3, false))));
}
