//! A pipeline of three threads and channels: lines are made, split into words, counted.

use raceproof_threads::{Random, size};
use std::collections::HashMap;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

const LINES: usize = 16;
const WORDS: usize = 8;

fn line(random: &mut Random) -> String {
    let mut line = String::new();
    for _ in 0..WORDS {
        let mut left = random.next() >> 21;
        while left > 0 {
            line.push((b'a' + (left % 7) as u8) as char);
            left /= 7;
        }
        line.push(' ');
    }
    line
}

fn main() {
    let blocks = size(16_000);
    let (lines, to_split) = sync_channel::<Vec<String>>(16);
    let (words, to_count) = channel::<Vec<String>>();
    let make = thread::spawn(move || {
        let mut random = Random(1);
        for _ in 0..blocks {
            lines.send((0..LINES).map(|_| line(&mut random)).collect()).unwrap();
        }
    });
    let split = thread::spawn(move || {
        for block in to_split {
            let found = block.iter().flat_map(|line| line.strip_suffix(' ').unwrap().split(' '));
            words.send(found.map(str::to_owned).collect()).unwrap();
        }
    });
    let mut counts: HashMap<String, usize> = HashMap::new();
    for block in to_count {
        for word in block {
            *counts.entry(word).or_default() += 1;
        }
    }
    make.join().unwrap();
    split.join().unwrap();
    assert_eq!(counts.values().sum::<usize>(), blocks * LINES * WORDS);
}
