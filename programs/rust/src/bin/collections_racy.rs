// expect: race
//! Collections that closures change at the same time: every field and block of theirs races, by one mistake each.

use corpus::Shared;
use rayon::prelude::*;
use std::collections::HashMap;

fn main() {
    let list = Shared::new(Vec::new());
    (0..20).into_par_iter().for_each(|i: i32| unsafe {
        (*list.at()).push(i); //~ race list #1
    });
    let map = Shared::new(HashMap::new());
    let put = |n: i32| unsafe {
        (*map.at()).insert(n, n); //~ race map #2
    };
    rayon::join(|| put(1), || put(2));
}
