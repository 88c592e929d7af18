// expect: race
//! Every item writes its own cell and reads that of its neighbour, which another item writes. Only single items show it everywhere.

use corpus::Pointer;
use rayon::prelude::*;

fn main() {
    let mut data: Vec<u32> = (0..40).collect();
    let at = Pointer(data.as_mut_ptr());
    (0..39usize).into_par_iter().for_each(|i| unsafe {
        let next = *at.at(i + 1); //~ race data[] #1
        *at.at(i) = next; //~ race data[] #1
    });
    println!("{}", data[20]);
}
