//! Threads count words in a map whose shards have a reader-writer lock each, and then look them up.

use raceproof_threads::{Random, size};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::thread;

const SHARDS: usize = 16;
const THREADS: u64 = 4;

fn main() {
    let each = size(1_000_000) as u64;
    let shards: Arc<Vec<RwLock<HashMap<u64, u64>>>> = Arc::new((0..SHARDS).map(|_| RwLock::default()).collect());
    let counting = (0..THREADS).map(|seed| {
        let shards = shards.clone();
        thread::spawn(move || {
            let mut random = Random(seed);
            for _ in 0..each {
                let key = random.next() >> 17;
                *shards[key as usize % SHARDS].write().unwrap().entry(key).or_default() += 1;
            }
        })
    });
    let counting: Vec<_> = counting.collect();
    counting.into_iter().for_each(|thread| thread.join().unwrap());
    let looking = (0..THREADS).map(|seed| {
        let shards = shards.clone();
        thread::spawn(move || {
            let mut random = Random(seed);
            let known = |key: u64| shards[key as usize % SHARDS].read().unwrap().contains_key(&key);
            (0..each).filter(|_| known(random.next() >> 17)).count() as u64
        })
    });
    let looking: Vec<_> = looking.collect();
    assert!(looking.into_iter().all(|thread| thread.join().unwrap() == each));
    let total: u64 = shards.iter().map(|shard| shard.read().unwrap().values().sum::<u64>()).sum();
    assert_eq!(total, THREADS * each);
}
