//! Scoped threads take blocks by a counter under a mutex, compress them and check the result.

use raceproof_threads::{Random, size};
use std::sync::Mutex;
use std::thread;

const BLOCK: usize = 65_536;
const SHORTEST: usize = 4;
const LONGEST: usize = 255;

fn hash(bytes: &[u8]) -> usize {
    let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    (word.wrapping_mul(2_654_435_761) >> 20) as usize
}

/// A byte 0, a length and literals, or the length of a match and its distance.
fn compress(from: &[u8]) -> Vec<u8> {
    let mut last = vec![usize::MAX; 4096];
    let (mut to, mut at, mut literal) = (Vec::new(), 0, 0);
    let flush = |to: &mut Vec<u8>, bytes: &[u8]| {
        for part in bytes.chunks(LONGEST) {
            to.extend([0, part.len() as u8]);
            to.extend_from_slice(part);
        }
    };
    while at + SHORTEST <= from.len() {
        let slot = &mut last[hash(&from[at..])];
        let before = std::mem::replace(slot, at);
        let mut length = 0;
        if before != usize::MAX && at - before <= usize::from(u16::MAX) {
            let most = LONGEST.min(from.len() - at);
            while length < most && from[before + length] == from[at + length] {
                length += 1;
            }
        }
        if length < SHORTEST {
            at += 1;
            continue;
        }
        flush(&mut to, &from[literal..at]);
        to.push(length as u8);
        to.extend(((at - before) as u16).to_le_bytes());
        at += length;
        literal = at;
    }
    flush(&mut to, &from[literal..]);
    to
}

fn decompress(from: &[u8]) -> Vec<u8> {
    let (mut to, mut at) = (Vec::new(), 0);
    while at < from.len() {
        let length = usize::from(from[at]);
        if length == 0 {
            let length = usize::from(from[at + 1]);
            to.extend_from_slice(&from[at + 2..at + 2 + length]);
            at += 2 + length;
            continue;
        }
        let distance = usize::from(u16::from_le_bytes([from[at + 1], from[at + 2]]));
        for _ in 0..length {
            to.push(to[to.len() - distance]);
        }
        at += 3;
    }
    to
}

fn main() {
    let blocks = size(256);
    let mut random = Random(7);
    let mut data = vec![0u8; blocks * BLOCK];
    for at in 0..data.len() {
        let number = random.next();
        data[at] = match at > 64 && number % 16 != 0 {
            true => data[at - 17 - (number >> 29) as usize],
            false => b'a' + (number >> 26) as u8,
        };
    }
    let results: Vec<Mutex<Vec<u8>>> = (0..blocks).map(|_| Mutex::default()).collect();
    let next = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let mine = {
                        let mut next = next.lock().unwrap();
                        *next += 1;
                        *next - 1
                    };
                    let Some(block) = data.chunks(BLOCK).nth(mine) else { break };
                    *results[mine].lock().unwrap() = compress(block);
                }
            });
        }
    });
    let mut total = 0;
    for (block, result) in data.chunks(BLOCK).zip(&results) {
        let result = result.lock().unwrap();
        assert_eq!(decompress(&result), block);
        total += result.len();
    }
    assert!(total < data.len());
}
