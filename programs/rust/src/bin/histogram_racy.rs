// expect: race
//! A histogram whose bins are shared by all items.

use corpus::{Pointer, numbers};
use rayon::prelude::*;

fn main() {
    let mut bins = vec![0u32; 4];
    let at = Pointer(bins.as_mut_ptr());
    numbers(50).par_iter().for_each(|number| unsafe {
        *at.at(*number as usize % 4) += 1; //~ race bins[] #1
    });
}
